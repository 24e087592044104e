"""A guessing game for three guesses, answered opening by opening.

Within three guesses an opening's best tree is found by looking at every second guess (`search/two_guesses.py`), which
takes some hundredths of a second in Wordle. A few hundred openings are kept, each with the second guesses that
were ever best after its answers. Against any weights the best of them are found at once, and the two best openings are
then looked at in full. Now and then openings that promise more are taken in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.objectives import Objective, within
from oracular.problem import Response
from oracular.search.two_guesses import Best, Savings, SortedGuesses, is_swept
from oracular.settings import EXPLORATION, PLANNER
from oracular.solvers.guessing_problems import KeptTreesProblem
from oracular.strategies.tree import Tree
from oracular.system.checking import check_array, damaged_arrays
from oracular.system.control import NEVER, Deadline
from oracular.system.memory import cached_on

MOST_OPENINGS = 384
"""The most openings kept; of more, those that find least are dropped."""

KEPT = 16
"""Second guesses kept after each answer to an opening; a new one replaces the oldest."""

FIRST, MORE = 64, 8
"""How many openings are added at the start, and each time later."""

EVERY = 16
"""Openings are added at every response whose number is a multiple of this."""

LOOKED_AT, PROMISING = 48, 768
"""When openings are added, 48 are searched in full, in turn among the 768 that promise most."""

IN_FULL = 2
"""How many openings are searched in full at every response."""


class OpeningsProblem(KeptTreesProblem):
    """A guessing game in which the secret must be found within three guesses."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, within(3))
        self.openings: NDArray[np.int64] = np.empty(0, np.int64)
        self.seconds: NDArray[np.int32] = np.empty((0, 256, KEPT), np.int32)

    def sorted_by(self, deadline: Deadline = NEVER) -> SortedGuesses:
        """Return the game as the kernels read it, or raise `DeadlinePassed`."""
        return cached_on(self, "_sorted", lambda: SortedGuesses.of(self.game, deadline))

    def warm_up(self) -> None:
        """Load or compile the kernels, on a game of a few secrets."""
        names = "abcdefgh"
        tiny = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
        problem = OpeningsProblem(tiny)
        problem.respond(np.ones(len(names), np.int64)).strategy.depths()

    def respond(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> Response:
        """Return the best tree that is found against these weights."""
        game, openings, seconds = self.sorted_by(deadline), self.openings, self.seconds
        if self.responses % EVERY == 0:
            openings, seconds = self._with_more(weights, deadline)
        known = self._looked_at(weights, openings, seconds, deadline, in_full=False)
        best = np.argsort(-known.values, kind="stable")[:IN_FULL]
        exact = self._looked_at(weights, openings[best], seconds[best], deadline, enough=0)
        seconds = seconds.copy()
        for place, chosen in zip(best, exact.seconds, strict=True):
            _take_in(seconds[place], chosen)
        top = int(np.argmax(exact.values))
        tree = game.tree(weights, int(exact.openings[top]), exact.seconds[top])
        deadline.check()
        self.openings, self.seconds, self.responses = openings, seconds, self.responses + 1
        return Response(self.objective.payoffs(tree.depths()), tree)

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Give a context after which, if it ends in an error, the openings are those of before."""
        before = self.openings, self.seconds
        try:
            with super().unchanged_on_error():
                yield
        except BaseException:
            self.openings, self.seconds = before
            raise

    def deviation(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the payoffs of the best tree of the openings and second guesses that are kept [secrets]."""
        if not len(self.openings):
            return np.ones(self.size, np.int64)
        best = self._looked_at(weights, self.openings, self.seconds, deadline, in_full=False)
        top = int(np.argmax(best.values))
        return self._losses(weights, int(self.openings[top]), best.seconds[top])

    def _losses(self, weights: NDArray[np.int64], opening: int, seconds: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return 1 for each secret that the tree with these guesses does not find within three [secrets]."""
        by_secret, order = self.sorted_by().by_secret, np.argsort(-weights, kind="stable")
        first = by_secret[order, opening].astype(np.int64)
        answers, heaviest = np.unique(first, return_index=True)
        own = self.sorted_by().finder[order[heaviest]]  # guessed where there is no second guess
        second = np.zeros(256, np.int64)
        second[answers] = np.where(seconds[answers] >= 0, seconds[answers], own)
        then = by_secret[order, second[first]]
        losses = np.ones(self.size, np.int64)
        losses[order[np.unique(first * 256 + then, return_index=True)[1]]] = 0
        return losses

    def _with_more(self, weights: NDArray[np.int64], deadline: Deadline) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the openings with some more that find much, and their second guesses."""
        wanted = MORE if len(self.openings) else FIRST
        promising = self.sorted_by(deadline).promising(weights, deadline)
        others = promising[~np.isin(promising, self.openings)][:PROMISING]
        begin = LOOKED_AT * (self.responses // EVERY) % max(1, len(others))
        new = np.roll(others, -begin)[: max(wanted, LOOKED_AT)]
        none = np.full((len(new), 256, KEPT), -1, np.int32)
        known = self._looked_at(weights, self.openings, self.seconds, deadline, in_full=False).values
        enough = int(np.sort(known)[-wanted]) if len(known) >= wanted else 0
        _, values, chosen = self._looked_at(weights, new, none, deadline, enough=enough)
        best = np.sort(np.argsort(-values, kind="stable")[:wanted])
        best = best[values[best] > enough]
        for place in best:
            _take_in(none[place], chosen[place])
        openings = np.concatenate([self.openings, new[best]])
        seconds = np.concatenate([self.seconds, none[best]])
        if len(openings) > MOST_OPENINGS:
            stay = np.sort(np.argsort(-np.append(known, values[best]), kind="stable")[:MOST_OPENINGS])
            openings, seconds = openings[stay], seconds[stay]
        return openings, seconds

    def _looked_at(
        self,
        weights: NDArray[np.int64],
        openings: NDArray[np.int64],
        hints: NDArray[np.int32],
        deadline: Deadline,
        *,
        enough: int = -1,
        in_full: bool = True,
    ) -> Best:
        """Return what openings find by any second guess, or by the hints alone, or raise `DeadlinePassed`."""
        savings = Savings.within_three(weights)
        game = self.sorted_by(deadline)
        best = game.best(savings, openings, deadline.flag, enough=enough, hints=hints, in_full=in_full)
        deadline.check_flag()
        return best

    def saved_arrays(self, strategies: Sequence[Any]) -> dict[str, NDArray[Any]]:
        """Return the openings with their second guesses, and the trees."""
        return super().saved_arrays(strategies) | {"openings": self.openings, "second_guesses": self.seconds}

    def load_all(self, data: Any, arrays: Mapping[str, NDArray[Any]], deadline: Deadline = NEVER) -> list[Tree]:
        """Take up the openings, and return the trees; nothing in the arrays is believed."""
        count = len(arrays["openings"]) if "openings" in arrays and arrays["openings"].ndim == 1 else 0
        check_array(arrays, "openings", np.int64, (count,))
        check_array(arrays, "second_guesses", np.int32, (count, 256, KEPT))
        openings, seconds, guesses = arrays["openings"], arrays["second_guesses"], len(self.game.guesses)
        if not 1 <= count <= MOST_OPENINGS or len(np.unique(openings)) != count:
            raise damaged_arrays("openings are none, too many, or there twice")
        if openings.min() < 0 or openings.max() >= guesses or seconds.min() < -1 or seconds.max() >= guesses:
            raise damaged_arrays("an opening or a second guess is no guess of the game")
        if (np.diff((seconds < 0).astype(np.int8), axis=2) < 0).any():
            raise damaged_arrays("second guesses come after the last")
        trees = super().load_all(data, arrays, deadline)
        self.openings, self.seconds = openings.copy(), seconds.copy()
        return trees


def _take_in(lists: NDArray[np.int32], guesses: NDArray[np.int32]) -> None:
    """Put guesses, -1 for none, at the front of the lists of each answer [256, KEPT], in place."""
    for answer in np.flatnonzero(guesses >= 0):
        kept = lists[answer]
        before = kept[kept != guesses[answer]][: KEPT - 1]
        lists[answer, 0], lists[answer, 1 : 1 + len(before)] = guesses[answer], before


def is_answered_by_openings(game: Game, objective: Objective, settings: Mapping[str, Any]) -> bool:
    """Return whether a game is solved this way: within three guesses, no rule of guessing, no planner settings."""
    return is_swept(game, objective) and not any(entry.name in settings for entry in (*PLANNER, *EXPLORATION))
