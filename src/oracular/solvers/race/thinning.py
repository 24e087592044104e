"""A mix of many trees made one of few, with nearly the same chances.

Where each secret has trees of its own, the average over the steps of a race has hundreds of trees for every secret.
What matters of them is how likely each secret of the other side is found within c guesses. Kernel herding [Welling
2009] picks trees one after another so that the average of those picked stays as close to that as it can: with n trees
it is off by about 1/n, where n trees drawn at random would be off by about the root of that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oracular.strategies.race import TREE_UNIT, RaceMix, shared_out


def thinned(mix: RaceMix, most_trees: int) -> RaceMix:
    """Return a mix in which no group plays more than so many trees, with nearly the same chances to find secrets."""
    weights = np.zeros_like(mix.tree_weights)
    columns = int(mix.depths.max())
    for group, row in enumerate(mix.tree_weights):
        played = np.flatnonzero(row)
        if len(played) <= most_trees:
            weights[group] = row
            continue
        found = mix.depths[played][:, :, None] <= np.arange(1, columns)  # within 1, 2, … guesses
        picked = herded(found.reshape(len(played), -1).astype(np.float32), row[played] / TREE_UNIT, most_trees)
        counts = np.bincount(played[picked], minlength=len(row))
        weights[group] = shared_out(counts, TREE_UNIT)
    kept = np.flatnonzero(weights.any(axis=0)).tolist()
    trees = [mix.trees[place] for place in kept]
    return RaceMix(mix.game, mix.secret_weights, trees, mix.group_of, np.ascontiguousarray(weights[:, kept]))


def herded(rows: NDArray[np.float32], shares: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return so many rows by index, some perhaps twice, whose average is near the average by shares [rows, columns]."""
    target = (shares @ rows).astype(np.float64)
    squares = np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    picked, total = [], np.zeros(rows.shape[1])
    for number in range(1, count + 1):
        wanted = number * target - total  # the row nearest to this makes the average best
        best = int((squares - 2.0 * (rows @ wanted.astype(np.float32))).argmin())
        picked.append(best)
        total += rows[best]
    return np.array(picked)
