"""Lower bounds by the exact search, for any game and any weights: of one opening, or of all trees.

This is the one place where bounds use that search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracular.costs import LARGEST_TOTAL, MORE_GUESSES, NO_BOUND, Costs
from oracular.games.game import Game
from oracular.games.symmetry import no_symmetry
from oracular.objectives import Objective
from oracular.search.best_response import best_response
from oracular.search.letters import TotalBound
from oracular.search.states import Bound, StateSearch, search_table
from oracular.search.trees import StatePart, opened
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline, never

OPENING_SLOTS = 1 << 21
"""The most slots of the memo of a search over openings, of which there may be as many at a time as threads."""

SHARE_OF_A_PLY = 64
"""If there is no ceiling, a bound rises by this part of itself with each ply that is asked for."""

FIRST_STATES = 64
"""A search first checks after this many states, then after as many as take `SECONDS_A_SLICE`."""

SECONDS_A_SLICE = 0.05

LEAST_SECONDS = 1e-3
"""A response takes this long at least, also if there is no time left."""


def new_search(game: Game, weights: NDArray[np.int64], deadline: Deadline) -> StateSearch:
    """Return what searches the openings of a game against these weights, or raise `DeadlinePassed`."""
    table = search_table(game, Costs.mean(weights), deadline, no_symmetry(len(game.guesses)))
    return StateSearch(table, most_slots=OPENING_SLOTS)


def opening_bound(
    search: StateSearch, opening: int, plies: int, ceiling: int, check: Callable[[], None], *, sharing: bool
) -> TotalBound:
    """Return a proved bound on the total of any tree with an opening, cut at the ceiling.

    What is missing to the ceiling is shared out among the parts in proportion to their bounds, in rounds: a part whose
    bound rises easily need not be searched to its end, and mostly that is enough.

    Args:
        search: the search, whose memo may know of other openings.
        opening: the first guess.
        plies: to 2 each part gets the least bound of its guesses by counting; with each more, bounds may rise by a
            64th, or to the ceiling if there is one.
        ceiling: the search ends as soon as the bound reaches this.
        check: called several times a second; it may raise an error to end the search.
        sharing: whether what the memo knows is used; otherwise the bound does not depend on searches before.
    """
    if not sharing:
        search.forget()
    costs = search.table.costs
    parts = opened(search.table.game, costs, [opening]).parts
    for part in parts:
        found = search.bound(part.secrets, part.column, part.constraint, states=0)
        part.lower, part.exact = found.cost, found.exact
    total = costs.unit + sum(part.lower for part in parts)
    if ceiling == NO_BOUND and plies > 2:
        ceiling = total + (plies - 2) * max(1, total // SHARE_OF_A_PLY)
    share = 1.05
    while plies > 2 and total < ceiling and not all(part.exact for part in parts):
        missing, among = ceiling - total, sum(part.lower for part in parts if not part.exact)
        for part in parts:
            if part.exact or total >= ceiling:
                continue
            more = min(ceiling - total, int(share * missing * part.lower / max(1, among)) + 1)
            found = _raised(search, part, part.lower + more, check)
            total += found.cost - part.lower
            part.lower, part.exact = found.cost, found.exact
        share *= 1.5
    return TotalBound(min(total, ceiling), total < ceiling and all(part.exact for part in parts))


def _raised(search: StateSearch, part: StatePart, target: int, check: Callable[[], None]) -> Bound:
    """Return the bound of a part, raised to the target if it costs as much, with a check now and then."""
    lower, states = part.lower, FIRST_STATES
    while True:
        check()
        began, before = time.monotonic(), search.states
        found = search.bound(part.secrets, part.column, part.constraint, target=target, lower=lower, states=states)
        if found.exact or found.cost >= target:
            return Bound(max(found.cost, lower), found.exact, found.guess)
        lower = max(lower, found.cost)
        taken = time.monotonic() - began
        if taken < SECONDS_A_SLICE:
            states *= 2
        elif taken > 2 * SECONDS_A_SLICE and search.states > before:
            states = max(1, states // 2)


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
