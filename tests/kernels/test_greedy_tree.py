"""The compiled engine does what the slow twin does, to the last guess, on any game and any number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import GreedyOracle
from oracular.errors import SettingsError, WordListError
from oracular.kernels.answers import Answers, answers_of
from oracular.kernels.greedy.objective import objective_of
from oracular.kernels.greedy.tree import TreeBuilder
from oracular.responses.greedy import GreedyEngine
from oracular.system.control import Deadline, DeadlinePassed

import exact_twin
from how_many import examples
from random_games import game_of_table, random_games, weights_for


def tree_depths(answers: Answers, weights: np.ndarray, ties: int, lanes: int = 1) -> np.ndarray:
    """Return the depths of the greedy tree."""
    return TreeBuilder.on(answers, lanes).depths(objective_of(answers, weights, ties))


@examples(80, 300)
@given(data=st.data(), ties=st.sampled_from(["first", "possible"]))
def test_the_engine_builds_the_same_tree_as_its_slow_twin(data, ties):
    game = data.draw(random_games())
    weights = data.draw(weights_for(game))
    expected = exact_twin.depths(game.table.tolist(), game.found, weights.tolist(), ties)
    assert GreedyEngine(game, ties).depths(weights).tolist() == expected


@examples(80, 300)
@given(data=st.data(), ties=st.sampled_from(["first", "possible"]))
def test_the_oracle_makes_the_same_guess_at_any_state_as_its_slow_twin(data, ties):
    game = data.draw(random_games())
    weights = data.draw(weights_for(game))
    possible = sorted(data.draw(st.sets(st.sampled_from(range(len(game.secrets))), min_size=1)))
    expected = exact_twin.best_guess(game.table.tolist(), game.found, weights.tolist(), possible, ties)
    oracle = GreedyOracle(GreedyEngine(game, ties), weights)
    assert oracle.guess(np.array(possible, dtype=np.int32)) == expected


@pytest.mark.parametrize("ties", ["first", "possible"])
def test_the_engine_agrees_with_its_twin_on_three_letter_jotto(jotto, ties):
    game = jotto(3)
    weights = np.random.default_rng(3).integers(0, 50, len(game.secrets))
    expected = exact_twin.depths(game.table.tolist(), game.found, weights.tolist(), ties)
    assert GreedyEngine(game, ties).depths(weights).tolist() == expected


@pytest.mark.parametrize(
    ("letters", "first", "possible"),
    [(2, 338, 318), (3, 3199, 2995), (4, 10105, 9487), (5, 20054, 18952)],
)
def test_a_uniform_hider_is_found_in_the_known_number_of_guesses(jotto, letters, first, possible):
    game = jotto(letters)
    uniform = np.ones(len(game.secrets), dtype=np.int64)
    assert GreedyEngine(game, "first").depths(uniform).sum() == first
    assert GreedyEngine(game, "possible").depths(uniform).sum() == possible


@pytest.mark.parametrize("ties", [0, 1])
def test_threads_never_change_a_bit(jotto, ties):
    game = jotto(5)
    answers = answers_of(game)
    rng = np.random.default_rng(11)
    for _ in range(5):
        weights = rng.integers(0, 1 << 20, len(game.secrets))
        trees = [tree_depths(answers, weights, ties, threads) for threads in (1, 2, 3, 7)]
        assert all((tree == trees[0]).all() for tree in trees)


def test_an_engine_with_threads_agrees_with_one_without(jotto):
    game = jotto(5)
    alone, together = GreedyEngine(game), GreedyEngine(game, threads=3)
    rng = np.random.default_rng(5)
    for _ in range(4):
        weights = rng.integers(0, 1000, len(game.secrets))
        assert (alone.depths(weights) == together.depths(weights)).all()


@pytest.mark.parametrize("ties", ["first", "possible"])
def test_games_of_many_answers_and_many_guesses_are_scored_alike(ties):
    rng = np.random.default_rng(4)
    secrets, guesses, answers = 60, 600, 90  # more than one block of guesses, more answers than are added up one by one
    table = rng.integers(1, answers, (guesses, secrets))
    table[:, ::2] = table[:, :1]  # so that answers repeat
    table[np.arange(secrets) * 7, np.arange(secrets)] = 0
    game = game_of_table(table.tolist(), answers, 0)
    weights = rng.integers(0, 9, secrets)
    expected = exact_twin.depths(table.tolist(), 0, weights.tolist(), ties)
    assert GreedyEngine(game, ties).depths(weights).tolist() == expected


def test_several_threads_may_build_trees_at_once(jotto):
    engine = GreedyEngine(jotto(4), threads=3)
    weights = np.random.default_rng(6).integers(0, 1000, len(jotto(4).secrets))
    with ThreadPoolExecutor(2) as pool:
        elsewhere = list(pool.map(engine.depths, [weights, weights]))
    assert all((tree == engine.depths(weights)).all() for tree in elsewhere)


def test_secrets_that_no_guess_tells_apart_are_told_of():
    engine = GreedyEngine(game_of_table([[0, 1, 1, 2], [1, 0, 2, 2], [1, 2, 0, 2], [2, 2, 2, 0]], 3, 0))
    vars(engine)["answers"] = engine.answers._replace(by_secret=np.ones((4, 4), dtype=np.uint8))
    with pytest.raises(SettingsError, match="no guess tells apart"):
        engine.depths(np.ones(4, dtype=np.int64))


def raised() -> Deadline:
    """Return a deadline whose flag is raised already."""
    deadline = Deadline()
    vars(deadline)["flag"] = np.ones(1, dtype=np.uint8)
    return deadline


@pytest.mark.parametrize("threads", [1, 2])
def test_a_tree_is_given_up_once_the_flag_is_raised_and_the_next_is_right(jotto, threads):
    game = jotto(4)
    engine = GreedyEngine(game, threads=threads)
    weights = np.arange(1, len(game.secrets) + 1)
    expected, opening = engine.depths(weights), engine.guess(weights, game.all_secrets)
    with pytest.raises(DeadlinePassed):
        engine.depths(weights, raised())
    with pytest.raises(DeadlinePassed):
        engine.guess(weights, game.all_secrets, raised())
    assert np.array_equal(engine.depths(weights), expected)
    assert engine.guess(weights, game.all_secrets) == opening


def test_what_the_kernels_know_of_a_game_is_not_worked_out_after_the_deadline(jotto):
    engine = GreedyEngine(jotto(3))
    with pytest.raises(DeadlinePassed):
        engine.depths(np.ones(421, dtype=np.int64), Deadline(0.0))
    assert engine.depths(np.ones(421, dtype=np.int64)).sum() == 3199


def test_weights_scaled_up_give_the_same_tree(jotto):
    game = jotto(3)
    weights = np.random.default_rng(8).integers(0, 9, len(game.secrets))
    engine = GreedyEngine(game)
    assert (engine.depths(weights) == engine.depths(weights << 30)).all()


def test_weights_too_large_for_exact_sums_are_refused(jotto):
    game = jotto(2)
    with pytest.raises(SettingsError, match="scale them down"):
        GreedyEngine(game).depths(np.full(51, 1 << 60, dtype=np.int64))


@pytest.mark.parametrize("ties", ["first", "possible"])
def test_the_depths_below_the_parts_of_a_state_are_those_of_the_whole_tree(jotto, ties):
    game = jotto(4)
    weights = np.arange(1, len(game.secrets) + 1)
    oracle = GreedyOracle(GreedyEngine(game, ties), weights)
    whole = oracle.depths()
    opening = oracle.guess(game.all_secrets)
    for answer in range(game.found):
        part = game.narrow(game.all_secrets, (opening, answer))
        if len(part):
            assert np.array_equal(oracle.engine.depths_from(weights, part) + 1, whole[part])


@examples(30, 60)
@given(data=st.data(), ties=st.sampled_from([0, 1]), variant=st.sampled_from(["", "-repeats", "-anagrams"]))
def test_words_without_a_table_are_played_as_with_one(data, ties, variant):
    letters = data.draw(st.integers(1, 9))
    word = st.text("abcdefghij" if not variant.startswith("-r") else "abcd", min_size=letters, max_size=letters)
    words = data.draw(st.lists(word, min_size=1, max_size=90, unique=True))
    try:
        game = oracular.game(f"jotto-{letters}{variant}", words)
    except WordListError:
        return
    weights = data.draw(weights_for(game))
    without = answers_of(game, table_limit=0)
    assert without.by_secret.size == 0
    expected = exact_twin.depths(game.table.tolist(), game.found, weights.tolist(), ["first", "possible"][ties])
    assert tree_depths(without, weights, ties).tolist() == expected
    assert tree_depths(answers_of(game), weights, ties).tolist() == expected


@pytest.mark.parametrize("name", ["jotto-3", "jotto-4-repeats-anagrams", "jotto-6", "jotto-8-anagrams"])
def test_longer_lists_without_a_table_are_played_as_with_one(name):
    game = oracular.game(name)
    game = oracular.game(name, game.guesses[:: max(1, len(game.guesses) // 700)])
    weights = np.random.default_rng(12).integers(0, 1 << 20, len(game.secrets))
    for ties in (0, 1):
        with_table, without = answers_of(game), answers_of(game, table_limit=0)
        assert np.array_equal(tree_depths(with_table, weights, ties), tree_depths(without, weights, ties))
