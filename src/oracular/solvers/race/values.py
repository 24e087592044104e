"""What own pairs of a secret and a tree are worth in the blind race against a mix of the other side.

Say my own secret is s0 and I find the other's secret s at guess c. I have not lost by then where the other's tree T
needs d = D[T, s0] guesses for mine with c <= d if I move first, or c < d if I move second. So all that matters of a mix
are the weights of its secrets, and for each of its groups, own secret s0 and guess c the weight of its trees that are
not faster: `held[group, s0, c - 1]`. Everything is counted in whole numbers: of the chance to win, 1 is `WHOLE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, RaceMix

WHOLE = SECRET_UNIT * TREE_UNIT
"""A chance of 1."""


@dataclass(frozen=True, eq=False)
class RaceOpponent:
    """What a player of the race needs to know of the other side's mix.

    Attributes:
        secret_weights: how likely each of the other's secrets is; they sum to `SECRET_UNIT` [secrets].
        group_of: the group that each of them belongs to [secrets].
        held: the weight of the other's trees in a group that find my secret too late if I find theirs at guess c; the
            last column, for all later guesses, is 0 [groups, my secrets, guesses].
    """

    secret_weights: NDArray[np.int64]
    group_of: NDArray[np.int64]
    held: NDArray[np.int64]

    @classmethod
    def of(cls, mix: RaceMix, *, moves_first: bool) -> RaceOpponent:
        """Return a mix as the other player sees it; `moves_first` says whether the mix is that of player 1."""
        arrivals = arrivals_of(mix.depths, mix.tree_weights)
        return cls(mix.secret_weights, mix.group_of, held_by(arrivals, moves_first=moves_first))

    def by_group(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the secrets of each group, and what its trees leave [my secrets, guesses]."""
        return [(np.flatnonzero(self.group_of == group), held) for group, held in enumerate(self.held)]

    def values(self, depths: NDArray[Any]) -> NDArray[np.int64]:
        """Return my chance to win with each own secret and each tree of these depths [my secrets, trees]."""
        trees, columns = len(depths), self.held.shape[2]
        totals = np.zeros((self.held.shape[1], trees), dtype=np.int64)
        guesses = np.minimum(depths, columns).astype(np.int64) - 1
        steps = guesses + columns * np.arange(trees)[:, None]
        for secrets, held in self.by_group():
            if len(secrets) == 1:
                if self.secret_weights[secrets[0]]:
                    totals += self.secret_weights[secrets[0]] * held[:, guesses[:, secrets[0]]]
                continue
            found = np.zeros(trees * columns, dtype=np.int64)  # the weight of secrets that a tree finds at each guess
            for secret in secrets[self.secret_weights[secrets] > 0]:
                found[steps[:, secret]] += self.secret_weights[secret]
            totals += held @ found.reshape(trees, columns).T
        return totals

    def costs(self, own_weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what I lose by finding each secret at each guess, my own secret being drawn by weights.

        This is the table objective that my best tree minimises. A secret that the other never hides counts as the
        least likely one, so that a planner has a reason to look for it as well [secrets, guesses].
        """
        lost = int(own_weights.sum()) * TREE_UNIT - self.held_for(own_weights)
        return np.maximum(self.secret_weights, 1)[:, None] * lost

    def held_for(self, own_weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the weight of the other's trees that are too late for each of its secrets [secrets, guesses]."""
        return np.asarray(np.tensordot(self.held, own_weights, axes=(1, 0))[self.group_of])

    def chance_of(self, mix: RaceMix) -> Fraction:
        """Return my chance to win with a mix of my own, exact."""
        arrivals = arrivals_of(mix.depths, mix.tree_weights, self.held.shape[2])
        return self.chance_with(mix.secret_weights, mix.group_of, arrivals)

    def chance_with(
        self, weights: NDArray[np.int64], group_of: NDArray[np.int64], arrivals: NDArray[np.int64]
    ) -> Fraction:
        """Return my chance to win, exact, with own secrets by weights and trees that arrive like this."""
        columns = self.held.shape[2]
        total = 0
        for group, found in enumerate(arrivals):  # my trees of this group find the other's secrets
            mine = np.where(group_of == group, weights, 0)
            for secrets, held in self.by_group():
                finds = self.secret_weights[secrets] @ found[secrets]  # what is found after the last column is lost
                left = mine @ held
                total += sum(int(a) * int(b) for a, b in zip(finds[:columns], left, strict=False))
        return Fraction(total, WHOLE * WHOLE)


def arrivals_of(depths: NDArray[Any], tree_weights: NDArray[np.int64], columns: int | None = None) -> NDArray[np.int64]:
    """Return the weight of trees that find each secret at guess 1, 2, …, by group [groups, secrets, guesses].

    The last column counts all later guesses as well; by default nothing is found so late.
    """
    columns = int(depths.max()) + 1 if columns is None else columns
    secrets = np.arange(depths.shape[1])
    arrivals = np.zeros((len(tree_weights), len(secrets), columns), dtype=np.int64)
    for tree, row in enumerate(np.minimum(depths, columns) - 1):
        for group in np.flatnonzero(tree_weights[:, tree]):
            arrivals[group, secrets, row] += tree_weights[group, tree]
    return arrivals


def held_by(arrivals: NDArray[np.int64], *, moves_first: bool) -> NDArray[np.int64]:
    """Return the weight of trees that are too late for a player who finds at guess c, by arrivals of the same shape.

    Where the trees' player moves first, they are too late only at a guess after c; else at c as well.
    """
    from_here = np.cumsum(arrivals[..., ::-1], axis=-1)[..., ::-1]
    later = np.concatenate([from_here[..., 1:], np.zeros_like(from_here[..., :1])], axis=-1)
    return np.ascontiguousarray(later if moves_first else from_here)
