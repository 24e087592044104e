"""A lower bound on all trees that begin with one opening, by counting or by search.

An opening's bound to k plies is the weight of all secrets plus the bounds to k - 1 plies of the parts that it leaves.
Openings are searched independently of each other, so a finished bound does not depend on when, or in which order, they
are searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.games.symmetry import no_symmetry, orbits
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.exact_search import MOST_AT_ONCE, ExactSearch, WeightedGame
from oracular.responses.limits import depths_by_rank
from oracular.strategies.hider import Hider
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed
from oracular.system.progress import ShouldStop

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: it cannot be raised further."""

MEMO_SLOTS = 1 << 21
"""The size of each search's memo. A full memo forgets entries, which costs time but leaves every bound sound."""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """No tree that begins with this opening has a smaller total of weight times guesses: proved here, or recorded.

    It was searched to so many plies, or is PROVED.
    """

    bound: int
    opening: int
    plies: int


class PartBound(NamedTuple):
    """A lower bound on a total of weight times guesses, and whether it is the optimum."""

    total: int
    exact: bool


def new_search(hider: Hider, deadline: Deadline) -> ExactSearch:
    """Return a search for the openings of a hider; one thread can use it for all of them, one after another.

    Raises `DeadlinePassed` where it cannot be made ready in time. Until when each opening is searched is said later.
    """
    every = no_symmetry(len(hider.game.guesses))
    return ExactSearch(WeightedGame(hider.game, hider.weights, every), MEMO_SLOTS, deadline)


def deepened(
    search: ExactSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop, ceiling: int = NO_BOUND
) -> OpeningBound | None:
    """Return the bound of an opening searched one ply deeper than before, or None if it is stopped first."""
    try:
        bound = opening_bound(search, known.opening, known.plies + 1, deadline, stop, ceiling)
    except DeadlinePassed:
        return None
    if bound.exact:  # the optimum may be below the known bound, which was false then
        return OpeningBound(bound.total, known.opening, PROVED)
    return OpeningBound(max(bound.total, known.bound), known.opening, known.plies + 1)


def holds(search: ExactSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop) -> bool:
    """Return whether the recorded bound of an opening is proved again by a search of as many plies as it records.

    A search that ends at the bound comes first, since it is quick. If it does not prove the bound, the search is
    repeated as it was made, without that ceiling. A bound recorded as the optimum must be the optimum.
    """
    most_plies = min(known.plies, len(search.order) + 2)
    for ceiling in (NO_BOUND,) if known.plies == PROVED else (known.bound, NO_BOUND):
        for plies in range(2, most_plies + 1):
            again = opening_bound(search, known.opening, plies, deadline, stop, ceiling)
            if again.exact:
                return again.total == known.bound if known.plies == PROVED else again.total >= known.bound
            if again.total >= known.bound and known.plies != PROVED:
                return True
    return False


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
    for guess in range(len(game.guesses)):
        deadline.check()
        row = table[guess]
        if first[guess] != guess or (row == row[0]).all():
            continue
        split = (np.cumsum(np.bincount(row) > 0) - 1).astype(np.uint8)[row].tobytes()  # answers numbered from 0
        if game.secret_of_guess[guess] >= 0 or split not in seen:
            kept.append(guess)
        seen.add(split)
    return kept


def opening_bound(
    search: ExactSearch, opening: int, plies: int, deadline: Deadline, stop: ShouldStop, ceiling: int = NO_BOUND
) -> PartBound:
    """Return a proved bound on the total of any tree with this opening, searched to so many plies.

    The search ends once the bound reaches the ceiling. Raises `DeadlinePassed` if it is stopped before.
    """
    search.forget()  # with entries of other openings in the memo, the bound would depend on the order
    row = search.table.answers[opening]
    weights = search.table.weights
    parts = [np.flatnonzero(row == a).astype(np.int32) for a in np.unique(row) if a != search.table.found]
    # the next guess finds at most one secret of a part; the others take two guesses or more
    least = [2 * int(weights[part].sum()) - int(weights[part].max()) for part in parts]
    total, exact = int(weights.sum()) + sum(least), True
    for part, part_least in zip(parts, least, strict=True):
        cutoff = NO_BOUND if ceiling == NO_BOUND else ceiling - total + part_least
        bound = part_bound(search, part, plies - 1, deadline, stop, cutoff)
        total += bound.total - part_least
        exact = exact and bound.exact
        if total >= ceiling:
            return PartBound(ceiling, False)
    return PartBound(total, exact)


def part_bound(
    search: ExactSearch,
    part: NDArray[np.int32],
    plies: int,
    deadline: Deadline,
    stop: ShouldStop,
    cutoff: int = NO_BOUND,
) -> PartBound:
    """Return a proved bound on the best total of a part, searched to so many plies or up to the cutoff."""
    if len(part) <= 3:
        return PartBound(int(small_total(search.table, part, len(part))[0]), True)
    if not search.table.weights[part].any():
        return PartBound(0, True)

    def watch() -> None:
        if stop():
            raise DeadlinePassed
        deadline.check()

    search.begin(part, cutoff, plies)
    while search.advance_watched(MOST_AT_ONCE, watch):
        pass
    total, exact, _ = search.result()
    return PartBound(total, exact)
