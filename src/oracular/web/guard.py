"""What stands at the door: limits on what comes in, headers on what goes out.

- A body that is too long, too slow or no JSON is turned away before anything reads it, whether or not its length was
  announced. One that breaks off is dropped.
- A request that would change something must come from a page of this server: browsers say where a request comes from.
- Every reply carries headers that keep other sites and old browsers' guesses out.
- An error that nobody foresaw is told in the form of all others, and its trace goes to the log.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oracular.web.refusals import Refusal, refusal
from oracular.web.settings import Settings

LOG = logging.getLogger("oracular.web")
SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])

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


class Guard:
    """Wraps an application: checks each request and completes each reply."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or turn it away."""
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
                return  # who sent it is gone, and half a request is none
            await self._app(scope, _replay(body, receive), send_with_headers)
        except Refusal as error:
            await refusal(error.status, error.sentence)(scope, receive, send_with_headers)
        except Exception as error:
            trace = "".join(traceback.format_tb(error.__traceback__))  # without its message, which may quote a secret
            LOG.error("%s %s failed: %s\n%s", scope["method"], _route(scope), type(error).__name__, trace)
            if started:
                raise
            sentence = "something went wrong in the server, and was noted: try again"
            await refusal(500, sentence)(scope, receive, send_with_headers)


def _route(scope: Scope) -> str:
    """Return which kind of address was asked for, without what a person put into it."""
    return str(getattr(scope.get("route"), "path", "an address"))


def _check_source(scope: Scope, settings: Settings) -> None:
    """Turn a request away that another site's page sent, or that names another server."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if settings.hosts and _name(host) not in settings.hosts and host not in settings.hosts:
        raise Refusal(403, "the request names another server: use the address that the server printed when it started")
    if scope["method"] in SAFE_METHODS:
        return
    origin = headers.get("origin")
    if origin is not None and not _is_own(origin, f"{scope.get('scheme', 'http')}://{host}", settings):
        raise Refusal(403, "the request comes from another site's page: play on this server's own page")
    if origin is None and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "the request comes from another site's page: play on this server's own page")


def _is_own(origin: str, asked: str, settings: Settings) -> bool:
    """Tell whether a page comes from this server.

    By the name of an origin it was told of the server is reached through a proxy, which may not say by which scheme: so
    there no other page is its own, whatever the request looks like here.

    Args:
        origin: where the page comes from.
        asked: where the request goes, seen from here.
        settings: how the server is set up.
    """
    page, here, told = _place(origin), _place(asked), [_place(known) for known in settings.origins]
    if page is None:
        return False
    passed_on = here is not None and any(known is not None and known[1] == here[1] for known in told)
    return page in told or (page == here and not passed_on)


def _place(origin: str) -> tuple[str, str, int] | None:
    """Return the scheme, the name and the port of an origin, or None where it has none."""
    try:
        parts = urlsplit(origin)
        port = {"http": 80, "https": 443}.get(parts.scheme) if parts.port is None else parts.port
    except ValueError:
        return None
    whole = f"{parts.scheme}://{parts.netloc}".lower()
    if parts.hostname is None or port is None or "@" in whole or origin.lower() != whole:
        return None
    return parts.scheme, parts.hostname, port


def _name(host: str) -> str:
    """Return a host without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _whole_body(scope: Scope, receive: Receive, settings: Settings) -> bytes | None:
    """Return the body of a request, or None where it breaks off; turn it away once it is too long or too slow."""
    headers = Headers(scope=scope)
    too_long = Refusal(413, f"the body is too long: send at most {settings.most_bytes:,} bytes")
    announced = headers.get("content-length", "0")
    if not (announced.isascii() and announced.isdigit()) or len(announced) > 18 or int(announced) > settings.most_bytes:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(settings.seconds_for_a_body):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                if len(body) > settings.most_bytes:
                    raise too_long
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        raise Refusal(408, "the body took too long to arrive: send it again") from None
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and scope["method"] not in SAFE_METHODS and kind != "application/json":
        raise Refusal(415, "the body is not marked as JSON: send it with Content-Type: application/json")
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a channel that gives the body first, and then what else comes."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
