"""A lower bound on all trees that begin with one opening, by counting or by search.

There are two searches. That for hiders who give some secrets the same weight, in games of few answers (`letters.py`),
looks some guesses ahead: an opening's bound to k plies is the weight of all secrets plus the bounds to k - 1 plies
of the parts that it leaves. The exact search serves all others (`exact_bounds.py`). It has no depth, so its plies are
steps: to 2 the parts are bounded by counting, and each ply more raises the target.

Openings are searched independently of each other, so a finished bound does not depend on when, or in which order, they
are searched. Only with `sharing` does the exact search keep its memo from one opening to the next, since the same
states come up again after two guesses. Then a bound is as true, but a search to the same number of plies need not prove
as much again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.costs import NO_BOUND
from oracular.errors import OutOfTimeError
from oracular.evaluation import exact_dot
from oracular.games.symmetry import orbits
from oracular.search import letters
from oracular.search.best_response import greedy_tree
from oracular.search.letters import LetterSearch, TotalBound, is_uniform
from oracular.strategies.hider import Hider
from oracular.system.control import NEVER, Control, Deadline, DeadlinePassed, ShouldStop, Stopped

FEW_DEPTHS = 2
"""A recorded bound is searched for to this many plies before a tree shows whether it can be true."""

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: it cannot be raised further."""

Bounding: TypeAlias = Callable[[int, int, int, Callable[[], None]], TotalBound]
"""Returns a proved bound on the total of any tree with an opening, to two plies or more, cut at a ceiling.

It calls its last argument several times a second; that may raise an error to end it.
"""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """No tree that begins with this opening has a smaller total of weight times guesses: proved here, or recorded.

    `plies` says how far it was searched (see the module), or is PROVED.
    """

    bound: int
    opening: int
    plies: int


@dataclass(frozen=True, eq=False)
class OpeningSearch:
    """A search for bounds of the openings of one hider, one after another; a thread has it to itself.

    Attributes:
        hider: the hider.
        bound: searches an opening.
        plies_beyond: how many plies more than were recorded it may take to prove a recorded bound again.
    """

    hider: Hider
    bound: Bounding
    plies_beyond: int


def search_of(hider: Hider, deadline: Deadline, *, exact: bool = False, sharing: bool = False) -> OpeningSearch:
    """Return a new search of a hider's openings, or raise `DeadlinePassed`.

    Args:
        hider: the hider.
        deadline: when the search has to be set up.
        exact: whether it is the exact search for every hider.
        sharing: whether the exact search uses what it proved of other openings before.
    """
    if is_uniform(hider) and not (exact or sharing):
        hider.game.table_by(deadline)
        # Files of earlier versions have bounds of another search, which now and then proved more to as many plies.
        return OpeningSearch(hider, LetterSearch(hider).weighted_bound, 1)
    from oracular.search.exact_bounds import new_search, opening_bound

    bound = partial(opening_bound, new_search(hider.game, hider.weights, deadline), sharing=sharing)
    return OpeningSearch(hider, bound, len(hider.game.secrets) if sharing else 0)


def warm_up(hider: Hider) -> None:
    """Load or compile the search of a hider's openings, which is not counted as time."""
    if is_uniform(hider):
        letters.warm_up()
        return
    from oracular.search.best_response import warm_up as warm_up_exact

    warm_up_exact()


def deepened(
    search: OpeningSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop, ceiling: int = NO_BOUND
) -> OpeningBound | None:
    """Return the bound of an opening searched one ply deeper than before, or None if it is stopped first.

    The search ends once the bound reaches the ceiling. If there is one, the search to as many plies as before
    comes first: it may have ended at a lower ceiling then, and often it is enough.
    """
    check = Control(deadline, stop).check
    deeper = known.plies + 1
    for plies in (deeper,) if ceiling == NO_BOUND or known.plies == 1 else (known.plies, deeper):
        try:
            bound = search.bound(known.opening, plies, ceiling, check)
        except Stopped:
            return None
        if bound.exact:  # the optimum may be below the known bound, which was false then
            return OpeningBound(bound.total, known.opening, PROVED)
        if bound.total >= ceiling:
            return OpeningBound(bound.total, known.opening, plies)
    return OpeningBound(max(bound.total, known.bound), known.opening, deeper)


def is_deepened(known: OpeningBound, answer: OpeningBound, ceiling: int) -> bool:
    """Return whether `deepened` can come to an answer with these plies: one more, or as many if that was enough."""
    enough = answer.bound >= ceiling and answer.plies == known.plies > 1
    return enough or answer.plies in (known.plies + 1, PROVED)


def holds(search: OpeningSearch, known: OpeningBound, deadline: Deadline, stop: ShouldStop) -> bool:
    """Return whether the recorded bound of an opening is proved again by a search of as many plies as it records.

    A search that ends at the bound comes first, since it is quick. If it does not prove the bound to a few plies, a
    tree may show at once that it is false; deeper searches for what is not there take long. Then the search is repeated
    as it was made, without that ceiling, or goes on to more plies than recorded where it may take more. A bound
    recorded as the optimum must be the optimum.
    """
    optimum, check = known.plies == PROVED, Control(deadline, stop).check

    def proves(ceiling: int, depths: range) -> bool | None:
        """Return whether a search to one of these depths proves or refutes the bound, or None."""
        for plies in depths:
            again = search.bound(known.opening, plies, ceiling, check)
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
        return exact_dot(hider.weights, greedy_tree(hider, deadline, [opening]).depths())
    except OutOfTimeError:
        raise DeadlinePassed from None


def depths_by_rank(secrets: int, branches: int) -> NDArray[np.int64]:
    """Return the least depth of each of this many secrets, heaviest first, if `branches` answers go on [secrets].

    One secret at most is found at the first guess, b at the second, b² at the third, and so on.
    """
    depths = np.empty(secrets, dtype=np.int64)
    depth, first, room = 1, 0, 1
    while first < secrets:
        depths[first : first + room] = depth
        depth, first, room = depth + 1, first + room, room * max(branches, 1)
    return depths


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
