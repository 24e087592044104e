"""Trees that start from earlier ones are those that are built from scratch, to the last bit, whatever is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular.kernels.answers import answers_of
from oracular.responses.greedy import GreedyEngine, IncrementalTrees
from oracular.solvers.fictitious_play import UNIT, add_best_responses, best_responses
from oracular.system.control import Deadline, DeadlinePassed

import exact_twin
from how_many import examples
from random_games import game_of_table, random_games

MEMORIES = [0, 400, 1000, 4000, 1_000_000]


@examples(50, 150)
@given(data=st.data(), ties=st.sampled_from(["first", "possible"]), memory=st.sampled_from(MEMORIES))
def test_any_row_of_weights_gives_the_trees_of_the_slow_twin(data, ties, memory):
    game = data.draw(random_games())
    trees = IncrementalTrees(GreedyEngine(game, ties), memory)
    weights = np.zeros(len(game.secrets), dtype=np.int64)
    changes = st.lists(st.tuples(st.integers(0, len(weights) - 1), st.integers(-2, 3)), min_size=0, max_size=3)
    for _ in range(data.draw(st.integers(2, 12))):
        for secret, more in data.draw(changes):
            weights[secret] = max(0, weights[secret] + more)  # down again too, and to zero: all is possible
        expected = exact_twin.depths(game.table.tolist(), game.found, weights.tolist(), ties)
        assert trees.depths(weights).tolist() == expected


def larger_game(rng: np.random.Generator, secrets: int, guesses: int, answers: int) -> oracular.Game:
    table = rng.integers(1, answers, (guesses, secrets))
    table[rng.permutation(guesses)[:secrets], np.arange(secrets)] = 0
    return game_of_table(table.tolist(), answers, 0)


@pytest.mark.parametrize("ties", ["first", "possible"])
@pytest.mark.parametrize("memory", [3000, 60_000, 3_000_000])
@pytest.mark.parametrize("answers", [3, 6, 40])
def test_many_trees_of_random_games_are_those_from_scratch(ties, memory, answers):
    rng = np.random.default_rng(answers)
    game = larger_game(rng, 150, 170, answers)
    engine = GreedyEngine(game, ties)
    trees = IncrementalTrees(engine, memory)
    weights = np.zeros(150, dtype=np.int64)
    for step in range(120):
        weights[rng.integers(0, 150, rng.integers(1, 4))] += rng.integers(0, 5)
        if step % 40 == 39:
            weights[rng.random(150) < 0.7] = 0
        assert np.array_equal(trees.depths(weights), engine.depths(weights))


def play(game: oracular.Game, ties: str, memory: int, iterations: int, threads: int = 1) -> IncrementalTrees:
    """Play fictitious play, each tree compared with the one from scratch."""
    engine = GreedyEngine(game, ties, threads)
    trees = IncrementalTrees(engine, memory)
    secrets = len(game.secrets)
    weights = np.full(secrets, UNIT // secrets, dtype=np.int64)
    totals = np.zeros(secrets, dtype=np.int64)
    for iteration in range(iterations):
        if iteration:
            add_best_responses(weights, best_responses(totals))
        depths = trees.depths(weights)
        assert np.array_equal(depths, engine.depths(weights)), iteration
        totals += depths
    return trees


@pytest.mark.parametrize("ties", ["first", "possible"])
@pytest.mark.parametrize("memory", [0, 200_000, 10**8])
def test_hundreds_of_iterations_of_three_letters_are_those_from_scratch(jotto, ties, memory):
    trees = play(jotto(3), ties, memory, 250)
    states, _, lists = trees.kept()
    assert (states > 0) == (memory > 0)
    assert memory < 10**8 or (states > 1000 and lists > 10)


@pytest.mark.parametrize("ties", ["first", "possible"])
def test_iterations_of_four_letters_are_those_from_scratch(jotto, ties):
    play(jotto(4), ties, 2_000_000, 30, 2)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["first", "possible"])
@pytest.mark.parametrize(("letters", "iterations"), [(4, 700), (5, 250)])
def test_hundreds_of_iterations_of_longer_words_are_those_from_scratch(jotto, ties, letters, iterations):
    play(jotto(letters), ties, 300_000_000, iterations, 2)


def test_without_a_table_they_are_the_same(jotto):
    game = jotto(3)
    engine, rng = GreedyEngine(game), np.random.default_rng(2)
    without = GreedyEngine(game)
    vars(without)["answers"] = answers_of(game, table_limit=0)
    trees = IncrementalTrees(without, 10**7)
    weights = np.ones(421, dtype=np.int64)
    for _ in range(60):
        weights[rng.integers(0, 421, 2)] += 50
        assert np.array_equal(trees.depths(weights), engine.depths(weights))


def test_long_words_that_are_scored_from_the_table_have_true_lists():
    words = oracular.game("jotto-7").guesses
    trees = play(oracular.game("jotto-7", words[:: len(words) // 400]), "first", 10**7, 60)
    assert trees.kept()[2] > 0


def test_several_threads_may_build_trees_at_once(jotto):
    engine = GreedyEngine(jotto(3), threads=2)
    trees = IncrementalTrees(engine, 10**7)
    rng = np.random.default_rng(6)
    rows = [rng.integers(0, 1000, 421) for _ in range(6)]
    with ThreadPoolExecutor(2) as pool:
        for weights, depths in zip(rows, pool.map(trees.depths, rows), strict=True):
            assert np.array_equal(depths, engine.depths(weights))


def when_found(trees: IncrementalTrees, secret: int) -> Deadline:
    """Return a deadline whose flag the tree itself raises: it is the depth of a secret, 0 until that is found."""
    depths = trees._builder.growth.depths
    depths[secret] = 0
    deadline = Deadline()
    vars(deadline)["flag"] = depths[secret : secret + 1].view(np.uint8)[:1]
    return deadline


@pytest.mark.parametrize("ties", ["first", "possible"])
@pytest.mark.parametrize("memory", [0, 100_000, 10**8])
def test_after_a_tree_that_was_given_up_the_next_is_the_one_from_scratch(jotto, ties, memory):
    game, rng, given_up = jotto(3), np.random.default_rng(7), 0
    engine = GreedyEngine(game, ties)
    trees = IncrementalTrees(engine, memory)
    weights = np.ones(421, dtype=np.int64)
    for _ in range(120):
        weights[rng.integers(0, 421, 3)] += rng.integers(0, 40)
        try:
            trees.depths(weights, when_found(trees, int(rng.integers(0, 421))))
        except DeadlinePassed:
            given_up += 1
            weights[rng.integers(0, 421, rng.integers(0, 3))] += 7
        assert np.array_equal(trees.depths(weights), engine.depths(weights))
    assert given_up > 60


def test_a_flag_that_is_raised_while_threads_share_a_level_is_seen(jotto, monkeypatch):
    import oracular.kernels.greedy.tree as kernel

    engine, rng = GreedyEngine(jotto(5), threads=2), np.random.default_rng(3)
    trees = IncrementalTrees(engine)
    shared, deadline = kernel.on_lanes, Deadline()
    vars(deadline)["flag"] = np.zeros(1, dtype=np.uint8)

    def raised_midway(lanes, work):
        work(1)
        deadline.flag[0] = 1
        work(0)

    for _ in range(3):
        weights = rng.integers(1, 1000, len(jotto(5).secrets))
        deadline.flag[0] = 0
        monkeypatch.setattr(kernel, "on_lanes", raised_midway)
        with pytest.raises(DeadlinePassed):
            trees.depths(weights, deadline)
        monkeypatch.setattr(kernel, "on_lanes", shared)
        assert np.array_equal(trees.depths(weights), engine.depths(weights))
