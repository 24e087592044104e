"""Compiled graph of states and guesses: everything that was ever looked at, and the best tree inside it.

A node is a state, an edge a guess tried there; an edge's children are the states it leaves. States of one, two and
three secrets have no edges: their best play against any weights is known in closed form. A state that is met a
second time, on whatever way, is the same node, so that nothing is scanned twice.

Room is fixed. `add_edge` asks `edge_fits` before it writes anything and says so where it does not fit; whoever was
adding edges then gives up with `take_back`, and the graph is as it was before.

Long work looks at a flag (`Deadline.flag`) that may turn from 0 to 1 at any moment, and once that has happened ends as
soon as it can. The graph is then of no use until `put_back` makes it what it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.guessing import HARD, next_demand
from oracular.kernels.planning.tables import CHANGED, CHILDREN, EDGES, MEMBERS, NODES, ROUNDS, Graph, lengths_of


class Mark(NamedTuple):
    """How far a graph was filled, and the latest edge of one node, for `take_back`."""

    node: int
    head: int
    nodes: int
    edges: int
    children: int
    members: int


@inner
def kind_of_three(graph, first, second, third):
    """Return which of three secrets tell the other two apart, as bits."""
    rows, finder = graph.by_secret, graph.guess_of_secret
    kind = 1 if rows[second, finder[first]] != rows[third, finder[first]] else 0
    kind |= 2 if rows[third, finder[second]] != rows[first, finder[second]] else 0
    kind |= 4 if rows[first, finder[third]] != rows[second, finder[third]] else 0
    return kind


@inner
def name_of_demand(demand):
    """Return what a demand adds to a state's name, nothing where nothing is asked."""
    mixed = demand * np.int64(0x2545F4914F6CDD1D)
    return (mixed ^ (mixed >> 31)) & np.int64(2**62 - 1)


@inner
def pair_fits(graph):
    """Tell whether there is room for one more node, of two secrets."""
    counters = graph.counters
    return counters[NODES] < len(graph.node_name) and counters[MEMBERS] + 2 <= len(graph.members)


@entry_point
def node_of(graph, members, demand):
    """Return the node of a state (its secrets sorted), new where it has not been met; there must be room for it."""
    size = len(members)
    if size == 1:
        return np.int64(members[0])
    if size == 2:
        demand = np.int64(0)
    name = np.int64(name_of_demand(demand))
    for a in range(size):
        name ^= graph.names[members[a]]
    mask = np.int64(len(graph.slots) - 1)
    slot = (name ^ (name >> 29)) & mask
    while graph.slots[slot] >= 0:
        node = np.int64(graph.slots[slot])
        if graph.node_name[node] == name and graph.node_size[node] == size and graph.node_demand[node] == demand:
            begin = graph.node_begin[node]
            same = True
            for a in range(size):
                if graph.members[begin + a] != members[a]:
                    same = False
                    break
            if same:
                return node
        slot = (slot + 1) & mask
    node = graph.counters[NODES]
    begin = graph.counters[MEMBERS]
    graph.counters[NODES] += 1
    graph.counters[MEMBERS] += size
    graph.slots[slot] = node
    graph.node_name[node] = name
    graph.node_begin[node] = begin
    graph.node_size[node] = size
    graph.node_demand[node] = demand
    graph.node_edge[node] = graph.node_best[node] = -1
    graph.node_visits[node] = graph.node_round[node] = graph.node_value[node] = 0
    graph.node_looked[node] = graph.node_apart[node] = 0
    for a in range(size):
        graph.members[begin + a] = members[a]
    graph.node_kind[node] = kind_of_three(graph, members[0], members[1], members[2]) if size == 3 else 0
    return node


@inner
def edge_fits(graph, size):
    """Tell whether one more guess at a state of this size fits, whatever it leaves.

    Its parts have no secret in common: so they are at most `size`, with as many members in all, and at most half as
    many are new nodes, since a single secret has its node from the start.
    """
    return (
        graph.counters[NODES] + size // 2 <= len(graph.node_size)
        and graph.counters[EDGES] + 1 <= len(graph.edge_guess)
        and graph.counters[CHILDREN] + size <= len(graph.child)
        and graph.counters[MEMBERS] + size <= len(graph.members)
    )


@entry_point
def drop_nodes(graph, nodes):
    """Forget all nodes from number `nodes` on.

    The hash table is as it was once the nodes have left it in the opposite order: a node that comes later never stands
    in the way of one that came before.
    """
    mask = np.int64(len(graph.slots) - 1)
    for last in range(graph.counters[NODES] - 1, nodes - 1, -1):
        name = graph.node_name[last]
        slot = (name ^ (name >> 29)) & mask
        while graph.slots[slot] != last:
            slot = (slot + 1) & mask
        graph.slots[slot] = -1
    graph.counters[NODES] = nodes


@inner
def mark(graph, node):
    """Return how far the graph is filled, before edges are added to a node."""
    counters = graph.counters
    return Mark(node, graph.node_edge[node], counters[NODES], counters[EDGES], counters[CHILDREN], counters[MEMBERS])


@inner
def take_back(graph, before):
    """Forget the edges that a node was given since `mark`, and all that came with them."""
    drop_nodes(graph, before.nodes)
    graph.node_edge[before.node] = before.head
    graph.counters[EDGES] = before.edges
    graph.counters[CHILDREN] = before.children
    graph.counters[MEMBERS] = before.members


def snapshot(graph: Graph) -> dict[str, NDArray[np.generic]]:
    """Return what a response may change of a graph, for `put_back`."""
    lengths = lengths_of(graph.counters)
    return {name: getattr(graph, name)[: lengths[name]].copy() for name in CHANGED}


def put_back(graph: Graph, before: dict[str, NDArray[np.generic]]) -> None:
    """Make a graph what it was when the snapshot was taken, wherever the work since was cut off.

    Room beyond what the counters say is never read before it is written, so it may hold anything.
    """
    drop_nodes(graph, int(before["counters"][NODES]))
    for name, array in before.items():
        getattr(graph, name)[: len(array)] = array


@inner
def found_secret(graph, node, guess, found):
    """Return the secret of a node that a guess finds, or the number of secrets where it finds none."""
    begin = graph.node_begin[node]
    for a in range(begin, begin + graph.node_size[node]):
        if graph.by_secret[graph.members[a], guess] == found:
            return np.int32(graph.members[a])
    return np.int32(graph.by_secret.shape[0])


@inner
def demand_after(graph, node, guess, answer):
    """Return what is asked of the guesses that follow a guess at a node and its answer."""
    guessing = graph.guessing
    return next_demand(guessing.letters, guessing.colours, graph.node_demand[node], guess, answer)


@inner
def add_edge(graph, space, node, guess):
    """Add a guess to a node, with nodes for all that it leaves, and return whether there was room for them.

    A guess that is there already takes no room.
    """
    edge = graph.node_edge[node]
    while edge >= 0:
        if graph.edge_guess[edge] == guess:
            return True
        edge = graph.edge_next[edge]
    if not edge_fits(graph, graph.node_size[node]):
        return False
    edge = graph.counters[EDGES]
    graph.counters[EDGES] += 1
    graph.edge_guess[edge] = guess
    graph.edge_round[edge] = graph.counters[ROUNDS]
    graph.edge_next[edge] = graph.node_edge[node]
    graph.node_edge[node] = edge
    begin, size = graph.node_begin[node], graph.node_size[node]
    graph.edge_found[edge] = found_secret(graph, node, guess, space.game.found)
    filled, hard, demand = graph.counters[CHILDREN], graph.guessing.rule == HARD, np.int64(0)
    for answer in range(space.game.answers):
        if answer == space.game.found:
            continue
        count = 0
        for a in range(size):
            secret = graph.members[begin + a]
            if graph.by_secret[secret, guess] == answer:
                space.part[count] = secret
                count += 1
        if count > 0:
            if hard and count > 2:
                demand = demand_after(graph, node, guess, answer)
            graph.child[filled] = node_of(graph, space.part[:count], demand)
            filled += 1
    graph.counters[CHILDREN] = filled
    graph.edge_begin[edge + 1] = filled
    return True
