"""How many connections a server can hold, and the limits on each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from oracular.web.settings import Settings
from oracular.web.visitors import normal_address

MAX_CONNECTIONS = 1000
"""The most connections that are ever held, however many files may be open."""

MAX_BACKLOG = 128
"""The most connections that ever wait to be accepted."""

SPARE_FILES = 24
"""Files that the server opens while it runs: those of its event loop, the page, word lists and strategies."""

USED_FILES = 32
"""How many files are assumed to be open where the system does not say."""


@dataclass(frozen=True)
class ConnectionLimits:
    """The limits on connections.

    Attributes:
        connections: how many are held at once.
        per_address: how many of them one address may have; None where addresses are not known.
        unlimited: addresses that may have any number, since they are proxies; as `normal_address` writes them.
        head_bytes: the longest head of a request.
        head_seconds: how long a head may take to arrive.
        keep_alive_seconds: how long a connection may be idle between requests.
        write_seconds: how long a client may take to read a reply.
    """

    connections: int
    per_address: int | None
    unlimited: frozenset[str]
    head_bytes: int
    head_seconds: float
    keep_alive_seconds: float
    write_seconds: float


def limits_of(settings: Settings, connections: int) -> ConnectionLimits:
    """Return the limits that follow from the settings, in a process with room for `connections` connections."""
    if settings.max_connections is not None:
        connections = min(connections, settings.max_connections)
    per_address = settings.max_connections_per_address
    if per_address is None:
        per_address = max(8, connections // 4)
    return ConnectionLimits(
        connections=connections,
        per_address=per_address if settings.knows_addresses else None,
        unlimited=frozenset(map(normal_address, settings.proxies)),
        head_bytes=settings.max_head_bytes,
        head_seconds=settings.head_seconds,
        keep_alive_seconds=settings.keep_alive_seconds,
        write_seconds=settings.write_seconds,
    )


def capacity() -> tuple[int, int]:
    """Return how many connections this process has room for, and how many more may wait to be accepted."""
    return capacity_for(_files_allowed(), _files_open())


def capacity_for(allowed: int, used: int) -> tuple[int, int]:
    """Return how many connections may be held, and how many more may wait to be accepted.

    All that wait may be accepted at once before another is closed, so both together must fit.

    Args:
        allowed: how many files the process may have open.
        used: how many it has open before the first connection.
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
