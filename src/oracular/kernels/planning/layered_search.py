"""Compiled search in a graph that is valued for each guess number: widening it, reading the best tree off it.

It is what `search` does for the mean, with `layers` for values. Which guesses are tried depends on the guess number,
too. Of a state of c secrets the share p_r(c) is found with r more guesses
(`responses.planned_layers.missed_shares`). With the rise of the costs from each guess to the next, summed over the
state, that tells what a unit of weight is expected to cost in a part of c secrets after a guess at t,

    f(c) = rise(t) + sum over r of rise(t + r) (1 - p_r(c)),

a table over counts as the scan takes it. The weight of a secret is what its own cost is expected to rise by. Half of
the guesses that a state is widened by are the best by f, half by the planner's usual score with these weights.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, entry_point, inner
from oracular.kernels.guessing import HARD
from oracular.kernels.planning.graph import add_edge, mark, node_of, pair_fits, take_back
from oracular.kernels.planning.layers import best_edge, edge_total, guess_of_few, guess_of_pair, value_in_order
from oracular.kernels.planning.scan import ScoredGame, best_guesses
from oracular.kernels.planning.search import NEVER_WIDENED, has_room
from oracular.kernels.planning.tables import NODES, ROUNDS, SCANS
from oracular.kernels.planning.values import NO_HOPE, sort_by_size
from oracular.kernels.trees import COUNT, LEVEL, hand_down, new_walk, next_state, split, state_of
from oracular.settings import MOST_GUESSES

RISE_UNIT = 1 << 16
"""What the rises of a state sum to in a table: scores then fit into 62 bits, whatever the costs are."""


@inner
def _fill_table(graph, layers, node, column):
    """Fill `layers.table` with f for the sizes that parts of a node can have, and tell whether anything can rise."""
    costs, missed, rises, table = layers.costs, layers.missed, layers.rises, layers.table
    columns, begin, size = len(rises), graph.node_begin[node], graph.node_size[node]
    steps = columns - 1 - column
    whole = np.int64(0)
    for step in range(steps):
        rise = np.int64(0)
        for a in range(begin, begin + size):
            secret = graph.members[a]
            rise += costs[secret, column + step + 1] - costs[secret, column + step]
        rises[step] = rise
        whole += rise
    if whole == 0:
        return False
    for step in range(steps):
        rises[step] = rises[step] * RISE_UNIT // whole
    for count in range(1, size + 1):
        worth = np.int64(0)
        for step in range(steps):
            worth += rises[step] * missed[step, count]
        table[count] = worth
    return True


@inner
def _fill_values(graph, space, layers, node, column, rising):
    """Fill `space.state` and `space.values` with the secrets of a node and their packed weights."""
    costs, missed, wants = layers.costs, layers.missed, layers.wants
    begin, size = graph.node_begin[node], graph.node_size[node]
    shift = np.int32(space.game.shift)
    whole = np.float64(0)
    for a in range(size):
        secret = graph.members[begin + a]
        space.state[a] = secret
        want = np.int64(0)
        if rising:
            for step in range(len(layers.rises) - 1 - column):
                rise = costs[secret, column + step + 1] - costs[secret, column + step]
                want += np.int64(rise) * missed[step + 1, size]
        wants[a] = want
        whole += want
    spare = np.float64((np.int64(1) << (31 - shift)) - 1 - size)
    for a in range(size):
        weight = np.int32(wants[a] / whole * spare) if whole > 0 else np.int32(0)
        space.values[a] = ((weight + np.int32(1)) << shift) | np.int32(1)


@inner
def scan_layer(graph, space, layers, node, column, want, usual):
    """Return how many guesses of a node were found by score, at most `want`; they are in `space.kept`.

    The score is that of the column or, where nothing can rise any more, the usual one.
    """
    size, game = graph.node_size[node], space.game
    rising = _fill_table(graph, layers, node, column)
    _fill_values(graph, space, layers, node, column, rising)
    special = rising and not usual
    scored = ScoredGame(
        game.by_secret, game.guess_of_secret, game.found, game.answers, game.shift,
        layers.table if special else game.table, 0 if special else game.found_value, game.ties, game.guessing,
    )  # fmt: skip
    graph.counters[SCANS] += 1
    return best_guesses(
        scored,
        space.scan,
        space.state[:size],
        space.values[:size],
        space.kept[:want],
        space.keys[:want],
        graph.node_demand[node],
    )


@inner
def _add_guesses(graph, space, layers, node, column, want, usual):
    """Give a node its best guesses by score at a column, and return whether there was room for all."""
    for i in range(scan_layer(graph, space, layers, node, column, want, usual)):
        first = graph.counters[NODES]
        if not add_edge(graph, space, node, space.kept[i]):
            return False
        for new in range(first, graph.counters[NODES]):
            layers.level[new] = min(column + 1, len(layers.rises) - 1)
    return True


@entry_point
def play_out_layers(graph, space, layers, first, small):
    """Give every node from `first` on that has no edge its best guesses by score, and so on to the end.

    Each is scored for the column at which it was met. States of up to `small` secrets get several guesses, larger ones
    one. Return whether there was room for all.
    """
    node = first
    while node < graph.counters[NODES] and not space.scan.stop[0]:  # the nodes grow in number as edges are added
        size = graph.node_size[node]
        if size > 3 and graph.node_edge[node] < 0:
            want = space.settings.small_width if size <= small else 1
            if not _add_guesses(graph, space, layers, node, layers.level[node], want, False):
                return False
        node += 1
    return True


@entry_point
def begin_with_layers(graph, space, layers, root, guess, small):
    """Give the root of a graph without edges the only guess that it will ever have, and play out what it leaves.

    It is what `begin_with` does for the mean. Return whether there was room for all.
    """
    first = graph.counters[NODES]
    graph.node_visits[root], graph.node_looked[root] = NEVER_WIDENED, 1
    if not add_edge(graph, space, root, np.int32(guess)):
        return False
    for node in range(first, graph.counters[NODES]):
        layers.level[node] = min(1, len(layers.rises) - 1)
    return play_out_layers(graph, space, layers, first, small)


@inner
def widen_layers(graph, space, layers, node, column, width):
    """Give a node its best `width` guesses at a column by both scores, all played out, and value it.

    Where there is no room for all of that, the graph stays as it is.
    """
    if not has_room(graph, graph.node_size[node], width):
        return
    before = mark(graph, node)
    usual = width // 2  # two scores find more than one: neither is right at every state
    fits = _add_guesses(graph, space, layers, node, column, width - usual, False)
    fits = fits and (usual == 0 or _add_guesses(graph, space, layers, node, column, usual, True))
    if not (fits and play_out_layers(graph, space, layers, before.nodes, space.settings.small)):
        take_back(graph, before)
        return
    last = graph.counters[NODES]
    sort_by_size(graph, space, before.nodes, last)
    value_in_order(graph, layers, space.later[: last - before.nodes], NO_HOPE, space.scan.stop)
    space.later[0] = node
    value_in_order(graph, layers, space.later[:1], NO_HOPE, space.scan.stop)


@inner
def _visit(graph, settings, node, column, start):
    """Count a visit to a node, and return how many guesses it is to get: none but at some of its visits.

    They are the first at this column and, of all visits, number `often`, `often` squared, and so on; each time twice as
    many as the time before.
    """
    graph.node_visits[node] += 1
    visits = graph.node_visits[node]
    wanted = settings.width
    if node == start:
        wanted = settings.root_width
    elif graph.node_size[node] > settings.large:
        wanted = settings.large_width
    looked = np.uint32(1) << np.uint32(min(column, 31))
    if not graph.node_looked[node] & looked:
        graph.node_looked[node] |= looked
        return wanted
    if visits % settings.often != 0:
        return 0
    while visits % settings.often == 0:
        visits //= settings.often
        wanted *= 2
    return min(wanted, MOST_GUESSES) if visits == 1 else 0


@inner
def _is_best_possible(graph, layers, node, column, value):
    """Tell whether a value cannot be less: the secret that gains most by it found now, all others at the next guess."""
    costs, begin = layers.costs, graph.node_begin[node]
    least, gained = np.int64(0), np.int64(0)
    for a in range(begin, begin + graph.node_size[node]):
        secret = graph.members[a]
        least += costs[secret, column + 1]
        gained = max(gained, np.int64(costs[secret, column + 1]) - costs[secret, column])
    return value <= least - gained


@entry_point
def explore_layers(graph, space, layers, start):
    """Widen the nodes of the best tree from a node down, whose guess is the first. Values must be up to date."""
    stack, heights, last = space.todo, layers.heights, np.int32(len(layers.rises) - 1)
    stack[0], heights[0] = start, 0
    count = 1
    graph.counters[ROUNDS] += 1
    this_round = graph.counters[ROUNDS]
    while count > 0:
        count -= 1
        node, column = np.int64(stack[count]), heights[count]
        if graph.node_size[node] <= 3:
            continue
        graph.node_round[node] = this_round
        best, least = best_edge(graph, layers, node, column)
        width = _visit(graph, space.settings, node, column, start)
        if width > 0 and not _is_best_possible(graph, layers, node, column, least):
            widen_layers(graph, space, layers, node, column, width)
            best, least = best_edge(graph, layers, node, column)
        if space.scan.stop[0]:
            return
        graph.node_best[node] = best
        near = least + (np.int64(layers.values[node, column]) - least) * space.settings.near // 1024
        edge = graph.node_edge[node]
        while edge >= 0:
            if edge == best or edge_total(graph, layers, edge, column) <= near:
                graph.edge_round[edge] = this_round
            edge = graph.edge_next[edge]
        for i in range(graph.edge_begin[best], graph.edge_begin[best + 1]):
            stack[count], heights[count] = graph.child[i], min(column + 1, last)
            count += 1


@allocating_entry_point
def read_layers(graph, space, layers, table):
    """Return the guesses of the best tree, as `kernels.trees` keeps them, and its depths [secrets].

    Every state on the way has its node already, but for pairs: they get one where there is room.
    """
    guesses = np.empty(table.shape[1], np.int32)  # a tree has fewer guesses than secrets
    walk, demands = new_walk(table.shape[1]), np.zeros(table.shape[1], np.int64)
    written = 0
    while not space.scan.stop[0] and next_state(walk):
        state, before = state_of(walk), walk.place[COUNT]
        demand = demands[before]
        column = min(walk.place[LEVEL], np.int64(len(layers.rises))) - 1
        if len(state) == 2 and not pair_fits(graph):
            guess = guess_of_pair(graph, layers, state[0], state[1], column)
        else:
            node = node_of(graph, state, demand)
            if len(state) <= 3:
                guess = guess_of_few(graph, layers, node, column)
            else:
                guess = graph.edge_guess[best_edge(graph, layers, node, column)[0]]
        guesses[written] = guess
        written += 1
        split(walk, table, space.game.found, guess)
        if graph.guessing.rule == HARD:
            hand_down(walk, table[guess], graph.guessing, (demands, demand, guess, before))
    return guesses[:written].copy(), walk.depths


@allocating_entry_point
def guesses_from(graph, layers, node):
    """Return the guesses tried at a node, the oldest first, and what each costs if it is the first."""
    count = 0
    edge = graph.node_edge[node]
    while edge >= 0:
        count += 1
        edge = graph.edge_next[edge]
    guesses, totals = np.empty(count, np.int32), np.empty(count, np.int64)
    edge = graph.node_edge[node]
    while edge >= 0:
        count -= 1
        guesses[count], totals[count] = graph.edge_guess[edge], edge_total(graph, layers, edge, np.int64(0))
        edge = graph.edge_next[edge]
    return guesses, totals
