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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.answers import Answers
from oracular.kernels.compiled import kernel
from oracular.kernels.greedy.level import (
    DEPTH,
    PLANNED,
    STATES,
    Growth,
    choose_level,
    new_growth,
    plan_level,
    score_tasks,
    write_down,
)
from oracular.kernels.greedy.scoring import Objective, ScoreBuffers, Scorer, new_buffers, objective_of, scan
from oracular.kernels.greedy.state_cache import Cache, new_cache
from oracular.kernels.threads import on_lanes
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed

FINISHED, STUCK, STOPPED, TASKS_WAIT = range(4)
"""Why `_grow` returns: the tree is built; a guess told nothing; time was up; a level's tasks are to be scored."""

NOTHING_KEPT = new_cache(secrets=0, width=1, memory=0, with_lists=False)
"""The cache of a tree from scratch."""


@kernel
def _grow(scorer, cache, growth, lanes):
    """Build a tree level by level, and return why no further: FINISHED to TASKS_WAIT."""
    numbers = growth.numbers
    while numbers[STATES] > 0:
        if not numbers[PLANNED]:
            numbers[PLANNED] = 1
            if plan_level(scorer, cache, growth, lanes) > 1:
                return TASKS_WAIT
            score_tasks(scorer, growth, np.int64(0), np.int64(1))
        if scorer.flag[0]:
            return STOPPED
        if not choose_level(scorer, cache, growth):
            return STUCK
        numbers[PLANNED] = 0
    write_down(scorer.objective, cache, growth)
    return FINISHED


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
        self, objective: Objective, possible: NDArray[np.int32], cache: Cache = NOTHING_KEPT, deadline: Deadline = NEVER
    ) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree below a state takes for each secret of it [possible]."""
        growth, lanes, flag = self.growth, len(self.buffers), deadline.flag
        growth.numbers[:] = 0
        growth.numbers[[DEPTH, STATES]] = 1
        growth.order[1, : len(possible)] = possible
        growth.bounds[1, :2] = 0, len(possible)
        scorers = [Scorer(self.answers, objective, buffers, flag) for buffers in self.buffers]
        while (ended := _grow(scorers[0], cache, growth, lanes)) == TASKS_WAIT:
            on_lanes(lanes, lambda lane: score_tasks(scorers[lane], growth, lane, lanes))
        if ended == STOPPED:
            raise DeadlinePassed
        if ended == STUCK:
            raise SettingsError("the game has secrets that no guess tells apart: check its table of answers")
        return growth.depths[possible]


def tree_depths(
    answers: Answers, weights: NDArray[np.int64], ties: int, threads: int = 1, deadline: Deadline = NEVER
) -> NDArray[np.int32]:
    """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

    Args:
        answers: the game.
        weights: the hider's whole-number weights [secrets].
        ties: TIES_FIRST or TIES_POSSIBLE.
        threads: how many may work.
        deadline: when to give up with `DeadlinePassed`.
    """
    every = np.arange(len(answers.finder), dtype=np.int32)
    return TreeBuilder.on(answers, threads).depths(objective_of(answers, weights, ties), every, deadline=deadline)


def best_guess(
    answers: Answers,
    weights: NDArray[np.int64],
    possible: NDArray[np.int32],
    ties: int,
    deadline: Deadline = NEVER,
) -> int:
    """Return the greedy guess at a state of one or more possible secrets."""
    if len(possible) == 1:
        return int(answers.finder[possible[0]])
    scorer = Scorer(answers, objective_of(answers, weights, ties), new_buffers(answers), deadline.flag)
    _, guess = scan(scorer, possible.copy(), 0, answers.guesses)
    if scorer.flag[0]:
        raise DeadlinePassed
    return int(guess)
