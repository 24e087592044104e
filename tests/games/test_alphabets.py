"""Words of more than 26 different letters: what is solved with them, and proved of them, is as of any other words."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Game, Hider
from oracular.errors import WordListError
from oracular.games.jotto import jotto
from oracular.games.wordle import wordle
from oracular.search.letters import LetterSearch

LETTERS = "abcdefghijklmnopqrstuvwxyz" + "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґўџљњ"


def words_of(letters: str, count: int) -> tuple[str, ...]:
    """Return words of three letters in which every letter occurs."""
    rng = random.Random(5)
    shuffled = rng.sample(letters, len(letters))
    words = {"".join(shuffled[place : place + 3]) for place in range(0, len(letters) - 2, 3)} | {letters[-3:]}
    while len(words) < count:
        words.add("".join(rng.sample(letters, 3)))
    return tuple(sorted(words))


@pytest.fixture(scope="module")
def game() -> Game:
    """Return a game with 64 letters."""
    assert len(set(LETTERS[:64])) == 64
    return jotto("3", {"words": words_of(LETTERS[:64], 60)})


def by_hand(game: Game) -> Game:
    """Return the same game by a function of two words, which has no letters to the package."""
    return Game.from_function(game.secrets, game.guesses, lambda guess, secret: str(len({*guess} & {*secret})))


def test_answers_are_the_letters_in_common(game: Game) -> None:
    common = [[len({*guess} & {*secret}) for secret in game.secrets] for guess in game.guesses]
    assert len(game.secrets) > 50 and np.array_equal(game.table, common)
    assert game.tokens is not None and len(np.unique(game.tokens)) == 64


def test_best_responses_are_those_of_the_same_game_without_letters(game: Game) -> None:
    other = by_hand(game)
    for weights in (np.ones(len(game.secrets), np.int64), np.arange(1, len(game.secrets) + 1)):
        response = oracular.best_response(game, weights, time_limit=120)
        assert response.proved and response.upper == oracular.best_response(other, weights, time_limit=120).upper
        greedy = oracular.GreedyOracle.against(Hider(game, weights))
        assert np.array_equal(greedy.depths(), oracular.GreedyOracle.against(Hider(other, weights)).depths())


def test_bounds_by_letters_hold(game: Game) -> None:
    hider = oracular.hider_uniform(game)
    search = LetterSearch(hider)
    for opening in range(0, len(game.guesses), 7):
        best = oracular.best_response(game, hider, opening=opening).upper * hider.total
        assert search.opening_bound(opening, 4, 1 << 40, lambda: None).total <= best


def test_it_is_solved_certified_and_advised(game: Game, tmp_path) -> None:
    solution = oracular.solve(game, iterations=30, out=tmp_path / "run")
    bounds = oracular.certify(tmp_path / "run", time_limit=20)
    assert Fraction(2) < bounds.lower <= bounds.upper == solution.guarantee
    assert oracular.load_run(tmp_path / "run").game.secrets == game.secrets
    secret = game.secrets[-1]
    answer = game.labels[game.table[0, len(game.secrets) - 1]]
    advice = oracular.advise(game, f"{game.guesses[0]}:{answer}")
    assert secret in advice.words and advice.suggestions


def test_more_letters_are_refused_and_colours_take_any() -> None:
    with pytest.raises(WordListError, match="more than 64 different letters"):
        jotto("3", {"words": words_of(LETTERS, 60)})
    words = words_of(LETTERS[20:60], 30)
    colours = wordle("3", {"secrets": words, "guesses": words})
    assert colours.table.shape == (len(words), len(words))
    assert colours.rules.answer_to_words("абв", "бвг") == colours.rules.answer_to_words("abc", "bcd")
