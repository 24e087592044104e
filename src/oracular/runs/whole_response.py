"""The best response to a hider, searched opening by opening, in a folder where the search can be resumed.

A planned tree comes first. Then each opening is asked only whether it can begin a better one, the opening with the
least bound first (`search/lower_bound.py`). If one can, its best tree is found, and the others are compared with that.
What is proved of each opening is kept in the folder, with the best tree. So a search that was stopped ends with the
same total and the same bound as one that was not; where planning was cut short, it is done on the next call. A bound
that an earlier call kept is called recorded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from oracular.costs import Costs
from oracular.evaluation import exact_dot, payoff
from oracular.games.game import Game
from oracular.runs.certify import SECONDS_BETWEEN_SAVES, save_valid_bounds_on_error, searcher_of
from oracular.runs.kept_search import BOUNDS, KeptTree, read_tree, working_in, write_hider, write_tree
from oracular.runs.verify import Recheck, check_order, checked_openings, counted_bound, false_bound_in
from oracular.search.trees import search_threads
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.control import Control, Deadline, check_seconds, ignored, never, seconds_of
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.search.lower_bound import LowerBound

RECHECK_SECONDS = 5.0
"""How long a sample of recorded bounds is proved again, at most; and never more than a fifth of the time."""


@dataclass(frozen=True, eq=False)
class WholeResponse:
    """The best tree found against a hider, and bounds on the best that there is.

    Attributes:
        lower_check: a bound on what any tree needs, with how many openings this call has proved it for.
        refuted: how many openings are known to begin no better tree.
        openings: how many openings there are that differ.
        stopped: why it stopped: `time`, `interrupted`, or `finished` if no opening can begin a better tree.
    """

    hider: Hider
    tree: Tree
    lower_check: Recheck
    refuted: int
    openings: int
    seconds: float
    stopped: str

    @property
    def lower(self) -> Fraction:
        """No tree needs fewer guesses on average."""
        return self.lower_check.value

    @property
    def upper(self) -> Fraction:
        """What the tree needs, exactly."""
        return payoff(self.hider, self.tree)

    @property
    def proved(self) -> bool:
        """Whether this call proved that the tree is a best response."""
        return self.lower == self.upper and self.lower_check.proved


def whole_response(
    hider: Hider,
    folder: str | Path,
    *,
    threads: int | None = None,
    cluster: Cluster | None = None,
    time_limit: float | None = None,
    stop: Callable[[], bool] = never,
    progress: Callable[[WholeResponse], None] = ignored,
) -> WholeResponse:
    """Return the best response to a hider for the mean, searched opening by opening until it is proved or stopped.

    Args:
        hider: the hider.
        folder: where the search is kept; a new one, an empty one, or that of an earlier call with the same hider.
        threads: how many openings to search at a time; by default as many as there are cores, and memory for.
        cluster: workers that search the openings instead of threads (`oracular.cluster.connect`).
        time_limit: how many seconds to take, the compiling not counted; by default as many as it takes.
        stop: called ten times a second; once it returns True, the call ends with what is proved by then.
        progress: called at most ten times a second with the bounds so far.
    """
    from oracular.planner.start import load_planner
    from oracular.search.best_response import warm_up

    began = time.monotonic()
    check_seconds(time_limit)
    Costs.mean(hider.weights)  # refuses weights that are too large
    threads = search_threads(threads)
    deadline = Deadline.after(time_limit).later(seconds_of(warm_up)).later(seconds_of(lambda: load_planner(hider.game)))
    with working_in(Path(folder)):
        search = _Search(hider, Path(folder), began, Control(deadline, stop, progress))
        search.read()
        search.recheck(threads)
        search.plan()
        search.improve(threads, cluster)
        found = search.response("finished" if search.settled else "interrupted" if stop() else "time")
        check_order(found.lower, found.upper, quoted(folder))
        return found


@dataclass
class _Search:
    """A search in a folder.

    Attributes:
        bound: the bounds of all openings.
        tree: the best tree known, None before there is one.
        searched: the opening of the tree, if the search and not the planner found it.
        planned: whether planning came to its end, here or in an earlier call.
    """

    hider: Hider
    folder: Path
    began: float
    control: Control[WholeResponse]
    bound: LowerBound = field(init=False)
    tree: Tree | None = None
    searched: int | None = None
    planned: bool = False
    saved: float = field(default_factory=time.monotonic)

    @property
    def game(self) -> Game:
        """The game."""
        return self.hider.game

    @property
    def total(self) -> int:
        """The total of weight times guesses of the best tree known."""
        assert self.tree is not None
        return exact_dot(self.hider.weights, self.tree.depths())

    @property
    def settled(self) -> bool:
        """Whether no opening can begin a better tree, and the tree is the best."""
        return self.bound.finished and self.tree is not None and self.total == self.bound.lower

    def read(self) -> None:
        """Take up what the folder keeps."""
        from oracular.search.lower_bound import add_from_file

        self.bound = counted_bound(self.hider, self.control.deadline, sharing=True)
        kept = read_tree(self.folder, self.hider)
        write_hider(self.folder, self.hider)
        if kept is not None:
            self.tree, searched, self.planned = kept
            self._take_tree(searched)
        add_from_file(self.bound, self.folder / BOUNDS)

    def recheck(self, threads: int) -> None:
        """Prove some of the recorded bounds again."""
        deadline = self.control.deadline
        until = deadline.or_after(min(RECHECK_SECONDS, deadline.left / 5))
        refuted = self.bound.recheck(threads, until, self.control.cancelled)
        if refuted is not None:
            raise false_bound_in(self.folder / BOUNDS, self.game, refuted.opening)

    def plan(self) -> None:
        """Plan a tree, unless that was done to the end before or nothing is left to search; the better one is kept."""
        if self.tree is not None and (self.planned or self.settled):
            return
        from oracular.planner.start import PlannedStart, is_planned, planned_tree
        from oracular.search.best_response import greedy_tree

        deadline = self.control.deadline
        first = greedy_tree(self.hider, deadline) if self.tree is None else self.tree
        planned = PlannedStart(None, True)
        if is_planned(self.game):
            planned = planned_tree(self.game, Costs.mean(self.hider.weights), self.control.silent())
        best = min(first, planned.tree or first, key=lambda tree: exact_dot(self.hider.weights, tree.depths()))
        self.planned = planned.whole
        if best is not self.tree:
            self.tree = best
            self._take_tree(None)
        self._write_tree()

    def improve(self, threads: int, cluster: Cluster | None) -> None:
        """Search the openings, saving now and then, until none can begin a better tree or it is stopped."""
        with save_valid_bounds_on_error(self.bound, self.folder / BOUNDS, self.save):
            searcher = searcher_of(self.hider, threads, cluster, sharing=True)
            while not self.control.ended:
                self.bound.improve(searcher, self.control.deadline, self.control.cancelled, self._on_progress)
                better = self._better_opening()
                if better is None:
                    break
                self._find_tree(better, threads)
                if cluster is not None:  # threads continue with what their searches know
                    searcher = searcher_of(self.hider, threads, cluster, sharing=True)
        self.save()

    def _better_opening(self) -> int | None:
        """Return an opening that is proved, here or by workers, to begin a better tree than the one known."""
        from oracular.search.openings import PROVED

        if self.bound.best is not None:
            return None if self.bound.best == self.searched else self.bound.best
        weakest = self.bound.weakest
        return weakest.opening if weakest.plies == PROVED and weakest.bound < self.total else None

    def _on_progress(self, _: LowerBound) -> None:
        if time.monotonic() - self.saved >= SECONDS_BETWEEN_SAVES:
            self.save()
        self.control.report(self.response("time"))

    def _find_tree(self, opening: int, threads: int) -> None:
        """Find the best tree with an opening that is proved to begin the best known; none is kept if time is short."""
        from oracular.search.best_response import least_cost_tree
        from oracular.search.lower_bound import RefutedBoundError

        threads = min(threads, search_threads(None))  # the searches of openings keep their memory meanwhile
        costs = Costs.mean(self.hider.weights)
        response = least_cost_tree(self.hider, costs, self.control.silent(), [opening], threads)
        if response.upper == self.bound.openings[opening].bound:
            self.tree = response.tree
            self._take_tree(opening)
            self._write_tree()
        elif response.proved:  # whoever said so was wrong
            raise RefutedBoundError(opening)

    def _take_tree(self, searched: int | None) -> None:
        self.searched = searched
        self.bound.add_tree(self.total)
        self.bound.best = searched

    def response(self, stopped: str) -> WholeResponse:
        """Return the bounds and the best tree so far."""
        assert self.tree is not None
        known = self.bound.openings.values()
        total = self.total
        refuted = sum(one.bound >= total for one in known)
        seconds = time.monotonic() - self.began
        return WholeResponse(self.hider, self.tree, checked_openings(self.bound), refuted, len(known), seconds, stopped)

    def save(self) -> None:
        """Write the bounds of all openings."""
        from oracular.search.lower_bound import write_bounds

        write_bounds(self.folder / BOUNDS, self.hider, self.bound.openings)
        self.saved = time.monotonic()

    def _write_tree(self) -> None:
        assert self.tree is not None
        write_tree(self.folder, self.hider, KeptTree(self.tree, self.searched, self.planned))
