"""The best tree that begins with a given opening, proved.

The parts that an opening leaves have no secret in common, so each is a search of its own: the least total of the trees
with this opening is the weight of all secrets plus the least totals of the parts. A first tree gives each part a total
that a search has to beat, and mostly it only has to show that nothing does. That is far less work than a search for
the best tree as such.

Threads share the parts. Each search begins with an empty memo, so what is found does not depend on who searches what.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from oracular.games.guessing import FREE
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.tables import EXACT, NO_BOUND
from oracular.kernels.exact.types import Counts
from oracular.responses.compiled_search import MOST_AT_ONCE, OPENING_SLOTS, STATE_SLOTS, nothing
from oracular.responses.deepening import ExactResponse
from oracular.responses.exact_search import CLOSED_FORM, ExactSearch, WeightedGame
from oracular.responses.limits import (
    ENDLESS,
    SearchLimits,
    SearchProgress,
    StopSearch,
    counting_bound,
)
from oracular.strategies.tree import Tree, with_guesses
from oracular.system.control import SECONDS_BETWEEN_LOOKS, Deadline, DeadlinePassed


@dataclass
class Part:
    """The secrets that an opening leaves after one answer, and what is proved of their best total.

    Attributes:
        secrets: as the search numbers them, sorted.
        demand: what hard mode asks of the guesses there.
        lower: no tree of the part has a smaller total.
        exact: whether the bound is the optimum.
        plies: how many guesses deep the part was searched.
    """

    secrets: Counts
    demand: int
    lower: int
    exact: bool
    plies: int = 0


class OpeningParts:
    """The parts of one opening, largest first, with what is proved of each so far: from a formula, or from the memo.

    In a game that began in hard mode, `demand` is the constraint on the opening.
    """

    def __init__(self, search: ExactSearch, opening: int, demand: int = FREE) -> None:
        self.search, self.opening = search, opening
        parts = search.parts_after(search.everything, demand, opening)
        self.parts = [self._part(part.secrets, part.demand) for part in sorted(parts, key=lambda p: -len(p.secrets))]
        self.total = int(search.table.weights.sum()) + sum(part.lower for part in self.parts)

    @property
    def exact(self) -> bool:
        """Whether the total is what the best tree with this opening needs."""
        return all(part.exact for part in self.parts)

    def _part(self, secrets: Counts, demand: int) -> Part:
        search, weights = self.search, self.search.table.weights[secrets]
        if len(secrets) <= CLOSED_FORM:
            return Part(secrets, demand, int(small_total(search.table, secrets, len(secrets))[0]), True)
        if not weights.any():
            return Part(secrets, demand, 0, True)
        part = Part(secrets, demand, counting_bound(weights, len(search.game.labels) - 1), False)
        slot = search.slot_of(secrets, 1, demand)
        if slot >= 0:
            part.lower = max(part.lower, int(search.memo.lower[slot]))
            part.plies = int(search.memo.plies[slot])
            part.exact = part.plies == EXACT
        return part

    def deepen(self, plies: int, ceiling: int = NO_BOUND, watch: Callable[[], None] = nothing) -> None:
        """Search every part to so many plies, unless the total reaches the ceiling before."""
        for part in self.parts:
            if self.total >= ceiling:
                return
            if not part.exact and part.plies < plies:
                cutoff = NO_BOUND if ceiling == NO_BOUND else ceiling - self.total + part.lower
                self.search.begin(part.secrets, cutoff, plies, part.demand, opening=self.opening)
                lower, part.exact, _ = finished(self.search, watch)
                self.total += max(0, lower - part.lower)
                part.lower, part.plies = max(part.lower, lower), plies


def finished(search: ExactSearch, watch: Callable[[], None]) -> tuple[int, bool, int]:
    """Return what a search that was begun ends with: a bound, whether it is the optimum, and the guess behind it."""
    while search.advance_watched(MOST_AT_ONCE, watch):
        pass
    return search.result()


def exact_totals(state: WeightedGame, demand: int, guesses: Sequence[int]) -> dict[int, int]:
    """Return the least total of the trees that begin with each of some guesses, and with a best one, by guess.

    This is for small states: every part is searched to its end. The memo is shared, since other guesses leave many of
    the same parts.

    Args:
        state: a game whose secrets are those left, without symmetries, and their weights.
        demand: what hard mode asks of the guesses.
        guesses: the guesses, as the game numbers them.
    """
    search = ExactSearch(state, STATE_SLOTS)
    best = search.formula(search.everything, 0)
    if best is None:
        search.begin(search.everything, NO_BOUND, EXACT, demand)
        best = finished(search, nothing)[2]
    totals = {}
    for guess in dict.fromkeys([*guesses, best]):
        parts = OpeningParts(search, guess, demand)
        parts.deepen(EXACT)
        totals[guess] = parts.total
    return totals


@dataclass
class _Task:
    """A part with the total that the first tree has in it, and what was found better.

    Attributes:
        part: the part, as it was before.
        upper: the least total known.
        lower: no tree of the part has a smaller total.
        states: how many states were searched.
        plies: how many guesses deep.
        guesses: the guesses of a better tree, by state; empty where the first tree is as good as any found.
    """

    part: Part
    opening: int
    upper: int
    lower: int
    states: int = 0
    plies: int = 0
    guesses: dict[bytes, int] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether the least total is known."""
        return self.lower >= self.upper

    def search_to(self, search: ExactSearch, plies: int, states: int, watch: Callable[[], None]) -> None:
        """Deepen a search of its own to so many plies, or until the least total is known, or after so many states."""
        search.forget()
        before = self.states

        def look() -> None:
            self.states = before + search.nodes
            self.lower = max(self.lower, min(search.result()[0], self.upper))
            watch()

        deeper = 0
        while not self.settled and deeper < plies and search.nodes < states:
            deeper += 1
            search.begin(self.part.secrets, self.upper, deeper, self.part.demand, opening=self.opening)
            while search.advance_watched(min(states - search.nodes, MOST_AT_ONCE), look):
                if search.nodes >= states:
                    return
            lower, exact, _ = search.result()
            if exact:
                self.guesses = best_guesses(search, self.part, lower, watch)
                self.upper = lower
            self.lower = max(self.lower, min(lower, self.upper))
            self.plies = max(self.plies, deeper)
        self.states = before + search.nodes


def best_guesses(search: ExactSearch, part: Part, total: int, watch: Callable[[], None]) -> dict[bytes, int]:
    """Return the guesses of a best tree of a part, by the secrets (numbered as the game does, sorted, as bytes).

    The total is what such a tree needs.
    """

    def choose(state: Counts, column: int, demand: int) -> int:
        guess = search.formula(state, column, demand)
        if guess is None:
            cutoff = total + 1 if len(state) == len(part.secrets) else NO_BOUND
            search.begin(state, cutoff, 1 if search.is_weightless(state) else EXACT, demand)
            guess = finished(search, watch)[2]
        return guess

    tree = search.played(part.secrets, part.demand, choose)
    return {search.name_of(played.secrets): played.guess for played in tree}


class _OpeningSearch:
    """Searches the parts of one opening, on several threads, until all are settled or a limit is reached."""

    def __init__(self, game: WeightedGame, opening: int, limits: SearchLimits, incumbent: Tree, threads: int) -> None:
        self.game, self.opening, self.limits, self.incumbent = game, opening, limits, incumbent
        self.threads = 1 if limits.states < ENDLESS else threads  # a limit of states is kept to the state
        self.ends = Deadline(limits.deadline.moment)  # its own, to be stopped at any moment
        self.flag = self.ends.flag  # made before two threads can ask for it at once
        self.searches = threading.local()
        self.pool = ThreadPoolExecutor(self.threads)
        self.tasks: list[_Task] = []

    def __enter__(self) -> _OpeningSearch:
        return self

    def __exit__(self, *raised: object) -> None:
        self.flag.fill(1)
        self.pool.shutdown()

    def make_ready(self) -> None:
        """Set the tasks, one for each part, or raise `DeadlinePassed`."""
        self.tasks = self.pool.submit(self._new_tasks).result()

    def _new_tasks(self) -> list[_Task]:
        search = self._search()
        after = (self.incumbent.depths() - 1)[search.order].astype(np.int64) * search.table.weights
        parts = OpeningParts(search, self.opening).parts
        tasks = [_Task(part, self.opening, int(after[part.secrets].sum()), part.lower) for part in parts]
        for task in tasks:
            if task.part.exact and task.lower < task.upper:  # a formula knows better than the first tree
                task.guesses, task.upper = best_guesses(search, task.part, task.lower, self._watch), task.lower
        return tasks

    def _search(self) -> ExactSearch:
        """Return the search of this thread."""
        if not hasattr(self.searches, "own"):
            self.searches.own = ExactSearch(self.game, OPENING_SLOTS, self.ends)
        search: ExactSearch = self.searches.own
        return search

    def bounds(self) -> tuple[int, int]:
        """Return the proved bound on the total of all trees with this opening, and the total of the best one found."""
        first = self.game.unit  # what the opening itself adds, once for every secret
        return first + sum(task.lower for task in self.tasks), first + sum(task.upper for task in self.tasks)

    @property
    def states(self) -> int:
        """How many states were searched."""
        return sum(task.states for task in self.tasks)

    def run(self, plies: int, report: Callable[[], None]) -> None:
        """Search all open parts to so many plies, the largest first."""

        def work(task: _Task) -> None:
            with suppress(DeadlinePassed):  # what was proved by then stands in the task
                task.search_to(self._search(), plies, self.limits.states_after(self.states), self._watch)

        running: set[Future[None]] = {self.pool.submit(work, task) for task in self.tasks if not task.settled}
        try:
            while running:
                report()
                done, running = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    future.result()
        finally:
            if running:
                self.flag.fill(1)
                wait(running)

    def _watch(self) -> None:
        if self.flag[0] or self.ends.passed:
            raise DeadlinePassed

    def tree(self) -> Tree:
        """Return the best tree found."""
        return with_guesses(self.incumbent, [task.guesses for task in self.tasks])


def counted_after(game: WeightedGame, opening: int) -> int:
    """Return a total that no tree with this opening goes below: the weight, and what counting gives for each part."""
    row = game.game.answers(np.array([opening], dtype=np.int32), game.game.all_secrets)[0]
    answers = [answer for answer in np.unique(row) if answer != game.game.found]
    branches = len(game.game.labels) - 1
    return game.unit + sum(counting_bound(game.weights[row == answer], branches) for answer in answers)


def opening_response(
    game: WeightedGame,
    opening: int,
    limits: SearchLimits,
    *,
    incumbent: Tree,
    threads: int = 1,
    progress: Callable[[SearchProgress], None] | None = None,
) -> ExactResponse:
    """Return the tree with the least total among those that begin with an opening, or the best found, and a bound.

    Args:
        game: the game and the weights.
        opening: the first guess.
        limits: when to stop; the target is not looked at. With a limit of states there is one thread.
        incumbent: a tree that begins with this opening.
        threads: how many parts to search at a time.
        progress: called about ten times a second; it may raise `StopSearch`.
    """
    with _OpeningSearch(game, opening, limits, incumbent, threads) as search:
        try:
            search.make_ready()
        except DeadlinePassed:
            return ExactResponse(counted_after(game, opening), game.total(incumbent), incumbent, 0)

        def report() -> None:
            if progress is not None:
                lower, upper = search.bounds()
                plies = min((task.plies for task in search.tasks if not task.settled), default=0)
                progress(SearchProgress(lower / game.unit, upper / game.unit, plies + 1, search.states))
            search.limits.deadline.check()

        with suppress(StopSearch, DeadlinePassed):
            search.run(1, report)  # a good bound at once, should there be no time for more
            search.run(EXACT - 1, report)
    lower, upper = search.bounds()
    tree = search.tree()
    if game.total(tree) != upper:
        raise RuntimeError(f"a tree of {game.total(tree)} was put together from parts that come to {upper}")
    return ExactResponse(lower, upper, tree, search.states)
