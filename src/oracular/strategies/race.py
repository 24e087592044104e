"""Strategies for the blind race: both players hide a secret and guess the other's, and the first to find it wins.

Player 1 guesses first, so where they need d1 and d2 guesses player 1 wins if d1 <= d2. The race is *blind*: neither
side's guesses depend on what the other does. A pure strategy is then a pair: the own secret, and the tree to find the
other's with. A `RaceMix` is a mix of such pairs, drawn once a game: first the secret, then a tree from the mixture that
goes with this secret. Secrets that play the same mixture form a group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.strategies.hider import Hider, draw_index
from oracular.strategies.oracle import Mixture
from oracular.strategies.tree import Tree
from oracular.system.arrays import frozen
from oracular.system.checking import checked

SECRET_UNIT = 1 << 20
"""What the weights of the own secrets sum to."""

TREE_UNIT = 1 << 16
"""What the weights of the trees sum to that go with a secret."""


class RacePair(NamedTuple):
    """A pure strategy of the blind race: the own secret, and the tree that guesses the other's."""

    secret: str
    tree: Tree


@checked
@dataclass(frozen=True, eq=False)
class RaceMix:
    """One side's strategy in the blind race: a mix over pairs of an own secret and a tree.

    Attributes:
        secret_weights: how likely each own secret is, whole numbers that sum to `SECRET_UNIT` [secrets].
        trees: the trees that are played.
        group_of: the group that each own secret belongs to [secrets].
        tree_weights: how likely each tree is for the secrets of a group, whole numbers that sum to `TREE_UNIT` in
            every group [groups, trees].
    """

    game: Game
    secret_weights: NDArray[np.int64]
    trees: Sequence[Tree]
    group_of: NDArray[np.int64]
    tree_weights: NDArray[np.int64]

    def __post_init__(self) -> None:
        secrets, groups = len(self.game.secrets), len(self.tree_weights)
        shapes = ((secrets,), (secrets,), (groups, len(self.trees)))
        arrays = (self.secret_weights, self.group_of, self.tree_weights)
        if any(array.shape != shape or array.dtype != np.int64 for array, shape in zip(arrays, shapes, strict=True)):
            raise SettingsError(f"the arrays given are no strategy for the race of {self.game.name}: mend their shapes")
        if self.secret_weights.min() < 0 or self.secret_weights.sum() != SECRET_UNIT:
            raise SettingsError(f"the weights of the secrets must be 0 or more and sum to {SECRET_UNIT:,}: scale them")
        if not 0 <= self.group_of.min() <= self.group_of.max() < groups:
            raise SettingsError(f"a secret of {self.game.name} belongs to a group that there is not: mend the groups")
        if self.tree_weights.min() < 0 or (self.tree_weights.sum(axis=1) != TREE_UNIT).any():
            raise SettingsError(f"the weights of the trees must be 0 or more and sum to {TREE_UNIT:,}: scale them")
        for name, array in zip(("secret_weights", "group_of", "tree_weights"), arrays, strict=True):
            object.__setattr__(self, name, frozen(array))

    def __repr__(self) -> str:
        return f"RaceMix({self.game!r}, {np.count_nonzero(self.secret_weights)} secrets, {len(self.trees)} trees)"

    @cached_property
    def hider(self) -> Hider:
        """How likely each own secret is, whatever the tree: the marginal over secrets."""
        return Hider(self.game, self.secret_weights)

    def guesser(self, secret: str) -> Mixture:
        """Return the mixture of trees that goes with an own secret."""
        place = int(self.game.secret_of_guess[self.game.guess_index(secret)])
        if place < 0:
            raise SettingsError(f"{secret!r} is no secret of {self.game.name}: give one that may be hidden")
        weights = self.tree_weights[self.group_of[place]]
        chosen = np.flatnonzero(weights).tolist()
        return Mixture([self.trees[i] for i in chosen], weights[chosen].tolist())

    def draw(self, rng: np.random.Generator | None = None) -> RacePair:
        """Return an own secret and a tree to guess with, for a game against a person.

        The secret is never a word that may offend: see `Hider.draw`.
        """
        rng = rng or np.random.default_rng()
        return self._pair(self.hider.draw(rng), rng)

    def sample(self, rng: np.random.Generator | None = None) -> RacePair:
        """Return an own secret and a tree drawn from exactly this strategy, for simulations."""
        rng = rng or np.random.default_rng()
        return self._pair(self.hider.sample(rng), rng)

    def _pair(self, secret: str, rng: np.random.Generator) -> RacePair:
        """Return a secret with a tree that is drawn from those that go with it."""
        group = self.group_of[self.game.secrets.index(secret)]
        return RacePair(secret, self.trees[draw_index(self.tree_weights[group].tolist(), rng)])

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """How many guesses each tree takes for each secret [trees, secrets]."""
        return np.array([tree.depths() for tree in self.trees], dtype=np.int32)

    def probability(self, secret: str) -> float:
        """Return how likely an own secret is."""
        return self.hider.probability(secret)


def product_mix(game: Game, secret_weights: NDArray[Any], trees: Sequence[Tree], weights: NDArray[Any]) -> RaceMix:
    """Return the mix that draws secret and tree apart from each other, from weights of any size.

    Trees whose share rounds to nothing are left out.
    """
    shares = shared_out(weights, TREE_UNIT)
    kept = np.flatnonzero(shares).tolist()
    groups = np.zeros(len(game.secrets), np.int64)
    own = shared_out(secret_weights, SECRET_UNIT)
    return RaceMix(game, own, [trees[i] for i in kept], groups, shares[None, kept])


def shared_out(weights: NDArray[Any], unit: int) -> NDArray[np.int64]:
    """Return whole numbers in proportion to weights that sum to the unit exactly.

    All are rounded down, and the largest remainders are then rounded up, the first of equal ones first.
    """
    numbers = weights.astype(np.float64)
    parts = numbers / float(weights.sum()) * unit
    whole = np.floor(parts).astype(np.int64)
    missing = unit - int(whole.sum())
    order = np.argsort(whole - parts, kind="stable")
    for place in range(abs(missing)):  # one each, a second round where floats were that far off
        whole[order[place % len(order)]] += 1 if missing > 0 else -1
    return whole
