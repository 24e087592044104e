"""The guesser's strategies: oracles, pure, mixed and behavioural.

A strategy of the guesser would have to name a guess for each of 2^D states, so it is never written down: it is an
oracle that is asked for a guess at a state (section 6 of the paper, "oracular form").

- A pure oracle always answers alike: `GreedyOracle`.
- A `Mixture` draws one of several pure oracles at the start of a game, which then plays the whole game. That is the
  paper's ObtainGuesserStrategy.
- A `SymmetricMixture` also draws a symmetry of the game, and plays the oracle as if secrets and guesses had been
  exchanged by it. In Mastermind colours and places may be exchanged without changing an answer, so each secret needs
  the average over all secrets that some exchange takes it to: its *orbit*.
- A `Behavioural` strategy draws again at every state. It is another strategy, with another value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, HistoryLike, Indices
from oracular.games.guessing import FREE
from oracular.games.symmetry import Symmetry, orbits
from oracular.strategies.hider import draw_index
from oracular.system.checking import SUM_LIMIT, checked, frozen
from oracular.system.control import NEVER, Deadline
from oracular.system.files import counted

Oracle_co = TypeVar("Oracle_co", covariant=True)

_MOST_SYMMETRIES = 200_000


class MadeWhenAsked(Sequence[Oracle_co]):
    """A sequence of oracles, each made by `made` when it is asked for."""

    @abstractmethod
    def made(self, index: int) -> Oracle_co:
        """Return the oracle at an index from 0."""

    @overload
    def __getitem__(self, index: int) -> Oracle_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Oracle_co]: ...
    def __getitem__(self, index: int | slice) -> Oracle_co | Sequence[Oracle_co]:
        places = range(len(self))[index]
        return self.made(places) if isinstance(places, int) else [self.made(place) for place in places]


class Oracle(Protocol):
    """A pure strategy of the guesser in oracular form."""

    @property
    def game(self) -> Game:
        """The game it plays."""

    def guess(self, possible: Indices, demand: int = FREE) -> int:
        """Return the guess at a state of one or more possible secrets, and in hard mode a demand."""

    def depths(self) -> NDArray[np.int32]:
        """Return how many guesses it takes to find each secret [secrets]: the paper's ING."""


def ask(oracle: Oracle, possible: Indices, demand: int) -> int:
    """Return an oracle's guess at a state; one whose game makes no demands need know nothing of them."""
    return oracle.guess(possible, demand) if oracle.game.guessing.demands else oracle.guess(possible)


@checked
@dataclass(frozen=True, eq=False)
class Player:
    """A guesser in one game, asked for a guess at each state of it.

    A mixed guesser's player keeps the one oracle that was drawn, whose number is `drawn`; a behavioural guesser's draws
    again at every question.
    """

    oracles: Sequence[Oracle]
    weights: Sequence[int]
    rng: np.random.Generator
    drawn: int | None = None

    def guess(self, history: HistoryLike = "") -> str:
        """Return the next guess after a history such as `"giant:2 pecan:3"`."""
        game = self.oracles[0].game
        turns = game.parse_history(history)
        return game.guesses[self.guess_at(game.possible_after(history), game.demand_after(turns))]

    def guess_at(self, possible: Indices, demand: int = FREE) -> int:
        """Return the next guess, by index, at a state."""
        return ask(self.oracles[draw_index(self.weights, self.rng)], possible, demand)


@checked
@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixed oracular strategy: one oracle is drawn a game, in proportion to whole-number weights.

    The weights of millions of oracles may be given as `bytes`, which are whole numbers in a byte each.
    The oracles' depths times their weights, added up, are `known_totals` [secrets] where that has been done already.
    """

    oracles: Sequence[Oracle]
    weights: Sequence[int]
    known_totals: NDArray[Any] | None = None
    _totals: NDArray[Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.oracles or len(self.oracles) != len(self.weights):
            raise SettingsError(
                f"{counted(len(self.weights), 'weight')} for {counted(len(self.oracles), 'oracle')}: give each its own"
            )
        if min(self.weights) < 0 or not any(self.weights):
            raise SettingsError("the weights of a mixture are negative or all zero: make some of them positive")
        if not isinstance(self.weights, bytes):
            object.__setattr__(self, "weights", tuple(self.weights))
        if self.known_totals is not None:
            object.__setattr__(self, "known_totals", frozen(self.known_totals))
            object.__setattr__(self, "_totals", self.known_totals)

    def __repr__(self) -> str:
        return f"Mixture of {counted(len(self.oracles), 'oracle')} for {self.game!r}"

    @property
    def game(self) -> Game:
        """The game it plays."""
        return self.oracles[0].game

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(map(int, self.weights))

    @property
    def depth_totals(self) -> NDArray[Any]:
        """The depths of the oracles times their weights, added up: ANG times the total weight [secrets].

        int64, or Python's whole numbers (dtype object) where 64 bits might not hold them.
        """
        return self.added_up()

    def added_up(self, deadline: Deadline = NEVER) -> NDArray[Any]:
        """Return the depths of the oracles times their weights, added up once, or as they were known [secrets].

        The deadline is checked before each oracle.
        """
        if self._totals is None:
            secrets = len(self.game.secrets)
            kind = np.int64 if self.total * secrets < SUM_LIMIT else object  # no depth is above the secrets' number
            totals = np.zeros(secrets, dtype=kind)
            for oracle, weight in zip(self.oracles, self.weights, strict=True):
                if weight:
                    deadline.check()
                    totals += int(weight) * oracle.depths().astype(kind)
            object.__setattr__(self, "_totals", frozen(totals))
        assert self._totals is not None
        return self._totals

    def found_totals(
        self, columns: int, deadline: Deadline = NEVER, depths: Iterable[tuple[NDArray[Any], int]] | None = None
    ) -> NDArray[Any]:
        """Return the weight with which each secret is found at guess 1, 2, …; the last is for later ones too.

        That is a row for each secret, which adds up to the total weight [secrets, columns]. The oracles' depths are
        worked out, the deadline checked before each, unless they are given with their weights.
        """
        secrets = np.arange(len(self.game.secrets))
        kind = np.int64 if sum(map(int, self.weights)) < SUM_LIMIT else object
        found = np.zeros((len(secrets), columns), dtype=kind)
        for row, weight in self.weighed_depths(deadline) if depths is None else depths:
            found[secrets, np.minimum(row, columns) - 1] += weight
        return self.averaged(found)

    def weighed_depths(self, deadline: Deadline = NEVER) -> Iterator[tuple[NDArray[np.int32], int]]:
        """Yield the depths of each oracle that is ever drawn, with its weight; the deadline is checked before each."""
        for oracle, weight in zip(self.oracles, self.weights, strict=True):
            if weight:
                deadline.check()
                yield oracle.depths(), int(weight)

    def averaged(self, totals: NDArray[Any]) -> NDArray[Any]:
        """Return what was added up over the oracles for each secret [secrets, ...] as it is when they are played."""
        return totals

    @property
    def expected_depths(self) -> NDArray[np.float64]:
        """The expected number of guesses for each secret [secrets]: the paper's ANG."""
        return (self.depth_totals / self.total).astype(np.float64)

    @property
    def guarantee(self) -> Fraction:
        """The expected number of guesses for the worst secret: no hider can make it longer."""
        return Fraction(int(self.depth_totals.max()), self.total)

    def new_game(self, rng: np.random.Generator | None = None) -> Player:
        """Return a player for one game: one oracle, drawn now."""
        rng = rng or np.random.default_rng()
        drawn = draw_index(self.weights, rng)
        return Player([self.oracles[drawn]], [1], rng, drawn)


def pure(oracle: Oracle) -> Mixture:
    """Return the mixture that always plays this one oracle."""
    return Mixture([oracle], [1])


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
        if len(elements) > _MOST_SYMMETRIES:
            raise SettingsError(
                f"the symmetries of {game.name} make more than {_MOST_SYMMETRIES:,} exchanges: name fewer"
            )
    return elements


@checked
@dataclass(frozen=True, eq=False)
class Behavioural:
    """A behavioural oracular strategy: at every state an oracle is drawn anew."""

    mixture: Mixture

    @property
    def game(self) -> Game:
        """The game it plays."""
        return self.mixture.game

    def new_game(self, rng: np.random.Generator | None = None) -> Player:
        """Return a player for one game, drawing at every guess."""
        return Player(self.mixture.oracles, self.mixture.weights, rng or np.random.default_rng())

    def guess_distribution(self, possible: Indices, demand: int = FREE) -> dict[int, Fraction]:
        """Return how likely each guess is at a state, by asking every oracle."""
        totals: Counter[int] = Counter()
        for oracle, weight in zip(self.mixture.oracles, self.mixture.weights, strict=True):
            totals[ask(oracle, possible, demand)] += int(weight)
        return {guess: Fraction(weight, totals.total()) for guess, weight in totals.items() if weight}
