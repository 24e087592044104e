"""Running the server until it is stopped: its address, its log, its end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import math
import socket
from collections.abc import Callable, Sequence
from types import FrameType
from urllib.parse import urlsplit

import uvicorn

from oracular.errors import SettingsError
from oracular.system.files import quoted
from oracular.web.app import create_app
from oracular.web.door import MOST_BACKLOG, Door, Limits, connection_class, connections_for, files_allowed, files_open
from oracular.web.settings import Settings
from oracular.web.visitors import plain

LOOPBACK = ("localhost", "127.0.0.1", "::1")
SECONDS_TO_FINISH = 3.0
"""How long clients may take, once the server stops, to send the rest of a request and to take their replies."""

SECONDS_TO_HANG_UP = 5
"""How long, after that, requests may take to end whose clients are gone."""


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, or say why none can."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise SettingsError(f"host {quoted(host)} is not an address of this machine: choose another --host") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(MOST_BACKLOG)
    except OSError as error:
        listener.close()
        reasons = {
            errno.EADDRINUSE: f"port {port} is in use: choose another with --port",
            errno.EACCES: f"port {port} may not be used by you: choose one above 1023 with --port",
        }
        told = reasons.get(error.errno or 0, f"{quoted(host)} is not an address of this machine: choose another --host")
        raise SettingsError(told) from None
    return listener


def hosts_of(listener: socket.socket, host: str, origins: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names that requests may address a server by; none where any will do, on an address others can reach.

    Args:
        listener: where it listens.
        host: what it was told to listen at.
        origins: where pages come from that a proxy passes on.
    """
    address = listener.getsockname()[0]
    if not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        return ()
    return (*LOOPBACK, address, host.lower(), *(urlsplit(origin).hostname or "" for origin in origins))


class Stoppable(uvicorn.Server):
    """A server that, told to stop, turns those away who wait for something long, so that nobody has to be cut off."""

    def __init__(self, config: uvicorn.Config, door: Door, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._door, self._stop = door, stop

    async def on_tick(self, counter: int) -> bool:
        """Close connections whose time has run out; called ten times a second."""
        self._door.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End it."""
        self._stop()
        late = asyncio.get_running_loop().call_later(SECONDS_TO_FINISH, self._door.close)
        await super().shutdown(sockets)
        late.cancel()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, once: whoever presses Ctrl-C again is not shown an error for it."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


def limits_of(settings: Settings, most: int) -> Limits:
    """Return what connections may be like, where there is room for so many of them."""
    most = most if settings.most_connections is None else min(most, settings.most_connections)
    quarter = max(8, most // 4)
    each = quarter if settings.most_connections_an_address is None else settings.most_connections_an_address
    return Limits(
        connections=most,
        an_address=each if settings.tells_addresses else None,
        not_counted=frozenset(map(plain, settings.proxies)),
        head_bytes=settings.most_head_bytes,
        head_seconds=settings.seconds_for_a_head,
        rest_seconds=settings.seconds_at_rest,
        take_seconds=settings.seconds_to_take,
    )


def serve(
    settings: Settings, listener: socket.socket, announce: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Serve until the process is told to stop.

    Args:
        settings: how the server is set up.
        listener: where it listens.
        announce: is told the address once the database is open.
        say: is told, in a line, when everything is ready.
    """
    with listener:
        app = create_app(settings, say)
        most, backlog = connections_for(files_allowed(), files_open())
        door = Door(limits_of(settings, most))
        config = uvicorn.Config(
            app,
            http=connection_class(door),
            backlog=backlog,
            timeout_keep_alive=math.ceil(settings.seconds_at_rest),
            proxy_headers=bool(settings.proxies),
            forwarded_allow_ips=[plain(proxy) for proxy in settings.proxies],
            log_level="error",  # what a client did wrong is told to the client
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=math.ceil(SECONDS_TO_FINISH) + SECONDS_TO_HANG_UP,
            lifespan="on",
            ws="none",
        )
        server = Stoppable(config, door, app.state.house.stop)
        try:
            with server.capture_signals():  # from now on, so that Ctrl-C ends it in one way whenever it comes
                announce(address_of(listener))
                server.run(sockets=[listener])
        except KeyboardInterrupt:
            return  # Ctrl-C is how a server is stopped


def address_of(listener: socket.socket) -> str:
    """Return the address to open in a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
