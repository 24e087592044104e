"""What is made ready at the start, and what happens where a part of it cannot be."""

from __future__ import annotations

import logging
import threading

import pytest

from oracular.web import warming
from oracular.web.offered import TITLES


@pytest.fixture
def house(server, monkeypatch):
    """A server that has little to make ready."""
    monkeypatch.setattr(warming, "TITLES", {name: TITLES[name] for name in ("jotto-2", "jotto-3", "mastermind-4x6")})
    return server.app.state.house


def test_everything_is_made_ready_and_told(house):
    said = []
    warming.warm_up(house, threading.Event(), said.append)
    assert house.ready and said == ["ready: every game is loaded"]
    assert len(house.board_of("jotto-2").result(120).guessers) == 2


def test_a_game_that_fails_does_not_keep_the_others_from_being_made_ready(house, monkeypatch, caplog):
    made, said = [], []

    def prepare(name):
        if name == "jotto-2":
            raise ZeroDivisionError
        made.append(name)

    monkeypatch.setattr(house.desk, "prepare", prepare)
    with caplog.at_level(logging.ERROR):
        warming.warm_up(house, threading.Event(), said.append)
    assert made == ["jotto-3", "mastermind-4x6"]
    assert house.ready and said == ["ready, but for jotto-2"]
    assert "jotto-2 could not be made ready" in caplog.text


def test_nothing_more_is_made_ready_once_the_server_stops(house):
    stopping, said = threading.Event(), []
    stopping.set()
    warming.warm_up(house, stopping, said.append)
    assert not house.ready and said == []
