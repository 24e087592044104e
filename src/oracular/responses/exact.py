"""The guesser's best response to a hider, exact and proved, or greedy.

This is the front door to `responses/deepening.py`, for hiders instead of weights and expected guesses, or another
objective, instead of totals. It imports the compiled search when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from oracular import objectives
from oracular.errors import OutOfTimeError, SettingsError
from oracular.evaluation import payoff
from oracular.games.game import Game, Indices, check_game
from oracular.objectives import Objective
from oracular.responses.greedy import GreedyOracle, guesser_gbr_uniform
from oracular.responses.limits import ENDLESS, SearchLimits, SearchProgress, check_fits_search, counting_bound, stopping
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree, tree_by
from oracular.system.deadline import Deadline, DeadlinePassed, is_finite
from oracular.system.files import cut


@dataclass(frozen=True, eq=False)
class BestResponse:
    """The best tree found against a hider, and what is proved about the best that there is.

    Attributes:
        lower, upper: the best of all trees is proved to be between them. One of them is the tree's own value, exact:
            the upper one where less is better, as with the expected number of guesses, the lower one where more is.
        states: how many states were searched.
        objective: what both are bounds on.
        mean: for the objective `worst` the tree's expected number of guesses; else None.
        mean_lower: no tree that needs at most `upper` guesses has a smaller one: proved; None for other objectives.
    """

    hider: Hider
    tree: Tree
    lower: Fraction
    upper: Fraction
    states: int
    objective: Objective = field(default_factory=objectives.mean)
    mean: Fraction | None = None
    mean_lower: Fraction | None = None

    @property
    def proved(self) -> bool:
        """Whether the tree is proved to be a best response; for `worst` the best mean among those is part of it."""
        if self.lower != self.upper:
            return False
        return not self.objective.is_worst or self.mean == self.mean_lower

    @property
    def most_guesses(self) -> int:
        """The most guesses that the tree needs for any secret."""
        return int(self.tree.depths().max())

    @property
    def oracle(self) -> Tree:
        """The tree, with a greedy oracle for states that it never comes to."""
        return with_greedy_fallback(self.tree)


def with_greedy_fallback(tree: Tree) -> Tree:
    """Return the tree with the greedy response to a uniform hider for states that it never comes to."""
    return replace(tree, fallback=guesser_gbr_uniform(tree.game, "possible"))


def best_response(
    game: Game,
    weights: ArrayLike | Hider,
    *,
    objective: Objective | str | Path = "mean",
    exact: bool = True,
    time_limit: float | None = None,
    node_limit: int | None = None,
    watcher: Callable[[SearchProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> BestResponse:
    """Return the tree with the least expected number of guesses against a hider, or the best for another objective.

    The exact search is branch and bound. Stopped early by a limit it returns the best tree found and a proved bound.
    Secrets of weight zero are found by the tree as well.

    Args:
        game: the game.
        weights: a whole number for each secret, or a hider.
        objective: `mean`, `within-4`, `worst`, an `Objective`, or a file with a table of utilities. With `worst` all
            secrets count, whatever their weights: the least number of guesses that always suffices, and against the
            weights the least expected number among the trees that need no more.
        exact: whether to search; if not, the greedy tree is returned, with the bound that counting gives.
        time_limit: stop after so many seconds, the making ready included and the compiling not.
        node_limit: stop after so many states; the result is the same every time.
        watcher: called about ten times a second.
        stop: asked as often; the search ends, with what is proved, when it answers True.
    """
    check_game(game)
    hider = weights if isinstance(weights, Hider) else Hider(game, np.asarray(weights))
    if not hider.game.is_same(game):
        raise SettingsError(f"the hider plays {hider.game!r}, not {game!r}: give one of the same game")
    for name, limit in (("a time limit", time_limit), ("a limit of states", node_limit)):
        if limit is not None and not (is_finite(limit) and limit > 0):
            raise SettingsError(f"{name} of {cut(limit)} asked for: give a number above 0")
    chosen = objectives.objective(objective, game)
    GreedyOracle.against(hider).engine.warm_up()  # loading and compiling are not counted
    if not chosen.is_mean:
        return _other_response(hider, chosen, exact, time_limit, node_limit, stopping(stop, watcher))
    if not exact:
        tree = greedy_tree(hider, Deadline.after(time_limit))
        counted = Fraction(counting_bound(hider.weights, len(game.labels) - 1), hider.total)
        return BestResponse(hider, tree, counted, payoff(hider, tree), 0)
    from oracular.responses.deepening import exact_response, warm_up
    from oracular.responses.exact_search import WeightedGame

    warm_up()
    deadline = Deadline.after(time_limit)
    check_fits_search(hider)
    response = exact_response(
        WeightedGame.of(hider),
        SearchLimits(deadline, states=node_limit or ENDLESS),
        incumbent=greedy_tree(hider, deadline),
        progress=stopping(stop, watcher),
    )
    lower, upper = Fraction(response.lower, hider.total), Fraction(response.upper, hider.total)
    return BestResponse(hider, response.tree, lower, upper, response.nodes)


def _other_response(
    hider: Hider,
    objective: Objective,
    exact: bool,
    time_limit: float | None,
    node_limit: int | None,
    progress: Callable[[SearchProgress], None],
) -> BestResponse:
    """Return the best tree for an objective that is not the mean."""
    from oracular.responses.costed_search import CostedGame, warm_up
    from oracular.responses.deepening import ExactResponse, exact_response
    from oracular.responses.planned_start import is_planned, planned_tree
    from oracular.responses.planned_start import warm_up as warm_up_planner
    from oracular.responses.worst import WorstCaseSearch

    planned = exact and is_planned(hider.game)
    if exact:
        warm_up()
    if planned:
        warm_up_planner()
    deadline = Deadline.after(time_limit)
    check_fits_search(hider)
    limits = SearchLimits(deadline, states=(node_limit or ENDLESS) if exact else 0)
    tree = greedy_tree(hider, deadline)
    if objective.is_worst:
        search = WorstCaseSearch(hider, limits, tree, progress)
        if planned:
            search.plan()
        found = search.search()
        lower, upper = Fraction(found.lower), Fraction(found.upper)
        return BestResponse(hider, found.tree, lower, upper, found.states, objective, found.mean, found.mean_lower)

    def in_objective(at: SearchProgress) -> None:
        ends = sorted(float(objective.value(Fraction(loss))) for loss in (at.lower, at.upper))
        progress(SearchProgress(ends[0], ends[1], at.plies, at.states))

    costed = CostedGame.against(hider.game, hider.weights, objective)
    if planned:
        at = SearchProgress(costed.least / costed.unit, costed.total(tree) / costed.unit, 0, 0)
        other = planned_tree(hider.game, costed.costs, deadline, lambda: in_objective(at))
        tree = tree if other is None else min(tree, other, key=costed.total)
    if exact:
        response = exact_response(costed, limits, incumbent=tree, progress=in_objective)
    else:
        response = ExactResponse(costed.least, costed.total(tree), tree, 0)
    ends = objective.bounds(Fraction(response.lower, hider.total), Fraction(response.upper, hider.total))
    return BestResponse(hider, response.tree, *ends, response.nodes, objective)


def greedy_tree(hider: Hider, deadline: Deadline) -> Tree:
    """Return the greedy tree, or say that there was no time even for that."""
    oracle = GreedyOracle.against(hider, ties="possible")

    def choose(state: Indices, demand: int) -> int:
        deadline.check()
        return oracle.engine.guess(oracle.weights, state, deadline, demand)

    try:
        hider.game.prepare(deadline)
        return tree_by(hider.game, choose)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before there was a first tree for {hider.game.name}: give more time, or choose a "
            "smaller game"
        ) from None
