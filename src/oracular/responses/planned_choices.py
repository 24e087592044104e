"""The planner's best guesses at one state, for any objective.

The graph of all that was looked at is used, and is the same afterwards. States of up to three secrets are played in
closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.responses.planned import Planner
from oracular.responses.planned_layers import FEW, scaled
from oracular.settings import PLANNER, least_room
from oracular.system.deadline import NEVER, Deadline
from oracular.system.files import cut

if TYPE_CHECKING:
    from oracular.kernels.planning.layers import Layers
    from oracular.kernels.planning.tables import Graph, PlanningSpace

WELL_KNOWN = 1000
"""A state of more secrets that was met before is not looked at again: that would take most of a second."""

OWN_ROOM = 1 << 18
"""A graph that is made for one state has room for so many, or for one whole tree where that is more."""


@dataclass(frozen=True)
class Choice:
    """A guess at a state, and what the costs sum to if it is made next and the best found is played on."""

    guess: int
    value: int


def choices_from(
    planner: Planner,
    state: Indices,
    costs: NDArray[np.int64],
    count: int = 1,
    demand: int = FREE,
    *,
    looks: int | None = None,
    deadline: Deadline = NEVER,
) -> list[Choice]:
    """Return the best guesses at a state, best first, with what the costs of its secrets sum to after each.

    What the planner remembers is used and is the same afterwards: what comes back depends on no other call.

    Args:
        planner: the planner of the game.
        state: the secrets that are still possible, sorted.
        costs: as for `Planner.respond_to`, with the next guess in the first column [secrets, guesses]; rows of other
            secrets do not count.
        count: how many guesses to return at most.
        demand: what hard mode asks of the guesses at this state.
        looks: how often to look further along the tree that seems best; unless given once, and not at all at a state of
            very many secrets that the graph knows already, as the start after a first `respond`.
        deadline: where it passes first, `DeadlinePassed` is raised.
    """
    from oracular.kernels.planning.graph import put_back, snapshot

    check_state(state, len(planner.game.secrets))
    asked = scaled(costs, state)
    if len(state) <= FEW:
        return choices_of_few(planner.game, state, costs, demand)[:count]
    layers, graph = planner.layers_for(asked)
    before = snapshot(graph)
    try:
        tried = from_state(graph, planner.space_by(deadline), layers, state, looks, demand)
    finally:
        put_back(graph, before)
    deadline.check()
    if tried is None:  # no room: a graph of its own has it
        settings = {setting.name: getattr(planner, setting.name) for setting in PLANNER}
        room = max(least_room(len(planner.game.secrets)), OWN_ROOM)
        fresh = Planner(planner.game, **settings | {"room": room})
        return choices_from(fresh, state, costs, count, demand, looks=looks, deadline=deadline)
    guesses, values = tried
    order = np.argsort(values, kind="stable")[:count]
    return [Choice(int(guesses[i]), asked.total(int(values[i]))) for i in order]


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
