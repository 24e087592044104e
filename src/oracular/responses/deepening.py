"""Exact best responses: the tree that needs the fewest guesses against given whole-number weights, proved.

Iterative deepening over the compiled branch and bound (`kernels/exact`): the bound to 1, 2, 3, ... plies, each proved
and never falling, and after each a tree that plays what the memo thinks best. When bound and tree meet, both are the
optimum.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from oracular.games.symmetry import Exchange, OpeningPlan, plan_openings
from oracular.kernels.exact.kinds import Bounds, Bytes
from oracular.kernels.exact.tables import EXACT, NO_BOUND
from oracular.responses.exact_search import MEMO_SLOTS, SLICE, ExactSearch
from oracular.strategies.tree import Tree, depths
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed

SECONDS_BETWEEN_NEWS = 0.1

SLICE_OF_A_SEARCH = 1 << 40
"""A search is cut by the clock alone where no limit of states is given."""

LOOKAHEAD = 3
"""Plies that the trees built on the way look ahead at most; one less than the bound, whose memo then has most of it."""


@dataclass(frozen=True)
class ExactResponse:
    """A guesser's tree and what is proved about the least total of weight times depth.

    lower: no tree has a smaller total
    upper: the tree's own total
    proved: the two are equal
    nodes: states expanded
    """

    lower: int
    upper: int
    tree: Tree
    proved: bool
    nodes: int


@dataclass(frozen=True)
class Progress:
    """Where an exact response stands: bounds so far, plies being searched, states expanded."""

    lower: int
    upper: int
    plies: int
    nodes: int


class StopSearch(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised when a limit is reached; a progress callback may raise it too, to end with what is proved."""


def stopping(stop: Callable[[], bool]) -> Callable[[Progress], None]:
    """Return a progress callback that ends a search, with what is proved, once `stop` answers True."""

    def tell(_: Progress) -> None:
        if stop():
            raise StopSearch

    return tell


def carried_over(weights: Bounds, previous_weights: Bounds, previous_lower: int) -> int:
    """Return a bound for new weights from one proved for others: the optimum is concave and grows with every weight.

    With c the least ratio of new to previous weights, V(new) >= c V(previous) + V(new - c previous), and the remainder
    needs at least one guess for all of it.
    """
    ratios = [Fraction(int(new), int(old)) for new, old in zip(weights, previous_weights, strict=True) if old > 0]
    scale = min(ratios)
    remainder = sum(int(weight) for weight in weights) - scale * sum(int(weight) for weight in previous_weights)
    bound = scale * previous_lower + remainder
    return -(-bound.numerator // bound.denominator)


@dataclass(frozen=True)
class _Limits:
    """When a search ends: at the first of those that are given, but never before there is a tree.

    Attributes:
        deadline: when the time is up; if it passes before there is a tree, `DeadlinePassed` is raised.
        states: the most states that may be searched, except for a first tree.
        effort: the search ends at the first look, one every so many states, that finds so many searched.
        target: the total that a tree is to be below, where nothing else is asked.
    """

    deadline: Deadline = NEVER
    states: int | None = None
    effort: int | None = None
    target: int | None = None


class _Deepening:
    """Deepens a search ply by ply, keeping the best tree and the best bound, until they meet or a limit is reached."""

    def __init__(
        self,
        search: ExactSearch,
        table: tuple[Bytes, int, Bounds],
        limits: _Limits,
        progress: Callable[[Progress], None] | None,
        on_tree: Callable[[Tree], None] | None,
    ) -> None:
        self.search = search
        self.answers, self.found, self.weights = table
        self.limits = limits
        self.progress, self.on_tree = progress, on_tree
        self.lower = int(self.weights.sum())
        self.upper = NO_BOUND
        self.tree: Tree | None = None
        self.plies = 1
        self.told = -math.inf

    def consider(self, tree: Tree) -> None:
        """Keep the tree if it is the best so far."""
        total = int(self.weights @ depths(tree, self.answers, self.found))
        if total < self.upper:
            self.tree, self.upper = tree, total
            if self.on_tree is not None:
                self.on_tree(tree)

    @property
    def ceiling(self) -> int:
        """The total below which a tree would be news."""
        return self.upper if self.limits.target is None else min(self.upper, self.limits.target)

    @property
    def settled(self) -> bool:
        """Whether there is nothing left to find out."""
        target = self.limits.target
        return self.lower >= self.ceiling or (target is not None and self.upper < target)

    def watch(self) -> None:
        """Tell the watcher now and then, and stop where the time is up."""
        now = time.monotonic()
        if self.progress is not None and self.tree is not None and now - self.told >= SECONDS_BETWEEN_NEWS:
            self.told = now
            self.progress(Progress(self.lower, self.upper, self.plies, self.search.nodes))
        if self.limits.deadline.passed:
            raise DeadlinePassed if self.tree is None else StopSearch

    def tick(self) -> None:
        """Stop where enough states were searched; never before there is a tree."""
        limits = [limit for limit in (self.limits.states, self.limits.effort) if limit is not None]
        if self.tree is not None and limits and self.search.nodes >= min(limits):
            raise StopSearch

    def room(self) -> int:
        """Return how many states a tree may search before the next look, or stop where there are none left."""
        if self.limits.states is None or self.tree is None:
            return SLICE
        left = self.limits.states - self.search.nodes
        if left <= 0:
            raise StopSearch
        return min(SLICE, left)

    def search_on(self) -> bool:
        """Search for a while and tell whether there is more to search."""
        left = [SLICE_OF_A_SEARCH]
        left += [limit - self.search.nodes for limit in (self.limits.states, self.limits.effort) if limit is not None]
        if self.limits.states is not None and left[1] <= 0:
            raise StopSearch
        return self.search.advance_watched(max(1, min(left)), self.look)

    def look(self) -> None:
        """Take in what the search has proved so far, and stop where the time is up."""
        self.lower = max(self.lower, min(self.search.result()[0], self.ceiling))
        self.watch()

    def deepen(self) -> None:
        """Search to the present number of plies, and set out for one more."""
        self.search.begin(self.search.everything, self.ceiling, self.plies)
        try:
            while self.search_on():
                self.tick()
        finally:
            value, exact, guess = self.search.result()
            self.lower = max(self.lower, min(value, self.ceiling))
        if exact:
            self.lower = max(self.lower, value)
            self.consider(self.search.tree(EXACT, guess, watch=self.watch, room=self.room))
        elif self.lower < self.ceiling:
            plies = min(max(self.plies - 1, 1), LOOKAHEAD)
            self.consider(self.search.tree(plies, guess, self.tick, self.watch, self.room))
            self.plies += 1


def exact_response(
    answers: Bytes,
    found: int,
    weights: Bounds,
    *,
    deadline: Deadline = NEVER,
    node_limit: int | None = None,
    effort: int | None = None,
    symmetries: Sequence[Exchange] | None = None,
    plan: OpeningPlan | None = None,
    incumbent: Tree | None = None,
    previous_bound: tuple[Bounds, int] | None = None,
    target: int | None = None,
    memo_slots: int = MEMO_SLOTS,
    progress: Callable[[Progress], None] | None = None,
    on_tree: Callable[[Tree], None] | None = None,
) -> ExactResponse:
    """Return the tree with the least sum of weight times depth, or, stopped early, the best found and a proved bound.

    Where the `deadline` passes before there is a tree, `DeadlinePassed` is raised; with an `incumbent` there always is
    one. No more than `node_limit` states are searched, but for the first tree where there is no incumbent; a search to
    some `effort` ends a little after so many states. Stopped by either it gives the same every time. `progress` is
    called between slices of the search, `on_tree` with every tree that is better than those before. `plan` saves
    working out again what `symmetries` come to. With a `target` it only asks whether a tree's total can be below it: it
    stops at the first such tree, or once the lower bound reaches the target.
    """
    weights = np.asarray(weights, np.int64)
    if plan is None and symmetries:
        plan = plan_openings(answers.shape[0], symmetries, weights)
    if incumbent is not None and deadline.passed:  # making a search ready would take time already
        return _bounded(incumbent, int(weights.sum()), int(weights @ depths(incumbent, answers, found)), 0)
    search = ExactSearch(answers, found, weights, plan, memo_slots)
    limits = _Limits(deadline, node_limit, effort, target)
    deepening = _Deepening(search, (answers, found, weights), limits, progress, on_tree)
    if len(weights) <= 3:
        deepening.consider(search.tree(EXACT))
        deepening.lower = deepening.upper
    else:
        if previous_bound is not None:
            deepening.lower = carried_over(weights, *previous_bound)
        if incumbent is not None:
            deepening.tree = incumbent
            deepening.upper = int(weights @ depths(incumbent, answers, found))
        try:
            deepening.consider(search.tree(1, tick=deepening.tick, watch=deepening.watch, room=deepening.room))
            while not deepening.settled:
                deepening.deepen()
        except StopSearch:
            pass
    assert deepening.tree is not None  # no limit stops the search before its first tree
    return _bounded(deepening.tree, deepening.lower, deepening.upper, search.nodes)


def _bounded(tree: Tree, lower: int, upper: int, nodes: int) -> ExactResponse:
    """Return the response; it is proved where the bounds meet."""
    return ExactResponse(lower, upper, tree, lower == upper, nodes)


def warm_up() -> None:
    """Load or compile the search, on a game of five secrets."""
    exact_response(np.eye(5, dtype=np.uint8), 1, np.ones(5, dtype=np.int64))
