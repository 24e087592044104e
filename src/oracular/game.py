"""A guessing game: secrets, guesses, and the answer of each guess to each secret.

One side hides a secret, the other guesses until the answer is the one that ends the game. All that the rest of the
package knows of a game's rules is this table of answers. A state of the game is the set of secrets still possible:
the paper's bit-vector S, here a sorted array of their indices; in text, a history such as `giant:2 pecan:3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError
from oracular.words import sha256_of_words

Indices: TypeAlias = NDArray[np.int32]
"""Indices of secrets or of guesses, sorted."""

Turn: TypeAlias = tuple[int, int]
"""A guess and its answer, both by index."""

History: TypeAlias = tuple[Turn, ...]
HistoryLike: TypeAlias = "str | Iterable[tuple[str, object]]"
"""A history as people write it: `"giant:2 pecan:3"` or `[("giant", 2), ("pecan", 3)]`."""


class Rules(Protocol):
    """What a family of games must tell: the answers, in blocks."""

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets] of some guesses to some secrets."""
        ...


@dataclass(frozen=True, eq=False)
class Game:
    """An immutable guessing game; made by `oracular.game(name)`.

    Attributes:
        name: how the game is written everywhere: `jotto-5`.
        secrets: the words that may be hidden, in dictionary order.
        guesses: the words that may be guessed, in dictionary order; each secret is among them.
        labels: how each answer is written; an answer is an index into this.
        found: the answer that ends the game; a secret's own word gets it and no other guess does.
        rules: what computes the answers.
        own_words: whether the words are a user's own rather than those the game's name stands for.
    """

    name: str
    secrets: tuple[str, ...]
    guesses: tuple[str, ...]
    labels: tuple[str, ...]
    found: int
    rules: Rules
    own_words: bool = False

    def __repr__(self) -> str:
        return f"game({self.name!r})"

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """The whole table of answers [guesses, secrets]."""
        table = self.answers(np.arange(len(self.guesses), dtype=np.int32), self.all_secrets)
        table.flags.writeable = False
        return table

    @cached_property
    def all_secrets(self) -> Indices:
        """The state at the start: every secret is possible."""
        return np.arange(len(self.secrets), dtype=np.int32)

    @cached_property
    def guess_of_secret(self) -> Indices:
        """The guess that finds each secret [secrets]."""
        return np.array([self._guess_index[word] for word in self.secrets], dtype=np.int32)

    @cached_property
    def secret_of_guess(self) -> Indices:
        """The secret that each guess finds [guesses], or -1 where it is no secret."""
        finds = np.full(len(self.guesses), -1, dtype=np.int32)
        finds[self.guess_of_secret] = self.all_secrets
        return finds

    @cached_property
    def words_sha256(self) -> str:
        """The hash of the word list: the secrets, then any guesses that are not secrets."""
        if self.guesses == self.secrets:
            return sha256_of_words(self.secrets)
        return sha256_of_words([*self.secrets, "", *self.guesses])

    @cached_property
    def _guess_index(self) -> dict[str, int]:
        return {word: index for index, word in enumerate(self.guesses)}

    @cached_property
    def _label_index(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets] of some guesses to some secrets."""
        return self.rules.answers(guesses, secrets)

    def guess_index(self, word: str) -> int:
        """Return the index of a guess, or say that the word is not in the list."""
        index = self._guess_index.get(word.lower())
        if index is None:
            raise HistoryError(f"{word!r} is not a word of {self.name}: guess one of its {len(self.guesses)} words")
        return index

    def answer_index(self, label: str) -> int:
        """Return the index of an answer, or say which answers there are."""
        index = self._label_index.get(label.lower())
        if index is None:
            raise HistoryError(f"{label!r} is not an answer of {self.name}: give one of {_enumerated(self.labels)}")
        return index

    def parse_history(self, history: HistoryLike) -> History:
        """Return the history as indices; the words and answers must exist, but need not fit together."""
        turns = _written_turns(history) if isinstance(history, str) else [(w, str(a)) for w, a in history]
        return tuple((self.guess_index(word), self.answer_index(label)) for word, label in turns)

    def format_history(self, history: Sequence[Turn]) -> str:
        """Return the history as text: `giant:2 pecan:3`."""
        return " ".join(f"{self.guesses[guess]}:{self.labels[answer]}" for guess, answer in history)

    def narrow(self, possible: Indices, turn: Turn) -> Indices:
        """Return which of the possible secrets remain after one guess and its answer: the paper's UpdateState."""
        guess, answer = turn
        replies = self.answers(np.array([guess], dtype=np.int32), possible)[0]
        return possible[replies == answer]

    def possible_after(self, history: HistoryLike) -> Indices:
        """Return the secrets still possible after a history.

        Raises `FinishedGameError` where the secret has been found, and `InconsistentHistoryError` where no secret
        gives all these answers.
        """
        turns = self.parse_history(history)
        possible = self.all_secrets
        for number, turn in enumerate(turns, start=1):
            possible = self.narrow(possible, turn)
            written = self.format_history([turn])
            if len(possible) == 0:
                before = self.format_history(turns[: number - 1])
                cause = f"contradicts {before!r}" if before else f"is an answer that no word of {self.name} gives"
                raise InconsistentHistoryError(f"{written!r} {cause}: no word is left, so check the answers")
            if turn[1] == self.found:
                if number < len(turns):
                    after = self.format_history(turns[number:])
                    raise HistoryError(f"{written!r} ended the game, yet {after!r} follows: remove one or the other")
                raise FinishedGameError(
                    f"{written!r} ended the game after {number} guesses: there is nothing left to guess"
                )
        return possible


def _written_turns(text: str) -> list[tuple[str, str]]:
    """Return the (word, label) pairs of a history written as text."""
    pairs = []
    for item in re.split(r"[\s,]+", text.strip()):
        word, colon, label = item.partition(":")
        if item and not (word and colon and label):
            raise HistoryError(f"{item!r} is not a guess and its answer: write it like 'giant:2'")
        if item:
            pairs.append((word, label))
    return pairs


def _enumerated(labels: Sequence[str], most: int = 12) -> str:
    """Return the labels as a list in words, cut where it would grow long."""
    shown = ", ".join(labels[:most])
    return shown if len(labels) <= most else f"{shown}, … ({len(labels)} in all)"
