"""Compiled building of a whole greedy tree: how many guesses each secret takes (Algorithm CompNumGuesses).

The paper replays the game for every word from the start. Here all secrets are played at once: each state that is
reached is scored once and split by answer. The tree is built level by level. `order` holds the secrets of a level,
those of one state side by side; `bounds` says where each state begins.

Within a level the work is cut into tasks (a state and a range of guesses) that are dealt out to lanes in turn. Each
task's result is a whole number that depends on no other task, so the number of lanes never changes the tree.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.scoring import BLOCK, WORST, pack, scan

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
    return _checked(depths)


def state_depths(
    by_secret: NDArray[np.uint8],
    guess_of_secret: NDArray[np.int32],
    weights: NDArray[np.int64],
    possible: NDArray[np.int32],
    found: int,
    ties: int,
    width: int,
) -> NDArray[np.int32]:
    """Return how many more guesses the greedy tree takes from a state for each secret of it [possible]."""
    packed, shift = pack(weights)
    depths = _depths_serial(by_secret, guess_of_secret, packed, possible, found, ties, shift, width)
    return _checked(depths[possible])


def _checked(depths: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the depths, or say that some secret was never found."""
    if depths.min() == 0:
        raise SettingsError("the game has secrets that no guess tells apart: check its table of answers")
    return depths


def best_guess(
    by_secret: NDArray[np.uint8],
    guess_of_secret: NDArray[np.int32],
    weights: NDArray[np.int64],
    possible: NDArray[np.int32],
    ties: int,
    width: int,
) -> int:
    """Return the greedy guess at a state of one or more possible secrets."""
    if len(possible) == 1:
        return int(guess_of_secret[possible[0]])
    packed, shift = pack(weights)
    values = np.empty(len(possible), np.int64)
    sums = np.zeros((BLOCK, width), np.int64)
    costs = np.empty(BLOCK, np.int64)
    guesses = by_secret.shape[1]
    _, guess = scan(by_secret, guess_of_secret, packed, possible, 0, guesses, ties, shift, values, sums, costs)
    return int(guess)
