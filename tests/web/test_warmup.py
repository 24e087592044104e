"""What is loaded at the start, and what happens if a part of it fails."""

from __future__ import annotations

import pytest

from oracular.web import advice, app, matches
from oracular.web.matches import TITLES

from browsing import until


@pytest.fixture
def loaded(serve, monkeypatch):
    """Give a function that starts a server with few games and returns it once all is loaded."""
    monkeypatch.setattr(app, "TITLES", {name: TITLES[name] for name in ("jotto-2", "jotto-3", "mastermind-4x6")})
    monkeypatch.setattr(app, "DEFAULT_GAME", "jotto-3")

    def start():
        server = serve(warm_up=True)
        until(lambda: server.first.get("/api/health").json()["ready"])
        return server

    return start


def test_cards_duels_and_the_advice_that_a_newcomer_gets_are_made_ready(loaded, monkeypatch):
    made = []
    monkeypatch.setattr(app, "game_card", lambda name: made.append(name) or matches.game_card(name))
    browser = loaded().first
    assert set(made) == {"jotto-2", "jotto-3", "mastermind-4x6"}
    assert {"duel_half_True", "duel_half_False"} <= set(vars(matches.listed_matchup("jotto-2").hiding))
    monkeypatch.setattr(advice, "advise", lambda *_: pytest.fail("worked out again"))
    for name in ("jotto-2", "jotto-3"):
        assert browser.post("/api/suggest", json={"game": name, "hider": "shipped"}).status_code == 200
