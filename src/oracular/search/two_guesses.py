"""What trees with a given opening can reach at most, by every second guess, for all openings of a game.

After an opening two guesses are looked at in full (`kernels/two_guesses.py`). Against any costs that is a lower bound
on every tree with the opening, and the quickest one in games of many answers, whose states are small after two guesses.
If only the first three guesses count it is exact: so the best tree for within-3 is found and proved in minutes for
Wordle, where a search of all states would take days.

If a rule of guessing holds, the best second guess may be forbidden: the bounds hold, but such games are searched state
by state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.costs import Costs
from oracular.games.game import Game, Indices
from oracular.games.table import MANY_ANSWERS, turned_round
from oracular.objectives import Objective
from oracular.planner.start import is_planned
from oracular.search.trees import SearchProgress
from oracular.strategies.tree import Tree, tree_by
from oracular.system.control import NEVER, UNLIMITED, Control, Deadline, DeadlinePassed, Threads
from oracular.system.memory import check_threads

HALF_REACH = 107.0
"""A guess finds about n / (1 + n / this) of n secrets with the next one, in Wordle."""

OPENINGS_AT_A_TIME = 16
"""This many openings are handed to a thread at a time."""


def is_swept(game: Game, objective: Objective) -> bool:
    """Return whether best responses are found by every second guess: within-3 in a game of many secrets and answers.

    In a game of few answers the parts of an opening are large and few, and a search of all states is better. If a rule
    of guessing holds, only that search follows it.
    """
    many = is_planned(game) and len(game.labels) > MANY_ANSWERS
    return objective.name == "within-3" and many and game.guessing.is_any


class Savings(NamedTuple):
    """What a tree saves by finding secrets in time, from a table of costs; see the kernel.

    Attributes:
        order: the secrets that count, by falling gain, int32.
        gain: what is saved if a secret is found by the third guess instead of the fourth, int64 [secrets].
        sooner: what is saved beyond that if it is found by the second, int64 [secrets].
    """

    order: NDArray[np.int32]
    gain: NDArray[np.int64]
    sooner: NDArray[np.int64]

    @classmethod
    def of(cls, costs: Costs) -> Savings:
        """Return the savings under a table of costs."""
        gain, sooner = (costs.rise[min(column, costs.last)].copy() for column in (3, 2))
        order = np.argsort(-gain, kind="stable")
        return cls(order[(gain + sooner)[order] > 0].astype(np.int32), gain, sooner)

    @classmethod
    def within_three(cls, weights: NDArray[np.int64]) -> Savings:
        """Return the savings if only it counts whether a secret is found within three guesses."""
        order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)].astype(np.int32)
        return cls(order, weights, np.zeros_like(weights))


class Best(NamedTuple):
    """What some openings save at most [openings], and the best second guess after each answer [openings, 256]."""

    openings: NDArray[np.int64]
    values: NDArray[np.int64]
    seconds: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SortedGuesses:
    """A game as the kernels read it: its guesses sorted, those with the most answers first.

    Attributes:
        game: the game.
        guesses: the guess at each place, int64 [guesses].
        answers: how many answers the guess at each place can get, int64 [guesses].
        by_secret: the answers, uint8 [secrets, places].
    """

    game: Game
    guesses: NDArray[np.int64]
    answers: NDArray[np.int64]
    by_secret: NDArray[np.uint8]

    @classmethod
    def of(cls, game: Game, deadline: Deadline = NEVER) -> SortedGuesses:
        """Return a game in this form, or raise `DeadlinePassed`."""
        table = game.table_by(deadline)
        counts = np.empty(len(table), np.int64)
        for guess, row in enumerate(table):
            if guess % 1024 == 0:
                deadline.check()
            counts[guess] = np.count_nonzero(np.bincount(row))
        order = np.argsort(-counts, kind="stable")
        deadline.check()
        return cls(game, order, counts[order], turned_round(table[order], deadline))

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """The place of each guess [guesses]."""
        places = np.empty(len(self.guesses), np.int64)
        places[self.guesses] = np.arange(len(places))
        return places

    @cached_property
    def finder(self) -> NDArray[np.int64]:
        """The place of the guess that finds each secret [secrets]."""
        return self.places[self.game.guess_of_secret]

    @cached_property
    def most_parts(self) -> NDArray[np.int64]:
        """How many parts any guess makes of n secrets, at most [secrets + 1]."""
        return np.minimum(np.arange(len(self.by_secret) + 1), self.answers[0])

    @cached_property
    def usual_parts(self) -> NDArray[np.int64]:
        """How many parts the best guess makes of n secrets, about [secrets + 1]."""
        sizes = np.arange(len(self.by_secret) + 1)
        return np.maximum(np.minimum(sizes, 2), np.ceil(sizes / (1 + sizes / HALF_REACH))).astype(np.int64)

    def counted(
        self, weights: NDArray[np.int64], reach: NDArray[np.int64], deadline: Deadline = NEVER
    ) -> NDArray[np.int64]:
        """Return how much weight openings find within three guesses at most, or about, by place [guesses].

        Raises `DeadlinePassed`.
        """
        from oracular.kernels.two_guesses import openings_by_counting

        values = np.zeros(len(self.guesses), np.int64)
        order = Savings.within_three(weights).order
        openings_by_counting(self.by_secret, order, weights, reach, values, deadline.flag)
        deadline.check_flag()
        return values

    def promising(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the openings that distinguish secrets, as places, those that find most by an estimate first."""
        estimates = self.counted(weights, self.usual_parts, deadline)
        by_estimate = np.argsort(-estimates, kind="stable")
        return by_estimate[self.answers[by_estimate] > 1]

    def best(
        self,
        savings: Savings,
        openings: NDArray[np.int64],
        flag: NDArray[np.uint8],
        *,
        enough: int | NDArray[np.int64] = -1,
        hints: NDArray[np.int32] | None = None,
        in_full: bool = True,
    ) -> Best:
        """Return what openings save at most, for as many of them, from the first on, as there was time for.

        Args:
            savings: what secrets save.
            openings: as places, like all guesses here.
            flag: turns from 0 to 1 when the work is to end.
            enough: no opening is looked at further once it is known to save no more [openings].
            hints: second guesses to begin with after each answer, -1 for none [openings, 256, hints].
            in_full: whether all second guesses are tried, or the hints alone.
        """
        from oracular.kernels.two_guesses import second_guesses

        count = len(openings)
        values, seconds = np.zeros(count, np.int64), np.full((count, 256), -1, np.int32)
        enough = np.broadcast_to(np.asarray(enough, np.int64), count).copy()
        hints = np.empty((count, 256, 0), np.int32) if hints is None else hints
        done = second_guesses(
            self.by_secret, self.answers, self.finder, *savings, openings, enough, hints, in_full, values, seconds, flag
        )
        return Best(openings[:done], values[:done], seconds[:done])

    def swept(
        self,
        savings: Savings,
        openings: NDArray[np.int64],
        enough: Callable[[NDArray[np.int64]], int | NDArray[np.int64]],
        threads: int,
        control: Control[object],
    ) -> Iterator[Best]:
        """Yield what openings save at most, a few at a time in their order, until the control ends it.

        `enough` is asked for each few openings, just before these are looked at.
        """
        batches = np.split(openings, range(OPENINGS_AT_A_TIME, len(openings), OPENINGS_AT_A_TIME))
        with Threads[Best](threads, control) as pool:
            for best in pool.in_turn(
                lambda some: self.best(savings, some, pool.control.flag, enough=enough(some)), batches
            ):
                if len(best.openings):
                    yield best

    def tree(self, weights: NDArray[np.int64], opening: int, seconds: NDArray[np.int32]) -> Tree:
        """Return the tree with an opening, a second guess after each answer to it, and then the heaviest secrets.

        Both are places. After an answer without a second guess the heaviest secret left is guessed, too.
        """
        game, first, row = self.game, int(self.guesses[opening]), self.by_secret[:, opening]
        everything = len(game.secrets)
        second = {answer: int(self.guesses[place]) for answer, place in enumerate(seconds.tolist()) if place >= 0}
        begun: set[int] = set()

        def choose(state: Indices, _: int) -> int:
            if len(state) == everything and not begun:
                begun.add(-1)
                return first
            answer = int(row[state[0]])
            if answer in second and answer not in begun:  # a state comes before what follows from it
                begun.add(answer)
                return second[answer]
            return int(game.guess_of_secret[state[np.argmax(weights[state])]])

        return tree_by(game, choose)


def two_guess_bounds(
    game: Game,
    costs: Costs,
    openings: list[int],
    *,
    enough: int | None = None,
    threads: int = 1,
    control: Control[object] = UNLIMITED,
) -> Iterator[tuple[int, int]]:
    """Yield openings with what trees that begin with them cost at least, for as many as there is time for.

    In Wordle it takes a few minutes to prove about 3.37 guesses for all openings against the uniform hider, where the
    optimum is 3.42.

    Args:
        game: the game.
        costs: what finding each secret at each guess costs.
        openings: the guesses to begin with; they are looked at in this order.
        enough: no bound above this is asked for, which saves time.
        threads: how many to use; they do not change a bound.
        control: when to stop; that is no error.
    """
    with suppress(DeadlinePassed):
        guesses = SortedGuesses.of(game, control.deadline)
        savings = Savings.of(costs)
        # All secrets at the fourth guess, and what an opening saves on the secret that it finds itself.
        late = costs.total(np.full(len(game.secrets), 4, np.int32))
        found = np.zeros(len(game.guesses), np.int64)
        found[game.guess_of_secret] = costs.rise[min(1, costs.last)]
        most = late - found[guesses.guesses]

        def no_more(some: NDArray[np.int64]) -> int | NDArray[np.int64]:
            return -1 if enough is None else most[some] - enough

        places = guesses.places[np.array(openings, np.int64)]
        for best in guesses.swept(savings, places, no_more, threads, control):
            for place, saved in zip(best.openings.tolist(), best.values.tolist(), strict=True):
                bound = int(most[place]) - saved
                yield int(guesses.guesses[place]), bound if enough is None else min(bound, enough)


@dataclass(eq=False)
class Found:
    """The bounds of the openings of a game against a hider.

    Attributes:
        upper: no tree finds more weight than this: proved.
        lower: the tree finds this much.
        tree: the best tree found, None if there was no time for one.
        openings: for how many openings the bound was worked out.
    """

    upper: int
    lower: int = 0
    tree: Tree | None = None
    openings: int = 0


def most_within_three(
    game: Game,
    weights: NDArray[np.int64],
    control: Control[SearchProgress] = UNLIMITED,
    threads: int | None = None,
) -> Found:
    """Return what weight a tree finds at most within three guesses, and the best tree.

    If the deadline passes, the bound is what is proved by then.

    Args:
        game: the game, one without a rule of guessing.
        weights: the hider's, whose sum fits into 62 bits [secrets].
        control: when to stop; its reports are bounds on the loss.
        threads: how many to use, by default one for each core; they do not change a result that there is time for.
    """
    weights = weights.copy()  # a hider's are read-only, which Numba would compile once more for
    known = Found(int(weights.sum()))
    whole = max(1, known.upper)

    def cancelled() -> bool:  # called while threads work
        control.report(SearchProgress(1 - known.upper / whole, 1 - known.lower / whole, 0, known.openings))
        return control.cancelled()

    with suppress(DeadlinePassed):
        guesses = SortedGuesses.of(game, control.deadline)
        _sweep(guesses, weights, known, check_threads(threads), Control(control.deadline, cancelled))
    return known


def _sweep(
    guesses: SortedGuesses, weights: NDArray[np.int64], known: Found, threads: int, control: Control[object]
) -> None:
    """Work out what each opening finds within three guesses, the most promising first, or raise `DeadlinePassed`."""
    most = guesses.counted(weights, guesses.most_parts, control.deadline)
    most[guesses.answers == 1] = 0  # what distinguishes nothing finds no more than what comes next would find at once
    if len(weights) > 1:  # a single secret is found by what distinguishes nothing
        known.upper = min(known.upper, int(most.max()))
    opening, seconds = -1, np.full(256, -1, np.int32)
    promising = guesses.promising(weights, control.deadline)
    for best in guesses.swept(Savings.within_three(weights), promising, lambda _: known.lower, threads, control):
        most[best.openings] = np.minimum(best.values, most[best.openings])
        known.openings += len(best.openings)
        top = int(np.argmax(best.values))
        if best.values[top] > known.lower:
            known.lower, opening, seconds = int(best.values[top]), int(best.openings[top]), best.seconds[top].copy()
        known.upper = min(known.upper, max(known.lower, int(most.max())))
    if opening >= 0:
        known.tree = guesses.tree(weights, opening, seconds)


def warm_up() -> None:
    """Load or compile the kernels, on a game of a few secrets."""
    names = "abcdefgh"
    tiny = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
    most_within_three(tiny, np.ones(len(names), np.int64))
