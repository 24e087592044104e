"""Advice with another aim than few guesses on average: found within so many guesses, or most of a table of utilities.

The planner (`planner/planner.py`) values guesses at a state for every guess number, the guesses that were made
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

from oracular.costs import Costs
from oracular.errors import SettingsError
from oracular.games.game import Indices
from oracular.games.guessing import FREE
from oracular.games.offensive import is_offensive
from oracular.objectives import Objective
from oracular.planner.planner import Planner, choices, suited_settings
from oracular.strategies.hider import Hider
from oracular.system.files import counted

if TYPE_CHECKING:
    from oracular.play.adviser import Adviser

MOST_WEIGHT = 1 << 30
"""Weights are scaled down to this sum, so that they fit the planner's integers whatever the losses are."""


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
    everywhere = np.zeros((len(adviser.game.secrets), losses.shape[1]), dtype=np.int64)
    everywhere[possible] = weights[:, None] * losses
    costs = Costs.of_table(everywhere, adviser.hider.weights)
    # a new planner: one that was used finds other guesses for what it saw before, and takes a hundred megabytes
    planner = Planner(adviser.solved, **suited_settings(adviser.solved))
    planned = choices(planner, possible, costs, max(count, adviser.tries(len(possible))), demand)
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
