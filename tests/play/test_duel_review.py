"""A duel is reviewed by the person's chance before and after each guess, and its turning point is named."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oracular.errors import HistoryError
from oracular.play.duel_review import DuelReview, DuelTurn, chance_words, recorded_duel, review_duel, turning_point
from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name

DUEL = {"yours": "cab:0 jet:1 yen:3", "theirs": "red:0 fob:1", "secret": "yen", "own": "fix"}
"""A duel of three letters that the one who began won."""


def turns_of(*chances: float, margin: float = 0.02) -> list[DuelTurn]:
    """Return turns, one side after the other, between which the chance was this."""
    sides = ("you", "computer") * len(chances)
    return [DuelTurn(sides[at], "fog", "0", chances[at], chances[at + 1], margin) for at in range(len(chances) - 1)]


def test_the_turning_point_is_what_helped_the_winner_most():
    turns = turns_of(0.5, 0.2, 0.6, 0.5, 1.0)
    assert [turning_point(turns, result) for result in ("you", "computer", "given up")] == [1, 0, 3]
    assert turning_point([], "given up") is None and turning_point(turns_of(0.5, 0.52, 0.5), "given up") is None
    ended = turns_of(0.5, 0.52, 0.5, 1.0)  # the guess that ended it counts only where no other changed much
    assert [turning_point(ended, result) for result in ("you", "computer")] == [2, None]
    review = DuelReview(turns, 0, 0.018)
    assert review.turning_sentence == "The turning point was your guess 1, FOG: your chance fell from 50% to 20%."
    assert "2 percentage points" in review.note
    assert DuelReview(turns, None, 0.018).turning_sentence == "There was no single turning point."


def test_what_is_not_certain_is_never_called_so():
    said = [chance_words(chance) for chance in (0, 0.001, 0.0149, 0.5, 0.991, 0.999, 1)]
    assert said == ["0%", "less than 1%", "1%", "50%", "more than 99%", "more than 99%", "100%"]


def test_each_chance_is_from_what_the_person_knew_then():
    match = recorded_duel(matchup_by_name("jotto-3"), **{**DUEL, "yours": "cab:0 jet:1 yen:3"})
    assert (match.starter, match.result) == ("you", "you")
    review = review_duel(match)
    assert [turn.side for turn in review.turns] == ["you", "computer", "you", "computer", "you"]
    assert [turn.before for turn in review.turns[1:]] == [turn.after for turn in review.turns[:-1]]
    assert review.turns[-1].after == 1 and 0 < review.margin < 0.05
    open_match = new_match(match.matchup, "duel", "fix", np.random.default_rng(0), begins="you")
    assert review_duel(open_match).turns == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"begins": "computer"}, "3 guesses of yours and 2 of the other side are not by turns"),
        ({"theirs": "red:0"}, "not by turns"),
        ({"theirs": "red:0 fix:3"}, "not by turns"),
        ({"theirs": "red:0 fob:2"}, "'fob:2' does not fit the secret 'fix'"),
        ({"secret": "hen"}, "does not fit the secret 'hen'"),
        ({"own": "zzz"}, "'zzz'"),
    ],
)
def test_a_duel_that_cannot_have_been_is_refused(changed, why):
    with pytest.raises(HistoryError, match=why):
        recorded_duel(matchup_by_name("jotto-3"), **DUEL | changed)


def test_the_command_line_reviews_a_duel(oracular):
    asked = ["review", "jotto-3", *DUEL["yours"].split(), "--secret", "yen"]
    shown = oracular(*asked, "--own", "fix", "--theirs", DUEL["theirs"])
    assert shown.code == 0 and "Your chance to win, before and after each guess:" in shown.out
    sentence = review_duel(recorded_duel(matchup_by_name("jotto-3"), **DUEL)).turning_sentence
    assert "The turning point was" in sentence and sentence in " ".join(shown.out.split())
    told = json.loads(oracular(*asked, "--own", "fix", "--theirs", DUEL["theirs"], "--json").out)
    assert len(told["duel"]["turns"]) == 5 and told["duel"]["turning_sentence"] == sentence
    assert "duel" not in json.loads(oracular(*asked, "--json").out)
    refused = oracular(*asked, "--own", "fix")
    assert refused.code == 2 and "give --own and --theirs" in refused.err
