"""Compiled check of a graph of states and guesses that was read from a file: nothing in it is believed.

The kernels that search a graph follow its numbers without looking at them twice. So each of them is compared here with
what it must be, in one pass over the nodes and one over the edges, before any other kernel sees the graph; an index is
compared with its range before it is used. What is left out follows from the rest or is worked out anew before it is
read: the values of the nodes, and the hash table.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, allocating_inner, inner
from oracular.kernels.guessing import HARD, POSSIBLE, meets
from oracular.kernels.planner_graph import (
    CHILDREN,
    EDGES,
    MEMBERS,
    NODES,
    ROUNDS,
    SCANS,
    SORTED,
    demand_after,
    found_secret,
    kind_of_three,
    name_of_demand,
)

FAULTS = (
    "",
    "a counter is out of range",
    "a state's secrets are not in order",
    "a state's name is not that of its secrets",
    "a state is there twice",
    "a state of three secrets is of the wrong kind",
    "the sorted states are not sorted",
    "a count of rounds is out of range",
    "a state's guesses are no list",
    "a guess is out of range or there twice",
    "a state's best guess is none of its guesses",
    "a guess does not leave the states that the answers tell",
    "the first state is not that of all secrets",
    "a state's demand is none that it can have",
    "a guess is not allowed",
)
"""What `fault_of_graph` finds, by number."""

MOST_ROUNDS = 2**31 - 2
"""Rounds are kept in 32 bits."""


@inner
def _fault_of_counters(graph):
    """Return 1 where the counters do not fit each other or the game."""
    counters, secrets = graph.counters, graph.by_secret.shape[0]
    if not (secrets <= counters[SORTED] <= counters[NODES] and 0 <= counters[ROUNDS] <= MOST_ROUNDS):
        return 1
    return 0 if counters[SCANS] >= 0 else 1


@inner
def _kind_of(graph, begin):
    """Return the kind of a state of three secrets, by where they begin."""
    members = graph.members
    return kind_of_three(graph, np.int32(members[begin]), np.int32(members[begin + 1]), np.int32(members[begin + 2]))


@inner
def _fault_of_nodes(graph):
    """Return what is wrong with the states, or 0; afterwards all their secrets may be read."""
    secrets, members = graph.by_secret.shape[0], graph.members
    filled = np.int64(0)
    for node in range(graph.counters[NODES]):
        size = np.int64(graph.node_size[node])
        if graph.node_begin[node] != filled or not 1 <= size <= secrets or filled + size > graph.counters[MEMBERS]:
            return 2
        if (size == 1) != (node < secrets) or (size == 1 and members[filled] != node):
            return 2
        demand = np.int64(graph.node_demand[node])
        if demand != 0 and (graph.guessing.rule != HARD or size <= 2):
            return 13
        name = np.int64(name_of_demand(demand))
        for a in range(filled, filled + size):
            if members[a] >= secrets or (a > filled and members[a] <= members[a - 1]):
                return 2
            name ^= graph.names[members[a]]
        if size > 1 and graph.node_name[node] != name:
            return 3
        if size == 3 and graph.node_kind[node] != _kind_of(graph, filled):
            return 5
        if 0 < node < graph.counters[SORTED] and size < graph.node_size[node - 1]:
            return 6
        visits, last = graph.node_visits[node], graph.node_round[node]
        if not (0 <= visits <= graph.counters[ROUNDS] and 0 <= last <= graph.counters[ROUNDS]):
            return 7
        filled += size
    return 0 if filled == graph.counters[MEMBERS] else 2


@inner
def _same_members(graph, one, other):
    """Tell whether two nodes are the same state."""
    size = graph.node_size[one]
    if graph.node_size[other] != size or graph.node_demand[other] != graph.node_demand[one]:
        return False
    for a in range(size):
        if graph.members[graph.node_begin[one] + a] != graph.members[graph.node_begin[other] + a]:
            return False
    return True


@allocating_inner
def _fault_of_doubles(graph):
    """Return 4 where a state is there twice, else 0."""
    slots = np.int64(1)
    while slots <= 2 * graph.counters[NODES]:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    for node in range(graph.by_secret.shape[0], graph.counters[NODES]):
        name = graph.node_name[node]
        slot = (name ^ (name >> 29)) & (slots - 1)
        while table[slot] >= 0:
            if graph.node_name[table[slot]] == name and _same_members(graph, node, table[slot]):
                return 4
            slot = (slot + 1) & (slots - 1)
        table[slot] = node
    return 0


@inner
def _is_allowed(graph, node, guess, found):
    """Tell whether a guess is allowed at a node."""
    guessing = graph.guessing
    if guessing.rule == POSSIBLE:
        return found_secret(graph, node, guess, found) < graph.by_secret.shape[0]
    return guessing.rule != HARD or meets(guessing.letters, graph.node_demand[node], guess)


@allocating_inner
def _fault_of_lists(graph, root, found, owner):
    """Return what is wrong with the lists of guesses, or 0; `owner` [edges] gets the node that each belongs to."""
    guesses, edges = graph.by_secret.shape[1], graph.counters[EDGES]
    seen = np.full(guesses, -1, np.int64)
    listed = np.int64(0)
    for node in range(graph.counters[NODES]):
        edge, before = np.int64(graph.node_edge[node]), edges
        if edge < 0 and graph.node_size[node] > 3 and not (node == root and edges == 0):
            return 8
        if edge >= 0 and graph.node_size[node] <= 3:
            return 8
        while edge != -1:  # a list's edges come latest first, so none can be there twice
            if not 0 <= edge < before or owner[edge] >= 0:
                return 8
            owner[edge] = node
            listed += 1
            guess = graph.edge_guess[edge]
            if not 0 <= guess < guesses or seen[guess] == node:
                return 9
            seen[guess] = node
            if not _is_allowed(graph, node, guess, found):
                return 14
            if not 0 <= graph.edge_round[edge] <= graph.counters[ROUNDS]:
                return 7
            before, edge = edge, np.int64(graph.edge_next[edge])
        best = graph.node_best[node]
        if graph.node_edge[node] < 0:
            if best != -1:
                return 10
        elif not 0 <= best < edges or owner[best] != node:
            return 10
    return 0 if listed == edges else 8


@allocating_inner
def _fault_of_children(graph, found, answers, owner):
    """Return 11 where some guess does not leave just the states that the table of answers tells, else 0."""
    counts, places = np.zeros(answers, np.int64), np.zeros(answers, np.int64)
    if graph.edge_begin[0] != 0 or graph.edge_begin[graph.counters[EDGES]] != graph.counters[CHILDREN]:
        return 11
    for edge in range(graph.counters[EDGES]):
        node, guess, at, end = owner[edge], graph.edge_guess[edge], graph.edge_begin[edge], graph.edge_begin[edge + 1]
        begin, size = graph.node_begin[node], np.int64(graph.node_size[node])
        if not 0 <= at <= end <= graph.counters[CHILDREN]:
            return 11
        counts[:] = 0
        for a in range(begin, begin + size):
            counts[graph.by_secret[graph.members[a], guess]] += 1
        for answer in range(answers):
            if answer == found or counts[answer] == 0:
                continue
            if at == end or not 0 <= graph.child[at] < graph.counters[NODES]:
                return 11
            part = graph.child[at]
            if graph.node_size[part] != counts[answer] or counts[answer] == size:
                return 11
            asked = graph.guessing.rule == HARD and counts[answer] > 2
            if graph.node_demand[part] != (demand_after(graph, node, guess, answer) if asked else np.int64(0)):
                return 13
            places[answer] = graph.node_begin[part]
            at += 1
        if at != end:
            return 11
        for a in range(begin, begin + size):
            secret = graph.members[a]
            answer = graph.by_secret[secret, guess]
            if answer != found:
                if graph.members[places[answer]] != secret:
                    return 11
                places[answer] += 1
    return 0


@allocating_entry_point
def fault_of_graph(graph, root, found, answers):
    """Return the number of what is wrong with a graph, or 0 where every kernel may be given it.

    Its arrays must be as long as the counters say; `slots` is not looked at.
    """
    fault = _fault_of_counters(graph)
    if fault == 0:
        fault = _fault_of_nodes(graph)
    if fault == 0:
        fault = _fault_of_doubles(graph)
    if fault:
        return fault
    secrets = graph.by_secret.shape[0]
    if not 0 <= root < graph.counters[NODES] or graph.node_size[root] != secrets or graph.node_demand[root]:
        return 12
    owner = np.full(graph.counters[EDGES], -1, np.int64)
    fault = _fault_of_lists(graph, root, found, owner)
    return fault if fault else _fault_of_children(graph, found, answers, owner)
