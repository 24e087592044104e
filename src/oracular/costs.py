"""What finding a secret costs the guesser: the one form in which searches, planner and programs see an objective.

Finding secret s at guess t (counted from 1) costs

    sum over j from 0 to t - 1 of rise[min(j, columns - 1), s],      rise >= 0,

so `rise[j, s]` is what s costs more if it is not found by guess j. The last column holds for all later guesses. For
the mean there is one column, the weights: every guess costs the weight once more. For within-k there are k columns of
zeros, one of the weights (guess k + 1 is too late), and one of zeros again (no later than too late). A table of
utilities ends with a column of zeros too.

A state's least cost depends on its secrets and on its column min(guesses made, columns - 1): for the mean that is
always 0, so a state is searched once, whenever it comes up.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError

if TYPE_CHECKING:
    from oracular.objectives import Objective

LARGEST_TOTAL = 1 << 59
"""What all secrets cost if each is found as late as can be must stay below this: sums and bounds fit into 64 bits."""

NO_BOUND = (1 << 62) - 1
"""A cost that no tree reaches, as a target or in place of a bound."""

MORE_GUESSES = 3
"""Bounds look this many guesses ahead, so they may be larger than any tree's cost by that."""


@dataclass(frozen=True, eq=False)
class Costs:
    """What each secret costs more for each further guess; see the module.

    Attributes:
        rise: int64 [columns, secrets], none of them negative. Trailing columns that repeat the one before are left off.
        weights: the hider's, int64 [secrets]: a cost over their sum is an expected loss.
    """

    rise: NDArray[np.int64]
    weights: NDArray[np.int64]

    def __post_init__(self) -> None:
        rise, weights = np.asarray(self.rise, np.int64), np.asarray(self.weights, np.int64)
        if rise.ndim != 2 or rise.shape[0] == 0 or weights.shape != rise.shape[1:]:
            raise ValueError(f"rises {list(rise.shape)} for {list(weights.shape)} weights")
        if (rise < 0).any():
            raise ValueError("costs must not be negative, nor fall from one guess to the next")
        while len(rise) > 1 and np.array_equal(rise[-1], rise[-2]):
            rise = rise[:-1]
        if not fits_costs(rise):
            raise SettingsError(
                "the weights, or weights times losses, are too large for the exact search: scale the weights down, or "
                "give utilities with fewer digits"
            )
        object.__setattr__(self, "rise", np.ascontiguousarray(rise))
        object.__setattr__(self, "weights", weights)

    @classmethod
    def mean(cls, weights: NDArray[np.int64]) -> Costs:
        """Return the costs of the expected number of guesses against these weights [secrets]."""
        return cls(np.asarray(weights, np.int64)[None, :], weights)

    @classmethod
    def of_table(cls, costs: NDArray[np.int64], weights: NDArray[np.int64]) -> Costs:
        """Return the costs of a table of what finding each secret at guess 1, 2, … costs [secrets, guesses].

        The last column holds for all later guesses.
        """
        table = np.asarray(costs, np.int64)
        if table.ndim != 2 or table.shape[1] == 0:
            raise ValueError(f"costs {list(table.shape)} for {len(weights)} secrets")
        nothing = np.zeros((len(table), 1), np.int64)
        return cls(np.diff(np.concatenate([nothing, table, table[:, -1:]], axis=1), axis=1).T, weights)

    @classmethod
    def against(cls, weights: NDArray[np.int64], objective: Objective) -> Costs:
        """Return what an objective costs against a hider's weights [secrets]."""
        weights = np.asarray(weights, np.int64)
        if objective.is_mean:
            return cls.mean(weights)
        losses = np.broadcast_to(objective.losses, (len(weights), objective.losses.shape[1]))
        if sum(weights.tolist()) * int(losses.max(initial=0)) >= LARGEST_TOTAL:  # before it wraps round
            raise SettingsError(
                f"weights of up to {weights.max()} with losses of up to {losses.max()} are too large for the exact "
                "search: scale the weights down, or give utilities with fewer digits"
            )
        return cls.of_table(weights[:, None] * losses, weights)

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.rise)

    @property
    def last(self) -> int:
        """The column of all late guesses."""
        return len(self.rise) - 1

    @property
    def unit(self) -> int:
        """What a cost is divided by to be an expected loss."""
        return int(self.weights.sum())

    @cached_property
    def found_at(self) -> NDArray[np.int64]:
        """What finding each secret at guess 1, 2, …, columns costs, int64 [columns, secrets]."""
        return np.cumsum(self.rise, axis=0)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """The same number for secrets that cost the same at every guess [secrets]."""
        return np.unique(self.rise, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def of_depths(self, depths: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return what finding each secret after that many guesses costs [secrets]."""
        at = np.minimum(depths, self.columns) - 1
        secrets = np.arange(len(depths))
        return self.found_at[at, secrets] + (depths - at - 1) * self.rise[-1]

    def total(self, depths: NDArray[np.int32]) -> int:
        """Return what a tree that takes these numbers of guesses costs in all."""
        return int(self.of_depths(depths).sum())

    def counted(self, branches: int, column: int = 0, secrets: NDArray[np.int32] | None = None) -> int:
        """Return a cost that no tree of some secrets goes below, by counting, if `branches` answers don't end the game.

        One secret is found at the first guess, b at most at the second, b² at the third. All others pay the rise of
        the next guess, at least the least of these rises.
        """
        rise = self.rise if secrets is None else self.rise[:, secrets]
        count = rise.shape[1]
        total, room, late, at = 0, 1, count, column
        while late > 0:
            rises = rise[min(at, self.last)]
            if at >= self.last and not rises.any():
                break
            total += int(np.partition(rises, late - 1)[:late].sum())
            late, room, at = late - room, room * max(branches, 1), at + 1
        return total

    def carried_over(self, previous: Costs, lower: int) -> int:
        """Return a bound from one that was proved for other costs: the optimum is concave and grows with every rise.

        With c the least ratio of new to previous rises, V(new) >= c V(previous) + V(new - c previous), and every secret
        costs at least what it costs to be found at once.
        """
        columns = max(self.columns, previous.columns)
        now, before = (rise[np.minimum(np.arange(columns), len(rise) - 1)] for rise in (self.rise, previous.rise))
        paid = before > 0
        ratios = {
            Fraction(int(new), int(old))
            for new, old in set(zip(now[paid].tolist(), before[paid].tolist(), strict=True))
        }
        scale = min(ratios, default=Fraction(0))
        bound = scale * (lower - int(before[0].sum())) + int(now[0].sum())
        return -(-bound.numerator // bound.denominator)


def fits_search(weights: list[int], objective: Objective) -> bool:
    """Return whether the exact search can add up what an objective costs against these weights."""
    try:
        return sum(weights) < LARGEST_TOTAL and Costs.against(np.array(weights, np.int64), objective).columns > 0
    except SettingsError:
        return False


def fits_costs(rise: NDArray[np.int64]) -> bool:
    """Return whether the exact search can add up such rises [columns, secrets] in 64 bits."""
    by_column = [sum(row) for row in rise.tolist()]
    return sum(by_column) + (rise.shape[1] + MORE_GUESSES) * by_column[-1] < LARGEST_TOTAL
