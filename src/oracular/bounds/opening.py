"""What is known of one opening: a lower bound on all trees that begin with it, by counting or by search.

An opening's bound to k plies is the whole weight plus the bounds to k - 1 plies of the parts it leaves. Openings are
searched independently of each other, so a bound that is finished is the same whenever, and in whatever order, it is
found.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.games.symmetry import orbits
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.exact_search import ExactSearch
from oracular.strategies.hider import Hider
from oracular.system.deadline import Deadline, DeadlinePassed

SLICE = 8
"""States searched between two looks at the clock, to begin with; while slices take less than SLICE_TIME they double."""

SLICE_TIME = 0.03

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: there is nothing left to raise."""

MEMO_SLOTS = 1 << 21
"""The memo of each core's search; at its cap it forgets, which costs time and never soundness."""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """What is known of one opening: proved, or recorded in a file.

    Attributes:
        bound: no tree that begins with this opening has a smaller total of weight times guesses.
        opening: the guess.
        plies: how deep it was searched, or PROVED.
    """

    bound: int
    opening: int
    plies: int


class PartBound(NamedTuple):
    """A bound on the total of a part of the secrets, or of all after an opening, and whether it is the optimum."""

    total: int
    exact: bool


def new_search(hider: Hider) -> ExactSearch:
    """Return a search for the openings of a hider; a thread can keep it for all of them."""
    return ExactSearch(hider.game.table, hider.game.found, hider.weights, memo_slots=MEMO_SLOTS)


def deepened(
    search: ExactSearch, known: OpeningBound, deadline: Deadline, halted: Callable[[], bool], ceiling: int = NO_BOUND
) -> OpeningBound | None:
    """Return what is proved of an opening one ply deeper than it is known, or None where the time is up first."""
    try:
        bound = opening_bound(search, known.opening, known.plies + 1, deadline, halted, ceiling)
    except DeadlinePassed:
        return None
    if bound.exact:  # also where that is less than what was known, which then was false
        return OpeningBound(bound.total, known.opening, PROVED)
    return OpeningBound(max(bound.total, known.bound), known.opening, known.plies + 1)


def reproved(search: ExactSearch, known: OpeningBound, deadline: Deadline, halted: Callable[[], bool]) -> bool:
    """Tell whether the bound of an opening can be proved again as deep as it says, by two plies at least.

    First only so far as the bound; then, where that is not enough, just as it was proved. One that is said to be what
    the best tree needs must be just that.
    """
    most_plies = min(known.plies, len(search.order) + 2)
    for ceiling in (NO_BOUND,) if known.plies == PROVED else (known.bound, NO_BOUND):
        for plies in range(2, most_plies + 1):
            again = opening_bound(search, known.opening, plies, deadline, halted, ceiling)
            if again.exact:
                return again.total == known.bound if known.plies == PROVED else again.total >= known.bound
            if again.total >= known.bound and known.plies != PROVED:
                return True
    return False


def counting_bounds(hider: Hider) -> dict[int, int]:
    """Return for each different opening the bound that counting gives for its parts.

    Of a part at most one secret is found at the next guess, b at the one after, b² then, heaviest first, with b the
    answers that do not end the game.
    """
    game = hider.game
    order = np.argsort(-hider.weights, kind="stable")
    weights, branches = hider.weights[order], max(len(game.labels) - 1, 1)
    levels: list[int] = []
    room = 1
    while len(levels) < len(weights):
        levels += [1 + (levels[-1] if levels else 0)] * min(room, len(weights))
        room *= branches
    depth_of_rank = np.array(levels[: len(weights)], dtype=weights.dtype)
    bounds = {}
    places = np.arange(len(weights))
    for opening in different_openings(hider):
        row = game.table[opening][order]
        parts = np.argsort(row, kind="stable")  # part after part, the heaviest of each first
        sizes = np.bincount(row)
        ranks = places - np.repeat(np.cumsum(sizes) - sizes, sizes)
        after = row[parts] != game.found
        bounds[opening] = hider.total + int(weights[parts][after] @ depth_of_rank[ranks[after]])
    return bounds


def different_openings(hider: Hider) -> list[int]:
    """Return the openings that are worth a bound of their own: they split differently, or find a secret.

    Openings that a symmetry of game and weights takes to each other are one. In a game of one secret there is only
    the guess that finds it.
    """
    game = hider.game
    if len(game.secrets) == 1:
        return [int(game.guess_of_secret[0])]
    kept_symmetries = [s.guesses for s in game.checked_symmetries if (hider.weights[s.secrets] == hider.weights).all()]
    first = orbits(len(game.guesses), kept_symmetries)
    seen: set[bytes] = set()
    kept = []
    for guess in range(len(game.guesses)):
        row = game.table[guess]
        if first[guess] != guess or (row == row[0]).all():
            continue
        split = (np.cumsum(np.bincount(row) > 0) - 1).astype(np.uint8)[row].tobytes()  # answers numbered from 0
        if game.secret_of_guess[guess] >= 0 or split not in seen:
            kept.append(guess)
        seen.add(split)
    return kept


def opening_bound(
    search: ExactSearch,
    opening: int,
    plies: int,
    deadline: Deadline,
    halted: Callable[[], bool],
    ceiling: int = NO_BOUND,
) -> PartBound:
    """Return a proved bound on the total of any tree with this opening, searched to so many plies.

    A bound that reaches the ceiling is enough: the search then ends.
    """
    search.forget()  # what was proved for other openings must not matter, or the bound would depend on the order
    row = search.table.answers[opening]
    weights = search.table.weights
    parts = [np.flatnonzero(row == a).astype(np.int32) for a in np.unique(row) if a != search.table.found]
    # of a part one secret at most is found at the next guess, and the others take two or more
    least = [2 * int(weights[part].sum()) - int(weights[part].max()) for part in parts]
    total, exact = int(weights.sum()) + sum(least), True
    for part, part_least in zip(parts, least, strict=True):
        cutoff = NO_BOUND if ceiling == NO_BOUND else ceiling - total + part_least
        bound = part_bound(search, part, plies - 1, deadline, halted, cutoff)
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
    halted: Callable[[], bool],
    cutoff: int = NO_BOUND,
) -> PartBound:
    """Return a proved bound on the best total of a part, searched to so many plies or up to the cutoff."""
    if len(part) <= 3:
        return PartBound(int(small_total(search.table, part, len(part))[0]), True)
    if not search.table.weights[part].any():
        return PartBound(0, True)
    search.begin(part, cutoff, plies)
    states, before = SLICE, time.monotonic()
    while search.advance(states):  # how the search is cut into slices changes nothing in what it does
        now = time.monotonic()
        if halted():
            raise DeadlinePassed
        deadline.check()
        states = 2 * states if now - before < SLICE_TIME else max(1, states // 2)
        before = now
    total, exact, _ = search.result()
    return PartBound(total, exact)
