"""Compiled values of the states of a planner's graph, for every guess number at once.

With rise[t, s] what secret s costs more if it is not found at column t (`costs.py`), and the next guess at column
t, the value of a state is

    V(state, t) = min over guesses tried of cost(secret that it finds, t) + sum of V(part, t + 1) over the parts,

worked out from the smallest states up. A node keeps V(node, t + 1) for every column t, which is what it adds to a guess
made at column t. The values of a node are neighbours, so all columns are added up together. The last column repeats
forever, so one guess more costs the same there from then on. The mean is a single column.

States of up to three secrets have no edges. Of two, one is guessed. Of three, one that distinguishes the others is
best; if none does, another guess that distinguishes all three may be better than finding one after the other.
For the mean it never is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.guessing import ANY, POSSIBLE, meets
from oracular.kernels.packing import WORST
from oracular.kernels.planner_graph import NODES, NODES_BETWEEN_LOOKS, SORTED

UNIT = 1 << 12
"""What stands for one in a table of shares."""

FAR = 3
"""Costs have this many more columns than values: a state of three secrets is valued at once."""

MOST_TOTAL = 2**31 - 1
"""No value is larger."""

NO_HOPE = np.int64(0)
"""No hope, as a variable: as a literal it would be compiled for a second time."""


class Values(NamedTuple):
    """What is needed to value a graph.

    Attributes:
        weights: what each secret costs more with each guess after the last column, int64 [secrets].
        costs: what it costs to find each secret at each column, less what it costs at the first; a row of zeros stands
            for no secret, int32 [secrets + 1, columns + FAR].
        values: V(node, column + 1), int32 [nodes, columns].
        missed: which share of a state is not yet found after this many more guesses, by its size, in 4096ths, int32
            [columns + 1, secrets + 1].
        level: the column at which a new node was met, int32 [nodes].
        rises: working space, int64 [columns].
        wants: likewise, float64 [secrets].
        table: likewise, the score's table of a scan, int64 [secrets + 1].
        total: likewise, int32 [columns].
        least: likewise.
        heights: the columns of the states in `PlanningSpace.todo`, int32 [secrets].
    """

    weights: NDArray[np.int64]
    costs: NDArray[np.int32]
    values: NDArray[np.int32]
    missed: NDArray[np.int32]
    level: NDArray[np.int32]
    rises: NDArray[np.int64]
    wants: NDArray[np.float64]
    table: NDArray[np.int64]
    total: NDArray[np.int32]
    least: NDArray[np.int32]
    heights: NDArray[np.int32]


def padded(columns: int) -> int:
    """Return how many columns are computed if this many are wanted: one for the mean, else whole vectors."""
    return columns if columns == 1 else 8 if columns <= 8 else -(-columns // 16) * 16


def new_values(secrets: int, columns: int, nodes: int, missed: NDArray[np.int32]) -> Values:
    """Return space to value this many nodes in `padded` columns; memory is taken only as it is used."""
    return Values(
        weights=np.zeros(secrets, np.int64),
        costs=np.zeros((secrets + 1, columns + FAR), np.int32),
        values=np.zeros((nodes, columns), np.int32),
        missed=missed,
        level=np.zeros(nodes, np.int32),
        rises=np.zeros(columns, np.int64),
        wants=np.zeros(secrets, np.float64),
        table=np.zeros(secrets + 1, np.int64),
        total=np.zeros(columns, np.int32),
        least=np.zeros(columns, np.int32),
        heights=np.zeros(secrets, np.int32),
    )


@inner
def separator(graph, node):
    """Return the first allowed guess that distinguishes the three secrets of a node, or -1."""
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
    """Return whether some guess distinguishes the three secrets of a node; the answer is saved."""
    if graph.node_apart[node] == 0:
        graph.node_apart[node] = 2 if graph.node_kind[node] != 0 or separator(graph, node) >= 0 else 1
    return graph.node_apart[node] == 2


@inner
def _value_three(graph, values, costs, node):
    """Set the values of a state of three secrets."""
    begin, kind = graph.node_begin[node], graph.node_kind[node]
    first, second, third = graph.members[begin], graph.members[begin + 1], graph.members[begin + 2]
    by_first, by_second, by_third = kind & 1 != 0, kind & 2 != 0, kind & 4 != 0
    for k in range(values.shape[1]):
        a, b, c = costs[first, k + 2], costs[second, k + 2], costs[third, k + 2]
        last_a, last_b, last_c = costs[first, k + 3] - a, costs[second, k + 3] - b, costs[third, k + 3] - c
        least = costs[first, k + 1] - a + (0 if by_first else min(last_b, last_c))
        least = min(least, costs[second, k + 1] - b + (0 if by_second else min(last_a, last_c)))
        least = min(least, costs[third, k + 1] - c + (0 if by_third else min(last_a, last_b)))
        if least > 0 and are_told_apart(graph, node):
            least = 0
        values[node, k] = a + b + c + least


@inner
def _value_few(graph, values, costs, node):
    """Set the values of a state of one to three secrets."""
    begin, size = graph.node_begin[node], graph.node_size[node]
    first = graph.members[begin]
    if size == 1:
        for k in range(values.shape[1]):
            values[node, k] = costs[first, k + 1]
    elif size == 2:
        second = graph.members[begin + 1]
        for k in range(values.shape[1]):
            by_first, by_second = costs[first, k + 1] + costs[second, k + 2], costs[second, k + 1] + costs[first, k + 2]
            values[node, k] = min(by_first, by_second)
    else:
        _value_three(graph, values, costs, node)


@inner
def _least_of_three(first, second, third, kind):
    """Return the value of a state of three secrets with these weights, if there is a single column."""
    twice = 2 * (first + second + third)
    least = twice - first + (0 if kind & 1 else min(second, third))
    least = min(least, twice - second + (0 if kind & 2 else min(first, third)))
    return min(least, twice - third + (0 if kind & 4 else min(first, second)))


@inner
def digits_of(size):
    """Return how many binary digits a size has after the first."""
    bits = 0
    while size >> (bits + 1) > 0:
        bits += 1
    return bits


@inner
def _value_in_one_column(graph, values, order, hope, stop):
    """Set the values and best edges of some nodes: what `value_in_order` does if there is a single column.

    The arrays are taken out of the graph once, and small states are valued in place: handing the whole of it to a
    function for each node would take longer than valuing the node.
    """
    sizes, begins, members, kinds = graph.node_size, graph.node_begin, graph.members, graph.node_kind
    bests, heads, visits = graph.node_best, graph.node_edge, graph.node_visits
    edge_next, edge_begin, child = graph.edge_next, graph.edge_begin, graph.child
    weights, of_node = values.weights, graph.node_value  # the only column of `values.values`
    for place in range(len(order)):
        if place % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            return
        node = order[place]
        size, begin = sizes[node], begins[node]
        if size == 1:
            of_node[node] = weights[members[begin]]
            continue
        if size == 2:
            first, second = weights[members[begin]], weights[members[begin + 1]]
            of_node[node] = first + second + min(first, second)
            continue
        if size == 3:
            of_node[node] = _least_of_three(
                weights[members[begin]], weights[members[begin + 1]], weights[members[begin + 2]], kinds[node]
            )
            continue
        least = WORST
        best = np.int32(-1)
        edge = heads[node]
        while edge >= 0:
            total = np.int64(0)
            for i in range(edge_begin[edge], edge_begin[edge + 1]):
                total += of_node[child[i]]
            if total <= least:  # the oldest of equals: the latest edge comes first
                least = total
                best = edge
            edge = edge_next[edge]
        weight = np.int64(0)
        for a in range(begin, begin + size):
            weight += weights[members[a]]
        bests[node] = best
        of_node[node] = weight + least
        if hope > 0 and visits[node] == 0:
            of_node[node] -= (weight * hope * digits_of(size)) >> 10


@inner
def _value_in_columns(graph, values, order, hope, stop):
    """Set the values of some nodes: what `value_in_order` does if there are several columns, whose last rises are zero.

    The best edge at each column is not kept: it is wanted on the way through one tree alone, and soon found again.
    """
    sizes, heads, visits, bests = graph.node_size, graph.node_edge, graph.node_visits, graph.node_best
    edge_next, edge_begin, child, found = graph.edge_next, graph.edge_begin, graph.child, graph.edge_found
    costs, of_node, total, least = values.costs, values.values, values.total, values.least
    columns = of_node.shape[1]
    for place in range(len(order)):
        if place % NODES_BETWEEN_LOOKS == 0 and stop[0]:
            return
        node = order[place]
        size = sizes[node]
        if size <= 3:
            _value_few(graph, of_node, costs, node)
            continue
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
                    total[k] += of_node[part, k]
            for k in range(columns):
                least[k] = min(least[k], total[k])
            edge = edge_next[edge]
        for k in range(columns - 1):
            of_node[node, k] = least[k + 1]
        of_node[node, columns - 1] = least[columns - 1]
        if hope > 0 and visits[node] == 0:
            bits = digits_of(size)
            for k in range(columns - 1):
                saved = (max(np.int64(of_node[node, k + 1]) - of_node[node, k], 0) * hope * bits) >> 10
                of_node[node, k] -= min(saved, np.int64(of_node[node, k]))


@inner
def value_in_order(graph, values, order, hope, stop):
    """Set the values of some nodes, in this order; all that they lead to must have theirs.

    With hope the value of a state that no best tree has gone through yet is lowered: by `hope` 1024ths of what one
    guess more would cost there, for every binary digit of its size. Exploring may be expected to save this much.
    """
    if values.values.shape[1] == 1:
        _value_in_one_column(graph, values, order, hope, stop)
    else:
        _value_in_columns(graph, values, order, hope, stop)


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
def _order_all(graph, space):
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
def value_all(graph, space, values, hope):
    """Set the values of all nodes."""
    _order_all(graph, space)
    value_in_order(graph, values, space.order[: graph.counters[NODES]], hope, space.scan.stop)


@inner
def edge_total(graph, values, edge, column):
    """Return what an edge costs if its guess is made at this column."""
    total = np.int64(values.costs[graph.edge_found[edge], column])
    for i in range(graph.edge_begin[edge], graph.edge_begin[edge + 1]):
        total += values.values[graph.child[i], column]
    return total


@inner
def best_edge(graph, values, node, column):
    """Return the best edge of a node at a column, the oldest of equals, and what it costs."""
    least, best = WORST, np.int32(-1)
    edge = graph.node_edge[node]
    while edge >= 0:
        total = edge_total(graph, values, edge, column)
        if total <= least:  # the latest edge comes first
            least, best = total, edge
        edge = graph.edge_next[edge]
    return best, least


@inner
def guess_of_pair(graph, values, first, second, column):
    """Return the best guess at a state of two secrets at this column."""
    costs = values.costs
    one = costs[first, column] + costs[second, column + 1]
    other = costs[second, column] + costs[first, column + 1]
    return graph.guess_of_secret[first if one <= other else second]


@inner
def guess_of_few(graph, values, node, column):
    """Return the best guess at a state of one to three secrets at this column."""
    costs, members = values.costs, graph.members
    begin, size, finder = graph.node_begin[node], graph.node_size[node], graph.guess_of_secret
    first = members[begin]
    if size == 1:
        return finder[first]
    second = members[begin + 1]
    if size == 2:
        return guess_of_pair(graph, values, first, second, column)
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
