"""A planner whose graph is full goes on with what it has: whole trees, the same every time, and after a break too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from oracular import Game, Tree
from oracular.kernels.compiling import entry_point
from oracular.kernels.planner import widen
from oracular.kernels.planner_check import fault_of_graph
from oracular.kernels.planner_graph import CHILDREN, EDGES, MEMBERS, NODES, SCANS
from oracular.responses.planned import Planner
from oracular.search.costs import Costs
from oracular.settings import least_room


@dataclass(frozen=True, eq=False)
class Ring:
    """A guess is answered `found`, `next` by its one neighbour, and `elsewhere` by all others."""

    size: int

    def answers(self, guesses, secrets):
        apart = (np.asarray(secrets)[None, :] - np.asarray(guesses)[:, None]) % self.size
        return np.where(apart == 0, 2, np.where(apart == 1, 1, 0)).astype(np.uint8)


def ring(size: int) -> Game:
    names = tuple(f"{number:05d}" for number in range(size))
    return Game("ring", names, names, ("elsewhere", "next", "found"), 2, Ring(size))


@entry_point
def widen_node(graph, space, values, node, width):
    widen(graph, space, values, node, 0, width)


def check(planner: Planner) -> None:
    """See that the graph is whole and within its room."""
    graph, counters = planner.graph, planner.graph.counters
    rooms = (graph.node_size, graph.edge_guess, graph.child, graph.members)
    for counter, room in zip((NODES, EDGES, CHILDREN, MEMBERS), rooms, strict=True):
        assert counters[counter] <= len(room)
    assert fault_of_graph(graph, planner.root, planner.game.found, len(planner.game.labels)) == 0


def respond_in_order(planner: Planner, asked: list[np.ndarray], broken_at: int = -1) -> list[np.ndarray]:
    """Return the trees' guesses, with a break before one of them, and see that each is a whole tree."""
    rows = []
    for number, weights in enumerate(asked):
        if number == broken_at:
            kept, settings = planner.as_arrays(), {"room": planner.room, "small": planner.small}
            planner = Planner(
                planner.game, small_width=planner.small_width, width=planner.width, root_width=planner.root_width,
                **settings,
            )  # fmt: skip
            planner.restore(kept)
        tree = planner.respond(Costs.mean(weights), explorations=1)
        assert np.array_equal(Tree(planner.game, tree.guesses).depths(), tree.depths())
        check(planner)
        rows.append(tree.guesses)
    return rows


@pytest.mark.parametrize("room", [153, 400, 3000, 20_000])
def test_a_full_graph_gives_whole_trees_and_the_same_after_a_break(jotto, room):
    two = jotto(2)

    def planner() -> Planner:
        return Planner(two, small=51, small_width=64, width=2, root_width=2, room=room)

    rng = np.random.default_rng(room)
    asked = [planner().rounded(rng.random(51) ** 3) for _ in range(6)]
    whole, again, broken = (respond_in_order(planner(), asked, at) for at in (-1, -1, 3))
    for one, two_, three in zip(whole, again, broken, strict=True):
        assert np.array_equal(one, two_) and np.array_equal(one, three)


def test_what_did_not_fit_leaves_no_trace(jotto):
    planner = Planner(jotto(2), small=51, small_width=64, width=2, root_width=2, room=20_000)
    weights = planner.rounded(np.ones(51))
    planner.respond(Costs.mean(weights))
    before, slots = planner.as_arrays(), planner.graph.slots.copy()
    values, _ = planner.values_for(Costs.mean(weights))
    widen_node(planner.graph, planner.space, values, planner.root, 4)  # new states would be tried with every guess
    after = planner.as_arrays()
    assert np.array_equal(planner.graph.slots, slots)
    for name in ("node_name", "node_edge", "node_best", "edge_guess", "edge_next", "edge_begin", "child", "members"):
        assert np.array_equal(before[name], after[name]), name
    assert after["counters"][SCANS] > before["counters"][SCANS]  # it was tried


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 40, 150])
def test_the_least_room_holds_a_tree_whatever_the_game(size):
    game = ring(size)
    planner = Planner(game, room=least_room(size), small=1000, small_width=256)
    for weights in (np.ones(size), np.arange(1, size + 1), np.arange(size, 0, -1) ** 4):
        tree = planner.respond(Costs.mean(planner.rounded(weights)), explorations=1)
        assert np.array_equal(Tree(game, tree.guesses).depths(), tree.depths())
        check(planner)


@pytest.mark.slow
def test_two_thousand_secrets_of_which_a_guess_singles_out_one_fit_or_are_left_out():
    game = ring(2100)
    planner = Planner(game, room=193_000)
    asked = [planner.rounded(np.ones(2100)), planner.rounded(np.arange(1, 2101))]
    respond_in_order(planner, asked, broken_at=-1)


@pytest.mark.parametrize("room", [153, 50_000])
def test_a_graph_that_is_begun_with_a_guess_has_no_other_there_however_little_room(jotto, room):
    two, opening = jotto(2), 7
    planner = Planner(two, small=51, small_width=4, width=4, root_width=4, room=room)
    graph, root, weights = planner.graph, planner.root, np.ones(51, np.int64)
    planner.begin(Costs.mean(weights), opening=opening)
    edge = graph.node_edge[root]
    children = graph.child[graph.edge_begin[edge] : graph.edge_begin[edge + 1]]
    begins, sizes = graph.node_begin[children], graph.node_size[children]
    parts = [graph.members[begin : begin + size].tolist() for begin, size in zip(begins, sizes, strict=True)]
    row = two.table[opening]
    assert parts == [np.flatnonzero(row == answer).tolist() for answer in np.unique(row) if answer != two.found]
    large = np.flatnonzero(graph.node_size[: graph.counters[NODES]] > 3)
    assert (graph.node_edge[large] >= 0).all()
    for _ in range(3):
        tree = planner.respond(Costs.mean(weights), explorations=1)
        assert tree.guess(two.all_secrets) == opening
        assert np.array_equal(Tree(two, tree.guesses).depths(), tree.depths())
    assert graph.node_edge[planner.root] == edge and graph.edge_next[edge] == -1
