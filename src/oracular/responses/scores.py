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


LOGARITHMS = {"log": (0.0, 1.0), "depth": (1.0, GUESSES_PER_BIT)}
"""Start and slope of the scores that grow with the binary logarithm of the secrets in a part.

`log` is the expected logarithm of what remains, `depth` the guesses still expected.
"""

SCORES = ("eliminations", *LOGARITHMS)
"""The scores by name; `eliminations` is the paper's, the expected number of secrets that remain.

Powers between (c^0.25 to c^0.75) were measured and picked worse guesses than these.
"""


def score_of_name(name: str, secrets: int) -> Score:
    """Return the score of that name for a game of so many secrets; logarithms are in fixed point."""
    if name not in SCORES:
        raise SettingsError(f"score {quoted(name)} is not known: choose one of {', '.join(SCORES)}")
    if name == "eliminations":
        return Score(name, np.arange(secrets + 1, dtype=np.int64), 1)
    start, slope = LOGARITHMS[name]
    table = [round(FIXED_POINT * (start + slope * math.log2(max(1, count)))) for count in range(secrets + 1)]
    return Score(name, np.array(table, dtype=np.int64), 0)
