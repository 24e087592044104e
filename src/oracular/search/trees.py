"""The search for a tree that costs least, of all trees or of those that begin with an opening.

An opening is one guess or more, made one after the other whatever the answers. It leaves parts that have no secret in
common, so each of them is searched on its own, and the least cost of a tree with the opening is what the secrets pay
for it plus the least costs of the parts. Without an opening there is one part: the whole game. Threads share the parts.
Bounds, costs and trees do not depend on how.

`search` is the one way to a best tree: best responses, exact solvers, certificates, the worst case and reviews use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from oracular.costs import Costs
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan, no_symmetry
from oracular.search.states import ENDLESS, NO_OPENING, START, SearchTable, StateSearch, search_table
from oracular.strategies.tree import Tree, tree_by, with_guesses
from oracular.system.control import UNLIMITED, Control, DeadlinePassed, Stopped, Threads
from oracular.system.memory import available_memory, check_threads, usable_cores


@dataclass(frozen=True)
class SearchProgress:
    """Where a search stands: the bounds that it has proved, in the objective, and how many states it has searched.

    If openings are worked out one by one and no state is searched, `openings` says how many.
    """

    lower: float
    upper: float
    states: int
    openings: int = 0


@dataclass(frozen=True)
class SearchResult:
    """The best tree found and what is proved of the least cost of all trees compared.

    Attributes:
        lower: no tree costs less.
        upper: what the tree costs.
        tree: the best tree found, or None if the search ended before it had one.
        states: how many states were searched.
    """

    lower: int
    upper: int
    tree: Tree | None
    states: int

    @property
    def proved(self) -> bool:
        """Whether the tree is proved to be the best."""
        return self.lower == self.upper


@dataclass
class StatePart:
    """The secrets that an opening leaves after one answer, or all secrets, and what is proved of their least cost.

    Attributes:
        secrets: sorted.
        column: that of the next guess in the costs.
        constraint: what hard mode asks of the next guess.
        opening: the guess made before; `START` if there was none; `NO_OPENING` after more than one.
        made: how many guesses were made before.
        lower: no tree of the part costs less.
        exact: whether that is the least cost.
        guesses: those of a best tree, once it was found.
    """

    secrets: Indices
    column: int
    constraint: int
    opening: int
    made: int
    lower: int = 0
    exact: bool = False
    guesses: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Opened:
    """What an opening of one guess or more leaves.

    Attributes:
        parts: what is left to search, large parts first.
        cost: what all secrets pay for the guesses of the opening.
        guesses: those guesses, by the state that they are made at.
        left_out: the secrets of each state where a guess of the opening is left out, state after state.
    """

    parts: list[StatePart]
    cost: int
    guesses: dict[bytes, int]
    left_out: list[Indices]


def opened(game: Game, costs: Costs, opening: Sequence[int], constraint: int = FREE) -> Opened:
    """Return what an opening leaves; in hard mode `constraint` is that on its first guess.

    The first guess is made in any case. A later one is left out at the states where it is not allowed or eliminates
    nothing.
    """
    cost, after = 0, game.guessing.demand_after
    guesses: dict[bytes, int] = {}
    left_out: list[Indices] = []
    parts = [StatePart(game.all_secrets, 0, constraint, START if constraint == FREE else NO_OPENING, 0)]
    for guess in opening:
        before, parts = parts, []
        for part in before:
            if part.made and not is_useful(game, guess, part.secrets, part.constraint):
                parts.append(part)
                left_out.append(part.secrets)
                continue
            guesses[part.secrets.tobytes()] = guess
            cost += int(costs.rise[part.column, part.secrets].sum())
            row = game.answers(np.array([guess], np.int32), part.secrets)[0]
            made, last = part.made + 1, NO_OPENING if part.made else guess
            for answer in np.unique(row).tolist():
                if answer != game.found:
                    secrets, asked = part.secrets[row == answer].astype(np.int32), after(part.constraint, guess, answer)
                    parts.append(StatePart(secrets, min(made, costs.last), asked, last, made))
    return Opened(sorted(parts, key=lambda part: -len(part.secrets)), cost, guesses, left_out)


def is_useful(game: Game, guess: int, secrets: Indices, constraint: int = FREE) -> bool:
    """Return whether a guess is allowed at a state and eliminates something there."""
    row = game.answers(np.array([guess], np.int32), secrets)[0]
    return game.allows(guess, secrets, constraint) and bool((row != row[0]).any() or row[0] == game.found)


class TreeSearch:
    """A search that can be continued: later runs do not search again what earlier ones have searched.

    Attributes:
        parts: what is searched.
        opening: the guesses that all trees begin with.
    """

    def __init__(self, table: SearchTable, opening: Sequence[int] = (), threads: int = 1) -> None:
        self.table, self.opening = table, opening
        self.game, self.costs = table.game, table.costs
        self._opened = opened(self.game, self.costs, opening)
        self.parts = self._opened.parts
        branches = len(self.game.labels) - 1
        for part in self.parts:  # counting all the way down, where the compiled search looks a few guesses ahead
            part.lower = self.costs.counted(branches, part.column, part.secrets)
        self._threads = max(1, min(threads, len(self.parts)))
        self._searches: list[StateSearch] = []
        self._free: list[StateSearch] = []

    @property
    def states(self) -> int:
        """How many states were searched so far."""
        return sum(search.states for search in self._searches)

    @property
    def lower(self) -> int:
        """What is proved: no tree compared costs less."""
        return self._opened.cost + sum(part.lower for part in self.parts)

    def run(
        self,
        control: Control[SearchProgress] = UNLIMITED,
        *,
        start: Tree | None = None,
        target: int | None = None,
        states: int = ENDLESS,
        states_a_part: int = ENDLESS,
    ) -> None:
        """Search the parts until each one's least cost is known, or it is known that none is better than the start's.

        It ends early when the control ends it, or at a limit of states, with the bounds proved by then.

        Args:
            control: when to end, and who hears of the progress.
            start: a tree to beat.
            target: whether a tree costs less than this is all that is asked.
            states: how many states may be searched; with this limit one thread works, so that it always ends alike.
            states_a_part: how many may be searched in each part.
        """
        paid = None if start is None else self.costs.of_depths(start.depths())
        one_by_one = np.arange(1, len(self.game.secrets) + 1, dtype=np.int32)  # a tree that there always is
        upper = (self.costs.total(one_by_one) if paid is None else int(paid.sum())) / self.costs.unit
        last = self.states + states

        def work(part: StatePart) -> None:
            goal = None if paid is None else int(paid[part.secrets].sum()) - self._paid_before(part)
            if target is not None:
                most = part.lower + target - self.lower  # what the other parts leave for it
                if most <= part.lower:
                    return
                goal = most if goal is None else min(goal, most)
            left = min(states_a_part, last - self.states)
            if left <= 0 or part.exact or (goal is not None and part.lower >= goal):
                return
            search = self._search(threads.control)
            try:
                self._raise(part, search, goal, left)
            finally:
                self._free.append(search)

        with Threads[None](1 if states < ENDLESS else self._threads, control) as threads:
            for part in self.parts:
                threads.submit(work, part)
            while threads.running:
                threads.finished()
                control.report(SearchProgress(min(self._lower_now() / self.costs.unit, upper), upper, self.states))

    def tree(self, start: Tree | None = None) -> Tree | None:
        """Return the start with improved parts; without a start a best tree, or None if it was not found."""
        found = [part.guesses for part in self.parts]
        if start is not None:
            return with_guesses(start, found)
        if not all(part.guesses or len(part.secrets) == 1 for part in self.parts):
            return None
        guesses = {name: guess for some in [self._opened.guesses, *found] for name, guess in some.items()}
        return tree_by(self.game, lambda state, _: guesses[np.asarray(state, np.int32).tobytes()])

    def result(self, start: Tree | None = None) -> SearchResult:
        """Return the best tree and what is proved."""
        tree = self.tree(start)
        upper = NO_COST if tree is None else self.costs.total(tree.depths())
        return SearchResult(min(self._settled_lower(start), upper), upper, tree, self.states)

    def _settled_lower(self, start: Tree | None) -> int:
        """Return the lower bound; a part whose bound is above what the start costs there costs what the start does."""
        if start is None:
            return self.lower
        paid = self.costs.of_depths(start.depths())
        costs = [int(paid[part.secrets].sum()) - self._paid_before(part) for part in self.parts]
        return self._opened.cost + sum(min(part.lower, cost) for part, cost in zip(self.parts, costs, strict=True))

    def _raise(self, part: StatePart, search: StateSearch, goal: int | None, states: int) -> None:
        found = search.bound(
            part.secrets, part.column, part.constraint,
            target=goal, opening=part.opening, lower=part.lower, states=states,
        )  # fmt: skip
        part.lower, part.exact = max(part.lower, found.cost), found.exact
        if found.exact and (goal is None or found.cost < goal):
            with suppress(DeadlinePassed):  # the bound stands, even if there is no time to write the tree out
                part.guesses = search.guesses(part.secrets, part.column, part.constraint, part.opening)

    def _lower_now(self) -> int:
        """Return the bound with what a search of the whole game, which may be running, has proved by now."""
        running = not self.opening and self._searches
        return max(self.lower, self._searches[0].lower) if running else self.lower

    def _paid_before(self, part: StatePart) -> int:
        """Return what the secrets of a part pay for the guesses made before."""
        columns = np.minimum(np.arange(part.made), self.costs.last)
        return int(self.costs.rise[np.ix_(columns, part.secrets)].sum())

    def _search(self, control: Control[object]) -> StateSearch:
        """Return a search that no other thread uses."""
        try:
            search = self._free.pop()
        except IndexError:
            search = StateSearch(self.table)
            self._searches.append(search)
        search.deadline = control.deadline
        return search


STATE_SLOTS = 1 << 12
"""The most slots of the memo of a search over a small state."""

SEARCH_BYTES = 450_000_000
"""What a search of one opening takes at most."""


def search_threads(threads: int | None) -> int:
    """Return how many openings, or parts of one, to search at a time; by default as cores and memory allow."""
    if threads is None:
        return max(1, min(usable_cores(), available_memory() // SEARCH_BYTES))
    return check_threads(threads)


NO_COST = 1 << 62
"""Stands for the cost of a tree if there is no tree."""


def search(
    game: Game,
    costs: Costs,
    *,
    opening: Sequence[int] = (),
    start: Tree | None = None,
    target: int | None = None,
    threads: int = 1,
    states: int = ENDLESS,
    control: Control[SearchProgress] = UNLIMITED,
    lower: int = 0,
    plan: OpeningPlan | None = None,
) -> SearchResult:
    """Return a tree that costs least, of all or of those that begin with an opening; stopped early, the bounds proved.

    Args:
        game: the game.
        costs: what finding each secret costs.
        opening: the guesses that the trees begin with.
        start: a tree to beat; it is the result if none is better, or if the search is stopped.
        target: whether a tree costs less than this is all that is asked. The lower bound
            reaches it if none does.
        threads: how many parts of an opening to search at a time.
        states: how many states may be searched; with this limit one thread works, so that it always ends alike.
        control: when to end, and who hears of the progress; `SearchProgress` has costs divided by `costs.unit`.
        lower: a bound known before; only without an opening.
        plan: the game's symmetries, if they are known (`plan_openings`).
    """
    try:
        found = TreeSearch(search_table(game, costs, control.deadline, plan), opening, threads=threads)
    except DeadlinePassed:
        upper = NO_COST if start is None else costs.total(start.depths())
        return SearchResult(min(costs.counted(len(game.labels) - 1), upper), upper, start, 0)
    if not opening:
        found.parts[0].lower = max(found.parts[0].lower, lower)
    with suppress(Stopped):
        found.run(control, start=start, target=target, states=states)
    return found.result(start)


def exact_costs(game: Game, costs: Costs, constraint: int, guesses: Sequence[int]) -> dict[int, int]:
    """Return the least costs of the trees that begin with each of some guesses, and with a best one, by guess.

    This is for small games: everything is searched to its end.

    Args:
        game: a game, whose secrets are those of a state.
        costs: what finding each secret costs.
        constraint: what hard mode asks of the guesses.
        guesses: the guesses.
    """
    searching = StateSearch(search_table(game, costs, plan=no_symmetry(len(game.guesses))), most_slots=STATE_SLOTS)
    best = searching.guesses(game.all_secrets, 0, constraint)[game.all_secrets.tobytes()]
    found = {}
    for guess in dict.fromkeys([*guesses, best]):
        after = opened(game, costs, [guess], constraint)
        found[guess] = after.cost + sum(
            searching.bound(part.secrets, part.column, part.constraint).cost for part in after.parts
        )
    return found
