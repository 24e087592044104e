"""The guesser's greedy best response as an oracle (Algorithm GuesserGBR), and whole trees of it.

At a state it makes the guess that leaves fewest secrets in expectation. It looks one guess ahead, so it is not a
true best response.

The compiled kernels are imported when they are first called: they take a second to load, and much of what the
package does, its help texts first of all, needs none of them.

A solver that changes the hider's weights a little at a time needs many trees that are alike. `IncrementalTrees` gives
just the depths that `GreedyEngine` gives, bit for bit, several times faster, and takes memory for it; how much is a
setting. What it saves is only a cache: it is written to no file, and a run may change engines when it is resumed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.strategies.hider import Hider, hider_uniform, whole_weights
from oracular.system.checking import checked
from oracular.system.control import NEVER, Deadline, DeadlinePassed
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.kernels.answers import Answers
    from oracular.kernels.greedy import TreeBuilder
    from oracular.kernels.greedy_cache import Cache
    from oracular.kernels.packing import GreedyObjective

Ties: TypeAlias = Literal["first", "possible"]
"""Which of equally good guesses is made: the first in dictionary order, or one that may be the secret if any may."""

MOST_NUMBERS = 1 << 16
"""Iterations of fictitious play that are made in one go have this many weights in all, unless it is only one."""

TIE_RULES: dict[str, int] = {"first": 0, "possible": 1}
"""The rules as the kernels number them."""


@dataclass(frozen=True, eq=False)
class GreedyEngine:
    """Scores states and builds greedy trees for one game.

    This many threads build a tree of a large game; they never change a result.
    """

    game: Game
    ties: Ties = "first"
    threads: int = 1

    def __post_init__(self) -> None:
        if self.ties not in TIE_RULES:
            raise SettingsError(f"ties {quoted(self.ties)} is not a rule: choose 'first' or 'possible'")

    @cached_property
    def answers(self) -> Answers:
        """What the kernels know of the game."""
        return self.answers_by(NEVER)

    def answers_by(self, deadline: Deadline) -> Answers:
        """Return what the kernels know of the game, or raise `DeadlinePassed`; it is worked out once."""
        if "answers" not in vars(self):
            from oracular.kernels.answers import answers_of

            vars(self)["answers"] = answers_of(self.game, deadline=deadline)
        return vars(self)["answers"]

    @property
    def lanes(self) -> int:
        """How many threads work on a tree: one where the game is too small to be shared."""
        from oracular.kernels.greedy import WAKING_WORK

        return self.threads if len(self.game.guesses) * len(self.game.secrets) >= WAKING_WORK else 1

    def objective(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> GreedyObjective:
        """Return what guesses are compared by against these weights."""
        from oracular.kernels.packing import objective_of

        return objective_of(self.answers_by(deadline), weights, TIE_RULES[self.ties])

    def guess(
        self, weights: NDArray[np.int64], possible: Indices, deadline: Deadline = NEVER, demand: int = FREE
    ) -> int:
        """Return the greedy guess against these weights at a state, or raise `DeadlinePassed`."""
        objective = self.objective(weights, deadline)
        with self._builder() as builder:
            return builder.guess(objective, possible, deadline, demand)

    def depths(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree takes for each secret [secrets], or raise `DeadlinePassed`."""
        return self.depths_from(weights, self.game.all_secrets, deadline)

    def depths_from(
        self, weights: NDArray[np.int64], possible: Indices, deadline: Deadline = NEVER, demand: int = FREE
    ) -> NDArray[np.int32]:
        """Return how many more guesses the tree takes from a state for each secret of it [possible]."""
        objective = self.objective(weights, deadline)
        with self._builder() as builder:
            return builder.depths(objective, possible, deadline=deadline, demand=demand)

    def play(
        self,
        weights: NDArray[np.int64],
        depth_totals: NDArray[np.int64],
        most: int,
        shared: int,
        deadline: Deadline = NEVER,
        trees: IncrementalTrees | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return up to `most` iterations of fictitious play as `FullProblem.play` does, or raise `DeadlinePassed`.

        There is None if trees can only be built one by one: where the game allows only some guesses, and where the
        weights would grow too large on the way. There are fewer if what is saved of earlier trees takes up the memory:
        then some of it is forgotten before the next are made.

        Args:
            weights: the hider's weights at the first of them [secrets].
            depth_totals: the depths of all trees before it, summed up [secrets].
            most: how many iterations to make at most.
            shared: the weight that each iteration shares out among the hider's best responses.
            deadline: when to end.
            trees: what builds each tree from those before it, if not from scratch.
        """
        from oracular.kernels.greedy import MADE, new_iterations
        from oracular.kernels.packing import can_be_packed

        secrets = len(weights)
        most = max(1, min(most, MOST_NUMBERS // secrets))
        if not self.game.guessing.is_any or not can_be_packed(float(weights.sum()) + most * shared, secrets):
            return None
        iterations = new_iterations(weights, depth_totals, most, shared)
        objective = self.objective(weights, deadline)
        with suppress(DeadlinePassed):  # what was finished before is returned
            if trees is None:
                with self._builder() as builder:
                    builder.play(objective, iterations, deadline=deadline)
            else:
                with trees.building() as (builder, cache):
                    builder.play(objective, iterations, cache, deadline)
        made = int(iterations.numbers[MADE])
        if made == 0:
            raise DeadlinePassed
        return iterations.weights[:made], iterations.totals[: made + 1]

    @cached_property
    def _idle(self) -> list[TreeBuilder]:
        """The builders that no thread uses now."""
        return []

    @contextmanager
    def _builder(self) -> Iterator[TreeBuilder]:
        """Give a builder that no other thread uses meanwhile."""
        try:
            builder = self._idle.pop()
        except IndexError:
            builder = self.new_builder()
        try:
            yield builder
        finally:
            self._idle.append(builder)

    def new_builder(self, lanes: int | None = None) -> TreeBuilder:
        """Return what builds trees of the game, one at a time."""
        from oracular.kernels.greedy import TreeBuilder
        from oracular.kernels.guessing import guessing_table

        return TreeBuilder.on(self.answers, self.lanes if lanes is None else lanes, guessing_table(self.game))

    def warm_up(self) -> None:
        """Load or compile all that a tree needs, so that the first one is not slower than the rest."""
        is_any = self.game.guessing.is_any
        tiny = Game.from_function("ab", "ab", lambda guess, secret: guess == secret, only_possible=not is_any)
        GreedyEngine(tiny).new_builder(self.lanes).warm_up()


@checked
@dataclass(frozen=True, eq=False)
class GreedyOracle:
    """A pure oracle: at every state the greedy guess against fixed weights of the hider [secrets]."""

    engine: GreedyEngine
    weights: NDArray[np.int64]

    @classmethod
    def against(cls, hider: Hider, ties: Ties = "first") -> GreedyOracle:
        """Return the greedy best response to a hider."""
        return cls(GreedyEngine(hider.game, ties), hider.weights)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", whole_weights(self.game, self.weights))

    @property
    def game(self) -> Game:
        """The game it plays."""
        return self.engine.game

    def guess(self, possible: Indices, demand: int = FREE) -> int:
        """Return the guess at a state of one or more possible secrets, and in hard mode a demand."""
        return self.engine.guess(self.weights, possible, demand=demand)

    def depths(self) -> NDArray[np.int32]:
        """Return how many guesses it takes to find each secret [secrets]."""
        return self.engine.depths(self.weights)


@checked
def guesser_gbr_uniform(game: Game, ties: Ties = "first") -> GreedyOracle:
    """Return the paper's GuesserGBRUniform: the greedy best response to HiderUniform, at every state."""
    return GreedyOracle.against(hider_uniform(game), ties)


CACHE = 1_250_000_000
"""The bytes that earlier trees may take by default."""


@dataclass(frozen=True, eq=False)
class IncrementalTrees:
    """Builds the greedy trees of a game, keeping up to a number of bytes of what earlier ones found."""

    engine: GreedyEngine
    memory: int = CACHE
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @cached_property
    def _cache(self) -> Cache:
        from oracular.kernels.greedy import cache_for

        return cache_for(self.engine.answers, self.memory)

    @cached_property
    def _builder(self) -> TreeBuilder:
        return self.engine.new_builder()

    def depths(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

        Raises `DeadlinePassed` where that takes too long; the next tree is as right as if this had not been begun.
        """
        objective = self.engine.objective(weights, deadline)
        with self.building() as (builder, cache):
            return builder.depths(objective, cache=cache, deadline=deadline)

    def play(
        self,
        weights: NDArray[np.int64],
        depth_totals: NDArray[np.int64],
        most: int,
        shared: int,
        deadline: Deadline = NEVER,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return up to `most` iterations of fictitious play as `GreedyEngine.play` does."""
        return self.engine.play(weights, depth_totals, most, shared, deadline, self)

    @contextmanager
    def building(self) -> Iterator[tuple[TreeBuilder, Cache]]:
        """Yield the builder and its cache with room for a tree; what is left unfinished is forgotten."""
        from oracular.kernels.greedy_cache import begin_tree, forget_unfinished

        with self._lock:
            begin_tree(self._cache)
            try:
                yield self._builder, self._cache
            except BaseException:
                forget_unfinished(self._cache)
                raise

    def kept(self) -> tuple[int, int, int]:
        """Return how many states, members of states, and lists of best guesses are kept."""
        from oracular.kernels.greedy_cache import kept_numbers

        return kept_numbers(self._cache)

    def warm_up(self) -> None:
        """Load or compile all that a tree needs, so that the first one is not slower than the rest."""
        self.engine.warm_up()
