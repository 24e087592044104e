"""Stores with one limit on all matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from oracular.web.store import Store, StoreLimits


def open_store(path: Path, matches: int, idle_seconds: float, clock: Callable[[], float]) -> Store:
    """Return a store in which no browser and no address has a limit of its own."""
    return Store(path, StoreLimits(idle_seconds, matches, per_owner=matches, per_address=matches), clock)
