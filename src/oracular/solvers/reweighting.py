"""Nearly the best mixture of given trees, in whole-number weights.

Over trees T with depths d_T the guesser's best mixture solves

    min v   such that   sum_T p_T d_T[i] <= v for every secret i,   sum_T p_T = 1,   p >= 0;

the prices of the secrets' rows are the hider's best strategy against these trees. `reweighted` plays this matrix game
against itself, which comes within a thousandth of a guess in a tenth of the time of a linear program. Floats only
propose: the weights are rounded to whole numbers, and what they guarantee is worked out exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.system.deadline import NEVER, Deadline

RESOLUTION = 1 << 24
"""About what the whole-number weights of a mixture sum to."""

NEGLIGIBLE = 1e-6
"""A tree with a smaller share is left out."""


@dataclass(frozen=True, eq=False)
class Reweighted:
    """A mixture of given trees.

    There is a whole number for each tree [trees]. The guarantee is the expected number of guesses for the worst secret,
    exact; the prices are the hider's best strategy against these trees, as found in floats, which sum to one [secrets].
    """

    weights: NDArray[np.int64]
    guarantee: Fraction
    prices: NDArray[np.float64]


def guarantee_of(depths: NDArray[Any], weights: NDArray[np.int64]) -> Fraction:
    """Return the exact expected number of guesses for the worst secret of a mixture; depths are [trees, secrets]."""
    totals = np.zeros(depths.shape[1], dtype=np.int64)
    for tree in np.flatnonzero(weights):
        totals += weights[tree] * depths[tree].astype(np.int64)
    return Fraction(int(totals.max()), int(weights.sum()))


def reweighted(depths: NDArray[Any], iterations: int = 4000, deadline: Deadline = NEVER) -> Reweighted:
    """Return nearly the best mixture of these trees, by self-play on the matrix of their depths [trees, secrets].

    Where the deadline passes, it is the best so far, and depends on the clock: check the deadline where that matters.
    Raises `DeadlinePassed` where there was no time for a single iteration.
    """
    from oracular.kernels.matrix_game import solve_matrix

    return rounded_mixture(depths, *solve_matrix(depths, iterations, deadline))


def rounded_mixture(depths: NDArray[Any], shares: NDArray[np.float64], prices: NDArray[np.float64]) -> Reweighted:
    """Return the mixture in whole numbers, without its negligible trees, and what it guarantees."""
    shares = np.where(shares < NEGLIGIBLE, 0.0, shares)
    weights = np.rint(shares / shares.sum() * RESOLUTION).astype(np.int64)
    return Reweighted(weights, guarantee_of(depths, weights), prices)
