"""Compiled iterations of fictitious play, one after the other, between two trees of the same call.

After each tree the hider adds a best response to all trees so far (Algorithm HiderBR): every secret that takes most
guesses in all gets an equal share of the weight that an iteration hands out. Then the next tree is begun. Nothing here
is rounded, so whatever is made in one call is what as many calls would make.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import inlined
from oracular.kernels.greedy.level import begin_at_root
from oracular.kernels.greedy.state_cache import TICK, is_full

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
    """Return room for so many iterations, from the hider's weights and the summed depths [secrets] on."""
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
    """Add the hider's best response to the weights and begin the next tree; tell whether there is room for it."""
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
