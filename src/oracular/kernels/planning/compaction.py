"""Compiled tidying of a graph of states and guesses: forget what never pays, and put the rest in order.

Guesses that have not been nearly best for some rounds are dropped, then every state that nothing leads to. What is
left is numbered afresh, smallest states first and the guesses of a state side by side, so that valuing the graph
reads memory from one end to the other: several times faster than in the order of discovery.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from oracular.kernels.planning.graph import CHILDREN, EDGES, MEMBERS, NODES, ROUNDS, SORTED


@njit(cache=True, nogil=True)
def _is_kept(graph, node, edge, oldest):
    """Tell whether an edge stays: its node was never on a best tree, or it was nearly best of late."""
    return graph.node_visits[node] == 0 or edge == graph.node_best[node] or graph.edge_round[edge] >= oldest


@njit(cache=True, nogil=True)
def _reachable(graph, root, oldest):
    """Return the nodes that kept edges lead to, and the single secrets, smallest states first [kept]."""
    secrets = graph.by_secret.shape[0]
    kept = np.zeros(graph.counters[NODES], np.bool_)
    kept[:secrets] = True
    kept[root] = True
    stack = np.empty(graph.counters[NODES], np.int32)  # each node is put there once at most
    stack[0] = root
    count = 1
    while count > 0:
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


@njit(cache=True, nogil=True)
def _move_edges(graph, order, new_number, oldest):
    """Renumber the kept edges, those of a node side by side and the oldest first."""
    edge_guess, edge_round = (
        graph.edge_guess[: graph.counters[EDGES]].copy(),
        graph.edge_round[: graph.counters[EDGES]].copy(),
    )
    edge_next, edge_begin = (
        graph.edge_next[: graph.counters[EDGES]].copy(),
        graph.edge_begin[: graph.counters[EDGES] + 1].copy(),
    )
    child = graph.child[: graph.counters[CHILDREN]].copy()
    heads, bests = graph.node_edge[: graph.counters[NODES]].copy(), graph.node_best[: graph.counters[NODES]].copy()
    held = np.empty(graph.by_secret.shape[1], np.int32)  # a node has each guess once at most
    edges, children = 0, 0
    for place in range(len(order)):
        node = order[place]
        count = 0
        edge = heads[node]
        while edge >= 0:
            if graph.node_visits[node] == 0 or edge == bests[node] or edge_round[edge] >= oldest:
                held[count] = edge
                count += 1
            edge = edge_next[edge]
        graph.node_edge[place] = -1
        graph.node_best[place] = -1
        for i in range(count - 1, -1, -1):
            old = held[i]
            graph.edge_guess[edges] = edge_guess[old]
            graph.edge_round[edges] = edge_round[old]
            graph.edge_next[edges] = graph.node_edge[place]
            graph.node_edge[place] = edges
            if old == bests[node]:
                graph.node_best[place] = edges
            for j in range(edge_begin[old], edge_begin[old + 1]):
                graph.child[children] = new_number[child[j]]
                children += 1
            edges += 1
            graph.edge_begin[edges] = children
    graph.counters[EDGES] = edges
    graph.counters[CHILDREN] = children


@njit(cache=True, nogil=True)
def enter_all(graph):
    """Enter every node into an empty hash table."""
    graph.slots[:] = -1
    mask = np.int64(len(graph.slots) - 1)
    for node in range(graph.counters[NODES]):
        if graph.node_size[node] > 1:
            name = graph.node_name[node]
            slot = (name ^ (name >> 29)) & mask
            while graph.slots[slot] >= 0:
                slot = (slot + 1) & mask
            graph.slots[slot] = node


@njit(cache=True, nogil=True)
def _move_nodes(graph, order):
    """Renumber the kept nodes and enter them into the hash table anew."""
    count = graph.counters[NODES]
    begins, members = graph.node_begin[:count].copy(), graph.members[: graph.counters[MEMBERS]].copy()
    graph.node_name[: len(order)] = graph.node_name[:count].copy()[order]
    graph.node_size[: len(order)] = graph.node_size[:count].copy()[order]
    graph.node_visits[: len(order)] = graph.node_visits[:count].copy()[order]
    graph.node_round[: len(order)] = graph.node_round[:count].copy()[order]
    graph.node_value[: len(order)] = graph.node_value[:count].copy()[order]
    graph.node_kind[: len(order)] = graph.node_kind[:count].copy()[order]
    graph.node_visits[len(order) : count] = 0
    graph.node_round[len(order) : count] = 0
    graph.node_edge[len(order) : count] = -1
    graph.node_best[len(order) : count] = -1
    filled = 0
    for place in range(len(order)):
        begin = begins[order[place]]
        graph.node_begin[place] = filled
        for a in range(graph.node_size[place]):
            graph.members[filled] = members[begin + a]
            filled += 1
    graph.counters[MEMBERS] = filled
    graph.counters[NODES] = graph.counters[SORTED] = len(order)
    enter_all(graph)


@njit(cache=True, nogil=True)
def compact(graph, root, patience):
    """Return the root's new number after dropping what was not nearly best in the last `patience` rounds."""
    oldest = graph.counters[ROUNDS] - patience
    order = _reachable(graph, root, oldest)
    new_number = np.full(graph.counters[NODES], -1, np.int32)
    for place in range(len(order)):
        new_number[order[place]] = place
    _move_edges(graph, order, new_number, oldest)
    _move_nodes(graph, order)
    return np.int64(new_number[root])
