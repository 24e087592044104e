"""The searches that bound the openings of a hider, and which of them serves whom.

There are two: the one for uniform hiders in games of few answers (`uniform.py`), and the exact search, which is for
every game and every hider. Openings are searched independently of each other, so a finished bound does not depend on
when, or in which order, they are searched. Only with `sharing` a memo is kept from one opening to the next, since the
same states come up again after two guesses: then a bound is as true, but a search to as many plies need not prove as
much again.
"""

from __future__ import annotations

from collections.abc import Callable

from oracular.bounds.opening import OpeningSearch, TotalBound
from oracular.bounds.uniform import UniformOpenings, is_uniform
from oracular.bounds.uniform import warm_up as warm_up_uniform
from oracular.games.symmetry import no_symmetry
from oracular.responses import deepening
from oracular.responses.compiled_search import OPENING_SLOTS
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.responses.opening_search import OpeningParts
from oracular.strategies.hider import Hider
from oracular.system.control import Deadline


class ExactOpenings:
    """Bounds openings by the exact search; with `sharing` it makes use of what it proved about others before."""

    def __init__(self, hider: Hider, search: ExactSearch, *, sharing: bool = False) -> None:
        self.hider = hider
        self.search = search
        self.sharing = sharing
        self.plies_beyond = len(hider.game.secrets) if sharing else 0

    @property
    def deadline(self) -> Deadline:
        """When the work on an opening is to end."""
        return self.search.deadline

    @deadline.setter
    def deadline(self, deadline: Deadline) -> None:
        self.search.deadline = deadline

    def bound(self, opening: int, plies: int, ceiling: int, watch: Callable[[], None]) -> TotalBound:
        """Return a proved bound on the total of any tree with an opening, to two plies or more, cut at the ceiling."""
        if not self.sharing:
            self.search.forget()  # with entries of other openings in the memo, the bound would depend on the order
        parts = OpeningParts(self.search, opening)
        parts.deepen(plies - 1, ceiling, watch)
        if parts.total >= ceiling:
            return TotalBound(ceiling, False)
        return TotalBound(parts.total, parts.exact)


def searches_of(hider: Hider, *, exact: bool = False, sharing: bool = False) -> Callable[[Deadline], OpeningSearch]:
    """Return what makes a search of a hider's openings ready by a deadline; each thread needs one of its own.

    Args:
        hider: the hider.
        exact: whether it is to be the exact search, whoever the hider is.
        sharing: whether the exact search is to make use of what it proved about other openings before.
    """
    if is_uniform(hider) and not (exact or sharing):
        return lambda deadline: UniformOpenings(hider, deadline)
    game = WeightedGame(hider.game, hider.weights, no_symmetry(len(hider.game.guesses)))  # each opening for itself
    return lambda deadline: ExactOpenings(hider, game.new_search(OPENING_SLOTS, deadline), sharing=sharing)


def warm_up(hider: Hider) -> None:
    """Load or compile the search of a hider's openings: that is not counted as time."""
    if is_uniform(hider):
        warm_up_uniform()
    else:
        deepening.warm_up()
