"""Compiled self-play on a matrix of depths: the best mixture of trees against the hardest mixture of secrets.

Both sides play predictive regret matching+ [Farina, Kroer and Sandholm 2021], one after the other, and the averages
weigh iteration t by t squared. A regret is what a pure choice would have gained so far, never below zero; play is in
proportion to regrets, with the latest gain counted twice, as a forecast of the next. The sums run in a fixed order
without any reassociation, so the same bits come out on every machine.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def _accumulate(rows, play, gains):
    """Fill `gains` with the sum of the rows, each times how much it is played."""
    gains[:] = 0.0
    for row in range(len(play)):
        share = play[row]
        if share > 0.0:
            line = rows[row]
            for i in range(len(gains)):
                gains[i] += share * line[i]


@njit(cache=True, nogil=True)
def _match(regrets, gains, sign, play):
    """Add the latest gains to the regrets and set the next play."""
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


@njit(cache=True, nogil=True)
def self_play(
    by_tree, by_secret, guesser_regrets, hider_regrets, guesser_play, hider_play, guesser_sum, hider_sum, first, last
):
    """Play iterations `first` to before `last`, changing regrets, play and the weighted sums of play in place.

    Args:
        by_tree: depths, less any constant, float32 [trees, secrets].
        by_secret: the same turned round [secrets, trees].
        guesser_regrets: [trees].
        hider_regrets: [secrets].
        guesser_play: the guesser's latest mixture [trees].
        hider_play: the hider's [secrets].
        guesser_sum: the guesser's play, summed with weights t squared [trees].
        hider_sum: the hider's [secrets].
        first: the number of the first iteration, from 1.
        last: the number to stop before.
    """
    gains_by_tree = np.empty(len(guesser_play))
    gains_by_secret = np.empty(len(hider_play))
    for iteration in range(first, last):
        _accumulate(by_secret, hider_play, gains_by_tree)
        _match(guesser_regrets, gains_by_tree, -1.0, guesser_play)
        _accumulate(by_tree, guesser_play, gains_by_secret)
        _match(hider_regrets, gains_by_secret, 1.0, hider_play)
        weight = float(iteration) * float(iteration)
        for i in range(len(guesser_play)):
            guesser_sum[i] += weight * guesser_play[i]
        for i in range(len(hider_play)):
            hider_sum[i] += weight * hider_play[i]


def solve_matrix(depths: NDArray[np.int16], iterations: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nearly optimal shares of the trees [trees] and of the secrets [secrets] for depths [trees, secrets]."""
    trees, secrets = depths.shape
    by_tree = depths.astype(np.float32) - np.float32(round(float(depths.mean())))
    guesser_sum, hider_sum = np.zeros(trees), np.zeros(secrets)
    self_play(
        by_tree,
        np.ascontiguousarray(by_tree.T),
        np.zeros(trees),
        np.zeros(secrets),
        np.full(trees, 1.0 / trees),
        np.full(secrets, 1.0 / secrets),
        guesser_sum,
        hider_sum,
        1,
        iterations + 1,
    )
    return guesser_sum / guesser_sum.sum(), hider_sum / hider_sum.sum()
