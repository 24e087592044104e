"""The tree that costs least among those that begin with a given opening, proved: for every objective but the mean.

The parts that an opening leaves have no secret in common, so each is a search of its own, from the second guess on. A
first tree says what a part costs at most, and a search has to find less or to show that there is no less.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from oracular.games.guessing import FREE
from oracular.kernels.exact.tables import EXACT, NO_BOUND
from oracular.kernels.exact.types import Bounds, Counts
from oracular.responses.compiled_search import MEMO_SLOTS, MOST_AT_ONCE
from oracular.responses.costed_search import CostedGame, CostedSearch
from oracular.responses.deepening import ExactResponse
from oracular.responses.limits import SearchLimits, SearchProgress, StopSearch
from oracular.strategies.tree import Tree, with_guesses
from oracular.system.control import SECONDS_BETWEEN_LOOKS, DeadlinePassed


class _Found(NamedTuple):
    """A tree of a part: what it costs, and its guesses by the secrets, numbered as the game does, as bytes."""

    cost: int
    guesses: dict[bytes, int]


@dataclass
class _Part:
    """The secrets that an opening leaves after one answer, and what is known of their least cost.

    Attributes:
        secrets: as the search numbers them, sorted.
        demand: what hard mode asks of the guesses there.
        lower: no tree of the part costs less.
        upper: what the best tree known costs.
        guesses: the guesses of that tree; none where it is the first tree.
    """

    secrets: Counts
    demand: int
    lower: int
    upper: int
    guesses: dict[bytes, int] = field(default_factory=dict)


class _CostedOpening:
    """The search of the parts of one opening, one after the other, the largest first."""

    def __init__(
        self,
        game: CostedGame,
        opening: int,
        limits: SearchLimits,
        incumbent: Tree,
        progress: Callable[[SearchProgress], None] | None,
    ) -> None:
        self.game, self.limits, self.incumbent, self.progress = game, limits, incumbent, progress
        self.search: CostedSearch = game.new_search(MEMO_SLOTS, limits.deadline)
        search, found = self.search, game.game.found
        row = search.table.answers[opening]
        columns = np.minimum(incumbent.depths()[search.order], search.last + 1) - 1
        costs = search.costs[columns, np.arange(len(columns))]
        self.first = int(search.costs[0][row == found].sum())
        parts = search.parts_after(search.everything, FREE, opening)
        self.parts = [
            _Part(secrets, demand, _counted(search.costs[:, secrets]), int(costs[secrets].sum()))
            for _, secrets, demand in sorted(parts, key=lambda part: -len(part.secrets))
        ]
        self.plies, self.last_news = 1, -np.inf

    @property
    def lower(self) -> int:
        """No tree with this opening costs less."""
        return self.first + sum(part.lower for part in self.parts)

    @property
    def upper(self) -> int:
        """What the best tree known costs."""
        return self.first + sum(part.upper for part in self.parts)

    @property
    def settled(self) -> bool:
        """Whether there is nothing left to find out: the optimum, or whether a tree costs less than the target."""
        target = self.limits.target
        return self.lower >= self.upper or (target is not None and (self.lower >= target or self.upper < target))

    def watch(self) -> None:
        """Report progress now and then, and stop where the time is up."""
        now = time.monotonic()
        if self.progress is not None and now - self.last_news >= SECONDS_BETWEEN_LOOKS:
            self.last_news = now
            unit = self.game.unit
            self.progress(SearchProgress(self.lower / unit, self.upper / unit, self.plies, self.search.nodes))
        if self.limits.deadline.passed:
            raise StopSearch

    def states_left(self) -> int:
        """Return how many states may still be searched, or stop where there are none left."""
        left = self.limits.states - self.search.nodes
        if left <= 0:
            raise StopSearch
        return min(left, MOST_AT_ONCE)

    def run(self) -> None:
        """Search all parts, until nothing is left to find out."""
        for part in self.parts:
            if part.lower < part.upper and not self.settled:
                self.improve(part)

    def improve(self, part: _Part) -> None:
        """Find the least cost of a part, or that the target cannot be met, searching one guess deeper at a time."""
        if self.search.formula(part.secrets, 1, part.demand) is not None:
            self.take(part)
            return
        target = self.limits.target
        cutoff = part.upper if target is None else min(part.upper, part.lower + target - self.lower)

        def look() -> None:
            part.lower = max(part.lower, min(self.search.result()[0], cutoff))
            self.watch()

        self.plies = 0
        while part.lower < part.upper and not self.settled and self.plies < EXACT:
            self.plies += 1
            self.search.begin(part.secrets, cutoff, self.plies, part.demand, 1)
            while self.search.advance_watched(self.states_left(), look):
                pass
            if self.search.result()[1]:
                self.take(part)
                return

    def take(self, part: _Part) -> None:
        """Take up the best tree of a part whose least cost the memo or a formula knows."""
        best = self.best(part)
        if best.cost < part.upper:
            part.upper, part.guesses = best.cost, best.guesses
        part.lower = part.upper

    def best(self, part: _Part) -> _Found:
        """Return the best tree of a part."""
        search, cost, guesses = self.search, 0, {}
        pending = [(part.secrets, 1, part.demand)]
        while pending:
            state, column, demand = pending.pop()
            guess = search.formula(state, column, demand)
            if guess is None:
                search.begin(state, NO_BOUND, EXACT, demand, column)
                while search.advance_watched(self.states_left(), self.watch):
                    pass
                guess = search.result()[2]
            guesses[search.name_of(state)] = guess
            ended = state[search.table.answers[guess][state] == search.table.found]
            cost += int(search.costs[min(column, search.last)][ended].sum())
            pending += [(left.secrets, column + 1, left.demand) for left in search.parts_after(state, demand, guess)]
        return _Found(cost, guesses)

    def tree(self) -> Tree:
        """Return the best tree known."""
        return with_guesses(self.incumbent, [part.guesses for part in self.parts])


def _counted(costs: Bounds) -> int:
    """Return what the secrets of a part [columns, secrets] cost at least: one is found at the second guess."""
    second, third = costs[min(1, len(costs) - 1)], costs[min(2, len(costs) - 1)]
    return int(third.sum() - (third - second).max())


def costed_opening_response(
    game: CostedGame,
    opening: int,
    limits: SearchLimits,
    *,
    incumbent: Tree,
    progress: Callable[[SearchProgress], None] | None = None,
) -> ExactResponse:
    """Return the tree that costs least among those that begin with an opening, or the best found, and a bound.

    Args:
        game: the game, and what each guess costs.
        opening: the first guess.
        limits: when to stop.
        incumbent: a tree that begins with this opening.
        progress: called about ten times a second; it may raise `StopSearch`.
    """
    try:
        search = _CostedOpening(game, opening, limits, incumbent, progress)
    except DeadlinePassed:
        return ExactResponse(game.least, game.total(incumbent), incumbent, 0)
    with suppress(StopSearch, DeadlinePassed):
        search.run()
    tree = search.tree()
    if game.total(tree) != search.upper:
        raise RuntimeError(f"a tree that costs {game.total(tree)} was put together from parts of {search.upper}")
    return ExactResponse(search.lower, search.upper, tree, search.search.nodes)
