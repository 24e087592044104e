"""Compiled scan of a state for its best few guesses, by any score that is a table over counts.

The score of a guess at a state is what the parts it leaves would cost,

    sum over answers j other than the one that ends the game of A_j f(c_j)  +  f_found times the guess's own weight,

where A_j is the weight and c_j the number of the secrets that answer j. The paper's eliminations are f(c) = c and
f_found = 1; fixed-point logarithms or expected depths are other tables. Everything is a whole number.

Weight and count of a secret share one 32-bit number. Games of few answers are added up answer by answer with plain
comparisons, sixteen guesses to a vector instruction; games of many answers by touching only the sums that occur.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.kernels.guessing import ANY, HARD, GuessingTable, list_allowed, next_demand

BLOCK = 512
"""Guesses whose costs are worked out together: their sums stay in the first-level cache."""

FEW_ANSWERS = 8
"""Up to so many answers, comparing with each of them is faster than adding at an index."""

WORST = np.int64(2**62)
"""A key or a value above all others, that one may still be added to."""


class ScoredGame(NamedTuple):
    """A game as the kernels read it, and the score that its guesses are compared by.

    Attributes:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret, int32 [secrets].
        found: the answer that ends the game.
        answers: how many answers there are.
        shift: the bits that hold a count, beside a weight.
        table: f, what a unit of weight costs in a part by the number of secrets in it, int64 [secrets + 1].
        found_value: what a unit of weight costs that is found at once.
        ties: 0 where the first in dictionary order goes first of equal scores, 1 where possible secrets do.
        guessing: which guesses are allowed at a state.
    """

    by_secret: NDArray[np.uint8]
    guess_of_secret: NDArray[np.int32]
    found: int
    answers: int
    shift: int
    table: NDArray[np.int64]
    found_value: int
    ties: int
    guessing: GuessingTable


class ScanSpace(NamedTuple):
    """Working space of a scan, and what stops it.

    Attributes:
        sums: packed weights and counts by answer, int32 [answers, BLOCK]; all zero between scans where not every guess
            is allowed.
        touched: the same by guess, all zero between scans, int32 [BLOCK, 256]; only where answers are many.
        costs: int64 [BLOCK].
        meets: all -1 between scans, int16 [256].
        met_by: likewise, int16 [256].
        listed: the allowed guesses of a block, int32 [BLOCK]; only where not all are allowed.
        stop: turns from 0 to 1 when the scan is to be given up (`Deadline.flag`), uint8 [1].
    """

    sums: NDArray[np.int32]
    touched: NDArray[np.int32]
    costs: NDArray[np.int64]
    meets: NDArray[np.int16]
    met_by: NDArray[np.int16]
    listed: NDArray[np.int32]
    stop: NDArray[np.uint8]


def new_scan_space(answers: int) -> ScanSpace:
    """Return working space for a game of so many answers, which nothing stops."""
    return ScanSpace(
        sums=np.zeros((answers, BLOCK), np.int32),
        touched=np.zeros((BLOCK, 256) if answers > FEW_ANSWERS else (1, 1), np.int32),
        costs=np.zeros(BLOCK, np.int64),
        meets=np.full(256, -1, np.int16),
        met_by=np.full(256, -1, np.int16),
        listed=np.zeros(BLOCK, np.int32),
        stop=np.zeros(1, np.uint8),
    )


@inner
def _add_up_by_comparing(game, sums, members, values, start, end):
    """Fill `sums` [answers, block] with the packed weight and count of each answer."""
    width = end - start
    total = np.int32(0)
    for a in range(len(members)):
        total += values[a]
    rest = 1 if game.found == 0 else 0  # this answer's sum is what all others leave of the total
    sums[rest, :width] = total
    for answer in range(game.answers):
        if answer in (rest, game.found):
            continue
        line = sums[answer]
        line[:width] = 0
        wanted = np.uint8(answer)
        for a in range(len(members)):
            row = game.by_secret[members[a], start:end]
            value = values[a]
            for i in range(width):
                line[i] += value if row[i] == wanted else np.int32(0)
        for i in range(width):
            sums[rest, i] -= line[i]


@inner
def _costs_by_comparing(game, space, members, values, start, end):
    """Fill `space.costs` for a block of guesses in a game of few answers."""
    sums, costs, table = space.sums, space.costs, game.table
    shift = np.int32(game.shift)
    _add_up_by_comparing(game, sums, members, values, start, end)
    width = end - start
    rest = 1 if game.found == 0 else 0
    for a in range(len(members)):
        guess = game.guess_of_secret[members[a]]
        if start <= guess < end:
            sums[rest, guess - start] -= values[a]
    mask = (np.int32(1) << shift) - np.int32(1)
    costs[:width] = 0
    for answer in range(game.answers):
        if answer == game.found:
            continue
        line = sums[answer]
        for i in range(width):
            costs[i] += np.int64(line[i] >> shift) * table[line[i] & mask]


@inner
def _costs_by_touching(game, space, members, values, start, end):
    """Fill `space.costs` for a block of guesses in a game of many answers."""
    touched, costs, table = space.touched, space.costs, game.table
    shift = np.int32(game.shift)
    mask = (np.int32(1) << shift) - np.int32(1)
    width = end - start
    costs[:width] = 0
    for a in range(len(members)):
        row = game.by_secret[members[a], start:end]
        for i in range(width):
            before = touched[i, row[i]]
            after = before + values[a]
            touched[i, row[i]] = after
            if row[i] != game.found:
                costs[i] += np.int64(after >> shift) * table[after & mask]
                costs[i] -= np.int64(before >> shift) * table[before & mask]
    for a in range(len(members)):
        row = game.by_secret[members[a], start:end]
        for i in range(width):
            touched[i, row[i]] = 0


@inner
def _same_split(game, space, members, guess, other):
    """Tell whether two guesses find the same secret, if any, and split the rest alike, whatever the answers are."""
    by_secret, meets, met_by = game.by_secret, space.meets, space.met_by
    same = True
    filled = 0
    for a in range(len(members)):
        mine, theirs = by_secret[members[a], guess], by_secret[members[a], other]
        if meets[mine] < 0 and met_by[theirs] < 0:
            meets[mine], met_by[theirs] = theirs, mine
        filled = a
        if meets[mine] != theirs or (mine == game.found) != (theirs == game.found):
            same = False
            break
    for a in range(filled + 1):
        meets[by_secret[members[a], guess]] = -1
        met_by[by_secret[members[a], other]] = -1
    return same


@entry_point
def splits(by_secret, members, guess, found):
    """Tell whether a guess tells anything: whether not all the secrets stay together."""
    first = by_secret[members[0], guess]
    if first == found:
        return True
    for a in range(1, len(members)):  # noqa: SIM110 - compiled: a loop is what is meant
        if by_secret[members[a], guess] != first:
            return True
    return False


@inner
def _same_demands(game, members, demand, guess, other):
    """Tell whether two guesses that split a state alike ask the same of the guesses that follow.

    Where a part has no more than two secrets nothing is asked: each of them is allowed, and nothing is better.
    """
    letters, colours, by_secret = game.guessing.letters, game.guessing.colours, game.by_secret
    for a in range(len(members)):
        mine, theirs = by_secret[members[a], guess], by_secret[members[a], other]
        if next_demand(letters, colours, demand, guess, mine) != next_demand(letters, colours, demand, other, theirs):
            together = 0
            for b in range(len(members)):
                together += by_secret[members[b], guess] == mine
            if together > 2:
                return False
    return True


@inner
def _keep(game, space, members, guess, key, kept, keys, count, demand):
    """Put a guess among the kept ones, in order, unless it says nothing new; return how many are kept."""
    if not splits(game.by_secret, members, guess, game.found):
        return count
    place = count
    while place > 0 and keys[place - 1] > key:
        place -= 1
    other = place - 1
    while other >= 0 and keys[other] == key:
        same = len(kept) > 1 and _same_split(game, space, members, guess, kept[other])
        if same and (game.guessing.rule != HARD or _same_demands(game, members, demand, guess, kept[other])):
            return count
        other -= 1
    last = min(count, len(kept) - 1)
    for i in range(last, place, -1):
        keys[i], kept[i] = keys[i - 1], kept[i - 1]
    keys[place], kept[place] = key, guess
    return last + 1


@inner
def _costs_of_listed(game, space, members, values, width):
    """Fill `space.costs` with the keys of the first guesses listed."""
    sums, costs, listed, table = space.sums, space.costs, space.listed, game.table
    shift = np.int32(game.shift)
    mask = (np.int32(1) << shift) - np.int32(1)
    costs[:width] = game.ties
    for a in range(len(members)):
        row = game.by_secret[members[a]]
        found_key = 2 * game.found_value * np.int64(values[a] >> shift) - game.ties
        for i in range(width):
            answer = row[listed[i]]
            if answer == game.found:
                costs[i] += found_key
                continue
            before = sums[answer, i]
            after = before + values[a]
            sums[answer, i] = after
            costs[i] += 2 * np.int64(after >> shift) * table[after & mask]
            costs[i] -= 2 * np.int64(before >> shift) * table[before & mask]
    for a in range(len(members)):
        row = game.by_secret[members[a]]
        for i in range(width):
            sums[row[listed[i]], i] = 0


@inner
def _best_allowed(game, space, members, values, kept, keys, demand):
    """Return what `best_guesses` returns, where not every guess is allowed."""
    count, want, start = np.int64(0), len(kept), 0
    costs, listed, guesses = space.costs, space.listed, game.by_secret.shape[1]
    while True:
        width, start = list_allowed(game.guessing, game.guess_of_secret, guesses, members, demand, start, listed)
        _costs_of_listed(game, space, members, values, width)
        for i in range(width):
            if count < want or costs[i] < keys[want - 1]:
                count = _keep(game, space, members, listed[i], costs[i], kept, keys, count, demand)
        if width < len(listed) or space.stop[0]:
            return count


@inner
def best_guesses(game, space, members, values, kept, keys, demand):
    """Return how many guesses were found, at most as many as `kept` holds: the best by score, no two with one split.

    `kept` and `keys` get them, best first; equal scores keep the dictionary's order. A key is twice the score, plus
    one where ties go to possible secrets and the guess is none. A scan that is stopped gives the best so far.

    Args:
        game: the game and the score.
        space: working space; see `ScanSpace`.
        members: the possible secrets, two or more, sorted.
        values: weight << shift | 1 of each of them, int32.
        kept: gets the guesses, int32.
        keys: gets their keys, int64.
        demand: what is asked of the guess; only allowed guesses are found.
    """
    if game.guessing.rule != ANY:
        return _best_allowed(game, space, members, values, kept, keys, demand)
    count, want = np.int64(0), len(kept)
    costs, guesses, shift = space.costs, game.by_secret.shape[1], np.int32(game.shift)
    for start in range(0, guesses, BLOCK):
        if space.stop[0]:
            break
        end = min(start + BLOCK, guesses)
        if game.answers <= FEW_ANSWERS:
            _costs_by_comparing(game, space, members, values, start, end)
        else:
            _costs_by_touching(game, space, members, values, start, end)
        for i in range(end - start):
            costs[i] = 2 * costs[i] + game.ties
        for a in range(len(members)):
            guess = game.guess_of_secret[members[a]]
            if start <= guess < end:
                costs[guess - start] += 2 * game.found_value * np.int64(values[a] >> shift) - game.ties
        limit = keys[want - 1] if count == want else WORST
        for i in range(end - start):
            if costs[i] < limit:
                count = _keep(game, space, members, start + i, costs[i], kept, keys, count, demand)
                limit = keys[want - 1] if count == want else WORST
    return count
