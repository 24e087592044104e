"""Compiled: what a tree can still save after its opening, by every second guess.

After an opening and a second guess, the third guess finds one secret for each answer; all others are found later. With
`gain[s]` for finding secret s by the third guess instead of the fourth, and `sooner[s]` on top for finding it by the
second, no tree saves more in a part P of an opening than

    V(P) = max over guesses g of  sooner[what g finds in P] + sum over the answers of g in P of the largest gain there.

The secret that g finds is alone with its answer, so its gain is in the sum already. An opening saves the sum of V over
its parts. For the mean both numbers are the weight, which gives a lower bound on every tree with the opening. For
within-3 `sooner` is 0 and nothing is saved after the third guess, so there the bound is attained.

No state is examined twice, and no memo is needed. This is many times faster than a search of the same depth.

Secrets are sorted by falling gain, so the first one that gets an answer is the one that counts. Which answers a guess
has met are 256 bits, four words. Guesses are sorted too, those with the most answers first: a guess of k answers saves
no more than the k largest gains of P, so a scan ends as soon as these are not above the best so far. A block of guesses
is abandoned as soon as none of its guesses can be the best.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, inner

_BLOCK = 256
"""Guesses that are looked at together: which answers they have met stays in the first-level cache."""

_ONE = np.uint64(1)
_LOW = np.uint64(63)
_SIX = np.uint64(6)
_TWO = np.uint64(2)


@inner
def _group(row, order, begins, filled, grouped):
    """Sort secrets by their answers to a guess, those of one answer in the order given.

    The secrets of answer a come to stand in `grouped` from `begins[a]` up to `begins[a + 1]`.
    """
    begins[:] = 0
    for a in range(len(order)):
        begins[row[order[a]] + 1] += 1
    for answer in range(256):
        begins[answer + 1] += begins[answer]
        filled[answer] = begins[answer]
    for a in range(len(order)):
        answer = row[order[a]]
        grouped[filled[answer]] = order[a]
        filled[answer] += 1


@inner
def _add_block(by_secret, members, gain, begin, end, first, width, met, sums):
    """Add the gains of the members from `begin` to `end` that are the first with their answer, for a block of guesses.

    The block begins at the guess `first`. `met` has a bit for each answer met before, uint64 [4 * width]; `sums` has a
    number for each guess, int64 [width].
    """
    for a in range(begin, end):
        row = by_secret[members[a], first : first + width]
        gained = gain[members[a]]
        for i in range(width):
            answer = np.uint64(row[i])
            place = (np.uint64(i) << _TWO) | (answer >> _SIX)
            word, shift = met[place], answer & _LOW
            sums[i] += gained * np.int64(((word >> shift) & _ONE) ^ _ONE)  # a branch would be mispredicted here
            met[place] = word | (_ONE << shift)


@inner
def _saved_by(by_secret, members, gain, guess, met):
    """Return the sum of the largest gains of each answer to one guess; the members are sorted by falling gain."""
    met[:4] = 0
    total = np.int64(0)
    for a in range(len(members)):
        answer = np.uint64(by_secret[members[a], guess])
        bit = _ONE << (answer & _LOW)
        if met[answer >> _SIX] & bit == 0:
            total += gain[members[a]]
            met[answer >> _SIX] |= bit
    return total


@inner
def _best_of_all(by_secret, answers, members, gain, best, met, sums, largest):
    """Return the largest sum of gains of any guess and the first guess with it, or `best` and -1 if none is above."""
    size, guesses = len(members), by_secret.shape[1]
    total = np.int64(0)
    for a in range(size):
        largest[a] = total
        total += gain[members[a]]
    largest[size] = total
    chosen = -1
    step = max(4, size // 8)
    for first in range(0, guesses, _BLOCK):
        if best >= largest[min(size, answers[first])]:
            break
        width = min(_BLOCK, guesses - first)
        met[: 4 * width] = 0
        sums[:width] = 0
        seen, most = 0, np.int64(0)
        while seen < size:
            end = min(size, seen + step)
            _add_block(by_secret, members, gain, seen, end, first, width, met, sums)
            seen = end
            for i in range(width):
                most = max(most, sums[i])
            if most + total - largest[seen] <= best:
                break
        if seen == size and most > best:
            best = most
            for i in range(width):
                if sums[i] == most:
                    chosen = first + i
                    break
    return best, chosen


@allocating_entry_point
def second_guesses(
    by_secret, answers, finder, order, gain, sooner, openings, enough, hints, in_full, values, seconds, stop
):
    """Fill `values` with what each opening saves at most, and return for how many openings there was time.

    Args:
        by_secret: the answers, uint8 [secrets, guesses], the guesses with the most answers first.
        answers: how many answers each guess can get, int64 [guesses].
        finder: the guess that finds each secret, int64 [secrets].
        order: the secrets that count by falling gain, int32.
        gain: what is saved if a secret is found by the third guess, int64 [secrets].
        sooner: what is saved beyond that if it is found by the second, int64 [secrets].
        openings: int64 [openings].
        enough: an opening that is known to save no more than this is not looked at further, int64 [openings].
        hints: guesses to begin with after each answer to an opening, -1 for none, int32 [openings, 256, hints].
        in_full: whether all guesses are tried. Otherwise hints alone are, and at the least the two secrets with the
            largest gains are found, by guessing one and then the other.
        values: the exact value above `enough`, else a bound that is no larger, int64 [openings].
        seconds: gets the best guess after each answer, int32 [openings, 256]. It is -1 for at most two secrets, if the
            opening was left before, or if hints alone are tried and none saves more than the least.
        stop: turns from 0 to 1 when the work is to end.
    """
    met, sums = np.zeros(4 * _BLOCK, np.uint64), np.zeros(_BLOCK, np.int64)
    largest, grouped = np.zeros(len(order) + 1, np.int64), np.empty(len(order), np.int32)
    begins, filled = np.zeros(257, np.int64), np.zeros(256, np.int64)
    for number in range(len(openings)):
        if stop[0]:
            return number
        _group(by_secret[:, openings[number]], order, begins, filled, grouped)
        seconds[number] = -1
        value = np.int64(0)  # at first: the second guess finds what it is best to find, and the third finds all others
        for answer in range(256):
            soonest = np.int64(0)
            for secret in grouped[begins[answer] : begins[answer + 1]]:
                value += gain[secret]
                soonest = max(soonest, sooner[secret])
            value += soonest
        largest_first = np.argsort(begins[:256] - begins[1:], kind="mergesort")
        for place in range(256):
            answer = largest_first[place]
            members = grouped[begins[answer] : begins[answer + 1]]
            if len(members) <= 2 or value <= enough[number]:
                break
            if stop[0]:
                return number
            best = np.int64(0) if in_full else gain[members[0]] + gain[members[1]]
            whole, soonest = np.int64(0), np.int64(0)
            for a in range(len(members)):
                whole += gain[members[a]]
                soonest = max(soonest, sooner[members[a]])
            for a in range(len(members)):
                extra = sooner[members[a]]
                if extra > 0 and whole + extra > best:
                    guess = finder[members[a]]
                    saved = extra + _saved_by(by_secret, members, gain, guess, met)
                    if saved > best:
                        best, seconds[number, answer] = saved, guess
            for hint in hints[number, answer]:
                if hint < 0:
                    continue
                saved = _saved_by(by_secret, members, gain, hint, met)
                if saved > best:
                    best, seconds[number, answer] = saved, hint
            if in_full:
                best, guess = _best_of_all(by_secret, answers, members, gain, best, met, sums, largest)
                if guess >= 0:
                    seconds[number, answer] = guess
            value += best - whole - soonest
        values[number] = value
    return len(openings)


@allocating_entry_point
def openings_by_counting(by_secret, order, gain, reach, values, stop):
    """Fill `values` with the sum of the `reach` largest gains of each opening's parts, by the size of a part.

    If the reach is the most parts that any guess makes of that many secrets, no opening saves more without finding a
    secret sooner. With less it is an estimate.
    """
    seen, sizes = np.zeros(256, np.int64), np.zeros(256, np.int64)
    for opening in range(by_secret.shape[1]):
        if stop[0]:
            return
        seen[:] = 0
        sizes[:] = 0
        value = np.int64(0)
        for a in range(len(order)):
            sizes[by_secret[order[a], opening]] += 1
        for a in range(len(order)):
            answer = by_secret[order[a], opening]
            if seen[answer] < reach[sizes[answer]]:
                value += gain[order[a]]
                seen[answer] += 1
        values[opening] = value
