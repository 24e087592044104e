"""Compiled values of the states of a graph against given weights: the least total of weight times guesses in each.

    value(state) = weight(state) + min over guesses tried of the sum of value(child),

worked out from the smallest states up.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.planning.scan import WORST
from oracular.kernels.planning.tables import NODES, NODES_BETWEEN_LOOKS, SORTED

NO_HOPE = np.int64(0)
"""No hope, as a variable: written out, it would be compiled for a second time."""


@inner
def _least_of_three(first, second, third, kind):
    """Return the value of a state of three secrets with these weights."""
    twice = 2 * (first + second + third)
    least = twice - first + (0 if kind & 1 else min(second, third))
    least = min(least, twice - second + (0 if kind & 2 else min(first, third)))
    return min(least, twice - third + (0 if kind & 4 else min(first, second)))


@inner
def evaluate_in_order(graph, weights, order, hope, stop):
    """Set the values and best edges of some nodes, in this order; all that they lead to must have theirs.

    With hope the value of a state that no best tree has gone through yet is lowered, by `hope` 1024ths of a guess
    for every binary digit of its size: so much may looking further be expected to save there.

    The arrays are taken out of the graph once: handing the whole of it to a function for each node would take longer
    than valuing the node.
    """
    sizes, begins, members, three = graph.node_size, graph.node_begin, graph.members, graph.node_kind
    values, bests, heads, visits = graph.node_value, graph.node_best, graph.node_edge, graph.node_visits
    edge_next, edge_begin, child = graph.edge_next, graph.edge_begin, graph.child
    for place in range(len(order)):
        if place % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            return
        node = order[place]
        size = sizes[node]
        begin = begins[node]
        if size == 1:
            values[node] = weights[members[begin]]
        elif size == 2:
            first, second = weights[members[begin]], weights[members[begin + 1]]
            values[node] = first + second + min(first, second)
        elif size == 3:
            values[node] = _least_of_three(
                weights[members[begin]], weights[members[begin + 1]], weights[members[begin + 2]], three[node]
            )
        else:
            least = WORST
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


@inner
def sort_by_size(graph, space, first, last):
    """Write the nodes from `first` to before `last` into `space.later`, smallest states first."""
    sizes, places, later = graph.node_size, space.places, space.later
    places[:] = 0
    for node in range(first, last):
        places[sizes[node] + 1] += 1
    for size in range(1, len(places)):
        places[size] += places[size - 1]
    for node in range(first, last):
        later[places[sizes[node]]] = node
        places[sizes[node]] += 1


@inner
def order_all(graph, space):
    """Write all nodes into `space.order`, smallest states first: those that lie sorted, between them the later ones."""
    old, count = graph.counters[SORTED], graph.counters[NODES]
    sort_by_size(graph, space, old, count)
    later = space.later[: count - old]
    order = space.order[:count]
    sizes = graph.node_size
    at, filled = 0, 0
    for node in range(old):
        while at < len(later) and sizes[later[at]] < sizes[node]:
            order[filled] = later[at]
            at, filled = at + 1, filled + 1
        order[filled] = node
        filled += 1
    for place in range(at, len(later)):
        order[filled] = later[place]
        filled += 1


@entry_point
def evaluate_all(graph, space, weights, hope):
    """Set the values of all nodes."""
    order_all(graph, space)
    evaluate_in_order(graph, weights, space.order[: graph.counters[NODES]], hope, space.scan.stop)
