"""A lower bound on all trees that begin with one opening, by counting or by search.

An opening's bound to k plies is the weight of all secrets plus the bounds to k - 1 plies of the parts that it leaves.
There are two searches for it (`engines.py`): one for hiders who give some secrets the same weight in games of few
answers, and the exact search for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from oracular.errors import OutOfTimeError
from oracular.games.symmetry import orbits
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.exact import greedy_tree
from oracular.responses.exact_search import WeightedGame
from oracular.responses.limits import depths_by_rank
from oracular.strategies.hider import Hider
from oracular.system.control import NEVER, Deadline, DeadlinePassed, ShouldStop

FEW_DEPTHS = 2
"""To so many depths a recorded bound is searched for before a tree is asked whether it can be true."""

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: it cannot be raised further."""


class TotalBound(NamedTuple):
    """A lower bound on a total of weight times guesses, and whether it is the optimum."""

    total: int
    exact: bool


@dataclass(order=True, frozen=True)
class OpeningBound:
    """No tree that begins with this opening has a smaller total of weight times guesses: proved here, or recorded.

    It was searched to so many plies, or is PROVED.
    """

    bound: int
    opening: int
    plies: int


class OpeningSearch(Protocol):
    """Bounds the openings of one hider, one after another; a thread has it to itself.

    Attributes:
        deadline: when the work on an opening is to end; it is set before each.
        plies_beyond: how many plies more than were recorded it may take to prove a recorded bound again.
    """

    deadline: Deadline
    plies_beyond: int

    @property
    def hider(self) -> Hider:
        """The hider."""

    def bound(self, opening: int, plies: int, ceiling: int, watch: Callable[[], None]) -> TotalBound:
        """Return a proved bound on the total of any tree with an opening, to two plies or more, cut at the ceiling.

        Several times a second it calls `watch`, which may raise an error to end it.
        """


def deepened(
    search: OpeningSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop, ceiling: int = NO_BOUND
) -> OpeningBound | None:
    """Return the bound of an opening searched one ply deeper than before, or None if it is stopped first.

    The search ends once the bound reaches the ceiling. If there is one, the search to the same depth as before comes
    first: it may have ended at a lower ceiling then, and often it is enough.
    """
    watch = watching(deadline, stop)
    deeper = known.plies + 1
    for plies in (deeper,) if ceiling == NO_BOUND or known.plies == 1 else (known.plies, deeper):
        try:
            bound = search.bound(known.opening, plies, ceiling, watch)
        except DeadlinePassed:
            return None
        if bound.exact:  # the optimum may be below the known bound, which was false then
            return OpeningBound(bound.total, known.opening, PROVED)
        if bound.total >= ceiling:
            return OpeningBound(bound.total, known.opening, plies)
    return OpeningBound(max(bound.total, known.bound), known.opening, deeper)


def watching(deadline: Deadline, stop: ShouldStop) -> Callable[[], None]:
    """Return what a search calls now and then: it raises `DeadlinePassed` once it is to end."""

    def watch() -> None:
        if stop():
            raise DeadlinePassed
        deadline.check()

    return watch


def is_deepened(known: OpeningBound, answer: OpeningBound, ceiling: int) -> bool:
    """Tell whether `deepened` can come to an answer of so many plies: one more, or as many where that was enough."""
    enough = answer.bound >= ceiling and answer.plies == known.plies > 1
    return enough or answer.plies in (known.plies + 1, PROVED)


def holds(search: OpeningSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop) -> bool:
    """Return whether the recorded bound of an opening is proved again by a search of as many plies as it records.

    A search that ends at the bound comes first, since it is quick. If it does not prove the bound to a few plies, a
    tree may show at once that it is false; deeper searches for what is not there take long. Then the search is repeated
    as it was made, without that ceiling, or goes on to more plies than recorded where it may take more. A bound
    recorded as the optimum must be the optimum.
    """
    optimum, watch = known.plies == PROVED, watching(deadline, stop)

    def proves(ceiling: int, depths: range) -> bool | None:
        """Tell whether a search to one of these depths proves or refutes the bound, or None."""
        for plies in depths:
            again = search.bound(known.opening, plies, ceiling, watch)
            if again.exact:
                return again.total == known.bound if optimum else again.total >= known.bound
            if again.total >= known.bound and not optimum:
                return True
        return None

    deepest = len(search.hider.game.secrets) + 2
    as_recorded = range(2, min(known.plies, deepest) + 1)
    proved = None if optimum else proves(known.bound, as_recorded[:FEW_DEPTHS])
    if proved is None and known.bound > greedy_total(search.hider, known.opening, deadline):
        return False
    if proved is None and not optimum:
        proved = proves(known.bound, as_recorded[FEW_DEPTHS:])
    if proved is None and not search.plies_beyond:
        proved = proves(NO_BOUND, as_recorded)
    elif proved is None:
        deeper = range(as_recorded.stop, min(as_recorded.stop + search.plies_beyond, deepest + 1))
        proved = proves(NO_BOUND, as_recorded) if optimum else proves(known.bound, deeper)
    return proved or False


def greedy_total(hider: Hider, opening: int, deadline: Deadline = NEVER) -> int:
    """Return the total of a tree with this opening: no bound on such trees can be above it."""
    try:
        return WeightedGame.of(hider).total(greedy_tree(hider, deadline, opening))
    except OutOfTimeError:
        raise DeadlinePassed from None


def counting_bounds(hider: Hider, deadline: Deadline = NEVER) -> dict[int, int]:
    """Return for each different opening the bound that counting gives for its parts (see `depths_by_rank`)."""
    game = hider.game
    table = game.table_by(deadline)
    order = np.argsort(-hider.weights, kind="stable")
    weights = hider.weights[order]
    depth_of_rank = depths_by_rank(len(weights), len(game.labels) - 1).astype(weights.dtype)
    bounds = {}
    places = np.arange(len(weights))
    for opening in different_openings(hider, deadline):
        deadline.check()
        row = table[opening][order]
        parts = np.argsort(row, kind="stable")  # part after part, the heaviest of each first
        sizes = np.bincount(row)
        ranks = places - np.repeat(np.cumsum(sizes) - sizes, sizes)
        after = row[parts] != game.found
        bounds[opening] = hider.total + int(weights[parts][after] @ depth_of_rank[ranks[after]])
    return bounds


def different_openings(hider: Hider, deadline: Deadline = NEVER) -> list[int]:
    """Return the openings that need a bound of their own: each splits the secrets in its own way, or is a secret.

    Of openings that a symmetry of game and weights maps to each other, the first is kept. In a game of one secret the
    only opening is the guess that finds it.
    """
    game = hider.game
    if len(game.secrets) == 1:
        return [int(game.guess_of_secret[0])]
    table = game.table_by(deadline)
    kept_symmetries = [s.guesses for s in game.checked_symmetries if (hider.weights[s.secrets] == hider.weights).all()]
    first = orbits(len(game.guesses), kept_symmetries)
    seen: set[bytes] = set()
    kept = []
    for guess in game.allowed(game.all_secrets).tolist():
        deadline.check()
        row = table[guess]
        if first[guess] != guess or (row == row[0]).all():
            continue
        split = (np.cumsum(np.bincount(row) > 0) - 1).astype(np.uint8)[row].tobytes()  # answers numbered from 0
        if game.secret_of_guess[guess] >= 0 or game.guessing.demands or split not in seen:
            kept.append(guess)
        seen.add(split)
    return kept
