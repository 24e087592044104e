"""Servers in this process, each with a database of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from oracular.play.match import Match, Mode, new_match
from oracular.play.opponent import Table
from oracular.web.app import create_app
from oracular.web.settings import Settings

from browsing import Server
from chromium import Visit, missing, running_browser, running_server


@pytest.fixture(autouse=True)
def drawn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the matches of a test drawn alike whenever it runs."""
    seeds = count()

    def drawn(table: Table, mode: Mode, own: str | None) -> Match:
        return new_match(table, mode, own, np.random.default_rng(next(seeds)))

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


@pytest.fixture(scope="module")
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


@pytest.fixture
def visit(chromium: Any, address: str) -> Iterator[Callable[..., Visit]]:
    """Give a function that opens the page in a fresh browser; in the end none of them may have complained."""
    visits: list[Visit] = []

    def open_page(**context: Any) -> Visit:
        visits.append(Visit(chromium, address, **context))
        return visits[-1]

    yield open_page
    complaints = [complaint for one in visits for complaint in one.complaints]
    for one in visits:
        one.close()
    assert complaints == []
