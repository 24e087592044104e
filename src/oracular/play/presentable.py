"""What the computer guesses before a person: drawn from its strategy, and drawn again if it offends."""

from __future__ import annotations

import numpy as np

from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.offensive import is_offensive
from oracular.strategies.oracle import Mixture

MOST_DRAWS = 32
"""How often an oracle is drawn again before another guess is looked for."""


def presentable_guess(game: Game, guesser: Mixture, possible: Indices, draw: int, demand: int = FREE) -> int:
    """Return the guess, by index, of the oracle that a seed draws; where it offends, that of another one.

    Where all of them offend, it is the best guess that does not. Only where no other guess would tell anything, since
    all that is left offends, is such a word guessed after all: it is the person's own. In hard mode a state has a
    demand, which the guess meets.
    """
    for again in range(MOST_DRAWS if len(guesser.oracles) > 1 else 1):
        rng = np.random.default_rng([draw, again] if again else draw)
        guess = guesser.new_game(rng).guess_at(possible, demand)
        if not is_offensive(game.guesses[guess]):
            return guess
    return _best_other(game, possible, demand, guess)


def _best_other(game: Game, possible: Indices, demand: int, guess: int) -> int:
    """Return the inoffensive guess that is expected to leave fewest, or the given one where none tells anything."""
    allowed = game.allowed(possible, demand)
    others = np.array([number for number in allowed if not is_offensive(game.guesses[number])], dtype=np.int32)
    best, least = guess, len(possible) ** 2
    for block in np.array_split(others, len(others) // 256 + 1):
        for number, replies in zip(block, game.answers(block, possible), strict=True):
            counts = np.bincount(replies, minlength=len(game.labels))
            left = int((counts**2).sum() - counts[game.found])
            if left < least:
                best, least = int(number), left
    return best
