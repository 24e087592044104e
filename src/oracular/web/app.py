"""The application: `create_app(settings)` assembles its parts; `warm_up` loads games once it runs."""

from __future__ import annotations

import hashlib
import logging
import re
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oracular.play.chances import winning_chance
from oracular.play.match import new_match
from oracular.play.titles import DEFAULT_GAME
from oracular.web.advice import AdviceService
from oracular.web.catalogue import TITLES, game_card, listed_matchup
from oracular.web.errors import MESSAGES, RequestError, add_handlers
from oracular.web.guard import Guard
from oracular.web.matches import Matches
from oracular.web.routes import Services, router
from oracular.web.settings import Settings
from oracular.web.store import Store
from oracular.web.workers import WorkerPool

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


def page_routes() -> list[Route]:
    """Return the routes of the page."""
    pages = [Route(address, page_file, methods=["GET"]) for address in ADDRESSES]
    return [*pages, Route("/page/{name}", page_file, methods=["GET"])]


LOG = logging.getLogger("oracular.web")
CACHED_RESULTS = 1024
TINY_GAME = "jotto-2"

DESCRIPTION = """Play guessing games against strong strategies, ask for advice, and look at solved games.

A browser owns the matches that it began, by a cookie; others may watch them. Every error is `{"error": sentence}`."""


def create_app(settings: Settings, say: Callable[[str], None] = lambda text: None) -> FastAPI:
    """Return the application; the database is opened at once, so that an error in it is raised here."""
    store = Store(settings)
    workers = WorkerPool(settings.threads, settings.max_waiting, CACHED_RESULTS, settings.max_waiting_per_browser)
    background = WorkerPool(1, settings.max_waiting, CACHED_RESULTS)
    counter = ThreadPoolExecutor(1, thread_name_prefix="counter")
    services = Services(settings, Matches(store), AdviceService(workers), workers, background, counter)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if settings.warm_up:
            threading.Thread(
                target=warm_up, args=(services, services.stopping, say), name="warm-up", daemon=True
            ).start()
        with called_at_first_signal(services.stop):
            yield
        services.stopping.set()
        background.close()
        workers.close()
        counter.shutdown(wait=False)
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
        routes=list(page_routes()),
    )
    app.state.services = services
    add_handlers(app, missing_page)
    app.include_router(router)
    app.add_middleware(Guard, settings=settings)
    return app


@contextmanager
def called_at_first_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Have `stop` called when the process is told to stop, before the handlers that are set already.

    Later signals are ignored, so that a second Ctrl-C does not end in a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals
        return

    def handle(number: int, frame: FrameType | None) -> None:
        for one in earlier:
            signal.signal(one, signal.SIG_IGN)
        stop()
        handler = earlier[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    earlier = {one: signal.signal(one, handle) for one in (signal.SIGINT, signal.SIGTERM)}
    yield


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
    steps: list[tuple[str, Callable[[str], object]]] = [
        (DEFAULT_GAME, game_card),
        (DEFAULT_GAME, services.advice.prepare),
        *((TINY_GAME, step) for step in (_first_guess, services.advice.prepare, _first_duel)),
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
