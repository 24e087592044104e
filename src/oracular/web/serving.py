"""Running the server at an address until it is stopped."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import math
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import uvicorn

from oracular.errors import SettingsError
from oracular.system.files import quoted
from oracular.system.memory import return_freed_arrays
from oracular.web.app import create_app
from oracular.web.connections import ConnectionRegistry, connection_class
from oracular.web.settings import Settings
from oracular.web.visitors import normal_address

LOOPBACK = ("localhost", "127.0.0.1", "::1")
FINISH_SECONDS = 3.0
"""How long clients have, once the server stops, to send the rest of a request and to read their replies."""

ABORT_SECONDS = 5
"""How long requests may then still run whose connections were closed."""

MAX_CONNECTIONS = 1000
"""The most connections that are ever held, however many files may be open."""

MAX_BACKLOG = 128
"""The most connections that ever wait to be accepted."""

SPARE_FILES = 24
"""Files that the server opens while it runs: those of its event loop, the page, word lists and strategies."""

USED_FILES = 32
"""How many files are assumed to be open where the system does not say."""


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; raise `SettingsError` where that is not possible."""
    try:
        family, socket_type, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise SettingsError(f"host {quoted(host)} is not an address of this machine: choose another --host") from None
    listener = socket.socket(family, socket_type, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(MAX_BACKLOG)
    except OSError as error:
        listener.close()
        reasons = {
            errno.EADDRINUSE: f"port {port} is in use: choose another with --port",
            errno.EACCES: f"you may not use port {port}: choose one above 1023 with --port",
        }
        other = f"{quoted(host)} is not an address of this machine: choose another --host"
        raise SettingsError(reasons.get(error.errno or 0, other)) from None
    return listener


def allowed_hosts(listener: socket.socket, host: str, origins: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the host names that requests may use; none, which means any, at an address that others can reach."""
    address = listener.getsockname()[0]
    if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        return ()
    return (*LOOPBACK, address, host.lower(), *(urlsplit(origin).hostname or "" for origin in origins))


class GracefulServer(uvicorn.Server):
    """A uvicorn server that closes expired connections, and that refuses waiting requests before it shuts down."""

    def __init__(self, config: uvicorn.Config, registry: ConnectionRegistry, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._registry, self._stop = registry, stop

    async def on_tick(self, counter: int) -> bool:
        """Close connections whose deadline has passed; uvicorn calls this ten times a second."""
        self._registry.close_expired(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse waiting requests, give clients a few seconds to finish, and shut down."""
        self._stop()
        late = asyncio.get_running_loop().call_later(FINISH_SECONDS, self._registry.close_all)
        await super().shutdown(sockets)
        late.cancel()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, once: a second Ctrl-C must not end in a traceback."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


def serve(
    settings: Settings, listener: socket.socket, announce: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Serve until the process is told to stop.

    `announce` is called with the address once the database is open, `say` when everything is loaded.
    """
    return_freed_arrays()
    with listener:
        app = create_app(settings, say)
        connections, backlog = capacity_for(_files_allowed(), _files_open())
        registry = ConnectionRegistry(settings, connections)
        config = uvicorn.Config(
            app,
            http=connection_class(registry),
            backlog=backlog,
            timeout_keep_alive=math.ceil(settings.keep_alive_seconds),
            proxy_headers=bool(settings.proxies),
            forwarded_allow_ips=[normal_address(proxy) for proxy in settings.proxies],
            log_level="error",  # errors of a client go to the client
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=math.ceil(FINISH_SECONDS) + ABORT_SECONDS,
            lifespan="on",
            ws="none",
        )
        server = GracefulServer(config, registry, app.state.services.stop)
        try:
            with server.capture_signals():  # before uvicorn does, so that Ctrl-C always ends it in the same way
                announce(address_of(listener))
                server.run(sockets=[listener])
        except KeyboardInterrupt:
            return  # Ctrl-C is how a server is stopped


def address_of(listener: socket.socket) -> str:
    """Return the address to open in a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


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
