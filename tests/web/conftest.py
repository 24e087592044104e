"""Servers in this process, each with a database of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from oracular.web.app import create_app
from oracular.web.settings import Settings

from browsing import Server


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
