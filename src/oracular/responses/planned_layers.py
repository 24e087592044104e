"""The planner's responses where the worth of a guess is any function of the guess number.

The graph of states and guesses is the one that serves the mean (`responses.planned`): what was looked at for one
objective is there for all others. Only its values differ, one for each guess number (`kernels.planning.layers`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.responses.greedy import GreedyEngine

LARGEST_COST = 1 << 61
"""No cost is further from zero, so that a difference of two fits into 64 bits."""

MORE_PARTS = 1.1
"""A planned tree splits states in so many times more parts than the greedy tree, about."""

MANY = 1e9
"""More secrets than any game has."""

FEW = 3
"""States of up to so many secrets are played in closed form."""

USUAL_BYTES = 1 << 30
"""The values of all states that a graph has room for may take up to this; where they would take more, of fewer."""


class ScaledCosts(NamedTuple):
    """Costs as the kernels take them: what they rise by, in 32 bits.

    Attributes:
        state: whose costs they are, sorted secrets.
        rises: the cost of each of these at each guess, less its cost at the first, int32 [state, columns].
        shift: so many binary digits were left off.
        base: what the secrets cost at the first guess, in all.
    """

    state: Indices
    rises: NDArray[np.int32]
    shift: int
    base: int

    def total(self, value: int) -> int:
        """Return what a value of the kernels stands for."""
        return self.base + (value << self.shift)

    def write(self, costs: NDArray[np.int32]) -> None:
        """Write the costs into the array that the kernels read, which may have more columns; others cost nothing."""
        given = self.rises.shape[1]
        costs[:] = 0
        costs[self.state, :given] = self.rises
        costs[self.state, given:] = self.rises[:, -1:]


def scaled(costs: NDArray[np.int64], state: Indices) -> ScaledCosts:
    """Return the costs of some secrets as the kernels take them, or raise an error where they are none.

    Columns at the end that repeat the one before are left out. Binary digits are left off only where all costs together
    would not fit into 31.
    """
    if costs.ndim != 2 or costs.shape[1] < 1 or costs.dtype != np.int64:
        raise SettingsError(f"costs {list(costs.shape)} of {costs.dtype} given: give a row of int64 for each secret")
    if len(costs) <= state[-1]:
        raise SettingsError(f"{len(costs):,} rows of costs given: give one for each secret of the game")
    mine = costs[state]
    if max(int(mine.max()), -int(mine.min())) >= LARGEST_COST:
        raise SettingsError(f"a cost is not below {LARGEST_COST}: divide them all by a number")
    if (mine[:, 1:] < mine[:, :-1]).any():
        row = state[int(np.flatnonzero((mine[:, 1:] < mine[:, :-1]).any(axis=1))[0])]
        raise SettingsError(f"the costs of secret {row} fall from one guess to the next: they may only rise")
    rises = mine - mine[:, :1]
    changes = np.flatnonzero((rises[:, 1:] != rises[:, :-1]).any(axis=0))
    rises = rises[:, : int(changes[-1]) + 2 if len(changes) else 1]
    shift = max(0, sum(rises[:, -1].tolist()).bit_length() - 31)
    return ScaledCosts(state, (rises >> shift).astype(np.int32), shift, sum(mine[:, 0].tolist()))


def branching(game: Game) -> float:
    """Return in how many parts a guess of this game splits a state, about: what explains the greedy tree's depths."""
    secrets = len(game.secrets)
    depth = float(GreedyEngine(game, "possible").depths(np.ones(secrets, dtype=np.int64)).mean())
    low, high = 1.0, float(secrets)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _expected_depth(middle, secrets) > depth else (low, middle)
    return round(low, 4)


def _expected_depth(parts: float, secrets: int) -> float:
    """Return the mean depth of a tree that finds 1, b, b², … secrets at its levels."""
    depth, missing, level = 0.0, float(secrets), 1.0
    while missing > 0 and depth < secrets:
        depth += missing / secrets
        missing -= level
        level *= parts
    return depth


def missed_shares(parts: float, secrets: int, columns: int) -> NDArray[np.int32]:
    """Return the share of a state that is not found with so many guesses, in 4096ths [columns + 1, secrets + 1].

    A tree that splits each state in b finds n = 1 + b + … + b^(r-1) secrets with r guesses, the share x = n / c of c.
    Real trees split small states worse: of more than three secrets x / (1 + x³)^(1/3) is taken, which is nearly x where
    that is small and nearly one where it is large. Measured, that picked better guesses than min(1, x) by one to three
    in a hundred secrets found in time, and a larger b than the greedy tree's better ones, too.
    """
    from oracular.kernels.planning.layers import UNIT

    sizes = np.maximum(np.arange(secrets + 1), 1)
    shares = np.empty((columns + 1, secrets + 1), np.int32)
    found_by_then, level = 0.0, 1.0
    for guesses in range(columns + 1):
        share = found_by_then / sizes
        soft = np.minimum(share, 1) if guesses < 2 else share / (1 + share**3) ** (1 / 3)
        shares[guesses] = np.rint(UNIT * (1 - np.where(sizes <= FEW, np.minimum(share, 1), soft)))
        found_by_then, level = min(found_by_then + level, MANY), min(level * parts * MORE_PARTS, MANY)
    return shares


def room_for(columns: int, nodes: int, room: int) -> int:
    """Return for how many states values are kept in a graph that has so many now, and room for so many in all."""
    return min(room, max(USUAL_BYTES // (4 * columns), nodes + nodes // 2 + (1 << 16)))
