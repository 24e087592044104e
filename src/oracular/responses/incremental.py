"""Greedy trees one after the other, each starting from those before it.

A solver that changes the hider's weights a little at a time asks for many trees that are alike. `IncrementalTrees`
gives just the depths that `GreedyEngine` gives, bit for bit, several times faster, and takes memory for it; how much is
a setting. What it keeps is a cache and no more: it is written to no file, and a run may change engines when resumed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.problem import Play
from oracular.responses.greedy import GreedyEngine, played
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed

if TYPE_CHECKING:
    from oracular.kernels.greedy.state_cache import Cache
    from oracular.kernels.greedy.tree import TreeBuilder

CACHE = 1_250_000_000
"""The bytes that earlier trees may take unless told otherwise."""


@dataclass(frozen=True, eq=False)
class IncrementalTrees:
    """Builds the greedy trees of a game, keeping up to so many bytes of what earlier ones found."""

    engine: GreedyEngine
    memory: int = CACHE
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @cached_property
    def _cache(self) -> Cache:
        from oracular.kernels.greedy.state_cache import cache_for

        return cache_for(self.engine.answers, self.memory)

    @cached_property
    def _builder(self) -> TreeBuilder:
        from oracular.kernels.greedy.tree import TreeBuilder

        return TreeBuilder.on(self.engine.answers, self.engine.lanes)

    def depths(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

        Raises `DeadlinePassed` where that takes too long; the next tree is as right as if this had not been begun.
        """
        if not self.engine.game.guessing.is_any:  # such trees take little time, and nothing of them is kept
            return self.engine.depths(weights, deadline)
        objective = self.engine.objective(weights, deadline)
        with self._building() as cache:
            return self._builder.depths(objective, cache=cache, deadline=deadline)

    def play(
        self, weights: NDArray[np.int64], depth_totals: NDArray[np.int64], most: int, deadline: Deadline = NEVER
    ) -> Play | None:
        """Return up to so many iterations of fictitious play as `FullProblem.play` does, or raise `DeadlinePassed`.

        They are fewer where earlier trees take up the memory: then some are forgotten before the next are made.
        """
        iterations = self.engine.iterations_from(weights, depth_totals, most)
        if iterations is None:
            return None
        objective = self.engine.objective(weights, deadline)
        with suppress(DeadlinePassed), self._building() as cache:  # what was finished before is given
            self._builder.play(objective, iterations, cache, deadline)
        return played(iterations)

    @contextmanager
    def _building(self) -> Iterator[Cache]:
        """Give the cache to whoever builds the next trees, with room for one; what is left unfinished is forgotten."""
        from oracular.kernels.greedy.state_cache import begin_tree, forget_unfinished

        with self._lock:
            begin_tree(self._cache)
            try:
                yield self._cache
            except BaseException:
                forget_unfinished(self._cache)
                raise

    def kept(self) -> tuple[int, int, int]:
        """Return how many states, members of states, and lists of best guesses are kept."""
        from oracular.kernels.greedy.state_cache import kept_numbers

        return kept_numbers(self._cache)

    def warm_up(self) -> None:
        """Load or compile all that a tree needs, so that the first one is not slower than the rest."""
        self.engine.warm_up()
