"""Browsers before a server in this process, and the moves they make: what the tests of the server share."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from oracular.web.settings import Settings
from oracular.web.store import Store


class Server:
    """A server and the first browser before it; `browser()` opens another one."""

    def __init__(self, app: FastAPI, stack: ExitStack) -> None:
        self.app = app
        self._stack = stack
        self.first = stack.enter_context(TestClient(app, raise_server_exceptions=False))

    def browser(self, address: str = "testclient") -> TestClient:
        """A browser with cookies of its own; the server is already running."""
        browser = TestClient(self.app, raise_server_exceptions=False, client=(address, 1))
        browser.portal = self.first.portal  # the event loop of the server
        return browser

    def record(self, match_id: str) -> dict[str, Any]:
        """What the server keeps of a match."""
        return self.app.state.services.store.get(match_id).record


def begin(
    browser: TestClient, game: str = "jotto-3", mode: str = "guess", word: str | None = None, **more: str
) -> dict[str, Any]:
    """Begin a match and return it."""
    body = {"game": game, "mode": mode} | ({"word": word} if word else {}) | more
    reply = browser.post("/api/matches", json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()


def post(browser: TestClient, match: dict[str, Any], move: str, **body: Any) -> Any:
    return browser.post(f"/api/matches/{match['id']}/{move}", json=body)


def get(browser: TestClient, match: dict[str, Any], what: str = "") -> Any:
    return browser.get(f"/api/matches/{match['id']}{what}")


def error_of(reply: Any) -> str:
    """Return the message of a refused request, which has no other field."""
    assert reply.headers["content-type"] == "application/json"
    sentence = reply.json()["error"]
    assert isinstance(sentence, str) and sentence
    return sentence


PATIENCE = 120.0
"""Seconds after which something is taken never to come: far more than anything takes on a busy machine."""


def until(holds: Callable[[], object]) -> None:
    """Return once something holds; fail if it never does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to pass"
        time.sleep(0.01)


class Clock:
    """Returns the time that it was set to."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def open_store(path: Path, matches: int, idle_seconds: float, clock: Callable[[], float]) -> Store:
    """Return a store in which no browser and no address has a limit of its own."""
    limits = {"max_matches": matches, "max_matches_per_browser": matches, "max_matches_per_address": matches}
    return Store(Settings(database=path, idle_seconds=idle_seconds, clock=clock, **limits))
