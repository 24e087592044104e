"""Lower bounds by the exact search, for any game and any weights: of one opening, or of all trees.

This is the one place where bounds use that search.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.games.symmetry import no_symmetry
from oracular.objectives import Objective
from oracular.responses.compiled_search import OPENING_SLOTS
from oracular.responses.exact import best_response
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.responses.opening_search import OpeningParts
from oracular.search.costs import LARGEST_TOTAL, MORE_GUESSES
from oracular.search.letters import TotalBound
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline, never

LEAST_SECONDS = 1e-3
"""A response takes this long at least, also if there is no time left."""


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
    hider: Hider,
    objective: Objective,
    deadline: Deadline = NEVER,
    *,
    threads: int | None = None,
    stop: Callable[[], bool] = never,
) -> tuple[Fraction, Tree]:
    """Return a proved bound on what any guesser gets against a hider, in the objective, and the best tree found.

    The more time there is, the better it is: after long enough it is what the tree gets.

    Args:
        hider: the hider, whose weights may be of any size.
        objective: what a guesser is worth; not `worst`, which is no expected loss.
        deadline: when to end.
        threads: how many to use; by default one for each core.
        stop: called about ten times a second; once it returns True, the search ends.
    """
    game, secrets = hider.game, len(hider.game.secrets)
    objective.check_is_mixed(game)
    largest = max(objective.largest_loss or 0, secrets + MORE_GUESSES + 1) * max(hider.weights.tolist()) * secrets
    shift = max(0, largest.bit_length() - LARGEST_TOTAL.bit_length() + 1)  # smaller weights cost less: still a bound
    smaller = np.array([weight >> shift for weight in hider.weights.tolist()], np.int64)
    seconds = None if deadline == NEVER else max(deadline.left, LEAST_SECONDS)
    response = best_response(game, smaller, objective=objective, threads=threads, time_limit=seconds, stop=stop)
    loss = objective.loss(response.lower if objective.less_is_better else response.upper)
    return objective.value(loss * int(smaller.sum()) * (1 << shift) / hider.total), response.tree
