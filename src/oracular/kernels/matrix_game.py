"""Compiled self-play on a matrix of depths: the best mixture of trees against the hardest mixture of secrets.

Both sides play predictive regret matching+ [Farina, Kroer and Sandholm 2021], one after the other, and the averages
weigh iteration t by t squared. A regret is what a pure choice would have gained so far, never below zero; play is in
proportion to regrets, with the latest gain counted twice, as a forecast of the next. The sums run in a fixed order
without any reassociation, so the same bits come out on every machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.system.control import NEVER, Deadline, DeadlinePassed

TREES_AT_A_TIME = 64
"""Rows that are turned round between two looks at the deadline."""


class Side(NamedTuple):
    """One side of the game: what it has gained, and how it plays.

    Attributes:
        depths: depths less any constant, a row for each choice of the other side, float32 [theirs, ours].
        regrets: what each choice would have gained so far, never below zero [ours].
        play: the latest mixture [ours].
        total: the mixtures so far, added up with weights t squared [ours].
        gains: working space [ours].
    """

    depths: NDArray[np.float32]
    regrets: NDArray[np.float64]
    play: NDArray[np.float64]
    total: NDArray[np.float64]
    gains: NDArray[np.float64]


def _new_side(depths: NDArray[np.float32]) -> Side:
    """Return a side that has not played yet, all its choices alike."""
    size = depths.shape[1]
    return Side(depths, np.zeros(size), np.full(size, 1.0 / size), np.zeros(size), np.zeros(size))


@inner
def _accumulate(side, their_play, stop):
    """Fill the side's gains with the sum of the rows, each times how much the other side plays it."""
    gains = side.gains
    gains[:] = 0.0
    for row in range(len(their_play)):
        share = their_play[row]
        if share > 0.0:
            if stop[0]:
                return
            line = side.depths[row]
            for i in range(len(gains)):
                gains[i] += share * line[i]


@inner
def _match(side, sign):
    """Add the latest gains to the regrets and set the next play."""
    regrets, gains, play = side.regrets, side.gains, side.play
    value = 0.0
    for i in range(len(play)):
        value += play[i] * gains[i]
    total = 0.0
    for i in range(len(play)):
        latest = sign * (gains[i] - value)
        regrets[i] = max(0.0, regrets[i] + latest)
        play[i] = max(0.0, regrets[i] + latest)
        total += play[i]
    if total > 0.0:
        for i in range(len(play)):
            play[i] /= total
    else:
        play[:] = 1.0 / len(play)


@entry_point
def self_play(guesser, hider, iterations, stop):
    """Return how many iterations were played, with the mixtures of both sides added up in `total`.

    The flag stops it; an iteration that was begun is then left out.
    """
    for iteration in range(1, iterations + 1):
        _accumulate(guesser, hider.play, stop)
        _match(guesser, -1.0)
        _accumulate(hider, guesser.play, stop)
        _match(hider, 1.0)
        if stop[0]:
            return iteration - 1
        weight = float(iteration) * float(iteration)
        for i in range(len(guesser.play)):
            guesser.total[i] += weight * guesser.play[i]
        for i in range(len(hider.play)):
            hider.total[i] += weight * hider.play[i]
    return iterations


def solve_matrix(
    depths: NDArray[Any], iterations: int, deadline: Deadline = NEVER
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nearly optimal shares of the trees [trees] and of the secrets [secrets] for depths [trees, secrets].

    Where the deadline passes, they are those of the iterations before; of none at all, `DeadlinePassed` is raised.
    """
    by_tree = depths.astype(np.float32) - np.float32(round(float(depths.mean())))
    by_secret = np.empty(by_tree.shape[::-1], dtype=np.float32)
    for start in range(0, len(by_tree), TREES_AT_A_TIME):
        deadline.check()
        by_secret[:, start : start + TREES_AT_A_TIME] = by_tree[start : start + TREES_AT_A_TIME].T
    guesser, hider = _new_side(by_secret), _new_side(by_tree)
    if self_play(guesser, hider, iterations, deadline.flag) == 0:
        raise DeadlinePassed
    return guesser.total / guesser.total.sum(), hider.total / hider.total.sum()
