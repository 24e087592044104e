"""What every game must hold, whatever its rules."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest

import oracular
from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError
from oracular.strategies.greedy import GreedyEngine

OWN = oracular.Game.from_function(
    [str(number) for number in range(1, 31)],
    [str(number) for number in range(1, 41)],
    lambda guess, secret: "yes" if guess == secret else "higher" if int(secret) > int(guess) else "lower",
    name="number",
)

NAMES = """
    jotto-2 jotto-3 jotto-3-repeats jotto-3-anagrams jotto-3-repeats-anagrams jotto-3-familiar jotto-12 mastermind-1x2
    mastermind-3x4 mastermind-2x12 mastermind-4x6 bulls-3x3 bulls-3x6 bulls-4x7 wordle-2 wordle-3
""".split()

OTHERS = {
    "wordle, own lists": oracular.game("wordle", secrets=["crane", "slate", "abbey"], guesses=["speed", "crane"]),
    "jotto, own words": oracular.game("jotto-3", ["cab", "fix", "hum", "jot", "zed"]),
    "from a function": OWN,
}


@cache
def game_called(name):
    """Return a game, made when a test first asks for it."""
    return OTHERS.get(name) or oracular.game(name)


@pytest.fixture(params=[*NAMES, *OTHERS])
def game(request):
    return game_called(request.param)


def test_each_secret_has_one_guess_that_ends_the_game_and_no_guess_ends_two(game):
    finds = game.table == game.found
    assert (finds.sum(axis=0) == 1).all()
    assert (finds.sum(axis=1) <= 1).all()
    assert finds[game.guess_of_secret, game.all_secrets].all()


def test_the_guess_that_finds_a_secret_is_its_own_text(game):
    assert [game.guesses[guess] for guess in game.guess_of_secret] == list(game.secrets)
    for guess, secret in enumerate(game.secret_of_guess):
        assert secret == -1 or game.secrets[secret] == game.guesses[guess]


def test_words_and_answers_are_all_different(game):
    for texts in (game.secrets, game.guesses, game.labels):
        assert len(set(texts)) == len(texts)
    assert len(game.labels) <= 256
    assert game.table.max() < len(game.labels)
    assert game.table.shape == (len(game.guesses), len(game.secrets))


def test_blocks_of_answers_agree_with_the_table(game):
    rng = np.random.default_rng(0)
    guesses = rng.integers(0, len(game.guesses), 7).astype(np.int32)
    secrets = rng.integers(0, len(game.secrets), 5).astype(np.int32)
    assert (game.answers(guesses, secrets) == game.table[np.ix_(guesses, secrets)]).all()


def test_every_word_and_answer_can_be_written_in_a_history_and_read_back(game):
    guesses = itertools.cycle(range(len(game.guesses)))
    turns = tuple(zip(guesses, range(len(game.labels)), strict=False))
    assert game.parse_history(game.format_history(turns)) == turns


def test_a_history_with_a_word_or_answer_that_does_not_exist_is_refused(game):
    with pytest.raises(HistoryError, match="'nonsense'"):
        game.parse_history(f"nonsense:{game.labels[0]}")
    with pytest.raises(HistoryError, match="'nonsense'"):
        game.parse_history(f"{game.guesses[0]}:nonsense")


def test_a_found_secret_ends_the_game(game):
    with pytest.raises(FinishedGameError):
        game.possible_after([(game.secrets[0], game.labels[game.found])])


def test_answers_that_no_secret_gives_together_are_inconsistent(game):
    guess = int(game.guess_of_secret[0])
    given = set(game.table[guess]) - {game.found}
    missing = set(range(len(game.labels))) - set(game.table[guess])
    if missing:
        with pytest.raises(InconsistentHistoryError):
            game.possible_after([(game.guesses[guess], game.labels[min(missing)])])
    if len(given) > 1:
        first, second = sorted(given)[:2]
        with pytest.raises(InconsistentHistoryError, match="contradicts"):
            game.possible_after([(game.guesses[guess], game.labels[first]), (game.guesses[guess], game.labels[second])])


@pytest.mark.parametrize("ties", ["first", "possible"])
def test_the_greedy_guesser_finds_every_secret(game, ties):
    depths = GreedyEngine(game, ties).depths(np.ones(len(game.secrets), dtype=np.int64))
    assert depths.min() >= 1
    assert depths.max() <= len(game.secrets)


def test_the_symmetries_it_names_leave_its_table_as_it_is(game):
    for symmetry in game.symmetries:
        assert symmetry.holds_in(game.table)
        assert not (symmetry.secrets == game.all_secrets).all(), "a symmetry that moves nothing is none"


def test_it_can_be_solved_kept_reopened_evaluated_and_played(game, tmp_path):
    from oracular.runs.table import figures

    solution = oracular.solve(game, iterations=3, out=tmp_path / "run", resources=oracular.Resources(threads=1))
    again = oracular.load_run(tmp_path / "run", game)
    assert again.guarantee == solution.guarantee
    assert all(value is not None for key, value in figures(again).items() if key != "letters")
    assert solution.guesser.new_game(np.random.default_rng(0)).guess() in game.guesses


@pytest.mark.parametrize("name", ["jotto-3-repeats", "mastermind-3x4", "bulls-3x6", "wordle-3", "wordle, own lists"])
def test_a_named_game_reopens_by_itself(name, tmp_path):
    oracular.solve(game_called(name), iterations=1, out=tmp_path / "run")
    assert oracular.load_run(tmp_path / "run").game.words_sha256 == game_called(name).words_sha256


def test_a_game_of_ones_own_reopens_from_python_with_the_game(tmp_path):
    oracular.solve(OWN, iterations=1, out=tmp_path / "run")
    with pytest.raises(oracular.OracularError, match="open it from Python with that game"):
        oracular.load_run(tmp_path / "run")
    other = oracular.Game.from_function(OWN.secrets, OWN.guesses, lambda g, s: g == s, name="number")
    with pytest.raises(oracular.OracularError, match="other answers"):
        oracular.load_run(tmp_path / "run", other)


def test_numbers_are_found_by_halving():
    depths = GreedyEngine(OWN, "possible").depths(np.ones(30, dtype=np.int64))
    assert depths.max() == math.ceil(math.log2(31))
