"""What is loaded at the start, and what happens where a part of it fails."""

from __future__ import annotations

import logging
import threading

import pytest

from oracular.web import app
from oracular.web.catalogue import TITLES


@pytest.fixture
def services(server, monkeypatch):
    """Give the services of a server that has little to load."""
    monkeypatch.setattr(app, "TITLES", {name: TITLES[name] for name in ("jotto-2", "jotto-3", "mastermind-4x6")})
    return server.app.state.services


def test_everything_is_loaded_and_reported(services):
    said = []
    app.warm_up(services, threading.Event(), said.append)
    assert services.ready and said == ["ready: the games are loaded"]
    assert len(services.leaderboard("jotto-2").result(120).guessers) == 2


def test_a_game_that_fails_does_not_keep_the_others_from_being_loaded(services, monkeypatch, caplog):
    made, said = [], []

    def prepare(name):
        if name == "jotto-2":
            raise ZeroDivisionError
        made.append(name)

    monkeypatch.setattr(services.advice, "prepare", prepare)
    with caplog.at_level(logging.ERROR):
        app.warm_up(services, threading.Event(), said.append)
    assert made == ["jotto-3", "mastermind-4x6"]
    assert services.ready and said == ["ready, but for jotto-2"]
    assert "jotto-2 could not be made ready" in caplog.text


def test_nothing_more_is_loaded_once_the_server_stops(services):
    stopping, said = threading.Event(), []
    stopping.set()
    app.warm_up(services, stopping, said.append)
    assert not services.ready and said == []
