"""Compiled search in a graph of states and guesses: valuing it, widening it, reading the best tree off it.

Against given weights the value of a node is the least total of weight times guesses in it,

    value(state) = weight(state) + min over guesses tried of the sum of value(child),

worked out from the smallest states up. A new node is played out to the end at once by its best guess (or few) by
score, so every node has a value. Nodes on the best tree get more guesses to choose from: that is lookahead, and what
it has found stays in the graph for all later weights.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from oracular.kernels.planning.graph import (
    CHILDREN,
    EDGES,
    FOUND,
    FOUND_VALUE,
    LARGE,
    LARGE_WIDTH,
    MEMBERS,
    NEAR,
    NODES,
    ROOT_WIDTH,
    ROUNDS,
    SCANS,
    SHIFT,
    SMALL,
    SMALL_WIDTH,
    SORTED,
    TIES,
    add_edge,
    node_of,
    take_back,
)
from oracular.kernels.planning.splitting import best_guesses
from oracular.kernels.trees import first_state, push_parts
from oracular.settings import MOST_GUESSES


@njit(cache=True, nogil=True)
def scan_node(graph, scratch, weights, node, want):
    """Return how many guesses of a node were found by score, at most `want`; they are in `scratch.kept`."""
    begin, size = graph.node_begin[node], graph.node_size[node]
    shift = np.int32(scratch.settings[SHIFT])
    for a in range(size):
        secret = graph.members[begin + a]
        scratch.state[a] = secret
        scratch.values[a] = (np.int32(weights[secret]) << shift) | np.int32(1)
    graph.counters[SCANS] += 1
    return best_guesses(
        graph.by_secret, graph.guess_of_secret, scratch.settings[FOUND], scratch.state[:size], scratch.values[:size],
        shift, scratch.table, scratch.settings[FOUND_VALUE], scratch.settings[TIES], want, scratch.sums,
        scratch.touched, scratch.costs, scratch.meets, scratch.met_by, scratch.kept, scratch.keys,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _least_of_three(first, second, third, kind):
    """Return the value of a state of three secrets with these weights."""
    twice = 2 * (first + second + third)
    least = twice - first + (0 if kind & 1 else min(second, third))
    least = min(least, twice - second + (0 if kind & 2 else min(first, third)))
    least = min(least, twice - third + (0 if kind & 4 else min(first, second)))
    return min(least, twice) if kind & 8 else least


@njit(cache=True, nogil=True)
def evaluate_in_order(graph, weights, order, hope):
    """Set the values and best edges of some nodes, in this order; all that they lead to must have theirs.

    With hope the value of a state that no best tree has gone through yet is lowered, by `hope` 1024ths of a guess
    for every binary digit of its size: so much may looking further be expected to save there.

    The arrays are taken out of the graph once: handing the whole of it to a function for each node would take longer
    than valuing the node.
    """
    sizes, begins, members, kinds = graph.node_size, graph.node_begin, graph.members, graph.node_kind
    values, bests, heads, visits = graph.node_value, graph.node_best, graph.node_edge, graph.node_visits
    edge_next, edge_begin, child = graph.edge_next, graph.edge_begin, graph.child
    for node in order:
        size = sizes[node]
        begin = begins[node]
        if size == 1:
            values[node] = weights[members[begin]]
        elif size == 2:
            first, second = weights[members[begin]], weights[members[begin + 1]]
            values[node] = first + second + min(first, second)
        elif size == 3:
            values[node] = _least_of_three(
                weights[members[begin]], weights[members[begin + 1]], weights[members[begin + 2]], kinds[node]
            )
        else:
            least = np.int64(2**62)
            best = np.int32(-1)
            edge = heads[node]
            while edge >= 0:
                total = np.int64(0)
                for i in range(edge_begin[edge], edge_begin[edge + 1]):
                    total += values[child[i]]
                if total <= least:  # the oldest of equals: the latest edge comes first
                    least = total
                    best = edge
                edge = edge_next[edge]
            weight = np.int64(0)
            for a in range(begin, begin + size):
                weight += weights[members[a]]
            bests[node] = best
            values[node] = weight + least
            if hope > 0 and visits[node] == 0:
                bits = 0
                while size >> (bits + 1) > 0:
                    bits += 1
                values[node] -= (weight * hope * bits) >> 10


@njit(cache=True, nogil=True)
def by_size(graph, first, last):
    """Return the nodes from `first` to before `last`, smallest states first [nodes]."""
    sizes = graph.by_secret.shape[0] + 2
    places = np.zeros(sizes, np.int64)
    for node in range(first, last):
        places[graph.node_size[node] + 1] += 1
    for size in range(1, sizes):
        places[size] += places[size - 1]
    order = np.empty(last - first, np.int32)
    for node in range(first, last):
        order[places[graph.node_size[node]]] = node
        places[graph.node_size[node]] += 1
    return order


@njit(cache=True, nogil=True)
def evaluate_all(graph, weights, hope):
    """Set the values of all nodes: those that lie sorted by size, and between them those that came later."""
    old, count = graph.counters[SORTED], graph.counters[NODES]
    later = by_size(graph, old, count)
    order = np.empty(count, np.int32)
    sizes = graph.node_size
    at, filled = 0, 0
    for node in range(old):
        while at < len(later) and sizes[later[at]] < sizes[node]:
            order[filled] = later[at]
            at, filled = at + 1, filled + 1
        order[filled] = node
        filled += 1
    order[filled:] = later[at:]
    evaluate_in_order(graph, weights, order, hope)


@njit(cache=True, nogil=True)
def _play_out(graph, scratch, weights, first, small):
    """Give every node from `first` on that has no edge its best guesses by score, and so on to the end.

    States of up to `small` secrets get several guesses, larger ones one. Return whether there was room for all.
    """
    node = first
    while node < graph.counters[NODES]:  # grows as edges are added
        size = graph.node_size[node]
        if size > 3 and graph.node_edge[node] < 0:
            want = scratch.settings[SMALL_WIDTH] if size <= small else 1
            for i in range(scan_node(graph, scratch, weights, node, want)):
                if not add_edge(graph, scratch, node, scratch.kept[i]):
                    return False
        node += 1
    return True


@njit(cache=True, nogil=True)
def play_out_root(graph, scratch, weights, root):
    """Play the root of an empty graph out to the end.

    Where several guesses at the small states do not fit, every state gets one: for that there is always room, see
    `oracular.settings.least_room`.
    """
    nodes, edges, children = graph.counters[NODES], graph.counters[EDGES], graph.counters[CHILDREN]
    members, head = graph.counters[MEMBERS], graph.node_edge[root]
    if not _play_out(graph, scratch, weights, root, scratch.settings[SMALL]):
        take_back(graph, root, head, nodes, edges, children, members)
        _play_out(graph, scratch, weights, root, np.int64(0))


@njit(cache=True, nogil=True)
def has_room(graph, size, width):
    """Tell whether the graph can probably take in `width` more guesses at a state of this size, played out.

    It is an estimate that saves trying; whether they really fit is found out while they are added.
    """
    secrets = graph.by_secret.shape[0]
    more = 12 * size * width + 4 * secrets
    return (
        graph.counters[NODES] + more < len(graph.node_size)
        and graph.counters[EDGES] + more < len(graph.edge_guess)
        and graph.counters[CHILDREN] + 4 * more < len(graph.child)
        and graph.counters[MEMBERS] + 16 * more < len(graph.members)
    )


@njit(cache=True, nogil=True)
def widen(graph, scratch, weights, node, width):
    """Give a node its best `width` guesses by score against these weights, all played out, and value it.

    Where there is no room for all of that, the graph stays as it is.
    """
    if not has_room(graph, graph.node_size[node], width):
        return
    first, edges, children = graph.counters[NODES], graph.counters[EDGES], graph.counters[CHILDREN]
    members, head = graph.counters[MEMBERS], graph.node_edge[node]
    fits = True
    for i in range(scan_node(graph, scratch, weights, node, width)):
        fits = fits and add_edge(graph, scratch, node, scratch.kept[i])
    if not (fits and _play_out(graph, scratch, weights, first, scratch.settings[SMALL])):
        take_back(graph, node, head, first, edges, children, members)
        return
    evaluate_in_order(graph, weights, by_size(graph, first, graph.counters[NODES]), 0)
    evaluate_in_order(graph, weights, np.full(1, node, np.int32), 0)


@njit(cache=True, nogil=True)
def _visit(graph, scratch, weights, node, width, often):
    """Count a visit to a node and widen it at the first, and at visits `often`, `often` squared, and so on.

    Each time it gets twice as many guesses as the time before, the best by score against the weights of the day.
    Return whether it was widened.
    """
    graph.node_visits[node] += 1
    visits = graph.node_visits[node]
    wanted = width
    if graph.node_size[node] == graph.by_secret.shape[0]:
        wanted = scratch.settings[ROOT_WIDTH]
    elif graph.node_size[node] > scratch.settings[LARGE]:
        wanted = scratch.settings[LARGE_WIDTH]
    while visits > 1 and visits % often == 0:
        visits //= often
        wanted *= 2
    if visits == 1:
        widen(graph, scratch, weights, node, min(wanted, MOST_GUESSES))
    return visits == 1


@njit(cache=True, nogil=True)
def explore(graph, scratch, weights, root, width, often):
    """Widen the nodes of the best tree from the root down: lookahead. Values must be up to date."""
    sizes, rounds, bests, heads, values = (
        graph.node_size, graph.node_round, graph.node_best, graph.node_edge, graph.node_value,
    )  # fmt: skip
    edge_next, edge_begin, edge_round, child = graph.edge_next, graph.edge_begin, graph.edge_round, graph.child
    stack = scratch.todo
    stack[0] = root
    count = 1
    graph.counters[ROUNDS] += 1
    this_round = graph.counters[ROUNDS]
    while count > 0:
        count -= 1
        node = np.int64(stack[count])
        if sizes[node] <= 3 or rounds[node] == this_round:
            continue
        rounds[node] = this_round
        _visit(graph, scratch, weights, node, width, often)
        best = bests[node]
        least = np.int64(0)
        for i in range(edge_begin[best], edge_begin[best + 1]):
            least += values[child[i]]
        near = least + (values[node] - least) * scratch.settings[NEAR] // 1024
        edge = heads[node]
        while edge >= 0:
            total = np.int64(0)
            for i in range(edge_begin[edge], edge_begin[edge + 1]):
                total += values[child[i]]
            if total <= near:
                edge_round[edge] = this_round
            edge = edge_next[edge]
        for i in range(edge_begin[best], edge_begin[best + 1]):
            stack[count] = child[i]
            count += 1


@njit(cache=True, nogil=True)
def _guess_of_few(graph, weights, node):
    """Return the best guess at a state of one to three secrets."""
    begin, size = graph.node_begin[node], graph.node_size[node]
    first = graph.members[begin]
    if size == 1:
        return graph.guess_of_secret[first]
    second = graph.members[begin + 1]
    if size == 2:
        return graph.guess_of_secret[first if weights[first] >= weights[second] else second]
    third = graph.members[begin + 2]
    kind = graph.node_kind[node]
    least, best = np.int64(2**62), first
    for a in range(3):
        mine = graph.members[begin + a]
        one, other = graph.members[begin + (a + 1) % 3], graph.members[begin + (a + 2) % 3]
        cost = -weights[mine] + (0 if kind & (1 << a) else min(weights[one], weights[other]))
        if cost < least:
            least, best = cost, mine
    if kind & 8 and least > 0:
        rows = graph.by_secret
        for guess in range(rows.shape[1]):
            x, y, z = rows[first, guess], rows[second, guess], rows[third, guess]
            if x not in (y, z) and y != z:
                return np.int32(guess)
    return graph.guess_of_secret[best]


@njit(cache=True, nogil=True)
def read_tree(graph, weights, root, found, depths, guesses):
    """Fill in the depths of the best tree [secrets] and return how many guesses were written.

    `guesses` gets the guess at every state of two or more secrets, a state before what follows from it and the parts
    in the order of their answers: fewer guesses than secrets. Every state on the way has its node already.
    """
    secrets = graph.by_secret.shape[0]
    order, held, stack = first_state(secrets)
    count, written = 1, 0
    while count > 0:
        count -= 1
        begin, end, level = stack[count, 0], stack[count, 1], stack[count, 2]
        if end - begin == 1:
            depths[order[begin]] = level
            continue
        node = node_of(graph, order[begin:end])
        guess = _guess_of_few(graph, weights, node) if end - begin <= 3 else graph.edge_guess[graph.node_best[node]]
        guesses[written] = guess
        written += 1
        count = push_parts(graph.by_secret, found, guess, begin, end, level, order, held, stack, count, depths)
    return written
