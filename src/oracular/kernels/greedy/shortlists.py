"""Compiled lists of the best guesses at a large state, which tell without a scan whether the best is still the best.

A list holds some guesses with their costs, how many members give each answer to them, and a *floor*: no guess that is
not in the list costs less. Counts do not depend on weights. When the weight of secret s grows by d, the cost of a guess
grows by d times the count of the answer that s gives to it, for a guess in the list exactly so, for any other by d or
more; when a weight falls, by no more than the size of the state allows. While the best of the list costs less than the
floor, it is the best of all guesses; when it does not, the state is scored anew and the list with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.answers import answer_to
from oracular.kernels.compiling import inlined, inner
from oracular.kernels.greedy.objective import TIES_POSSIBLE, WORST

LISTED = 32
"""The guesses in a list: with fewer it has to be made anew more often, with more it takes longer to keep."""


class Lists(NamedTuple):
    """Some lists.

    Attributes:
        sizes: how many guesses are in each, int32 [lists].
        floors: what all others cost at least, int64 [lists].
        worst: the place of the one that costs most, int32 [lists].
        guesses: int32 [lists, LISTED].
        costs: int64 [lists, LISTED].
        own: whether the guess may be the secret, where ties go to such, uint8 [lists, LISTED].
        counts: uint16 [lists, LISTED, answers].
    """

    sizes: NDArray[np.int32]
    floors: NDArray[np.int64]
    worst: NDArray[np.int32]
    guesses: NDArray[np.int32]
    costs: NDArray[np.int64]
    own: NDArray[np.uint8]
    counts: NDArray[np.uint16]


def bytes_of_list(width: int) -> int:
    """Return how much memory one list takes in a game with so many answers."""
    return 4 + 8 + 4 + LISTED * (4 + 8 + 1 + 2 * width)


def new_lists(lists: int, width: int) -> Lists:
    """Return room for so many lists."""
    return Lists(
        sizes=np.empty(lists, np.int32),
        floors=np.empty(lists, np.int64),
        worst=np.empty(lists, np.int32),
        guesses=np.empty((lists, LISTED), np.int32),
        costs=np.empty((lists, LISTED), np.int64),
        own=np.empty((lists, LISTED), np.uint8),
        counts=np.empty((lists, LISTED, width), np.uint16),
    )


@inner
def clear_list(lists, row):
    """Empty a list."""
    lists.sizes[row] = 0
    lists.floors[row] = WORST
    lists.worst[row] = 0


@inner
def _put(lists, row, guess, cost):
    """Put a guess into a list if it is among the best so far; return its place or -1."""
    costs = lists.costs[row]
    place = np.int64(lists.sizes[row])
    if place < LISTED:
        lists.sizes[row] += 1
    else:
        place = np.int64(lists.worst[row])
        lists.floors[row] = min(lists.floors[row], max(cost, costs[place]))
        if cost >= costs[place]:
            return np.int64(-1)
    lists.guesses[row, place] = guess
    costs[place] = cost
    if lists.sizes[row] == LISTED:
        worst = 0
        for other in range(1, LISTED):
            if costs[other] > costs[worst]:
                worst = other
        lists.worst[row] = worst
    return place


@inlined
def list_block(scorer, start, stop, by_letters, lists, row):
    """Put those guesses of a block that are among the best so far into a list.

    Their costs are filled in, and their sums: those of letters, or those from the table.
    """
    buffers, counts = scorer.buffers, (np.int64(1) << scorer.objective.shift) - 1
    floor = WORST
    for i in range(stop - start):
        cost = buffers.costs[i]
        if lists.sizes[row] == LISTED and cost >= lists.costs[row, lists.worst[row]]:
            floor = min(floor, cost)
            continue
        place = _put(lists, row, start + i, cost)
        for answer in range(scorer.answers.width):
            both = buffers.letter_sums[answer, i] if by_letters else buffers.sums[i, answer]
            lists.counts[row, place, answer] = both & counts
    lists.floors[row] = min(lists.floors[row], floor)


@inlined
def merge_lists(scorer, members, parts, first, stop, lists, row):
    """Make one list of those, from `first` to `stop`, that were filled in for ranges of guesses."""
    answers = scorer.answers
    clear_list(lists, row)
    for part in range(first, stop):
        lists.floors[row] = min(lists.floors[row], parts.floors[part])
        for other in range(parts.sizes[part]):
            place = _put(lists, row, np.int64(parts.guesses[part, other]), parts.costs[part, other])
            if place >= 0:
                for answer in range(answers.width):
                    lists.counts[row, place, answer] = parts.counts[part, other, answer]
    lists.own[row] = 0
    if scorer.objective.ties == TIES_POSSIBLE:
        for a in range(len(members)):
            guess = answers.finder[members[a]]
            for place in range(lists.sizes[row]):
                lists.own[row, place] |= lists.guesses[row, place] == guess


@inner
def change_list(answers, lists, row, secret, more, size):
    """Bring a list up to date where a secret's weight has become more, or less."""
    costs, counts = lists.costs[row], lists.counts[row]
    for place in range(lists.sizes[row]):
        answer = answer_to(answers, lists.guesses[row, place], secret)
        costs[place] += more * np.int64(counts[place, answer])
    lists.floors[row] += more if more > 0 else more * size


@inner
def best_of_list(lists, row, ties):
    """Return the key and the index of the best guess of a list, or -1 for the index where it may be another."""
    best_key, best_guess = WORST, np.int64(-1)
    for place in range(lists.sizes[row]):
        key = 2 * lists.costs[row, place] + ties - lists.own[row, place]
        guess = np.int64(lists.guesses[row, place])
        if key < best_key or (key == best_key and guess < best_guess):
            best_key, best_guess = key, guess
    return (best_key, best_guess) if best_key < 2 * lists.floors[row] else (WORST, np.int64(-1))
