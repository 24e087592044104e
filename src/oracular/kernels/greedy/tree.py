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
from oracular.kernels.answers import Answers, fill_replies
from oracular.kernels.greedy.letter_sums import PIECE, PIECE_WORK, QUICKER
from oracular.kernels.greedy.scoring import (
    BLOCK,
    FEW,
    LETTERS_BITS,
    LETTERS_FEW,
    LETTERS_SUBSETS,
    TABLE_QUICK,
    WORST,
    new_scratch,
    pack_for,
    scan,
    scratch_of,
    way_to_score,
)

TASK_WORK = 1 << 16
"""A task takes about as long as looking up this many answers: enough to be worth dealing out, few enough to share a
level evenly."""

WAKING_WORK = 1 << 19
"""A level with less work than this is done by the calling thread alone: waking the others would take longer."""


@njit(cache=True, nogil=True)
def work_of_guess(answers, size):
    """Return about how long one guess takes at a state of this size, in look-ups of an answer."""
    way = way_to_score(answers, size, answers.guesses)
    if way == LETTERS_FEW:
        return 16
    if way == LETTERS_BITS:
        return PIECE_WORK * ((size + PIECE - 1) // PIECE)
    if way == TABLE_QUICK:
        return 4 + size // 2 // QUICKER
    return answers.secret_subsets.shape[1] if way == LETTERS_SUBSETS else size


@njit(cache=True, nogil=True)
def plan_tasks(answers, bounds, states):
    """Return a level cut into tasks, rows of (state, first guess, guess to stop before), and the work in all.

    Single secrets need none. What a state needs to be made ready is done anew for every task, so states that are
    scored by subsets are not cut finely.
    """
    guesses = answers.guesses
    steps = np.empty(states, np.int64)
    count, work = 0, np.int64(0)
    for state in range(states):
        size = np.int64(bounds[state + 1] - bounds[state])
        if size == 1:
            continue
        each = work_of_guess(answers, size)
        steps[state] = max(BLOCK, TASK_WORK // each // BLOCK * BLOCK)
        if way_to_score(answers, size, guesses) == LETTERS_SUBSETS:
            steps[state] = max(steps[state], size)
        count += (guesses + steps[state] - 1) // steps[state]
        work += BLOCK if size <= FEW else each * guesses
    tasks = np.empty((count, 3), np.int64)
    task = 0
    for state in range(states):
        if bounds[state + 1] - bounds[state] > 1:
            for start in range(0, guesses, steps[state]):
                tasks[task, 0] = state
                tasks[task, 1] = start
                tasks[task, 2] = min(start + steps[state], guesses)
                task += 1
    return tasks, work


@njit(cache=True, nogil=True)
def _run_lane(lane, lanes, tasks, bests, answers, packed, order, bounds, ties, shift, room):
    """Fill in `bests`, rows of (key, guess), for every task that falls to this lane."""
    scratch = scratch_of(room, lane)
    for task in range(lane, len(tasks), lanes):
        state, start, stop = tasks[task]
        members = order[bounds[state] : bounds[state + 1]]
        bests[task, 0], bests[task, 1] = scan(answers, packed, members, start, stop, ties, shift, scratch)


@njit(cache=True, nogil=True)
def _split_state(answers, members, guess, depth, depths, next_order, filled, next_bounds, next_states, replies):
    """Append the parts of a state, answer by answer, and return how far the next level's order and states reach."""
    ends = np.zeros(answers.width + 1, np.int32)
    fill_replies(answers, guess, members, replies)
    for a in range(len(members)):
        answer = np.int64(replies[a])
        if answer == answers.found:
            depths[members[a]] = depth
        else:
            ends[answer + 1] += 1
    ends[0] = filled
    for answer in range(answers.width):
        if ends[answer + 1] > 0:
            next_states += 1
            next_bounds[next_states] = ends[answer] + ends[answer + 1]
        ends[answer + 1] += ends[answer]
    reached = ends[answers.width]
    for a in range(len(members)):
        answer = np.int64(replies[a])
        if answer != answers.found:
            next_order[ends[answer]] = members[a]
            ends[answer] += 1
    return reached, next_states


@njit(cache=True, nogil=True)
def _split_level(answers, order, bounds, states, tasks, bests, depth, depths, next_order, next_bounds):
    """Split every state of a level by its best guess and return how many states the next level has."""
    filled = 0
    next_states = 0
    next_bounds[0] = 0
    replies = np.empty(len(order), np.uint8)
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
            answers, members, best_guess, depth, depths, next_order, filled, next_bounds, next_states, replies
        )
    return next_states


@njit(cache=True, nogil=True)
def _depths_serial(answers, packed, members, ties, shift, room):
    """Return the depths below a state [all secrets, 0 where not in it], worked out on the calling thread.

    The states of a level have no secret in common, so there are at most as many as members.
    """
    secrets = len(members)
    depths = np.zeros(len(answers.finder), np.int32)
    order, next_order = members.copy(), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    states, depth = 1, 0
    while states > 0 and depth < secrets:
        depth += 1
        tasks, _ = plan_tasks(answers, bounds, states)
        bests = np.empty((len(tasks), 2), np.int64)
        _run_lane(0, 1, tasks, bests, answers, packed, order, bounds, ties, shift, room)
        states = _split_level(answers, order, bounds, states, tasks, bests, depth, depths, next_order, next_bounds)
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    return depths


@njit(cache=True, parallel=True)
def _depths_parallel(answers, packed, ties, shift, room, lanes):
    """Return the depths, each level worked out on `lanes` threads; from the main thread only."""
    secrets = len(answers.finder)
    depths = np.zeros(secrets, np.int32)
    order, next_order = np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    states, depth = 1, 0
    while states > 0 and depth < secrets:
        depth += 1
        tasks, work = plan_tasks(answers, bounds, states)
        bests = np.empty((len(tasks), 2), np.int64)
        if work < WAKING_WORK:
            _run_lane(0, 1, tasks, bests, answers, packed, order, bounds, ties, shift, room)
        else:
            for lane in prange(lanes):
                _run_lane(lane, lanes, tasks, bests, answers, packed, order, bounds, ties, shift, room)
        states = _split_level(answers, order, bounds, states, tasks, bests, depth, depths, next_order, next_bounds)
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    return depths


def tree_depths(answers: Answers, weights: NDArray[np.int64], ties: int, threads: int = 1) -> NDArray[np.int32]:
    """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

    Args:
        answers: the game.
        weights: the hider's whole-number weights [secrets].
        ties: TIES_FIRST or TIES_POSSIBLE.
        threads: how many may work; more than one only from the main thread.
    """
    packed, shift = pack_for(answers, weights)
    room = new_scratch(answers, threads)
    if threads == 1:
        depths = _depths_serial(answers, packed, np.arange(len(weights), dtype=np.int32), ties, shift, room)
    else:
        numba.set_num_threads(threads)
        depths = _depths_parallel(answers, packed, ties, shift, room, threads)
    return checked_depths(depths)


def state_depths(
    answers: Answers, weights: NDArray[np.int64], possible: NDArray[np.int32], ties: int
) -> NDArray[np.int32]:
    """Return how many more guesses the greedy tree takes from a state for each secret of it [possible]."""
    packed, shift = pack_for(answers, weights)
    return checked_depths(_depths_serial(answers, packed, possible, ties, shift, new_scratch(answers, 1))[possible])


def checked_depths(depths: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the depths, or say that some secret was never found."""
    if depths.min() == 0:
        raise SettingsError("the game has secrets that no guess tells apart: check its table of answers")
    return depths


def best_guess(answers: Answers, weights: NDArray[np.int64], possible: NDArray[np.int32], ties: int) -> int:
    """Return the greedy guess at a state of one or more possible secrets."""
    if len(possible) == 1:
        return int(answers.finder[possible[0]])
    packed, shift = pack_for(answers, weights)
    _, guess = scan(answers, packed, possible, 0, answers.guesses, ties, shift, scratch_of(new_scratch(answers, 1), 0))
    return int(guess)
