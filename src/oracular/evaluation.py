"""Payoffs, epsilons and guarantees of strategies.

The payoff is the hider's: the expected number of guesses, or what it is in another objective. Weights, depths and
losses are whole numbers, so payoffs are exact fractions (the paper's algorithms 9 to 12, HiderBRPayoff to
GuesserActualPayoff).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.objectives import Objective
from oracular.objectives import objective as objective_of
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Behavioural, Mixture, Oracle, pure
from oracular.system.checking import SUM_LIMIT, checked
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted

GREEDY = "measured with the greedy response, not a bound"
"""What the paper's epsilon is, in the words that stand beside it."""

FEW_QUESTIONS = 200_000
"""A behavioural guesser is evaluated exactly if its oracles are asked no more often than this."""


def exact_dot(weights: NDArray[Any], depths: NDArray[Any]) -> int:
    """Return the sum of weight times depth as a whole number of any size."""
    largest = max(int(depths.max()), -int(depths.min()))
    if int(weights.max()) * largest * len(weights) < SUM_LIMIT:
        return int(weights @ depths)
    return sum(w * d for w, d in zip(weights.tolist(), depths.tolist(), strict=True))


LOW_BITS = 16
"""Where the sums of weight times depth may be too large, the low bits of the depths are summed up by themselves."""


def exact_dots(weights: NDArray[np.int64], depths: NDArray[np.int64]) -> list[int]:
    """Return what `exact_dot` gives for each row of weights and depths, none of them negative [rows, secrets]."""
    total, deepest = int(weights.sum(axis=1).max()), int(depths.max())
    if total * deepest < SUM_LIMIT:
        return np.einsum("ij,ij->i", weights, depths).tolist()
    if total << LOW_BITS < SUM_LIMIT:
        high, low = exact_dots(weights, depths >> LOW_BITS), exact_dots(weights, depths & ((1 << LOW_BITS) - 1))
        return [(more << LOW_BITS) + less for more, less in zip(high, low, strict=True)]
    return [exact_dot(*row) for row in zip(weights, depths, strict=True)]


def check_same_game(hider: Hider, guesser: Mixture | Behavioural) -> None:
    """Raise an error unless both play the same game."""
    if not hider.game.is_same(guesser.game):
        raise SettingsError(f"the hider plays {hider.game!r} and the guesser {guesser.game!r}: give two of one game")


@checked
def payoff(
    hider: Hider, guesser: Mixture | Oracle, objective: str | Path | Objective = "mean", deadline: Deadline = NEVER
) -> Fraction:
    """Return what a pure or mixed guesser is worth against a hider, exactly: by default the expected number of guesses.

    In the objective `worst` that is the most guesses that any of its oracles takes, whatever the hider does.
    """
    mixture = _mixture(guesser)
    check_same_game(hider, mixture)
    chosen = objective_of(objective, mixture.game)
    if chosen.is_worst:
        return Fraction(most_guesses(mixture, deadline))
    return chosen.value(
        Fraction(exact_dot(hider.weights, loss_totals(mixture, chosen, deadline)), hider.total * mixture.total)
    )


def guarantee(
    guesser: Mixture | Oracle, objective: str | Path | Objective = "mean", deadline: Deadline = NEVER
) -> Fraction:
    """Return what a guesser is worth in an objective against the hider that is worst for it; exact."""
    mixture = _mixture(guesser)
    chosen = objective_of(objective, mixture.game)
    if chosen.is_worst:
        return Fraction(most_guesses(mixture, deadline))
    return chosen.value(Fraction(int(loss_totals(mixture, chosen, deadline).max()), mixture.total))


def _mixture(guesser: Mixture | Oracle) -> Mixture:
    """Return a pure or mixed guesser as a mixture."""
    if not hasattr(guesser, "game") or isinstance(guesser, Hider | Behavioural):
        raise SettingsError(f"{quoted(guesser)} is not a pure or mixed guesser: give an oracle, a tree or a mixture")
    return guesser if isinstance(guesser, Mixture) else pure(guesser)


def loss_totals(guesser: Mixture, objective: Objective, deadline: Deadline = NEVER) -> NDArray[Any]:
    """Return what is lost for each secret in an objective, times the mixture's total weight [secrets]."""
    if objective.is_mean:
        guesser.added_up(deadline)
        return guesser.depth_totals
    return losses_of(guesser.found_totals(objective.losses.shape[1], deadline), objective)


def losses_of(found: NDArray[Any], objective: Objective) -> NDArray[Any]:
    """Return what is lost for each secret that is found at each guess with such weights [secrets, columns]."""
    if found.dtype != object and int(found.sum(axis=1).max()) * max(1, objective.largest_loss or 0) >= SUM_LIMIT:
        found = found.astype(object)
    lost: NDArray[Any] = (found * objective.losses.astype(found.dtype)).sum(axis=1)
    return lost


def most_guesses(guesser: Mixture, deadline: Deadline = NEVER) -> int:
    """Return the most guesses that any oracle of a mixture takes for any secret."""
    return max(int(depths.max()) for depths, _ in guesser.weighed_depths(deadline))


@dataclass(frozen=True)
class Standing:
    """The payoff of a pair of strategies, and what each side could gain.

    Attributes:
        self_play: the expected number of guesses: HiderActualPayoff.
        guarantee: the worst secret's expected number of guesses: HiderBRPayoff. Exact, and an upper bound on the
            value of the game (a lower bound in an objective of which more is better).
        epsilon_hider: what the hider could gain by a best response: guarantee less self-play. Exact.
        epsilon_guesser: what the guesser could gain by the *greedy* response. It bounds nothing, since the greedy
            response is not a best one, and can even be negative.
    """

    self_play: float
    guarantee: float
    epsilon_hider: float
    epsilon_guesser: float

    @property
    def epsilon(self) -> float:
        """The larger of the two players' epsilons, as the paper measures it."""
        return max(self.epsilon_hider, self.epsilon_guesser)

    def in_objective(self, objective: Objective) -> Standing:
        """Return this standing in an objective, if it was worked out in losses."""
        if objective.less_is_better:
            return self
        return Standing(
            self_play=(objective.top - self.self_play) / objective.unit,
            guarantee=(objective.top - self.guarantee) / objective.unit,
            epsilon_hider=self.epsilon_hider / objective.unit,
            epsilon_guesser=self.epsilon_guesser / objective.unit,
        )

    def reached(self, objective: Objective) -> str:
        """Return what is guaranteed, in a few words."""
        return f"{'≤' if objective.less_is_better else '≥'} {self.guarantee:.3f}"


@dataclass(frozen=True)
class RaceStanding:
    """How a pair of strategies stands in the blind race.

    Attributes:
        first_mover_wins: the chance of player 1, who moves first, to win.
        epsilon_first: what player 1 could gain by the best deviation found: measured, no bound.
        epsilon_second: the same for player 2.
    """

    first_mover_wins: float
    epsilon_first: float
    epsilon_second: float

    @property
    def epsilon(self) -> float:
        """The larger of the two players' epsilons."""
        return max(self.epsilon_first, self.epsilon_second)

    def in_objective(self, objective: Objective) -> RaceStanding:
        """Return this standing: a race has no other objective than to win."""
        return self

    def reached(self, objective: Objective) -> str:
        """Return the first mover's chance, in a few words."""
        return f"blind race, first mover {self.first_mover_wins:.3f}"


AnyStanding: TypeAlias = Standing | RaceStanding


def standing_of_solver(name: str) -> type[AnyStanding]:
    """Return what says how the strategies of a solver stand; every record of its history has these figures."""
    return RaceStanding if name == "race" else Standing


def standing(weights: NDArray[Any], depth_totals: NDArray[Any], count: int, response_depths: NDArray[Any]) -> Standing:
    """Return the standing of the hider's weights against a guesser whose depths are summed over `count` oracles.

    The summed depths are the paper's ANG times `count`; ING are the depths of the greedy response to the weights.
    """
    total = int(weights.sum())
    worst = int(depth_totals.max())
    actual = exact_dot(weights, depth_totals)
    return _standing(total, worst, actual, exact_dot(weights, response_depths.astype(np.int64)), count)


def standings(
    weights: NDArray[np.int64], depth_totals: NDArray[np.int64], count: int, response_depths: NDArray[np.int64]
) -> list[Standing]:
    """Return what `standing` gives for each row of weights and depths, none of them negative [rows, secrets].

    The depths of the first row are summed over `count` oracles, those of each further row over one more.
    """
    totals, worst = weights.sum(axis=1).tolist(), depth_totals.max(axis=1).tolist()
    dots = exact_dots(weights, depth_totals), exact_dots(weights, response_depths)
    counts = range(count, count + len(totals))
    return [_standing(*row) for row in zip(totals, worst, *dots, counts, strict=True)]


def _standing(total: int, worst: int, actual: int, deviation: int, count: int) -> Standing:
    """Return the standing that follows from the sum of the weights, the largest summed depth, and two dot products."""
    whole = total * count  # Python divides whole numbers with one correct rounding: the same bits everywhere
    return Standing(
        self_play=actual / whole,
        guarantee=worst / count,
        epsilon_hider=(worst * total - actual) / whole,
        epsilon_guesser=(actual - deviation * count) / whole,
    )


@dataclass(frozen=True)
class Estimate:
    """A payoff that was sampled in so many games, or is exact: then there are no samples and no error."""

    value: float
    standard_error: float
    samples: int

    @property
    def exact(self) -> bool:
        """Whether the value was worked out rather than sampled."""
        return self.samples == 0


@checked
def behavioural_payoff(
    hider: Hider,
    guesser: Behavioural,
    rng: np.random.Generator,
    samples: int = 1000,
    most_questions: int = FEW_QUESTIONS,
) -> Estimate:
    """Return a behavioural guesser's expected number of guesses: exact if it reaches few states, else sampled.

    For an exact result the oracles are asked no more often than `most_questions`, each once at every state.
    """
    check_same_game(hider, guesser)
    if samples < 2:
        raise SettingsError(f"{samples} samples asked for: give 2 or more")
    expected = _expected_behavioural_depths(guesser, most_questions // len(guesser.mixture.oracles))
    if expected is not None:
        weighted = sum(w * d for w, d in zip(hider.weights.tolist(), expected, strict=True))
        return Estimate(float(weighted / hider.total), 0.0, 0)
    lengths = np.array([_play(hider.sample(rng), guesser, rng) for _ in range(samples)], dtype=np.float64)
    return Estimate(float(lengths.mean()), float(lengths.std(ddof=1)) / math.sqrt(samples), samples)


def _play(secret: str, guesser: Behavioural, rng: np.random.Generator) -> int:
    """Return how many guesses one game takes."""
    game = guesser.game
    hidden = game.secret_of_guess[[game.guess_index(secret)]]
    player = guesser.new_game(rng)
    possible, demand, turn, answer = game.all_secrets, FREE, 0, -1
    while answer != game.found:
        turn += 1
        guess = player.guess_at(possible, demand)
        _check_allowed(game, guess, possible, demand)
        answer = int(game.answers(np.array([guess], dtype=np.int32), hidden)[0, 0])
        remaining = game.narrow(possible, (guess, answer))
        _check_progress(game, guess, possible, remaining)
        possible, demand = remaining, game.guessing.demand_after(demand, guess, answer)
    return turn


def _check_allowed(game: Game, guess: int, possible: Indices, demand: int) -> None:
    """Raise an error if the game's rule of guessing forbids a guess."""
    if not game.allows(guess, possible, demand):
        raise SettingsError(
            f"an oracle guesses {quoted(game.guesses[guess])} where {game.name} does not allow it: mend the oracle"
        )


def _check_progress(game: Game, guess: int, possible: Indices, remaining: Indices) -> None:
    """Raise an error if a guess eliminates nothing, since an oracle that makes it would go on for ever."""
    if len(remaining) == len(possible) > 1:
        raise SettingsError(
            f"an oracle guesses {quoted(game.guesses[guess])} where it eliminates nothing: mend the oracle"
        )


def _expected_behavioural_depths(guesser: Behavioural, most_states: int) -> list[Fraction] | None:
    """Return the exact expected guesses for each secret, or None if too many states are reached."""
    game = guesser.game
    reached: dict[tuple[bytes, int], dict[int, Fraction]] = {}

    def from_state(possible: Indices, demand: int) -> dict[int, Fraction] | None:
        key = possible.tobytes(), demand
        if key in reached:
            return reached[key]
        if len(reached) >= most_states:
            return None
        expected = {int(secret): Fraction(1) for secret in possible}
        for guess, probability in guesser.guess_distribution(possible, demand).items():
            _check_allowed(game, guess, possible, demand)
            replies = game.answers(np.array([guess], dtype=np.int32), possible)[0]
            for answer in np.unique(replies).tolist():
                if answer == game.found:
                    continue
                remaining = possible[replies == answer]
                _check_progress(game, guess, possible, remaining)
                part = from_state(remaining, game.guessing.demand_after(demand, guess, answer))
                if part is None:
                    return None
                for secret, guesses in part.items():
                    expected[secret] += probability * guesses
        reached[key] = expected
        return expected

    everything = from_state(game.all_secrets, FREE)
    return None if everything is None else [everything[int(secret)] for secret in game.all_secrets]
