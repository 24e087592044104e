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
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed

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


LANES = 8
"""A sum of products is kept in so many parts, which are added up at the end: always the same, and many times faster."""

DOUBLINGS = 4
"""The hider's weights are excesses to the power of 2 to this."""


@inner
def _expected(by_tree, play, expected, stop):
    """Fill `expected` [secrets] with the mean of the rows, each times how much its tree is played."""
    expected[:] = 0.0
    for tree in range(len(play)):
        share = play[tree]
        if share > 0.0:
            if stop[0]:
                return
            line = by_tree[tree]
            for i in range(len(expected)):
                expected[i] += share * line[i]


@inner
def _smooth_response(expected, sharpness, hider):
    """Fill `hider` [secrets] with a mix that prefers the secrets of most expected guesses, and sums to one.

    A secret's share is (1 - s below / 2^k)^(2^k), where `below` is how far it is below the worst secret: about
    exp(-s below), in operations that give the same bits on every machine.
    """
    top = expected[0]
    for i in range(1, len(expected)):
        top = max(top, expected[i])
    scale = sharpness / (1 << DOUBLINGS)
    for i in range(len(expected)):
        share = max(0.0, 1.0 - scale * (top - expected[i]))
        for _ in range(DOUBLINGS):
            share *= share
        hider[i] = share
    total = 0.0
    for i in range(len(hider)):
        total += hider[i]
    for i in range(len(hider)):
        hider[i] /= total


@inner
def _costs_of_trees(by_tree, hider, lanes, costs, stop):
    """Fill `costs` [trees] with what each tree takes against the hider's mix."""
    whole = len(hider) - len(hider) % LANES
    for tree in range(len(costs)):
        if stop[0]:
            return
        line = by_tree[tree]
        lanes[:] = 0.0
        for start in range(0, whole, LANES):
            for lane in range(LANES):
                lanes[lane] += line[start + lane] * hider[start + lane]
        total = 0.0
        for lane in range(LANES):
            total += lanes[lane]
        for i in range(whole, len(hider)):
            total += line[i] * hider[i]
        costs[tree] = total


@entry_point
def smooth_play(by_tree, sharpness, rounds, regrets, play, average, expected, hider, lanes, costs, stop):
    """Let the guesser play predictive regret matching+ on its trees, against a hider who answers smoothly.

    The guesser's average over the rounds, round t counted t times, is added up in `average`; `hider` gets the smooth
    answer to it. Where the flag stops it, all of that is of no use.

    Args:
        by_tree: depths less any constant, float32 [trees, secrets].
        sharpness: how much the hider prefers secrets of more guesses; see `_smooth_response`.
        rounds: how often both sides play.
        regrets: the guesser's regrets, which are gone on with [trees].
        play: working space, like `costs` [trees].
        average: all zero [trees].
        expected: working space [secrets].
        hider: gets the hider's mix [secrets].
        lanes: working space [LANES].
        costs: working space [trees].
        stop: turns from 0 to 1 when it is to be given up.
    """
    total = 0.0
    for tree in range(len(regrets)):
        total += regrets[tree]
    for tree in range(len(regrets)):
        play[tree] = regrets[tree] / total if total > 0.0 else 1.0 / len(regrets)
    for count in range(1, rounds + 1):
        _expected(by_tree, play, expected, stop)
        _smooth_response(expected, sharpness, hider)
        _costs_of_trees(by_tree, hider, lanes, costs, stop)
        if stop[0]:
            return
        value = 0.0
        for tree in range(len(play)):
            value += play[tree] * costs[tree]
        total = 0.0
        for tree in range(len(play)):
            gain = value - costs[tree]
            regrets[tree] = max(0.0, regrets[tree] + gain)
            play[tree] = max(0.0, regrets[tree] + gain)
            total += play[tree]
        for tree in range(len(play)):
            play[tree] = play[tree] / total if total > 0.0 else 1.0 / len(play)
            average[tree] += count * play[tree]
    total = 0.0
    for tree in range(len(average)):
        total += average[tree]
    for tree in range(len(average)):
        average[tree] /= total
    _expected(by_tree, average, expected, stop)
    _smooth_response(expected, sharpness, hider)


class SmoothPlay(NamedTuple):
    """What smooth play came to.

    There are the guesser's regrets, to go on with, and its mixture, which sums to one [trees], and the hider's smooth
    answer to it, which sums to one as well [secrets].
    """

    regrets: NDArray[np.float64]
    mixture: NDArray[np.float64]
    hider: NDArray[np.float64]


def play_smoothly(
    by_tree: NDArray[np.float32],
    regrets: NDArray[np.float64],
    sharpness: float,
    rounds: int,
    deadline: Deadline = NEVER,
) -> SmoothPlay:
    """Return what so many rounds of smooth play from these regrets come to, or raise `DeadlinePassed`."""
    trees, secrets = by_tree.shape
    regrets, average, hider = regrets.copy(), np.zeros(trees), np.zeros(secrets)
    space = (np.zeros(trees), average, np.zeros(secrets), hider, np.zeros(LANES), np.zeros(trees))
    smooth_play(by_tree, sharpness, rounds, regrets, *space, deadline.flag)
    deadline.check()
    return SmoothPlay(regrets, average, hider)
