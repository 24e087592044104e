"""Which guesses are allowed at a state, for the kernels: the compiled twin of `games/guessing.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import entry_point

if TYPE_CHECKING:
    from oracular.games.game import Game

ANY, POSSIBLE, HARD = 0, 1, 2
"""The rules of guessing, as `games.guessing.RULES` lists them."""

FREE = 0
"""The demand that every guess meets."""

FIELD, MOST_LETTERS, LETTER = 5, 5, 31
"""How a demand is written; see `games/guessing.py`."""


class GuessingTable(NamedTuple):
    """A game's rule of guessing as the kernels read it.

    Attributes:
        rule: `ANY`, `POSSIBLE` or `HARD`.
        letters: the letters of each guess, 1 to 26, uint8 [guesses, letters]; of no guess unless the rule is `HARD`.
        colours: the colour of each letter by answer, 0 to 2, uint8 [answers, letters]; likewise.
    """

    rule: int
    letters: NDArray[np.uint8]
    colours: NDArray[np.uint8]


def guessing_table(game: Game) -> GuessingTable:
    """Return a game's rule of guessing as the kernels read it."""
    return GuessingTable(game.guessing.number, game.guessing.letters, game.guessing.colours)


@entry_point
def meets(letters, demand, guess):
    """Return whether a guess meets a constraint."""
    word = letters[guess]
    size = len(word)
    for place in range(size):
        letter = (demand >> (FIELD * place)) & LETTER
        if letter != 0 and word[place] != letter:
            return False
    rest = demand >> (FIELD * MOST_LETTERS)
    needed, last = 0, np.int64(0)
    while rest != 0:  # the letters are in order, so equal ones stand together
        letter = rest & LETTER
        needed = needed + 1 if letter == last else 1
        last = letter
        rest >>= FIELD
        if (rest & LETTER) != letter:
            for place in range(size):
                if word[place] == letter:
                    needed -= 1
            if needed > 0:
                return False
    return True


@entry_point
def next_demand(letters, colours, demand, guess, answer):
    """Return the constraint on the guesses that follow, after one more guess and its answer."""
    word, colour = letters[guess], colours[answer]
    size = len(word)
    green = demand & ((np.int64(1) << (FIELD * MOST_LETTERS)) - 1)
    old = demand >> (FIELD * MOST_LETTERS)
    new, fields = np.int64(0), 0
    for letter in range(1, 27):
        before, now = 0, 0
        rest = old
        while rest != 0:
            if (rest & LETTER) == letter:
                before += 1
            rest >>= FIELD
        for place in range(size):
            if word[place] == letter and colour[place] != 0:
                now += 1
                if colour[place] == 2 and ((green >> (FIELD * place)) & LETTER) == 0:
                    green |= np.int64(letter) << (FIELD * place)
        for _ in range(max(before, now)):
            new |= np.int64(letter) << (FIELD * fields)
            fields += 1
    return green | (new << (FIELD * MOST_LETTERS))


@entry_point
def list_allowed(table, finder, guesses, members, demand, start, listed):
    """Return how many of the guesses allowed at a state are in `listed` now, and where the next call is to start.

    They come in their order, by the rule `POSSIBLE` in that of the secrets; none are left where there is room to spare.

    Args:
        table: the rule; see `GuessingTable`.
        finder: the guess that finds each secret, int32 [secrets].
        guesses: how many guesses the game has.
        members: the possible secrets, sorted.
        demand: the constraint on the guess, int64.
        start: 0 at first, then what the call before returned.
        listed: gets the guesses, int32.
    """
    count, place = 0, start
    if table.rule == POSSIBLE:
        while place < len(members) and count < len(listed):
            listed[count] = finder[members[place]]
            place, count = place + 1, count + 1
        return count, place
    while place < guesses and count < len(listed):
        if table.rule == ANY or meets(table.letters, demand, place):
            listed[count] = place
            count += 1
        place += 1
    return count, place
