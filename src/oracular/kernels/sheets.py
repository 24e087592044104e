"""Compiled work on the sheets of large states: filled in once, then brought up to date guess by guess.

A sheet holds, for every guess at a state, its cost and how many members give each answer (`state_cache.py`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from oracular.kernels.answers import fill_answers
from oracular.kernels.scoring import (
    BLOCK,
    LETTERS_BITS,
    LETTERS_SUBSETS,
    TABLE_SUMS,
    WORST,
    best_in_block,
    fill_costs,
    finish,
    packed_values,
    prepare,
    way_to_score,
)


@njit(cache=True, nogil=True)
def effective_total(weights, members):
    """Return the total weight of a state, 0 where it is scored as if each weight were one."""
    total = np.int64(0)
    for a in range(len(members)):
        total += weights[members[a]]
    return total


@njit(cache=True, nogil=True)
def best_of_sheet(answers, cache, sheet, members, start, stop, ties, scratch):
    """Return the key and the index of the best guess from `start` to `stop` by a sheet's costs."""
    best_key, best_guess = WORST, np.int64(-1)
    for block_start in range(start, stop, BLOCK):
        block_stop = min(block_start + BLOCK, stop)
        scratch.costs[: block_stop - block_start] = cache.costs[sheet, block_start:block_stop]
        best_key, best_guess = best_in_block(
            answers.finder, members, block_start, block_stop, ties, scratch.costs, best_key, best_guess
        )
    return best_key, best_guess


@njit(cache=True, nogil=True)
def update_sheet(answers, cache, state, weights, members, start, stop):
    """Bring a sheet's costs up to date from `start` to `stop`."""
    costs = cache.costs[cache.sheet[state], start:stop]
    counts = cache.counts[cache.sheet[state], start:stop]
    first = cache.first[state]
    total = effective_total(weights, members)
    for a in range(len(members)):
        more = (weights[members[a]] if total else np.int64(1)) - cache.seen[first + a]
        if more == 0:
            continue
        if answers.by_secret.size:
            row = answers.by_secret[members[a], start:stop]
        else:
            row = np.empty(stop - start, np.uint8)
            fill_answers(answers, members[a], start, stop, row)
        for i in range(stop - start):
            costs[i] += more * np.int64(counts[i, row[i]])


@njit(cache=True, nogil=True)
def fill_sheet(answers, cache, sheet, packed, members, start, stop, shift, scratch):
    """Fill in a sheet from `start` to `stop`."""
    total = packed_values(packed, members, shift, scratch.values)
    way = way_to_score(answers, len(members), answers.guesses)
    if way not in (TABLE_SUMS, LETTERS_BITS, LETTERS_SUBSETS):
        way = TABLE_SUMS if answers.by_secret.size else LETTERS_BITS
    prepare(answers, members, shift, way, scratch)
    mask = (np.int64(1) << shift) - 1
    for block_start in range(start, stop, BLOCK):
        block_stop = min(block_start + BLOCK, stop)
        fill_costs(answers, members, block_start, block_stop, shift, total, way, scratch)
        cache.costs[sheet, block_start:block_stop] = scratch.costs[: block_stop - block_start]
        for i in range(block_stop - block_start):
            for answer in range(answers.width):
                cache.counts[sheet, block_start + i, answer] = scratch.sums[i, answer] & mask
    finish(answers, members, way, scratch)
