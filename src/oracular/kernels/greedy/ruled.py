"""Compiled greedy trees of games that allow only some guesses at a state (`games/guessing.py`).

Each state is scored by itself, with the guesses that are allowed there, and split; a state in hard mode has its demand
beside it. That is all: states of such games have few guesses to choose from, so none of what makes other trees fast
(`scoring.py`, `level.py`) is needed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.answers import Answers, answer_to
from oracular.kernels.compiling import allocating_entry_point, allocating_inner, inner
from oracular.kernels.greedy.objective import WORST, GreedyObjective
from oracular.kernels.guessing import HARD, GuessingTable, list_allowed
from oracular.kernels.packing import packed_values
from oracular.kernels.trees import BEGIN, COUNT, END, LEVEL, hand_down, new_walk, next_state, push_parts, state_of
from oracular.system.control import NEVER, Deadline, DeadlinePassed

BLOCK = 256
"""Guesses scored at a time."""


class Ruled(NamedTuple):
    """A game with its rule of guessing, what guesses are compared by, and what stops the work.

    Attributes:
        answers: the game.
        guessing: the rule.
        objective: the hider's weights and the rule for ties.
        flag: uint8 [1], raised when time is up.
    """

    answers: Answers
    guessing: GuessingTable
    objective: GreedyObjective
    flag: NDArray[np.uint8]


class Scores(NamedTuple):
    """Where the guesses of a state are scored.

    Attributes:
        values: packed weights of the members, int64 [secrets].
        sums: packed sums by answer, all zero between two states, int64 [BLOCK, answers].
        keys: int64 [BLOCK].
        listed: the guesses that are scored together, int32 [BLOCK].
        replies: their answers, uint8 [BLOCK].
    """

    values: NDArray[np.int64]
    sums: NDArray[np.int64]
    keys: NDArray[np.int64]
    listed: NDArray[np.int32]
    replies: NDArray[np.uint8]


@allocating_inner
def _new_scores(answers):
    """Return space to score the states of a game."""
    return Scores(
        np.empty(len(answers.finder), np.int64),
        np.zeros((BLOCK, answers.width), np.int64),
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.int32),
        np.empty(BLOCK, np.uint8),
    )


@inner
def _fill_keys(answers, objective, scores, members, count):
    """Fill the keys of the first guesses listed: twice the cost, plus one where ties go to secrets and it is none.

    A secret of weight w that joins c others of weight A at an answer raises A c to (A + w)(c + 1).
    """
    values, sums, keys, replies = scores.values, scores.sums, scores.keys, scores.replies
    shift, ties, found = objective.shift, objective.ties, answers.found
    counts = (np.int64(1) << shift) - 1
    keys[:count] = ties
    for a in range(len(members)):
        _fill_row(answers, scores, members[a], count)
        value = values[a]
        weight = value >> shift
        for i in range(count):
            answer = replies[i]
            before = sums[i, answer]
            keys[i] += 2 * ((before >> shift) + weight * ((before & counts) + 1))
            sums[i, answer] = before + value
            if answer == found:
                keys[i] -= ties
    for a in range(len(members)):
        _fill_row(answers, scores, members[a], count)
        for i in range(count):
            sums[i, replies[i]] = 0


@inner
def _fill_row(answers, scores, secret, count):
    """Fill `scores.replies` with the answers to the first guesses listed where a secret is hidden."""
    listed, replies = scores.listed, scores.replies
    if answers.by_secret.size:
        row = answers.by_secret[secret]
        for i in range(count):
            replies[i] = row[listed[i]]
    else:
        for i in range(count):
            replies[i] = answer_to(answers, listed[i], secret)


@inner
def _best_allowed(ruled, scores, members, demand):
    """Return the allowed guess with the least key at a state of two secrets or more, the first of equals."""
    answers = ruled.answers
    total = packed_values(ruled.objective.packed, members, ruled.objective.shift, scores.values)
    best_key, best, start = WORST, np.int64(-1), 0
    while True:
        count, start = list_allowed(
            ruled.guessing, answers.finder, answers.guesses, members, demand, start, scores.listed
        )
        _fill_keys(answers, ruled.objective, scores, members, count)
        for i in range(count):
            guess = np.int64(scores.listed[i])
            if scores.keys[i] < best_key or (scores.keys[i] == best_key and guess < best):
                best_key, best = scores.keys[i], guess
        told_apart = best_key == 2 * total and ruled.guessing.rule == HARD  # those are listed in order
        if count < BLOCK or told_apart or ruled.flag[0]:
            return best


@allocating_entry_point
def _guess(ruled, members, demand):
    """Return the greedy guess at a state of two secrets or more."""
    return _best_allowed(ruled, _new_scores(ruled.answers), members, demand)


@allocating_entry_point
def _depths(ruled, members, demand):
    """Return how many more guesses the greedy tree from a state takes for each secret of it [secrets]."""
    answers, guessing = ruled.answers, ruled.guessing
    secrets = len(answers.finder)
    scores, walk = _new_scores(answers), new_walk(secrets)
    walk.order[: len(members)] = members
    walk.stack[0, 1] = len(members)
    demands, replies = np.zeros(secrets, np.int64), np.zeros(secrets, np.uint8)
    demands[0] = demand
    while not ruled.flag[0] and next_state(walk):
        before, begin, end = walk.place[COUNT], walk.place[BEGIN], walk.place[END]
        state, asked = state_of(walk), demands[before]
        guess = _best_allowed(ruled, scores, state, asked)
        for secret in state:
            replies[secret] = answer_to(answers, guess, secret)
        place = (begin, end, walk.place[LEVEL], before)
        walk.place[COUNT] = push_parts(walk, place, replies, answers.found, walk.depths)
        if guessing.rule == HARD:
            hand_down(walk, replies, guessing, (demands, asked, guess, before))
    return walk.depths


@dataclass(frozen=True)
class RuledTrees:
    """Builds the greedy trees of a game that allows only some guesses; any number of threads may use it at once."""

    answers: Answers
    guessing: GuessingTable

    def guess(
        self, objective: GreedyObjective, possible: NDArray[np.int32], demand: int, deadline: Deadline = NEVER
    ) -> int:
        """Return the greedy guess at a state of one or more possible secrets, or raise `DeadlinePassed`."""
        if len(possible) == 1:
            return int(self.answers.finder[possible[0]])
        guess = int(_guess(Ruled(self.answers, self.guessing, objective, deadline.flag), _own(possible), demand))
        if deadline.flag[0]:
            raise DeadlinePassed
        return guess

    def depths(
        self, objective: GreedyObjective, possible: NDArray[np.int32], demand: int, deadline: Deadline = NEVER
    ) -> NDArray[np.int32]:
        """Return how many more guesses the tree takes from a state for each secret of it [possible]."""
        depths: NDArray[np.int32] = _depths(
            Ruled(self.answers, self.guessing, objective, deadline.flag), _own(possible), demand
        )
        if deadline.flag[0]:
            raise DeadlinePassed
        return depths[possible]


def _own(possible: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a state in an array of its own: kernels are compiled for writable ones alone."""
    return np.array(possible, dtype=np.int32)
