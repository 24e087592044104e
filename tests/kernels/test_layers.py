"""The planner for any objective: against all trees of small games, and against the mean on the same graph."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Game, Tree
from oracular.costs import Costs
from oracular.kernels.planner_graph import EDGES
from oracular.planner.planner import Planner, choices, missed_shares

from how_many import examples
from objective_twin import BestPlay, least_cost
from random_games import assert_restorable, random_games, table_costs, weights_for


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


@st.composite
def costs_for(draw: st.DrawFn, game: Game) -> np.ndarray:
    """Draw costs of each secret that never fall, often flat, in one to five columns."""
    secrets, columns = len(game.secrets), draw(st.integers(1, 5))
    steps = st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=columns, max_size=columns)
    return np.array([draw(steps) for _ in range(secrets)], dtype=np.int64).cumsum(axis=1)


def wide_planner(game: Game) -> Planner:
    return Planner(game, width=64, small=100, small_width=64, root_width=64, room=1 << 14)


@given(data=st.data(), game=random_games(most_secrets=8))
@examples(20, 40)
def test_a_planner_that_tries_everything_finds_the_best_tree_for_any_costs(data: st.DataObject, game: Game) -> None:
    planner = wide_planner(game)
    for _ in range(2):  # the second costs meet a graph that knows the first
        costs = data.draw(costs_for(game))
        tree = planner.respond(table_costs(costs))
        assert np.array_equal(Tree(game, tree.guesses).depths(), tree.depths())
        assert total_of(costs, tree.depths()) == least_cost(game, costs)
        planner.tidy(1000)
        assert_restorable(planner)


@given(data=st.data(), game=random_games(most_secrets=8))
@examples(20, 40)
def test_the_best_guess_at_any_state_is_found(data: st.DataObject, game: Game) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(game.secrets))), min_size=1, unique=True))
    state, costs = np.array(sorted(chosen), dtype=np.int32), data.draw(costs_for(game))
    found = choices(wide_planner(game), state, table_costs(costs), count=3)
    assert 1 <= len(found) <= 3 and found == sorted(found, key=lambda choice: choice.value)
    assert found[0].value == BestPlay.of_costs(game, costs).least(tuple(state.tolist()))


def best_in_graph(planner: Planner, costs: np.ndarray) -> int:
    """Return what the best tree in a planner's graph costs, worked out state by state in plain Python."""
    graph, table, found = planner.graph, planner.game.table, planner.game.found

    def edges(node: int) -> list[int]:
        listed, edge = [], int(graph.node_edge[node])
        while edge >= 0:
            listed.append(edge)
            edge = int(graph.edge_next[edge])
        return listed

    @cache
    def of_few(state: tuple[int, ...], column: int) -> int:
        if len(state) == 1:
            return cost_at(costs, state[0], column)
        if column >= costs.shape[1]:
            return sum(cost_at(costs, secret, column) for secret in state)
        totals = []
        for row in table:
            parts = parts_of(planner.game, row, state)
            ended = parts.pop(found, ())
            if ended or len(parts) > 1:
                total = sum(cost_at(costs, secret, column) for secret in ended)
                totals.append(total + sum(of_few(part, column + 1) for part in parts.values()))
        return min(totals)

    @cache
    def of_node(node: int, column: int) -> int:
        begin, size = int(graph.node_begin[node]), int(graph.node_size[node])
        members = tuple(graph.members[begin : begin + size].tolist())
        if size <= 3:
            return of_few(members, column)
        totals = []
        for edge in edges(node):
            ended = [secret for secret in members if table[graph.edge_guess[edge], secret] == found]
            children = graph.child[graph.edge_begin[edge] : graph.edge_begin[edge + 1]].tolist()
            total = sum(cost_at(costs, secret, column) for secret in ended)
            totals.append(total + sum(of_node(child, column + 1) for child in children))
        return min(totals)

    return of_node(planner.root, 0)


@given(data=st.data(), game=random_games(most_secrets=14))
@examples(15, 30)
def test_the_best_tree_of_a_narrow_graph_is_what_plain_python_finds_in_it(data: st.DataObject, game: Game) -> None:
    planner = Planner(game, width=2, small=6, small_width=2, root_width=2, room=1 << 12)
    for _ in range(2):
        planner.respond(table_costs(data.draw(costs_for(game))), explorations=1)
    planner.respond(Costs.mean(data.draw(weights_for(game))))  # the mean leaves its guesses in the graph, too
    costs = data.draw(costs_for(game))
    tree = planner.respond(table_costs(costs), widen=False)
    assert total_of(costs, tree.depths()) == best_in_graph(planner, costs)


@given(data=st.data(), game=random_games(most_secrets=12))
@examples(20, 40)
def test_costs_that_rise_by_the_weight_are_the_mean(data: st.DataObject, game: Game) -> None:
    planner = Planner(game, width=2, small=6, small_width=2, root_width=2, room=1 << 12)
    weights = data.draw(weights_for(game))
    costs = weights[:, None] * np.arange(1, len(game.secrets) + 1)
    planner.respond(Costs.mean(weights), explorations=1)
    layered = planner.respond(table_costs(costs), widen=False)
    assert int(weights @ layered.depths()) == int(weights @ planner.respond(Costs.mean(weights), widen=False).depths())


@pytest.mark.parametrize("room", [153, 400, 3000])
def test_a_full_graph_still_answers_any_costs(jotto, room: int) -> None:
    two = jotto(2)
    planner = Planner(two, small=51, small_width=12, width=2, root_width=2, room=room)
    rng = np.random.default_rng(room)
    for _ in range(4):
        costs = rng.integers(0, 9, (51, 7)).cumsum(axis=1)
        tree = planner.respond(table_costs(costs), explorations=1)
        assert np.array_equal(Tree(two, tree.guesses).depths(), tree.depths())
        assert_restorable(planner)
        assert planner.graph.counters[EDGES] <= len(planner.graph.edge_guess)
    fresh = Planner(two, small=51, small_width=12, width=2, root_width=2, room=room)
    assert choices(fresh, two.all_secrets[10:40], table_costs(costs))


def test_costs_of_any_size_fit_and_those_that_cannot_are_refused() -> None:
    game = oracular.game("jotto-2")
    planner = Planner(game, room=1 << 14)
    rng = np.random.default_rng(2)
    costs = rng.integers(0, 9, (51, 7)).cumsum(axis=1)
    small = planner.respond(table_costs(costs))
    assert np.array_equal(planner.respond(table_costs(costs << 40), widen=False).depths(), small.depths())
    assert np.array_equal(planner.respond(table_costs(costs + 1000), widen=False).depths(), small.depths())
    for wrong in (table_costs(costs[:5]), Costs(np.arange(2 * 51).reshape(2, 51), np.ones(51, np.int64))):
        with pytest.raises(oracular.OracularError, match=r"one for each|mean alone|51"):
            planner.respond(wrong)
    for state in ([], [3, 3], [5, 4], [-1, 2], [50, 51]):
        with pytest.raises(oracular.OracularError, match="state"):
            choices(Planner(game, room=1 << 14), np.array(state, dtype=np.int32), table_costs(costs))


def test_the_share_that_is_missed_falls_with_guesses_and_rises_with_secrets() -> None:
    shares = missed_shares(2.5, 50, 8)
    assert (np.diff(shares, axis=0) <= 0).all() and (np.diff(shares[:, 1:], axis=1) >= 0).all()
    assert (shares[0] == 1 << 12).all() and shares[1, 1] == shares[2, 2] == 0 and shares[1, 4] == 3 << 10
