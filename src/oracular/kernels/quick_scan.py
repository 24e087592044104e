"""Compiled scoring of small states of letter games from the table, many guesses with each instruction.

Adding a weight of 64 bits to one of several sums is done guess by guess. Here a guess's sums are 32 bits wide and each
answer is compared with in turn, which processors do for a whole row of guesses at once. To fit, weights are measured in
steps, w = step q + r with r >= 0, and `q << bits | 1` is added up. With Q_j and c_j the steps and the secrets that
answer j has,

    sum_j A_j c_j  >=  step sum_j Q_j c_j + sum_s r_s,

since each c_j with a secret in it is 1 or more. That is a lower bound, and exact where the step is 1. Only guesses
whose bound is below the best cost so far are worked out in whole numbers of 64 bits, so the best guess is the best to
the last bit.

Answer 0 is what no other answer has; the answer `found` is given by a secret's own guess alone and put right there.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import inlined, inner
from oracular.kernels.packing import WORST

QUICK_BLOCK = 512
"""Guesses scored at a time: with the sums of five answers they take 12 KB."""

AT_ONCE = 4
"""Secrets added to the sums in one go."""

MOST_QUICK = 255
"""States of more secrets are never scored this way."""

SUM_BITS = 32


@inner
def first_that_tells_apart(by_secret, one, other, start, stop):
    """Return the first guess from `start` to `stop` that distinguishes two secrets, or -1."""
    row, other_row = by_secret[one], by_secret[other]
    for guess in range(start, stop):
        if row[guess] != other_row[guess]:
            return np.int64(guess)
    return np.int64(-1)


@inner
def _set_steps(values, members, total, shift, padded, steps):
    """Fill `padded` and `steps` with members and their steps; return the step, the rest in all, and a count's bits."""
    size = len(members)
    bits = np.int64(1)
    while size >> bits:
        bits += 1
    step = ((total << bits) >> SUM_BITS) + 1
    rest = total
    for a in range(size):
        whole = (values[a] >> shift) // step
        rest -= step * whole
        padded[a] = members[a]
        steps[a] = (whole << bits) | 1
    for a in range(size, size + AT_ONCE):  # padding of the last group adds nothing
        padded[a] = members[0]
        steps[a] = 0
    return step, rest, bits


@inner
def _add_up(by_secret, padded, steps, size, start, stop, found, sums):
    """Fill `sums` [answers but 0 and `found`] for a block of guesses."""
    block = stop - start
    none = np.uint32(0)
    sums[1:found, :block] = 0
    for a in range(0, size, AT_ONCE):
        row_a, row_b = by_secret[padded[a], start:stop], by_secret[padded[a + 1], start:stop]
        row_c, row_d = by_secret[padded[a + 2], start:stop], by_secret[padded[a + 3], start:stop]
        step_a, step_b, step_c, step_d = steps[a], steps[a + 1], steps[a + 2], steps[a + 3]
        for answer in range(1, found):
            out, this = sums[answer], np.uint8(answer)
            for i in range(block):
                out[i] += np.uint32(
                    np.uint32(step_a if row_a[i] == this else none)
                    + np.uint32(step_b if row_b[i] == this else none)
                    + np.uint32(step_c if row_c[i] == this else none)
                    + np.uint32(step_d if row_d[i] == this else none)
                )


@inner
def _set_bounds(finder, padded, steps, size, start, stop, found, bits, sums, bounds):
    """Fill `bounds` for a block of guesses: the sum of steps times secrets, over the answers."""
    block = stop - start
    everything, counts, width = np.uint32(0), np.uint32((1 << bits) - 1), np.uint32(bits)
    for a in range(size):
        everything = np.uint32(everything + steps[a])
    rest = sums[0]
    rest[:block] = everything
    bounds[:block] = 0
    for answer in range(1, found):
        given = sums[answer]
        for i in range(block):
            both = given[i]
            bounds[i] += np.uint32(np.uint32(both >> width) * np.uint32(both & counts))
            rest[i] -= both
    for a in range(size):
        own = finder[padded[a]]
        if start <= own < stop:
            rest[own - start] -= steps[a]
            bounds[own - start] += steps[a] >> width
    for i in range(block):
        both = rest[i]
        bounds[i] += np.uint32(np.uint32(both >> width) * np.uint32(both & counts))


@inner
def _exact_cost(by_secret, values, members, shift, guess, of_answer):
    """Return the cost of one guess; `of_answer` [answers] is all zero before and after."""
    counts = (np.int64(1) << shift) - 1
    cost = np.int64(0)
    for a in range(len(members)):
        of_answer[by_secret[members[a], guess]] += values[a]
    for a in range(len(members)):
        answer = by_secret[members[a], guess]
        both = of_answer[answer]
        cost += (both >> shift) * (both & counts)
        of_answer[answer] = 0
    return cost


@inner
def _is_possible(finder, members, guess):
    """Return whether a guess may be the secret."""
    possible = False
    for a in range(len(members)):
        possible |= finder[members[a]] == guess
    return possible


@inlined
def quick_scan(scorer, members, total, start, stop):
    """Return the key and the index of the best guess from `start` to `stop`, as `scan` does.

    There are MOST_QUICK members at most; `total` is their weight, and their packed values are in the buffers.
    """
    answers, buffers, shift, ties = scorer.answers, scorer.buffers, scorer.objective.shift, scorer.objective.ties
    by_secret, finder, found, size = answers.by_secret, answers.finder, answers.found, len(members)
    padded, steps, sums, bounds = buffers.quick_members, buffers.quick_steps, buffers.quick_sums, buffers.quick_bounds
    best_key, best_guess = WORST, np.int64(-1)
    step, rest, bits = _set_steps(buffers.values, members, total, shift, padded, steps)
    for block_start in range(start, stop, QUICK_BLOCK):
        block_stop = min(block_start + QUICK_BLOCK, stop)
        _add_up(by_secret, padded, steps, size, block_start, block_stop, found, sums)
        _set_bounds(finder, padded, steps, size, block_start, block_stop, found, bits, sums, bounds)
        least = bounds[0]
        for i in range(block_stop - block_start):
            least = bounds[i] if bounds[i] < least else least
        if scorer.flag[0]:
            break
        if 2 * (step * np.int64(least) + rest) >= best_key:
            continue
        for i in range(block_stop - block_start):
            cost = step * np.int64(bounds[i]) + rest
            if 2 * cost >= best_key:
                continue
            guess = np.int64(block_start + i)
            if step > 1:
                cost = _exact_cost(by_secret, buffers.values, members, shift, guess, buffers.of_answer)
            key = 2 * cost
            if ties and key < best_key and not _is_possible(finder, members, guess):
                key += 1
            if key < best_key:
                best_key, best_guess = key, guess
        if best_key == 2 * total:
            break
    return best_key, best_guess
