"""What counting alone proves: whatever the tree, few secrets are found early.

One secret at most is found at the first guess, b at the second, b² at the third, and so on, where b answers do not end
the game. At best the heaviest come first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def depths_by_rank(secrets: int, branches: int) -> NDArray[np.int64]:
    """Return the least depth of each of so many secrets, the heaviest first [secrets].

    Args:
        secrets: how many secrets there are.
        branches: b, the number of answers that do not end the game.
    """
    depths = np.empty(secrets, dtype=np.int64)
    depth, first, room = 1, 0, 1
    while first < secrets:
        depths[first : first + room] = depth
        depth, first, room = depth + 1, first + room, room * max(branches, 1)
    return depths


def counting_bound(weights: NDArray[np.int64], branches: int) -> int:
    """Return the total of weight times guesses that no tree beats, for weights [secrets] in any order."""
    heaviest_first = sorted(map(int, weights), reverse=True)
    ranks = depths_by_rank(len(weights), branches).tolist()
    return sum(depth * weight for depth, weight in zip(ranks, heaviest_first, strict=True))
