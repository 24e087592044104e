"""Who sends a request, and middleware that checks every request and completes every reply.

- A body that is too long, too slow or not JSON is refused before the application reads it, whether or not it has a
  `Content-Length`. A request that breaks off is dropped.
- A request that would change something must come from a page of this server, by its `Origin` or `Sec-Fetch-Site`.
- Every reply gets headers that keep other sites out and stop browsers from guessing types.
- A request that still waits when the server has to end is refused.
- An unexpected error is answered in the form of all others, and its traceback is logged.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import traceback
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oracular.web.errors import RequestError, error_response
from oracular.web.settings import Settings

LOG = logging.getLogger("oracular.web")
_SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


_STOPPING = "the server is being stopped: try again when it is back"
_NETWORK_BITS = 64
"""How many leading bits of an IPv6 address name a household's network; the household chooses the rest freely."""


class Visitor(NamedTuple):
    """The sender of a request.

    Attributes:
        token: the token in the browser's cookie; nothing proves that the server made it.
        address: the address of the browser, as `address_group` gives it; None if it is not known.
        moves: whether the request is a move, which is counted apart from questions.
    """

    token: str | None
    address: str | None
    moves: bool = False


def visitor_of(client: tuple[str, int] | None, token: str | None, settings: Settings) -> Visitor:
    """Return the sender of a request."""
    if client is None or not settings.knows_addresses:
        return Visitor(token, None)
    return Visitor(token, address_group(client[0]))


def normal_address(address: str) -> str:
    """Return an IP address in its usual form; an IPv4 address that is mapped into IPv6 becomes the IPv4 address."""
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return address
    mapped = read.ipv4_mapped if isinstance(read, ipaddress.IPv6Address) else None
    return str(read if mapped is None else mapped)


def address_group(address: str) -> str:
    """Return what limits per address count an address as: an IPv6 address as its network, any other as itself."""
    address = normal_address(address)
    try:
        return str(ipaddress.ip_network((int(ipaddress.IPv6Address(address)), _NETWORK_BITS), strict=False))
    except ValueError:
        return address


class Guard:
    """ASGI middleware that checks each request and completes each reply."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            _check_source(scope, self._settings)
            body = await _whole_body(scope, receive, self._settings)
            if body is None:
                return  # the client is gone
            await self._app(scope, _replay(body, receive), send_with_headers)
        except RequestError as error:
            await error_response(error.status, error.message)(scope, receive, send_with_headers)
        except asyncio.CancelledError:
            if not started:
                await error_response(503, _STOPPING, {"Retry-After": "60"})(scope, receive, send_with_headers)
            raise
        except Exception as error:
            trace = "".join(traceback.format_tb(error.__traceback__))  # without the message, which may quote a secret
            route = getattr(scope.get("route"), "path", "an address")  # without its values, which may be private
            LOG.error("%s %s failed: %s\n%s", scope["method"], route, type(error).__name__, trace)
            if started:
                raise
            message = "something went wrong in the server, and was logged: try again"
            await error_response(500, message)(scope, receive, send_with_headers)


def _check_source(scope: Scope, settings: Settings) -> None:
    """Raise a 403 error for a request to another host name, or one that the page of another site sent."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if settings.hosts and _host_name(host) not in settings.hosts and host not in settings.hosts:
        message = "the request names another server: use the address that the server printed when it started"
        raise RequestError(403, message)
    if scope["method"] in _SAFE_METHODS:
        return
    origin = headers.get("origin")
    if origin is None:
        is_own = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    else:
        is_own = _is_own_origin(origin, f"{scope.get('scheme', 'http')}://{host}", settings)
    if not is_own:
        raise RequestError(403, "the request comes from another site's page: play on this server's own page")


def _is_own_origin(origin: str, target: str, settings: Settings) -> bool:
    """Return whether a page comes from this server.

    Where the host of the target is that of a configured origin, a proxy passed the request on, and the target's scheme
    may not be the one that the browser used. Then only the configured origins count.
    """
    page, own = _parse_origin(origin), _parse_origin(target)
    if page is None:
        return False
    configured = [_parse_origin(known) for known in settings.origins]
    via_proxy = own is not None and any(known is not None and known[1] == own[1] for known in configured)
    return page in configured or (page == own and not via_proxy)


def _parse_origin(origin: str) -> tuple[str, str, int] | None:
    """Return the scheme, the host name and the port of an origin, or None where it is none."""
    try:
        parts = urlsplit(origin)
        port = {"http": 80, "https": 443}.get(parts.scheme) if parts.port is None else parts.port
    except ValueError:
        return None
    whole = f"{parts.scheme}://{parts.netloc}".lower()
    if parts.hostname is None or port is None or "@" in whole or origin.lower() != whole:
        return None
    return parts.scheme, parts.hostname, port


def _host_name(host: str) -> str:
    """Return a `Host` header without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _whole_body(scope: Scope, receive: Receive, settings: Settings) -> bytes | None:
    """Return the body of a request, or None where it breaks off; raise an error once it is too long or too slow."""
    headers = Headers(scope=scope)
    too_long = RequestError(413, f"the body is too long: send at most {settings.max_body_bytes:,} bytes")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()) or len(length) > 18 or int(length) > settings.max_body_bytes:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                if len(body) > settings.max_body_bytes:
                    raise too_long
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        raise RequestError(408, "the body took too long to arrive: send it again") from None
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and scope["method"] not in _SAFE_METHODS and media_type != "application/json":
        raise RequestError(415, "the body is not marked as JSON: send it with Content-Type: application/json")
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` function that gives the body first, and then whatever else comes."""
    replayed = False

    async def receive_again() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
