"""The from-scratch engine as it stood before the incremental one: what `benchmarks/engines.py` measures against.

A trimmed copy of `kernels/scoring.py` and `kernels/greedy_tree.py` of then, kept so that the ratio can be measured in
one run on one machine. Nothing else uses it.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

BLOCK = 256
FEW = 5
MANY_ANSWERS = 32
TIES_POSSIBLE = 1
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
    shift = len(weights).bit_length()
    return (weights << shift) | 1, shift


TASK_LOOKUPS = 1 << 16
"""A task reads about this many answers: enough to be worth dealing out, few enough to share a level evenly."""


@njit(cache=True, nogil=True)
def _plan_tasks(bounds, states, guesses):
    """Return a level cut into tasks, rows of (state, first guess, guess to stop before); single secrets need none."""
    steps = np.empty(states, np.int64)
    count = 0
    for state in range(states):
        size = bounds[state + 1] - bounds[state]
        steps[state] = max(BLOCK, TASK_LOOKUPS // size // BLOCK * BLOCK)
        if size > 1:
            count += (guesses + steps[state] - 1) // steps[state]
    tasks = np.empty((count, 3), np.int64)
    task = 0
    for state in range(states):
        if bounds[state + 1] - bounds[state] > 1:
            for start in range(0, guesses, steps[state]):
                tasks[task, 0] = state
                tasks[task, 1] = start
                tasks[task, 2] = min(start + steps[state], guesses)
                task += 1
    return tasks


@njit(cache=True, nogil=True)
def _run_lane(lane, lanes, tasks, bests, by_secret, guess_of_secret, packed, order, bounds, ties, shift, width):
    """Fill in `bests`, rows of (key, guess), for every task that falls to this lane."""
    values = np.empty(by_secret.shape[0], np.int64)
    sums = np.zeros((BLOCK, width), np.int64)
    costs = np.empty(BLOCK, np.int64)
    for task in range(lane, len(tasks), lanes):
        state, start, stop = tasks[task]
        members = order[bounds[state] : bounds[state + 1]]
        bests[task, 0], bests[task, 1] = scan(
            by_secret, guess_of_secret, packed, members, start, stop, ties, shift, values, sums, costs
        )


@njit(cache=True, nogil=True)
def _split_state(by_secret, members, guess, found, depth, depths, next_order, filled, next_bounds, next_states):
    """Append the parts of a state, answer by answer, and return how far the next level's order and states reach."""
    ends = np.zeros(257, np.int32)
    for secret in members:
        answer = by_secret[secret, guess]
        if answer == found:
            depths[secret] = depth
        else:
            ends[answer + 1] += 1
    ends[0] = filled
    for answer in range(256):
        if ends[answer + 1] > 0:
            next_states += 1
            next_bounds[next_states] = ends[answer] + ends[answer + 1]
        ends[answer + 1] += ends[answer]
    reached = ends[256]
    for secret in members:
        answer = by_secret[secret, guess]
        if answer != found:
            next_order[ends[answer]] = secret
            ends[answer] += 1
    return reached, next_states


@njit(cache=True, nogil=True)
def _split_level(by_secret, order, bounds, states, tasks, bests, found, depth, depths, next_order, next_bounds):
    """Split every state of a level by its best guess and return how many states the next level has."""
    filled = 0
    next_states = 0
    next_bounds[0] = 0
    task = 0
    for state in range(states):
        members = order[bounds[state] : bounds[state + 1]]
        if len(members) == 1:
            depths[members[0]] = depth
            continue
        best_key = WORST
        best_guess = np.int64(-1)
        while task < len(tasks) and tasks[task, 0] == state:  # in the order of guesses, so the first best one wins
            if bests[task, 0] < best_key:
                best_key, best_guess = bests[task]
            task += 1
        filled, next_states = _split_state(
            by_secret, members, best_guess, found, depth, depths, next_order, filled, next_bounds, next_states
        )
    return next_states


@njit(cache=True, nogil=True)
def _depths_serial(by_secret, guess_of_secret, packed, members, found, ties, shift, width):
    """Return the depths below a state [all secrets, 0 where not in it], worked out on the calling thread."""
    guesses = by_secret.shape[1]
    secrets = len(members)
    depths = np.zeros(by_secret.shape[0], np.int32)
    order, next_order = members.copy(), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    states, depth = 1, 0
    while states > 0 and depth < secrets:
        depth += 1
        tasks = _plan_tasks(bounds, states, guesses)
        bests = np.empty((len(tasks), 2), np.int64)
        _run_lane(0, 1, tasks, bests, by_secret, guess_of_secret, packed, order, bounds, ties, shift, width)
        states = _split_level(
            by_secret, order, bounds, states, tasks, bests, found, depth, depths, next_order, next_bounds
        )
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    return depths


@njit(cache=True, parallel=True)
def _depths_parallel(by_secret, guess_of_secret, packed, found, ties, shift, width, lanes):
    """Return the depths, each level worked out on `lanes` threads; from the main thread only."""
    secrets, guesses = by_secret.shape
    depths = np.zeros(secrets, np.int32)
    order, next_order = np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    states, depth = 1, 0
    while states > 0 and depth < secrets:
        depth += 1
        tasks = _plan_tasks(bounds, states, guesses)
        bests = np.empty((len(tasks), 2), np.int64)
        for lane in prange(lanes):
            _run_lane(lane, lanes, tasks, bests, by_secret, guess_of_secret, packed, order, bounds, ties, shift, width)
        states = _split_level(
            by_secret, order, bounds, states, tasks, bests, found, depth, depths, next_order, next_bounds
        )
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    return depths


def tree_depths(
    by_secret: NDArray[np.uint8],
    guess_of_secret: NDArray[np.int32],
    weights: NDArray[np.int64],
    found: int,
    ties: int,
    width: int,
    threads: int = 1,
) -> NDArray[np.int32]:
    """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

    Args:
        by_secret: the answers [secrets, guesses].
        guess_of_secret: the guess that finds each secret [secrets].
        weights: the hider's whole-number weights [secrets].
        found: the answer that ends the game.
        ties: TIES_FIRST or TIES_POSSIBLE.
        width: the number of answers, padded to a power of two.
        threads: how many may work; more than one only from the main thread.
    """
    packed, shift = pack(weights)
    if threads == 1:
        everything = np.arange(len(weights), dtype=np.int32)
        depths = _depths_serial(by_secret, guess_of_secret, packed, everything, found, ties, shift, width)
    else:
        numba.set_num_threads(threads)
        depths = _depths_parallel(by_secret, guess_of_secret, packed, found, ties, shift, width, threads)
    return depths
