"""Running the server at an address until it is stopped."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import uvicorn

from oracular.errors import SettingsError
from oracular.system.files import quoted
from oracular.system.memory import return_freed_arrays
from oracular.web.app import create_app
from oracular.web.settings import Settings
from oracular.web.visitors import normal_address

LOOPBACK = ("localhost", "127.0.0.1", "::1")
FINISH_SECONDS = 5
"""How long clients have, once the server stops, to send the rest of a request and to read their replies."""

MAX_HEAD_BYTES = 16_384
"""The longest head of a request, that is its first line and its headers."""

MAX_CONNECTIONS = 500
"""How many connections may be open before requests are refused; fewer than the files that a process may open."""

BACKLOG = 128
"""How many connections may wait to be accepted."""


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
        listener.listen(BACKLOG)
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


def serve(
    settings: Settings, listener: socket.socket, announce: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Serve until the process is told to stop.

    `announce` is called with the address once the database is open, `say` when everything is loaded.
    """
    return_freed_arrays()
    proxies = [normal_address(proxy) for proxy in settings.proxies]
    with listener:
        config = uvicorn.Config(
            create_app(settings, say),
            http="h11",  # unlike httptools it has a limit on the head of a request
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
            limit_concurrency=MAX_CONNECTIONS,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=[*proxies, *(f"::ffff:{proxy}" for proxy in proxies if ":" not in proxy)],
            log_level="critical",  # errors of a client go to the client, and those of the server are logged by `Guard`
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=FINISH_SECONDS,
            backlog=BACKLOG,
            lifespan="on",
            ws="none",
        )
        try:
            announce(address_of(listener))
            uvicorn.Server(config).run(sockets=[listener])
        except KeyboardInterrupt:
            return  # Ctrl-C is how a server is stopped


def address_of(listener: socket.socket) -> str:
    """Return the address to open in a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
