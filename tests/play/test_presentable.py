"""The computer neither hides nor guesses nor suggests words that offend, where it has another."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular import GreedyOracle, Hider, advise, hider_uniform, review
from oracular.games.offensive import is_offensive
from oracular.play.deductions import answer_to
from oracular.play.match import new_match
from oracular.play.opponent import Opponent, matchup, matchup_by_name, presentable_guess
from oracular.strategies.race import product_mix
from oracular.strategies.tree import tree_of

WORDS = ["shit", "fuck", "boat", "lynx"]


@pytest.fixture
def rude():
    """A small game in which half of the words offend; there the computer guesses the first that is possible."""
    game = oracular.game("jotto-4", words=WORDS)

    class First:
        def guess_at(self, possible, demand=0):
            return int(game.guess_of_secret[possible[0]])

    class Guesser:
        oracles = ("one", "another")

        def new_game(self, rng):
            return First()

    hider = hider_uniform(game)
    return Opponent(game, hider, Guesser(), False, "", "")


def test_a_secret_that_offends_is_sampled_but_not_drawn(rude):
    rng = np.random.default_rng(0)
    hider = Hider(rude.game, [{"boat": 3, "lynx": 1}.get(word, 50) for word in rude.game.secrets])
    drawn = [hider.draw(rng) for _ in range(2000)]
    assert set(drawn) == {"boat", "lynx"} and drawn.count("boat") / 2000 == pytest.approx(0.75, abs=0.04)
    sampled = [hider.sample(rng) for _ in range(2000)]
    assert set(sampled) == set(WORDS) and sampled.count("shit") / 2000 == pytest.approx(50 / 104, abs=0.04)
    only = Hider(rude.game, [int(word == "shit") for word in rude.game.secrets])
    assert only.draw(rng) == "shit"  # this strategy has no other


def test_a_race_draws_no_secret_that_offends_and_samples_all(rude):
    mix = product_mix(rude.game, np.array([1, 1, 1, 1]), [tree_of(GreedyOracle.against(rude.hider))], np.array([1]))
    rng = np.random.default_rng(0)
    assert {mix.draw(rng).secret for _ in range(50)} == {"boat", "lynx"}
    assert {mix.sample(rng).secret for _ in range(50)} == set(WORDS)


def test_a_match_never_hides_such_a_word():
    game = matchup(oracular.game("jotto-4", words=WORDS))
    drawn = {new_match(game, "guess", rng=np.random.default_rng(seed)).secret for seed in range(40)}
    assert drawn == {"boat", "lynx"}


def test_the_computer_guesses_another_word_while_that_tells_anything(rude):
    game = rude.game
    guesses = game.guesses
    assert guesses[presentable_guess(game, rude.guesser, game.all_secrets, 1)] == "boat"  # the first that is possible
    rest = np.array(sorted(game.secrets.index(word) for word in ("fuck", "lynx", "shit")), dtype=np.int32)
    assert guesses[presentable_guess(game, rude.guesser, rest, 1)] in ("boat", "lynx")
    last = np.array([game.secrets.index("shit")], dtype=np.int32)
    assert (
        guesses[presentable_guess(game, rude.guesser, last, 1)] == "shit"
    )  # the person's own word: nothing else is left


@pytest.mark.parametrize("name", ["jotto-3", "jotto-4-familiar"])
def test_guesses_of_whole_matches_do_not_offend_though_strategies_hold_such_words(name):
    played = matchup_by_name(name)
    game = played.guessing.game
    assert any(is_offensive(word) for word in game.guesses)
    for number, secret in enumerate([word for word in game.secrets if not is_offensive(word)][::60]):
        match = new_match(played, "hide", rng=np.random.default_rng(number))
        while match.result is None:
            assert not is_offensive(match.pending)
            match = match.answer(answer_to(game, match.pending, secret))
        assert match.result == "found" and match.computers[-1][0] == secret


def test_advice_and_reviews_name_only_words_that_do_not_offend():
    words = ["abet", "boat", "cunt", "shit", "lynx"]
    game = oracular.game("jotto-4", words=words)
    advice = advise(game)
    assert set(advice.words) == {"abet", "boat", "lynx"} and advice.left == 5
    assert {one.guess for one in advice.suggestions} <= {"abet", "boat", "lynx"}
    assert any(one.possible for one in advice.suggestions)
    result = review(game, "lynx:0", secret="abet")
    assert not any(is_offensive(turn.best) for turn in result.turns)
    rest = advise(game, "lynx:0 boat:1")  # shit is all that is left
    assert (rest.left, rest.words) == (1, ())  # not listed, yet there is nothing else to suggest
    assert [(one.guess, one.possible, one.expected) for one in rest.suggestions] == [("shit", True, 1.0)]
