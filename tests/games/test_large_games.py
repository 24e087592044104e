"""Games too large for a table of answers are solved, evaluated and played all the same."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

import oracular
from oracular.errors import GameTooLargeError, NotEnoughMemoryError, SettingsError
from oracular.kernels import answers
from oracular.runs import solution as needs
from oracular.runs.solution import needs_of
from oracular.runs.table import figures
from oracular.solvers.exact.equilibrium import ExactEquilibrium
from oracular.system.memory import available_memory, parse_size, size_text


def made_up_words(count: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> list[str]:
    """Return some of the sets of five different letters, as words."""
    words = ["".join(chosen) for chosen in combinations(letters, 5)]
    Random(0).shuffle(words)
    return words[:count]


def test_a_game_too_large_for_a_search_is_refused_before_anything_is_built(monkeypatch):
    monkeypatch.setattr("oracular.games.table.TABLE_LIMIT", 999_999)
    game = oracular.game("jotto-5-repeats-anagrams", words=made_up_words(1000))
    for search in (lambda: oracular.best_response(game, np.ones(1000, np.int64)), lambda: ExactEquilibrium(game)):
        with pytest.raises(GameTooLargeError, match="1,000 guesses and 1,000 secrets, a table of"):
            search()
    assert not {"tokens", "table", "by_secret", "_planes"} & {*vars(game), *vars(game.rules)}


@pytest.fixture
def small_limits(monkeypatch):
    """Limits by which a few hundred words are a large game."""
    for module in (needs, answers):
        monkeypatch.setattr(module, "TABLE_BESIDE_TOKENS", 1000)
    monkeypatch.setattr("oracular.games.game.TABLE_BESIDE_TOKENS", 1000)
    monkeypatch.setattr("oracular.games.table.TABLE_LIMIT", 10_000)
    monkeypatch.setattr("oracular.runs.table.MOST_WORDS_IN_FLOATS", 100)


def test_a_game_too_large_for_its_table_is_solved_like_any_other(small_limits, tmp_path):
    words = made_up_words(300)
    large = oracular.game("jotto-5", words)
    solution = oracular.solve(large, iterations=6, out=tmp_path / "run")
    assert "table" not in vars(large)
    with pytest.raises(GameTooLargeError):
        _ = large.table
    again = oracular.load_run(tmp_path / "run")
    assert again.guarantee == solution.guarantee
    assert figures(again)["words"] == 300
    possible = again.game.narrow(again.game.all_secrets, (0, 1))
    assert 0 <= again.guesser.new_game(np.random.default_rng(0)).guess_at(possible) < 300


def test_it_ends_on_the_bits_that_a_table_gives(small_limits, monkeypatch):
    words = made_up_words(300)
    without = oracular.solve(oracular.game("jotto-5", words), iterations=6)
    monkeypatch.undo()
    with_table = oracular.solve(oracular.game("jotto-5", words), iterations=6)
    assert without.history == with_table.history


def test_needs_are_told_and_too_little_memory_is_refused(jotto, monkeypatch):
    monkeypatch.setattr(needs, "available_memory", lambda: 2 * 10**9)
    wanted = needs_of(jotto(5), None, 10**9)
    assert wanted.engine == "incremental" and wanted.fixed + wanted.cache <= 10**9
    assert "for earlier trees" in wanted.sentence()
    assert needs_of(jotto(5), "scratch", None).cache == 0
    with pytest.raises(NotEnoughMemoryError, match="the memory given allows 100 MB"):
        needs_of(jotto(5), None, 10**8)
    monkeypatch.setattr(needs, "available_memory", lambda: 10**8)
    with pytest.raises(NotEnoughMemoryError, match="100 MB are available"):
        needs_of(jotto(5), None, None)


def test_sizes_are_read_as_people_write_them():
    assert [parse_size(text) for text in ("800MB", "1.5 GB", "12", "1gib")] == [800 * 10**6, 1500 * 10**6, 12, 2**30]
    assert [size_text(size) for size in (1_500_000_000, 20_000_000, 900)] == ["1.5 GB", "20 MB", "1 KB"]
    assert available_memory() > 0
    for text in ("", "many", "1XB", "0", "9" * 400):
        with pytest.raises(SettingsError):
            parse_size(text)


@pytest.mark.slow
def test_fifty_thousand_words_are_solved(tmp_path):
    game = oracular.game("jotto-5", made_up_words(50_000))
    solution = oracular.solve(game, iterations=1, out=tmp_path / "run")
    assert "table" not in vars(game)
    assert solution.standing.self_play <= solution.guarantee < 20
    oracle = solution.guesser.oracles[0]
    depths = oracle.depths()
    for number in range(0, len(game.secrets), 10_000):  # the tree's depths are those of playing it
        state, guesses, reply = game.all_secrets, 0, None
        while reply != game.found:
            guess = np.array([oracle.guess(state)], dtype=np.int32)
            reply = game.answers(guess, np.array([number], dtype=np.int32))[0, 0]
            state = state[game.answers(guess, state)[0] == reply]
            guesses += 1
        assert depths[number] == guesses
