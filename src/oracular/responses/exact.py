"""The guesser's best response to a hider, exact and proved, or greedy.

This is the front door to `responses/deepening.py`, for hiders instead of weights and expected guesses, or another
objective, instead of totals. It imports the compiled search when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from oracular import objectives
from oracular.errors import OutOfTimeError, SettingsError
from oracular.evaluation import payoff
from oracular.games.game import Game, Indices
from oracular.games.table import check_table_size
from oracular.objectives import Objective
from oracular.responses.greedy import GreedyOracle, guesser_gbr_uniform
from oracular.responses.limits import (
    ENDLESS,
    SearchLimits,
    SearchProgress,
    check_fits_search,
    counting_bound,
    search_threads,
    stopping,
)
from oracular.search.costs import Costs
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree, tree_by
from oracular.system.checking import checked
from oracular.system.control import Deadline, DeadlinePassed, is_finite
from oracular.system.files import cut, quoted

if TYPE_CHECKING:
    from oracular.responses.deepening import ExactResponse

FIRST_WORK = 1 << 33
"""The answers that a short search before planning looks up, if all its states are as large as can be."""

FIRST_TREE_SECONDS = 10.0
"""A first tree may take so much longer than the time given: without one there would be no bounds to give."""


@checked
@dataclass(frozen=True, eq=False)
class BestResponse:
    """The best tree found against a hider, and what is proved about the best that there is.

    Attributes:
        lower, upper: the best of all trees is proved to be between them. One of them is the tree's own value, exact:
            the upper one where less is better, as with the expected number of guesses, the lower one where more is.
        states: how many states were searched.
        openings: how many openings were worked out where no state is searched: within three guesses in a game of many
            answers.
        objective: what both are bounds on.
        opening: the guess that all trees compared begin with, where one was asked for; else None.
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
    opening: int | None = None
    openings: int = 0

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


@checked
def best_response(
    game: Game,
    weights: ArrayLike | Hider,
    *,
    opening: str | int | None = None,
    objective: Objective | str | Path = "mean",
    exact: bool = True,
    threads: int | None = None,
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
        opening: a guess, or its index: only trees that begin with it count.
        objective: `mean`, `within-4`, `worst`, an `Objective`, or a file with a table of utilities. With `worst` all
            secrets count, whatever their weights: the least number of guesses that always suffices, and against the
            weights the least expected number among the trees that need no more.
        exact: whether to search; if not, the greedy tree is returned, with the bound that counting gives.
        threads: how many parts of an opening are searched at a time, or how many openings within three guesses in a
            game of many answers; by default as many as there are cores, and memory for. It changes nothing in what is
            found.
        time_limit: stop after so many seconds, the making ready included and the compiling not; a first tree may take a
            few seconds more.
        node_limit: stop after so many states; the result is the same every time.
        watcher: called about ten times a second.
        stop: asked as often; the search ends, with what is proved, when it answers True.
    """
    hider = weights if isinstance(weights, Hider) else Hider(game, np.asarray(weights))
    if not hider.game.is_same(game):
        raise SettingsError(f"the hider plays {hider.game!r}, not {game!r}: give one of the same game")
    for name, limit in (("a time limit", time_limit), ("a limit of states", node_limit)):
        if limit is not None and not (is_finite(limit) and limit > 0):
            raise SettingsError(f"{name} of {cut(limit)} asked for: give a number above 0")
    chosen = objectives.objective(objective, game)
    first = None if opening is None else _checked_opening(game, opening)
    at_a_time = search_threads(threads)
    if exact:  # every search needs the table: a list that is far too large is refused before anything is built
        check_table_size(game.name, len(game.guesses), len(game.secrets))
    GreedyOracle.against(hider).engine.warm_up()  # loading and compiling are not counted
    if not chosen.is_mean:
        progress = stopping(stop, watcher)
        return _other_response(hider, chosen, exact, time_limit, node_limit, progress, first, threads)
    if not exact:
        tree = first_tree(hider, Deadline.after(time_limit), first)
        counted = Fraction(counting_bound(hider.weights, len(game.labels) - 1), hider.total)
        return BestResponse(hider, tree, counted, payoff(hider, tree), 0, opening=first)
    from oracular.responses.deepening import warm_up
    from oracular.responses.planned_start import load_planner

    warm_up()
    load_planner(game)
    limits = SearchLimits(Deadline.after(time_limit), states=node_limit or ENDLESS)
    check_fits_search(hider)
    response = mean_response(hider, limits, stopping(stop, watcher), first, at_a_time)
    lower, upper = Fraction(response.lower, hider.total), Fraction(response.upper, hider.total)
    return BestResponse(hider, response.tree, lower, upper, response.nodes, opening=first)


def mean_response(
    hider: Hider, limits: SearchLimits, progress: Callable[[SearchProgress], None], opening: int | None, threads: int
) -> ExactResponse:
    """Return the tree with the least expected number of guesses, of all or of those with an opening, and a bound.

    A short search from the greedy tree comes first, since many a game needs no more. Then a tree is planned, and the
    search goes on from that: with what it has proved, unless there is an opening.
    """
    from oracular.responses.compiled_search import MEMO_SLOTS
    from oracular.responses.deepening import ExactResponse, exact_response
    from oracular.responses.exact_search import WeightedGame
    from oracular.responses.opening_search import opening_response
    from oracular.responses.planned_start import is_planned, planned_for_mean

    game, weighted, deadline = hider.game, WeightedGame.of(hider), limits.deadline
    tree = first_tree(hider, deadline, opening)
    try:
        whole = weighted.new_search(MEMO_SLOTS, deadline) if opening is None else None
    except DeadlinePassed:
        return ExactResponse(weighted.least, weighted.total(tree), tree, 0)

    def search(own: SearchLimits, start: Tree, before: int = 0) -> ExactResponse:
        if opening is None:
            return exact_response(weighted, own, incumbent=start, search=whole, progress=progress)
        own = replace(own, states=own.states_after(before))
        found = opening_response(weighted, opening, own, incumbent=start, threads=threads, progress=progress)
        return replace(found, nodes=before + found.nodes)

    limits = SearchLimits(deadline, states=limits.states)
    if not is_planned(game):
        return search(limits, tree)
    few = max(1, FIRST_WORK // (len(game.guesses) * len(game.secrets)))
    first = search(replace(limits, states=min(few, limits.states)), tree)
    if first.proved or deadline.passed:
        return first
    at = SearchProgress(first.lower / hider.total, first.upper / hider.total, 1, first.nodes)
    planned = planned_for_mean(hider, deadline, lambda: progress(at), opening).tree
    tree = first.tree if planned is None else min(first.tree, planned, key=weighted.total)
    if first.nodes >= limits.states:
        return ExactResponse(first.lower, weighted.total(tree), tree, first.nodes)
    then = search(limits, tree, first.nodes)
    return replace(then, lower=max(first.lower, then.lower))


def _checked_opening(game: Game, opening: str | int) -> int:
    """Return the index of an opening, or say why no tree can be asked to begin with it."""
    if isinstance(opening, str):
        index = game.guess_index(opening)
    elif type(opening) is int and 0 <= opening < len(game.guesses):
        index = opening
    else:
        raise SettingsError(
            f"opening {cut(opening)} is no guess of {game.name}: give a guess, or its index from 0 to "
            f"{len(game.guesses) - 1}"
        )
    against = game.reason_against(index, (), game.all_secrets)
    if against:
        raise SettingsError(against)
    row = game.answers(np.array([index], dtype=np.int32), game.all_secrets)[0]
    if (row == row[0]).all() and row[0] != game.found:
        raise SettingsError(
            f"{quoted(game.guesses[index])} tells no secrets of {game.name} apart, and no tree has a guess that "
            "eliminates nothing: begin with another"
        )
    return index


def start_for_mean(hider: Hider, deadline: Deadline, look: Callable[[], None]) -> Tree:
    """Return a good tree to compare others with: the greedy one, or a planned one where that needs fewer guesses.

    Planning takes a part of the time, and ends where `look`, which is called about ten times a second, raises
    `StopSearch`.
    """
    from oracular.responses.planned_start import is_planned, planned_for_mean

    tree = greedy_tree(hider, deadline)
    planned = planned_for_mean(hider, deadline, look).tree if is_planned(hider.game) else None
    return tree if planned is None else min(tree, planned, key=lambda one: payoff(hider, one))


def _other_response(
    hider: Hider,
    objective: Objective,
    exact: bool,
    time_limit: float | None,
    node_limit: int | None,
    progress: Callable[[SearchProgress], None],
    opening: int | None,
    threads: int | None,
) -> BestResponse:
    """Return the best tree for an objective that is not the mean, of all or of those with an opening."""
    from oracular.responses.costed_opening import costed_opening_response
    from oracular.responses.costed_search import CostedGame, warm_up
    from oracular.responses.deepening import ExactResponse, exact_response
    from oracular.responses.planned_start import is_planned, load_planner, planned_tree
    from oracular.responses.worst import WorstCaseSearch
    from oracular.search import two_guesses

    planned = exact and is_planned(hider.game)
    swept = exact and opening is None and node_limit is None and two_guesses.is_swept(hider.game, objective)
    if exact:
        warm_up()
        load_planner(hider.game)
    if swept:
        two_guesses.warm_up()
    deadline = Deadline.after(time_limit)
    check_fits_search(hider)
    limits = SearchLimits(deadline, states=(node_limit or ENDLESS) if exact else 0)
    tree = first_tree(hider, deadline, opening)
    if objective.is_worst:
        search = WorstCaseSearch(hider, limits, tree, progress, opening)
        if planned:
            search.plan()
        found = search.search()
        lower, upper = Fraction(found.lower), Fraction(found.upper)
        means = found.mean, found.mean_lower
        return BestResponse(hider, found.tree, lower, upper, found.states, objective, *means, opening)

    def in_objective(at: SearchProgress) -> None:
        ends = sorted(float(objective.value(Fraction(loss))) for loss in (at.lower, at.upper))
        progress(replace(at, lower=ends[0], upper=ends[1]))

    costed = CostedGame.against(hider.game, hider.weights, objective)
    if planned and not swept:  # the sweep finds the best tree by itself
        at = SearchProgress(costed.least / costed.unit, costed.total(tree) / costed.unit, 0, 0)
        costs = Costs.of_table(costed.costs, costed.weights)
        other = planned_tree(hider.game, costs, deadline, lambda: in_objective(at), opening)
        tree = tree if other is None else min(tree, other, key=costed.total)
    openings = 0
    if exact and opening is not None:
        response = costed_opening_response(costed, opening, limits, incumbent=tree, progress=in_objective)
    elif swept:
        most = two_guesses.most_within_three(hider.game, hider.weights, deadline, in_objective, threads)
        tree = tree if most.tree is None else min(most.tree, tree, key=costed.total)
        least = max(costed.least, hider.total - most.upper)
        response, openings = ExactResponse(least, costed.total(tree), tree, 0), most.openings
    elif exact:
        response = exact_response(costed, limits, incumbent=tree, progress=in_objective)
    else:
        response = ExactResponse(costed.least, costed.total(tree), tree, 0)
    ends = objective.bounds(Fraction(response.lower, hider.total), Fraction(response.upper, hider.total))
    return BestResponse(hider, response.tree, *ends, response.nodes, objective, opening=opening, openings=openings)


def first_tree(hider: Hider, deadline: Deadline, opening: int | None = None) -> Tree:
    """Return the greedy tree, even where the time is over a little before it is there."""
    return greedy_tree(hider, deadline.later(FIRST_TREE_SECONDS), opening)


def greedy_tree(hider: Hider, deadline: Deadline, opening: int | None = None) -> Tree:
    """Return the greedy tree, or that with a given opening, or say that there was no time even for that."""
    oracle = GreedyOracle.against(hider, ties="possible")

    def choose(state: Indices, demand: int) -> int:
        deadline.check()
        if opening is not None and len(state) == len(hider.weights):
            return opening
        return oracle.engine.guess(oracle.weights, state, deadline, demand)

    try:
        hider.game.prepare(deadline)
        return tree_by(hider.game, choose)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before there was a first tree for {hider.game.name}: give more time, or choose a "
            "smaller game"
        ) from None
