"""Advice with another aim than few guesses on average: found within so many guesses, or most of a table of utilities.

The planner (`responses/planned.py`) values guesses at a state for every guess number, the guesses that were made
counting, and those that advice tries on average are played out as for the mean. Among guesses that are as good for the
aim, the one that is expected to end the game soonest comes first. All values are of play that was found, so better play
may be worth more. States of up to three secrets are played in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.offensive import is_offensive
from oracular.objectives import Objective
from oracular.responses.planned import FEW, Planner, scaled, suited_settings
from oracular.settings import PLANNER, least_room
from oracular.strategies.hider import Hider
from oracular.system.control import NEVER, Deadline
from oracular.system.files import counted, cut

if TYPE_CHECKING:
    from oracular.kernels.planning.layers import Layers
    from oracular.kernels.planning.tables import Graph, PlanningSpace
    from oracular.play.adviser import Adviser

MOST_WEIGHT = 1 << 30
"""Weights are scaled down to this sum, so that they fit the planner's integers whatever the losses are."""


WELL_KNOWN = 1000
"""A state of more secrets that was met before is not looked at again: that would take most of a second."""

OWN_ROOM = 1 << 18
"""A graph that is made for one state has room for so many, or for one whole tree where that is more."""


@dataclass(frozen=True)
class AimedGuess:
    """A guess by index: what it is worth in the objective, and the expected number of guesses to the end."""

    guess: int
    value: Fraction
    expected: Fraction


def check_aim(objective: Objective, made: int) -> None:
    """Raise an error where advice cannot aim at an objective after so many guesses."""
    if objective.is_worst:
        raise SettingsError(
            "advice cannot aim at the worst case: give mean, within-K or a file, or use 'oracular respond'"
        )
    if objective.is_mean or made < objective.losses.shape[1] - 1:
        return
    guesses, are = counted(made, "guess", "guesses"), "is" if made == 1 else "are"
    if objective.name == "table":
        raise SettingsError(f"{guesses} {are} made, and the table's utility changes no more: give a longer table")
    raise SettingsError(f"{guesses} {are} made, so none is left for {objective.name}: aim at more guesses")


def aimed_guesses(
    adviser: Adviser, objective: Objective, possible: Indices, made: int, count: int, demand: int = FREE
) -> list[AimedGuess]:
    """Return guesses at a state after so many were made, the best for the objective first.

    The guesses compared are those that seem best on average, each played out as for the mean, and those that the
    planner finds for the objective; a guess has the better of its two values. Words that offend are left out, unless
    there is no other. In hard mode a state has a demand, which the guesses meet.
    """
    check_aim(objective, made)
    weights = scaled_weights(adviser.hider, MOST_WEIGHT)[possible]
    if not weights.any():
        weights = np.ones(len(possible), dtype=np.int64)
    losses, total = objective.losses_in(adviser.game)[possible][:, made:], int(weights.sum())
    costs = np.zeros((len(adviser.game.secrets), losses.shape[1]), dtype=np.int64)
    costs[possible] = weights[:, None] * losses
    # a new planner: one that was used finds other guesses for what it saw before, and takes a hundred megabytes
    planner = Planner(adviser.solved, **suited_settings(adviser.solved))
    planned = choices_from(planner, possible, costs, max(count, adviser.tries(len(possible))), demand)
    words = adviser.solved.guesses
    found = {one.guess: one.value for one in planned}
    guesses = list(dict.fromkeys([*found, *adviser.likely(possible, demand).tolist()]))
    guesses = [guess for guess in guesses if not is_offensive(words[guess])] or guesses
    depths = adviser.depths(possible, np.array(guesses, dtype=np.int32), demand)
    at = np.minimum(depths, losses.shape[1]) - 1
    lost = (weights * losses[np.arange(len(possible)), at]).sum(axis=1)
    aimed = [
        AimedGuess(
            int(adviser.guess_of_solved[guess]),
            objective.value(Fraction(min(int(played), found.get(guess, int(played))), total)),
            Fraction(int(guesses_taken), total),
        )
        for guess, played, guesses_taken in zip(guesses, lost, depths @ weights, strict=True)
    ]
    return sorted(aimed, key=lambda one: (-one.value, one.expected))


def aim_note(objective: str) -> str:
    """Return what the values of guesses are in an objective other than the mean, in sentences for people."""
    within = objective.removeprefix("within-")
    meaning = "what each guess is worth by the table"
    if within != objective:
        meaning = f"how likely it is found within {counted(int(within), 'guess', 'guesses')}"
    return (
        f"Estimates: {meaning}, the guesses that were made counting. Better play may be worth more. "
        "Among equals the one that should end the game soonest comes first."
    )


def scaled_weights(hider: Hider, most: int) -> NDArray[np.int64]:
    """Return the hider's weights, scaled down to a sum of at most `most`; a positive weight stays positive."""
    total = hider.total
    if total <= most:
        return np.asarray(hider.weights, dtype=np.int64)
    room = most - len(hider.weights)
    return np.array([int(weight) * room // total + (weight > 0) for weight in hider.weights], dtype=np.int64)


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
