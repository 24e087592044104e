"""Compiled: how much weight is found within three guesses, by every opening and every second guess.

With one guess left the heaviest secret of a state is found. So of a part P of an opening two more guesses find at most

    V(P) = max over guesses g of   sum over the answers of g in P of the heaviest weight there,

and the opening finds the sum of V over its parts. The secret that a guess finds is alone with its answer, so it needs
no case of its own. Of two secrets both are found.

Guesses come sorted, those of most answers first. A guess of k answers finds at most the k heaviest secrets of P, so a
scan ends where these weigh no more than the best so far; a block of guesses is left as soon as all of it has missed too
much.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, inner
from oracular.kernels.heaviest import BLOCK, LOW, ONE, SIX, add_block, group


@inner
def _most_with_two(by_secret, answers, members, weights, best, met, found, heaviest):
    """Return V of a state, or `best` where that is no less, and the first guess with it, or -1.

    The members are sorted by falling weight.
    """
    size, guesses = len(members), by_secret.shape[1]
    total = np.int64(0)
    for a in range(size):
        heaviest[a] = total
        total += weights[members[a]]
    heaviest[size] = total
    chosen = -1
    step = max(4, size // 8)
    for first in range(0, guesses, BLOCK):
        if best >= heaviest[min(size, answers[first])]:
            break
        width = min(BLOCK, guesses - first)
        met[: 4 * width] = 0
        found[:width] = 0
        seen, most = 0, np.int64(0)
        while seen < size:
            end = min(size, seen + step)
            add_block(by_secret, members, weights, seen, end, first, width, met, found)
            seen = end
            for i in range(width):
                most = max(most, found[i])
            if most + total - heaviest[seen] <= best:
                break
        if seen == size and most > best:
            best = most
            for i in range(width):
                if found[i] == most:
                    chosen = first + i
                    break
    return best, chosen


@inner
def _found_by(by_secret, members, weights, guess, met):
    """Return what a guess and one after it find of a state, sorted by falling weight."""
    met[:4] = 0
    total = np.int64(0)
    for a in range(len(members)):
        answer = np.uint64(by_secret[members[a], guess])
        bit = ONE << (answer & LOW)
        if met[answer >> SIX] & bit == 0:
            total += weights[members[a]]
            met[answer >> SIX] |= bit
    return total


@allocating_entry_point
def openings_with_two(by_secret, answers, order, weights, openings, enough, hints, values, seconds, stop):
    """Fill `values` with what each opening finds at most within three guesses; return for how many there was time.

    Args:
        by_secret: the answers, uint8 [secrets, guesses], the guesses of most answers first.
        answers: how many answers each guess can get, int64 [guesses].
        order: the secrets that count by falling weight, int32.
        weights: the hider's, int64 [secrets].
        openings: int64 [openings].
        enough: an opening that is known to find no more is not looked at further.
        hints: guesses to begin with at each part of each opening, -1 for none, int32 [openings, 256, hints].
        values: exact above `enough`; else a bound that is no larger, int64 [openings].
        seconds: gets the best guess after each answer, -1 where there are at most two secrets, or where the opening was
            left before, int32 [openings, 256].
        stop: turns from 0 to 1 when the work is to be given up.
    """
    met, found = np.zeros(4 * BLOCK, np.uint64), np.zeros(BLOCK, np.int64)
    heaviest, grouped = np.zeros(len(order) + 1, np.int64), np.empty(len(order), np.int32)
    begins, filled = np.zeros(257, np.int64), np.zeros(256, np.int64)
    for number in range(len(openings)):
        group(by_secret[:, openings[number]], order, begins, filled, grouped)
        value = np.int64(0)
        for a in range(len(order)):
            value += weights[order[a]]
        seconds[number] = -1
        largest_first = np.argsort(begins[:256] - begins[1:], kind="mergesort")
        for place in range(256):
            answer = largest_first[place]
            members = grouped[begins[answer] : begins[answer + 1]]
            if len(members) <= 2 or value <= enough:
                break
            if stop[0]:
                return number
            best = np.int64(0)
            for hint in hints[number, answer]:
                hinted = _found_by(by_secret, members, weights, hint, met) if hint >= 0 else np.int64(0)
                if hinted > best:
                    best, seconds[number, answer] = hinted, hint
            best, guess = _most_with_two(by_secret, answers, members, weights, best, met, found, heaviest)
            if guess >= 0:
                seconds[number, answer] = guess
            for a in range(len(members)):
                value -= weights[members[a]]
            value += best
        values[number] = value
    return len(openings)


@allocating_entry_point
def openings_in_lists(by_secret, order, weights, openings, lists, values, chosen, stop):
    """Fill `values` with what each opening finds within three guesses by second guesses of its lists alone.

    `lists` are guesses after each answer, -1 after the last, int32 [openings, 256, most]; `chosen` gets the best of
    them, -1 where none finds more than the two heaviest secrets, int32 [openings, 256].
    """
    met, grouped = np.zeros(4, np.uint64), np.empty(len(order), np.int32)
    begins, filled = np.zeros(257, np.int64), np.zeros(256, np.int64)
    for number in range(len(openings)):
        if stop[0]:
            return
        group(by_secret[:, openings[number]], order, begins, filled, grouped)
        value = np.int64(0)
        chosen[number] = -1
        for answer in range(256):
            members = grouped[begins[answer] : begins[answer + 1]]
            best = np.int64(0)
            for a in range(min(2, len(members))):  # the two heaviest are found by guessing one, then the other
                best += weights[members[a]]
            if len(members) > 2:
                for guess in lists[number, answer]:
                    if guess < 0:
                        break
                    value_here = _found_by(by_secret, members, weights, guess, met)
                    if value_here > best:
                        best, chosen[number, answer] = value_here, guess
            value += best
        values[number] = value


@allocating_entry_point
def openings_by_counting(by_secret, order, weights, reach, values, stop):
    """Fill `values` with the weight of the `reach` heaviest secrets of each opening's parts, by the size of a part.

    Where the reach is the most parts that any guess makes of so many secrets, that bounds what is found within three
    guesses; with less it is an estimate.
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
                value += weights[order[a]]
                seen[answer] += 1
        values[opening] = value
