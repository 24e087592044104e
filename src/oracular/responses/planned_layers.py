"""The planner's responses where the worth of a guess is any function of the guess number.

The graph of states and guesses is the one that serves the mean (`responses.planned`): what was looked at for one
objective is there for all others. Only its values differ, one for each guess number (`kernels.planning.layers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.responses.greedy import GreedyEngine
from oracular.system.files import cut

if TYPE_CHECKING:
    from oracular.kernels.planning.layers import Layers
    from oracular.kernels.planning.tables import Graph, PlanningSpace

LARGEST_COST = 1 << 61
"""No cost is further from zero, so that a difference of two fits into 64 bits."""

WELL_KNOWN = 1000
"""A state of more secrets that was met before is not looked at again: that would take most of a second."""

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


@dataclass(frozen=True)
class Choice:
    """A guess at a state, and what the costs sum to if it is made next and the best found is played on."""

    guess: int
    value: int


def check_state(state: Indices, secrets: int) -> None:
    """Raise an error unless these are secrets of a game of so many, sorted, each once."""
    if state.ndim != 1 or not len(state) or state.dtype.kind not in "iu":
        raise SettingsError(f"a state {list(state.shape)} of {state.dtype} given: give the possible secrets by number")
    if state[0] < 0 or state[-1] >= secrets or (np.diff(state) <= 0).any():
        raise SettingsError(f"the state {cut(state.tolist())} is not sorted, or has others than {secrets:,} secrets")


def choices_of_few(game: Game, state: Indices, costs: NDArray[np.int64], demand: int = FREE) -> list[Choice]:
    """Return what to guess at a state of one to three secrets, best first: one of them, or what tells them apart."""

    def cost(secret: int, column: int) -> int:
        return int(costs[secret, min(column, costs.shape[1] - 1)])

    def least(secrets: tuple[int, ...], column: int) -> int:
        return min(after(guess, secrets, column) for guess in game.guess_of_secret[list(secrets)])

    def after(guess: int, secrets: tuple[int, ...], column: int) -> int:
        parts: dict[int, tuple[int, ...]] = {}
        for secret in secrets:
            parts[int(game.table[guess, secret])] = (*parts.get(int(game.table[guess, secret]), ()), secret)
        found = sum(cost(secret, column) for secret in parts.pop(game.found, ()))
        return found + sum(least(part, column + 1) for part in parts.values())

    secrets = tuple(map(int, state))
    guesses = game.guess_of_secret[state].tolist()
    if len(secrets) == FEW:
        first, second, third = game.table[:, state].T
        apart = np.flatnonzero((first != second) & (first != third) & (second != third))
        guesses += apart[np.isin(apart, game.allowed(state, demand))][:1].tolist()
    choices = [Choice(guess, after(guess, secrets, 0)) for guess in dict.fromkeys(guesses)]
    return sorted(choices, key=lambda choice: choice.value)


def from_state(
    graph: Graph, space: PlanningSpace, layers: Layers, state: Indices, looks: int | None, demand: int = FREE
) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """Return the guesses tried at a state and what each costs, or None where the graph has no room for it.

    The graph has then changed, and so it has where the space's flag has stopped the work.
    """
    from oracular.kernels.planning import layered_search as kernel
    from oracular.kernels.planning.graph import node_of
    from oracular.kernels.planning.layers import value_below
    from oracular.kernels.planning.tables import MEMBERS, NODES

    counters = graph.counters
    if counters[NODES] + 1 > len(graph.node_size) or counters[MEMBERS] + len(state) > len(graph.members):
        return None
    node = int(node_of(graph, state.astype(np.int32), demand))
    if graph.node_edge[node] < 0:
        layers.level[node] = 0
        if not kernel.play_out_layers(graph, space, layers, node, space.settings.small):
            return None
    elif looks is None and len(state) > WELL_KNOWN:
        looks = 0
    value_below(graph, space, layers, node)
    for _ in range(1 if looks is None else looks):
        kernel.explore_layers(graph, space, layers, node)
        value_below(graph, space, layers, node)
    guesses, values = kernel.guesses_from(graph, layers, node)
    return guesses, values
