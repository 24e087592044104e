"""The value of the blind race of a tiny game, by a linear program over all pairs of a secret and a tree.

A tree matters only by its depths, and one that is nowhere faster than another and somewhere slower is never needed.
So for every state the lists of depths that can be reached there are made from those of the states after each guess,
without what is dominated. Over the pairs (s1, D1) of player 1 and (s2, D2) of player 2, in which player 1 wins where
D1[s2] <= D2[s1], the program is

    max v   such that   sum over pairs (s1, D1) of x(s1, D1) [D1[s2] <= D2[s1]] >= v for every pair (s2, D2).

Its duals are player 2's mix. It grows fast: for games of six secrets there are some hundred lists of depths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.solvers.race.values import listed_depths
from oracular.solvers.regret_matching import matrix_game

MOST_SECRETS = 8
"""Larger games have too many trees."""

MOST_PAIRS = 5_000
"""The program has a row and a column for each pair of a secret and a list of depths: with more it would take too long
and too much memory."""


@dataclass(frozen=True, eq=False)
class ExactRace:
    """The equilibrium of a blind race: the value is player 1's chance to win.

    Attributes:
        depths: the lists of depths that trees can have and that no other dominates [lists, secrets].
        first: how likely each pair of player 1 is [secrets, lists].
        second: the same for player 2.
    """

    game: Game
    value: float
    depths: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]


def exact_race(game: Game) -> ExactRace:
    """Return the value of the blind race of a tiny game, to about nine digits, with a strategy for each player."""
    if len(game.secrets) > MOST_SECRETS:
        raise SettingsError(
            f"{game.name} has {len(game.secrets):,} secrets: the race is solved exactly for at most {MOST_SECRETS}"
        )
    depths = np.array(sorted(listed_depths(game)), dtype=np.int64)
    secrets, lists = len(game.secrets), len(depths)
    if secrets * lists > MOST_PAIRS:
        raise SettingsError(
            f"{game.name} has {secrets * lists:,} pairs of a secret and a tree: the race is solved exactly for at most "
            f"{MOST_PAIRS:,}, so solve it in steps"
        )
    # player 1 with (s1, D1) against player 2 with (s2, D2), pairs in the order of secrets first
    wins = (depths.T[None, :, :, None] <= depths.T[:, None, None, :]).transpose(0, 2, 1, 3)
    matrix = wins.reshape(secrets * lists, secrets * lists).astype(np.float64)
    value, first, second = matrix_game(matrix)
    return ExactRace(game, value, depths, first.reshape(secrets, lists), second.reshape(secrets, lists))
