"""Scores of a guess at a state, each a table over the number of secrets in a part.

A guess is scored by what its parts will cost: the weight of a part times a number that depends on how many secrets
are in it. All numbers are whole, so that equal scores are equal on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.system.files import quoted

FIXED_POINT = 1 << 12
"""What stands for one in a table of fractions."""

GUESSES_PER_BIT = 0.487
"""How many guesses one binary digit of the number of secrets costs in Jotto; five letters need 6.58 for 11.47."""


@dataclass(frozen=True, eq=False)
class Score:
    """A rule to compare guesses: least is best.

    Attributes:
        name: how the score is asked for.
        table: what a unit of weight costs in a part, by the number of secrets in it [secrets + 1].
        found_value: what a unit of weight costs that the guess finds at once.
    """

    name: str
    table: NDArray[np.int64]
    found_value: int

    def check_room(self, total_weight: int) -> None:
        """Raise an error where twice a score could pass 62 bits."""
        if 2 * total_weight * int(self.table.max()) >= 2**62:
            raise SettingsError(f"weights that sum to {total_weight} are too large for score {quoted(self.name)}")


def eliminations(secrets: int) -> Score:
    """Return the paper's score: the expected number of secrets that remain."""
    return Score("eliminations", np.arange(secrets + 1, dtype=np.int64), 1)


def logarithm(secrets: int) -> Score:
    """Return the expected logarithm of the number of secrets that remain, in fixed point."""
    return Score("log", _logarithms(secrets, 0.0, 1.0), 0)


def expected_depth(secrets: int, slope: float = GUESSES_PER_BIT) -> Score:
    """Return the guesses still expected: none for a secret found at once, 1 + slope log2(count) for the others."""
    return Score("depth", _logarithms(secrets, 1.0, slope), 0)


def _logarithms(secrets: int, start: float, slope: float) -> NDArray[np.int64]:
    table = [round(FIXED_POINT * (start + slope * math.log2(max(1, count)))) for count in range(secrets + 1)]
    return np.array(table, dtype=np.int64)


SCORES = {"eliminations": eliminations, "log": logarithm, "depth": expected_depth}
"""The scores by name. Powers between (c^0.25 to c^0.75) were measured and picked worse guesses than these."""


def score_of_name(name: str, secrets: int) -> Score:
    """Return the score of that name for a game of so many secrets."""
    if name not in SCORES:
        raise SettingsError(f"score {quoted(name)} is not known: choose one of {', '.join(SCORES)}")
    return SCORES[name](secrets)
