"""Bounds of openings by the exact search: for every game and every hider.

Openings are searched independently of each other, so a finished bound does not depend on when, or in which order, they
are searched. Only where it is asked for is a memo kept from one opening to the next, since the same states come up
again after two guesses: then a bound is as true, but a search to as many plies need not prove as much again.
"""

from __future__ import annotations

from collections.abc import Callable

from oracular.bounds.opening import TotalBound
from oracular.games.symmetry import no_symmetry
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.responses.opening_search import OpeningParts
from oracular.strategies.hider import Hider
from oracular.system.deadline import Deadline


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


def searched_game(hider: Hider) -> WeightedGame:
    """Return the game and the weights as openings are searched, each for itself: no symmetry between them is used."""
    return WeightedGame(hider.game, hider.weights, no_symmetry(len(hider.game.guesses)))
