"""What guesses are compared by: the hider's weights and the rule for ties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.answers import Answers
from oracular.kernels.packing import pack

TIES_FIRST = 0
TIES_POSSIBLE = 1
"""How equally good guesses are told apart: by dictionary order alone, or possible secrets first."""

WORST = np.int64(2**63 - 1)
"""The key of no guess at all."""


class GreedyObjective(NamedTuple):
    """What guesses are compared by.

    Attributes:
        packed: weight << shift | 1 of each secret, int64 [secrets].
        shift: the bits that hold a count.
        ties: TIES_FIRST or TIES_POSSIBLE.
    """

    packed: NDArray[np.int64]
    shift: int
    ties: int


def objective_of(answers: Answers, weights: NDArray[np.int64], ties: int) -> GreedyObjective:
    """Return the objective that whole-number weights make, one a secret of the game and none negative."""
    if weights.shape != answers.finder.shape or int(weights.min()) < 0:
        raise SettingsError(
            f"weights {list(weights.shape)} given for {len(answers.finder)} secrets: give one a secret, none negative"
        )
    return GreedyObjective(*pack(weights), ties)
