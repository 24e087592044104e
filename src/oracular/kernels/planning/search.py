"""Compiled search in a graph of states and guesses: widening it, and reading the best tree off it.

Every node has a value against given weights (`values.py`), since a new node is played out to the end at once by its
best guess (or few) by score. Nodes on the best tree get more guesses to choose from: that is lookahead, and what it has
found stays in the graph for all later weights.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, entry_point, inner
from oracular.kernels.guessing import HARD
from oracular.kernels.planning.graph import add_edge, mark, node_of, pair_fits, take_back
from oracular.kernels.planning.scan import WORST, best_guesses
from oracular.kernels.planning.tables import CHILDREN, EDGES, MEMBERS, NODES, ROUNDS, SCANS
from oracular.kernels.planning.values import NO_HOPE, evaluate_in_order, sort_by_size
from oracular.kernels.trees import COUNT, hand_down, new_walk, next_state, split, state_of
from oracular.settings import MOST_GUESSES

NEVER_WIDENED = -(1 << 30)
"""The visits of a state that is to get no further guesses: so many are left until its first one counts."""

SOUGHT = 4
"""So many guesses are tried at a time that find one heavy secret early."""


@inner
def scan_node(graph, space, weights, node, want):
    """Return how many guesses of a node were found by score, at most `want`; they are in `space.kept`."""
    begin, size = graph.node_begin[node], graph.node_size[node]
    shift = np.int32(space.game.shift)
    for a in range(size):
        secret = graph.members[begin + a]
        space.state[a] = secret
        space.values[a] = (np.int32(weights[secret]) << shift) | np.int32(1)
    graph.counters[SCANS] += 1
    return best_guesses(
        space.game,
        space.scan,
        space.state[:size],
        space.values[:size],
        space.kept[:want],
        space.keys[:want],
        graph.node_demand[node],
    )


@entry_point
def play_out(graph, space, weights, first, small):
    """Give every node from `first` on that has no edge its best guesses by score, and so on to the end.

    States of up to `small` secrets get several guesses, larger ones one. Return whether there was room for all.
    """
    node = first
    while node < graph.counters[NODES] and not space.scan.stop[0]:  # the nodes grow in number as edges are added
        size = graph.node_size[node]
        if size > 3 and graph.node_edge[node] < 0:
            want = space.settings.small_width if size <= small else 1
            for i in range(scan_node(graph, space, weights, node, want)):
                if not add_edge(graph, space, node, space.kept[i]):
                    return False
        node += 1
    return True


@entry_point
def begin_with(graph, space, weights, root, guess, small):
    """Give the root of a graph without edges the only guess that it will ever have, and play out what it leaves.

    States of up to `small` secrets get several guesses there, larger ones one. Return whether there was room for all.
    """
    first = graph.counters[NODES]
    graph.node_visits[root] = NEVER_WIDENED
    return add_edge(graph, space, root, np.int32(guess)) and play_out(graph, space, weights, first, small)


@inner
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


@inner
def widen(graph, space, weights, node, width):
    """Give a node its best `width` guesses by score against these weights, all played out, and value it.

    Where there is no room for all of that, the graph stays as it is.
    """
    if has_room(graph, graph.node_size[node], width):
        _add_guesses(graph, space, weights, node, scan_node(graph, space, weights, node, width))


@inner
def _add_guesses(graph, space, weights, node, count):
    """Give a node the guesses of the latest scan, all played out, and value it; or nothing, where they do not fit."""
    before = mark(graph, node)
    fits = True
    for i in range(count):
        fits = fits and add_edge(graph, space, node, space.kept[i])
    if not (fits and play_out(graph, space, weights, before.nodes, space.settings.small)):
        take_back(graph, before)
        return
    last = graph.counters[NODES]
    sort_by_size(graph, space, before.nodes, last)
    evaluate_in_order(graph, weights, space.later[: last - before.nodes], NO_HOPE, space.scan.stop)
    space.later[0] = node
    evaluate_in_order(graph, weights, space.later[:1], NO_HOPE, space.scan.stop)


@inner
def _is_looked_for(graph, node, secret):
    """Tell whether some guess tried at a node finds a secret, and another leaves it alone, to be found next.

    Where no guess may leave it alone, that is asked again at visits 1, 2, 4, 8, ... only.
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
def seek(graph, space, weights, node, secret):
    """Give a node guesses that find a heavy secret early: itself, and those that score best if it has half the weight.

    Without them no tree might ever find it sooner, however much weight it has: scores of large states hardly see it.
    """
    size, begin = graph.node_size[node], graph.node_begin[node]
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
    graph.counters[SCANS] += 1
    count = best_guesses(
        space.game,
        space.scan,
        space.state[:size],
        space.values[:size],
        space.kept[:SOUGHT],
        space.keys[:SOUGHT],
        graph.node_demand[node],
    )
    space.kept[count] = graph.guess_of_secret[secret]  # a guess that is there already is not added again
    _add_guesses(graph, space, weights, node, count + 1)


@inner
def _visit(graph, settings, node):
    """Count a visit to a node, and return how many guesses it is to get: none but at some of its visits.

    They are the first, number `often`, `often` squared, and so on; each time twice as many as the time before. With
    `again`, all multiples of it are among them, with as many as the first time.
    """
    graph.node_visits[node] += 1
    visits = graph.node_visits[node]
    wanted = settings.width
    if graph.node_size[node] == graph.by_secret.shape[0]:
        wanted = settings.root_width
    elif graph.node_size[node] > settings.large:
        wanted = settings.large_width
    if settings.again > 0 and visits % settings.again == 0:
        return wanted
    while visits > 1 and visits % settings.often == 0:
        visits //= settings.often
        wanted *= 2
    return min(wanted, MOST_GUESSES) if visits == 1 else 0


@entry_point
def explore(graph, space, weights, root):
    """Widen the nodes of the best tree from the root down: lookahead. Values must be up to date."""
    sizes, rounds, bests, heads, values = (
        graph.node_size, graph.node_round, graph.node_best, graph.node_edge, graph.node_value,
    )  # fmt: skip
    edge_next, edge_begin, edge_round, child = graph.edge_next, graph.edge_begin, graph.edge_round, graph.child
    stack = space.todo
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
        width = _visit(graph, space.settings, node)
        if width > 0:
            widen(graph, space, weights, node, width)
        if space.settings.seek > 0:
            secret = _heavy_secret(graph, weights, node, space.settings.seek)
            if secret >= 0:
                seek(graph, space, weights, node, secret)
        if space.scan.stop[0]:
            return
        best = bests[node]
        least = np.int64(0)
        for i in range(edge_begin[best], edge_begin[best + 1]):
            least += values[child[i]]
        near = least + (values[node] - least) * space.settings.near // 1024
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


@inner
def _guess_of_pair(graph, weights, first, second):
    """Return the best guess at a state of two secrets."""
    return graph.guess_of_secret[first if weights[first] >= weights[second] else second]


@inner
def _guess_of_few(graph, weights, node):
    """Return the best guess at a state of one to three secrets."""
    begin, size = graph.node_begin[node], graph.node_size[node]
    first = graph.members[begin]
    if size == 1:
        return graph.guess_of_secret[first]
    second = graph.members[begin + 1]
    if size == 2:
        return _guess_of_pair(graph, weights, first, second)
    kind = graph.node_kind[node]
    least, best = WORST, first
    for a in range(3):
        mine = graph.members[begin + a]
        one, other = graph.members[begin + (a + 1) % 3], graph.members[begin + (a + 2) % 3]
        cost = -weights[mine] + (0 if kind & (1 << a) else min(weights[one], weights[other]))
        if cost < least:
            least, best = cost, mine
    return graph.guess_of_secret[best]


@allocating_entry_point
def read_tree(graph, space, weights, table):
    """Return the guesses of the best tree, as `kernels.trees` keeps them, and its depths [secrets].

    Every state on the way has its node already, but for pairs: they get one where there is room.
    """
    guesses = np.empty(table.shape[1], np.int32)  # a tree has fewer guesses than secrets
    walk, demands = new_walk(table.shape[1]), np.zeros(table.shape[1], np.int64)
    written = 0
    while not space.scan.stop[0] and next_state(walk):
        state, before = state_of(walk), walk.place[COUNT]
        demand = demands[before]
        if len(state) == 2 and not pair_fits(graph):
            guess = _guess_of_pair(graph, weights, state[0], state[1])
        else:
            node = node_of(graph, state, demand)
            guess = _guess_of_few(graph, weights, node) if len(state) <= 3 else graph.edge_guess[graph.node_best[node]]
        guesses[written] = guess
        written += 1
        split(walk, table, space.game.found, guess)
        if graph.guessing.rule == HARD:
            hand_down(walk, table[guess], graph.guessing, (demands, demand, guess, before))
    return guesses[:written].copy(), walk.depths
