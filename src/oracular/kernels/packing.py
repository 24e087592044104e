"""Weights and counts of secrets in one number: `weight << shift | 1`, so that adding up adds up both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.compiling import inner


def can_be_packed(total: float, secrets: int) -> bool:
    """Tell whether weights of so many secrets that sum to so much can be packed.

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
