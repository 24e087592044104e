"""Compiled tidying and restoring of a graph of states and guesses: a new graph is filled from another.

*Tidying* forgets what never pays, and puts the rest in order.

Guesses that have not been nearly best for some rounds are dropped, then every state that nothing leads to. What is
left is written into another graph, smallest states first and the guesses of a state side by side, so that valuing it
reads memory from one end to the other: several times faster than in the order of discovery. The old graph stays as it
was, so that tidying may be stopped at any moment.

*Restoring* fills a graph from what a file says of one. Nothing in the file is believed: its states and guesses are
added one after the other as a search would add them, so that all that follows from them is computed again, and each
number is checked before it is used.
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
    NODES_BETWEEN_LOOKS,
    ROUNDS,
    SCANS,
    SORTED,
    add_edge,
    found_secret,
    node_of,
)

MOST_ROUNDS = 2**31 - 2
"""Rounds are kept in 32 bits."""


@inner
def _is_kept(graph, node, edge, oldest):
    """Return whether an edge stays: its node was never on a best tree, or it was nearly best of late."""
    return graph.node_visits[node] == 0 or edge == graph.node_best[node] or graph.edge_round[edge] >= oldest


@allocating_inner
def _reachable(graph, root, oldest, stop):
    """Return the nodes that kept edges lead to, and the single secrets, smallest states first [kept]."""
    secrets = graph.by_secret.shape[0]
    kept = np.zeros(graph.counters[NODES], np.bool_)
    kept[:secrets] = True
    kept[root] = True
    stack = np.empty(graph.counters[NODES], np.int32)  # each node is put there once at most
    stack[0] = root
    count, seen = 1, 0
    while count > 0:
        seen += 1
        if seen % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            break
        count -= 1
        node = stack[count]
        edge = graph.node_edge[node]
        while edge >= 0:
            if _is_kept(graph, node, edge, oldest):
                for i in range(graph.edge_begin[edge], graph.edge_begin[edge + 1]):
                    if not kept[graph.child[i]]:
                        kept[graph.child[i]] = True
                        stack[count] = graph.child[i]
                        count += 1
            edge = graph.edge_next[edge]
    places = np.zeros(secrets + 2, np.int64)
    for node in range(len(kept)):
        if kept[node]:
            places[graph.node_size[node] + 1] += 1
    for size in range(1, secrets + 2):
        places[size] += places[size - 1]
    order = np.empty(places[secrets + 1], np.int32)
    for node in range(len(kept)):
        if kept[node]:
            order[places[graph.node_size[node]]] = node
            places[graph.node_size[node]] += 1
    return order


@allocating_inner
def _copy_edges(graph, tidied, order, oldest, stop):
    """Copy the kept edges into the tidied graph, those of a node side by side and the oldest first."""
    new_number = np.full(graph.counters[NODES], -1, np.int32)
    for place in range(len(order)):
        new_number[order[place]] = place
    held = np.empty(graph.by_secret.shape[1], np.int32)  # a node has each guess once at most
    edges, children = 0, 0
    for place in range(len(order)):
        if place % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            break
        node = order[place]
        count = 0
        edge = graph.node_edge[node]
        while edge >= 0:
            if _is_kept(graph, node, edge, oldest):
                held[count] = edge
                count += 1
            edge = graph.edge_next[edge]
        tidied.node_edge[place] = -1
        tidied.node_best[place] = -1
        for i in range(count - 1, -1, -1):
            old = held[i]
            tidied.edge_guess[edges] = graph.edge_guess[old]
            tidied.edge_found[edges] = graph.edge_found[old]
            tidied.edge_round[edges] = graph.edge_round[old]
            tidied.edge_next[edges] = tidied.node_edge[place]
            tidied.node_edge[place] = edges
            if old == graph.node_best[node]:
                tidied.node_best[place] = edges
            for j in range(graph.edge_begin[old], graph.edge_begin[old + 1]):
                tidied.child[children] = new_number[graph.child[j]]
                children += 1
            edges += 1
            tidied.edge_begin[edges] = children
    tidied.counters[EDGES] = edges
    tidied.counters[CHILDREN] = children


@inner
def _copy_nodes(graph, tidied, order, stop):
    """Copy the kept nodes into the tidied graph."""
    filled = 0
    for place in range(len(order)):
        if place % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            break
        node = order[place]
        begin, size = graph.node_begin[node], graph.node_size[node]
        tidied.node_name[place] = graph.node_name[node]
        tidied.node_begin[place] = filled
        tidied.node_size[place] = size
        tidied.node_demand[place] = graph.node_demand[node]
        tidied.node_visits[place] = graph.node_visits[node]
        tidied.node_round[place] = graph.node_round[node]
        tidied.node_value[place] = graph.node_value[node]
        tidied.node_kind[place] = graph.node_kind[node]
        tidied.node_looked[place] = graph.node_looked[node]
        tidied.node_apart[place] = graph.node_apart[node]
        for a in range(begin, begin + size):
            tidied.members[filled] = graph.members[a]
            filled += 1
    tidied.counters[MEMBERS] = filled
    tidied.counters[NODES] = tidied.counters[SORTED] = len(order)


@inner
def _enter_all(graph, stop):
    """Enter every node into the graph's empty hash table."""
    mask = np.int64(len(graph.slots) - 1)
    for node in range(graph.counters[NODES]):
        if node % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            break
        if graph.node_size[node] > 1:
            name = graph.node_name[node]
            slot = (name ^ (name >> 29)) & mask
            while graph.slots[slot] >= 0:
                slot = (slot + 1) & mask
            graph.slots[slot] = node


@allocating_entry_point
def compact(graph, tidied, root, patience, stop):
    """Return the root's number in the tidied graph, which was empty: all but what was not nearly best for long.

    Args:
        graph: the graph, which stays as it is.
        tidied: gets the rest of it.
        root: the node of the start.
        patience: a guess that was not nearly best in this many rounds is left out.
        stop: the flag that stops the work; the tidied graph is then of no use.
    """
    oldest = graph.counters[ROUNDS] - patience
    order = _reachable(graph, root, oldest, stop)
    _copy_edges(graph, tidied, order, oldest, stop)
    _copy_nodes(graph, tidied, order, stop)
    tidied.counters[ROUNDS], tidied.counters[SCANS] = graph.counters[ROUNDS], graph.counters[SCANS]
    _enter_all(tidied, stop)
    return np.int64(len(order) - 1)  # the state of all secrets is the largest


@inner
def _is_allowed(graph, node, guess, found):
    """Return whether a guess is allowed at a node."""
    guessing = graph.guessing
    if guessing.rule == POSSIBLE:
        return found_secret(graph, node, guess, found) < graph.by_secret.shape[0]
    return guessing.rule != HARD or meets(guessing.letters, graph.node_demand[node], guess)


@inner
def _restore_nodes(saved, graph, space):
    """Add the saved states to a graph that has only the single secrets, and return whether they can be its states."""
    secrets, rounds = np.int64(graph.by_secret.shape[0]), graph.counters[ROUNDS]
    filled = np.int64(0)
    for node in range(saved.counters[NODES]):
        size, demand = np.int64(saved.node_size[node]), np.int64(saved.node_demand[node])
        if space.scan.stop[0] or not 1 <= size <= secrets or filled + size > saved.counters[MEMBERS]:
            return False
        if (size == 1) != (node < secrets) or (demand != 0 and (graph.guessing.rule != HARD or size <= 2)):
            return False
        for a in range(size):
            secret = np.int64(saved.members[filled + a])
            if secret >= secrets or (a > 0 and secret <= space.state[a - 1]) or (size == 1 and secret != node):
                return False
            space.state[a] = secret
        filled += size
        if node_of(graph, space.state[:size], demand) != node:  # it was there already
            return False
        if 0 < node < saved.counters[SORTED] and size < graph.node_size[node - 1]:
            return False
        if not (0 <= saved.node_visits[node] <= rounds and 0 <= saved.node_round[node] <= rounds):
            return False
        graph.node_visits[node], graph.node_round[node] = saved.node_visits[node], saved.node_round[node]
        graph.node_looked[node] = saved.node_looked[node]
    return filled == saved.counters[MEMBERS]


@inner
def _restore_edges(saved, graph, space, owner):
    """Add the saved guesses in their order, and return whether they can be those of the states."""
    for edge in range(saved.counters[EDGES]):
        node, guess = owner[edge], saved.edge_guess[edge]
        if space.scan.stop[0] or not 0 <= guess < graph.by_secret.shape[1]:
            return False
        if not 0 <= saved.edge_round[edge] <= graph.counters[ROUNDS]:
            return False
        if not _is_allowed(graph, node, guess, space.game.found) or not add_edge(graph, space, node, guess):
            return False
        if graph.counters[EDGES] != edge + 1 or graph.counters[NODES] != saved.counters[NODES]:
            return False  # the guess is there twice, or leaves a state that was not saved
        for i in range(graph.edge_begin[edge], graph.edge_begin[edge + 1]):
            if graph.node_size[graph.child[i]] == graph.node_size[node]:  # it distinguishes nothing
                return False
        graph.edge_round[edge] = saved.edge_round[edge]
    return graph.counters[CHILDREN] == saved.counters[CHILDREN]


@allocating_entry_point
def restore(saved, graph, space, root):
    """Fill a new graph with the states and guesses of a saved one, and return whether a search can have left them so.

    The saved arrays must be as long as the counters say. If the flag stops the work, that is False too.
    """
    counters, secrets = saved.counters, saved.by_secret.shape[0]
    if not secrets <= counters[SORTED] <= counters[NODES] or not 0 <= counters[ROUNDS] <= MOST_ROUNDS:
        return False
    graph.counters[ROUNDS], graph.counters[SCANS] = counters[ROUNDS], counters[SCANS]
    if counters[SCANS] < 0 or not _restore_nodes(saved, graph, space):
        return False
    graph.counters[SORTED] = counters[SORTED]
    if not 0 <= root < counters[NODES] or graph.node_size[root] != secrets or graph.node_demand[root] != 0:
        return False
    owner, listed = np.full(counters[EDGES], -1, np.int64), np.int64(0)
    for node in range(counters[NODES]):
        edge, before, best = np.int64(saved.node_edge[node]), counters[EDGES], saved.node_best[node]
        if (edge < 0) == (graph.node_size[node] > 3) and not (node == root and counters[EDGES] == 0):
            return False
        while edge != -1:  # a list's edges come latest first, so none can be there twice
            if not 0 <= edge < before or owner[edge] >= 0:
                return False
            owner[edge] = node
            listed += 1
            before, edge = edge, np.int64(saved.edge_next[edge])
        if best != -1 if saved.node_edge[node] < 0 else not 0 <= best < counters[EDGES] or owner[best] != node:
            return False
    if listed != counters[EDGES] or not _restore_edges(saved, graph, space, owner):
        return False
    graph.node_best[: counters[NODES]] = saved.node_best[: counters[NODES]]
    return True
