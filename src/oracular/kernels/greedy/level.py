"""Compiled work on one level of a greedy tree.

A state is looked up first among those that earlier trees went through: it may need nothing, or its guess may be known
from its list, or it must be scored. Scoring is dealt out in tasks, a state and a range of guesses each. Then each
state's guess is chosen and the state is split. Where the guess stays the same as in an earlier tree, only the parts
with a changed member are gone into; where it does not, all parts, many of which are kept from earlier trees.

A task's result is a whole number that depends on no other task, so the number of lanes never changes the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.answers import Answers, fill_replies
from oracular.kernels.compiling import inlined, inner
from oracular.kernels.greedy.letter_sums import PIECE, PIECE_WORK, QUICKER
from oracular.kernels.greedy.objective import WORST
from oracular.kernels.greedy.scoring import (
    BLOCK,
    FEW,
    LETTERS_BITS,
    LETTERS_FEW,
    LETTERS_SUBSETS,
    TABLE_QUICK,
    is_listed,
    scan,
    way_to_score,
)
from oracular.kernels.greedy.shortlists import LISTED, Lists, best_of_list, change_list, merge_lists, new_lists
from oracular.kernels.greedy.state_cache import LEAST_KEPT, TICK, find_state, give_list, keep_state

LEAST_TASK = 1 << 16
"""No state is cut into tasks that take less than looking up this many answers: dealing them out would take longer."""

TASKS_A_LANE = 16
"""A level is cut into about so many tasks for each lane, so that the lanes have about the same to do."""

WAKING_WORK = 1 << 19
"""A level with less work than this is done by the calling thread alone: waking the others would take longer."""

DEPTH, STATES, TASKS, LOGGED, PLANNED = range(5)
"""What `Growth.numbers` holds: which guess is made at this level, counted from 1; how many states and tasks the level
has; how many choices are in the log; and whether the level's tasks are written down."""

DONE, KNOWN, SCORE, FILL = range(4)
"""What a state needs: nothing more, only to be split, scoring, scoring with its list filled in."""

NEED, KEPT, BEST_KEY, BEST_GUESS = range(4)
"""The columns of `Growth.states`: DONE to FILL; the kept state that it is, or -1; the best guess and its key, where
they are known before any scoring."""

STATE, START, STOP, LIST, KEY, GUESS = range(6)
"""The columns of `Growth.tasks`: the state; the first guess, and the one to stop before; the list to be filled in, or
-1; then what came of it, the best guess and its key."""


class Growth(NamedTuple):
    """A tree that is being built, level by level; the levels take turns in the two rows of `order` and `bounds`.

    The states of a level have no secret in common, so there are at most as many as secrets. Every guess splits its
    state, so there are no more choices in a tree either.

    Attributes:
        numbers: what DEPTH to PLANNED say, int64 [5].
        depths: the guesses that each secret takes, 0 where it is not known yet, int32 [secrets].
        order: the secrets of a level, those of one state side by side, int32 [2, secrets].
        bounds: where each state begins in it, int32 [2, secrets + 1].
        states: what NEED to BEST_GUESS say of each state of the level, int64 [secrets, 4].
        tasks: what is to be scored, as STATE to GUESS say, int64 [tasks, 6].
        lists: the lists that are filled in.
        log: what was chosen at kept states, rows of (state, depth, guess, settled), int64 [secrets, 4].
        replies: the answers to one guess, uint8 [secrets].
        ends: where the part of each answer ends, int64 [answers + 1].
        into: whether the part of each answer is gone into, uint8 [answers].
    """

    numbers: NDArray[np.int64]
    depths: NDArray[np.int32]
    order: NDArray[np.int32]
    bounds: NDArray[np.int32]
    states: NDArray[np.int64]
    tasks: NDArray[np.int64]
    lists: Lists
    log: NDArray[np.int64]
    replies: NDArray[np.uint8]
    ends: NDArray[np.int64]
    into: NDArray[np.uint8]


def new_growth(answers: Answers, lanes: int) -> Growth:
    """Return what a tree of a game is built in, on so many lanes."""
    secrets, cut = len(answers.finder), (2 * TASKS_A_LANE + 1) * lanes if lanes > 1 else 0
    return Growth(
        numbers=np.empty(5, np.int64),
        depths=np.empty(secrets, np.int32),
        order=np.empty((2, secrets), np.int32),
        bounds=np.empty((2, secrets + 1), np.int32),
        states=np.empty((secrets, 4), np.int64),
        tasks=np.empty((secrets + cut, 6), np.int64),
        lists=new_lists(secrets // LISTED + cut, answers.width),
        log=np.empty((secrets, 4), np.int64),
        replies=np.empty(secrets, np.uint8),
        ends=np.empty(answers.width + 1, np.int64),
        into=np.empty(answers.width, np.uint8),
    )


@inlined
def begin_at_root(growth, size):
    """Let a tree begin at one state, of so many secrets; the caller writes them to the first level's `order[1]`."""
    growth.numbers[:] = 0
    growth.numbers[DEPTH], growth.numbers[STATES] = 1, 1
    growth.bounds[1, 0], growth.bounds[1, 1] = 0, size


@inlined
def members_of(growth, state):
    """Return the secrets of a state of the level."""
    row = growth.numbers[DEPTH] & 1
    return growth.order[row, growth.bounds[row, state] : growth.bounds[row, state + 1]]


@inner
def _work_of_guess(answers, size):
    """Return about how long one guess takes at a state of this size, in look-ups of an answer."""
    way = way_to_score(answers, size)
    if way == LETTERS_FEW:
        return 16
    if way == LETTERS_BITS:
        return PIECE_WORK * ((size + PIECE - 1) // PIECE)
    if way == TABLE_QUICK:
        return 4 + size // 2 // QUICKER
    return answers.secret_subsets.shape[1] if way == LETTERS_SUBSETS else size


@inner
def _effective_total(objective, members):
    """Return the total weight of a state, 0 where it is scored as if each weight were one."""
    total = np.int64(0)
    for a in range(len(members)):
        total += objective.packed[members[a]] >> objective.shift
    return total


@inner
def _effective_weight(objective, secret, total):
    """Return the weight that a secret is scored with at a state of this effective total."""
    return objective.packed[secret] >> objective.shift if total else np.int64(1)


@inlined
def _look_up(scorer, cache, growth, state):
    """Say what a state needs; where that is nothing, fill in its depths."""
    objective, depths, depth = scorer.objective, growth.depths, growth.numbers[DEPTH]
    members, about = members_of(growth, state), growth.states[state]
    size = len(members)
    about[NEED], about[KEPT], about[BEST_KEY], about[BEST_GUESS] = SCORE, -1, WORST, -1
    if size < LEAST_KEPT:
        if size == 1:
            depths[members[0]] = depth
            about[NEED] = DONE
        return
    if is_listed(scorer.answers, size):
        about[NEED] = FILL
    kept = find_state(cache, members)
    if kept < 0:
        return
    about[KEPT] = kept
    cache.visited[kept] = cache.numbers[TICK]
    first, total = cache.first[kept], _effective_total(objective, members)
    changed, positive = 0, True
    for a in range(size):
        weight = _effective_weight(objective, members[a], total)
        positive &= weight > 0
        changed += weight != cache.seen[first + a]
    if changed == 0 or (cache.settled[kept] and positive):
        for a in range(size):
            depths[members[a]] = depth - 1 + cache.further[first + a]
        about[NEED] = DONE
        return
    row = np.int64(cache.row[kept])
    if row >= 0 and changed <= _work_of_guess(scorer.answers, size):
        for a in range(size):
            more = _effective_weight(objective, members[a], total) - cache.seen[first + a]
            if more != 0:
                change_list(scorer.answers, cache.lists, row, members[a], more, size)
        key, guess = best_of_list(cache.lists, row, objective.ties)
        if guess >= 0:
            about[NEED], about[BEST_KEY], about[BEST_GUESS] = KNOWN, key, guess


@inner
def _guesses_of_task(answers, size, share):
    """Return how many guesses a task has at a state of this size, where one task is to take no more than a share."""
    each = _work_of_guess(answers, size)
    if size <= FEW or each * answers.guesses <= share:
        return answers.guesses
    step = max(BLOCK, share // each // BLOCK * BLOCK)
    # What a state needs to be made ready for sums over subsets is done anew for every task.
    return max(step, size) if way_to_score(answers, size) == LETTERS_SUBSETS else step


@inlined
def plan_level(scorer, cache, growth, lanes):
    """Look up the states of a level, write down what is to be scored, and return on how many of the lanes.

    All are taken where there is enough to do, and one otherwise: then no state is cut up.
    """
    answers, numbers = scorer.answers, growth.numbers
    for state in range(numbers[STATES]):
        _look_up(scorer, cache, growth, state)
    work = np.int64(0)
    for state in range(numbers[STATES]):
        about = growth.states[state]
        if about[NEED] < SCORE:
            continue
        members = members_of(growth, state)
        size = len(members)
        if about[KEPT] < 0 and size >= LEAST_KEPT:
            about[KEPT] = keep_state(cache, members)
        if about[NEED] == FILL and (
            about[KEPT] < 0 or (cache.row[about[KEPT]] < 0 and give_list(cache, about[KEPT]) < 0)
        ):
            about[NEED] = SCORE
        work += BLOCK if size <= FEW else _work_of_guess(answers, size) * answers.guesses
    lanes = lanes if work >= WAKING_WORK else 1
    share = max(LEAST_TASK, work // (TASKS_A_LANE * lanes)) if lanes > 1 else WORST
    task, row = 0, 0
    for state in range(numbers[STATES]):
        need = growth.states[state, NEED]
        if need < SCORE:
            continue
        step = _guesses_of_task(answers, len(members_of(growth, state)), share)
        for start in range(0, answers.guesses, step):
            growth.tasks[task, STATE] = state
            growth.tasks[task, START] = start
            growth.tasks[task, STOP] = min(start + step, answers.guesses)
            growth.tasks[task, LIST] = row if need == FILL else -1
            row += need == FILL
            task += 1
    numbers[TASKS] = task
    return lanes


@inlined
def score_lane(scorer, growth, lane, lanes):
    """Fill in what comes of every task that falls to this lane, until the flag is raised."""
    for task in range(lane, growth.numbers[TASKS], lanes):
        about = growth.tasks[task]
        members = members_of(growth, about[STATE])
        about[KEY], about[GUESS] = scan(scorer, members, about[START], about[STOP], growth.lists, about[LIST])
        if scorer.flag[0]:
            break


@inner
def _is_settled(objective, members, key):
    """Tell whether the best guess, of this key, tells all members apart."""
    total = _effective_total(objective, members)
    if total == 0:
        return key >> 1 == len(members)
    if key >> 1 != total:
        return False
    for a in range(len(members)):
        if objective.packed[members[a]] >> objective.shift == 0:
            return len(members) == 2
    return True


@inlined
def _split(scorer, cache, growth, state, guess, filled, states):
    """Append the parts of a state that must be gone into to the next level.

    All parts must, unless it is a kept state whose guess is the same as before: then those with a changed member.
    Return how far the next level's order and states reach then, or -1 twice where the guess tells nothing.
    """
    answers, objective, depths, depth = scorer.answers, scorer.objective, growth.depths, growth.numbers[DEPTH]
    members, kept = members_of(growth, state), growth.states[state, KEPT]
    replies, ends, into = growth.replies, growth.ends, growth.into
    same = kept >= 0 and cache.guess[kept] == guess
    first = cache.first[kept] if kept >= 0 else np.int64(0)
    total = _effective_total(objective, members)
    ends[:], into[:] = 0, 0
    fill_replies(answers, guess, members, replies)
    for a in range(len(members)):
        answer = np.int64(replies[a])
        if answer == answers.found:
            depths[members[a]] = depth
            continue
        ends[answer + 1] += 1
        if same:
            depths[members[a]] = depth - 1 + cache.further[first + a]
            into[answer] |= _effective_weight(objective, members[a], total) != cache.seen[first + a]
        else:
            into[answer] = 1
    next_row = 1 - (depth & 1)
    ends[0] = filled
    for answer in range(answers.width):
        if ends[answer + 1] == len(members):
            return np.int64(-1), np.int64(-1)
        if not into[answer]:
            ends[answer + 1] = 0
        if ends[answer + 1] > 0:
            states += 1
            growth.bounds[next_row, states] = ends[answer] + ends[answer + 1]
        ends[answer + 1] += ends[answer]
    reached = ends[answers.width]
    for a in range(len(members)):
        answer = np.int64(replies[a])
        if answer != answers.found and into[answer]:
            growth.order[next_row, ends[answer]] = members[a]
            ends[answer] += 1
    return reached, states


@inlined
def choose_level(scorer, cache, growth):
    """Choose the guess of every state of a level, go on to the next level, and tell whether every guess told something.

    What was chosen at kept states is appended to the log.
    """
    numbers, tasks, depths, depth = growth.numbers, growth.tasks, growth.depths, growth.numbers[DEPTH]
    filled, states, task = np.int64(0), np.int64(0), 0
    growth.bounds[1 - (depth & 1), 0] = 0
    for state in range(numbers[STATES]):
        need, kept, key, guess = growth.states[state]
        if need == DONE:
            continue
        members, first = members_of(growth, state), task
        while task < numbers[TASKS] and tasks[task, STATE] == state:  # in their order, so the first best guess wins
            if tasks[task, KEY] < key:
                key, guess = tasks[task, KEY], tasks[task, GUESS]
            task += 1
        if need == FILL:
            row, stop = tasks[first, LIST], tasks[task - 1, LIST] + 1
            merge_lists(scorer, members, growth.lists, row, stop, cache.lists, np.int64(cache.row[kept]))
        if guess < 0:
            return False
        settled = _is_settled(scorer.objective, members, key)
        if settled:
            for a in range(len(members)):
                depths[members[a]] = depth + (scorer.answers.finder[members[a]] != guess)
        else:
            filled, states = _split(scorer, cache, growth, state, guess, filled, states)
            if states < 0:
                return False
        if kept >= 0:
            entry = growth.log[numbers[LOGGED]]
            entry[0], entry[1], entry[2], entry[3] = kept, depth, guess, settled
            numbers[LOGGED] += 1
    numbers[DEPTH] += 1
    numbers[STATES] = states
    return True


@inlined
def write_down(objective, cache, growth):
    """Write down at every kept state that was gone through what was chosen and what came of it."""
    for entry in range(growth.numbers[LOGGED]):
        state, depth, guess, settled = growth.log[entry]
        first = cache.first[state]
        members = cache.members[first : first + cache.size[state]]
        total = _effective_total(objective, members)
        cache.guess[state] = guess
        cache.settled[state] = settled
        for a in range(len(members)):
            cache.seen[first + a] = _effective_weight(objective, members[a], total)
            cache.further[first + a] = growth.depths[members[a]] - depth + 1
