"""Greedy trees one after the other, each starting from those before it.

A solver that changes the hider's weights a little at a time asks for many trees that are alike. `IncrementalTrees`
gives just the depths that `GreedyEngine` gives, bit for bit, several times faster, and takes memory for it; how much is
a setting. What it keeps is a cache and no more: it is written to no file, and a run may change engines when resumed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.responses.greedy import TIE_RULES, GreedyEngine, on_main_thread

if TYPE_CHECKING:
    from oracular.kernels.greedy.scoring import Scratch
    from oracular.kernels.greedy.state_cache import Cache

CACHE = 1_250_000_000
"""The bytes that earlier trees may take unless told otherwise."""


@dataclass(frozen=True, eq=False)
class IncrementalTrees:
    """Builds the greedy trees of a game, keeping what earlier ones found.

    Attributes:
        engine: the engine that would build each from scratch.
        memory: the most bytes that may be taken for earlier trees.
    """

    engine: GreedyEngine
    memory: int = CACHE

    @cached_property
    def _cache(self) -> Cache:
        from oracular.kernels.greedy.incremental_tree import has_lists
        from oracular.kernels.greedy.state_cache import new_cache

        answers = self.engine.answers
        return new_cache(len(answers.finder), answers.width, self.memory, has_lists(answers))

    @cached_property
    def _room(self) -> Scratch:
        from oracular.kernels.greedy.scoring import new_scratch

        return new_scratch(self.engine.answers, self.engine.threads)

    @cached_property
    def _lock(self) -> threading.Lock:
        return threading.Lock()

    def depths(self, weights: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree against these weights takes for each secret [secrets]."""
        from oracular.kernels.greedy.incremental_tree import next_tree_depths

        threads = self.engine.threads if on_main_thread() else 1
        with self._lock:
            rule = TIE_RULES[self.engine.ties]
            return next_tree_depths(self.engine.answers, self._cache, self._room, weights, rule, threads)

    def kept(self) -> tuple[int, int, int]:
        """Return how many states, members of states, and lists of best guesses are kept."""
        from oracular.kernels.greedy.incremental_tree import kept_numbers

        return kept_numbers(self._cache)

    def warm_up(self) -> None:
        """Load or compile all that a tree needs, so that the first one is not slower than the rest."""
        from oracular.games.game import game_from_function

        tiny = game_from_function(("a", "b"), ("a", "b"), lambda guess, secret: guess == secret, "warm-up", ())
        IncrementalTrees(GreedyEngine(tiny, threads=self.engine.threads), 1000).depths(np.ones(2, dtype=np.int64))
