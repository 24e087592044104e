"""Compiled work on one level of a tree that starts from the trees before it.

A state is looked up first: it may need nothing, or its guess may be known from its list, or it must be scored. Scoring
is dealt out in tasks; then each state's guess is chosen and the state is split. Where the guess stays the same, only
the parts with a changed member are gone into; where it does not, all parts, many of which are kept from earlier trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from oracular.kernels.answers import fill_replies
from oracular.kernels.greedy.scoring import BLOCK, FEW, LETTERS_SUBSETS, WORST, scan, scratch_of, way_to_score
from oracular.kernels.greedy.shortlists import (
    best_of_list,
    change_list,
    is_listed,
    merge_lists,
    new_lists,
    scan_with_list,
)
from oracular.kernels.greedy.state_cache import LEAST_KEPT, TICK, find_state, give_list, keep_state
from oracular.kernels.greedy.tree import TASK_WORK, WAKING_WORK, work_of_guess

DONE, KNOWN, SCORE, FILL = range(4)
"""What a state needs: nothing more, only to be split, scoring, scoring with its list filled in."""


class Level(NamedTuple):
    """The states of a level.

    Attributes:
        needs: DONE to FILL, int64 [states].
        kept: the kept state that each is, or -1, int64 [states].
        keys: the key of the best guess, where it is known, int64 [states].
        guesses: the best guess, where it is known, int64 [states].
        tasks: what is to be scored, rows of (state, first guess, guess to stop before, list or -1), int64 [tasks, 4].
        bests: what came of it, rows of (key, guess), int64 [tasks, 2].
    """

    needs: NDArray[np.int64]
    kept: NDArray[np.int64]
    keys: NDArray[np.int64]
    guesses: NDArray[np.int64]
    tasks: NDArray[np.int64]
    bests: NDArray[np.int64]


@njit(cache=True, nogil=True)
def effective_total(weights, members):
    """Return the total weight of a state, 0 where it is scored as if each weight were one."""
    total = np.int64(0)
    for a in range(len(members)):
        total += weights[members[a]]
    return total


@njit(cache=True, nogil=True)
def _look_up(answers, cache, weights, members, level, ties, depths):
    """Return what a state needs, which kept state it is, and key and guess where they are known.

    Where nothing is needed, its depths are filled in.
    """
    if len(members) < LEAST_KEPT:
        if len(members) == 1:
            depths[members[0]] = level
            return DONE, np.int64(-1), WORST, np.int64(-1)
        return SCORE, np.int64(-1), WORST, np.int64(-1)
    otherwise = FILL if is_listed(answers, len(members)) else SCORE
    state = find_state(cache, members)
    if state < 0:
        return otherwise, state, WORST, np.int64(-1)
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
        return DONE, state, WORST, np.int64(-1)
    row = np.int64(cache.row[state])
    if row >= 0 and changed <= work_of_guess(answers, len(members)):
        for a in range(len(members)):
            more = (weights[members[a]] if total else np.int64(1)) - cache.seen[first + a]
            if more != 0:
                change_list(answers, cache.lists, row, members[a], more, len(members))
        key, guess = best_of_list(cache.lists, row, ties)
        if guess >= 0:
            return KNOWN, state, key, guess
    return otherwise, state, WORST, np.int64(-1)


@njit(cache=True, nogil=True)
def plan_level(answers, cache, weights, order, bounds, states, level, ties, lanes, depths):
    """Return a level's states with what they need, room for the lists that are filled in, and on how many lanes.

    Of the lanes that there are, all are taken where there is enough to do, and one otherwise: then no state is cut up.
    """
    guesses = answers.guesses
    needs, kept = np.empty(states, np.int64), np.empty(states, np.int64)
    keys, known = np.empty(states, np.int64), np.empty(states, np.int64)
    for state in range(states):
        members = order[bounds[state] : bounds[state + 1]]
        found = _look_up(answers, cache, weights, members, level, ties, depths)
        needs[state], kept[state], keys[state], known[state] = found
        if kept[state] >= 0:
            cache.visited[kept[state]] = cache.numbers[TICK]
    works, steps = np.zeros(states, np.int64), np.zeros(states, np.int64)
    count, lists, work = 0, 0, np.int64(0)
    for state in range(states):
        if needs[state] == DONE or needs[state] == KNOWN:
            continue
        size = np.int64(bounds[state + 1] - bounds[state])
        if kept[state] < 0 and size >= LEAST_KEPT:
            kept[state] = keep_state(cache, order[bounds[state] : bounds[state + 1]])
        if needs[state] == FILL and (
            kept[state] < 0 or (cache.row[kept[state]] < 0 and give_list(cache, kept[state]) < 0)
        ):
            needs[state] = SCORE
        works[state] = work_of_guess(answers, size)
        work += BLOCK if size <= FEW else works[state] * guesses
    lanes = lanes if work >= WAKING_WORK else 1
    for state in range(states):
        if works[state]:
            steps[state] = guesses
            if lanes > 1:
                steps[state] = max(BLOCK, TASK_WORK // works[state] // BLOCK * BLOCK)
                size = np.int64(bounds[state + 1] - bounds[state])
                if way_to_score(answers, size, guesses) == LETTERS_SUBSETS:
                    steps[state] = max(steps[state], size)
            tasks_of_state = (guesses + steps[state] - 1) // steps[state]
            count += tasks_of_state
            lists += tasks_of_state if needs[state] == FILL else 0
    tasks = np.empty((count, 4), np.int64)
    task, row = 0, 0
    for state in range(states):
        if works[state]:
            for start in range(0, guesses, steps[state]):
                tasks[task, 0] = state
                tasks[task, 1] = start
                tasks[task, 2] = min(start + steps[state], guesses)
                tasks[task, 3] = row if needs[state] == FILL else -1
                row += needs[state] == FILL
                task += 1
    bests = np.empty((count, 2), np.int64)
    return Level(needs, kept, keys, known, tasks, bests), new_lists(lists, answers.width), lanes


@njit(cache=True, nogil=True)
def score_level(lane, lanes, level, lists, answers, packed, order, bounds, ties, shift, room):
    """Fill in what comes of every task that falls to this lane."""
    scratch = scratch_of(room, lane)
    tasks, bests = level.tasks, level.bests
    for task in range(lane, len(tasks), lanes):
        state, start, stop, row = tasks[task]
        members = order[bounds[state] : bounds[state + 1]]
        if row < 0:
            bests[task, 0], bests[task, 1] = scan(answers, packed, members, start, stop, ties, shift, scratch)
        else:
            bests[task, 0], bests[task, 1] = scan_with_list(
                answers, packed, members, start, stop, ties, shift, lists, row, scratch
            )


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
def choose_level(
    answers, cache, weights, order, bounds, states, level, lists, depth, ties, depths, next_order, next_bounds, log
):
    """Choose the guess of every state of a level and return how many states the next level has.

    What was chosen at kept states is appended to `log`, rows of (state, depth, guess, settled).
    """
    filled, next_states, task = np.int64(0), 0, 0
    next_bounds[0] = 0
    tasks, bests, kept = level.tasks, level.bests, level.kept
    replies = np.empty(len(order), np.uint8)
    for state in range(states):
        if level.needs[state] == DONE:
            continue
        members = order[bounds[state] : bounds[state + 1]]
        key, guess, first = level.keys[state], level.guesses[state], task
        while task < len(tasks) and tasks[task, 0] == state:  # in the order of guesses, so the first best one wins
            if bests[task, 0] < key:
                key, guess = bests[task]
            task += 1
        if level.needs[state] == FILL:
            row, stop = tasks[first, 3], tasks[task - 1, 3] + 1
            merge_lists(answers, members, ties, lists, row, stop, cache.lists, cache.row[kept[state]])
        settled = _settled(weights, members, key)
        if settled:
            for a in range(len(members)):
                depths[members[a]] = depth + (answers.finder[members[a]] != guess)
        else:
            filled, next_states = _split(
                answers, cache, weights, members, kept[state], guess, depth, depths, replies,
                next_order, filled, next_bounds, next_states,
            )  # fmt: skip
        if kept[state] >= 0:
            entry = log[log[0, 0]]
            log[0, 0] += 1
            entry[0], entry[1], entry[2], entry[3] = kept[state], depth, guess, settled
    return next_states


@njit(cache=True, nogil=True)
def keep_levels(cache, weights, depths, log):
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
