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
from itertools import product

import highspy
import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices, check_game

MOST_SECRETS = 8
"""Larger games have too many trees."""

MOST_LISTS = 3000
"""A program over more lists of depths would not fit into memory."""


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
    depths = undominated_depths(game)
    secrets, lists = len(game.secrets), len(depths)
    # player 1 with (s1, D1) against player 2 with (s2, D2), pairs in the order of secrets first
    wins = (depths.T[None, :, :, None] <= depths.T[:, None, None, :]).transpose(0, 2, 1, 3)
    matrix = wins.reshape(secrets * lists, secrets * lists).astype(np.float64)
    value, first, second = matrix_game(matrix)
    return ExactRace(game, value, depths, first.reshape(secrets, lists), second.reshape(secrets, lists))


def undominated_depths(game: Game) -> NDArray[np.int64]:
    """Return the depths that trees can have, each secret's in its column, without dominated ones [lists, secrets]."""
    known: dict[bytes, list[tuple[int, ...]]] = {}

    def at(state: Indices) -> list[tuple[int, ...]]:
        key = state.tobytes()
        if key not in known:
            found: set[tuple[int, ...]] = set()
            for replies in {tuple(row) for row in game.table[:, state].tolist()}:
                answers = np.array(replies)
                if len(set(replies)) > 1 or replies[0] == game.found:
                    found |= _after(state, answers)
            known[key] = _undominated(found)
        return known[key]

    def _after(state: Indices, answers: NDArray[np.int64]) -> set[tuple[int, ...]]:
        parts = [np.flatnonzero(answers == answer) for answer in np.unique(answers) if answer != game.found]
        lists = [at(state[part]) for part in parts]
        found = set()
        for chosen in product(*lists):
            row = np.ones(len(state), dtype=np.int64)
            for part, below in zip(parts, chosen, strict=True):
                row[part] += below
            found.add(tuple(row.tolist()))
        return found

    lists = at(game.all_secrets)
    if len(lists) > MOST_LISTS:
        raise SettingsError(f"{game.name} has {len(lists):,} different trees: the race is solved exactly for few")
    return np.array(lists, dtype=np.int64)


def _undominated(rows: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the rows that no other row is nowhere above, in their order."""
    array = np.array(sorted(rows))
    kept = [
        row for row in array if not ((array <= row).all(axis=1) & (array < row).any(axis=1)).any()
    ]
    return [tuple(row.tolist()) for row in kept]


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
