"""Mixtures that are played under a random symmetry of the game, so that secrets alike are found alike.

In Mastermind colours and places may be exchanged without changing an answer. A guesser that draws such an exchange
before the game, all alike, and then plays an oracle as if the codes had been exchanged, needs for each secret the
average over all secrets that some exchange takes it to: its *orbit*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.symmetry import Symmetry, orbits
from oracular.strategies.oracle import Mixture, Oracle, Player, ask

MOST_ELEMENTS = 200_000


@dataclass(frozen=True, eq=False)
class ExchangedOracle:
    """An oracle that plays as if secrets and guesses had been exchanged by a symmetry."""

    oracle: Oracle
    symmetry: Symmetry

    @property
    def game(self) -> Game:
        """The game it plays."""
        return self.oracle.game

    def guess(self, possible: Indices, demand: int = FREE) -> int:
        """Return the guess at a state of one or more possible secrets."""
        before = np.argsort(self.symmetry.secrets).astype(np.int32)  # the secret that goes to each
        return int(self.symmetry.guesses[ask(self.oracle, np.sort(before[possible]), demand)])

    def depths(self) -> NDArray[np.int32]:
        """Return how many guesses it takes to find each secret [secrets]."""
        moved = np.empty(len(self.game.secrets), dtype=np.int32)
        moved[self.symmetry.secrets] = self.oracle.depths()
        return moved


class SymmetricMixture(Mixture):
    """A mixture whose oracle is played under a symmetry of the game, drawn from all with equal chances."""

    @cached_property
    def _orbits(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The orbit of each secret [secrets], and the size of each orbit."""
        moves = [symmetry.secrets for symmetry in self.game.symmetries]
        _, orbit_of = np.unique(orbits(len(self.game.secrets), moves), return_inverse=True)
        return orbit_of, np.bincount(orbit_of)

    @property
    def _scale(self) -> int:
        """What the weights are multiplied by, so that averages over orbits are whole numbers."""
        return lcm(*map(int, self._orbits[1]))

    @property
    def total(self) -> int:
        """The sum of the weights, scaled."""
        return super().total * self._scale

    def averaged(self, totals: NDArray[Any]) -> NDArray[Any]:
        """Return what was added up over the oracles for each secret [secrets, ...], averaged over orbits and scaled.

        A secret is found as any other of its orbit would be, each as likely.
        """
        orbit_of, sizes = self._orbits
        sums = np.zeros((len(sizes), *totals.shape[1:]), dtype=object)
        np.add.at(sums, orbit_of, totals.astype(object))
        factors = (self._scale // sizes.astype(object)).reshape(-1, *(1 for _ in totals.shape[1:]))
        return (sums * factors)[orbit_of]

    @cached_property
    def depth_totals(self) -> NDArray[Any]:
        """The depths, averaged over orbits, times the weights, added up and scaled [secrets]."""
        return self.averaged(self.added_up())

    def new_game(self, rng: np.random.Generator | None = None) -> Player:
        """Return a player for one game: one oracle and one symmetry, drawn now."""
        rng = rng or np.random.default_rng()
        player = super().new_game(rng)
        exchanged = ExchangedOracle(player.oracles[0], random_symmetry(self.game, rng))
        return Player([exchanged], [1], rng, player.drawn)


def random_symmetry(game: Game, rng: np.random.Generator) -> Symmetry:
    """Return a symmetry of the game, all that its generators make being equally likely."""
    if game.draw_symmetry is not None:
        return game.draw_symmetry(rng)
    elements = all_symmetries(game)
    return elements[int(rng.integers(len(elements)))]


def all_symmetries(game: Game) -> list[Symmetry]:
    """Return every symmetry that the game's generators make, the one that moves nothing first."""
    identity = Symmetry(game.all_secrets, np.arange(len(game.guesses), dtype=np.int32))
    elements, seen = [identity], {identity.guesses.tobytes()}
    for element in elements:
        for step in game.symmetries:
            product = Symmetry(step.secrets[element.secrets], step.guesses[element.guesses])
            if product.guesses.tobytes() not in seen:
                seen.add(product.guesses.tobytes())
                elements.append(product)
        if len(elements) > MOST_ELEMENTS:
            raise SettingsError(f"the symmetries of {game.name} make more than {MOST_ELEMENTS:,} exchanges: name fewer")
    return elements
