"""The least number of guesses that always suffices, and the best mean among the trees that need no more.

All secrets count, those of weight zero too. Whether K guesses suffice is asked of the search as a loss of 1 for every
secret that is found later; a tree that loses nothing answers yes, a lower bound above 0 no. Then finding a secret costs
its weight times the guess number, and more than any such tree in all where that is above K.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from oracular.evaluation import payoff
from oracular.kernels.exact.types import Bounds
from oracular.responses.costed_opening import costed_opening_response
from oracular.responses.costed_search import CostedGame
from oracular.responses.deepening import ExactResponse, exact_response
from oracular.responses.limits import (
    ENDLESS,
    LARGEST_TOTAL,
    SearchLimits,
    SearchProgress,
    StopSearch,
    counting_bound,
    depths_by_rank,
)
from oracular.responses.planned_start import planned_tree
from oracular.search.costs import Costs
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree

MOST_CELLS = 1 << 24
"""The mean is not searched for where the guesses that suffice times the secrets are more than this."""


class WorstCase(NamedTuple):
    """What is proved about the number of guesses that always suffices, and the mean of the best tree.

    lower, upper: so many guesses are needed, and so many suffice
    mean, mean_lower: what the tree needs on average, and what is proved of all trees that need no more than `upper`
    """

    tree: Tree
    lower: int
    upper: int
    mean: Fraction
    mean_lower: Fraction
    states: int


class WorstCaseSearch:
    """The searches for one hider, with the limits that they share; with an opening, among the trees that begin with it.

    Where there is a limit, a question that stays open takes half of what is left, so that the others are asked too.
    """

    def __init__(
        self,
        hider: Hider,
        limits: SearchLimits,
        incumbent: Tree,
        progress: Callable[[SearchProgress], None],
        opening: int | None = None,
    ) -> None:
        self.hider, self.game = hider, hider.game
        self.limits, self.progress, self.opening = limits, progress, opening
        self.take(incumbent)
        self.lower = self.counted()
        self.states = 0
        self.stopped = False

    def take(self, tree: Tree) -> None:
        """Make this the best tree so far: it needs no more guesses at worst than the one before."""
        self.tree, self.upper = tree, int(tree.depths().max())

    def counted(self) -> int:
        """Return how many guesses are needed by counting: of all trees, or of those that begin with the opening."""
        secrets, branches = len(self.game.secrets), len(self.game.labels) - 1
        if self.opening is None:
            return int(depths_by_rank(secrets, branches).max())
        row = self.game.answers(np.array([self.opening], np.int32), self.game.all_secrets)[0]
        sizes = np.bincount(row[row != self.game.found])
        return 1 + (int(depths_by_rank(int(sizes.max()), branches).max()) if len(sizes) else 0)

    def plan(self) -> None:
        """Take up planned trees, each of which needs fewer guesses at worst than the one before, while any does."""
        while self.lower < self.upper and not self.ended:
            costs = self.mean_costs(self.upper - 1)
            if costs is None:
                return
            asked = Costs.of_table(costs, self.hider.weights)
            tree = planned_tree(self.game, asked, self.limits.deadline, self.look, self.opening)
            if tree is None or int(tree.depths().max()) >= self.upper:
                return
            self.take(tree)

    def search(self) -> WorstCase:
        """Return the best tree and what is proved, when all is proved or the limits are reached."""
        within = self.lower
        while within < self.upper and not self.ended:
            if self.suffices(within):
                break
            within += 1
        counted = Fraction(counting_bound(self.hider.weights, len(self.game.labels) - 1), self.hider.total)
        mean_lower = counted if counted == self.mean else max(counted, self.best_mean())
        mean = self.mean
        return WorstCase(self.tree, self.lower, self.upper, mean, mean_lower, self.states)

    @property
    def mean(self) -> Fraction:
        """What the tree needs on average."""
        return payoff(self.hider, self.tree)

    @property
    def ended(self) -> bool:
        """Whether a limit is reached."""
        return self.stopped or self.limits.deadline.passed or self.states >= self.limits.states

    def half(self) -> SearchLimits:
        """Return limits of half of what is left, for a question whether a tree loses nothing."""
        deadline, states = self.limits.deadline, self.limits.states_after(self.states)
        if deadline.left < math.inf:
            deadline = deadline.or_after(deadline.left / 2)
        return SearchLimits(deadline, states if states == ENDLESS else max(1, states // 2), target=1)

    def suffices(self, guesses: int) -> bool:
        """Tell whether a tree that needs so many guesses at most has been found."""
        secrets = len(self.game.secrets)
        costs = np.zeros((secrets, guesses + 1), np.int64)
        costs[:, guesses] = 1
        found = self.respond(CostedGame(self.game, costs, np.ones(secrets, np.int64)), self.half())
        if found.upper == 0:
            self.take(found.tree)
            return True
        if found.lower > 0:  # nor do fewer guesses suffice, even where that stayed open
            self.lower = max(self.lower, guesses + 1)
        return False

    def best_mean(self) -> Fraction:
        """Return what is proved about the mean of trees that need at most `upper` guesses; keep the best one met."""
        costs = self.mean_costs(self.upper)
        if costs is None or self.ended:
            return Fraction(1)
        limits = SearchLimits(self.limits.deadline, self.limits.states_after(self.states))
        found = self.respond(CostedGame(self.game, costs, self.hider.weights), limits)
        self.take(found.tree)  # it may need fewer guesses at worst than was asked for
        return Fraction(found.lower, self.hider.total)

    def mean_costs(self, most: int) -> Bounds | None:
        """Return weight times guess number, with guesses above the `most` costing more than all else, if that fits."""
        weights, secrets = self.hider.weights, len(self.game.secrets)
        beyond = (most - 1) * self.hider.total + 1
        if secrets * (beyond + most * int(weights.max())) >= LARGEST_TOTAL or secrets * most > MOST_CELLS:
            return None
        late = weights * most + beyond
        return np.concatenate([np.outer(weights, np.arange(1, most + 1)), late[:, None]], axis=1)

    def respond(self, game: CostedGame, limits: SearchLimits) -> ExactResponse:
        """Return what a search finds that begins with the best tree so far; its states are counted."""
        if self.opening is None:
            found = exact_response(game, limits, incumbent=self.tree, progress=self.watch)
        else:
            found = costed_opening_response(game, self.opening, limits, incumbent=self.tree, progress=self.watch)
        self.states += found.nodes
        return found

    def watch(self, at: SearchProgress) -> None:
        """Report progress of a search, or note that the watcher ends it all."""
        try:
            self.progress(SearchProgress(self.lower, self.upper, at.plies, self.states + at.states))
        except StopSearch:
            self.stopped = True
            raise

    def look(self) -> None:
        """Report progress where nothing is searched."""
        self.watch(SearchProgress(self.lower, self.upper, 0, 0))
