"""How many threads compiled code may use."""

from __future__ import annotations

import numba


def usable_threads() -> int:
    """Return how many threads the compiled code may use on this machine."""
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
