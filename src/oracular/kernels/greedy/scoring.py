"""Compiled scoring of a state: which guess the greedy best response makes (Algorithms GuesserGBR to NumElims).

The paper guesses the word that eliminates most words in expectation. With n possible secrets of total weight W, of
which c_j secrets of weight A_j give answer j, the expected number is

    sum_j (A_j / W) (n - c_j)  =  n - (1/W) sum_j A_j c_j,

so the best guess is the one with the least whole number sum_j A_j c_j, its *cost*. Weights are whole numbers, so a
cost is exact whatever the order of summing.

Weight and count of a secret travel in one 64-bit number (`packing.py`). Guesses are scored in blocks whose sums stay in
the first-level cache. Where words have tokens, the sums come from `letter_sums.py`; otherwise from the rows of the
table that belong to the possible secrets, from left to right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.answers import Answers
from oracular.kernels.compiling import entry_point, inlined, inner
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
from oracular.kernels.greedy.objective import TIES_POSSIBLE, WORST, GreedyObjective
from oracular.kernels.greedy.quick_scan import AT_ONCE, MOST_QUICK, QUICK_BLOCK, first_that_tells_apart, quick_scan
from oracular.kernels.greedy.shortlists import LISTED, clear_list, list_block, new_lists
from oracular.kernels.packing import packed_values

BLOCK = 256
"""Guesses scored at a time: with 8 answers their sums take 16 KB."""

FEW = 7
"""Up to this many secrets, comparing them pair by pair beats adding up by answer."""

MOST_ADDED_UP = 32
"""With more answers than this, most of them unused, clearing and adding up all of them would take longest."""


@inner
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


@inner
def _sums_by_answer(by_secret, values, members, start, stop, sums):
    """Fill `sums` for a block of guesses, adding up packed weight and count of each answer."""
    last_answer = np.uint8(sums.shape[1] - 1)  # the width is a power of two; the mask tells the compiler so
    sums[: stop - start] = 0
    for a in range(len(members)):
        row = by_secret[members[a], start:stop]
        value = values[a]
        for i in range(stop - start):
            sums[i, row[i] & last_answer] += value


@inner
def _costs_of_sums(sums, block, shift, costs):
    """Fill `costs` from packed sums [block, answers]."""
    counts = (np.int64(1) << shift) - 1
    for i in range(block):
        cost = np.int64(0)
        for answer in range(sums.shape[1]):
            both = sums[i, answer]
            cost += (both >> shift) * (both & counts)
        costs[i] = cost


@inner
def _costs_of_letter_sums(sums, block, shift, costs):
    """Fill `costs` from packed sums [answers, block]."""
    counts = (np.int64(1) << shift) - 1
    costs[:block] = 0
    for answer in range(len(sums)):
        given = sums[answer]
        for i in range(block):
            costs[i] += (given[i] >> shift) * (given[i] & counts)


@inner
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


class ScoreBuffers(NamedTuple):
    """The working memory of one thread that scores states.

    Attributes:
        values: packed values of a state's members [secrets].
        sums: packed sums from the table, int64 [BLOCK, answers]; all zero between two states where answers are many.
        letter_sums: the same from tokens, int64 [answers, BLOCK].
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
    letter_sums: NDArray[np.int64]
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


def new_buffers(answers: Answers) -> ScoreBuffers:
    """Return the buffers that one thread needs to score the states of a game."""
    return ScoreBuffers(
        values=np.empty(len(answers.finder), np.int64),
        sums=np.zeros((BLOCK, answers.width), np.int64),
        letter_sums=np.empty((answers.width if answers.letters else 0, BLOCK), np.int64),
        costs=np.empty(BLOCK, np.int64),
        words=np.empty(answers.token_count, np.int64),
        few=np.empty(1 << FEW_BITS, np.int64),
        byte_sums=np.empty((PIECE // 8, 256), np.int64),
        of_subset=np.zeros(answers.subset_count, np.int64),
        of_answer=np.zeros(answers.width, np.int64),
        quick_members=np.empty(MOST_QUICK + AT_ONCE, np.int32),
        quick_steps=np.empty(MOST_QUICK + AT_ONCE, np.uint32),
        quick_sums=np.empty((answers.width, QUICK_BLOCK), np.uint32),
        quick_bounds=np.empty(QUICK_BLOCK, np.uint32),
    )


class Scorer(NamedTuple):
    """All that scoring a state takes beside the state.

    Attributes:
        answers: the game.
        objective: what guesses are compared by.
        buffers: this thread's.
        flag: uint8 [1], raised when time is up: what a scan gives then says nothing.
    """

    answers: Answers
    objective: GreedyObjective
    buffers: ScoreBuffers
    flag: NDArray[np.uint8]


TABLE_PAIRS, TABLE_TOUCHING, TABLE_QUICK, LETTERS_FEW, TABLE_SUMS, LETTERS_BITS, LETTERS_SUBSETS = range(7)
"""The ways to score a state; from TABLE_SUMS on, those that give the sums of each answer."""


@entry_point
def way_to_score(answers, size):
    """Return the fastest way to score all guesses at a state of this size."""
    if subsets_pay(answers, size):
        return LETTERS_SUBSETS
    if answers.by_secret.size:
        if answers.letters and size <= MOST_QUICK:
            return TABLE_QUICK
        if size <= FEW:
            return TABLE_PAIRS
        return TABLE_TOUCHING if answers.width > MOST_ADDED_UP else TABLE_SUMS
    return LETTERS_FEW if size <= FEW_BITS else LETTERS_BITS


@entry_point
def is_listed(answers, size):
    """Tell whether states of this size have lists: where all guesses are scored in a way that gives the counts."""
    return size > LISTED and way_to_score(answers, size) >= TABLE_SUMS


@inlined
def prepare(scorer, members, way):
    """Make ready what all blocks of guesses at a state share, and return the total weight."""
    answers, shift, buffers = scorer.answers, scorer.objective.shift, scorer.buffers
    total = packed_values(scorer.objective.packed, members, shift, buffers.values)
    if way == LETTERS_FEW:
        set_token_words(answers, members, buffers.words)
        set_few_costs(buffers.values, len(members), shift, buffers.few)
    elif way == LETTERS_BITS and len(members) <= PIECE:
        set_token_words(answers, members, buffers.words)
        set_byte_sums(buffers.values[: len(members)], buffers.byte_sums)
    elif way == LETTERS_SUBSETS:
        add_to_subsets(answers, members, buffers.values, buffers.of_subset)
    return total


@inlined
def fill_costs(scorer, members, start, stop, way):
    """Fill the costs of a block of guesses, and their sums in the ways that use them."""
    answers, shift, buffers = scorer.answers, scorer.objective.shift, scorer.buffers
    values, sums, letter_sums, costs = buffers.values, buffers.sums, buffers.letter_sums, buffers.costs
    if way == LETTERS_FEW:
        few_costs(answers, len(members), start, stop, buffers.words, buffers.few, costs)
        set_few_finders_apart(answers, members, values, start, stop, shift, costs)
    elif way == TABLE_PAIRS:
        _costs_by_pairs(answers.by_secret, values, members, start, stop, shift, costs)
    elif way == TABLE_TOUCHING:
        _costs_by_touching(answers.by_secret, values, members, start, stop, shift, sums, costs)
    elif way == TABLE_SUMS:
        _sums_by_answer(answers.by_secret, values, members, start, stop, sums)
        _costs_of_sums(sums, stop - start, shift, costs)
    else:
        if way == LETTERS_BITS:
            bit_sums(answers, members, values, start, stop, buffers.words, buffers.byte_sums, letter_sums)
        else:
            subset_sums(answers, start, stop, buffers.of_subset, letter_sums)
        set_finders_apart(answers, members, values, start, stop, letter_sums)
        _costs_of_letter_sums(letter_sums, stop - start, shift, costs)


@inlined
def finish(scorer, members, way):
    """Leave the buffers as `prepare` found them."""
    if way == LETTERS_SUBSETS:
        clear_subsets(scorer.answers, members, scorer.buffers.of_subset)


@inlined
def best_in_block(scorer, members, start, stop, best_key, best_guess):
    """Return the better of the best guess so far and of a block whose costs are filled in, with its key.

    A guess's key is twice its cost, plus one where ties go to possible secrets and this guess is none; the first
    guess with the least key is the best. The costs become keys.
    """
    finder, ties, costs = scorer.answers.finder, scorer.objective.ties, scorer.buffers.costs
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


@inlined
def _scan_two(scorer, members, start, stop):
    """Return the key and the index of the first guess from `start` to `stop` that tells two secrets apart."""
    answers, objective = scorer.answers, scorer.objective
    total = packed_values(objective.packed, members, objective.shift, scorer.buffers.values)
    if objective.ties == TIES_POSSIBLE:  # either tells the two apart
        guess = np.int64(min(answers.finder[members[0]], answers.finder[members[1]]))
    else:
        guess = first_that_tells_apart(answers.by_secret, members[0], members[1], start, stop)
    return (2 * total, guess) if start <= guess < stop else (WORST, np.int64(-1))


@entry_point
def scan(scorer, members, start, stop, lists, row):
    """Return the key and the index of the best guess from `start` to `stop` at a state of two secrets or more.

    The guesses that cost least are put into a list, or into none where `row` is -1. Then the scan ends early at a guess
    that tells all the secrets apart.
    """
    if len(members) == 2 and (scorer.objective.ties == TIES_POSSIBLE or scorer.answers.by_secret.size):
        return _scan_two(scorer, members, start, stop)
    way = way_to_score(scorer.answers, len(members))
    total = prepare(scorer, members, way)
    if way == TABLE_QUICK:
        return quick_scan(scorer, members, total, start, stop)
    best_key, best_guess = WORST, np.int64(-1)
    if row >= 0:
        clear_list(lists, row)
    for block_start in range(start, stop, BLOCK):
        block_stop = min(block_start + BLOCK, stop)
        fill_costs(scorer, members, block_start, block_stop, way)
        if row >= 0:
            list_block(scorer, block_start, block_stop, way > TABLE_SUMS, lists, row)
        best_key, best_guess = best_in_block(scorer, members, block_start, block_stop, best_key, best_guess)
        if scorer.flag[0] or (row < 0 and best_key == 2 * total):
            break
    finish(scorer, members, way)
    return best_key, best_guess


NO_LISTS = new_lists(0, 1)


def best_guess(scorer: Scorer, members: NDArray[np.int32], start: int, stop: int) -> int:
    """Return the best guess from `start` to `stop` at a state of two secrets or more."""
    return int(scan(scorer, members, start, stop, NO_LISTS, -1)[1])
