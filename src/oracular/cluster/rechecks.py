"""Checks of what workers answer.

An answer of the wrong type or outside its range is refused, and a random sample of the answers is worked out here as
well. That finds workers that are broken or run other code. It proves nothing about the other answers, so figures that
rest on them are called "as reported by the cluster". It does not stop an attacker either: whoever runs a worker can run
code here, see `docs/trust.md`.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import numpy as np
from numpy.typing import NDArray

from oracular.bounds.engines import searches_of
from oracular.bounds.opening import PROVED, OpeningBound, OpeningSearch, deepened, greedy_total, is_deepened
from oracular.cluster.connection import Cluster
from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.kernels.exact.tables import NO_BOUND
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.deadline import Deadline, DeadlinePassed

SECONDS_TO_RECHECK = 10.0
"""How long the end of a search waits for a bound that is being worked out here as well."""


def checked_guess(cluster: Cluster, game: Game, answer: object) -> int:
    """Return a worker's guess, or raise an error if the game has no such guess."""
    if type(answer) is not int or not 0 <= answer < len(game.guesses):
        raise cluster.false_answer("its guess is none of the game's")
    return answer


def checked_depths(cluster: Cluster, states: list[Indices], answer: object) -> NDArray[np.int32]:
    """Return a worker's depths below some states, or raise an error if no tree has them.

    In a state of n secrets the first guess finds at most one, and each guess leaves fewer, so none takes more than n.
    """
    sizes = np.array([len(state) for state in states])
    if not (isinstance(answer, np.ndarray) and answer.dtype == np.int32 and answer.shape == (sizes.sum(),)):
        raise cluster.false_answer("it does not give a whole number for each secret")
    begins = np.cumsum(sizes) - sizes
    if (
        (answer < 1).any()
        or (np.maximum.reduceat(answer, begins) > sizes).any()
        or (np.add.reduceat(answer == 1, begins, dtype=np.int64) > 1).any()
    ):
        raise cluster.false_answer("no tree has the depths that it gives")
    return answer


def checked_tree(cluster: Cluster, game: Game, guesses: object) -> Tree:
    """Return the tree that a worker's row of guesses stands for, or say that it is none of this game."""
    if not isinstance(guesses, np.ndarray):
        raise cluster.false_answer("it gives no tree where one is due")
    try:
        tree = Tree(game, guesses)
        tree.depths()
    except SettingsError:
        raise cluster.false_answer("its tree is none of this game") from None
    return tree


class BoundChecks:
    """Checks of the bounds that workers report for one hider; a sample of them is worked out in a thread of its own.

    One bound is worked out at a time. Those that are drawn for the sample meanwhile are skipped.
    """

    def __init__(self, cluster: Cluster, hider: Hider, *, exact: bool = False) -> None:
        self._cluster = cluster
        self._hider = hider
        self._exact = exact
        self._reached: dict[int, int] = {}
        self._halted = threading.Event()
        self._pool = ThreadPoolExecutor(1, "oracular-rechecking")
        self._search: OpeningSearch | None = None
        self._running: tuple[OpeningBound, Deadline, Future[OpeningBound | None]] | None = None

    def __enter__(self) -> BoundChecks:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            if kind is None and self._running is not None:
                _, deadline, future = self._running
                with suppress(TimeoutError):
                    future.result(deadline.or_after(SECONDS_TO_RECHECK).left)
                    self.settle()
        finally:
            self._halted.set()
            self._pool.shutdown()

    def take(self, known: OpeningBound, answer: object, deadline: Deadline, ceiling: int = NO_BOUND) -> OpeningBound:
        """Return the bound that a worker reports for an opening, or raise an error if it cannot be true."""
        if (
            type(answer) is not OpeningBound
            or any(type(number) is not int for number in (answer.bound, answer.opening, answer.plies))
            or answer.opening != known.opening
            or not is_deepened(known, answer, ceiling)
            or answer.bound > max(self._reached_by_a_tree(known.opening), known.bound)
            or (answer.bound < known.bound and answer.plies != PROVED)
        ):
            raise self._cluster.false_answer("the bound that it reports cannot be one")
        self.settle()
        if self._cluster.to_be_rechecked("bound") and self._running is None:
            again = partial(self._again, known, deadline, ceiling)
            self._running = (answer, deadline, self._pool.submit(again))
        return answer

    def settle(self) -> None:
        """Raise an error if a worker reported more than the bound that was worked out here."""
        if self._running is None or not self._running[2].done():
            return
        reported, _, future = self._running
        self._running = None
        ours = future.result()
        if ours is None:  # the time was up before it was finished
            return
        if reported.bound > ours.bound or (reported.plies == PROVED and ours.plies != PROVED):
            raise self._cluster.false_answer("a bound that it reports does not hold")
        self._cluster.rechecked += 1

    def _again(self, known: OpeningBound, deadline: Deadline, ceiling: int) -> OpeningBound | None:
        try:
            self._search = self._search or searches_of(self._hider, exact=self._exact)(deadline)
        except DeadlinePassed:
            return None
        self._search.deadline = deadline
        return deepened(self._search, known, deadline, self._halted.is_set, ceiling)

    def _reached_by_a_tree(self, opening: int) -> int:
        """Return the total of a tree with this opening: the bound on all such trees cannot be above it."""
        if opening not in self._reached:
            self._reached[opening] = greedy_total(self._hider, opening)
        return self._reached[opening]
