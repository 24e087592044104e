"""Arrays of the compiled search for losses that depend on the guess number.

The stack and the memo are those of `tables.py`. A frame's depth is the number of its guess: frame 1 is the first guess
of a game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oracular.kernels.exact.types import Bounds, Bytes, Counts, Keys
from oracular.kernels.guessing import GuessingTable


class CostTable(NamedTuple):
    """The game and what finding each secret at each guess costs.

    answers: uint8[guesses, secrets]
    finder: int32[secrets], the guess that finds each secret
    costs: int64[columns, secrets], never falling from one guess to the next; the last holds for later guesses
    ordered: 1 where, from each guess to the next, no secret's cost rises more than that of a secret before it
    keys: uint64[secrets, 2], a state's key is the exclusive or of its secrets' keys
    found: the answer that ends the game
    openings: uint8[guesses], 1 for the guesses to try at the root (one of each orbit)
    group: int32[elements, guesses], permutations of the guesses, each fixing one opening
    group_from: int64[guesses + 1], the elements that fix opening g are group_from[g] up to group_from[g + 1]
    guessing: which guesses are allowed
    """

    answers: Bytes
    finder: Counts
    costs: Bounds
    ordered: int
    keys: Keys
    found: int
    openings: Bytes
    group: Counts
    group_from: Bounds
    guessing: GuessingTable


class LayeredSpace(NamedTuple):
    """What the search needs besides the space of one expansion.

    score: int64[frames, guesses], how evenly each guess in a frame's heap splits it (less is better)
    score_of: int64[guesses], that of each guess of the list being made
    gain: int64[answers], the most that finding a secret of each part at the next guess saves
    values: int64[secrets], numbers of which the least are added up
    """

    score: Bounds
    score_of: Bounds
    gain: Bounds
    values: Bounds


def new_layered_space(frames: int, guesses: int, secrets: int, answers: int) -> LayeredSpace:
    """Return working space for a stack of so many frames in a game of this size."""
    return LayeredSpace(
        score=np.zeros((frames, guesses), np.int64),
        score_of=np.zeros(guesses, np.int64),
        gain=np.zeros(answers, np.int64),
        values=np.zeros(secrets, np.int64),
    )
