"""Rules of guessing: which guesses a game allows at a state.

- any: every guess, always.
- possible: only what may still be the secret.
- hard: Wordle's hard mode. A letter shown green stays in its place, and letters that were coloured are used again, as
  often as they were coloured at once. Places of yellow letters and grey letters are not looked at.

By the first two, the secrets left say which guesses are allowed. In hard mode a state is more than that: the secrets
left and the *demand*, what the answers so far ask of the next guess, one whole number. It is `FREE` at the start, and
always `FREE` in the other games. A secret that is left meets every demand, so there is always a guess.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

RuleName: TypeAlias = Literal["any", "possible", "hard"]

RULES: tuple[RuleName, ...] = ("any", "possible", "hard")
"""The rules, as the kernels number them."""

FREE = 0
"""The demand that every guess meets."""

FIELD = 5
"""The bits of a letter in a demand: 0 for none, then a to z."""

MOST_LETTERS = 5
"""Words have at most so many letters: so many green places come first in a demand, then so many letters, in order."""

LETTER = (1 << FIELD) - 1


def _nothing() -> NDArray[np.uint8]:
    return np.zeros((0, 0), np.uint8)


@dataclass(frozen=True, eq=False)
class Guessing:
    """Which guesses a game allows.

    Attributes:
        rule: the rule's name.
        letters: the letters of each guess, 1 to 26, uint8 [guesses, letters]; of no guess where no demand is made.
        colours: the colour of each letter by answer, 0 grey, 1 yellow, 2 green, uint8 [answers, letters]; likewise.
    """

    rule: RuleName = "any"
    letters: NDArray[np.uint8] = field(default_factory=_nothing)
    colours: NDArray[np.uint8] = field(default_factory=_nothing)

    @property
    def number(self) -> int:
        """The rule as the kernels number it."""
        return RULES.index(self.rule)

    @property
    def is_any(self) -> bool:
        """Whether every guess is allowed everywhere."""
        return self.rule == "any"

    @property
    def demands(self) -> bool:
        """Whether a state is more than the secrets left."""
        return self.rule == "hard"

    def demand_after(self, demand: int, guess: int, answer: int) -> int:
        """Return what is asked of the guesses that follow, after one more guess and its answer, both by index."""
        if not self.demands:
            return FREE
        word, colours = self.letters[guess].tolist(), self.colours[answer].tolist()
        places, needed = read_demand(demand)
        for place, (letter, colour) in enumerate(zip(word, colours, strict=True)):
            if colour == 2:
                places[place] = letter
        needed |= Counter(letter for letter, colour in zip(word, colours, strict=True) if colour)  # the larger of both
        return written_demand(places, needed)

    def meeting(self, demand: int) -> NDArray[np.bool_]:
        """Return which guesses meet a demand [guesses]; a rule that makes no demands does not know the guesses."""
        if not self.demands:
            raise ValueError(f"the rule {self.rule!r} makes no demands: ask the game which guesses are allowed")
        places, needed = read_demand(demand)
        meets = np.ones(len(self.letters), dtype=bool)
        for place, letter in places.items():
            meets &= self.letters[:, place] == letter
        for letter, count in needed.items():
            meets &= (self.letters == letter).sum(axis=1) >= count
        return meets

    def unmet(self, demand: int, guess: int) -> str:
        """Return all that a guess lacks of a demand, in words for people; empty where it lacks nothing."""
        places, needed = read_demand(demand)
        word = self.letters[guess].tolist()
        lacking = [
            f"letter {place + 1} must be {_capital(letter)}"
            for place, letter in places.items()
            if word[place] != letter
        ]
        green = {letter for place, letter in places.items() if word[place] != letter}
        letters = [
            _capital(letter) + ("", "", " twice", f" {count} times")[min(count, 3)]
            for letter, count in needed.items()
            if word.count(letter) < count and (count > 1 or letter not in green)
        ]
        return ", and ".join([*lacking, *([f"it must have {' and '.join(letters)}"] if letters else [])])


ANY_GUESS = Guessing()
ONLY_POSSIBLE = Guessing("possible")


def read_demand(demand: int) -> tuple[dict[int, int], Counter[int]]:
    """Return the letter that must stand at each green place, and how often each letter must be used at least."""
    fields = [(demand >> (FIELD * field)) & LETTER for field in range(2 * MOST_LETTERS)]
    places = {place: letter for place, letter in enumerate(fields[:MOST_LETTERS]) if letter}
    return places, Counter(letter for letter in fields[MOST_LETTERS:] if letter)


def written_demand(places: dict[int, int], needed: Counter[int]) -> int:
    """Return the demand that `read_demand` reads."""
    green = sum(letter << (FIELD * place) for place, letter in places.items())
    letters = sorted(needed.elements())
    return green | sum(letter << (FIELD * (MOST_LETTERS + field)) for field, letter in enumerate(letters))


def _capital(letter: int) -> str:
    return chr(ord("A") + letter - 1)
