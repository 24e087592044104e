"""Wordle: a green letter stands where it does in the secret, a yellow one elsewhere; written `crane:-y-g-`.

A letter that the guess has more often than the secret is coloured only as often as the secret has it, green places
first. By default every five-letter word of TWL06 may be guessed and the commonest of them are the secrets; hard mode
is not played.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from oracular.errors import UnknownGameError
from oracular.games.game import Game, Indices, Words
from oracular.games.notation import read_marks
from oracular.games.words import frequencies, twl06, word_list
from oracular.system.counting import counted
from oracular.system.files import quoted

DEFAULT_LETTERS = 5
DEFAULT_SECRETS = 2315
"""As many as the original game had."""

ROWS_A_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Colours:
    """Answers words by colours, as a number of base three: 0 grey, 1 yellow, 2 green, the first letter most.

    The letters of guesses are [guesses, letters], those of secrets [secrets, letters].
    """

    guess_letters: NDArray[np.uint8]
    secret_letters: NDArray[np.uint8]

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets]."""
        result = np.empty((len(guesses), len(secrets)), dtype=np.uint8)
        for start in range(0, len(guesses), ROWS_A_BLOCK):
            rows = slice(start, start + ROWS_A_BLOCK)
            result[rows] = _colours(self.guess_letters[guesses[rows]], self.secret_letters[secrets])
        return result

    def refusal(self, word: str) -> str:
        """Return why a text may not be guessed."""
        letters = self.guess_letters.shape[1]
        if len(word) != letters:
            return f"has {counted(len(word), 'letter')}: guess words of {letters}"
        return f"is not in the list: guess one of its {len(self.guess_letters):,} words"

    def answer_to_words(self, guess: str, secret: str) -> int:
        """Return the answer to a guess for any secret of the same length, which need not be in a list."""
        return int(_colours(_letters((guess,)), _letters((secret,)))[0, 0])

    @property
    def ways_to_answer(self) -> str:
        """The ways to write an answer, to follow the word `give`."""
        letters = self.guess_letters.shape[1]
        digits = "21000"[:letters]
        return (
            f"{letters} marks, g for a letter in its place, y for one elsewhere and - for one not in the word, like "
            f"{quoted(self.example)}; {quoted(digits)} or coloured squares will do too"
        )

    @property
    def example(self) -> str:
        """An answer that there can be, such as `gy---`."""
        return "gy---"[: self.guess_letters.shape[1]]

    def read_answer(self, text: str) -> str | None:
        """Return the label of marks, digits or coloured squares."""
        return read_marks(text, self.guess_letters.shape[1])


def _colours(guesses: NDArray[np.uint8], secrets: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the coded colours [guesses, secrets] of a block of guesses [guesses, letters] and secrets alike."""
    places = range(guesses.shape[1])
    green = [guesses[:, place, None] == secrets[None, :, place] for place in places]
    free = [~one for one in green]  # places of the secret that have not coloured a letter yet
    coded = np.zeros((len(guesses), len(secrets)), dtype=np.uint8)
    for place in places:
        grey = ~green[place]
        for elsewhere in places:
            if elsewhere != place:
                takes = guesses[:, place, None] == secrets[None, :, elsewhere]
                takes &= free[elsewhere]
                takes &= grey
                free[elsewhere] ^= takes
                grey ^= takes
        coded *= 3
        coded += 1 + green[place].view(np.uint8) - grey.view(np.uint8)
    return coded


def wordle(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return Wordle, with words of five letters or of the variant's length, or with one's own secrets and guesses."""
    if not re.fullmatch(r"|[2-5]", variant, flags=re.ASCII):
        raise UnknownGameError(
            f"{quoted(f'wordle-{variant}')} is not a game: write 'wordle', or 'wordle-N' with N from 2 to 5 letters "
            "(more have more than 256 answers)"
        )
    letters = int(variant or DEFAULT_LETTERS)
    listed = [word for word in twl06() if len(word) == letters] if "guesses" not in lists else lists["guesses"]
    if "secrets" in lists:
        secrets = word_list(lists["secrets"])
    else:
        counts = frequencies()
        secrets = word_list(sorted(listed, key=lambda word: (-counts.get(word, 0), word))[:DEFAULT_SECRETS])
    guesses = word_list([*listed, *secrets])
    labels = tuple("".join(colours) for colours in product("-yg", repeat=letters))
    return Game(
        name=f"wordle-{letters}" if variant else "wordle",
        secrets=secrets,
        guesses=guesses,
        labels=labels,
        found=len(labels) - 1,
        rules=Colours(_letters(guesses), _letters(secrets)),
        kind="words of your own lists" if lists else "words of the dictionary TWL06",
        reading="a mark a letter: g in its place, y elsewhere in the secret, - not in it",
        family="wordle",
        own_lists={key: secrets if key == "secrets" else guesses for key in lists},
    )


def _letters(words: Words) -> NDArray[np.uint8]:
    return np.array([list(word.encode()) for word in words], dtype=np.uint8)
