"""Openings searched by the workers of a cluster, for lower bounds and for best responses with proof.

Openings are independent subproblems. Each is sent out with its known bound and comes back searched one ply deeper, the
one with the weakest bound first. The bound of an opening does not depend on who proves it or when, so a proved value is
the same with a cluster and without. Of several trees that reach it, another one may be found.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oracular.bounds.engines import searches_of
from oracular.bounds.exact_openings import ExactOpenings
from oracular.bounds.opening import PROVED, OpeningBound, OpeningSearch, counting_bounds, deepened
from oracular.cluster.connection import Cluster
from oracular.cluster.rechecks import BoundChecks, checked_tree
from oracular.cluster.tasks import Tasks
from oracular.cluster.work import game_for, halted, workplace
from oracular.errors import OutOfTimeError
from oracular.evaluation import exact_dot
from oracular.games.game import Game
from oracular.kernels.exact.tables import EXACT, NO_BOUND
from oracular.responses.deepening import LOOKAHEAD
from oracular.responses.exact import BestResponse, start_for_mean
from oracular.responses.limits import SearchProgress, StopSearch, check_fits_search
from oracular.strategies.hider import Hider
from oracular.system.deadline import Deadline, DeadlinePassed, check_seconds
from oracular.system.progress import ShouldStop, never_stop

SECONDS_WITHOUT_LIMIT = 1e9


class ClusterSearcher:
    """Searches openings on the workers of a cluster, for `LowerBound.improve`; by the exact search if that is asked."""

    def __init__(self, hider: Hider, cluster: Cluster, *, exact: bool = False) -> None:
        self._cluster = cluster
        self._hider = hider
        self._exact = exact
        self._ticket = cluster.announce(hider.game)
        self._tasks: Tasks[tuple[OpeningBound, Deadline, int]] = cluster.tasks()
        self._checks = BoundChecks(cluster, hider, exact=exact)
        self.workers, self.trusted = cluster.workers, cluster.own

    def __enter__(self) -> ClusterSearcher:
        return self

    def __exit__(self, *error: Any) -> None:
        closing = ExitStack()  # it closes all three, in reverse order, even if closing one of them fails
        closing.push(self._checks)
        closing.push(self._tasks)
        if len(self._tasks):
            closing.callback(self._cluster.halt, self._ticket)
        closing.__exit__(*error)

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the deadline or the ceiling at most."""
        work = self._ticket, self._hider.weights, known, ceiling, self._exact, deadline.left
        self._tasks.add((known, deadline, ceiling), worker_deepen, *work)

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""
        ready = self._tasks.next(timeout)
        self._checks.settle()
        if ready is None or ready[1] is None:
            return []
        (known, deadline, ceiling), answer = ready
        return [self._checks.take(known, answer, deadline, ceiling)]


@dataclass(frozen=True, eq=False)
class Finding:
    """What a worker found out about an opening.

    Attributes:
        guesses: the row of guesses of a tree that begins with it, if one was wanted or the search found the best one.
    """

    known: OpeningBound
    guesses: NDArray[np.int32] | None
    states: int


class _Frontier:
    """The driver's side of a best response: the openings' bounds, the best tree, and what to search next."""

    def __init__(self, cluster: Cluster, hider: Hider, deadline: Deadline, stop: ShouldStop) -> None:
        self.cluster = cluster
        self.hider = hider

        def look() -> None:
            if stop():
                raise StopSearch

        self.tree = start_for_mean(hider, deadline, look)
        self.upper = exact_dot(hider.weights, self.tree.depths())
        self.bounds = {o: OpeningBound(bound, o, 1) for o, bound in counting_bounds(hider, deadline).items()}
        self.heap = sorted(self.bounds.values())
        self.deepest = 1
        self.states = 0

    @property
    def lower(self) -> int:
        """The lower bound on all trees."""
        return min(self.upper, *(known.bound for known in self.bounds.values()))

    def next(self) -> tuple[OpeningBound, bool] | None:
        """Return an opening that may still begin a better tree, and whether a tree is wanted; None if there is none."""
        while self.heap:
            known = heapq.heappop(self.heap)
            if known.bound < self.upper and known.plies != PROVED:
                first = known.plies + 1 > self.deepest
                self.deepest = max(self.deepest, known.plies + 1)
                return known, first
        return None

    def take(self, finding: Finding) -> None:
        """Take in a worker's finding, whose bound was checked before; the total of its tree is worked out here."""
        self.states += finding.states
        self.bounds[finding.known.opening] = finding.known
        heapq.heappush(self.heap, finding.known)
        if finding.guesses is not None:
            tree = checked_tree(self.cluster, self.hider.game, finding.guesses)
            total = exact_dot(self.hider.weights, tree.depths())
            if total < finding.known.bound:
                raise self.cluster.false_answer("its tree is better than its own bound")
            if total < self.upper:
                self.tree, self.upper = tree, total


def distributed_best_response(
    game: Game,
    weights: ArrayLike | Hider,
    cluster: Cluster,
    *,
    time_limit: float | None = None,
    stop: ShouldStop = never_stop,
    progress: Callable[[SearchProgress], None] | None = None,
) -> BestResponse:
    """Return what `oracular.best_response` does, searched for by the workers of a cluster.

    The total of the tree is worked out here. The lower bound is as the workers report it, unless this process started
    them; `Cluster.reported` says how many of their answers were worked out here as well.
    """
    check_seconds(time_limit)
    deadline = Deadline.after(SECONDS_WITHOUT_LIMIT if time_limit is None else time_limit)
    hider = weights if isinstance(weights, Hider) else Hider(game, np.asarray(weights))
    total = hider.total
    check_fits_search(hider)
    with cluster.keeping_nothing():
        ticket = cluster.announce(game)
    try:
        frontier = _Frontier(cluster, hider, deadline, stop)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before the search of {game.name} had begun: give more time, or choose a smaller "
            "game"
        ) from None
    tasks: Tasks[tuple[OpeningBound, int]]
    with cluster.keeping_nothing(), BoundChecks(cluster, hider, exact=True) as checks, cluster.tasks() as tasks:
        try:
            while not deadline.passed and not stop():
                while len(tasks) < cluster.workers and (following := frontier.next()) is not None:
                    known, wanted = following
                    label = (known, frontier.upper)
                    tasks.add(
                        label, worker_respond, ticket, hider.weights, known, frontier.upper, wanted, deadline.left
                    )
                if not len(tasks):
                    break
                ready = tasks.next(0.2)
                checks.settle()
                if ready is not None and ready[1] is not None:
                    (known, ceiling), finding = ready
                    if type(finding) is not Finding or type(finding.states) is not int or finding.states < 0:
                        raise cluster.false_answer("it brings back no finding")
                    checks.take(known, finding.known, deadline, ceiling)
                    frontier.take(finding)
                if progress is not None:
                    now = frontier.lower / total, frontier.upper / total
                    progress(SearchProgress(*now, frontier.deepest, frontier.states))
        finally:
            if len(tasks):
                cluster.halt(ticket)
    lower, upper = Fraction(frontier.lower, total), Fraction(frontier.upper, total)
    return BestResponse(hider, frontier.tree, lower, upper, frontier.states)


def _search_for(ticket: str, weights: NDArray[np.int64], deadline: Deadline, *, exact: bool) -> OpeningSearch:
    """Return this thread's search for a game and weights, or raise `DeadlinePassed`; runs on a worker."""
    game, place = game_for(ticket), workplace(ticket)
    kept: tuple[Game, NDArray[np.int64], bool, OpeningSearch] | None = place.get("search")
    if kept is None or kept[0] is not game or not np.array_equal(kept[1], weights) or kept[2] != exact:
        search = searches_of(Hider(game, weights), exact=exact)(deadline)
        kept = place["search"] = (game, weights, exact, search)
    kept[3].deadline = deadline
    return kept[3]


def worker_deepen(
    ticket: str, weights: NDArray[np.int64], known: OpeningBound, ceiling: int, exact: bool, seconds: float
) -> OpeningBound | None:
    """Return the bound of an opening one ply deeper, or None if it is stopped first; runs on a worker."""
    deadline = Deadline.after(seconds)
    try:
        search = _search_for(ticket, weights, deadline, exact=exact)
    except DeadlinePassed:
        return None
    return deepened(search, known, deadline, lambda: halted(ticket), ceiling)


def worker_respond(
    ticket: str, weights: NDArray[np.int64], known: OpeningBound, ceiling: int, wanted: bool, seconds: float
) -> Finding | None:
    """Return the same, with a tree if one is wanted or the best one was found; runs on a worker."""
    deadline = Deadline.after(seconds)
    try:
        openings = _search_for(ticket, weights, deadline, exact=True)
    except DeadlinePassed:
        return None
    assert isinstance(openings, ExactOpenings)

    def watch() -> None:
        deadline.check()
        if halted(ticket):
            raise DeadlinePassed

    better = deepened(openings, known, deadline, lambda: halted(ticket), ceiling)
    if better is None:
        return None
    tree = None
    if better.bound < ceiling and (wanted or better.plies == PROVED):
        plies = EXACT if better.plies == PROVED else min(max(known.plies, 1), LOOKAHEAD)
        with suppress(DeadlinePassed):
            tree = openings.search.tree(plies, known.opening, watch=watch)
    return Finding(better, None if tree is None else tree.guesses, openings.search.nodes)
