"""The best mixture of given trees: a linear program, and the whole-number weights that come of it.

Over trees T with depths d_T the guesser's best mixture solves

    min v   such that   sum_T p_T d_T[i] <= v for every secret i,   sum_T p_T = 1,   p >= 0;

the prices of the secrets' rows are the hider's best strategy against these trees. `best_mixture` asks HiGHS for it;
`reweighted` plays the matrix game against itself, which needs no other package and comes within a thousandth of a
guess in a tenth of the time. Floats only propose: the weights are rounded to whole numbers, and what they guarantee
is worked out exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.system.deadline import NEVER, Deadline

RESOLUTION = 1 << 24
"""About what the whole-number weights of a mixture sum to."""

NEGLIGIBLE = 1e-6
"""A tree with a smaller share is left out."""


@dataclass(frozen=True, eq=False)
class Reweighted:
    """A mixture of given trees.

    Attributes:
        weights: a whole number for each tree, int64 [trees].
        guarantee: the expected number of guesses for the worst secret, exact.
        prices: the hider's best strategy against these trees, by the linear program [secrets]; it sums to one.
    """

    weights: NDArray[np.int64]
    guarantee: Fraction
    prices: NDArray[np.float64]


def guarantee_of(depths: NDArray[np.int16], weights: NDArray[np.int64]) -> Fraction:
    """Return the exact expected number of guesses for the worst secret of a mixture; depths are [trees, secrets]."""
    chosen = np.flatnonzero(weights)
    totals = np.zeros(depths.shape[1], dtype=np.int64)
    for tree in chosen:
        totals += weights[tree] * depths[tree].astype(np.int64)
    return Fraction(int(totals.max()), int(weights.sum()))


def reweighted(depths: NDArray[np.int16], iterations: int = 4000, deadline: Deadline = NEVER) -> Reweighted:
    """Return nearly the best mixture of these trees, by self-play on the matrix of their depths [trees, secrets].

    Where the deadline passes, it is the best so far, and depends on the clock: check the deadline where that matters.
    Raises `DeadlinePassed` where there was no time for a single iteration.
    """
    from oracular.kernels.matrix_game import solve_matrix

    return _rounded(depths, *solve_matrix(depths, iterations, deadline))


def best_mixture(depths: NDArray[np.int16]) -> Reweighted:
    """Return the best mixture of these trees [trees, secrets], by linear programming."""
    return _rounded(depths, *_solve(depths))


def _rounded(depths: NDArray[np.int16], shares: NDArray[np.float64], prices: NDArray[np.float64]) -> Reweighted:
    """Return the mixture in whole numbers, without its negligible trees, and what it guarantees."""
    shares = np.where(shares < NEGLIGIBLE, 0.0, shares)
    weights = np.rint(shares / shares.sum() * RESOLUTION).astype(np.int64)
    return Reweighted(weights, guarantee_of(depths, weights), prices)


def _solve(depths: NDArray[np.int16]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares of the trees and the prices of the rows, by an interior-point method without crossover."""
    try:
        import highspy
    except ImportError:
        raise SettingsError("reweighting needs the package 'highspy': install it with pip install highspy") from None
    trees, rows = depths.shape
    middle = float(depths.mean())  # depths less their mean: the program is better conditioned
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = trees + 1, rows + 1
    program.col_cost_ = np.append(np.zeros(trees), 1.0)
    program.col_lower_ = np.append(np.zeros(trees), -np.inf)
    program.col_upper_ = np.full(trees + 1, np.inf)
    program.row_lower_ = np.append(np.full(rows, -np.inf), 1.0)
    program.row_upper_ = np.append(np.zeros(rows), 1.0)
    starts = np.arange(trees + 2) * (rows + 1)
    starts[-1] = starts[-2] + rows
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.start_ = starts
    matrix.index_ = np.append(np.tile(np.arange(rows + 1), trees), np.arange(rows))
    matrix.value_ = np.append(np.c_[depths - middle, np.ones(trees)].ravel(), -np.ones(rows))
    solver = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
    for option, value in (("output_flag", False), ("threads", 1), ("solver", "ipm"), ("run_crossover", "off")):
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    solution = solver.getSolution()
    shares = np.maximum(np.array(solution.col_value)[:trees], 0.0)
    prices = np.maximum(-np.array(solution.row_dual)[:rows], 0.0)
    if not shares.sum() > 0:
        raise SettingsError(f"the linear program over {trees} trees found nothing: {solver.getModelStatus()}")
    return shares, prices / max(prices.sum(), 1e-12)
