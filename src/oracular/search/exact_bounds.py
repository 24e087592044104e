"""Lower bounds by the exact search, for any game and any weights: of one opening, or of all trees.

This is the one place where bounds use that search.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.games.symmetry import no_symmetry
from oracular.objectives import Objective
from oracular.responses import costed_search, deepening
from oracular.responses.compiled_search import OPENING_SLOTS
from oracular.responses.costed_search import CostedGame, game_against
from oracular.responses.deepening import exact_response
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.responses.limits import LARGEST_TOTAL, SearchLimits, SearchProgress
from oracular.responses.opening_search import OpeningParts
from oracular.responses.planned_start import is_planned, load_planner, planned_for_mean, planned_tree
from oracular.search import two_guesses
from oracular.search.costs import Costs
from oracular.search.letters import TotalBound
from oracular.search.two_guesses import is_swept, most_within_three
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline, DeadlinePassed


def new_search(game: Game, weights: NDArray[np.int64], deadline: Deadline) -> ExactSearch:
    """Return what searches the openings of a game against these weights, or raise `DeadlinePassed`."""
    search = WeightedGame(game, weights, no_symmetry(len(game.guesses))).new_search(OPENING_SLOTS, deadline)
    search.deadline = NEVER  # from here on whoever searches ends it
    return search


def opening_bound(
    search: ExactSearch, opening: int, plies: int, ceiling: int, check: Callable[[], None], *, sharing: bool
) -> TotalBound:
    """Return a proved bound on the total of any tree with an opening, cut at the ceiling.

    Args:
        search: the search, whose memo may know of other openings.
        opening: the first guess.
        plies: to how many guesses to search, two or more.
        ceiling: the search ends as soon as the bound reaches this.
        check: called several times a second; it may raise an error to end the search.
        sharing: whether what the memo knows is used; otherwise the bound does not depend on searches before.
    """
    if not sharing:
        search.forget()
    parts = OpeningParts(search, opening)
    parts.deepen(plies - 1, ceiling, check)
    if parts.total >= ceiling:
        return TotalBound(ceiling, False)
    return TotalBound(parts.total, parts.exact)


def proved_bound(
    game: Game,
    weights: NDArray[Any],
    objective: Objective,
    deadline: Deadline = NEVER,
    *,
    threads: int | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> tuple[Fraction, Tree | None]:
    """Return an expected loss that no guesser goes below against these weights, and the best tree met on the way.

    The bound is proved, and the more time there is the better it is: after long enough it is what the tree loses. There
    is no tree if not even a first one was found by the deadline. `objective.value` turns a loss into the objective.

    Args:
        game: the game.
        weights: the hider's, whole numbers of any size [secrets].
        objective: what a guesser is worth; not `worst`, which is no expected loss.
        deadline: when to end.
        threads: how many to use where there are three guesses in a game of many answers; by default one for each core.
        progress: called about ten times a second with bounds on the loss; it may raise `StopSearch`.
    """
    objective.check_is_mixed(game)
    hider = Hider(game, np.asarray(weights))
    most = max(objective.largest_loss or 0, len(game.secrets) + 3) * max(hider.weights.tolist()) * len(game.secrets)
    shift = max(0, most.bit_length() - LARGEST_TOTAL.bit_length() + 1)  # smaller weights cost less: still a bound
    scaled = np.array([weight >> shift for weight in hider.weights.tolist()], np.int64)
    costed = game_against(game, scaled, objective)
    if is_swept(game, objective):
        found = most_within_three(game, scaled, deadline, progress, threads)
        least = max(costed.least, int(scaled.sum()) - found.upper)
        return Fraction(least << shift, hider.total), found.tree
    start = _planned(costed, deadline, progress)
    try:
        response = exact_response(costed, SearchLimits(deadline), incumbent=start, progress=progress)
    except DeadlinePassed:
        return Fraction(costed.least << shift, hider.total), None
    return Fraction(response.lower << shift, hider.total), response.tree


def _planned(
    costed: WeightedGame | CostedGame, deadline: Deadline, progress: Callable[[SearchProgress], None] | None
) -> Tree | None:
    """Return a planned tree, or None in a game that is not planned for, or where there was no time for one."""
    if not is_planned(costed.game):
        return None
    at = SearchProgress(costed.least / costed.unit, math.inf, 0, 0)

    def look() -> None:
        if progress is not None:
            progress(at)

    if isinstance(costed, CostedGame):
        return planned_tree(costed.game, Costs.of_table(costed.costs, costed.weights), deadline, look)
    return planned_for_mean(Hider(costed.game, costed.weights), deadline, look).tree


def warm_up(game: Game, objective: Objective) -> None:
    """Load or compile what bounds in this game and objective need."""
    if is_swept(game, objective):
        two_guesses.warm_up()
        return
    (deepening if objective.is_mean else costed_search).warm_up()
    load_planner(game)
