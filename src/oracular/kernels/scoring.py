"""Compiled scoring of a state: which guess the greedy best response makes (Algorithms GuesserGBR to NumElims).

The paper guesses the word that eliminates most words in expectation. With n possible secrets of total weight W, of
which c_j secrets of weight A_j give answer j, the expected number is

    sum_j (A_j / W) (n - c_j)  =  n - (1/W) sum_j A_j c_j,

so the best guess is the one with the least whole number sum_j A_j c_j, its *cost*. Weights are whole numbers, so a
cost is exact whatever the order of summing.

Weight and count of a secret travel in one 64-bit number, `packed = weight << shift | 1`: adding up packed numbers
adds up both. Guesses are scored in blocks whose sums stay in the first-level cache, reading the rows of the table
that belong to the possible secrets from left to right.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from oracular.errors import SettingsError

BLOCK = 256
"""Guesses scored at a time: with 8 answers their sums take 16 KB."""

FEW = 5
"""Up to this many secrets, comparing them pair by pair beats adding up by answer."""

MANY_ANSWERS = 32
"""With more answers than this, most of them unused, clearing and adding up all of them would take longest."""

TIES_FIRST = 0
TIES_POSSIBLE = 1
"""How equally good guesses are told apart: by dictionary order alone, or possible secrets first."""

WORST = np.int64(2**63 - 1)


@njit(cache=True, nogil=True)
def _costs_by_pairs(by_secret, values, members, start, stop, shift, costs):
    """Fill `costs` for a block of guesses, for a state of few secrets.

    sum_j A_j c_j counts each secret's weight once for every secret with the same answer, itself included: so it is W
    plus the weight of both for each pair with the same answer.
    """
    total = np.int64(0)
    for a in range(len(members)):
        total += values[a] >> shift
    costs[: stop - start] = total
    for a in range(1, len(members)):
        row_a = by_secret[members[a], start:stop]
        for b in range(a):
            row_b = by_secret[members[b], start:stop]
            both = (values[a] >> shift) + (values[b] >> shift)
            for i in range(stop - start):
                costs[i] += both if row_a[i] == row_b[i] else 0


@njit(cache=True, nogil=True)
def _costs_by_answer(by_secret, values, members, start, stop, shift, sums, costs):
    """Fill `costs` for a block of guesses, adding up packed weight and count of each answer."""
    last_answer = np.uint8(sums.shape[1] - 1)  # the width is a power of two; the mask tells the compiler so
    sums[: stop - start] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        value = values[a]
        for i in range(stop - start):
            sums[i, row[i] & last_answer] += value
    counts = (np.int64(1) << shift) - 1
    for i in range(stop - start):
        cost = np.int64(0)
        for answer in range(sums.shape[1]):
            both = sums[i, answer]
            cost += (both >> shift) * (both & counts)
        costs[i] = cost


@njit(cache=True, nogil=True)
def _costs_by_touching(by_secret, values, members, start, stop, shift, sums, costs):
    """Fill `costs` for a block of guesses in a game of many answers, most of which no secret gives.

    A secret of weight w that joins c others of weight A at an answer raises A c to (A + w)(c + 1), that is by
    A + w (c + 1). Only the sums that were touched are cleared again, so `sums` must be all zero before and is after.
    """
    last_answer = np.uint8(sums.shape[1] - 1)
    counts = (np.int64(1) << shift) - 1
    costs[: stop - start] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        value = values[a]
        weight = value >> shift
        for i in range(stop - start):
            before = sums[i, row[i] & last_answer]
            costs[i] += (before >> shift) + weight * ((before & counts) + 1)
            sums[i, row[i] & last_answer] = before + value
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        for i in range(stop - start):
            sums[i, row[i] & last_answer] = 0


@njit(cache=True, nogil=True)
def packed_values(packed, members, shift, values):
    """Fill `values` with the members' packed numbers and return their total weight.

    A state whose weights are all zero is scored as if each were one.
    """
    total = np.int64(0)
    for a in range(len(members)):
        values[a] = packed[members[a]]
        total += values[a] >> shift
    if total == 0:
        values[: len(members)] = (np.int64(1) << shift) + 1
        total = np.int64(len(members))
    return total


@njit(cache=True, nogil=True)
def scan(by_secret, guess_of_secret, packed, members, start, stop, ties, shift, values, sums, costs):
    """Return the key and the index of the best guess from `start` to `stop`.

    A guess's key is twice its cost, plus one where ties go to possible secrets and this guess is none; the first
    guess with the least key is the best. The scan ends early at a guess that tells all the secrets apart.

    Args:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret [secrets].
        packed: weight << shift | 1 of each secret [secrets].
        members: the possible secrets, two or more.
        start: the first guess to look at.
        stop: the guess to stop before.
        ties: TIES_FIRST or TIES_POSSIBLE.
        shift: the bits that hold a count.
        values: scratch [secrets].
        sums: scratch [BLOCK, answers, padded to a power of two], all zero.
        costs: scratch [BLOCK].
    """
    total = packed_values(packed, members, shift, values)
    best_key = WORST
    best_guess = -1
    for block_start in range(start, stop, BLOCK):
        block_stop = min(block_start + BLOCK, stop)
        if len(members) <= FEW:
            _costs_by_pairs(by_secret, values, members, block_start, block_stop, shift, costs)
        elif sums.shape[1] > MANY_ANSWERS:
            _costs_by_touching(by_secret, values, members, block_start, block_stop, shift, sums, costs)
        else:
            _costs_by_answer(by_secret, values, members, block_start, block_stop, shift, sums, costs)
        for i in range(block_stop - block_start):
            costs[i] = 2 * costs[i] + ties
        if ties == TIES_POSSIBLE:
            for a in range(len(members)):
                guess = guess_of_secret[members[a]]
                if block_start <= guess < block_stop:
                    costs[guess - block_start] -= 1
        for i in range(block_stop - block_start):
            if costs[i] < best_key:
                best_key = costs[i]
                best_guess = block_start + i
        if best_key == 2 * total:
            break
    return best_key, best_guess


def pack(weights: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return weight and count of each secret packed into one number, and the bits that hold the count."""
    total = max(float(weights.sum(dtype=np.float64)), float(len(weights)))
    if total * (len(weights) + 1) >= 2**60:  # twice the largest cost must fit, with a margin for this very rounding
        raise SettingsError(
            f"weights that sum to {total:.0f} are too large for {len(weights)} secrets: scale them down"
        )
    shift = len(weights).bit_length()
    return (weights << shift) | 1, shift
