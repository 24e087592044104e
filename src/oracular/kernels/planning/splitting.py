"""Compiled scan of a state for its best few guesses, by any score that is a table over counts.

The score of a guess at a state is what the parts it leaves would cost,

    sum over answers j other than the one that ends the game of A_j f(c_j)  +  f_found times the guess's own weight,

where A_j is the weight and c_j the number of the secrets that answer j. The paper's eliminations are f(c) = c and
f_found = 1; fixed-point logarithms or expected depths are other tables. Everything is a whole number.

Weight and count of a secret share one 32-bit number. Games of few answers are added up answer by answer with plain
comparisons, sixteen guesses to a vector instruction; games of many answers by touching only the sums that occur.
"""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 512
"""Guesses whose costs are worked out together: their sums stay in the first-level cache."""

FEW_ANSWERS = 8
"""Up to so many answers, comparing with each of them is faster than adding at an index."""

WORST = np.int64(2**62)


@njit(cache=True, nogil=True)
def _add_up_by_comparing(by_secret, members, values, start, stop, found, sums):
    """Fill `sums` [answers, block] with the packed weight and count of each answer."""
    width = stop - start
    total = np.int32(0)
    for a in range(len(members)):
        total += values[a]
    rest = 1 if found == 0 else 0  # this answer's sum is what all others leave of the total
    sums[rest, :width] = total
    for answer in range(sums.shape[0]):
        if answer in (rest, found):
            continue
        line = sums[answer]
        line[:width] = 0
        wanted = np.uint8(answer)
        for a in range(len(members)):
            row = by_secret[members[a], start:stop]
            value = values[a]
            for i in range(width):
                line[i] += value if row[i] == wanted else np.int32(0)
        for i in range(width):
            sums[rest, i] -= line[i]


@njit(cache=True, nogil=True)
def _costs_by_comparing(by_secret, guess_of_secret, members, values, start, stop, found, shift, table, sums, costs):
    """Fill `costs` for a block of guesses in a game of few answers."""
    _add_up_by_comparing(by_secret, members, values, start, stop, found, sums)
    width = stop - start
    rest = 1 if found == 0 else 0
    for a in range(len(members)):
        guess = guess_of_secret[members[a]]
        if start <= guess < stop:
            sums[rest, guess - start] -= values[a]
    mask = (np.int32(1) << shift) - np.int32(1)
    costs[:width] = 0
    for answer in range(sums.shape[0]):
        if answer == found:
            continue
        line = sums[answer]
        for i in range(width):
            costs[i] += np.int64(line[i] >> shift) * table[line[i] & mask]


@njit(cache=True, nogil=True)
def _costs_by_touching(by_secret, members, values, start, stop, found, shift, table, touched, costs):
    """Fill `costs` for a block of guesses in a game of many answers; `touched` is all zero before and after."""
    mask = (np.int32(1) << shift) - np.int32(1)
    width = stop - start
    costs[:width] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        for i in range(width):
            before = touched[i, row[i]]
            after = before + values[a]
            touched[i, row[i]] = after
            if row[i] != found:
                costs[i] += np.int64(after >> shift) * table[after & mask]
                costs[i] -= np.int64(before >> shift) * table[before & mask]
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        for i in range(width):
            touched[i, row[i]] = 0


@njit(cache=True, nogil=True)
def same_split(by_secret, members, guess, other, found, meets, met_by):
    """Tell whether two guesses find the same secret, if any, and split the rest alike, whatever the answers are."""
    same = True
    filled = 0
    for a in range(len(members)):
        mine, theirs = by_secret[members[a], guess], by_secret[members[a], other]
        if meets[mine] < 0 and met_by[theirs] < 0:
            meets[mine], met_by[theirs] = theirs, mine
        filled = a
        if meets[mine] != theirs or (mine == found) != (theirs == found):
            same = False
            break
    for a in range(filled + 1):
        meets[by_secret[members[a], guess]] = -1
        met_by[by_secret[members[a], other]] = -1
    return same


@njit(cache=True, nogil=True)
def splits(by_secret, members, guess, found):
    """Tell whether a guess tells anything: whether not all the secrets stay together."""
    first = by_secret[members[0], guess]
    if first == found:
        return True
    for a in range(1, len(members)):  # noqa: SIM110 - compiled: a loop is what is meant
        if by_secret[members[a], guess] != first:
            return True
    return False


@njit(cache=True, nogil=True)
def _keep(by_secret, members, guess, key, found, kept, keys, count, want, meets, met_by):
    """Put a guess among the kept ones, in order, unless it says nothing new; return how many are kept."""
    if not splits(by_secret, members, guess, found):
        return count
    place = count
    while place > 0 and keys[place - 1] > key:
        place -= 1
    other = place - 1
    while other >= 0 and keys[other] == key:
        if want > 1 and same_split(by_secret, members, guess, kept[other], found, meets, met_by):
            return count
        other -= 1
    last = min(count, want - 1)
    for i in range(last, place, -1):
        keys[i], kept[i] = keys[i - 1], kept[i - 1]
    keys[place], kept[place] = key, guess
    return last + 1


@njit(cache=True, nogil=True)
def best_guesses(
    by_secret, guess_of_secret, found, members, values, shift, table, found_value, ties, want,
    sums, touched, costs, meets, met_by, kept, keys,
):  # fmt: skip
    """Return how many guesses were found, at most `want`: the best by score, no two of them with the same split.

    `kept` and `keys` hold them, best first; equal scores keep the dictionary's order. A key is twice the score, plus
    one where ties go to possible secrets and the guess is none.

    Args:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret [secrets].
        found: the answer that ends the game.
        members: the possible secrets, two or more, sorted.
        values: weight << shift | 1 of each of them, int32.
        shift: the bits that hold a count.
        table: f, what a unit of weight costs in a part by the number of secrets in it [secrets + 1].
        found_value: what a unit of weight costs that is found at once.
        ties: 0 for the first in dictionary order, 1 for possible secrets first.
        want: how many guesses to keep.
        sums: scratch int32 [answers, BLOCK].
        touched: scratch int32 [BLOCK, 256], all zero; only for games of more than FEW_ANSWERS answers.
        costs: scratch int64 [BLOCK].
        meets: scratch int16 [256], all -1.
        met_by: scratch int16 [256], all -1.
        kept: the guesses found [want].
        keys: their keys [want].
    """
    count = 0
    guesses = by_secret.shape[1]
    for start in range(0, guesses, BLOCK):
        stop = min(start + BLOCK, guesses)
        if sums.shape[0] <= FEW_ANSWERS:
            _costs_by_comparing(
                by_secret, guess_of_secret, members, values, start, stop, found, shift, table, sums, costs
            )
        else:
            _costs_by_touching(by_secret, members, values, start, stop, found, shift, table, touched, costs)
        for i in range(stop - start):
            costs[i] = 2 * costs[i] + ties
        for a in range(len(members)):
            guess = guess_of_secret[members[a]]
            if start <= guess < stop:
                costs[guess - start] += 2 * found_value * np.int64(values[a] >> shift) - ties
        limit = keys[want - 1] if count == want else WORST
        for i in range(stop - start):
            if costs[i] < limit:
                count = _keep(by_secret, members, start + i, costs[i], found, kept, keys, count, want, meets, met_by)
                limit = keys[want - 1] if count == want else WORST
    return count
