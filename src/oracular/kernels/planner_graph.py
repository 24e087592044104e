"""Compiled graph of states and guesses: everything that was ever looked at, and the best tree inside it.

A node is a state, an edge a guess tried there; an edge's children are the states it leaves. States of one, two and
three secrets have no edges: their best play against any weights is known in closed form. A state that is met a
second time, by whichever guesses, is the same node, so nothing is scanned twice. The arrays are created at their final
size.

Room is fixed. Before it writes anything, `add_edge` checks with `edge_fits`, and says so if an edge does not fit. The
caller then undoes its edges with `take_back`, and the graph is as it was before.

Long work looks at a flag (`Deadline.flag`) that may turn from 0 to 1 at any moment, and once that has happened ends as
soon as it can. The graph is then of no use until `put_back` makes it what it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.guessing import HARD, GuessingTable, next_demand
from oracular.kernels.scoring import ScanSpace, ScoredGame
from oracular.settings import MOST_GUESSES

NODES, EDGES, CHILDREN, MEMBERS, SCANS, ROUNDS, SORTED = 0, 1, 2, 3, 4, 5, 6
"""What the counters count."""

NODES_BETWEEN_LOOKS = 1 << 12
"""The flag that stops the work is checked after this many nodes."""


class Graph(NamedTuple):
    """The arrays of a graph, with room to grow; the first nodes are the single secrets.

    Attributes:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret, int32 [secrets].
        guessing: which guesses are allowed at a state.
        names: a random 64-bit number for each secret, int64 [secrets]; a state's is their exclusive or, with one that
            follows from its demand.
        counters: how far each of the following is filled, int64 [8].
        slots: hash table of nodes, -1 where free, int32 [a power of two].
        node_name: a state's number, int64 [nodes].
        node_begin: where its secrets begin in `members`, int64 [nodes].
        node_size: how many they are, int32 [nodes].
        node_demand: what hard mode asks of the guesses there, 0 in other games and where at most two secrets are left,
            since then nothing depends on it, int64 [nodes].
        node_edge: its latest edge, or -1, int32 [nodes].
        node_best: its best edge against the latest weights, int32 [nodes].
        node_visits: how often it was on a best tree, int32 [nodes].
        node_round: the round in which it was last explored, int32 [nodes].
        node_value: its value against the latest weights, int32 [nodes].
        node_kind: for three secrets, which of them distinguish the other two (bits 0 to 2), uint8 [nodes].
        node_looked: the guess numbers at which it was looked at closely, as bits; 0 for the mean, uint32 [nodes].
        node_apart: for three secrets, whether another guess distinguishes them all: 0 if it was not checked yet, 1 for
            no, 2 for yes, uint8 [nodes].
        edge_guess: the guess, int32 [edges].
        edge_found: the secret of the state that it finds, or the number of secrets where it finds none, int32 [edges].
        edge_next: the next edge of the same node, or -1, int32 [edges].
        edge_round: the round in which it was last nearly best, int32 [edges].
        edge_begin: where its children begin, int64 [edges + 1].
        child: nodes, int32 [children].
        members: the secrets of the nodes, uint16 [members].
    """

    by_secret: NDArray[np.uint8]
    guess_of_secret: NDArray[np.int32]
    guessing: GuessingTable
    names: NDArray[np.int64]
    counters: NDArray[np.int64]
    slots: NDArray[np.int32]
    node_name: NDArray[np.int64]
    node_begin: NDArray[np.int64]
    node_size: NDArray[np.int32]
    node_demand: NDArray[np.int64]
    node_edge: NDArray[np.int32]
    node_best: NDArray[np.int32]
    node_visits: NDArray[np.int32]
    node_round: NDArray[np.int32]
    node_value: NDArray[np.int32]
    node_kind: NDArray[np.uint8]
    node_looked: NDArray[np.uint32]
    node_apart: NDArray[np.uint8]
    edge_guess: NDArray[np.int32]
    edge_found: NDArray[np.int32]
    edge_next: NDArray[np.int32]
    edge_round: NDArray[np.int32]
    edge_begin: NDArray[np.int64]
    child: NDArray[np.int32]
    members: NDArray[np.uint16]


FOLLOWING = (
    "by_secret", "guess_of_secret", "guessing", "names", "slots", "node_name", "node_begin", "node_value", "node_kind",
    "node_apart", "edge_found", "edge_begin", "child",
)  # fmt: skip
"""The arrays that follow from the game and the others, or are computed before they are read."""

KEPT = tuple(name for name in Graph._fields if name not in FOLLOWING)
"""The arrays that a graph can be made from again, together with its game; see `OFTEN_ZERO`."""

OFTEN_ZERO = ("node_looked", "node_demand")
"""The arrays that are kept only where they are not all zero."""

CHANGED = (
    "node_edge", "node_best", "node_visits", "node_round", "node_value", "node_looked", "edge_round", "counters",
)  # fmt: skip
"""The arrays in which a response changes what is there already; all others it only adds to."""


class PlanSettings(NamedTuple):
    """The settings of a planner that the kernels read; `oracular.settings.PlannerSettings` says what each means."""

    width: int
    large: int
    large_width: int
    root_width: int
    small: int
    small_width: int
    often: int
    again: int
    seek: int
    near: int


class PlanningSpace(NamedTuple):
    """What the kernels need beside the graph: the score, the settings, and working space.

    Attributes:
        game: the game and the score.
        settings: the planner's settings.
        scan: working space of the scans; its flag stops all else too.
        kept: the guesses of the latest scan, int32 [MOST_GUESSES].
        keys: their keys, int64 [MOST_GUESSES].
        values: packed weights of the state that is scanned, int32 [secrets].
        state: its secrets, int32 [secrets].
        part: the secrets of a state by their answer to a guess, int32 [secrets].
        ends: where the part of each answer ends, int64 [answers + 1].
        todo: states of one tree, which have no secret in common, int32 [secrets].
        places: counts by size, int64 [secrets + 2].
        later: nodes in order of their size, int32 [room of the graph].
        order: likewise.
    """

    game: ScoredGame
    settings: PlanSettings
    scan: ScanSpace
    kept: NDArray[np.int32]
    keys: NDArray[np.int64]
    values: NDArray[np.int32]
    state: NDArray[np.int32]
    part: NDArray[np.int32]
    ends: NDArray[np.int64]
    todo: NDArray[np.int32]
    places: NDArray[np.int64]
    later: NDArray[np.int32]
    order: NDArray[np.int32]


def _room_for_members(secrets: int, room: int) -> int:
    """Return how many members a graph has room for: 40 a node, or what one tree takes in any case.

    A tree's states have most members where each guess takes away a single secret: n + (n - 1) + … + 2. The single
    secrets are n more, and `edge_fits` asks for up to n beyond that.
    """
    return max(40 * room, secrets * (secrets + 1) // 2 + 2 * secrets)


def new_graph(
    by_secret: NDArray[np.uint8],
    guess_of_secret: NDArray[np.int32],
    guessing: GuessingTable,
    room: int,
    seed: int = 20_12,
) -> Graph:
    """Return an empty graph with room for this many nodes; memory is taken only as it fills.

    There is room for the parts of one more guess, which `within_room` does not give away: so a full graph can be added
    to a new one, whatever the order of its guesses.

    The room must be `oracular.settings.least_room` or more: then one whole tree fits.
    The hash table has more than twice as many slots as there can be nodes, so a free one is always found.
    """
    secrets = len(by_secret)
    nodes = room + secrets
    names = np.random.Generator(np.random.PCG64(seed)).integers(1, 2**62, secrets, dtype=np.int64)
    graph = Graph(
        by_secret=by_secret,
        guess_of_secret=guess_of_secret,
        guessing=guessing,
        names=names,
        counters=np.zeros(8, np.int64),
        slots=np.full(1 << (2 * room).bit_length(), -1, np.int32),
        node_name=np.zeros(nodes, np.int64),
        node_begin=np.zeros(nodes, np.int64),
        node_size=np.zeros(nodes, np.int32),
        node_demand=np.zeros(nodes, np.int64),
        node_edge=np.zeros(nodes, np.int32),
        node_best=np.zeros(nodes, np.int32),
        node_visits=np.zeros(nodes, np.int32),
        node_round=np.zeros(nodes, np.int32),
        node_value=np.zeros(nodes, np.int32),
        node_kind=np.zeros(nodes, np.uint8),
        node_looked=np.zeros(nodes, np.uint32),
        node_apart=np.zeros(nodes, np.uint8),
        edge_guess=np.zeros(2 * room, np.int32),
        edge_found=np.zeros(2 * room, np.int32),
        edge_next=np.zeros(2 * room, np.int32),
        edge_round=np.zeros(2 * room, np.int32),
        edge_begin=np.zeros(2 * room + 1, np.int64),
        child=np.zeros(10 * room + secrets, np.int32),
        members=np.zeros(_room_for_members(secrets, room) + secrets, np.uint16),
    )
    graph.members[:secrets] = np.arange(secrets)
    graph.node_begin[:secrets] = np.arange(secrets)
    graph.node_size[:secrets] = 1
    graph.node_edge[:secrets] = graph.node_best[:secrets] = -1
    graph.counters[NODES] = graph.counters[MEMBERS] = graph.counters[SORTED] = secrets
    return graph


def within_room(graph: Graph, room: int) -> Graph:
    """Return a graph of the same arrays that takes in no more than this many nodes and what belongs to them."""
    secrets = len(graph.by_secret)
    child, members = graph.child[: len(graph.child) - secrets], graph.members[: len(graph.members) - secrets]
    return graph._replace(node_size=graph.node_size[:room], child=child, members=members)


def new_planning_space(game: ScoredGame, settings: PlanSettings, scan: ScanSpace, room: int) -> PlanningSpace:
    """Return working space for a graph with this much room; memory is taken only as it is used.

    The guesses of one scan are at most MOST_GUESSES: no setting asks for more.
    """
    secrets = len(game.by_secret)
    return PlanningSpace(
        game=game,
        settings=settings,
        scan=scan,
        kept=np.zeros(MOST_GUESSES, np.int32),
        keys=np.zeros(MOST_GUESSES, np.int64),
        values=np.zeros(secrets, np.int32),
        state=np.zeros(secrets, np.int32),
        part=np.zeros(secrets, np.int32),
        ends=np.zeros(game.answers + 1, np.int64),
        todo=np.zeros(secrets, np.int32),
        places=np.zeros(secrets + 2, np.int64),
        later=np.zeros(room, np.int32),
        order=np.zeros(room, np.int32),
    )


def lengths_of(counters: NDArray[np.int64]) -> dict[str, int]:
    """Return how far each of the arrays is filled that a graph can be made from again."""
    nodes, edges = int(counters[NODES]), int(counters[EDGES])
    lengths = {name: nodes if name.startswith("node_") else edges for name in (*KEPT, *CHANGED)}
    return lengths | {"members": int(counters[MEMBERS]), "counters": len(counters)}


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
    """Return which of three secrets distinguish the other two, as bits."""
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
    """Return whether there is room for one more node, of two secrets."""
    counters = graph.counters
    return counters[NODES] < len(graph.node_size) and counters[MEMBERS] + 2 <= len(graph.members)


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
    """Return whether one more guess at a state of this size fits, whatever it leaves.

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
    """Return the constraint on the guesses that follow a guess at a node and its answer."""
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
    ends, part = space.ends, space.part
    ends[: space.game.answers + 1] = 0
    for a in range(begin, begin + size):
        ends[graph.by_secret[graph.members[a], guess] + 1] += 1
    for answer in range(space.game.answers):
        ends[answer + 1] += ends[answer]
    for a in range(begin, begin + size):
        answer = graph.by_secret[graph.members[a], guess]
        part[ends[answer]] = graph.members[a]
        ends[answer] += 1  # from here on, where the part of this answer ends
    first = np.int64(0)
    for answer in range(space.game.answers):
        last = ends[answer]
        if last > first and answer != space.game.found:
            if hard and last - first > 2:
                demand = demand_after(graph, node, guess, answer)
            graph.child[filled] = node_of(graph, part[first:last], demand)
            filled += 1
        first = last
    graph.counters[CHILDREN] = filled
    graph.edge_begin[edge + 1] = filled
    return True
