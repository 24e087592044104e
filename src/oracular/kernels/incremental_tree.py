"""Compiled building of a greedy tree that starts from the trees before it.

Fictitious play adds weight to a few secrets at a time. At a state that holds none of them nothing changes, nor
anywhere below it; so the states of earlier trees are kept (`state_cache.py`) with the weights they were seen with, and
a state is looked at again only where some member's weight is another now. Its guess is then chosen anew, from its sheet
where it has one. Where the guess stays the same, only the parts with a changed member are gone into; where it does not,
all parts, many of which are kept from earlier trees.

A state that a guess tells wholly apart is settled: while all weights
are above zero no guess costs less, so it need never be looked at again.

As in `greedy_tree.py` a tree is built level by level, and a level's work is dealt out to threads in tasks whose results
do not depend on each other. The tree is that of `greedy_tree.py`, guess for guess.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from oracular.kernels.answers import Answers, fill_replies
from oracular.kernels.greedy_tree import TASK_WORK, WAKING_WORK, checked_depths, work_of_guess
from oracular.kernels.scoring import (
    BLOCK,
    FEW,
    LETTERS_BITS,
    LETTERS_SUBSETS,
    TABLE_SUMS,
    WORST,
    Scratch,
    pack,
    scan,
    scratch_of,
    way_to_score,
)
from oracular.kernels.sheets import best_of_sheet, effective_total, fill_sheet, update_sheet
from oracular.kernels.state_cache import (
    LEAST_KEPT,
    MEMBERS,
    STATES,
    TICK,
    Cache,
    find_state,
    give_sheet,
    keep_state,
    make_room,
)

DONE, SCORE, FILL, UPDATE = range(4)
"""What a state needs: nothing more, scoring, scoring with its sheet filled in, its sheet brought up to date."""

LEAST_WITH_SHEET = 100
"""Smaller states change their guess too often, and are scored too fast, for a sheet to pay."""


@njit(cache=True, nogil=True)
def _look_up(answers, cache, weights, members, level, depths):
    """Return what a state needs and which kept state it is; fill in its depths where nothing is needed."""
    if len(members) < LEAST_KEPT:
        if len(members) == 1:
            depths[members[0]] = level
            return DONE, np.int64(-1)
        return SCORE, np.int64(-1)
    state = find_state(cache, members)
    if state < 0:
        return SCORE, state
    first = cache.first[state]
    total = effective_total(weights, members)
    changed, positive = 0, True
    for a in range(len(members)):
        weight = weights[members[a]] if total else np.int64(1)
        positive &= weight > 0
        changed += weight != cache.seen[first + a]
    if changed == 0 or (cache.settled[state] and positive):
        for a in range(len(members)):
            depths[members[a]] = level - 1 + cache.further[first + a]
        return DONE, state
    if cache.sheet[state] >= 0 and changed <= work_of_guess(answers, len(members)):
        return UPDATE, state
    way = way_to_score(answers, len(members), answers.guesses)
    sums = way in (TABLE_SUMS, LETTERS_BITS, LETTERS_SUBSETS)
    return (FILL if sums and len(members) >= LEAST_WITH_SHEET else SCORE), state


@njit(cache=True, nogil=True)
def _look_up_lane(lane, lanes, answers, cache, weights, order, bounds, states, level, depths, needs, kept):
    """Look up the states of a level that fall to this lane."""
    for state in range(lane, states, lanes):
        members = order[bounds[state] : bounds[state + 1]]
        needs[state], kept[state] = _look_up(answers, cache, weights, members, level, depths)


@njit(cache=True, nogil=True)
def _plan(answers, cache, order, bounds, states, needs, kept):
    """Make room for what the level's states keep; return its tasks, as `plan_tasks` does, and the work in all."""
    guesses = answers.guesses
    steps = np.zeros(states, np.int64)
    count, work = 0, np.int64(0)
    for state in range(states):
        if kept[state] >= 0:
            cache.visited[kept[state]] = cache.numbers[TICK]
    for state in range(states):
        if needs[state] == DONE:
            continue
        size = np.int64(bounds[state + 1] - bounds[state])
        if kept[state] < 0 and size >= LEAST_KEPT:
            kept[state] = keep_state(cache, order[bounds[state] : bounds[state + 1]])
        elif needs[state] == FILL and cache.sheet[kept[state]] < 0 and give_sheet(cache, kept[state]) < 0:
            needs[state] = SCORE
        each = work_of_guess(answers, size)
        steps[state] = max(BLOCK, TASK_WORK // each // BLOCK * BLOCK)
        if way_to_score(answers, size, guesses) == LETTERS_SUBSETS:
            steps[state] = max(steps[state], size)
        count += (guesses + steps[state] - 1) // steps[state]
        work += BLOCK if size <= FEW else (8 if needs[state] == UPDATE else each) * guesses
    tasks = np.empty((count, 3), np.int64)
    task = 0
    for state in range(states):
        if needs[state] != DONE:
            for start in range(0, guesses, steps[state]):
                tasks[task, 0] = state
                tasks[task, 1] = start
                tasks[task, 2] = min(start + steps[state], guesses)
                task += 1
    return tasks, work


@njit(cache=True, nogil=True)
def _work_lane(
    lane, lanes, tasks, bests, answers, cache, weights, packed, order, bounds, needs, kept, ties, shift, room
):
    """Fill in `bests`, rows of (key, guess), for every task that falls to this lane."""
    scratch = scratch_of(room, lane)
    for task in range(lane, len(tasks), lanes):
        state, start, stop = tasks[task]
        members = order[bounds[state] : bounds[state + 1]]
        if needs[state] == SCORE:
            bests[task, 0], bests[task, 1] = scan(answers, packed, members, start, stop, ties, shift, scratch)
            continue
        sheet = np.int64(cache.sheet[kept[state]])
        if needs[state] == UPDATE:
            update_sheet(answers, cache, kept[state], weights, members, start, stop)
        else:
            fill_sheet(answers, cache, sheet, packed, members, start, stop, shift, scratch)
        bests[task, 0], bests[task, 1] = best_of_sheet(answers, cache, sheet, members, start, stop, ties, scratch)


@njit(cache=True, nogil=True)
def _settled(weights, members, key):
    """Tell whether the best guess, of this key, tells all members apart."""
    total = effective_total(weights, members)
    if total == 0:
        return key >> 1 == len(members)
    if key >> 1 != total:
        return False
    for a in range(len(members)):
        if weights[members[a]] == 0:
            return len(members) == 2
    return True


@njit(cache=True, nogil=True)
def _split(answers, cache, weights, members, state, guess, level, depths, replies, next_order, filled, bounds, states):
    """Append the parts of a state that must be gone into; return how far the next level's order and states reach.

    All parts must, unless it is a kept `state` (or else -1) whose guess is the same as before: then those with a
    changed member.
    """
    ends = np.zeros(answers.width + 1, np.int64)
    into = np.zeros(answers.width, np.bool_)
    same = state >= 0 and cache.guess[state] == guess
    first = cache.first[state] if state >= 0 else np.int64(0)
    total = effective_total(weights, members)
    fill_replies(answers, guess, members, replies)
    for a in range(len(members)):
        answer = np.int64(replies[a])
        if answer == answers.found:
            depths[members[a]] = level
            continue
        ends[answer + 1] += 1
        if same:
            depths[members[a]] = level - 1 + cache.further[first + a]
            into[answer] |= (weights[members[a]] if total else np.int64(1)) != cache.seen[first + a]
        else:
            into[answer] = True
    ends[0] = filled
    for answer in range(answers.width):
        if not into[answer]:
            ends[answer + 1] = 0
        if ends[answer + 1] > 0:
            states += 1
            bounds[states] = ends[answer] + ends[answer + 1]
        ends[answer + 1] += ends[answer]
    reached = ends[answers.width]
    for a in range(len(members)):
        answer = np.int64(replies[a])
        if answer != answers.found and into[answer]:
            next_order[ends[answer]] = members[a]
            ends[answer] += 1
    return reached, states


@njit(cache=True, nogil=True)
def _choose_level(
    answers,
    cache,
    weights,
    order,
    bounds,
    states,
    needs,
    kept,
    tasks,
    bests,
    level,
    depths,
    next_order,
    next_bounds,
    log,
):
    """Choose the guess of every state of a level and return how many states the next level has.

    What was chosen at kept states is appended to `log`, rows of (state, level, guess, settled).
    """
    filled, next_states, task = np.int64(0), 0, 0
    next_bounds[0] = 0
    replies = np.empty(len(order), np.uint8)
    for state in range(states):
        if needs[state] == DONE:
            continue
        members = order[bounds[state] : bounds[state + 1]]
        key, guess = WORST, np.int64(-1)
        while task < len(tasks) and tasks[task, 0] == state:  # in the order of guesses, so the first best one wins
            if bests[task, 0] < key:
                key, guess = bests[task]
            task += 1
        settled = _settled(weights, members, key)
        if settled:
            for a in range(len(members)):
                depths[members[a]] = level + (answers.finder[members[a]] != guess)
        else:
            filled, next_states = _split(
                answers, cache, weights, members, kept[state], guess, level, depths, replies,
                next_order, filled, next_bounds, next_states,
            )  # fmt: skip
        if kept[state] >= 0:
            row = log[log[0, 0]]
            log[0, 0] += 1
            row[0], row[1], row[2], row[3] = kept[state], level, guess, settled
    return next_states


@njit(cache=True, nogil=True)
def _keep_level(cache, weights, depths, log):
    """Write down at every kept state that was gone through what was chosen and what came of it."""
    for entry in range(1, log[0, 0]):
        state, level, guess, settled = log[entry]
        first = cache.first[state]
        members = cache.members[first : first + cache.size[state]]
        total = effective_total(weights, members)
        cache.guess[state] = guess
        cache.settled[state] = settled
        for a in range(len(members)):
            cache.seen[first + a] = weights[members[a]] if total else np.int64(1)
            cache.further[first + a] = depths[members[a]] - level + 1


@njit(cache=True, nogil=True)
def _grown(log, states):
    """Return the log, with room for as many rows more."""
    if log[0, 0] + states <= len(log):
        return log
    larger = np.empty((2 * len(log) + states, 4), np.int64)
    larger[: log[0, 0]] = log[: log[0, 0]]
    return larger


@njit(cache=True, nogil=True)
def _depths_serial(answers, cache, weights, packed, ties, shift, room):
    """Return the depths [secrets], worked out on the calling thread."""
    secrets = len(answers.finder)
    depths = np.zeros(secrets, np.int32)
    order, next_order = np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    log = np.ones((1024, 4), np.int64)
    states, level = 1, 0
    while states > 0 and level < secrets:
        level += 1
        needs, kept = np.empty(states, np.int64), np.empty(states, np.int64)
        _look_up_lane(0, 1, answers, cache, weights, order, bounds, states, level, depths, needs, kept)
        tasks, _ = _plan(answers, cache, order, bounds, states, needs, kept)
        bests = np.empty((len(tasks), 2), np.int64)
        _work_lane(0, 1, tasks, bests, answers, cache, weights, packed, order, bounds, needs, kept, ties, shift, room)
        log = _grown(log, states)
        states = _choose_level(
            answers, cache, weights, order, bounds, states, needs, kept, tasks, bests, level, depths,
            next_order, next_bounds, log,
        )  # fmt: skip
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    if states == 0:
        _keep_level(cache, weights, depths, log)
    return depths


@njit(cache=True, parallel=True)
def _depths_parallel(answers, cache, weights, packed, ties, shift, room, lanes):
    """Return the depths [secrets], levels with much work on `lanes` threads; from the main thread only."""
    secrets = len(answers.finder)
    depths = np.zeros(secrets, np.int32)
    order, next_order = np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32)
    bounds, next_bounds = np.empty(secrets + 1, np.int32), np.empty(secrets + 1, np.int32)
    bounds[0], bounds[1] = 0, secrets
    log = np.ones((1024, 4), np.int64)
    states, level = 1, 0
    while states > 0 and level < secrets:
        level += 1
        needs, kept = np.empty(states, np.int64), np.empty(states, np.int64)
        _look_up_lane(0, 1, answers, cache, weights, order, bounds, states, level, depths, needs, kept)
        tasks, work = _plan(answers, cache, order, bounds, states, needs, kept)
        bests = np.empty((len(tasks), 2), np.int64)
        if work < WAKING_WORK:
            _work_lane(
                0, 1, tasks, bests, answers, cache, weights, packed, order, bounds, needs, kept, ties, shift, room
            )
        else:
            for lane in prange(lanes):
                _work_lane(
                    lane,
                    lanes,
                    tasks,
                    bests,
                    answers,
                    cache,
                    weights,
                    packed,
                    order,
                    bounds,
                    needs,
                    kept,
                    ties,
                    shift,
                    room,
                )
        log = _grown(log, states)
        states = _choose_level(
            answers, cache, weights, order, bounds, states, needs, kept, tasks, bests, level, depths,
            next_order, next_bounds, log,
        )  # fmt: skip
        order, next_order, bounds, next_bounds = next_order, order, next_bounds, bounds
    if states == 0:
        _keep_level(cache, weights, depths, log)
    return depths


def next_tree_depths(
    answers: Answers, cache: Cache, room: Scratch, weights: NDArray[np.int64], ties: int, threads: int = 1
) -> NDArray[np.int32]:
    """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

    Args:
        answers: the game.
        cache: what is kept of earlier trees of the same game and rule for ties; this tree is added to it.
        room: what `new_scratch` gave for as many threads or more.
        weights: the hider's whole-number weights [secrets].
        ties: TIES_FIRST or TIES_POSSIBLE.
        threads: how many may work; more than one only from the main thread.
    """
    packed, shift = pack(weights)
    cache.numbers[TICK] += 1
    make_room(cache)
    if threads == 1:
        depths = _depths_serial(answers, cache, weights, packed, ties, shift, room)
    else:
        numba.set_num_threads(threads)
        depths = _depths_parallel(answers, cache, weights, packed, ties, shift, room, threads)
    return checked_depths(depths)


def has_sheets(answers: Answers) -> bool:
    """Tell whether states of this game can have sheets: not where answers are many, whose counts would fill memory."""
    return way_to_score(answers, len(answers.finder), answers.guesses) in (TABLE_SUMS, LETTERS_BITS, LETTERS_SUBSETS)


def kept_numbers(cache: Cache) -> tuple[int, int, int]:
    """Return how many states, members of states, and sheets are kept."""
    return int(cache.numbers[STATES]), int(cache.numbers[MEMBERS]), int((cache.owner >= 0).sum())
