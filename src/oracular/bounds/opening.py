"""A lower bound on all trees that begin with one opening, by counting or by search.

An opening's bound to k plies is the weight of all secrets plus the bounds to k - 1 plies of the parts that it leaves.
Openings are searched independently of each other, so a finished bound does not depend on when, or in which order, they
are searched. Only where it is asked for is a memo kept from one opening to the next, since the same states come up
again after two guesses: then a bound is as true, but a search to as many plies need not prove as much again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from oracular.errors import OutOfTimeError
from oracular.games.symmetry import no_symmetry, orbits
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.exact import greedy_tree
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.responses.limits import depths_by_rank
from oracular.responses.memo_room import OPENING_SLOTS
from oracular.responses.opening_search import OpeningParts
from oracular.strategies.hider import Hider
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed
from oracular.system.progress import ShouldStop

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: it cannot be raised further."""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """No tree that begins with this opening has a smaller total of weight times guesses: proved here, or recorded.

    It was searched to so many plies, or is PROVED.
    """

    bound: int
    opening: int
    plies: int


class TotalBound(NamedTuple):
    """A lower bound on a total of weight times guesses, and whether it is the optimum."""

    total: int
    exact: bool


def new_search(hider: Hider, deadline: Deadline) -> ExactSearch:
    """Return a search for the openings of a hider; one thread can use it for all of them, one after another.

    Raises `DeadlinePassed` where it cannot be made ready in time. Until when each opening is searched is said later.
    """
    return searched_game(hider).new_search(OPENING_SLOTS, deadline)


def searched_game(hider: Hider) -> WeightedGame:
    """Return the game and the weights as openings are searched, each for itself: no symmetry between them is used."""
    return WeightedGame(hider.game, hider.weights, no_symmetry(len(hider.game.guesses)))


def deepened(
    search: ExactSearch,
    known: OpeningBound,
    deadline: Deadline,
    stop: ShouldStop,
    ceiling: int = NO_BOUND,
    *,
    sharing: bool = False,
) -> OpeningBound | None:
    """Return the bound of an opening searched one ply deeper than before, or None if it is stopped first.

    The search ends once the bound reaches the ceiling. Where there is one, the search as deep as before comes first: it
    may have ended at a lower ceiling then, and often it is enough.
    """
    deeper = known.plies + 1
    for plies in (deeper,) if ceiling == NO_BOUND or known.plies == 1 else (known.plies, deeper):
        try:
            bound = opening_bound(search, known.opening, plies, deadline, stop, ceiling, sharing=sharing)
        except DeadlinePassed:
            return None
        if bound.exact:  # the optimum may be below the known bound, which was false then
            return OpeningBound(bound.total, known.opening, PROVED)
        if bound.total >= ceiling:
            return OpeningBound(bound.total, known.opening, plies)
    return OpeningBound(max(bound.total, known.bound), known.opening, deeper)


def is_deepened(known: OpeningBound, answer: OpeningBound, ceiling: int) -> bool:
    """Tell whether `deepened` can come to an answer of so many plies: one more, or as many where that was enough."""
    enough = answer.bound >= ceiling and answer.plies == known.plies > 1
    return enough or answer.plies in (known.plies + 1, PROVED)


def holds(
    search: ExactSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop, *, sharing: bool = False
) -> bool:
    """Return whether the recorded bound of an opening is proved again by a search of as many plies as it records.

    A search that ends at the bound comes first, since it is quick. If it does not prove the bound, the search is
    repeated as it was made, without that ceiling. A bound recorded as the optimum must be the optimum. Where the bound
    was found with what is known of other openings, the search goes as deep as it takes, unless a tree shows at once
    that the bound is false.
    """
    optimum = known.plies == PROVED

    def proves(ceiling: int, depths: range) -> bool | None:
        """Tell whether a search to one of these depths proves or refutes the bound, or None."""
        for plies in depths:
            again = opening_bound(search, known.opening, plies, deadline, stop, ceiling, sharing=sharing)
            if again.exact:
                return again.total == known.bound if optimum else again.total >= known.bound
            if again.total >= known.bound and not optimum:
                return True
        return None

    deepest = len(search.order) + 2
    as_recorded = range(2, min(known.plies, deepest) + 1)
    proved = None if optimum else proves(known.bound, as_recorded)
    if proved is None and not sharing:
        proved = proves(NO_BOUND, as_recorded)
    elif proved is None:
        if known.bound > greedy_total(_hider_of(search), known.opening, deadline):
            return False
        deeper = range(as_recorded.stop, deepest + 1)
        proved = proves(NO_BOUND, as_recorded) if optimum else proves(known.bound, deeper)
    return proved or False


def _hider_of(search: ExactSearch) -> Hider:
    """Return the hider whose weights a search has in its own order."""
    weights = np.empty(len(search.order), np.int64)
    weights[search.order] = search.table.weights
    return Hider(search.game, weights)


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


def opening_bound(
    search: ExactSearch,
    opening: int,
    plies: int,
    deadline: Deadline,
    stop: ShouldStop,
    ceiling: int = NO_BOUND,
    *,
    sharing: bool = False,
) -> TotalBound:
    """Return a proved bound on the total of any tree with this opening, searched to so many plies.

    The search ends once the bound reaches the ceiling. Raises `DeadlinePassed` if it is stopped before.
    """
    if not sharing:
        search.forget()  # with entries of other openings in the memo, the bound would depend on the order

    def watch() -> None:
        if stop():
            raise DeadlinePassed
        deadline.check()

    parts = OpeningParts(search, opening)
    parts.deepen(plies - 1, ceiling, watch)
    if parts.total >= ceiling:
        return TotalBound(ceiling, False)
    return TotalBound(parts.total, parts.exact)
