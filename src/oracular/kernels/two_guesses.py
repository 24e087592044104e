"""Compiled lower bounds on all trees that begin with an opening, by every second guess.

After an opening and a second guess the heaviest secret of each part may be found by the third guess, and no other
before the fourth. So a part P of an opening, of weight W, costs at least

    min over guesses g of   3 W - 2 w_found - sum over the answers of g in P of the heaviest weight there,

where w_found is the weight of the secret that g finds in P, if any, whose answer is not among those summed over. No
memo is needed, and no state is looked at twice: that is many times faster than a search as deep as this.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import allocating_entry_point, inner
from oracular.kernels.heaviest import BLOCK, LOW, ONE, SIX, add_block, group


@inner
def _by_possible_guesses(by_secret, guess_of_secret, members, weights, found, met):
    """Return the most that a guess which may be the secret saves of three times a part's weight."""
    most = np.int64(0)
    for guesser in range(len(members)):
        guess = guess_of_secret[members[guesser]]
        met[:4] = 0
        saved = np.int64(0)
        for a in range(len(members)):
            answer = np.uint64(by_secret[members[a], guess])
            if answer == found:
                saved += 2 * weights[members[a]]
                continue
            bit = ONE << (answer & LOW)
            word = met[answer >> SIX]
            saved += weights[members[a]] if word & bit == 0 else np.int64(0)
            met[answer >> SIX] = word | bit
        most = max(most, saved)
    return most


@inner
def _least_of_part(by_secret, guess_of_secret, members, weights, found, met, saved):
    """Return the least that a part can cost, its members sorted by falling weight.

    A guess that may be the secret saves more than the heaviest of each answer, and has been looked at before. No other
    guess saves more than the whole weight once.
    """
    total = np.int64(0)
    for a in range(len(members)):
        total += weights[members[a]]
    most = _by_possible_guesses(by_secret, guess_of_secret, members, weights, found, met)
    guesses = by_secret.shape[1]
    for start in range(0, guesses, BLOCK):
        if most >= total:
            break
        width = min(BLOCK, guesses - start)
        met[: 4 * width] = 0
        saved[:width] = 0
        add_block(by_secret, members, weights, 0, len(members), start, width, met, saved)
        for i in range(width):
            most = max(most, saved[i])
    return 3 * total - most


@allocating_entry_point
def bounds_by_two_guesses(by_secret, guess_of_secret, order, weights, found, openings, enough, bounds, stop):
    """Fill `bounds` with what any tree with each opening costs at least, and return for how many there was time.

    Args:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret, int32 [secrets].
        order: the secrets by falling weight, int32 [secrets].
        weights: the hider's, int64 [secrets].
        found: the answer that ends the game.
        openings: int64 [openings].
        enough: an opening whose bound comes to this is not looked at further.
        bounds: int64 [openings].
        stop: turns from 0 to 1 when the work is to be given up.
    """
    met, saved = np.zeros(4 * BLOCK, np.uint64), np.zeros(BLOCK, np.int64)
    grouped, begins = np.empty(len(order), np.int32), np.zeros(257, np.int64)
    filled, sums = np.zeros(256, np.int64), np.zeros(256, np.int64)
    for number in range(len(openings)):
        row = by_secret[:, openings[number]]
        group(row, order, begins, filled, grouped)
        sums[:] = 0
        total = np.int64(0)
        for a in range(len(order)):
            sums[row[order[a]]] += weights[order[a]]
            total += weights[order[a]]
        for answer in range(256):  # at best the heaviest of a part is found next, and all others after that
            if answer != found and sums[answer] > 0:
                total += 2 * sums[answer] - weights[grouped[begins[answer]]]
        sizes = begins[1:] - begins[:256]
        largest_first = np.argsort(-sizes, kind="mergesort")
        for place in range(256):
            answer = largest_first[place]
            if sizes[answer] <= 2 or total >= enough:
                break
            if stop[0]:
                return number
            if answer == found or sums[answer] == 0:
                continue
            members = grouped[begins[answer] : begins[answer + 1]]
            least = _least_of_part(by_secret, guess_of_secret, members, weights, found, met, saved)
            total += least - (2 * sums[answer] - weights[members[0]])
        bounds[number] = min(total, enough)
    return len(openings)
