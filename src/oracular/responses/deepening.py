"""Exact best responses: the tree of the least weight times depth, or the least cost in another objective, proved.

Iterative deepening over the compiled branch and bound (`kernels/exact`): the bound to 1, 2, 3, ... plies, each proved
and never falling, and after each a tree that plays what the memo thinks best. When bound and tree meet, both are the
optimum.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oracular.games.game import Game
from oracular.kernels.exact.tables import EXACT, NO_BOUND
from oracular.responses.compiled_search import MEMO_SLOTS, MOST_AT_ONCE, SLICE, CompiledSearch
from oracular.responses.exact_search import ProvedBound, WeightedGame
from oracular.responses.limits import SearchLimits, SearchProgress, StopSearch
from oracular.strategies.tree import Tree
from oracular.system.control import SECONDS_BETWEEN_LOOKS, DeadlinePassed

if TYPE_CHECKING:
    from oracular.responses.costed_search import CostedGame

LOOKAHEAD = 3
"""Plies that the trees built on the way look ahead at most; one less than the bound, whose memo then has most of it."""

NO_LIMITS = SearchLimits()
"""A search that ends when its result is proved."""


@dataclass(frozen=True)
class ExactResponse:
    """A guesser's tree and what is proved about the least total of weight times depth, or of costs.

    lower: no tree has a smaller total
    upper: the tree's own total
    nodes: states expanded
    """

    lower: int
    upper: int
    tree: Tree
    nodes: int

    @property
    def proved(self) -> bool:
        """Whether the tree is proved to be the best."""
        return self.lower == self.upper


class _Deepening:
    """Deepens a search ply by ply, keeping the best tree and the best bound, until they meet or a limit is reached."""

    def __init__(
        self,
        game: WeightedGame | CostedGame,
        search: CompiledSearch,
        limits: SearchLimits,
        progress: Callable[[SearchProgress], None] | None,
        on_tree: Callable[[Tree], None] | None,
    ) -> None:
        self.game = game
        self.search = search
        self.limits = limits
        self.progress, self.on_tree = progress, on_tree
        self.unit = game.unit
        self.lower = game.least
        self.upper = NO_BOUND
        self.tree: Tree | None = None
        self.plies = 1
        self.last_news = -math.inf

    def consider(self, tree: Tree) -> None:
        """Keep the tree if it is the best so far."""
        total = self.game.total(tree)
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
        """Report progress now and then, and stop where the time is up."""
        now = time.monotonic()
        if self.progress is not None and self.tree is not None and now - self.last_news >= SECONDS_BETWEEN_LOOKS:
            self.last_news = now
            lower, upper = self.lower / self.unit, self.upper / self.unit
            self.progress(SearchProgress(lower, upper, self.plies, self.search.nodes))
        if self.limits.deadline.passed:
            raise DeadlinePassed if self.tree is None else StopSearch

    def tick(self) -> None:
        """Stop where enough states were searched; never before there is a tree."""
        if self.tree is not None and self.search.nodes >= min(self.limits.states, self.limits.effort):
            raise StopSearch

    def states_left(self) -> int:
        """Return how many states may still be searched, or stop where there are none left."""
        left = self.limits.states - self.search.nodes
        if left <= 0:
            raise StopSearch
        return left

    def room(self) -> int:
        """Return how many states a tree may search before the next look, or stop where there are none left."""
        return SLICE if self.tree is None else min(SLICE, self.states_left())

    def search_on(self) -> bool:
        """Search for a while and tell whether there is more to search."""
        left = min(self.states_left(), self.limits.effort - self.search.nodes, MOST_AT_ONCE)
        return self.search.advance_watched(max(1, left), self.look)

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
    game: WeightedGame | CostedGame,
    limits: SearchLimits = NO_LIMITS,
    *,
    incumbent: Tree | None = None,
    previous: ProvedBound | None = None,
    search: CompiledSearch | None = None,
    memo_slots: int = MEMO_SLOTS,
    progress: Callable[[SearchProgress], None] | None = None,
    on_tree: Callable[[Tree], None] | None = None,
) -> ExactResponse:
    """Return the tree of the least weight times depth or cost in all, or, stopped early, the best found and a bound.

    The bound is proved.

    Stopped by a limit of states or of effort it gives the same every time. With a target it only asks whether a tree's
    total can be below that: it stops at the first such tree, or once the lower bound reaches the target.

    Args:
        game: the game and the weights, or what each guess costs.
        limits: when to stop. Where the deadline passes before there is a tree, `DeadlinePassed` is raised.
        incumbent: a tree to begin with.
        previous: a bound that was proved for other weights, which tells something of these.
        search: a search of this game and these weights to go on with: what it has proved is not proved again, and the
            states that it has searched count.
        memo_slots: how many states the memo may hold, a power of two.
        progress: called about ten times a second; it may raise `StopSearch`.
        on_tree: called with every tree that is better than those before.
    """
    upper = NO_BOUND if incumbent is None else game.total(incumbent)
    try:
        search = search or game.new_search(memo_slots, limits.deadline)
    except DeadlinePassed:
        if incumbent is None:
            raise
        return ExactResponse(game.least, upper, incumbent, 0)
    deepening = _Deepening(game, search, limits, progress, on_tree)
    if search.has_formula:
        deepening.tree, deepening.upper = incumbent, upper + 1  # the formula's tree comes back, even if it is no better
        try:
            deepening.consider(search.tree(EXACT, watch=deepening.watch))
            deepening.lower = deepening.upper
        except StopSearch:
            deepening.upper = upper
    else:
        if previous is not None:
            deepening.lower = max(deepening.lower, game.carried_over(previous))
        deepening.tree, deepening.upper = incumbent, upper
        try:
            deepening.consider(search.tree(1, tick=deepening.tick, watch=deepening.watch, room=deepening.room))
            while not deepening.settled:
                deepening.deepen()
        except StopSearch:
            pass
    assert deepening.tree is not None  # no limit stops the search before its first tree
    return ExactResponse(deepening.lower, deepening.upper, deepening.tree, search.nodes)


def warm_up() -> None:
    """Load or compile the search, and the playing of trees that it finds, on a game of five secrets."""
    tiny = Game.from_function("abcde", "abcde", lambda guess, secret: guess == secret)
    exact_response(WeightedGame(tiny, np.ones(5, dtype=np.int64))).tree.depths()
