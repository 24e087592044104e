"""Compiled graph of states and guesses: everything that was ever looked at, and the best tree inside it.

A node is a state, an edge a guess tried there; an edge's children are the states it leaves. States of one, two and
three secrets have no edges: their best play against any weights is known in closed form. A state that is met a
second time, on whatever way, is the same node, so that nothing is scanned twice.

Room is fixed. `add_edge` asks `edge_fits` before it writes anything and says so where it does not fit; whoever was
adding edges then gives up with `take_back`, and the graph is as it was before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from oracular.kernels.planning.splitting import BLOCK, FEW_ANSWERS
from oracular.settings import MOST_GUESSES

NODES, EDGES, CHILDREN, MEMBERS, SCANS, ROUNDS, SORTED = 0, 1, 2, 3, 4, 5, 6
"""What the counters count."""


class Graph(NamedTuple):
    """The arrays of a graph, with room to grow; the first nodes are the single secrets.

    Attributes:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret, int32 [secrets].
        names: a random 64-bit number for each secret, int64 [secrets]; a state's is their exclusive or.
        counters: how far each of the following is filled, int64 [8].
        slots: hash table of nodes, -1 where free, int32 [a power of two].
        node_name: a state's number, int64 [nodes].
        node_begin: where its secrets begin in `members`, int64 [nodes].
        node_size: how many they are, int32 [nodes].
        node_edge: its latest edge, or -1, int32 [nodes].
        node_best: its best edge against the latest weights, int32 [nodes].
        node_visits: how often it was on a best tree, int32 [nodes].
        node_round: the round in which it was last explored, int32 [nodes].
        node_value: its value against the latest weights, int32 [nodes].
        node_kind: for three secrets, which of them tell the other two apart (bits 0 to 2), and whether some other
            guess tells all three apart (bit 3), uint8 [nodes].
        edge_guess: the guess, int32 [edges].
        edge_next: the next edge of the same node, or -1, int32 [edges].
        edge_round: the round in which it was last nearly best, int32 [edges].
        edge_begin: where its children begin, int64 [edges + 1].
        child: nodes, int32 [children].
        members: the secrets of the nodes, uint16 [members].
    """

    by_secret: NDArray[np.uint8]
    guess_of_secret: NDArray[np.int32]
    names: NDArray[np.int64]
    counters: NDArray[np.int64]
    slots: NDArray[np.int32]
    node_name: NDArray[np.int64]
    node_begin: NDArray[np.int64]
    node_size: NDArray[np.int32]
    node_edge: NDArray[np.int32]
    node_best: NDArray[np.int32]
    node_visits: NDArray[np.int32]
    node_round: NDArray[np.int32]
    node_value: NDArray[np.int32]
    node_kind: NDArray[np.uint8]
    edge_guess: NDArray[np.int32]
    edge_next: NDArray[np.int32]
    edge_round: NDArray[np.int32]
    edge_begin: NDArray[np.int64]
    child: NDArray[np.int32]
    members: NDArray[np.uint16]


KEPT = tuple(name for name in Graph._fields if name not in ("by_secret", "guess_of_secret", "names", "slots"))
"""The arrays that a graph can be made from again, together with its game."""


class Scratch(NamedTuple):
    """Working space of the scans, and the score they use; see `best_guesses`."""

    table: NDArray[np.int64]
    settings: NDArray[np.int64]
    sums: NDArray[np.int32]
    touched: NDArray[np.int32]
    costs: NDArray[np.int64]
    meets: NDArray[np.int16]
    met_by: NDArray[np.int16]
    kept: NDArray[np.int32]
    keys: NDArray[np.int64]
    values: NDArray[np.int32]
    todo: NDArray[np.int32]
    part: NDArray[np.int32]
    state: NDArray[np.int32]


FOUND, SHIFT, FOUND_VALUE, TIES, SMALL, SMALL_WIDTH, LARGE, LARGE_WIDTH, ROOT_WIDTH, NEAR = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""What `Scratch.settings` holds; the widths, sizes and NEAR are explained with `Planner`."""


def _room_for_members(secrets: int, room: int) -> int:
    """Return how many members a graph has room for: 40 a node, or what one tree takes in any case.

    A tree's states have most members where each guess takes away a single secret: n + (n - 1) + … + 2. The single
    secrets are n more, and `edge_fits` asks for up to n beyond that.
    """
    return max(40 * room, secrets * (secrets + 1) // 2 + 2 * secrets)


def new_graph(by_secret: NDArray[np.uint8], guess_of_secret: NDArray[np.int32], room: int, seed: int = 20_12) -> Graph:
    """Return an empty graph with room for so many nodes; memory is taken only as it fills.

    The room must be `oracular.settings.least_room` or more: then one whole tree fits.
    The hash table has more than twice as many slots as there can be nodes, so a free one is always found.
    """
    secrets = len(by_secret)
    names = np.random.Generator(np.random.PCG64(seed)).integers(1, 2**62, secrets, dtype=np.int64)
    graph = Graph(
        by_secret=by_secret,
        guess_of_secret=guess_of_secret,
        names=names,
        counters=np.zeros(8, np.int64),
        slots=np.full(1 << (2 * room).bit_length(), -1, np.int32),
        node_name=np.zeros(room, np.int64),
        node_begin=np.zeros(room, np.int64),
        node_size=np.zeros(room, np.int32),
        node_edge=np.full(room, -1, np.int32),
        node_best=np.full(room, -1, np.int32),
        node_visits=np.zeros(room, np.int32),
        node_round=np.zeros(room, np.int32),
        node_value=np.zeros(room, np.int32),
        node_kind=np.zeros(room, np.uint8),
        edge_guess=np.zeros(2 * room, np.int32),
        edge_next=np.full(2 * room, -1, np.int32),
        edge_round=np.zeros(2 * room, np.int32),
        edge_begin=np.zeros(2 * room + 1, np.int64),
        child=np.zeros(10 * room, np.int32),
        members=np.zeros(_room_for_members(secrets, room), np.uint16),
    )
    graph.members[:secrets] = np.arange(secrets)
    graph.node_begin[:secrets] = np.arange(secrets)
    graph.node_size[:secrets] = 1
    graph.counters[NODES] = graph.counters[MEMBERS] = graph.counters[SORTED] = secrets
    return graph


def new_scratch(secrets: int, answers: int, table: NDArray[np.int64], settings: NDArray[np.int64]) -> Scratch:
    """Return working space for a game of this size, with a score.

    `todo` holds states of one tree that have no secret in common, so there are at most as many as secrets. The guesses
    of one scan are at most MOST_GUESSES: no setting asks for more.
    """
    return Scratch(
        table=table,
        settings=settings,
        sums=np.zeros((answers, BLOCK), np.int32),
        touched=np.zeros((BLOCK, 256) if answers > FEW_ANSWERS else (1, 1), np.int32),
        costs=np.zeros(BLOCK, np.int64),
        meets=np.full(256, -1, np.int16),
        met_by=np.full(256, -1, np.int16),
        kept=np.zeros(MOST_GUESSES, np.int32),
        keys=np.zeros(MOST_GUESSES, np.int64),
        values=np.zeros(secrets, np.int32),
        todo=np.zeros(secrets, np.int32),
        part=np.zeros(secrets, np.int32),
        state=np.zeros(secrets, np.int32),
    )


@njit(cache=True, nogil=True)
def kind_of_three(graph, members):
    """Return which of three secrets tell the other two apart, and whether another guess tells all apart."""
    kind = 0
    rows = graph.by_secret
    for a in range(3):
        guess = graph.guess_of_secret[members[a]]
        if rows[members[(a + 1) % 3], guess] != rows[members[(a + 2) % 3], guess]:
            kind |= 1 << a
    if kind == 0:
        first, second, third = rows[members[0]], rows[members[1]], rows[members[2]]
        for guess in range(len(first)):
            if first[guess] != second[guess] and first[guess] != third[guess] and second[guess] != third[guess]:
                return 8
    return kind


@njit(cache=True, nogil=True)
def node_of(graph, members):
    """Return the node of a state (its secrets sorted), new where it has not been met; there must be room for it."""
    size = len(members)
    if size == 1:
        return np.int64(members[0])
    name = np.int64(0)
    for a in range(size):
        name ^= graph.names[members[a]]
    mask = np.int64(len(graph.slots) - 1)
    slot = (name ^ (name >> 29)) & mask
    while graph.slots[slot] >= 0:
        node = np.int64(graph.slots[slot])
        if graph.node_name[node] == name and graph.node_size[node] == size:
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
    for a in range(size):
        graph.members[begin + a] = members[a]
    graph.node_kind[node] = kind_of_three(graph, members) if size == 3 else 0
    return node


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def take_back(graph, node, head, nodes, edges, children, members):
    """Forget the latest edges of a node, down to its edge `head`, and all that came with them.

    The four numbers are the counters as they were before. The hash table is as it was once the nodes have left it in
    the opposite order: a node that comes later never stands in the way of one that came before.
    """
    mask = np.int64(len(graph.slots) - 1)
    for last in range(graph.counters[NODES] - 1, nodes - 1, -1):
        name = graph.node_name[last]
        slot = (name ^ (name >> 29)) & mask
        while graph.slots[slot] != last:
            slot = (slot + 1) & mask
        graph.slots[slot] = -1
        graph.node_edge[last] = -1
        graph.node_best[last] = -1
    graph.node_edge[node] = head
    graph.counters[NODES] = nodes
    graph.counters[EDGES] = edges
    graph.counters[CHILDREN] = children
    graph.counters[MEMBERS] = members


@njit(cache=True, nogil=True)
def add_edge(graph, scratch, node, guess):
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
    found = scratch.settings[FOUND]
    edge = graph.counters[EDGES]
    graph.counters[EDGES] += 1
    graph.edge_guess[edge] = guess
    graph.edge_round[edge] = graph.counters[ROUNDS]
    graph.edge_next[edge] = graph.node_edge[node]
    graph.node_edge[node] = edge
    begin, size = graph.node_begin[node], graph.node_size[node]
    filled = graph.counters[CHILDREN]
    for answer in range(scratch.sums.shape[0]):
        if answer == found:
            continue
        count = 0
        for a in range(size):
            secret = graph.members[begin + a]
            if graph.by_secret[secret, guess] == answer:
                scratch.part[count] = secret
                count += 1
        if count > 0:
            graph.child[filled] = node_of(graph, scratch.part[:count])
            filled += 1
    graph.counters[CHILDREN] = filled
    graph.edge_begin[edge + 1] = filled
    return True
