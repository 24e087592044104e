"""Nearly the best mixture of given trees, in whole-number weights.

Over trees T with depths d_T the guesser's best mixture solves

    min v   such that   sum_T p_T d_T[i] <= v for every secret i,   sum_T p_T = 1,   p >= 0;

the prices of the secrets' rows are the hider's best strategy against these trees. `reweighted` plays this matrix game
against itself, which comes within a thousandth of a guess in a tenth of the time of a linear program; `solved` takes
that time. Floats only propose: the weights are rounded to whole numbers, and what they guarantee is worked out exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.system.deadline import NEVER, Deadline

RESOLUTION = 1 << 24
"""About what the whole-number weights of a mixture sum to."""

NEGLIGIBLE = 1e-6
"""A tree with a smaller share is left out."""

SIMPLE = 1 << 16
"""A float is read as a fraction if there is one this near with a denominator of at most this: see `as_fractions`."""


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


def solved(depths: NDArray[Any], deadline: Deadline = NEVER) -> Reweighted:
    """Return the best mixture of these trees, by a linear program [trees, secrets].

    Its guarantee is exact if the shares are simple fractions; else it is that of the rounded shares.
    """
    _, prices, shares = matrix_game(depths.T.astype(np.float64), deadline)
    rounded = rounded_mixture(depths, shares, prices)
    weights = as_fractions(shares, RESOLUTION)
    if weights is None or (guarantee := guarantee_of(depths, weights)) > rounded.guarantee:
        return rounded
    return Reweighted(weights, guarantee, prices)


def as_fractions(shares: NDArray[np.float64], most: int) -> NDArray[np.int64] | None:
    """Return whole numbers in proportion to the simple fractions nearest to shares.

    None is returned if they would be too large, or if all shares are too small to be such fractions.

    Shares come from a linear program: if the game is small, they are simple fractions but for the last digits, and the
    strategy that these stand for is optimal without any rounding.
    """
    fractions, common = [], 1
    for share in shares.tolist():
        fractions.append(Fraction(share).limit_denominator(SIMPLE))
        common = lcm(common, fractions[-1].denominator)
        if common > most:
            return None
    return np.array([int(fraction * common) for fraction in fractions]) if any(fractions) else None


def matrix_game(
    matrix: NDArray[np.float64], deadline: Deadline = NEVER
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of a zero-sum game [rows, columns] for the row player, and both players' mixes."""
    import highspy

    from oracular.solvers.exact.flow_program import new_program, run_until

    rows, columns = matrix.shape
    largest = max(1.0, float(abs(matrix).max()))  # the program is in these, since tolerances are absolute
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = rows + 1, columns + 1
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.append(np.zeros(rows), 1.0)
    program.col_lower_ = np.append(np.zeros(rows), -np.inf)
    program.col_upper_ = np.full(rows + 1, np.inf)
    program.row_lower_ = np.append(np.zeros(columns), 1.0)
    program.row_upper_ = np.append(np.full(columns, np.inf), 1.0)
    dense = np.zeros((rows + 1, columns + 1))  # a row for each variable: the matrix is given column by column
    dense[:rows, :columns], dense[:rows, columns], dense[rows, :columns] = matrix / largest, 1.0, -1.0
    places = dense != 0.0
    shape = program.a_matrix_
    shape.format_ = highspy.MatrixFormat.kColwise
    shape.start_ = np.append(0, np.cumsum(places.sum(axis=1)))
    shape.index_ = np.nonzero(places)[1]
    shape.value_ = dense[places]
    solver = new_program(1e-9)
    solver.passModel(program)
    run_until(solver, deadline)
    solution = solver.getSolution()
    first = np.maximum(np.array(solution.col_value)[:rows], 0.0)
    second = np.maximum(-np.array(solution.row_dual)[:columns], 0.0)
    return largest * float(solver.getInfo().objective_function_value), first / first.sum(), second / second.sum()
