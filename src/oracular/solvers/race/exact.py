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

import highspy
import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, check_game
from oracular.solvers.race.trees import listed_depths

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
    check_game(game)
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


def matrix_game(matrix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of a zero-sum game [rows, columns] for the row player, and both players' mixes."""
    rows, columns = matrix.shape
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = rows + 1, columns + 1
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.append(np.zeros(rows), 1.0)
    program.col_lower_ = np.append(np.zeros(rows), -np.inf)
    program.col_upper_ = np.full(rows + 1, np.inf)
    program.row_lower_ = np.append(np.zeros(columns), 1.0)
    program.row_upper_ = np.append(np.full(columns, np.inf), 1.0)
    dense = np.zeros((rows + 1, columns + 1))  # a row for each variable: the matrix is given column by column
    dense[:rows, :columns], dense[:rows, columns], dense[rows, :columns] = matrix, 1.0, -1.0
    places = dense != 0.0
    shape = program.a_matrix_
    shape.format_ = highspy.MatrixFormat.kColwise
    shape.start_ = np.append(0, np.cumsum(places.sum(axis=1)))
    shape.index_ = np.nonzero(places)[1]
    shape.value_ = dense[places]
    solver = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
    for option, value in (("output_flag", False), ("threads", 1)):
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    solution = solver.getSolution()
    first = np.maximum(np.array(solution.col_value)[:rows], 0.0)
    second = np.maximum(-np.array(solution.row_dual)[:columns], 0.0)
    return float(solver.getInfo().objective_function_value), first / first.sum(), second / second.sum()
