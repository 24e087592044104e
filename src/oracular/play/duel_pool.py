"""The trees of a shipped guesser as a pool: which of them have been played so far, and how soon each finds a secret."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game, Indices
from oracular.strategies.oracle import Mixture
from oracular.strategies.symmetric import SymmetricMixture
from oracular.strategies.tree import Tree

MOST_ENTRIES = 16_000_000
"""Trees times secrets that a pool may have; where there are more, the trees of least weight are left out."""


@dataclass(frozen=True, eq=False)
class TreePool:
    """Trees of one game.

    Attributes:
        shares: how likely each tree is to be drawn, float64 [trees].
        depths: how many guesses each takes for each secret, uint8 [trees, secrets].
        rows: the guesses of all trees, one tree after the other, int32.
        ends: where the guesses below each of them end, counted from the tree's first, int32.
        starts: where each tree begins in `rows`, and where the last ends, int64 [trees + 1].
    """

    game: Game
    shares: NDArray[np.float64]
    depths: NDArray[np.uint8]
    rows: NDArray[np.int32]
    ends: NDArray[np.int32]
    starts: NDArray[np.int64]

    def next_guesses(self, secret: int, made: Indices) -> Indices:
        """Return what each tree guesses after these guesses if that is the secret; -1 where it made others [trees]."""
        from oracular.kernels.tree_pool import next_guesses

        game = self.game
        return next_guesses(
            game.table, game.found, game.guess_of_secret, self.rows, self.ends, self.starts, secret, made
        )


def tree_pool(guesser: Mixture) -> TreePool | None:
    """Return the trees of a mixture as a pool; None where they are not played as they are written out."""
    from oracular.kernels.tree_pool import measured

    if isinstance(guesser, SymmetricMixture):
        return None
    game = guesser.game
    most = max(1, MOST_ENTRIES // len(game.secrets))
    heaviest = sorted(range(len(guesser.weights)), key=lambda number: -int(guesser.weights[number]))[:most]
    kept = [(int(guesser.weights[number]), guesser.oracles[number]) for number in sorted(heaviest)]
    if len(kept) < 2 or not all(isinstance(oracle, Tree) for _, oracle in kept):
        return None
    depths, rows, ends = [], [], []
    for _, tree in kept:
        assert isinstance(tree, Tree)
        depth, end, whole = measured(game.table, game.found, tree.guesses)
        if not whole or depth.max() > 255:
            return None
        depths.append(depth.astype(np.uint8))
        rows.append(tree.guesses)
        ends.append(end)
    total = sum(weight for weight, _ in kept)
    return TreePool(
        game,
        np.array([weight / total for weight, _ in kept]),
        np.array(depths),
        np.concatenate(rows),
        np.concatenate(ends),
        np.cumsum([0, *map(len, rows)]),
    )
