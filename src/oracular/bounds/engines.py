"""Which search bounds the openings of a hider."""

from __future__ import annotations

from collections.abc import Callable

from oracular.bounds.exact_openings import ExactOpenings, searched_game
from oracular.bounds.opening import OpeningSearch
from oracular.bounds.uniform import UniformOpenings, is_uniform
from oracular.bounds.uniform import warm_up as warm_up_uniform
from oracular.responses import deepening
from oracular.responses.memo_room import OPENING_SLOTS
from oracular.strategies.hider import Hider
from oracular.system.deadline import Deadline


def searches_of(hider: Hider, *, exact: bool = False, sharing: bool = False) -> Callable[[Deadline], OpeningSearch]:
    """Return what makes a search of a hider's openings ready by a deadline; each thread needs one of its own.

    Args:
        hider: the hider.
        exact: whether it is to be the exact search, whoever the hider is.
        sharing: whether the exact search is to make use of what it proved about other openings before.
    """
    if is_uniform(hider) and not (exact or sharing):
        return lambda deadline: UniformOpenings(hider, deadline)
    game = searched_game(hider)
    return lambda deadline: ExactOpenings(hider, game.new_search(OPENING_SLOTS, deadline), sharing=sharing)


def warm_up(hider: Hider) -> None:
    """Load or compile the search of a hider's openings: that is not counted as time."""
    if is_uniform(hider):
        warm_up_uniform()
    else:
        deepening.warm_up()
