"""A proved lower bound on the expected loss of any guesser against a hider, for every objective.

Like every search for a best response in a large game, this one starts from a planned tree.
For the mean there is `LowerBound` too, which goes opening by opening, on many threads, and can be kept in a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.objectives import Objective
from oracular.responses import costed_search, deepening
from oracular.responses.costed_search import CostedGame, game_against
from oracular.responses.deepening import exact_response
from oracular.responses.exact_search import WeightedGame
from oracular.responses.limits import LARGEST_TOTAL, SearchLimits, SearchProgress
from oracular.responses.planned_start import is_planned, load_planner, planned_for_mean, planned_tree
from oracular.search import two_guesses
from oracular.search.costs import Costs
from oracular.search.two_guesses import is_swept, most_within_three
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline, DeadlinePassed


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
    """Load or compile what a bound in this game and objective needs."""
    if is_swept(game, objective):
        two_guesses.warm_up()
        return
    (deepening if objective.is_mean else costed_search).warm_up()
    load_planner(game)
