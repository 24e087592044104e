"""Compiled values of a graph of states and guesses for each guess number: what any objective but the mean needs.

A secret costs what it costs to find it at guess 1, 2, …: a number for each, which never falls and is the same from the
last column on. So the value of a state depends on the number of the next guess there, which is t + 1:

    V(state, t) = min over guesses tried of cost(secret that it finds, t) + sum of V(part, t + 1) over the parts.

The values of a node lie side by side, so that all columns are added up at once. What is kept of a node in column t is
V(node, t + 1), what it adds to a guess that is made at column t: so no sum has to look to the side. No value is larger
than the last column's sum, so all of them fit into 32 bits where that does. The best edge of a node is not kept: it is
asked for on the way through one tree alone, and soon found again.

States of up to three secrets have no edges. Of two, either is guessed. Of three, one that tells the others apart is
best; where none does, a guess that is none of them but tells all apart may be better than finding one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.guessing import ANY, POSSIBLE, meets
from oracular.kernels.planning.scan import WORST
from oracular.kernels.planning.tables import NODES, NODES_BETWEEN_LOOKS
from oracular.kernels.planning.values import order_all

UNIT = 1 << 12
"""What stands for one in a table of shares."""

FAR = 3
"""The costs are kept for so many columns more than the values: a state of three secrets is valued at once."""

MOST_TOTAL = 2**31 - 1
"""The costs of the last column sum to this at most."""


class Layers(NamedTuple):
    """What is needed to value a graph for each guess number.

    Attributes:
        costs: what it costs to find each secret at each guess; a row of zeros stands for no secret, int32
            [secrets + 1, columns + FAR].
        values: what each node costs at the column after each, int32 [nodes, columns].
        missed: which share of a state is not yet found after so many more guesses, by its size, in 4096ths, int32
            [columns + 1, secrets + 1].
        level: the column at which a new node was met, int32 [nodes].
        seen: a stamp for each node that was reached in a walk, int32 [nodes].
        stamp: the latest stamp, int32 [1].
        rises: working space, int64 [columns].
        wants: likewise, float64 [secrets].
        table: likewise, the score's table of a scan, int64 [secrets + 1].
        total: likewise, int32 [columns].
        least: likewise.
        heights: the columns of the states in `PlanningSpace.todo`, int32 [secrets].
    """

    costs: NDArray[np.int32]
    values: NDArray[np.int32]
    missed: NDArray[np.int32]
    level: NDArray[np.int32]
    seen: NDArray[np.int32]
    stamp: NDArray[np.int32]
    rises: NDArray[np.int64]
    wants: NDArray[np.float64]
    table: NDArray[np.int64]
    total: NDArray[np.int32]
    least: NDArray[np.int32]
    heights: NDArray[np.int32]


def padded(columns: int) -> int:
    """Return how many columns are worked out where so many are wanted: whole vectors are fastest."""
    return 8 if columns <= 8 else -(-columns // 16) * 16


def new_layers(secrets: int, columns: int, nodes: int, missed: NDArray[np.int32]) -> Layers:
    """Return space to value so many nodes in so many columns, `padded`; memory is taken only as it is used."""
    return Layers(
        costs=np.zeros((secrets + 1, columns + FAR), np.int32),
        values=np.zeros((nodes, columns), np.int32),
        missed=missed,
        level=np.zeros(nodes, np.int32),
        seen=np.zeros(nodes, np.int32),
        stamp=np.zeros(1, np.int32),
        rises=np.zeros(columns, np.int64),
        wants=np.zeros(secrets, np.float64),
        table=np.zeros(secrets + 1, np.int64),
        total=np.zeros(columns, np.int32),
        least=np.zeros(columns, np.int32),
        heights=np.zeros(secrets, np.int32),
    )


@inner
def separator(graph, node):
    """Return the first allowed guess that tells the three secrets of a node apart, or -1.

    It is asked for only where none of the three does.
    """
    guessing, demand = graph.guessing, graph.node_demand[node]
    if guessing.rule == POSSIBLE:
        return -1
    begin = graph.node_begin[node]
    first = graph.by_secret[graph.members[begin]]
    second, third = graph.by_secret[graph.members[begin + 1]], graph.by_secret[graph.members[begin + 2]]
    for guess in range(len(first)):
        apart = first[guess] != second[guess] and first[guess] != third[guess] and second[guess] != third[guess]
        if apart and (guessing.rule == ANY or meets(guessing.letters, demand, guess)):
            return guess
    return -1


@inner
def are_told_apart(graph, node):
    """Tell whether some guess tells the three secrets of a node apart; what was found out is kept."""
    if graph.node_apart[node] == 0:
        graph.node_apart[node] = 2 if graph.node_kind[node] != 0 or separator(graph, node) >= 0 else 1
    return graph.node_apart[node] == 2


@inner
def _value_three(graph, values, costs, node):
    """Set the values of a state of three secrets."""
    begin, kind = graph.node_begin[node], graph.node_kind[node]
    first, second, third = graph.members[begin], graph.members[begin + 1], graph.members[begin + 2]
    apart = are_told_apart(graph, node)
    by_first, by_second, by_third = kind & 1 != 0, kind & 2 != 0, kind & 4 != 0
    for k in range(values.shape[1]):
        a, b, c = costs[first, k + 2], costs[second, k + 2], costs[third, k + 2]
        last_a, last_b, last_c = costs[first, k + 3] - a, costs[second, k + 3] - b, costs[third, k + 3] - c
        least = costs[first, k + 1] - a + (0 if by_first else min(last_b, last_c))
        least = min(least, costs[second, k + 1] - b + (0 if by_second else min(last_a, last_c)))
        least = min(least, costs[third, k + 1] - c + (0 if by_third else min(last_a, last_b)))
        values[node, k] = a + b + c + (min(least, 0) if apart else least)


@inner
def value_in_order(graph, layers, order, hope, stop):
    """Set the values of some nodes, in this order; all that they lead to must have theirs.

    With hope the value of a state that no best tree has gone through yet is lowered: by `hope` 1024ths of what one
    guess more would cost there, for every binary digit of its size.
    """
    sizes, begins, members = graph.node_size, graph.node_begin, graph.members
    heads, visits, bests, found = graph.node_edge, graph.node_visits, graph.node_best, graph.edge_found
    edge_next, edge_begin, child = graph.edge_next, graph.edge_begin, graph.child
    costs, values, total, least = layers.costs, layers.values, layers.total, layers.least
    columns = values.shape[1]
    for place in range(len(order)):
        if place % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            return
        node = order[place]
        size, begin = sizes[node], begins[node]
        if size == 1:
            only = members[begin]
            for k in range(columns):
                values[node, k] = costs[only, k + 1]
        elif size == 2:
            first, second = members[begin], members[begin + 1]
            for k in range(columns):
                values[node, k] = min(
                    costs[first, k + 1] + costs[second, k + 2], costs[second, k + 1] + costs[first, k + 2]
                )
        elif size == 3:
            _value_three(graph, values, costs, node)
        else:
            for k in range(columns):
                least[k] = MOST_TOTAL
            edge = heads[node]
            if bests[node] < 0:
                bests[node] = edge
            while edge >= 0:
                for k in range(columns):
                    total[k] = costs[found[edge], k]
                for i in range(edge_begin[edge], edge_begin[edge + 1]):
                    part = child[i]
                    for k in range(columns):
                        total[k] += values[part, k]
                for k in range(columns):
                    least[k] = min(least[k], total[k])
                edge = edge_next[edge]
            for k in range(columns - 1):
                values[node, k] = least[k + 1]
            values[node, columns - 1] = least[columns - 1]
            if hope > 0 and visits[node] == 0:
                bits = 0
                while size >> (bits + 1) > 0:
                    bits += 1
                for k in range(columns - 1):
                    saved = (max(np.int64(values[node, k + 1]) - values[node, k], 0) * hope * bits) >> 10
                    values[node, k] -= min(saved, np.int64(values[node, k]))


@entry_point
def value_all(graph, space, layers, hope):
    """Set the values of all nodes."""
    order_all(graph, space)
    value_in_order(graph, layers, space.order[: graph.counters[NODES]], hope, space.scan.stop)


@entry_point
def value_below(graph, space, layers, start):
    """Set the values of a node and of all that it leads to."""
    layers.stamp[0] += 1
    stamp, seen, sizes, places = layers.stamp[0], layers.seen, graph.node_size, space.places
    stack, count, taken = space.order, 1, 0
    stack[0] = start
    seen[start] = stamp
    places[:] = 0
    while count > taken:  # a queue: what was taken out stays where it is
        node = stack[taken]
        taken += 1
        places[sizes[node] + 1] += 1
        edge = graph.node_edge[node]
        while edge >= 0:
            for i in range(graph.edge_begin[edge], graph.edge_begin[edge + 1]):
                part = graph.child[i]
                if seen[part] != stamp:
                    seen[part] = stamp
                    stack[count] = part
                    count += 1
            edge = graph.edge_next[edge]
    for size in range(1, len(places)):
        places[size] += places[size - 1]
    for place in range(count):
        size = sizes[stack[place]]
        space.later[places[size]] = stack[place]
        places[size] += 1
    value_in_order(graph, layers, space.later[:count], np.int64(0), space.scan.stop)


@inner
def edge_total(graph, layers, edge, column):
    """Return what an edge costs if its guess is made at this column."""
    total = np.int64(layers.costs[graph.edge_found[edge], column])
    for i in range(graph.edge_begin[edge], graph.edge_begin[edge + 1]):
        total += layers.values[graph.child[i], column]
    return total


@inner
def best_edge(graph, layers, node, column):
    """Return the best edge of a node at a column, the oldest of equals, and what it costs."""
    least, best = WORST, np.int32(-1)
    edge = graph.node_edge[node]
    while edge >= 0:
        total = edge_total(graph, layers, edge, column)
        if total <= least:  # the latest edge comes first
            least, best = total, edge
        edge = graph.edge_next[edge]
    return best, least


@inner
def guess_of_pair(graph, layers, first, second, column):
    """Return the best guess at a state of two secrets at this column."""
    costs = layers.costs
    one = costs[first, column] + costs[second, column + 1]
    other = costs[second, column] + costs[first, column + 1]
    return graph.guess_of_secret[first if one <= other else second]


@inner
def guess_of_few(graph, layers, node, column):
    """Return the best guess at a state of one to three secrets at this column."""
    costs, members = layers.costs, graph.members
    begin, size, finder = graph.node_begin[node], graph.node_size[node], graph.guess_of_secret
    first = members[begin]
    if size == 1:
        return finder[first]
    second = members[begin + 1]
    if size == 2:
        return guess_of_pair(graph, layers, first, second, column)
    least, best = WORST, finder[first]
    for a in range(3):
        mine, one, other = members[begin + a], members[begin + (a + 1) % 3], members[begin + (a + 2) % 3]
        cost = np.int64(costs[mine, column]) - costs[mine, column + 1]
        if not graph.node_kind[node] & (1 << a):
            cost += min(
                costs[one, column + 2] - costs[one, column + 1], costs[other, column + 2] - costs[other, column + 1]
            )
        if cost < least:
            least, best = cost, finder[mine]
    if least > 0 and are_told_apart(graph, node):
        return np.int32(separator(graph, node))
    return best
