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

if TYPE_CHECKING:
    from oracular.strategies.hider import Hider

FOUND = 255
"""What stands in the table for the answer that ends the game."""

FEW = 2
"""States of at most so many secrets cost the same whatever they are: 1 and 3 guesses."""

DEPTHS = 16
"""Guesses that the counting bound tells apart; secrets beyond count as found with the next one."""

MOST_SECRETS = 0xFFFF // (DEPTHS + 2)
"""A hider hides no more secrets than this, so that the score of a guess fits into 16 bits."""

MOST_GUESSES = 0xFFFF
MOST_LETTERS = 8
MOST_TOKENS = 255


@dataclass(frozen=True)
class StateBound:
    """A lower bound on the guesses that the secrets of a state need together, and whether it is known to be the best.

    Bounds with `settled` are optima. A bound without it may be one, too.
    """

    total: int
    settled: bool


@dataclass(frozen=True, eq=False)
class LetterBoard:
    """A game of letters with the secrets that may be hidden; `check` makes sure that it is one.

    Attributes:
        tokens: the tokens of each guess, all different, uint8 [guesses, letters].
        finder: the guess that finds each secret, int32 [secrets].
        answers: uint8 [guesses, secrets], `FOUND` where a guess finds the secret.
    """

    tokens: NDArray[np.uint8]
    finder: NDArray[np.int32]
    answers: NDArray[np.uint8]

    @classmethod
    def of(cls, hider: Hider) -> LetterBoard:
        """Return the game of a hider who gives some secrets the same weight and the others none.

        Raises `SettingsError` for any other hider, and for games that are not of letters or are too large.
        """
        game = hider.game
        secrets = np.flatnonzero(hider.weights)
        if game.tokens is None or not game.guessing.is_any or len(np.unique(hider.weights[secrets])) != 1:
            raise SettingsError(
                f"{game.name} is not searched as letters against this hider: choose a game of letters in which any "
                "guess is allowed, and a hider who gives the same weight to every secret that has one"
            )
        tokens, finder = game.tokens.astype(np.int64), game.guess_of_secret[secrets]
        if len(tokens) > MOST_GUESSES or len(secrets) > MOST_SECRETS or tokens.max() >= MOST_TOKENS:
            raise SettingsError(
                f"{game.name} has {len(tokens):,} guesses, {len(secrets):,} secrets and {tokens.max() + 1} letters: "
                f"choose one of at most {MOST_GUESSES:,}, {MOST_SECRETS:,} and {MOST_TOKENS}"
            )
        answers = game.table[:, secrets].copy()
        answers[answers == game.found] = FOUND
        board = cls(tokens.astype(np.uint8), finder, answers)
        try:
            board.check()
        except ValueError as error:
            raise SettingsError(f"{game.name} is not searched as letters: {error}") from None
        return board

    def check(self) -> None:
        """Raise `ValueError` unless the arrays have their shapes and ranges, and the answers follow from the tokens."""
        tokens, finder, answers = self.tokens, self.finder, self.answers
        for name, array, kind, axes in (
            ("tokens", tokens, np.uint8, 2),
            ("finder", finder, np.int32, 1),
            ("answers", answers, np.uint8, 2),
        ):
            if array.dtype != kind or array.ndim != axes:
                raise ValueError(f"{name} is {array.dtype} {list(array.shape)}")
        if answers.shape != (len(tokens), len(finder)):
            raise ValueError(f"answers is {list(answers.shape)} for {len(tokens)} guesses and {len(finder)} secrets")
        if not (0 < len(tokens) <= MOST_GUESSES and 1 < len(finder) <= MOST_SECRETS):
            raise ValueError(f"{len(tokens)} guesses and {len(finder)} secrets are too few or too many")
        if not 0 < self.letters <= MOST_LETTERS or tokens.max() >= MOST_TOKENS:
            raise ValueError(f"a guess has {self.letters} tokens of up to {tokens.max(initial=0) + 1}")
        if (np.diff(np.sort(tokens.astype(np.int64), axis=1), axis=1) == 0).any():
            raise ValueError("a guess has the same token twice")
        if finder.min() < 0 or finder.max() >= len(tokens) or len(np.unique(finder)) != len(finder):
            raise ValueError("the secrets are not found by different guesses")
        if not np.array_equal(answers, common_tokens(tokens, finder)):
            raise ValueError("answers are not the tokens in common")
        if self.count > MOST_LETTERS:
            raise ValueError(f"{self.count} answers are too many")

    @property
    def letters(self) -> int:
        """How many tokens a guess has."""
        return self.tokens.shape[1]

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


def common_tokens(tokens: NDArray[np.uint8], finder: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return how many tokens guesses and secrets have in common [guesses, secrets], or `FOUND`."""
    has = np.zeros((len(tokens), int(tokens.max()) + 1), np.float32)  # so that the product is a fast one; it is exact
    has[np.arange(len(tokens))[:, None], tokens] = 1
    answers = (has @ has[finder].T).astype(np.uint8)
    answers[finder, np.arange(len(finder))] = FOUND
    return answers
