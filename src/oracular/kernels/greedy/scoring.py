"""Compiled scoring of a state: which guess the greedy best response makes (Algorithms GuesserGBR to NumElims).

The paper guesses the word that eliminates most words in expectation. With n possible secrets of total weight W, of
which c_j secrets of weight A_j give answer j, the expected number is

    sum_j (A_j / W) (n - c_j)  =  n - (1/W) sum_j A_j c_j,

so the best guess is the one with the least whole number sum_j A_j c_j, its *cost*. Weights are whole numbers, so a
cost is exact whatever the order of summing.

Weight and count of a secret travel in one 64-bit number, `packed = weight << shift | 1`: adding up packed numbers
adds up both. Guesses are scored in blocks whose sums stay in the first-level cache. Where words have tokens, the sums
come from `letter_sums.py`; otherwise from the rows of the table that belong to the possible secrets, from left to
right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.answers import Answers
from oracular.kernels.greedy.letter_sums import (
    FEW_BITS,
    PIECE,
    add_to_subsets,
    bit_sums,
    clear_subsets,
    few_costs,
    set_byte_sums,
    set_few_costs,
    set_few_finders_apart,
    set_finders_apart,
    set_token_words,
    subset_sums,
    subsets_pay,
)
from oracular.kernels.greedy.quick_scan import AT_ONCE, MOST_QUICK, QUICK_BLOCK, first_that_tells_apart, quick_scan

BLOCK = 256
"""Guesses scored at a time: with 8 answers their sums take 16 KB."""

FEW = 7
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
def _sums_by_answer(by_secret, values, members, start, stop, sums):
    """Fill `sums` for a block of guesses, adding up packed weight and count of each answer."""
    last_answer = np.uint8(sums.shape[1] - 1)  # the width is a power of two; the mask tells the compiler so
    sums[: stop - start] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        value = values[a]
        for i in range(stop - start):
            sums[i, row[i] & last_answer] += value


@njit(cache=True, nogil=True)
def _costs_of_sums(sums, block, shift, costs):
    """Fill `costs` from the packed sums of each answer."""
    counts = (np.int64(1) << shift) - 1
    for i in range(block):
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


class Scratch(NamedTuple):
    """Room that scoring needs: of one thread, or of several with one dimension more.

    Attributes:
        values: packed values of a state's members [secrets].
        sums: packed sums, int64 [BLOCK, answers]; all zero between two states where answers are many.
        costs: int64 [BLOCK].
        words: for each token the members that have it, as bits, int64 [tokens].
        few: the costs of the sets of few secrets, int64 [2^FEW_BITS].
        byte_sums: int64 [8, 256].
        of_subset: packed sums of the sets of tokens, int64 [subsets], all zero between two states.
        of_answer: packed sums of one guess, int64 [answers], all zero between two guesses.
        quick_members: the members of a small state, int32 [MOST_QUICK + AT_ONCE].
        quick_steps: their weights in steps, uint32 [MOST_QUICK + AT_ONCE].
        quick_sums: uint32 [answers, QUICK_BLOCK].
        quick_bounds: uint32 [QUICK_BLOCK].
    """

    values: NDArray[np.int64]
    sums: NDArray[np.int64]
    costs: NDArray[np.int64]
    words: NDArray[np.int64]
    few: NDArray[np.int64]
    byte_sums: NDArray[np.int64]
    of_subset: NDArray[np.int64]
    of_answer: NDArray[np.int64]
    quick_members: NDArray[np.int32]
    quick_steps: NDArray[np.uint32]
    quick_sums: NDArray[np.uint32]
    quick_bounds: NDArray[np.uint32]


@njit(cache=True, nogil=True)
def new_scratch(answers, lanes):
    """Return the room that so many threads need."""
    return Scratch(
        np.empty((lanes, len(answers.finder)), np.int64),
        np.zeros((lanes, BLOCK, answers.width), np.int64),
        np.empty((lanes, BLOCK), np.int64),
        np.zeros((lanes, max(1, answers.token_count)), np.int64),
        np.zeros((lanes, 1 << FEW_BITS), np.int64),
        np.zeros((lanes, PIECE // 8, 256), np.int64),
        np.zeros((lanes, max(1, answers.subset_count)), np.int64),
        np.zeros((lanes, answers.width), np.int64),
        np.empty((lanes, MOST_QUICK + AT_ONCE), np.int32),
        np.empty((lanes, MOST_QUICK + AT_ONCE), np.uint32),
        np.empty((lanes, answers.width, QUICK_BLOCK), np.uint32),
        np.empty((lanes, QUICK_BLOCK), np.uint32),
    )


@njit(cache=True, nogil=True)
def scratch_of(scratch, lane):
    """Return the room of one thread."""
    return Scratch(
        scratch.values[lane],
        scratch.sums[lane],
        scratch.costs[lane],
        scratch.words[lane],
        scratch.few[lane],
        scratch.byte_sums[lane],
        scratch.of_subset[lane],
        scratch.of_answer[lane],
        scratch.quick_members[lane],
        scratch.quick_steps[lane],
        scratch.quick_sums[lane],
        scratch.quick_bounds[lane],
    )


TABLE_PAIRS, TABLE_SUMS, TABLE_TOUCHING, TABLE_QUICK, LETTERS_FEW, LETTERS_BITS, LETTERS_SUBSETS = range(7)
"""The ways to score a state."""


@njit(cache=True, nogil=True)
def way_to_score(answers, size, guesses):
    """Return the fastest way to score so many guesses at a state of this size."""
    if subsets_pay(answers, size, guesses):
        return LETTERS_SUBSETS
    if answers.by_secret.size:
        if answers.letters and size <= MOST_QUICK:
            return TABLE_QUICK
        if size <= FEW:
            return TABLE_PAIRS
        return TABLE_TOUCHING if answers.width > MANY_ANSWERS else TABLE_SUMS
    return LETTERS_FEW if size <= FEW_BITS else LETTERS_BITS


@njit(cache=True, nogil=True)
def prepare(answers, members, shift, way, scratch):
    """Make ready what all blocks of guesses at a state share; `scratch.values` are set."""
    if way == LETTERS_FEW:
        set_token_words(answers, members, scratch.words)
        set_few_costs(scratch.values, len(members), shift, scratch.few)
    elif way == LETTERS_BITS and len(members) <= PIECE:
        set_token_words(answers, members, scratch.words)
        set_byte_sums(scratch.values, 0, len(members), scratch.byte_sums)
    elif way == LETTERS_SUBSETS:
        add_to_subsets(answers, members, scratch.values, scratch.of_subset)


@njit(cache=True, nogil=True)
def fill_costs(answers, members, start, stop, shift, total, way, scratch):
    """Fill `scratch.costs` for a block of guesses, and `scratch.sums` in the ways that use them."""
    values, sums, costs = scratch.values, scratch.sums, scratch.costs
    if way == LETTERS_FEW:
        few_costs(answers, len(members), start, stop, scratch.words, scratch.few, costs)
        set_few_finders_apart(answers, members, values, start, stop, shift, costs)
    elif way == TABLE_PAIRS:
        _costs_by_pairs(answers.by_secret, values, members, start, stop, shift, costs)
    elif way == TABLE_TOUCHING:
        _costs_by_touching(answers.by_secret, values, members, start, stop, shift, sums, costs)
    else:
        if way == TABLE_SUMS:
            _sums_by_answer(answers.by_secret, values, members, start, stop, sums)
        elif way == LETTERS_BITS:
            everything = (total << shift) + len(members)
            bit_sums(answers, members, values, everything, start, stop, scratch.words, scratch.byte_sums, sums)
            set_finders_apart(answers, members, values, start, stop, sums)
        else:
            subset_sums(answers, start, stop, scratch.of_subset, sums)
            set_finders_apart(answers, members, values, start, stop, sums)
        _costs_of_sums(sums, stop - start, shift, costs)


@njit(cache=True, nogil=True)
def finish(answers, members, way, scratch):
    """Leave the scratch as `prepare` found it."""
    if way == LETTERS_SUBSETS:
        clear_subsets(answers, members, scratch.of_subset)


@njit(cache=True, nogil=True)
def best_in_block(finder, members, start, stop, ties, costs, best_key, best_guess):
    """Return the better of the best guess so far and of a block whose costs are given, with its key.

    A guess's key is twice its cost, plus one where ties go to possible secrets and this guess is none; the first
    guess with the least key is the best. `costs` become keys.
    """
    for i in range(stop - start):
        costs[i] = 2 * costs[i] + ties
    if ties == TIES_POSSIBLE:
        for a in range(len(members)):
            guess = finder[members[a]]
            if start <= guess < stop:
                costs[guess - start] -= 1
    for i in range(stop - start):
        if costs[i] < best_key:
            best_key = costs[i]
            best_guess = np.int64(start + i)
    return best_key, best_guess


@njit(cache=True, nogil=True)
def scan(answers, packed, members, start, stop, ties, shift, scratch):
    """Return the key and the index of the best guess from `start` to `stop`.

    The scan ends early at a guess that tells all the secrets apart.

    Args:
        answers: the game.
        packed: weight << shift | 1 of each secret [secrets].
        members: the possible secrets, two or more.
        start: the first guess to look at.
        stop: the guess to stop before.
        ties: TIES_FIRST or TIES_POSSIBLE.
        shift: the bits that hold a count.
        scratch: this thread's room.
    """
    total = packed_values(packed, members, shift, scratch.values)
    if len(members) == 2 and (ties == TIES_POSSIBLE or answers.by_secret.size):
        if ties == TIES_POSSIBLE:  # either tells the two apart
            guess = np.int64(min(answers.finder[members[0]], answers.finder[members[1]]))
        else:
            guess = first_that_tells_apart(answers.by_secret, members[0], members[1], start, stop)
        return (2 * total, guess) if start <= guess < stop else (WORST, np.int64(-1))
    way = way_to_score(answers, len(members), answers.guesses)
    if way == TABLE_QUICK:
        return quick_scan(answers, scratch.values, members, total, start, stop, ties, shift, scratch)
    prepare(answers, members, shift, way, scratch)
    best_key, best_guess = WORST, np.int64(-1)
    for block_start in range(start, stop, BLOCK):
        block_stop = min(block_start + BLOCK, stop)
        fill_costs(answers, members, block_start, block_stop, shift, total, way, scratch)
        best_key, best_guess = best_in_block(
            answers.finder, members, block_start, block_stop, ties, scratch.costs, best_key, best_guess
        )
        if best_key == 2 * total:
            break
    finish(answers, members, way, scratch)
    return best_key, best_guess


def pack_for(answers: Answers, weights: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the same as `pack`, for weights that are one a secret of the game and none negative."""
    if weights.shape != answers.finder.shape or int(weights.min()) < 0:
        raise SettingsError(
            f"weights {list(weights.shape)} given for {len(answers.finder)} secrets: give one a secret, none negative"
        )
    return pack(weights)


def pack(weights: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return weight and count of each secret packed into one number, and the bits that hold the count."""
    total = max(float(weights.sum(dtype=np.float64)), float(len(weights)))
    if total * (len(weights) + 1) >= 2**60:  # twice the largest cost must fit, with a margin for this very rounding
        raise SettingsError(
            f"weights that sum to {total:.0f} are too large for {len(weights)} secrets: scale them down"
        )
    shift = len(weights).bit_length()
    return (weights << shift) | 1, shift
