"""Lower bounds on the best total of a state, for the compiled exact search.

The counting bound. Whatever the tree, one secret is found at the first guess, at most b at the second, b^2 at the third
(b answers do not end the game), and at best the heaviest come first. Sharper: no guess that is worth trying sends more
than `cap[a]` of the state's secrets to answer a, and further down these caps only shrink. So at most

    within(m, d) = min(m, 1 + sum over a of within(min(m - 1, cap[a]), d - 1))

of m secrets are found within d guesses, the sum taken over no more answers than any one guess tells apart.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.exact.tables import LEVELS, ExpansionSpace, Frames, Table
from oracular.kernels.exact.types import Counts


@entry_point
def small_total(table: Table, part: Counts, size: int) -> tuple[int, int]:
    """Return the best total of one, two or three secrets (heaviest first), and the first secret to guess.

    Of three, the heaviest is guessed first if it tells the others apart; if not, either another that does, or the
    heaviest all the same. A guess that is none of the three costs each of them one more than the best and is no better.
    """
    first = part[0]
    if size == 1:
        return table.weights[first], first
    second = part[1]
    if size == 2:
        return table.weights[first] + 2 * table.weights[second], first
    third = part[2]
    twice = 2 * (table.weights[first] + table.weights[second] + table.weights[third])
    row = table.answers[table.finder[first]]
    if row[second] != row[third]:
        return twice - table.weights[first], first
    best = twice - table.weights[first] + table.weights[third]
    chosen = first
    row = table.answers[table.finder[second]]
    if row[first] != row[third] and twice - table.weights[second] < best:
        best = twice - table.weights[second]
        chosen = second
    row = table.answers[table.finder[third]]
    if row[first] != row[second] and twice - table.weights[third] < best:
        best = twice - table.weights[third]
        chosen = third
    return best, chosen


@inner
def outside_bound(table: Table, state: Counts, size: int, branches: int) -> int:
    """Return a bound on the total of any guess that is not itself possible: nobody is found at once."""
    total = np.int64(0)
    depth = 2
    room = branches
    left = room
    for rank in range(size):
        if left == 0:
            depth += 1
            room *= branches
            left = room
        total += depth * table.weights[state[rank]]
        left -= 1
    return total


@inner
def part_counting_bound(table: Table, part: Counts, size: int, thresholds: Counts) -> int:
    """Return the counting bound of a part, `thresholds[d - 1]` of whose secrets at most are found within d guesses."""
    total = np.int64(0)
    level = 0
    for rank in range(size):
        while level < LEVELS and thresholds[level] <= rank:
            level += 1
        total += (level + 1) * table.weights[part[rank]]
    return total


@inner
def set_thresholds(frames: Frames, space: ExpansionSpace, depth: int, branches: int) -> None:
    """Set the frame's thresholds, and `space.rank_depth`, from the caps in `space.caps`."""
    answers = space.caps.shape[0]
    caps = space.sorted_caps
    for answer in range(answers):
        cap = space.caps[answer]
        place = answer
        while place > 0 and caps[place - 1] < cap:
            caps[place] = caps[place - 1]
            place -= 1
        caps[place] = cap
    largest = caps[0]
    within = space.within
    for size in range(largest + 1):
        within[1, size] = min(size, 1)
    deepest = 1
    while deepest < LEVELS and within[deepest, largest] < largest:
        deepest += 1
        within[deepest, 0] = 0
        for size in range(1, largest + 1):
            total = np.int64(1)
            for index in range(min(branches, answers)):
                if caps[index] == 0 or total >= size:
                    break
                total += within[deepest - 1, min(size - 1, caps[index])]
            within[deepest, size] = min(size, total)
    for answer in range(answers):
        cap = space.caps[answer]
        rank = 0
        for level in range(LEVELS):
            most = within[min(level + 1, deepest), cap]
            frames.thresholds[depth, answer, level] = most
            while rank < most:
                space.rank_depth[answer, rank] = level + 1
                rank += 1
        while rank < cap:
            space.rank_depth[answer, rank] = LEVELS + 1
            rank += 1
