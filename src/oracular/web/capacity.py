"""How many connections a server can hold."""

from __future__ import annotations

from pathlib import Path

MAX_CONNECTIONS = 1000
"""The most connections that are ever held, however many files may be open."""

MAX_BACKLOG = 128
"""The most connections that ever wait to be accepted."""

SPARE_FILES = 24
"""Files that the server opens while it runs: those of its event loop, the page, word lists and strategies."""

USED_FILES = 32
"""How many files are assumed to be open where the system does not say."""


def capacity() -> tuple[int, int]:
    """Return how many connections this process has room for, and how many more may wait to be accepted."""
    return capacity_for(_files_allowed(), _files_open())


def capacity_for(allowed: int, used: int) -> tuple[int, int]:
    """Return how many connections may be held, and how many more may wait to be accepted.

    All that wait may be accepted at once before another is closed, so both together must fit.
    """
    free = allowed - used - SPARE_FILES
    backlog = max(4, min(MAX_BACKLOG, free // 3))
    return max(4, min(MAX_CONNECTIONS, free - backlog)), backlog


def _files_allowed() -> int:
    """Return how many files this process may have open."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return MAX_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else soft


def _files_open() -> int:
    """Return how many files this process has open."""
    try:
        return len(list(Path("/dev/fd").iterdir()))
    except OSError:
        return USED_FILES
