"""Jotto: the answer to a guess is the number of letters it has in common with the secret, wherever they stand.

Words have all letters different and no anagram in the list (section 2 of the paper), so a word is its set of letters
and only the secret itself has all letters in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oracular.errors import UnknownGameError, WordListError
from oracular.game import Game, Indices
from oracular.words import playable_words, read_words, twl06

ROWS_A_BLOCK = 256


@dataclass(frozen=True, eq=False)
class CommonLetters:
    """Counts common letters: the paper's NumCommLetts, by one bit a letter.

    Attributes:
        masks: the set of letters of each word as bits, uint32 [words].
    """

    masks: NDArray[np.uint32]

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets]."""
        counts = np.empty((len(guesses), len(secrets)), dtype=np.uint8)
        secret_masks = self.masks[secrets]
        for start in range(0, len(guesses), ROWS_A_BLOCK):  # in blocks, so that no table of masks is ever held whole
            rows = slice(start, start + ROWS_A_BLOCK)
            np.bitwise_count(self.masks[guesses[rows], None] & secret_masks, out=counts[rows])
        return counts


def letter_masks(words: Sequence[str]) -> NDArray[np.uint32]:
    """Return each word's set of letters as bits [words]."""
    return np.array([sum(1 << (ord(letter) - ord("a")) for letter in set(word)) for word in words], dtype=np.uint32)


def jotto(variant: str, words: Path | Sequence[str] | None = None) -> Game:
    """Return the Jotto game of a variant such as `5`, with TWL06 or a list of one's own."""
    if not variant.isascii() or not variant.isdigit() or not 1 <= int(variant) <= 26:
        raise UnknownGameError(f"'jotto-{variant}' is not a game: write jotto-N with N letters, like 'jotto-5'")
    letters = int(variant)
    if words is None:
        listed, source = twl06(), "TWL06"
    elif isinstance(words, Path):
        listed, source = read_words(words), f"word file {str(words)!r}"
    else:
        listed, source = tuple(sorted(set(words))), "the word list"
    playable = playable_words(listed, letters)
    if not playable:
        raise WordListError(
            f"{source} has no playable {letters}-letter word (letters all different, no anagram in the list): "
            "choose another length or list"
        )
    return Game(
        name=f"jotto-{letters}",
        secrets=playable,
        guesses=playable,
        labels=tuple(str(common) for common in range(letters + 1)),
        found=letters,
        rules=CommonLetters(letter_masks(playable)),
        own_words=words is not None,
    )
