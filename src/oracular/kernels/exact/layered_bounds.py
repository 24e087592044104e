"""Lower bounds on the least cost of a state, where costs depend on the secret and on the guess number.

Columns are counted from 0: column t is what finding a secret at guess t + 1 costs. Of a state at column t, a tree pays
the cost at t for every secret, and the rise from d to d + 1 for every secret that it has not found at column d. At most
so many are found by then (`set_thresholds`), so of each column's rises at least the least ones are paid, all others of
the state's. Where all columns order the secrets alike that is the counting bound of the heaviest first.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.exact.layered_tables import CostTable, LayeredSpace
from oracular.kernels.exact.tables import LEVELS
from oracular.kernels.exact.types import Bounds, Counts


@entry_point
def small_cost(table: CostTable, part: Counts, size: int, column: int) -> tuple[int, int, bool]:
    """Return the cost of one to three secrets, the first to guess, and whether no guess that is none of them is better.

    Of three, a guess that is none of them can only be better if it tells all three apart and no guess among them that
    is as cheap does.
    """
    last = table.costs.shape[0] - 1
    now = table.costs[column]
    after = table.costs[min(column + 1, last)]
    first = part[0]
    if size == 1:
        return now[first], first, True
    second = part[1]
    if size == 2:
        if now[first] + after[second] <= now[second] + after[first]:
            return now[first] + after[second], first, True
        return now[second] + after[first], second, True
    later = table.costs[min(column + 2, last)]
    outside = after[first] + after[second] + after[part[2]]
    best = np.int64(0)
    chosen = -1
    for place in range(3):
        one = part[place]
        other = part[(place + 1) % 3]
        third = part[(place + 2) % 3]
        row = table.answers[table.finder[one]]
        cost = now[one] + after[other] + after[third]
        if row[other] == row[third]:
            cost += min(later[third] - after[third], later[other] - after[other])
        if chosen < 0 or cost < best:
            best = cost
            chosen = one
    return best, chosen, best <= outside


@inner
def sum_of_least(values: Bounds, count: int, least: int) -> int:
    """Return the sum of the least so many of the first `count` values, which are put in another order."""
    low = 0
    high = count - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        left = low
        right = high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if least <= right:
            high = right
        elif least > left:
            low = left
        else:
            break
    total = np.int64(0)
    for place in range(least):
        total += values[place]
    return total


@inner
def least_rise(table: CostTable, layered: LayeredSpace, part: Counts, size: int, column: int, least: int) -> int:
    """Return what the rise after this column costs at least, if so many of the secrets have not been found by then."""
    before = table.costs[column]
    after = table.costs[column + 1]
    for rank in range(size):
        layered.values[rank] = after[part[rank]] - before[part[rank]]
    return sum_of_least(layered.values, size, least)


@inner
def counted_cost(
    table: CostTable, layered: LayeredSpace, part: Counts, size: int, column: int, thresholds: Counts
) -> int:
    """Return the counting bound of a part, `thresholds[d - 1]` of whose secrets at most are found within d guesses."""
    last = table.costs.shape[0] - 1
    total = np.int64(0)
    if table.ordered:
        level = 0
        for rank in range(size):
            while level < LEVELS and thresholds[level] <= rank:
                level += 1
            total += table.costs[min(column + level, last), part[rank]]
        return total
    for rank in range(size):
        total += table.costs[column, part[rank]]
    for level in range(min(last - column, LEVELS)):
        if thresholds[level] >= size:
            break
        total += least_rise(table, layered, part, size, column + level, size - thresholds[level])
    return total


@inner
def outside_cost(table: CostTable, layered: LayeredSpace, state: Counts, size: int, column: int, branches: int) -> int:
    """Return a bound on the cost of any guess that is not itself possible: nobody is found at once."""
    last = table.costs.shape[0] - 1
    total = np.int64(0)
    room = branches
    found_by_then = room
    if table.ordered:
        at = column + 1
        for rank in range(size):
            if rank == found_by_then:
                at = min(at + 1, last)
                room *= branches
                found_by_then += room
            total += table.costs[at, state[rank]]
        return total
    for rank in range(size):
        total += table.costs[column + 1, state[rank]]
    for at in range(column + 1, last):
        if found_by_then >= size:
            break
        total += least_rise(table, layered, state, size, at, size - found_by_then)
        room *= branches
        found_by_then += room
    return total


@inner
def last_cost(table: CostTable, part: Counts, size: int) -> int:
    """Return the cost of a state at the last guess that counts: one secret is found, all others are too late."""
    last = table.costs.shape[0] - 1
    total = np.int64(0)
    most = np.int64(0)
    for rank in range(size):
        late = table.costs[last, part[rank]]
        total += late
        most = max(most, late - table.costs[last - 1, part[rank]])
    return total - most
