"""What is loaded at the start, and what happens where a part of it fails."""

from __future__ import annotations

import logging
import threading

import pytest

from oracular.play.wording import DEFAULT_GAME
from oracular.web import advice, app, catalogue
from oracular.web.catalogue import TITLES


@pytest.fixture
def services(server, monkeypatch):
    """Give the services of a server that has little to load."""
    monkeypatch.setattr(app, "TITLES", {name: TITLES[name] for name in ("jotto-2", "jotto-3", "mastermind-4x6")})
    monkeypatch.setattr(app, "DEFAULT_GAME", "jotto-3")
    return server.app.state.services


def test_everything_is_loaded_and_reported(services):
    said = []
    app.warm_up(services, threading.Event(), said.append)
    assert services.ready and said == ["ready"]


def test_a_duel_is_made_ready_whoever_begins(monkeypatch):
    begun = []
    monkeypatch.setattr(app, "winning_chance", begun.append)
    app._first_duel("jotto-2")
    assert [match.starter for match in begun] == ["you"]
    kept = vars(catalogue.listed_matchup("jotto-2").hiding)
    assert {"duel_half_True", "duel_half_False"} <= set(kept)


def test_a_game_that_fails_does_not_keep_the_others_from_being_loaded(services, monkeypatch, caplog):
    made, said = [], []

    def prepare(name):
        if name == "jotto-3":
            raise ZeroDivisionError
        made.append(name)

    monkeypatch.setattr(advice, "prepare", lambda workers, name: prepare(name))
    with caplog.at_level(logging.ERROR):
        app.warm_up(services, threading.Event(), said.append)
    assert made == ["jotto-2"]
    assert services.ready and said == ["ready, but for jotto-3"]
    assert "jotto-3 could not be made ready" in caplog.text


def test_nothing_more_is_loaded_once_the_server_stops(services):
    stopping, said = threading.Event(), []
    stopping.set()
    app.warm_up(services, stopping, said.append)
    assert not services.ready and said == []


def test_only_the_game_that_a_newcomer_gets_and_a_tiny_one_are_made_ready(server, monkeypatch):
    services, made = server.app.state.services, []
    monkeypatch.setattr(app, "game_card", lambda name: made.append(name) or catalogue.game_card(name))
    monkeypatch.setattr(app, "_first_guess", lambda name: made.append(f"guess in {name}"))
    monkeypatch.setattr(advice, "prepare", lambda workers, name: made.append(f"advice on {name}"))
    monkeypatch.setattr(app, "_first_duel", lambda name: made.append(f"duel in {name}"))
    app.warm_up(services, threading.Event(), lambda text: None)
    assert made[0] == DEFAULT_GAME and set(TITLES) <= set(made)
    others = [one for one in made if one not in TITLES]
    assert others == [f"advice on {DEFAULT_GAME}", "guess in jotto-2", "advice on jotto-2", "duel in jotto-2"]
