"""Weights and counts of secrets in one number, `weight << shift | 1`, so that adding up adds up both.

With the rule for ties they are what the greedy guesser compares guesses by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.answers import Answers
from oracular.kernels.compiling import inner

TIES_FIRST = 0
TIES_POSSIBLE = 1
"""How ties between equally good guesses are broken: by dictionary order alone, or possible secrets first."""

WORST = np.int64(2**62)
"""A key or a value above all others, that one may still be added to."""


def can_be_packed(total: float, secrets: int) -> bool:
    """Return whether weights of this many secrets with this sum can be packed.

    Twice the largest cost must fit, with a margin for the rounding of the sum.
    """
    return max(total, float(secrets)) * (secrets + 1) < 2**60


def pack(weights: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return weight and count of each secret packed into one number, and the bits that hold the count."""
    total = max(float(weights.sum(dtype=np.float64)), float(len(weights)))
    if not can_be_packed(total, len(weights)):
        raise SettingsError(
            f"weights that sum to {total:.0f} are too large for {len(weights)} secrets: scale them down"
        )
    shift = len(weights).bit_length()
    return (weights << shift) | 1, shift


@inner
def packed_values(packed, members, shift, values):
    """Fill `values` with the members' packed numbers and return their total weight.

    A state whose weights are all zero is scored as if each were one.
    """
    total = np.int64(0)
    for a in range(len(members)):
        values[a] = packed[members[a]]
        total += values[a] >> shift
    if total == 0:
        for a in range(len(members)):
            values[a] = (np.int64(1) << shift) + 1
        total = np.int64(len(members))
    return total


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
