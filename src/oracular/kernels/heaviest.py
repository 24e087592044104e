"""Compiled: secrets by their answers to a guess, and the heaviest secret of each answer for many guesses at a time.

Where a guess is to be followed by one more, the heaviest secret of each of its answers is what counts. Secrets come
sorted by falling weight, so it is the first that gets an answer. Which answers a guess has met are bits of four words.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inner

BLOCK = 256
"""Guesses that are looked at together: which answers they have met stays in the first-level cache."""

ONE = np.uint64(1)
LOW = np.uint64(63)
SIX = np.uint64(6)
TWO = np.uint64(2)


@inner
def add_block(by_secret, members, weights, begin, end, first, width, met, sums):
    """Add the weights of some secrets that are the first with their answer to the sums of each guess of a block.

    Args:
        by_secret: the answers, uint8 [secrets, guesses].
        members: the secrets of a state by falling weight.
        weights: the hider's, int64 [secrets].
        begin: the first of the members that are looked at; those before have been.
        end: the first that is not.
        first: the first guess of the block.
        width: how many guesses it has.
        met: the answers that were met before, a bit each, uint64 [4 * width].
        sums: int64 [width].
    """
    for a in range(begin, end):
        row = by_secret[members[a], first : first + width]
        weight = weights[members[a]]
        for i in range(width):
            answer = np.uint64(row[i])
            place = (np.uint64(i) << TWO) | (answer >> SIX)
            word, shift = met[place], answer & LOW
            sums[i] += weight * np.int64(((word >> shift) & ONE) ^ ONE)  # a branch here would be guessed wrong
            met[place] = word | (ONE << shift)


@inner
def group(row, order, begins, filled, grouped):
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
