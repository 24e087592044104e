"""Compiled search in a graph of states and guesses: widening it, and reading the best tree off it.

Every node has a value (`planner_values.py`), since a new node is played out to the end at once by its best guess (or
few) by score. Nodes on the best tree get more guesses to choose from: that is lookahead, and what it has found stays in
the graph for all later costs.

Which guesses are tried depends on the guess number. The share p_r(c) of a state of c secrets is found with r more
guesses (`planner.costs.missed_shares`). With the rises of the costs from each guess to the next, summed over the state,
a unit of weight is expected to cost in a part of c secrets after a guess at t

    f(c) = rise(t) + sum over r of rise(t + r) (1 - p_r(c)),

a table over counts as the scan takes it. The weight of a secret is what its own cost is expected to rise by. Half of
the guesses that a state is widened by are the best by f, half by the planner's usual score with these weights. For the
mean, which is one column, all are the best by the usual score, with the hider's weights.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, entry_point, inner
from oracular.kernels.guessing import HARD
from oracular.kernels.planner_graph import (
    CHILDREN,
    EDGES,
    MEMBERS,
    NODES,
    ROUNDS,
    SCANS,
    add_edge,
    mark,
    node_of,
    pair_fits,
    take_back,
)
from oracular.kernels.planner_values import (
    NO_HOPE,
    best_edge,
    edge_total,
    guess_of_few,
    guess_of_pair,
    separator,
    sort_by_size,
    value_in_order,
)
from oracular.kernels.scoring import ScoredGame, best_guesses
from oracular.kernels.trees import COUNT, LEVEL, hand_down, new_walk, next_state, split, state_of
from oracular.settings import MOST_GUESSES

NEVER_WIDENED = -(1 << 30)
"""The visits of a state that is to get no further guesses: this many are left until its first one counts."""

SOUGHT = 4
"""This many guesses are tried at a time that find one heavy secret early."""

RISE_UNIT = 1 << 16
"""What the rises of a state sum to in a table: scores then fit into 62 bits, whatever the costs are."""


@inner
def _fill_table(graph, values, node, column):
    """Fill `values.table` with f for the sizes that parts of a node can have, and return whether anything can rise."""
    costs, missed, rises, table = values.costs, values.missed, values.rises, values.table
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
def _fill_weights(graph, space, values, node, column, rising):
    """Fill `space.state` and `space.values` with the secrets of a node and their packed weights."""
    costs, missed, wants = values.costs, values.missed, values.wants
    begin, size, columns = graph.node_begin[node], graph.node_size[node], len(values.rises)
    shift = np.int32(space.game.shift)
    whole = np.float64(0)
    for a in range(size):
        secret = graph.members[begin + a]
        space.state[a] = secret
        if columns == 1:
            space.values[a] = (np.int32(values.weights[secret]) << shift) | np.int32(1)
            continue
        want = np.int64(0)
        if rising:
            for step in range(columns - 1 - column):
                rise = costs[secret, column + step + 1] - costs[secret, column + step]
                want += np.int64(rise) * missed[step + 1, size]
        wants[a] = want
        whole += want
    if columns == 1:
        return
    spare = np.float64((np.int64(1) << (31 - shift)) - 1 - size)
    for a in range(size):
        weight = np.int32(wants[a] / whole * spare) if whole > 0 else np.int32(0)
        space.values[a] = ((weight + np.int32(1)) << shift) | np.int32(1)


@inner
def _scan(graph, space, game, node, want):
    """Return how many guesses of a node were found by the score of `game`, at most `want`; they are in `space.kept`."""
    size = graph.node_size[node]
    graph.counters[SCANS] += 1
    return best_guesses(
        game,
        space.scan,
        space.state[:size],
        space.values[:size],
        space.kept[:want],
        space.keys[:want],
        graph.node_demand[node],
    )


@inner
def _add_found(graph, space, values, node, column, count):
    """Give a node the guesses of the latest scan, and return whether there was room for all."""
    for i in range(count):
        first = graph.counters[NODES]
        if not add_edge(graph, space, node, space.kept[i]):
            return False
        for new in range(first, graph.counters[NODES]):
            values.level[new] = min(column + 1, len(values.rises) - 1)
    return True


@inner
def _add_best(graph, space, values, node, column, want, usual):
    """Give a node its best guesses by score at a column, and return whether there was room for all.

    The score is that of the column or, if nothing can rise any more, the usual one.
    """
    game = space.game
    rising = _fill_table(graph, values, node, column)
    _fill_weights(graph, space, values, node, column, rising)
    special = rising and not usual
    scored = ScoredGame(
        game.by_secret, game.guess_of_secret, game.found, game.answers, game.shift,
        values.table if special else game.table, 0 if special else game.found_value, game.ties, game.guessing,
    )  # fmt: skip
    return _add_found(graph, space, values, node, column, _scan(graph, space, scored, node, want))


@entry_point
def play_out(graph, space, values, first, small):
    """Give every node from `first` on that has no edge its best guesses by score, and so on to the end.

    Each is scored for the column at which it was met. States of up to `small` secrets get several guesses, larger ones
    one. Return whether there was room for all.
    """
    node = first
    while node < graph.counters[NODES] and not space.scan.stop[0]:  # the nodes grow in number as edges are added
        size = graph.node_size[node]
        if size > 3 and graph.node_edge[node] < 0:
            want = space.settings.small_width if size <= small else 1
            if not _add_best(graph, space, values, node, np.int64(values.level[node]), want, False):
                return False
        node += 1
    return True


@entry_point
def begin_with(graph, space, values, root, guess, small):
    """Give the root of a graph without edges the only guess that it will ever have, and play out what it leaves.

    States of up to `small` secrets get several guesses there, larger ones one. Return whether there was room for all.
    """
    first = graph.counters[NODES]
    graph.node_visits[root], graph.node_looked[root] = NEVER_WIDENED, 1
    space.kept[0] = guess
    return _add_found(graph, space, values, root, 0, 1) and play_out(graph, space, values, first, small)


@inner
def has_room(graph, size, width):
    """Return whether the graph can probably take in `width` more guesses at a state of this size, played out.

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


@inner
def _settle(graph, space, values, before, fits):
    """Play out and value what a node was given since `mark`; or take all of it back if it does not fit."""
    if not (fits and play_out(graph, space, values, before.nodes, space.settings.small)):
        take_back(graph, before)
        return
    last = graph.counters[NODES]
    sort_by_size(graph, space, before.nodes, last)
    value_in_order(graph, values, space.later[: last - before.nodes], NO_HOPE, space.scan.stop)
    space.later[0] = before.node
    value_in_order(graph, values, space.later[:1], NO_HOPE, space.scan.stop)


@inner
def widen(graph, space, values, node, column, width):
    """Give a node its best `width` guesses at a column, all played out, and value it.

    If there is no room for all of that, the graph stays as it is.
    """
    if not has_room(graph, graph.node_size[node], width):
        return
    before = mark(graph, node)
    usual = width // 2 if len(values.rises) > 1 else 0  # two scores find more than one: neither is right at every state
    fits = _add_best(graph, space, values, node, column, width - usual, False)
    fits = fits and (usual == 0 or _add_best(graph, space, values, node, column, usual, True))
    _settle(graph, space, values, before, fits)


@inner
def _is_looked_for(graph, node, secret):
    """Return whether some guess tried at a node finds a secret, and another leaves it alone, to be found next.

    If no guess may leave it alone, that is checked again at visits 1, 2, 4, 8, ... only.
    """
    visits = graph.node_visits[node]
    finds, alone = False, visits & (visits - 1) != 0
    edge = graph.node_edge[node]
    while edge >= 0 and not (finds and alone):
        finds = finds or graph.edge_found[edge] == secret
        for i in range(graph.edge_begin[edge], graph.edge_begin[edge + 1]):
            alone = alone or graph.child[i] == secret
        edge = graph.edge_next[edge]
    return finds and alone


@inner
def _heavy_secret(graph, weights, node, share):
    """Return the heaviest secret that has 1/share of a node's weight and is not looked for there yet, or -1."""
    begin, end = graph.node_begin[node], graph.node_begin[node] + graph.node_size[node]
    total = np.int64(0)
    for a in range(begin, end):
        total += weights[graph.members[a]]
    heaviest, most = np.int64(-1), np.int64(0)
    for a in range(begin, end):
        secret = np.int64(graph.members[a])
        weight = weights[secret]
        if weight > most and weight * share >= total and not _is_looked_for(graph, node, secret):
            heaviest, most = secret, weight
    return heaviest


@inner
def seek(graph, space, values, node, secret):
    """Give a node guesses that find a heavy secret early: itself, and those that score best if it has half the weight.

    Without them no tree might ever find it sooner, however much weight it has: scores of large states hardly see it.
    """
    size, begin, weights = graph.node_size[node], graph.node_begin[node], values.weights
    if not has_room(graph, size, SOUGHT + 1):
        return
    shift = np.int32(space.game.shift)
    rest = np.int64(0)
    for a in range(begin, begin + size):
        rest += weights[graph.members[a]]
    rest -= weights[secret]
    down = 0  # so that twice the rest fits beside a count
    while 2 * (rest >> down) + size >= np.int64(1) << (31 - shift):
        down += 1
    for a in range(size):
        member = np.int64(graph.members[begin + a])
        weight = max(weights[secret], rest) if member == secret else weights[member]
        space.state[a] = member
        space.values[a] = (np.int32(max(weight >> down, 1)) << shift) | np.int32(1)
    count = _scan(graph, space, space.game, node, SOUGHT)
    space.kept[count] = graph.guess_of_secret[secret]  # a guess that is there already is not added again
    before = mark(graph, node)
    _settle(graph, space, values, before, _add_found(graph, space, values, node, 0, count + 1))


@inner
def _visit(graph, settings, node, column, columns, start):
    """Count a visit to a node, and return how many guesses it is to get: none except at some of its visits.

    They are the first at this column and, of all visits, number `often`, `often` squared, and so on; each time twice as
    many as the time before. With `again`, for the mean, all multiples of it are among them, with as many as at first.
    """
    graph.node_visits[node] += 1
    visits = graph.node_visits[node]
    wanted = settings.width
    if node == start:
        wanted = settings.root_width
    elif graph.node_size[node] > settings.large:
        wanted = settings.large_width
    if columns == 1:  # of one column the first visit is known from their number, so nothing is written down
        if visits == 1 or (settings.again > 0 and visits % settings.again == 0):
            return wanted
    else:
        looked = np.uint32(1) << np.uint32(min(column, 31))
        if not graph.node_looked[node] & looked:
            graph.node_looked[node] |= looked
            return wanted
    if visits <= 1 or visits % settings.often != 0:
        return 0
    while visits % settings.often == 0:
        visits //= settings.often
        wanted *= 2
    return min(wanted, MOST_GUESSES) if visits == 1 else 0


@inner
def _is_best_possible(graph, values, node, column, value):
    """Return whether a value cannot be less: the secret that gains most is found now, all others at the next guess.

    For the mean it is never asked: a state that cannot be improved is widened all the same.
    """
    costs, begin = values.costs, graph.node_begin[node]
    least, gained = np.int64(0), np.int64(0)
    for a in range(begin, begin + graph.node_size[node]):
        secret = graph.members[a]
        least += costs[secret, column + 1]
        gained = max(gained, np.int64(costs[secret, column + 1]) - costs[secret, column])
    return value <= least - gained


@entry_point
def explore(graph, space, values, start):
    """Widen the nodes of the best tree from a node down, whose guess is the first. Values must be up to date."""
    stack, heights, columns = space.todo, values.heights, len(values.rises)
    stack[0], heights[0] = start, 0
    count = 1
    graph.counters[ROUNDS] += 1
    this_round = graph.counters[ROUNDS]
    while count > 0:
        count -= 1
        node, column = np.int64(stack[count]), np.int64(heights[count])
        if graph.node_size[node] <= 3:
            continue
        graph.node_round[node] = this_round
        best, least = best_edge(graph, values, node, column)
        width = _visit(graph, space.settings, node, column, columns, start)
        widened = width > 0 and (columns == 1 or not _is_best_possible(graph, values, node, column, least))
        if widened:
            widen(graph, space, values, node, column, width)
        if columns == 1 and space.settings.seek > 0:
            secret = _heavy_secret(graph, values.weights, node, space.settings.seek)
            if secret >= 0:
                widened = True
                seek(graph, space, values, node, secret)
        if space.scan.stop[0]:
            return
        if widened:
            best, least = best_edge(graph, values, node, column)
        graph.node_best[node] = best
        near = least + (np.int64(values.values[node, column]) - least) * space.settings.near // 1024
        edge = graph.node_edge[node]
        while edge >= 0:
            if edge == best or edge_total(graph, values, edge, column) <= near:
                graph.edge_round[edge] = this_round
            edge = graph.edge_next[edge]
        for i in range(graph.edge_begin[best], graph.edge_begin[best + 1]):
            stack[count], heights[count] = graph.child[i], min(column + 1, columns - 1)
            count += 1


@allocating_entry_point
def read_tree(graph, space, values, table):
    """Return the guesses of the best tree, as `kernels.trees` keeps them, and its depths [secrets].

    Every state on the way has its node already, except pairs: they get one if there is room.
    """
    guesses = np.empty(table.shape[1], np.int32)  # a tree has fewer guesses than secrets
    walk, demands = new_walk(table.shape[1]), np.zeros(table.shape[1], np.int64)
    written, columns = 0, np.int64(len(values.rises))
    while not space.scan.stop[0] and next_state(walk):
        state, before = state_of(walk), walk.place[COUNT]
        demand = demands[before]
        column = min(walk.place[LEVEL], columns) - 1
        if len(state) == 2 and not pair_fits(graph):
            guess = guess_of_pair(graph, values, state[0], state[1], column)
        else:
            node = node_of(graph, state, demand)
            if len(state) <= 3:
                guess = guess_of_few(graph, values, node, column)
            elif columns == 1:
                guess = graph.edge_guess[graph.node_best[node]]
            else:
                guess = graph.edge_guess[best_edge(graph, values, node, column)[0]]
        guesses[written] = guess
        written += 1
        split(walk, table, space.game.found, guess)
        if graph.guessing.rule == HARD:
            hand_down(walk, table[guess], graph.guessing, (demands, demand, guess, before))
    return guesses[:written].copy(), walk.depths


@entry_point
def try_few(graph, space, node):
    """Give a state of up to three secrets, which has no edges otherwise, every guess that can be best there."""
    begin = graph.node_begin[node]
    for a in range(begin, begin + graph.node_size[node]):
        add_edge(graph, space, node, graph.guess_of_secret[graph.members[a]])
    if graph.node_size[node] == 3:
        guess = separator(graph, node)
        if guess >= 0:
            add_edge(graph, space, node, np.int32(guess))


@allocating_entry_point
def guesses_from(graph, values, node):
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
        guesses[count], totals[count] = graph.edge_guess[edge], edge_total(graph, values, edge, np.int64(0))
        edge = graph.edge_next[edge]
    return guesses, totals
