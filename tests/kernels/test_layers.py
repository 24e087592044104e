"""The planner for any objective: against all trees of small games, and against the mean on the same graph."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracular import Game
from oracular.kernels.planning.check import fault_of_graph
from oracular.responses.planned import Planner
from oracular.strategies.tree import Tree

from random_games import random_games


def cost_at(costs: np.ndarray, secret: int, column: int) -> int:
    """Return what it costs to find a secret at a column; the last one holds for all that follow."""
    return int(costs[secret, min(column, costs.shape[1] - 1)])


def total_of(costs: np.ndarray, depths: np.ndarray) -> int:
    """Return what a tree with these depths costs."""
    return sum(cost_at(costs, secret, int(depth) - 1) for secret, depth in enumerate(depths))


def parts_of(game: Game, row: np.ndarray, state: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """Return the secrets of a state by their answer to a guess."""
    parts: dict[int, tuple[int, ...]] = {}
    for secret in state:
        parts[int(row[secret])] = (*parts.get(int(row[secret]), ()), secret)
    return parts


def least_cost(game: Game, costs: np.ndarray, start: tuple[int, ...]) -> int:
    """Return what the best of all trees costs from a state, by trying everything."""

    @cache
    def of_state(state: tuple[int, ...], column: int) -> int:
        if column >= costs.shape[1]:
            return sum(cost_at(costs, secret, column) for secret in state)
        totals = []
        for row in game.table:
            parts = parts_of(game, row, state)
            found = parts.pop(game.found, ())
            if not found and len(parts) == 1:
                continue
            totals.append(
                sum(cost_at(costs, secret, column) for secret in found)
                + sum(of_state(part, column + 1) for part in parts.values())
            )
        return min(totals)

    return of_state(start, 0)


@st.composite
def costs_for(draw: st.DrawFn, game: Game) -> np.ndarray:
    """Draw costs of each secret that never fall, often flat, in one to five columns."""
    secrets, columns = len(game.secrets), draw(st.integers(1, 5))
    steps = st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=columns, max_size=columns)
    return np.array([draw(steps) for _ in range(secrets)], dtype=np.int64).cumsum(axis=1)


def wide_planner(game: Game) -> Planner:
    return Planner(game, width=64, small=100, small_width=64, root_width=64, room=1 << 14)


@given(data=st.data(), game=random_games(most_secrets=8))
@settings(max_examples=60, deadline=None)
def test_a_planner_that_tries_everything_finds_the_best_tree_for_any_costs(data: st.DataObject, game: Game) -> None:
    planner = wide_planner(game)
    for _ in range(2):  # the second costs meet a graph that knows the first
        costs = data.draw(costs_for(game))
        tree = planner.respond_to(costs)
        assert np.array_equal(Tree(game, tree.guesses).depths(), tree.depths())
        assert total_of(costs, tree.depths()) == least_cost(game, costs, tuple(range(len(game.secrets))))
        planner.tidy(1000)
        assert fault_of_graph(planner.graph, planner.root, game.found, len(game.labels)) == 0


@given(data=st.data(), game=random_games(most_secrets=8))
@settings(max_examples=40, deadline=None)
def test_the_best_guess_at_any_state_is_found_and_leaves_no_trace(data: st.DataObject, game: Game) -> None:
    planner = wide_planner(game)
    if data.draw(st.booleans()):
        planner.respond_to(data.draw(costs_for(game)))
    before = planner.as_arrays()
    chosen = data.draw(st.lists(st.sampled_from(range(len(game.secrets))), min_size=1, unique=True))
    state, costs = np.array(sorted(chosen), dtype=np.int32), data.draw(costs_for(game))
    choices = planner.respond_from(state, costs, count=3)
    assert 1 <= len(choices) <= 3 and choices == sorted(choices, key=lambda choice: choice.value)
    assert choices[0].value == least_cost(game, costs, tuple(state.tolist()))
    assert planner.respond_from(state, costs, count=3) == choices
    after = planner.as_arrays()
    assert all(np.array_equal(before[name], after[name]) for name in before)
