"""Greedy trees are those of a slow twin, to the last guess: from scratch or from earlier trees, on any threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Game, GreedyOracle, guesser_gbr_uniform
from oracular.errors import SettingsError, WordListError
from oracular.kernels.answers import answers_of
from oracular.solvers.fictitious_play import UNIT, add_best_responses, best_responses
from oracular.strategies.greedy import GreedyEngine, IncrementalTrees
from oracular.strategies.tree import tree_of
from oracular.system.control import Deadline, DeadlinePassed

import exact_twin
from how_many import examples
from random_games import game_of_table, random_games, weights_for
from ruled_twin import assert_legal, greedy_guess, random_ruled_game, random_weights

MEMORIES = [0, 400, 1000, 4000, 1_000_000]
TIES = ("first", "possible")

both_ties = pytest.mark.parametrize("ties", TIES)


def twin_depths(game: Game, weights: np.ndarray, ties: str) -> list[int]:
    return exact_twin.depths(game.table.tolist(), game.found, weights.tolist(), ties)


def without_table(game: Game, ties: str = "first") -> GreedyEngine:
    """Return an engine that works answers out from letters, as in a list too long for a table."""
    engine = GreedyEngine(game, ties)
    vars(engine)["answers"] = answers_of(game, table_limit=0)
    assert engine.answers.by_secret.size == 0
    return engine


@examples(80, 300)
@given(data=st.data(), ties=st.sampled_from(TIES), memory=st.sampled_from(MEMORIES))
def test_any_row_of_weights_gives_the_trees_and_guesses_of_the_slow_twin(data, ties, memory):
    game = data.draw(random_games())
    engine = GreedyEngine(game, ties)
    trees, weights = IncrementalTrees(engine, memory), data.draw(weights_for(game))
    changes = st.lists(st.tuples(st.integers(0, len(weights) - 1), st.integers(-2, 3)), min_size=0, max_size=3)
    for _ in range(data.draw(st.integers(1, 10))):
        expected = twin_depths(game, weights, ties)
        assert trees.depths(weights).tolist() == engine.depths(weights).tolist() == expected
        for secret, more in data.draw(changes):
            weights[secret] = max(0, weights[secret] + more)  # down again too, and to zero: all is possible
    possible = sorted(data.draw(st.sets(st.sampled_from(range(len(game.secrets))), min_size=1)))
    expected = exact_twin.best_guess(game.table.tolist(), game.found, weights.tolist(), possible, ties)
    assert GreedyOracle(engine, weights).guess(np.array(possible, dtype=np.int32)) == expected


@both_ties
@pytest.mark.parametrize("seed", range(12))
def test_with_a_rule_of_guessing_trees_are_those_of_a_plain_program(seed, ties):
    game, weights = random_ruled_game(seed, secrets=12, guesses=20), random_weights(seed, 12)
    expected = assert_legal(
        game, lambda state, turns: greedy_guess(game, weights.tolist(), state, frozenset(turns), ties)
    )
    engine = GreedyEngine(game, ties)
    oracle = GreedyOracle(engine, weights)
    assert engine.depths(weights).tolist() == IncrementalTrees(engine).depths(weights).tolist() == expected
    assert tree_of(oracle).depths().tolist() == expected
    asked = assert_legal(
        game, lambda state, turns: oracle.guess(np.array(state, dtype=np.int32), game.demand_after(turns))
    )
    assert asked == expected


@pytest.mark.parametrize(
    ("letters", "first", "possible"), [(2, 338, 318), (3, 3199, 2995), (4, 10105, 9487), (5, 20054, 18952)]
)
def test_a_uniform_hider_is_found_in_the_known_number_of_guesses(jotto, letters, first, possible):
    assert [guesser_gbr_uniform(jotto(letters), ties).depths().sum() for ties in TIES] == [first, possible]


@both_ties
@pytest.mark.parametrize("largest", [1, 5, 2**20, 2**40])
@pytest.mark.parametrize("name", ["jotto-3", "jotto-2-repeats-anagrams", "jotto-5", "jotto-7"])
def test_states_of_any_size_get_the_guess_of_the_slow_twin(name, largest, ties):
    rng, game = np.random.default_rng(largest + len(ties)), oracular.game(name)
    if len(game.secrets) > 500:  # of seven letters so many that sums over sets of letters are no faster
        game = oracular.game(name, rng.choice(np.array(game.secrets), 300, replace=False).tolist())
    engine, table = GreedyEngine(game, ties), game.table.tolist()
    for size in [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 21, 40, 64, 128]:
        weights = rng.integers(0, largest, len(game.secrets), endpoint=True)
        weights[rng.random(len(weights)) < 0.3] = 0
        members = np.sort(rng.choice(len(weights), min(size, len(weights)), replace=False)).astype(np.int32)
        expected = exact_twin.best_guess(table, game.found, weights.tolist(), members.tolist(), ties)
        assert engine.guess(weights, members) == expected


@both_ties
def test_games_of_many_answers_and_many_guesses_are_scored_alike(ties):
    rng = np.random.default_rng(4)
    secrets, guesses, answers = 60, 600, 90  # more than one block of guesses, more answers than are added up one by one
    table = rng.integers(1, answers, (guesses, secrets))
    table[:, ::2] = table[:, :1]  # so that answers repeat
    table[np.arange(secrets) * 7, np.arange(secrets)] = 0
    game = game_of_table(table.tolist(), answers, 0)
    weights = rng.integers(0, 9, secrets)
    assert GreedyEngine(game, ties).depths(weights).tolist() == twin_depths(game, weights, ties)


@both_ties
def test_threads_never_change_a_bit(jotto, ties):
    game, rng = jotto(5), np.random.default_rng(11)
    alone, engines = GreedyEngine(game, ties), [GreedyEngine(game, ties, threads) for threads in (2, 3, 7)]
    rows = [rng.integers(0, 1 << 20, len(game.secrets)) for _ in range(4)]
    expected = [alone.depths(weights) for weights in rows]
    for engine in engines:
        with ThreadPoolExecutor(2) as pool:  # several threads may build trees at once
            assert all(map(np.array_equal, pool.map(engine.depths, rows), expected))
            assert all(map(np.array_equal, pool.map(IncrementalTrees(engine, 10**7).depths, rows), expected))


@examples(30, 60)
@given(data=st.data(), ties=st.sampled_from(TIES), variant=st.sampled_from(["", "-repeats", "-anagrams"]))
def test_words_without_a_table_are_played_as_with_one(data, ties, variant):
    letters = data.draw(st.integers(1, 9))
    word = st.text("abcdefghij" if not variant.startswith("-r") else "abcd", min_size=letters, max_size=letters)
    words = data.draw(st.lists(word, min_size=1, max_size=90, unique=True))
    try:
        game = oracular.game(f"jotto-{letters}{variant}", words)
    except WordListError:
        return
    weights = data.draw(weights_for(game))
    expected = twin_depths(game, weights, ties)
    assert without_table(game, ties).depths(weights).tolist() == expected
    assert GreedyEngine(game, ties).depths(weights).tolist() == expected


@both_ties
@pytest.mark.parametrize(
    "name", ["jotto-3", "jotto-4-repeats-anagrams", "jotto-6", "jotto-8-anagrams", "jotto-3-possible"]
)
def test_longer_lists_without_a_table_are_played_as_with_one(name, ties):
    game = oracular.game(name)
    game = oracular.game(name, game.guesses[:: max(1, len(game.guesses) // 700)])
    engine, without = GreedyEngine(game, ties), without_table(game, ties)
    trees, rng = IncrementalTrees(without, 10**7), np.random.default_rng(12)
    weights = rng.integers(0, 1 << 20, len(game.secrets))
    for _ in range(12):
        weights[rng.integers(0, len(weights), 2)] += 1 << 18
        assert np.array_equal(trees.depths(weights), engine.depths(weights))
    assert np.array_equal(without.depths(weights), engine.depths(weights))


@both_ties
@pytest.mark.parametrize("memory", [3000, 60_000, 3_000_000])
@pytest.mark.parametrize("answers", [3, 6, 40])
def test_many_trees_of_random_games_are_those_from_scratch(ties, memory, answers):
    rng = np.random.default_rng(answers)
    table = rng.integers(1, answers, (170, 150))
    table[rng.permutation(170)[:150], np.arange(150)] = 0
    engine = GreedyEngine(game_of_table(table.tolist(), answers, 0), ties)
    trees, weights = IncrementalTrees(engine, memory), np.zeros(150, dtype=np.int64)
    for step in range(120):
        weights[rng.integers(0, 150, rng.integers(1, 4))] += rng.integers(0, 5)
        if step % 40 == 39:
            weights[rng.random(150) < 0.7] = 0
        assert np.array_equal(trees.depths(weights), engine.depths(weights))


SLOW = pytest.mark.slow


@both_ties
@pytest.mark.parametrize(
    ("letters", "iterations", "memory"),
    [
        *((3, 250, memory) for memory in (0, 200_000, 10**8)),
        (4, 30, 2_000_000),
        (7, 60, 10**7),
        pytest.param(4, 700, 300_000_000, marks=SLOW),
        pytest.param(5, 250, 300_000_000, marks=SLOW),
    ],
)
def test_the_trees_of_fictitious_play_are_those_from_scratch(jotto, ties, letters, iterations, memory):
    words = oracular.game("jotto-7").guesses if letters == 7 else ()
    game = oracular.game("jotto-7", words[:: len(words) // 400]) if words else jotto(letters)
    engine = GreedyEngine(game, ties, 2 if letters > 3 else 1)
    trees, secrets = IncrementalTrees(engine, memory), len(game.secrets)
    weights, totals = np.full(secrets, UNIT // secrets, dtype=np.int64), np.zeros(secrets, dtype=np.int64)
    for iteration in range(iterations):
        if iteration:
            add_best_responses(weights, best_responses(totals))
        depths = trees.depths(weights)
        assert np.array_equal(depths, engine.depths(weights)), iteration
        totals += depths
    states, _, lists = trees.kept()
    assert (states > 0) == (memory > 0) and (memory < 10**7 or lists > 0)


def when_found(trees: IncrementalTrees, secret: int) -> Deadline:
    """Return a deadline whose flag the tree itself raises: it is the depth of a secret, 0 until that is found."""
    depths = trees._builder.growth.depths
    depths[secret] = 0
    deadline = Deadline()
    vars(deadline)["flag"] = depths[secret : secret + 1].view(np.uint8)[:1]
    return deadline


@both_ties
@pytest.mark.parametrize("memory", [0, 100_000, 10**8])
def test_after_a_tree_that_was_given_up_the_next_is_the_one_from_scratch(jotto, ties, memory):
    rng, given_up = np.random.default_rng(7), 0
    engine = GreedyEngine(jotto(3), ties)
    trees, weights = IncrementalTrees(engine, memory), np.ones(421, dtype=np.int64)
    for _ in range(120):
        weights[rng.integers(0, 421, 3)] += rng.integers(0, 40)
        try:
            trees.depths(weights, when_found(trees, int(rng.integers(0, 421))))
        except DeadlinePassed:
            given_up += 1
            weights[rng.integers(0, 421, rng.integers(0, 3))] += 7
        assert np.array_equal(trees.depths(weights), engine.depths(weights))
    assert given_up > 60


@pytest.mark.parametrize("threads", [1, 2])
def test_a_deadline_that_has_passed_ends_trees_and_guesses_and_harms_none(jotto, threads, monkeypatch):
    import oracular.kernels.greedy as kernel

    game = jotto(5)
    engine, weights = GreedyEngine(game, threads=threads), np.arange(1, len(jotto(5).secrets) + 1)
    with pytest.raises(DeadlinePassed):
        GreedyEngine(game).depths(weights, Deadline(0.0))  # nor is what the kernels know of the game worked out
    trees, expected, opening = IncrementalTrees(engine), engine.depths(weights), engine.guess(weights, game.all_secrets)
    deadline, shared = Deadline(), kernel.on_lanes
    vars(deadline)["flag"] = np.ones(1, dtype=np.uint8)
    for work in (engine.depths, trees.depths, lambda w, d: engine.guess(w, game.all_secrets, d)):
        with pytest.raises(DeadlinePassed):
            work(weights, deadline)

    def raised_midway(lanes, work):
        work(1)
        deadline.flag[0] = 1
        work(0)

    deadline.flag[0] = 0
    if threads > 1:
        monkeypatch.setattr(kernel, "on_lanes", raised_midway)
        with pytest.raises(DeadlinePassed):
            trees.depths(weights, deadline)
        monkeypatch.setattr(kernel, "on_lanes", shared)
    assert np.array_equal(engine.depths(weights), expected) and np.array_equal(trees.depths(weights), expected)
    assert engine.guess(weights, game.all_secrets) == opening


@pytest.mark.parametrize("name", ["jotto-4", "jotto-3-possible", "mastermind-3x4-possible", "wordle-3-hard"])
def test_the_tree_below_a_state_is_part_of_the_tree_and_scales_with_its_weights(name):
    game = oracular.game(name)
    engine, weights = GreedyEngine(game, threads=3), np.arange(1, len(game.secrets) + 1)
    whole, opening = engine.depths(weights), engine.guess(weights, game.all_secrets)
    assert np.array_equal(engine.depths(weights << 20), whole)
    row = game.table[opening]
    for answer in set(row.tolist()) - {game.found}:
        part, demand = game.all_secrets[row == answer], game.guessing.demand_after(0, opening, answer)
        assert np.array_equal(engine.depths_from(weights, part, demand=demand) + 1, whole[part])
    solution = oracular.solve(game, iterations=5)
    for oracle in solution.guesser.oracles[::2]:
        assert np.array_equal(tree_of(oracle).depths(), oracle.depths())  # an error where a guess is forbidden


def test_weights_too_large_for_exact_sums_are_refused(jotto):
    with pytest.raises(SettingsError, match="scale them down"):
        GreedyEngine(jotto(2)).depths(np.full(51, 1 << 60, dtype=np.int64))
