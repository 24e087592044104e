"""How often any guesser finds the secret within three guesses, opening by opening.

After an opening two guesses are left, and what they find of each part is worked out by every guess
(`kernels/last_guesses.py`). So the best tree against any hider is found, and proved, in minutes for Wordle, where the
search of all states would take days.

Where a rule of guessing holds, the best second guess may be forbidden: such games are searched state by state.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game, Indices
from oracular.games.table import MANY_ANSWERS, turned_round
from oracular.objectives import Objective
from oracular.responses.limits import SearchProgress, StopSearch
from oracular.responses.planned_start import is_planned
from oracular.strategies.tree import Tree, tree_by
from oracular.system.control import NEVER, Deadline, DeadlinePassed, in_batches, in_turn
from oracular.system.memory import check_threads

HALF_REACH = 107.0
"""A guess finds about n / (1 + n / this) of n secrets with the next one, in Wordle."""


def is_swept(game: Game, objective: Objective) -> bool:
    """Tell whether it is three guesses in a game that is best looked at so: one of many secrets and many answers.

    In a game of few answers the parts of an opening are large and few, and the search of all states is better. Where a
    rule of guessing holds, only that search keeps to it.
    """
    many = is_planned(game) and len(game.labels) > MANY_ANSWERS
    return objective.name == "within-3" and many and game.guessing.is_any


@dataclass(frozen=True, eq=False)
class LastGuesses:
    """A game as the kernels read it: its guesses sorted, those of most answers first.

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
    def of(cls, game: Game, deadline: Deadline = NEVER) -> LastGuesses:
        """Return a game so, or raise `DeadlinePassed`."""
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
    def most_parts(self) -> NDArray[np.int64]:
        """How many parts any guess makes of so many secrets, at most [secrets + 1]."""
        return np.minimum(np.arange(len(self.by_secret) + 1), self.answers[0])

    @cached_property
    def usual_parts(self) -> NDArray[np.int64]:
        """How many parts the best guess makes of so many secrets, about [secrets + 1]."""
        sizes = np.arange(len(self.by_secret) + 1)
        return np.maximum(np.minimum(sizes, 2), np.ceil(sizes / (1 + sizes / HALF_REACH))).astype(np.int64)

    def counted(
        self, weights: NDArray[np.int64], reach: NDArray[np.int64], deadline: Deadline = NEVER
    ) -> NDArray[np.int64]:
        """Return what the openings find at most or about, by place [guesses], or raise `DeadlinePassed`."""
        from oracular.kernels.last_guesses import openings_by_counting

        values = np.zeros(len(self.guesses), np.int64)
        openings_by_counting(self.by_secret, heaviest_first(weights), weights, reach, values, deadline.flag)
        deadline.check_flag()
        return values

    def promising(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the openings that tell secrets apart, as places, those that find most by an estimate first."""
        estimates = self.counted(weights, self.usual_parts, deadline)
        by_estimate = np.argsort(-estimates, kind="stable")
        return by_estimate[self.answers[by_estimate] > 1]

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


def heaviest_first(weights: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the secrets of a weight above zero, the heaviest first."""
    return np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)].astype(np.int32)


@dataclass(eq=False)
class Found:
    """What is known of the openings of a game against a hider.

    Attributes:
        upper: no tree finds more weight than this: proved.
        lower: the tree finds so much.
        tree: the best tree found, None where there was no time.
        openings: for how many openings the bound was worked out.
    """

    upper: int
    lower: int = 0
    tree: Tree | None = None
    openings: int = 0


Look: TypeAlias = Callable[[Found], bool]
"""Called about ten times a second with what is known; where it returns False, that is all."""


def most_within_three(
    game: Game,
    weights: NDArray[np.int64],
    *,
    threads: int = 1,
    deadline: Deadline = NEVER,
    look: Look = lambda _: True,
) -> Found:
    """Return what weight a tree finds at most within three guesses, and the best tree.

    Where the deadline passes, the bound is what is proved by then.

    Args:
        game: the game, one without a rule of guessing.
        weights: the hider's, whose sum fits into 62 bits [secrets].
        threads: how many to use; they do not change a result that there is time for.
        deadline: when to stop.
        look: called about ten times a second with what is known; where it returns False, that is all.
    """
    weights = weights.copy()  # a hider's are read-only, which Numba would compile once more for
    known = Found(int(weights.sum()))
    with suppress(DeadlinePassed):
        last = LastGuesses.of(game, deadline)
        _sweep(last, weights, known, threads, deadline, look)
    return known


def _sweep(
    last: LastGuesses, weights: NDArray[np.int64], known: Found, threads: int, deadline: Deadline, look: Look
) -> None:
    """Work out what each opening finds within three guesses, the most promising first, or raise `DeadlinePassed`."""
    from oracular.kernels.last_guesses import openings_with_two

    deadline = Deadline(deadline.moment)  # its own, since its flag is set if the work ends early
    order = heaviest_first(weights)
    most = last.counted(weights, last.most_parts, deadline)
    most[last.answers == 1] = 0  # what tells nothing apart finds no more than what comes next would find at once
    if len(weights) > 1:  # a single secret is found by what tells nothing apart
        known.upper = min(known.upper, int(most.max()))
    best_place, best_seconds = -1, np.full(256, -1, np.int32)

    def work(openings: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        values, seconds = np.zeros(len(openings), np.int64), np.empty((len(openings), 256), np.int32)
        hints = np.empty((len(openings), 256, 0), np.int32)
        count = openings_with_two(
            last.by_secret, last.answers, order, weights, openings, known.lower, hints, values, seconds, deadline.flag
        )
        return openings[:count], values[:count], seconds[:count]

    batches = in_batches(last.promising(weights, deadline))
    with in_turn(work, batches, threads, deadline, lambda: look(known)) as results:
        for openings, values, seconds in results:
            if not len(openings):
                continue
            most[openings] = np.minimum(values, most[openings])
            known.openings += len(openings)
            best = int(np.argmax(values))
            if values[best] > known.lower:
                known.lower, best_place, best_seconds = int(values[best]), int(openings[best]), seconds[best].copy()
            known.upper = min(known.upper, max(known.lower, int(most.max())))
    if best_place >= 0:
        known.tree = last.tree(weights, best_place, best_seconds)


def found_within_three(
    game: Game,
    weights: NDArray[np.int64],
    deadline: Deadline,
    progress: Callable[[SearchProgress], None] | None,
    threads: int | None = None,
) -> Found:
    """Return what `most_within_three` does, by default on all cores.

    The callback is told of losses, and may raise `StopSearch`.
    """
    whole = max(1, int(weights.sum()))

    def look(known: Found) -> bool:
        try:
            if progress is not None:
                progress(SearchProgress(1 - known.upper / whole, 1 - known.lower / whole, 2, 0, known.openings))
        except StopSearch:
            return False
        return True

    return most_within_three(game, weights, threads=check_threads(threads), deadline=deadline, look=look)


def warm_up() -> None:
    """Load or compile the kernels, on a game of a few secrets."""
    names = "abcdefgh"
    tiny = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
    most_within_three(tiny, np.ones(len(names), np.int64))
