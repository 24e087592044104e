"""The hider's best response: hide what takes the guesser longest (Algorithm HiderBR).

Any distribution over the secrets that need most guesses is a best response. Here each of the k tied secrets gets
floor(2^20 / k): whole numbers, so that every later sum is exact and ties are real ties.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Indices

UNIT = 1 << 20
"""The weight that one iteration shares out."""


def best_response_to_depths(depth_totals: NDArray[np.int64]) -> Indices:
    """Return the secrets that take the guesser most guesses in total [tied], sorted."""
    return np.flatnonzero(depth_totals == depth_totals.max()).astype(np.int32)


def add_response(weights: NDArray[np.int64], tied: Indices) -> None:
    """Add one iteration's best response to the hider's weights [secrets], in place."""
    weights[tied] += shared_unit(len(tied))


def shared_unit(tied: int) -> int:
    """Return the weight that each of so many tied secrets gets."""
    return UNIT // tied
