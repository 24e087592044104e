"""What the server refuses: middleware for every request, errors as replies, and worker threads that visitors share.

The middleware (`Guard`):

- A body that is too long, too slow or not JSON is refused before the application reads it, whether or not it has a
  `Content-Length`. A request that breaks off is dropped.
- A request that would change something must come from a page of this server, by its `Origin` or `Sec-Fetch-Site`.
- Every reply gets headers that keep other sites out and stop browsers from guessing types.
- A request that still waits when the server has to end is refused.
- An unexpected error is answered like any other, and its traceback is logged.

Every refused request is answered with a status and `{"error": sentence}`. One exception: a person who opens an address
that doesn't exist gets the page, which says so.

Advice and moves in duels run on the threads of a `WorkerPool`; the compiled kernels release Python's lock, so other
requests are answered meanwhile. No visitor can block the others: at most as many jobs of one visitor, or of one
address, run at once as there are threads, further ones queue, and a queue that is too long is refused.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import traceback
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oracular.errors import MoveError, OracularError, UnknownGameError
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


MAX_MESSAGE = 300
NOT_JSON = "the body is not valid JSON: send an object as described"

MESSAGES = {
    404: "there is nothing at this address: see /api/openapi.json for what there is",
    405: "this address does not take this kind of request: see /api/openapi.json for what it takes",
}


class RequestError(Exception):
    """A request that is refused.

    Attributes:
        retry_after: after how many seconds to try again, for the statuses 429 and 503.
        details: further fields of the reply.
    """

    def __init__(self, status: int, message: str, retry_after: int = 60, **details: Any) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.details = details


def error_response(status: int, message: str, headers: dict[str, str] | None = None, **details: Any) -> JSONResponse:
    """Return the reply to a request that is refused."""
    plain = message.encode("utf-8", "replace").decode()  # a lone surrogate, quoted from the input, cannot be sent
    shown = plain if len(plain) <= MAX_MESSAGE else f"{plain[:MAX_MESSAGE]}…"
    return JSONResponse({"error": shown, **details}, status, headers=headers)


def add_handlers(app: FastAPI, missing_page: Callable[[Request], Response | None]) -> None:
    """Have every exception that FastAPI handles answered with `error_response`.

    `missing_page` returns the page for a person at an address that does not exist, or None for a program.
    """

    @app.exception_handler(RequestError)
    async def _refused(_: Request, error: RequestError) -> JSONResponse:
        headers = {"Retry-After": str(error.retry_after)} if error.status in (429, 503) else None
        return error_response(error.status, error.message, headers, **error.details)

    @app.exception_handler(OracularError)
    async def _bad_input(_: Request, error: OracularError) -> JSONResponse:
        status = 409 if isinstance(error, MoveError) else 404 if isinstance(error, UnknownGameError) else 422
        return error_response(status, str(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        page = missing_page(request) if error.status_code == 404 else None
        if page is not None:
            return page
        if error.status_code == 400:  # FastAPI's status for a body that cannot be parsed at all
            return error_response(422, NOT_JSON)
        headers = dict(error.headers) if error.headers else None
        return error_response(error.status_code, MESSAGES.get(error.status_code, str(error.detail)), headers)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(422, _validation_message(error))


def _validation_message(error: RequestValidationError) -> str:
    """Return what is wrong with a body, in one sentence that names the field."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return NOT_JSON
    where = ".".join(str(part) for part in first["loc"][1:])
    reason = str(first["msg"]).removeprefix("Value error, ")
    reason = reason[:1].lower() + reason[1:]
    return f"{where or 'the body'}: {reason}: see /api/openapi.json for what this address takes"


T = TypeVar("T")

_CACHED = 1024
_RETRY_SECONDS = 2
"""When to ask again for what was refused."""


class WorkerPool:
    """A pool of threads that visitors take turns at, and a cache of the latest results; for use on one event loop."""

    def __init__(self, threads: int, max_waiting_per_browser: int, max_waiting_per_address: int) -> None:
        self._threads = threads
        self._most = (max_waiting_per_browser + threads, max_waiting_per_address + threads)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="worker")
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._running: dict[Hashable, asyncio.Future[Any]] = {}
        self._asked: Counter[Hashable] = Counter()
        self._turns: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @property
    def asked(self) -> int:
        """How many requests wait for a result or for their turn."""
        return sum(count for who, count in self._asked.items() if isinstance(who, Visitor))

    def remember(self, key: Hashable, result: object) -> None:
        """Add a result to the cache."""
        self._results[key] = result
        while len(self._results) > _CACHED:
            self._results.popitem(last=False)

    async def advise(self, key: Hashable, work: Callable[[], T], visitor: Visitor) -> T:
        """Return the result of some work, which is cached; equal keys must mean equal work."""
        if key not in self._results:
            async with self._turn(visitor, "ask for too much advice"):
                if key not in self._results:
                    self.remember(key, await self._done(key, work))
                return self._known(key)
        return self._known(key)

    def _known(self, key: Hashable) -> Any:
        self._results.move_to_end(key)
        return self._results[key]

    async def move(self, work: Callable[[], T], visitor: Visitor) -> T:
        """Return the result of a move in a match; moves and advice of a visitor do not wait for each other."""
        async with self._turn(visitor._replace(moves=True), "make too many moves"):
            return await self._done(object(), work)

    def close(self) -> None:
        """Begin no more work, and wait for the end of the work that has begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def _done(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the result of work that begins now, or that has begun already under the same key."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = asyncio.get_running_loop().run_in_executor(self._pool, work)
            running.add_done_callback(partial(self._end, key))
        return await asyncio.shield(running)  # somebody who breaks off does not end what others may wait for

    def _end(self, key: Hashable, done: asyncio.Future[Any]) -> None:
        del self._running[key]
        if not done.cancelled():
            done.exception()  # or asyncio logs one that nobody waits for any more

    @asynccontextmanager
    async def _turn(self, visitor: Visitor, what: str) -> AsyncIterator[None]:
        """Wait for the turn of a visitor, then for that of the visitor's address; raise an error if too many wait."""
        places: list[tuple[Hashable, int]] = [(visitor, self._most[0])]
        if visitor.address is not None:
            places.append(((visitor.address, visitor.moves), self._most[1]))
        if any(self._asked[who] >= most for who, most in places):
            raise RequestError(429, f"you {what} at once: try again in a moment", retry_after=_RETRY_SECONDS)
        async with AsyncExitStack() as stack:
            for who, _ in places:
                self._asked[who] += 1
                stack.callback(self._leave, who)
            for who, _ in places:
                turns = self._turns.setdefault(who, asyncio.Semaphore(self._threads))
                await stack.enter_async_context(turns)
            yield

    def _leave(self, who: Hashable) -> None:
        self._asked[who] -= 1
        if not self._asked[who]:
            del self._asked[who]
