"""Openings searched by the workers of a cluster.

Openings are independent subproblems. Each is sent out with its known bound and comes back searched one ply deeper. The
bound of an opening does not depend on who proves it or when, so a proved value is the same with a cluster and without.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.cluster.connection import Cluster, Jobs
from oracular.cluster.worker import Place
from oracular.costs import NO_BOUND
from oracular.search.openings import PROVED, OpeningBound, OpeningSearch, deepened, greedy_total, is_deepened, search_of
from oracular.strategies.hider import Hider
from oracular.system.control import Deadline, DeadlinePassed


class _Asked(NamedTuple):
    """What a worker was asked: to search an opening one ply deeper than its known bound, up to a ceiling."""

    known: OpeningBound
    ceiling: int
    deadline: Deadline


def deepen(
    place: Place, weights: NDArray[np.int64], exact: bool, known: OpeningBound, ceiling: int, seconds: float
) -> OpeningBound | None:
    """Return the bound of an opening one ply deeper, or None if it is stopped first; runs on a worker."""
    deadline = Deadline.after(seconds)
    kept: tuple[bool, OpeningSearch] | None = getattr(place.kept, "search", None)
    if kept is None or kept[0] != exact or not np.array_equal(kept[1].hider.weights, weights):
        try:
            search = search_of(Hider(place.game, weights), deadline, exact=exact)
        except DeadlinePassed:
            return None
        kept = place.kept.search = (exact, search)
    return deepened(kept[1], known, deadline, place.stopped, ceiling)


class ClusterSearcher:
    """Searches openings on the workers of a cluster, for `LowerBound.improve`; by the exact search if that is asked."""

    def __init__(self, hider: Hider, cluster: Cluster, *, exact: bool = False) -> None:
        self.workers, self.trusted = cluster.workers, cluster.own
        self._cluster, self._hider, self._exact = cluster, hider, exact
        self._jobs: Jobs[_Asked, OpeningBound | None] = Jobs(cluster, self._checked, self._again)
        self._search: OpeningSearch | None = None
        self._reached: dict[int, int] = {}

    def __enter__(self) -> ClusterSearcher:
        return self

    def __exit__(self, *error: Any) -> None:
        self._jobs.__exit__(*error)

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the deadline or the ceiling at most."""
        job = self._hider.weights, self._exact, known, ceiling, deadline.left
        self._jobs.send(_Asked(known, ceiling, deadline), self._hider.game, deepen, *job)

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""
        ready = self._jobs.next(timeout)
        return [] if ready is None or ready[1] is None else [ready[1]]

    def _checked(self, asked: _Asked, answer: Any) -> OpeningBound | None:
        """Return the bound that a worker reports for an opening, or raise an error if it cannot be true."""
        known, ceiling = asked.known, asked.ceiling
        if answer is None:
            return None
        if (
            type(answer) is not OpeningBound
            or any(type(number) is not int for number in (answer.bound, answer.opening, answer.plies))
            or answer.opening != known.opening
            or not is_deepened(known, answer, ceiling)
            or answer.bound > max(self._reached_by_a_tree(known.opening), known.bound)
            or (answer.bound < known.bound and answer.plies != PROVED)
        ):
            raise self._cluster.false_answer("the bound that it reports cannot be one")
        return answer

    def _again(self, asked: _Asked, reported: OpeningBound | None) -> bool | None:
        """Return whether the search here comes to the same bound, or None if it is stopped first."""
        try:
            self._search = self._search or search_of(self._hider, asked.deadline, exact=self._exact)
        except DeadlinePassed:
            return None
        ours = deepened(self._search, asked.known, asked.deadline, self._jobs.left.is_set, asked.ceiling)
        if ours is None or reported is None:
            return None
        return reported.bound <= ours.bound and (reported.plies != PROVED or ours.plies == PROVED)

    def _reached_by_a_tree(self, opening: int) -> int:
        """Return the total of a tree with this opening: the bound on all such trees cannot be above it."""
        if opening not in self._reached:
            self._reached[opening] = greedy_total(self._hider, opening)
        return self._reached[opening]
