"""Stores with one limit on all matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from oracular.web.settings import Settings
from oracular.web.store import Store


def open_store(path: Path, matches: int, idle_seconds: float, clock: Callable[[], float]) -> Store:
    """Return a store in which no browser and no address has a limit of its own."""
    limits = {"max_matches": matches, "max_matches_per_browser": matches, "max_matches_per_address": matches}
    return Store(Settings(database=path, idle_seconds=idle_seconds, clock=clock, **limits))
