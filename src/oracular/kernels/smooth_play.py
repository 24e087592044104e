"""Compiled play on a matrix of depths against a hider who answers smoothly: what the double oracle does between steps.

The guesser plays predictive regret matching+ [Farina, Kroer and Sandholm 2021] on its trees. The hider answers each mix
with a mix of its own, which falls off smoothly from the secrets that need most guesses. The averages weigh round t by
t. The sums run in a fixed order without any reassociation, so the same bits come out on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point, inner
from oracular.system.control import NEVER, Deadline

LANES = 8
"""A sum of products is kept in this many parts, which are added up at the end: always the same, and much faster."""

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
        regrets: the guesser's regrets so far, which are continued [trees].
        play: working space, like `costs` [trees].
        average: all zero [trees].
        expected: working space [secrets].
        hider: gets the hider's mix [secrets].
        lanes: working space [LANES].
        costs: working space [trees].
        stop: turns from 0 to 1 when it must stop.
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
    """Return the result of this many rounds of smooth play from these regrets, or raise `DeadlinePassed`."""
    trees, secrets = by_tree.shape
    regrets, average, hider = regrets.copy(), np.zeros(trees), np.zeros(secrets)
    space = (np.zeros(trees), average, np.zeros(secrets), hider, np.zeros(LANES), np.zeros(trees))
    smooth_play(by_tree, sharpness, rounds, regrets, *space, deadline.flag)
    deadline.check()
    return SmoothPlay(regrets, average, hider)
