"""Compiled building of whole greedy trees: how many guesses each secret takes (Algorithm CompNumGuesses).

The paper replays the game for every word from the start. Here all secrets are played at once: each state that is
reached is scored once and split by answer, level by level. A state is looked up first among those that earlier trees
went through: it may need nothing, or its guess may be known from its list, or it must be scored. Scoring is dealt out
in tasks, a state and a range of guesses each. Then each state's guess is chosen and the state is split. A task's result
is a whole number that depends on no other task, so the number of lanes never changes the tree.

Fictitious play adds weight to a few secrets at a time. At a state that holds none of them nothing changes, nor
anywhere below it; so the states of earlier trees may be kept (`greedy_cache.py`) with the weights they were seen with,
and a state is looked at again only if some member's weight has changed. If its guess stays the same, only the parts
with a changed member are gone into; otherwise all parts, many of which are kept. A state that a guess splits into
single secrets is settled: while all weights are above zero no guess costs less, so it need never be looked at again. A
tree from scratch is built in the same way, with a cache that holds nothing.

One thread builds the tree. At a level with much to do it returns, so that several threads can score the level's
tasks, and then goes on. Small games spend more time in calls than in work; so one call can make many iterations of
fictitious play. After each tree the hider adds a best response to all trees so far (Algorithm HiderBR): every secret
that takes most guesses in all gets an equal share of the weight that an iteration hands out. Nothing here is rounded,
so one call makes what as many calls would make.

A game that allows only some guesses at a state (`games/guessing.py`) has few to choose from: each state is scored by
itself and split, with the constraint of hard mode beside it, and none of the above is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.answers import Answers, answer_to, fill_replies
from oracular.kernels.compiling import allocating_entry_point, entry_point, inlined, inner
from oracular.kernels.greedy_cache import (
    LEAST_KEPT,
    LISTED,
    TICK,
    Cache,
    Lists,
    best_of_list,
    change_list,
    find_state,
    give_list,
    is_full,
    keep_state,
    merge_lists,
    new_cache,
    new_lists,
)
from oracular.kernels.guessing import ANY, FREE, HARD, GuessingTable
from oracular.kernels.letter_sums import PIECE, PIECE_WORK, QUICKER
from oracular.kernels.packing import TIES_FIRST, WORST, GreedyObjective, objective_of
from oracular.kernels.scoring import (
    BLOCK,
    FEW,
    LETTERS_BITS,
    LETTERS_FEW,
    LETTERS_SUBSETS,
    TABLE_QUICK,
    ScoreBuffers,
    Scorer,
    best_allowed,
    best_guess,
    is_listed,
    new_buffers,
    scan,
    way_to_score,
)
from oracular.kernels.trees import BEGIN, COUNT, END, LEVEL, hand_down, new_walk, next_state, push_parts, state_of
from oracular.system.control import NEVER, Deadline, DeadlinePassed

LEAST_TASK = 1 << 16
"""No state is cut into tasks that take less than looking up this many answers: dealing them out would take longer."""

TASKS_A_LANE = 16
"""A level is cut into about this many tasks for each lane, so that the lanes have about the same to do."""

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
        tasks: what must be scored, as STATE to GUESS say, int64 [tasks, 6].
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
    """Return what a tree of a game is built in, on this many lanes."""
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
    """Let a tree begin at one state of `size` secrets; the caller writes them to the first level's `order[1]`."""
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
    # Each task prepares its state for sums over subsets again.
    return max(step, size) if way_to_score(answers, size) == LETTERS_SUBSETS else step


@inlined
def plan_level(scorer, cache, growth, lanes):
    """Look up the states of a level, write down what must be scored, and return on how many of the lanes.

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
    """Return whether the best guess, of this key, distinguishes all members."""
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
    Return how far the next level's order and states reach then, or -1 twice if the guess splits nothing.
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
    """Choose the guess of every state of a level, go on to the next level; return whether each guess split its state.

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


MADE, MOST, SHARED = range(3)
"""What `Iterations.numbers` holds: the iterations made, how many to make, the weight that each of them hands out."""


class Iterations(NamedTuple):
    """Some iterations of fictitious play that follow each other; the one before the first is over.

    Attributes:
        numbers: what MADE to SHARED say, int64 [3].
        weights: the hider's weights at each iteration, int64 [iterations, secrets]; the first row is given.
        totals: the depths of all trees before each iteration, int64 [iterations + 1, secrets]; the first row is given.
    """

    numbers: NDArray[np.int64]
    weights: NDArray[np.int64]
    totals: NDArray[np.int64]


def new_iterations(weights: NDArray[np.int64], totals: NDArray[np.int64], most: int, shared: int) -> Iterations:
    """Return room for `most` iterations, from the hider's weights and the summed depths [secrets] on."""
    iterations = Iterations(
        numbers=np.array([0, most, shared], np.int64),
        weights=np.empty((most, len(weights)), np.int64),
        totals=np.empty((most + 1, len(weights)), np.int64),
    )
    iterations.weights[0], iterations.totals[0] = weights, totals
    return iterations


SINGLE_TREE = Iterations(np.zeros(3, np.int64), np.empty((0, 0), np.int64), np.empty((0, 0), np.int64))
"""The iterations of a call that builds a tree and no more."""


@inlined
def add_depths(growth, iterations):
    """Write down what an iteration's tree takes, and count the iteration."""
    made, depths = iterations.numbers[MADE], growth.depths
    before, after = iterations.totals[made], iterations.totals[made + 1]
    for secret in range(len(depths)):
        after[secret] = before[secret] + depths[secret]
    iterations.numbers[MADE] += 1


@inlined
def begin_iteration(objective, cache, growth, iterations):
    """Add the hider's best response to the weights and begin the next tree; return whether there is room for it."""
    if is_full(cache):
        return False
    made, packed, shift = iterations.numbers[MADE], objective.packed, objective.shift
    totals, before, weights = iterations.totals[made], iterations.weights[made - 1], iterations.weights[made]
    worst, tied = totals[0], 0
    for secret in range(len(totals)):
        worst = max(worst, totals[secret])
    for secret in range(len(totals)):
        tied += totals[secret] == worst
    share = iterations.numbers[SHARED] // tied
    for secret in range(len(totals)):
        weights[secret] = before[secret]
        if totals[secret] == worst:
            weights[secret] += share
            packed[secret] = weights[secret] << shift | 1
    cache.numbers[TICK] += 1
    begin_at_root(growth, len(totals))
    for secret in range(len(totals)):
        growth.order[1, secret] = secret
    return True


def on_lanes(lanes: int, work: Callable[[int], object]) -> None:
    """Do the work of every lane, 0 on the calling thread and the others beside it; all is done on return.

    The work must release Python's lock, or the lanes wait for each other.
    """
    others = [_pool(os.getpid(), lanes).submit(work, lane) for lane in range(1, lanes)]
    try:
        work(0)
    finally:
        _wait_for_all(others)
    for other in others:
        other.result()


@cache
def _pool(process: int, lanes: int) -> ThreadPoolExecutor:
    """Return the threads beside the calling one; a process that was forked has none of its parent's."""
    del process
    return ThreadPoolExecutor(lanes - 1, "lane")


def _wait_for_all(futures: Sequence[Future[object]]) -> None:
    """Wait until nobody works in the caller's buffers any more, and only then let Ctrl-C interrupt."""
    interrupt = None
    while any(not future.done() for future in futures):
        try:
            wait(futures)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


FINISHED, STUCK, STOPPED, TASKS_WAIT = range(4)
"""Why `_grow` returns: the trees are built; a guess split nothing; time was up; a level's tasks must be scored."""

NOTHING_KEPT = new_cache(secrets=0, width=1, memory=0, with_lists=False)
"""The cache of a tree from scratch."""


@entry_point
def _grow(scorer, cache, growth, lanes, iterations):
    """Build a tree level by level, then those of further iterations, and return why no further: FINISHED to TASKS_WAIT.

    A call that returned TASKS_WAIT is followed by one that goes on from there.
    """
    numbers = growth.numbers
    while True:
        while numbers[STATES] > 0:
            if not numbers[PLANNED]:
                numbers[PLANNED] = 1
                if plan_level(scorer, cache, growth, lanes) > 1:
                    return TASKS_WAIT
                score_lane(scorer, growth, 0, 1)
            if scorer.flag[0]:
                return STOPPED
            if not choose_level(scorer, cache, growth):
                return STUCK
            numbers[PLANNED] = 0
        write_down(scorer.objective, cache, growth)
        if iterations.numbers[MOST] > 0:
            add_depths(growth, iterations)
        if iterations.numbers[MADE] == iterations.numbers[MOST]:
            return FINISHED
        if not begin_iteration(scorer.objective, cache, growth, iterations):
            return FINISHED


@allocating_entry_point
def _ruled_depths(scorer, guessing, members, demand):
    """Return how many more guesses the tree from a state takes for each of its secrets, with a rule [secrets]."""
    answers = scorer.answers
    secrets = len(answers.finder)
    walk = new_walk(secrets)
    walk.order[: len(members)] = members
    walk.stack[0, 1] = len(members)
    demands, replies = np.zeros(secrets, np.int64), np.zeros(secrets, np.uint8)
    demands[0] = demand
    while not scorer.flag[0] and next_state(walk):
        before, begin, end = walk.place[COUNT], walk.place[BEGIN], walk.place[END]
        state, asked = state_of(walk), demands[before]
        guess = best_allowed(scorer, guessing, state, asked)
        for secret in state:
            replies[secret] = answer_to(answers, guess, secret)
        place = (begin, end, walk.place[LEVEL], before)
        walk.place[COUNT] = push_parts(walk, place, replies, answers.found, walk.depths)
        if guessing.rule == HARD:
            hand_down(walk, replies, guessing, (demands, asked, guess, before))
    return walk.depths


@entry_point
def _score(scorer, growth, lane, lanes):
    """Score the tasks of a level that fall to this lane."""
    score_lane(scorer, growth, lane, lanes)


NO_RULE = GuessingTable(ANY, np.zeros((0, 0), np.uint8), np.zeros((0, 0), np.uint8))
"""Every guess is allowed."""


def cache_for(answers: Answers, memory: int) -> Cache:
    """Return an empty cache for the states of a game."""
    secrets = len(answers.finder)
    return new_cache(secrets, answers.width, memory, bool(is_listed(answers, secrets)))


def _score_level(scorers: Sequence[Scorer], growth: Growth) -> None:
    """Score the tasks of a level, one lane for each scorer."""
    on_lanes(len(scorers), lambda lane: _score(scorers[lane], growth, lane, len(scorers)))


@dataclass(frozen=True)
class TreeBuilder:
    """The working memory that trees of a game are built in, one at a time.

    Attributes:
        answers: the game.
        growth: the tree that is being built.
        buffers: what each lane scores states in.
        guessing: which guesses are allowed.
    """

    answers: Answers
    growth: Growth
    buffers: Sequence[ScoreBuffers]
    guessing: GuessingTable

    @classmethod
    def on(cls, answers: Answers, lanes: int, guessing: GuessingTable = NO_RULE) -> TreeBuilder:
        """Return what builds trees on this many lanes."""
        return cls(answers, new_growth(answers, lanes), [new_buffers(answers) for _ in range(lanes)], guessing)

    def depths(
        self,
        objective: GreedyObjective,
        possible: NDArray[np.int32] | None = None,
        cache: Cache = NOTHING_KEPT,
        deadline: Deadline = NEVER,
        demand: int = FREE,
    ) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree below a state takes for each secret of it [possible].

        Args:
            objective: what guesses are compared by.
            possible: the secrets of the state; all of them unless given.
            cache: the states of earlier trees of this game by the same rule for ties.
            deadline: when to give up with `DeadlinePassed`.
            demand: what hard mode requires of the guesses at the state.
        """
        if possible is None:
            possible = np.arange(len(self.answers.finder), dtype=np.int32)
        if self.guessing.rule != ANY:
            scorer = Scorer(self.answers, objective, self.buffers[0], deadline.flag)
            depths: NDArray[np.int32] = _ruled_depths(scorer, self.guessing, possible.copy(), demand)
            deadline.check_flag()
            return depths[possible]
        self._grow_from(possible, objective, cache, deadline, SINGLE_TREE)
        return self.growth.depths[possible]

    def play(
        self,
        objective: GreedyObjective,
        iterations: Iterations,
        cache: Cache = NOTHING_KEPT,
        deadline: Deadline = NEVER,
    ) -> None:
        """Make iterations of fictitious play.

        Args:
            objective: that of the weights of the first iteration; it becomes that of the last one's.
            iterations: where they are written down; fewer are made if the cache has no room for another tree.
            cache: the states of earlier trees of this game by the same rule for ties.
            deadline: when to give up with `DeadlinePassed`; the iterations finished before are written down.
        """
        everything = np.arange(len(self.answers.finder), dtype=np.int32)
        self._grow_from(everything, objective, cache, deadline, iterations)

    def _grow_from(
        self,
        possible: NDArray[np.int32],
        objective: GreedyObjective,
        cache: Cache,
        deadline: Deadline,
        iterations: Iterations,
    ) -> None:
        """Build the tree below a state, and those of further iterations."""
        growth, lanes = self.growth, len(self.buffers)
        begin_at_root.py_func(growth, len(possible))
        growth.order[1, : len(possible)] = possible
        scorers = [Scorer(self.answers, objective, buffers, deadline.flag) for buffers in self.buffers]
        while (ended := _grow(scorers[0], cache, growth, lanes, iterations)) == TASKS_WAIT:
            _score_level(scorers, growth)
        if ended == STOPPED:
            raise DeadlinePassed
        if ended == STUCK:
            raise SettingsError("the game has secrets that no guess distinguishes: check its table of answers")

    def guess(
        self, objective: GreedyObjective, possible: NDArray[np.int32], deadline: Deadline = NEVER, demand: int = FREE
    ) -> int:
        """Return the greedy guess at a state of one or more possible secrets, or raise `DeadlinePassed`."""
        if len(possible) == 1:
            return int(self.answers.finder[possible[0]])
        possible = possible.copy()  # kernels are compiled for writable arrays alone
        if self.guessing.rule == ANY:
            guess = best_guess(Scorer(self.answers, objective, self.buffers[0], deadline.flag), possible)
        else:
            scorer = Scorer(self.answers, objective, self.buffers[0], deadline.flag)
            guess = int(best_allowed(scorer, self.guessing, possible, demand))
        deadline.check_flag()
        return guess

    def warm_up(self) -> None:
        """Load or compile all that a tree takes."""
        objective = objective_of(self.answers, np.ones(len(self.answers.finder), dtype=np.int64), TIES_FIRST)
        self.depths(objective)
        self.guess(objective, np.arange(len(self.answers.finder), dtype=np.int32))
        if self.guessing.rule == ANY and len(self.buffers) > 1:
            self.growth.numbers[TASKS] = 0
            scorers = [Scorer(self.answers, objective, buffers, NEVER.flag) for buffers in self.buffers]
            _score_level(scorers, self.growth)
