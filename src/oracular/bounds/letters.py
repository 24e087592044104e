"""A game of letters and the secrets that a uniform hider hides, as batches of states and GPUs know them: plain arrays.

An answer is how many tokens (letters) a guess and a secret have in common; only the secret's own guess ends the game.
Nothing here needs compiled code, so a job can be worked on where there is no more than NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.system.device import USE_CPU

if TYPE_CHECKING:
    from oracular.strategies.hider import Hider

FOUND = 255
"""What stands in the table for the answer that ends the game."""

FEW = 2
"""States of at most so many secrets cost the same whatever they are: 1 and 3 guesses."""

DEPTHS = 16
"""Guesses that the counting bound tells apart; secrets beyond count as found with the next one."""

STEPS = 255
"""Scores so far above the least, or farther, count as the same when guesses are put in order."""

MOST_SECRETS = 0xFFFF // (DEPTHS + 2)
"""A hider hides no more secrets than this, so that the score of a guess fits into 16 bits."""

MOST_GUESSES = 24 << 10
"""So many guesses can the threads of one block on a GPU have in their registers."""

MOST_PAIRS = 1 << 25
"""Guesses times secrets; there are no more, since the processor would search a larger game in another way."""

MOST_ANSWERS = 8
"""Answers that do not end the game; there are no more than this, and a guess has no more tokens."""

MOST_TOKENS = 254
"""Each token of a guess is a byte, and one more stands for none."""


@dataclass(frozen=True, eq=False)
class LetterBoard:
    """A game of letters with the secrets that may be hidden; anything that is not one is a `ValueError`.

    Attributes:
        tokens: the tokens of each guess, all different, uint8 [guesses, letters].
        finder: the guess that finds each secret, int32 [secrets].
    """

    tokens: NDArray[np.uint8]
    finder: NDArray[np.int32]

    def __post_init__(self) -> None:
        tokens, finder = self.tokens, self.finder
        if tokens.dtype != np.uint8 or tokens.ndim != 2 or finder.dtype != np.int32 or finder.ndim != 1:
            raise ValueError("the tokens of guesses, or the guesses of secrets, are not arrays of their kind")
        if not (0 < len(tokens) <= MOST_GUESSES and 1 < len(finder) <= MOST_SECRETS):
            raise ValueError(
                f"it has {len(tokens):,} guesses and {len(finder):,} secrets, where 1 to {MOST_GUESSES:,} and 2 to "
                f"{MOST_SECRETS:,} are allowed"
            )
        if len(tokens) * len(finder) > MOST_PAIRS:
            raise ValueError(f"it has more than {MOST_PAIRS:,} pairs of guesses and secrets")
        if not 0 < self.letters <= MOST_ANSWERS or tokens.max() >= MOST_TOKENS:
            raise ValueError(
                f"its guesses have {self.letters} letters out of {int(tokens.max(initial=0)) + 1}, where at most "
                f"{MOST_ANSWERS} out of {MOST_TOKENS} are allowed"
            )
        if (np.diff(np.sort(tokens, axis=1).astype(np.int64), axis=1) == 0).any():
            raise ValueError("a guess has the same token twice")
        if finder.min() < 0 or finder.max() >= len(tokens) or len(np.unique(finder)) != len(finder):
            raise ValueError("its secrets are not found by different guesses")
        if self.count > MOST_ANSWERS:
            raise ValueError(f"it has {self.count} answers, where at most {MOST_ANSWERS} are allowed")

    @property
    def letters(self) -> int:
        """How many tokens a guess has."""
        return self.tokens.shape[1]

    @cached_property
    def answers(self) -> NDArray[np.uint8]:
        """How many tokens guesses and secrets have in common [guesses, secrets], or `FOUND`."""
        has = np.zeros((len(self.tokens), int(self.tokens.max()) + 1), np.float32)  # a product of floats is fast
        has[np.arange(len(self.tokens))[:, None], self.tokens] = 1
        answers = (has @ has[self.finder].T).astype(np.uint8)
        answers[self.finder, np.arange(len(self.finder))] = FOUND
        return answers

    @cached_property
    def count(self) -> int:
        """How many answers do not end the game: one more than letters where anagrams are told apart."""
        return self.letters + bool((self.answers == self.letters).any())

    def after(
        self, secrets: NDArray[np.int32], guesses: NDArray[np.int64], answers: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Return what a state leaves after each of some guesses and its answer.

        These are the secrets of all such states, one state behind the other, and where each ends, 0 first.
        """
        same = self.answers[np.ix_(guesses, secrets)] == answers[:, None]
        states, places = np.nonzero(same)
        ends = np.concatenate(([0], np.cumsum(np.bincount(states, minlength=len(guesses)))))
        return secrets[places].astype(np.uint16), ends


def board_of(hider: Hider) -> LetterBoard:
    """Return the game of a hider who gives some secrets the same weight and the others none.

    Raises `SettingsError` for any other hider, and for games that are not of letters or are too large.
    """
    game, secrets = hider.game, np.flatnonzero(hider.weights)
    if game.tokens is None or not game.guessing.is_any:
        raise SettingsError(f"a GPU proves bounds of games like jotto-5 alone, not of {game.name}: {USE_CPU}")
    if len(np.unique(hider.weights[secrets])) != 1:
        raise SettingsError(
            "a GPU proves bounds against hiders who give some secrets the same weight and the others none: choose the "
            f"uniform hider, or {USE_CPU}"
        )
    try:
        if game.tokens.max() >= MOST_TOKENS:
            raise ValueError(f"it has {game.tokens.max() + 1} letters, where at most {MOST_TOKENS} are allowed")
        board = LetterBoard(game.tokens.astype(np.uint8), game.guess_of_secret[secrets])
        answers = game.table[:, secrets]
        if not np.array_equal(board.answers, np.where(answers == game.found, FOUND, answers)):
            raise ValueError("its answers are not the letters in common")
    except ValueError as error:
        raise SettingsError(f"a GPU does not prove bounds of {game.name}, since {error}: {USE_CPU}") from None
    return board
