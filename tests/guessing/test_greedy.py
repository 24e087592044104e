"""Greedy trees of games that allow only some guesses: the same as a plain program's, whoever builds them."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular import Game, GreedyOracle
from oracular.responses.greedy import GreedyEngine, IncrementalTrees
from oracular.strategies.tree import tree_of

from ruled_twin import assert_legal, greedy_guess, random_ruled_game, random_weights

NAMED = ("jotto-3-possible", "mastermind-3x4-possible", "wordle-3-hard")


def depths_of_plain_greedy(game: Game, weights: list[int], ties: str) -> list[int]:
    return assert_legal(game, lambda state, turns: greedy_guess(game, weights, state, frozenset(turns), ties))


@pytest.mark.parametrize("ties", ["first", "possible"])
@pytest.mark.parametrize("seed", range(20))
def test_greedy_trees_are_those_of_a_plain_program(seed, ties):
    game = random_ruled_game(seed, secrets=12, guesses=20)
    weights = random_weights(seed, 12)
    expected = depths_of_plain_greedy(game, weights.tolist(), ties)
    engine = GreedyEngine(game, ties)
    assert engine.depths(weights).tolist() == expected
    assert IncrementalTrees(engine).depths(weights).tolist() == expected
    oracle = GreedyOracle(engine, weights)

    def asked(state: tuple[int, ...], turns: list[tuple[int, int]]) -> int:
        return oracle.guess(np.array(state, dtype=np.int32), game.demand_after(turns))

    assert assert_legal(game, asked) == expected
    assert tree_of(oracle).depths().tolist() == expected


def test_a_tree_without_a_table_is_the_same():
    from oracular.kernels.answers import answers_of

    game = oracular.game("jotto-3-possible")
    weights = np.random.default_rng(0).integers(0, 9, len(game.secrets))
    with_table, without = GreedyEngine(game), GreedyEngine(game)
    vars(without)["answers"] = answers_of(game, table_limit=0)
    assert np.array_equal(with_table.depths(weights), without.depths(weights))


@pytest.mark.parametrize("name", NAMED)
def test_the_tree_below_a_state_is_part_of_the_tree(name):
    game = oracular.game(name)
    engine, weights = GreedyEngine(game, threads=3), np.ones(len(game.secrets), dtype=np.int64)
    whole = engine.depths(weights)
    opening = engine.guess(weights, game.all_secrets)
    row = game.table[opening]
    for answer in set(row.tolist()) - {game.found}:
        part, demand = game.all_secrets[row == answer], game.guessing.demand_after(0, opening, answer)
        assert np.array_equal(engine.depths_from(weights, part, demand=demand) + 1, whole[part])


@pytest.mark.parametrize("name", NAMED)
def test_fictitious_play_finds_legal_trees(name):
    solution = oracular.solve(name, iterations=5)
    assert solution.guesser.guarantee < 16
    for oracle in solution.guesser.oracles[::2]:
        assert np.array_equal(tree_of(oracle).depths(), oracle.depths())  # an error where a guess is forbidden
