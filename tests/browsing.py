"""Browsers before a server in this process, and the moves they make: what the tests of the server share."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient


class Server:
    """A server and the first browser before it; `browser()` opens another one."""

    def __init__(self, app: FastAPI, stack: ExitStack) -> None:
        self.app = app
        self._stack = stack
        self.first = stack.enter_context(TestClient(app, raise_server_exceptions=False))

    def browser(self) -> TestClient:
        """A browser with cookies of its own; the server is already running."""
        return TestClient(self.app, raise_server_exceptions=False)

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
