"""Servers in this process, each with a database of its own."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from starlette.testclient import TestClient

from oracular.play.match import Match, Mode, Side, new_match
from oracular.play.opponent import Matchup
from oracular.web.app import bound_socket, create_app
from oracular.web.app import serve as serve_until_stopped
from oracular.web.settings import Settings

from browsing import Server, until
from chromium import MEDIA, Visit, missing, running_browser, running_server


@pytest.fixture(autouse=True)
def drawn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the matches of a test drawn alike whenever it runs."""
    seeds = count()

    def drawn(matchup: Matchup, mode: Mode, own: str | None, begins: Side | None = None) -> Match:
        return new_match(matchup, mode, own, np.random.default_rng(next(seeds)), begins=begins)

    monkeypatch.setattr("oracular.web.matches.new_match", drawn)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Give a function that starts a server; `restart=True` stops the one before."""
    stacks: list[ExitStack] = []

    def start(restart: bool = False, **settings: Any) -> Server:
        if restart:
            stacks.pop().close()
        stacks.append(ExitStack())
        given = {"database": tmp_path / "matches.sqlite", "warm_up": False, "runs": tmp_path / "none"} | settings
        return Server(create_app(Settings(**given)), stacks[-1])

    yield start
    for stack in stacks:
        stack.close()


@pytest.fixture
def server(serve: Callable[..., Server]) -> Server:
    return serve()


@pytest.fixture
def browser(server: Server) -> TestClient:
    return server.first


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a server in a process of its own."""
    with running_server(tmp_path_factory.mktemp("server")) as at:
        yield at


@pytest.fixture(scope="module")  # no longer: its event loop would be in the way of other tests
def chromium() -> Iterator[Any]:
    """Give a real browser, or skip and say how to get one."""
    why = missing()
    if why is not None:
        pytest.skip(why)
    with running_browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def left_contexts() -> dict[str, list[Any]]:
    """Give the contexts that visits have left, by what was asked of them."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium: Any, address: str, left_contexts: dict[str, list[Any]]) -> Iterator[Callable[..., Visit]]:
    """Give a function that opens the page in a browser that knows nothing; in the end none may have complained."""
    visits: list[tuple[list[Any], Visit]] = []

    def open_page(**context: Any) -> Visit:
        lasting = {name: value for name, value in context.items() if name not in {"viewport", *MEDIA}}
        alike = left_contexts[repr(lasting)]
        visits.append((alike, Visit(chromium, address, left=alike.pop() if alike else None, **context)))
        return visits[-1][1]

    yield open_page
    complaints = [complaint for _, one in visits for complaint in one.complaints]
    for alike, one in visits:
        alike.append(one.leave())
    assert complaints == []


def _answers(place: tuple[str, int]) -> bool:
    """Return whether a server runs."""
    with closing(HTTPConnection(*place, timeout=60)) as first, suppress(OSError, HTTPException):
        first.request("GET", "/api/health")
        first.getresponse().read()
        return True
    return False


@pytest.fixture
def listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[str, int]]]:
    """Give a function that starts a server on a thread of this process and returns where it listens."""
    begun: list[tuple[uvicorn.Server, threading.Thread]] = []
    made: list[uvicorn.Server] = []

    class Noted(uvicorn.Server):
        def __init__(self, *args: Any, **keywords: Any) -> None:
            super().__init__(*args, **keywords)
            made.append(self)

    monkeypatch.setattr(uvicorn, "Server", Noted)

    def start(host: str = "127.0.0.1", **settings: Any) -> tuple[str, int]:
        given = {"database": tmp_path / "matches.sqlite", "warm_up": False, "runs": tmp_path / "none"} | settings
        listener, announced = bound_socket(host, 0), threading.Event()
        place = "127.0.0.1", listener.getsockname()[1]
        thread = threading.Thread(
            target=serve_until_stopped,
            args=(Settings(**given), listener, lambda address: announced.set(), lambda text: None),
        )
        thread.start()
        assert announced.wait(60)
        until(lambda: _answers(place))
        begun.append((made.pop(), thread))
        return place

    yield start
    for server, thread in begun:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()
