"""A state and all its useful guesses, searched for a lower bound by questions about what the guesses leave.

The bound of a state to k guesses is its size plus the least, over the guesses, of the sum of the bounds to k - 1
guesses of the parts that a guess leaves (`kernels/bounds/search.py`). A compiled search tries one guess after the
other. Here many are tried at a time: a search asks for bounds of the parts of all of them, in rounds, so that whoever
answers can work on thousands of states at once. The bound is the same number.

What is known of a part stays known when the state is searched again, to more guesses or for more.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.bounds.letters import DEPTHS, FEW, FOUND, STEPS, LetterBoard
from oracular.bounds.parts import TotalBound

SETTLED = 127
"""To how many guesses the bound of a part is whole, where it is the optimum."""

FIRST_WAVE, WIDER = 64, 4
"""So many guesses are tried first, and then each time so many times more: the first ones may lower what is asked."""


@dataclass(frozen=True, eq=False)
class Questions:
    """States that a search asks about: what some guesses and answers leave of its state.

    Attributes:
        secrets: the state, int32 [secrets].
        guesses: int64 [states], and so are the `answers` to them.
        answers: see `guesses`.
        plies: to how many guesses the bounds are asked.
        targets: at which each bound is cut, int64 [states].
    """

    secrets: NDArray[np.int32]
    guesses: NDArray[np.int64]
    answers: NDArray[np.int64]
    plies: int
    targets: NDArray[np.int64]


Answers: TypeAlias = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""The bounds of the states that were asked about, each cut at its target, and whether it is the optimum."""

Steps: TypeAlias = Generator[Questions, Answers, TotalBound]
"""A search that asks questions until it knows a bound."""


def scores_by_counting(
    counts: NDArray[np.int64], finds: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the score of each guess, and what m secrets of the state cost at least, for each m.

    This is the counting bound of `kernels/bounds/counting.py`.

    Args:
        counts: how many secrets each guess gives each answer [guesses, answers].
        finds: 1 where a guess may be the secret [guesses].
        size: how many secrets the state has.
    """
    secrets = np.arange(size + 1)
    least, scores = secrets.copy(), 2 * size - finds
    found = 1
    for _ in range(DEPTHS):
        least += np.maximum(0, secrets - found)
        by_now = finds + np.minimum(counts, found).sum(axis=1)
        scores += size - by_now
        found = int(by_now.max())
        if found >= size:
            break
    return scores, least


class _Best(NamedTuple):
    """The least bound of a guess so far, its place among the guesses, and whether it is known to be the optimum."""

    total: int
    row: int
    exact: bool


class Expansion:
    """A state of three secrets or more, with what is known of the parts that each useful guess leaves.

    The guesses are in the order in which the compiled search tries them. Of several that reach the bound the first
    counts: whether its parts are known to be optima decides whether the bound is.

    Attributes:
        secrets: the state, int32 [secrets].
        first: its bound to one guess.
    """

    def __init__(self, board: LetterBoard, secrets: NDArray[np.int32]) -> None:
        self.secrets = secrets
        guesses, rows = _useful(board.answers[:, secrets])
        counts = np.stack([(rows == answer).sum(axis=1) for answer in range(board.count)], axis=1)
        scores, least = scores_by_counting(counts, (rows == FOUND).sum(axis=1), len(secrets))
        order = np.argsort(np.minimum(scores - scores.min(), STEPS), kind="stable")
        counts, scores = counts[order], scores[order]
        alone = counts[scores == scores[0]].max(axis=1) <= FEW  # nothing is left to be searched
        self.first = TotalBound(int(scores[0]), bool(alone.any()))
        self._guesses = guesses[order]
        self._totals = scores
        self._bounds = least[counts].astype(np.int32)
        self._whole = np.where(counts <= FEW, SETTLED, 0).astype(np.int8)  # to how many guesses the bounds are whole
        self._by_size = np.argsort(-counts, axis=1, kind="stable").astype(np.int8)

    def search(self, plies: int, asked: int) -> Steps:
        """Search for the bound to so many guesses, two or more and no fewer than before, cut at what is asked for."""
        best = _Best(asked, -1, False)
        begin, wave = 0, FIRST_WAVE
        while begin < len(self._guesses):
            live = np.arange(begin, min(begin + wave, len(self._guesses)))
            begin, wave = begin + wave, wave * WIDER
            for depth in range(1, plies):
                live, best = yield from self._deepen(live, depth, best, last=depth == plies - 1)
        return TotalBound(best.total, best.exact)

    def _deepen(
        self, live: NDArray[np.int64], depth: int, best: _Best, *, last: bool
    ) -> Generator[Questions, Answers, tuple[NDArray[np.int64], _Best]]:
        """Raise the bounds of some guesses to so many guesses; return those that may be best, and the best so far.

        First each part that may rise is asked for a share of what its guess is short of, then for all of it, one part
        after the other. At the `last` depth a guess whose parts have their whole bounds is the best so far.
        """
        for sharing in (True, False) if depth > 1 else (False,):
            while True:
                live = live[self._short(live, best) > 0]
                rising = self._whole[live] < depth
                asking = rising.any(axis=1)
                if last and not asking.all():
                    best, live = self._least_of(live[~asking]), live[asking]
                    continue
                if not asking.any():
                    return live, best
                rows, rising = live[asking], rising[asking]
                if sharing:
                    yield from self._ask_shares(rows, rising, depth, self._short(rows, best))
                    break
                yield from self._ask_largest(rows, rising, depth, self._short(rows, best))
        return live, best

    def _short(self, rows: NDArray[np.int64], best: _Best) -> NDArray[np.int64]:
        """Return by how much each guess would have to rise so as not to be the best; one that comes first, by more."""
        return best.total + (rows < best.row) - self._totals[rows]

    def _least_of(self, rows: NDArray[np.int64]) -> _Best:
        """Return the first guess with the least bound, of some whose parts all have their whole bounds."""
        row = rows[self._totals[rows].argmin()]
        return _Best(int(self._totals[row]), int(row), bool((self._whole[row] == SETTLED).all()))

    def _ask_shares(
        self, rows: NDArray[np.int64], rising: NDArray[np.bool_], depth: int, short: NDArray[np.int64]
    ) -> Generator[Questions, Answers, None]:
        """Ask each part that may rise for its share of what its guess is short of, all at once."""
        bounds = np.where(rising, self._bounds[rows], 0).astype(np.int64)
        among = bounds.sum(axis=1)[:, None]
        shares = (short[:, None] * bounds + among - 1) // among
        which, answers = np.nonzero(rising)
        yield from self._ask(rows[which], answers, depth, (bounds + shares)[which, answers])

    def _ask_largest(
        self, rows: NDArray[np.int64], rising: NDArray[np.bool_], depth: int, short: NDArray[np.int64]
    ) -> Generator[Questions, Answers, None]:
        """Ask the largest part that may rise, of each guess, for all that the guess is short of."""
        in_order = np.take_along_axis(rising, self._by_size[rows], axis=1)
        answers = self._by_size[rows, in_order.argmax(axis=1)]
        yield from self._ask(rows, answers, depth, self._bounds[rows, answers] + short)

    def _ask(
        self, rows: NDArray[np.int64], answers: NDArray[np.int64], depth: int, targets: NDArray[np.int64]
    ) -> Generator[Questions, Answers, None]:
        """Ask about parts, and take in what is answered."""
        totals, exact = yield Questions(self.secrets, self._guesses[rows], answers, depth, targets)
        gains = np.maximum(0, totals - self._bounds[rows, answers])
        self._bounds[rows, answers] += gains
        np.add.at(self._totals, rows, gains)
        whole = np.where(exact, SETTLED, np.where(totals < targets, depth, 0))
        self._whole[rows, answers] = np.maximum(self._whole[rows, answers], whole)


def _useful(rows: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the guesses that tell some secrets apart, one for each way to do so, and their answers.

    Args:
        rows: the answers of all guesses to the secrets of a state [guesses, secrets].
    """
    guesses = np.flatnonzero((rows != rows[:, :1]).any(axis=1))
    rows = np.ascontiguousarray(rows[guesses])
    _, first = np.unique(rows.view(np.dtype((np.void, rows.shape[1]))).ravel(), return_index=True)
    first.sort()
    return guesses[first], rows[first]
