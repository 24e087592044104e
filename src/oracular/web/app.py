"""The application and how it is served until the process is told to stop.

`create_app(settings)` assembles its parts, `warm_up` loads games once it runs, `serve` runs it at an address.
"""

from __future__ import annotations

import errno
import hashlib
import ipaddress
import logging
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oracular.errors import SettingsError
from oracular.play.duel_review import winning_chance
from oracular.play.match import new_match
from oracular.play.wording import DEFAULT_GAME
from oracular.system.files import quoted
from oracular.system.memory import return_freed_arrays
from oracular.web import advice
from oracular.web.guard import MESSAGES, Guard, RequestError, WorkerPool, add_handlers, normal_address
from oracular.web.matches import TITLES, game_card, listed_matchup
from oracular.web.routes import Services, router
from oracular.web.settings import Settings
from oracular.web.store import Store

FOLDER = Path(__file__).parent / "page"
ADDRESSES = ("/", "/match/{match_id}", "/solved", "/solved/{game}", "/suggest")
FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", flags=re.ASCII)
MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Set here, since the machine's own table could name types with which browsers refuse to run the page."""


def page_file(request: Request) -> Response:
    """Return a file of the page, or status 304 where the browser has it already."""
    name = request.path_params.get("name", "index.html")
    path = FOLDER / name
    if FILE_NAME.fullmatch(name) is None or not path.is_file():
        raise RequestError(404, MESSAGES[404])
    content = path.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=MEDIA_TYPES.get(path.suffix, "application/octet-stream"))


def missing_page(request: Request) -> Response | None:
    """Return the page with status 404 for a person at an address that does not exist; None for a program."""
    asked_for_data = request.url.path.lstrip("/").partition("/")[0] in ("api", "page")
    if asked_for_data or request.method not in ("GET", "HEAD"):
        return None
    return Response((FOLDER / "index.html").read_bytes(), 404, media_type=MEDIA_TYPES[".html"])


LOG = logging.getLogger("oracular.web")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
FINISH_SECONDS = 5
"""How long clients have, once the server stops, to send the rest of a request and to read their replies."""

MAX_CONNECTIONS = 500
"""How many connections may be open before requests are refused; fewer than the files that a process may open."""

BACKLOG = 128
"""How many connections may wait to be accepted."""

TINY_GAME = "jotto-2"

DESCRIPTION = """Play guessing games against strong strategies, ask for advice, and look at solved games.

A browser owns the matches that it began, by a cookie; others may watch them. Every error is `{"error": sentence}`."""


def create_app(settings: Settings, say: Callable[[str], None] = lambda text: None) -> FastAPI:
    """Return the application; the database is opened at once, so that an error in it is raised here."""
    store = Store(settings)
    workers = WorkerPool(settings.threads, settings.max_waiting_per_browser, settings.max_waiting_per_address)
    background = ThreadPoolExecutor(1, thread_name_prefix="background")
    services = Services(settings, store, workers, background)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        stopping = threading.Event()
        if settings.warm_up:
            threading.Thread(target=warm_up, args=(services, stopping, say), name="warm-up", daemon=True).start()
        yield
        stopping.set()
        background.shutdown(wait=False, cancel_futures=True)
        await run_in_threadpool(workers.close)  # meanwhile those who still wait hear that the server ends
        background.shutdown()
        store.close()

    app = FastAPI(
        title="oracular",
        version=version("oracular"),
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        routes=[Route(address, page_file, methods=["GET"]) for address in (*ADDRESSES, "/page/{name}")],
    )
    app.state.services = services
    add_handlers(app, missing_page)
    app.include_router(router)
    app.add_middleware(Guard, settings=settings)
    return app


def _first_guess(name: str) -> None:
    new_match(listed_matchup(name), "hide")


def _first_duel(name: str) -> None:
    """Begin a duel in both roles; the computer works out a move in one, and the person's chance in the other."""
    matchup = listed_matchup(name)
    word = matchup.guessing.game.secrets[0]
    new_match(matchup, "duel", word, begins="computer")
    winning_chance(new_match(matchup, "duel", word, begins="you"))


def warm_up(services: Services, stopping: threading.Event, say: Callable[[str], None]) -> None:
    """Load compiled code and describe the games; what fails is logged and left to those who ask for it.

    Compiled code is loaded by playing a tiny game. The tables and strategies of the others are loaded when somebody
    asks for them: together they would take gigabytes, and none takes more than a second or two.

    It runs in the background once the server runs: compiled code takes seconds to load, and minutes to compile where
    the package is new on a machine. A request that comes earlier waits only for what it needs.
    """
    first_advice = partial(advice.prepare, services.workers)
    steps: list[tuple[str, Callable[[str], object]]] = [
        (DEFAULT_GAME, game_card),
        (DEFAULT_GAME, first_advice),
        *((TINY_GAME, step) for step in (_first_guess, first_advice, _first_duel)),
        *((name, game_card) for name in TITLES),
    ]
    failed: dict[str, None] = {}
    for name, step in steps:
        if name in failed:
            continue
        if stopping.is_set():
            return
        try:
            step(name)
        except Exception:
            if stopping.is_set():
                return
            LOG.exception("%s could not be made ready", name)
            failed[name] = None
    services.ready = True
    say(f"ready, but for {', '.join(failed)}" if failed else "ready")


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
            http="h11",  # unlike httptools it has a limit on the head of a request: 64 KiB
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
