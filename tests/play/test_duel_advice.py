"""A duel is advised and reviewed as its secret was drawn, and goes without chances where the game is large."""

from __future__ import annotations

import numpy as np
import pytest

from oracular import game
from oracular.errors import MoveError
from oracular.play import opponent
from oracular.play.duel import duel_half
from oracular.play.duel_review import duel_review_of, winning_chance
from oracular.play.match import new_match
from oracular.play.opponent import matchup, matchup_by_name

WORDS = ["cat", "act", "dog", "fix", "hen", "pup", "sun", "jet"]


def test_a_large_game_is_played_without_chances(monkeypatch):
    """Nothing of the model is built, which would take minutes."""
    pair = matchup(game("jotto-3", words=WORDS))
    assert pair.may_be_valued and "watches both sides" in pair.description("duel")
    monkeypatch.setattr(opponent, "LARGEST_VALUED", len(pair.guessing.game.secrets) ** 2 - 1)
    monkeypatch.setattr("oracular.play.duel_model.duel_model", lambda _: pytest.fail("it was built"))
    match = new_match(pair, "duel", own="fix", rng=np.random.default_rng(0), begins="computer")
    assert len(match.computers) == 1 and "as if it were alone" in pair.description("duel")
    with pytest.raises(MoveError, match="jotto-3 is too large for an estimate of the chance to win: play on"):
        winning_chance(match)
    for word in ("dog", "sun", "hen", "jet", "pup", "cat", "fix"):
        match = match if match.result else match.guess(word)
    assert match.result in ("you", "computer") and duel_review_of(match) is None


@pytest.mark.parametrize("begins", ["you", "computer"])
def test_hints_and_reviews_assume_the_secret_as_it_was_drawn(begins):
    pair = matchup_by_name("jotto-3")
    match = new_match(pair, "duel", own="fix", rng=np.random.default_rng(0), begins=begins)
    drawn = duel_half(pair.hiding, begins=begins == "computer").hider
    assert match.main_half[0].hider is drawn
    assert new_match(pair, "guess", rng=np.random.default_rng(0)).main_half[0].hider is pair.hiding.hider
