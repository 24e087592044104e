"""Which games are the same, and that nothing is kept that a caller could still change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import oracular
from oracular import Game, Hider, Mixture, Symmetry
from oracular.errors import RunError, SettingsError
from oracular.games.guessing import ONLY_POSSIBLE
from oracular.play.adviser import adviser_for, fingerprint
from oracular.play.opponent import opponent

WORDS = ("a", "b", "c", "d")


def like(answer, name="own"):
    """A game of four words with these answers."""
    return Game.from_function(WORDS, WORDS, answer, name=name)


def order(guess, secret):
    return "=" if guess == secret else "<" if guess < secret else ">"


def nothing(guess, secret):
    return "=" if guess == secret else "no"


def uniform(game):
    return Hider(game, np.ones(len(game.secrets), dtype=np.int64))


def test_a_game_made_twice_is_the_same():
    assert like(order).is_same(like(order))
    assert like(order).identity == like(order).identity
    assert oracular.game("jotto-2").is_same(oracular.game("jotto-2"))


def test_another_name_other_words_answers_or_labels_make_another_game():
    game = like(order)
    labels = {"=": "yes", "<": "below", ">": "above"}
    words = ("a", "b", "c", "e")
    others = [
        like(order, "other"),
        like(nothing),
        like(lambda guess, secret: labels[order(guess, secret)]),
        Game.from_function(words, words, order),
    ]
    assert not any(game.is_same(other) for other in others)


def test_another_rule_of_guessing_makes_another_game():
    free, strict = (Game.from_function(("a", "b"), ("a", "b"), order, only_possible=only) for only in (False, True))
    assert not free.is_same(strict) and strict.is_same(strict)
    assert not oracular.game("wordle-hard").is_same(oracular.game("wordle"))


def test_a_hider_of_a_game_with_other_answers_is_refused():
    game, other = like(order), like(nothing)
    oracle = oracular.GreedyOracle.against(uniform(other))
    with pytest.raises(SettingsError, match="give one of the same game"):
        oracular.best_response(game, uniform(other))
    with pytest.raises(SettingsError, match="give one of the same game"):
        adviser_for(game, uniform(other))
    with pytest.raises(SettingsError, match="give two of one game"):
        oracular.payoff(uniform(game), oracle)
    assert fingerprint(uniform(game), 0) != fingerprint(uniform(other), 0)


def test_a_game_of_ones_own_is_not_taken_for_the_shipped_one_of_its_name():
    shipped = oracular.game("jotto-2")
    own = Game.from_function(shipped.secrets, shipped.guesses, nothing, name="jotto-2")
    assert opponent(shipped).shipped
    facing = opponent(own)
    assert not facing.shipped
    assert facing.game is own


def test_what_is_given_out_cannot_be_changed():
    game = like(order)
    hider = uniform(game)
    mixture = Mixture([oracular.GreedyOracle.against(hider)], [1])
    symmetry = Symmetry(np.arange(4, dtype=np.int32), np.arange(4, dtype=np.int32))
    for array in (hider.weights, mixture.depth_totals, symmetry.secrets, symmetry.guesses, game.table):
        with pytest.raises(ValueError, match="read-only"):
            array.reshape(-1)[0] = 7


def strict_like(answer):
    """The game of these answers and the same name, in which only what may be the secret may be guessed."""
    return replace(like(answer), guessing=ONLY_POSSIBLE)


def test_a_run_of_another_rule_of_guessing_is_not_taken_up(tmp_path):
    oracular.solve(strict_like(order), iterations=2, out=tmp_path / "run")
    assert oracular.load_run(tmp_path / "run", strict_like(order)).game.guessing.rule == "possible"
    with pytest.raises(RunError, match="another rule of guessing"):
        oracular.load_run(tmp_path / "run", like(order))
