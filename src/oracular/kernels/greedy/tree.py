"""Compiled building of a whole greedy tree: how many guesses each secret takes (Algorithm CompNumGuesses).

The paper replays the game for every word from the start. Here all secrets are played at once: each state that is
reached is scored once and split by answer, level by level (`level.py`).

Fictitious play adds weight to a few secrets at a time. At a state that holds none of them nothing changes, nor
anywhere below it; so the states of earlier trees may be kept (`state_cache.py`) with the weights they were seen with,
and a state is looked at again only where some member's weight is another now. A state that a guess tells wholly apart
is settled: while all weights are above zero no guess costs less, so it need never be looked at again. A tree from
scratch is built in the same way, with a cache that holds nothing.

One thread builds the tree. At a level with much to do it returns, so that several threads can score the level's
tasks, and then goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.answers import Answers
from oracular.kernels.compiling import entry_point
from oracular.kernels.greedy.iterations import MADE, MOST, SINGLE_TREE, Iterations, add_depths, begin_iteration
from oracular.kernels.greedy.level import (
    PLANNED,
    STATES,
    TASKS,
    Growth,
    begin_at_root,
    choose_level,
    new_growth,
    plan_level,
    score_lane,
    write_down,
)
from oracular.kernels.greedy.objective import TIES_FIRST, GreedyObjective, objective_of
from oracular.kernels.greedy.scoring import ScoreBuffers, Scorer, best_guess, new_buffers
from oracular.kernels.greedy.state_cache import Cache, new_cache
from oracular.system.control import NEVER, Deadline, DeadlinePassed


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
"""Why `_grow` returns: the trees are built; a guess told nothing; time was up; a level's tasks are to be scored."""

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


@entry_point
def _score(scorer, growth, lane, lanes):
    """Score the tasks of a level that fall to this lane."""
    score_lane(scorer, growth, lane, lanes)


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
    """

    answers: Answers
    growth: Growth
    buffers: Sequence[ScoreBuffers]

    @classmethod
    def on(cls, answers: Answers, lanes: int) -> TreeBuilder:
        """Return what builds trees on so many lanes."""
        return cls(answers, new_growth(answers, lanes), [new_buffers(answers) for _ in range(lanes)])

    def depths(
        self,
        objective: GreedyObjective,
        possible: NDArray[np.int32] | None = None,
        cache: Cache = NOTHING_KEPT,
        deadline: Deadline = NEVER,
    ) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree below a state takes for each secret of it [possible].

        Args:
            objective: what guesses are compared by.
            possible: the secrets of the state; all of them unless given.
            cache: what is kept of earlier trees of this game by the same rule for ties.
            deadline: when to give up with `DeadlinePassed`.
        """
        if possible is None:
            possible = np.arange(len(self.answers.finder), dtype=np.int32)
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
            iterations: where they are written down; fewer are made where the cache has no room for another tree.
            cache: what is kept of earlier trees of this game by the same rule for ties.
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
            raise SettingsError("the game has secrets that no guess tells apart: check its table of answers")

    def guess(self, objective: GreedyObjective, possible: NDArray[np.int32], deadline: Deadline = NEVER) -> int:
        """Return the greedy guess at a state of one or more possible secrets, or raise `DeadlinePassed`."""
        if len(possible) == 1:
            return int(self.answers.finder[possible[0]])
        scorer = Scorer(self.answers, objective, self.buffers[0], deadline.flag)
        guess = best_guess(scorer, possible.copy(), 0, self.answers.guesses)
        if scorer.flag[0]:
            raise DeadlinePassed
        return guess

    def warm_up(self) -> None:
        """Load or compile all that a tree takes."""
        objective = objective_of(self.answers, np.ones(len(self.answers.finder), dtype=np.int64), TIES_FIRST)
        self.depths(objective)
        if len(self.buffers) > 1:
            self.growth.numbers[TASKS] = 0
            scorers = [Scorer(self.answers, objective, buffers, NEVER.flag) for buffers in self.buffers]
            _score_level(scorers, self.growth)
