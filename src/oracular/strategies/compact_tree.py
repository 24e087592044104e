"""A tree of the guesser, whole: the guess at each state that it can reach, in one row of numbers.

A state comes before what follows from it, and the parts of a state in the order of their answers; states of one
secret are left out. With the game's table the row is the whole tree, so it can be kept, shipped and replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.strategies.oracle import Oracle


@dataclass(frozen=True, eq=False)
class CompactTree:
    """A pure oracle that is a whole tree.

    Attributes:
        game: the game it plays.
        guesses: the guess at every state of two or more secrets, int32 [states].
    """

    game: Game
    guesses: NDArray[np.int32]

    @classmethod
    def with_depths(cls, game: Game, guesses: NDArray[np.int32], depths: NDArray[np.int32]) -> CompactTree:
        """Return a tree whose depths have been worked out from the same guesses already."""
        tree = cls(game, guesses)
        tree.__dict__["_depths"] = depths
        return tree

    @cached_property
    def _depths(self) -> NDArray[np.int32]:
        return replayed_depths(self.game, self.guesses)

    def depths(self) -> NDArray[np.int32]:
        """Return how many guesses it takes to find each secret [secrets]."""
        return self._depths

    def guess(self, possible: Indices) -> int:
        """Return the guess at a state of one or more possible secrets.

        At a state that the tree never comes to (somebody else made the guesses before), the guess of the first state
        on its way that still tells these secrets apart; if there is none, one of them.
        """
        if len(possible) == 1:
            return int(self.game.guess_of_secret[possible[0]])
        by_secret = self.game.by_secret
        stack, used = [self.game.all_secrets], 0
        while stack:
            state = stack.pop()
            if len(state) == 1:
                continue
            guess = int(self.guesses[used])
            used += 1
            replies = by_secret[state, guess]
            if np.isin(possible[0], state) and len(np.unique(by_secret[possible, guess])) > 1:
                return guess
            stack.extend(state[replies == answer] for answer in np.unique(replies)[::-1] if answer != self.game.found)
        return int(self.game.guess_of_secret[possible[0]])


def replayed_depths(game: Game, guesses: NDArray[Any]) -> NDArray[np.int32]:
    """Return how many guesses the tree that this row of guesses stands for takes for each secret [secrets].

    Nothing is believed of the row: whatever is in it, the result is the depths of a whole tree of the game, played from
    the start, or a `SettingsError`.

    Args:
        game: the game that the tree plays.
        guesses: the guess at every state of two or more secrets, whole numbers [states]; see `CompactTree`.
    """
    from oracular.kernels.trees import replay

    row = np.asarray(guesses)
    if row.ndim != 1 or (row.size and not np.issubdtype(row.dtype, np.integer)):
        raise SettingsError(f"an array of {row.dtype} {list(row.shape)} is no row of guesses: give whole numbers")
    if row.size and not 0 <= int(row.min()) <= int(row.max()) < len(game.guesses):
        raise SettingsError(
            f"guesses from {row.min()} to {row.max()} are no tree of {game.name}: it has guesses 0 to "
            f"{len(game.guesses) - 1}"
        )
    depths = np.zeros(len(game.secrets), dtype=np.int32)
    used = replay(game.by_secret, game.guess_of_secret, game.found, row.astype(np.int32), depths)
    if used != len(row):
        raise SettingsError(f"{len(row)} guesses are no tree of {game.name}: give one for each state")
    return depths


def compact(oracle: Oracle) -> CompactTree:
    """Return an oracle's play as a compact tree."""
    if isinstance(oracle, CompactTree):
        return oracle
    game = oracle.game
    guesses: list[int] = []
    stack = [game.all_secrets]
    while stack:
        state = stack.pop()
        if len(state) == 1:
            continue
        guess = oracle.guess(state)
        guesses.append(guess)
        replies = game.by_secret[state, guess]
        stack.extend(state[replies == answer] for answer in np.unique(replies)[::-1] if answer != game.found)
    return CompactTree(game, np.array(guesses, dtype=np.int32))
