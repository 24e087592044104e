"""Lower bounds against a hider who gives some secrets the same weight and the others none, in games of few answers.

What a state costs is then a whole number of guesses that depends on its secrets alone. So states are searched as bits,
many guesses at a time (`kernels/letter_bounds.py`), and an opening by the parts that it leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.letter_bounds import FEW, PAUSED, begin_search, go_on
from oracular.kernels.letter_views import (
    MOST_ANSWERS,
    MOST_GUESSES,
    MOST_SECRETS,
    LetterBoard,
    LetterFrames,
    LetterMemo,
    LetterViews,
    new_frames,
    new_memo,
    new_views,
)
from oracular.strategies.hider import Hider
from oracular.system.memory import cached_on

WORK = 1 << 28
"""How much work is done between two checks of the clock: about a twentieth of a second."""

MOST_PAIRS = 1 << 25
"""Guesses times secrets of a game that is searched as bits: a thread takes some bytes for each."""

SHALLOW_STATES, DEEP_STATES = 1 << 20, 1 << 20
"""How many states the two memos hold: one those searched to two guesses, one those searched to more."""

SHALLOW_SECRETS, DEEP_SECRETS = 16, 32
"""A memo has room for this many secrets a state, on average."""

ALL_OF_IT = 1 << 40
"""A target that no bound reaches."""


class TotalBound(NamedTuple):
    """A lower bound on a total of weight times guesses, and whether it is the optimum."""

    total: int
    exact: bool


def is_uniform(hider: Hider) -> bool:
    """Return whether a hider gives the same weight to some secrets and none to others, in a game of few answers."""
    game = hider.game
    weights = np.unique(hider.weights[hider.weights > 0])
    return bool(
        len(weights) == 1
        and game.tokens is not None
        and game.guessing.is_any
        and 1 < np.count_nonzero(hider.weights) <= MOST_SECRETS
        and len(game.guesses) <= MOST_GUESSES
        and len(game.guesses) * np.count_nonzero(hider.weights) <= MOST_PAIRS
        and len(game.labels) - 1 <= MOST_ANSWERS
    )


def _board_of(hider: Hider) -> LetterBoard:
    """Return the game as it is searched: the secrets that have a weight, and all guesses."""
    game = hider.game
    secrets = np.flatnonzero(hider.weights)
    going_on = [answer for answer in range(len(game.labels)) if answer != game.found]
    numbers = np.full(len(game.labels), MOST_ANSWERS, np.uint8)
    numbers[going_on] = np.arange(len(going_on))
    answers = np.ascontiguousarray(numbers[game.table[:, secrets].T])
    return LetterBoard(answers, game.guess_of_secret[secrets], max(2, len(going_on)))


class LetterSearch:
    """Searches states and openings for lower bounds, in guesses for all secrets together.

    A thread can use it for one after another. It remembers what it has proved, which changes no bound.

    Attributes:
        scored: how many states had their guesses scored so far, which takes most of the time.
    """

    def __init__(self, hider: Hider, shallow: LetterMemo | None = None, deep: LetterMemo | None = None) -> None:
        self._board = cached_on(hider, "_board", lambda: _board_of(hider))
        self._shallow = shallow or new_memo(SHALLOW_STATES, SHALLOW_STATES * SHALLOW_SECRETS)
        self._deep = deep or new_memo(DEEP_STATES, DEEP_STATES * DEEP_SECRETS)
        self._weight = int(hider.weights.max())
        self.scored = 0
        self._room: tuple[LetterViews, LetterFrames] | None = None
        self._room_for = 0, 0

    def state_bound(self, secrets: NDArray[np.int32], plies: int, target: int, check: Callable[[], None]) -> TotalBound:
        """Return the bound of a state to this many guesses, cut at the target.

        Args:
            secrets: the state, by number among the secrets that have a weight, in rising order.
            plies: to how many guesses, one or more.
            target: where the bound is cut; to show that it is reached is far cheaper than to find the bound.
            check: called several times a second; it may raise an error to end the search.
        """
        if len(secrets) <= FEW:
            total = len(secrets) * (len(secrets) + 1) // 2
            return TotalBound(min(total, target), total < target)
        views, frames = self._room_of(len(secrets), plies)
        begin_search(self._board, views, frames, secrets, plies, min(target, ALL_OF_IT))
        found = PAUSED
        while found == PAUSED:
            check()
            found = go_on(self._board, views, frames, self._shallow, self._deep, WORK)
        self.scored += int(frames.scored[0])
        frames.scored[0] = 0
        return TotalBound(int(found >> 1), bool(found & 1))

    def opening_bound(self, opening: int, plies: int, ceiling: int, check: Callable[[], None]) -> TotalBound:
        """Return the bound of all trees that begin with an opening, to two plies or more, cut at the ceiling.

        The bound is the number of secrets plus the bounds of the parts that the opening leaves. Each depth has two
        passes: first each part whose bound may rise is searched for its share of what is missing to the ceiling, in
        proportion to its bound; then each is searched for all of it.
        """
        row = self._board.answers[:, opening]
        states = [np.flatnonzero(row == answer).astype(np.int32) for answer in range(self._board.count)]
        states = sorted((state for state in states if len(state)), key=len, reverse=True)
        parts = [self.state_bound(state, 1, ALL_OF_IT, check) for state in states]
        total = len(row) + sum(part.total for part in parts)
        for depth in range(2, plies):
            rising = [not part.exact for part in parts]
            for shared in (True, False):
                for number, state in enumerate(states):
                    if rising[number] and total < ceiling:
                        bound = parts[number].total
                        among = sum(part.total for part, may in zip(parts, rising, strict=True) if may)
                        target = bound - (total - ceiling) * bound // (among if shared else bound)
                        parts[number] = self.state_bound(state, depth, target, check)
                        total += parts[number].total - bound
                        rising[number] = parts[number].total >= target
        return TotalBound(min(total, ceiling), total < ceiling and all(part.exact for part in parts))

    def weighted_bound(self, opening: int, plies: int, ceiling: int, check: Callable[[], None]) -> TotalBound:
        """Return `opening_bound` for weight times guesses instead of guesses."""
        found = self.opening_bound(opening, plies, -(-ceiling // self._weight), check)
        return TotalBound(min(ceiling, found.total * self._weight), found.exact)

    def _room_of(self, secrets: int, plies: int) -> tuple[LetterViews, LetterFrames]:
        """Return room for a search of a state of this many secrets to this many guesses."""
        if self._room is None or secrets > self._room_for[0] or plies > self._room_for[1]:
            self._room_for = max(secrets, self._room_for[0]), max(plies, self._room_for[1])
            sizes = self._board.answers.shape[1], self._room_for[0], self._board.count, self._room_for[1] + 1
            self._room = new_views(*sizes), new_frames(*sizes)
        return self._room


def warm_up() -> None:
    """Load or compile the search, which is not counted as time."""
    from oracular.games.names import game
    from oracular.strategies.hider import hider_uniform

    tiny = new_memo(1, 1)
    LetterSearch(hider_uniform(game("jotto-2")), tiny, tiny).opening_bound(0, 4, 1 << 20, lambda: None)
