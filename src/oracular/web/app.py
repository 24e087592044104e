"""The application: `create_app(settings)` puts routes, page, limits and headers together."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from oracular.web.advice import AdviceDesk
from oracular.web.guard import Guard
from oracular.web.matches import Matches
from oracular.web.pages import missing_page, page_routes
from oracular.web.refusals import add_handlers
from oracular.web.routes import House, router
from oracular.web.settings import Settings
from oracular.web.store import Store
from oracular.web.thinking import Thinker
from oracular.web.warming import warm_up

ADVICE_KEPT = 1024
LEAST_SHARE = 500
"""So many matches one address may have however small the house is."""

DESCRIPTION = """Play guessing games against strategies near equilibrium, ask for advice, and look at solved games.

A browser owns the matches that it began, by a cookie; others may watch them. Every refusal is `{"error": sentence}`."""


def create_app(settings: Settings, say: Callable[[str], None] = lambda text: None) -> FastAPI:
    """Return the application; the database is opened now, so that what is wrong with it is told at once.

    Args:
        settings: how the server is set up.
        say: takes a line for whoever started the server.
    """
    share = max(LEAST_SHARE, settings.most_matches // 5)
    store = Store(
        settings.database,
        settings.most_matches,
        settings.rest,
        settings.clock,
        settings.most_matches_a_browser,
        share if settings.most_matches_an_address is None else settings.most_matches_an_address,
    )
    thinker = Thinker(settings.threads, settings.most_waiting, ADVICE_KEPT, settings.most_waiting_a_browser)
    background = Thinker(1, settings.most_waiting, ADVICE_KEPT)
    counter = ThreadPoolExecutor(1, thread_name_prefix="counting")
    house = House(settings, Matches(store), AdviceDesk(thinker), thinker, background, counter)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        stopping = threading.Event()
        if settings.warm_up:
            threading.Thread(target=warm_up, args=(house, stopping, say), name="warming", daemon=True).start()
        yield
        stopping.set()
        background.close()
        thinker.close()
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
    app.state.house = house
    add_handlers(app, missing_page)
    app.include_router(router)
    app.add_middleware(Guard, settings=settings)
    return app
