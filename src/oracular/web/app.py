"""The application: `create_app(settings)` assembles its parts; `warm_up` loads games once it runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from oracular.play.chances import winning_chance
from oracular.play.match import new_match
from oracular.play.titles import DEFAULT_GAME
from oracular.web.advice import AdviceService
from oracular.web.catalogue import TITLES, game_card, listed_matchup
from oracular.web.errors import add_handlers
from oracular.web.guard import Guard
from oracular.web.matches import Matches
from oracular.web.pages import missing_page, page_routes
from oracular.web.routes import Services, router
from oracular.web.settings import Settings
from oracular.web.store import Store
from oracular.web.workers import WorkerPool

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
