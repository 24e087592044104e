"""Waiting until something holds."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which something is taken never to come: far more than anything takes on a busy machine."""


def until(holds: Callable[[], object]) -> None:
    """Return once something holds; fail where it never does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.01)
