"""The application: `create_app(settings)` assembles its parts."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from oracular.web.advice import AdviceService
from oracular.web.errors import add_handlers
from oracular.web.guard import Guard
from oracular.web.matches import Matches
from oracular.web.pages import missing_page, page_routes
from oracular.web.routes import Services, router
from oracular.web.settings import Settings
from oracular.web.store import Store
from oracular.web.warmup import warm_up
from oracular.web.workers import WorkerPool

CACHED_RESULTS = 1024

DESCRIPTION = """Play guessing games against strategies near equilibrium, ask for advice, and look at solved games.

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
        stopping = threading.Event()
        if settings.warm_up:
            threading.Thread(target=warm_up, args=(services, stopping, say), name="warm-up", daemon=True).start()
        yield
        stopping.set()
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
