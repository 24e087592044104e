"""What strategies are worth: payoffs, epsilons and guarantees, exact wherever they can be.

The payoff is the hider's: the expected number of guesses. Weights and depths are whole numbers, so payoffs are
fractions of whole numbers, worked out without rounding (Algorithms HiderBRPayoff to GuesserActualPayoff).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.game import Indices
from oracular.strategy import Behavioural, Hider, Mixture, Oracle, pure

FEW_STATES = 20_000
"""A behavioural guesser is evaluated exactly while it reaches no more states than this."""


def exact_dot(weights: NDArray[np.int64], depths: NDArray[np.int64]) -> int:
    """Return the sum of weight times depth as a whole number of any size."""
    if int(weights.sum()) * int(depths.max()) < 2**63:
        return int(weights @ depths)
    return sum(int(w) * int(d) for w, d in zip(weights, depths, strict=True))


def payoff(hider: Hider, guesser: Mixture | Oracle) -> Fraction:
    """Return the exact expected number of guesses of a pure or mixed guesser against a hider."""
    mixture = guesser if isinstance(guesser, Mixture) else pure(guesser)
    if hider.game.words_sha256 != mixture.game.words_sha256 or hider.game.name != mixture.game.name:
        raise SettingsError(f"the hider plays {hider.game!r} and the guesser {mixture.game!r}: give two of one game")
    return Fraction(exact_dot(hider.weights, mixture.depth_totals), hider.total * mixture.total)


@dataclass(frozen=True)
class Standing:
    """How a pair of strategies stands: what each side gets and could gain.

    Attributes:
        self_play: the expected number of guesses: HiderActualPayoff.
        guarantee: the worst secret's expected number of guesses: HiderBRPayoff. Exact, and an upper bound on the
            value of the game.
        epsilon_hider: what the hider could gain by a best response: guarantee less self-play. Exact.
        epsilon_guesser: what the guesser could gain by the *greedy* response. No bound on anything, since the greedy
            response is not a best one; it can even be negative.
    """

    self_play: float
    guarantee: float
    epsilon_hider: float
    epsilon_guesser: float

    @property
    def epsilon(self) -> float:
        """The larger of the two players' epsilons, as the paper measures it."""
        return max(self.epsilon_hider, self.epsilon_guesser)


def standing(
    weights: NDArray[np.int64],
    depth_totals: NDArray[np.int64],
    count: int,
    response_depths: NDArray[np.int32],
) -> Standing:
    """Return how the hider's weights stand against a guesser with these depths, added up over `count` oracles.

    Args:
        weights: the hider's strategy [secrets].
        depth_totals: the guesser's depths, summed over its oracles [secrets]: ANG times `count`.
        count: the number of oracles.
        response_depths: the depths of the greedy response to the weights [secrets]: ING.
    """
    total = int(weights.sum())
    worst = int(depth_totals.max())
    actual = exact_dot(weights, depth_totals)
    deviation = exact_dot(weights, response_depths.astype(np.int64)) * count
    whole = total * count  # Python divides whole numbers with one correct rounding: the same bits everywhere
    return Standing(
        self_play=actual / whole,
        guarantee=worst / count,
        epsilon_hider=(worst * total - actual) / whole,
        epsilon_guesser=(actual - deviation) / whole,
    )


@dataclass(frozen=True)
class Estimate:
    """A payoff that is exact, or sampled with its standard error.

    Attributes:
        value: the expected number of guesses.
        standard_error: zero where the value is exact.
        samples: games played; zero where the value is exact.
    """

    value: float
    standard_error: float
    samples: int

    @property
    def exact(self) -> bool:
        """Whether the value was worked out rather than sampled."""
        return self.samples == 0


def behavioural_payoff(
    hider: Hider,
    guesser: Behavioural,
    rng: np.random.Generator,
    samples: int = 1000,
    most_states: int = FEW_STATES,
) -> Estimate:
    """Return a behavioural guesser's expected number of guesses: exact where few states are reached, else sampled."""
    expected = _expected_behavioural_depths(guesser, most_states)
    if expected is not None:
        weighted = sum(w * d for w, d in zip(map(int, hider.weights), expected, strict=True))
        return Estimate(float(weighted / hider.total), 0.0, 0)
    lengths = np.array([_play(hider.draw(rng), guesser, rng) for _ in range(samples)], dtype=np.float64)
    return Estimate(float(lengths.mean()), float(lengths.std(ddof=1)) / math.sqrt(samples), samples)


def _play(secret: str, guesser: Behavioural, rng: np.random.Generator) -> int:
    """Return how many guesses one game takes."""
    game = guesser.game
    hidden = game.secret_of_guess[[game.guess_index(secret)]]
    player = guesser.new_game(rng)
    possible = game.all_secrets
    for turn in range(1, _longest_game(guesser)):
        guess = player.guess_at(possible)
        answer = int(game.answers(np.array([guess], dtype=np.int32), hidden)[0, 0])
        if answer == game.found:
            return turn
        possible = game.narrow(possible, (guess, answer))
    raise AssertionError("a guesser that eliminates a secret at every guess has run out of guesses")


def _longest_game(guesser: Behavioural) -> int:
    """Return a number of guesses that no game can reach: every guess of a greedy oracle eliminates a secret."""
    return len(guesser.game.secrets) + 1


def _expected_behavioural_depths(guesser: Behavioural, most_states: int) -> list[Fraction] | None:
    """Return the exact expected guesses for each secret, or None where more states than allowed are reached."""
    game = guesser.game
    reached: dict[bytes, dict[int, Fraction]] = {}

    def from_state(possible: Indices) -> dict[int, Fraction] | None:
        key = possible.tobytes()
        if key in reached:
            return reached[key]
        if len(reached) >= most_states:
            return None
        reached[key] = {}  # counts this state while its parts are visited; no part can be the state itself
        expected = {int(secret): Fraction(1) for secret in possible}
        for guess, probability in guesser.guess_distribution(possible).items():
            replies = game.answers(np.array([guess], dtype=np.int32), possible)[0]
            for answer in np.unique(replies):
                if answer == game.found:
                    continue
                part = from_state(possible[replies == answer])
                if part is None:
                    return None
                for secret, guesses in part.items():
                    expected[secret] += probability * guesses
        reached[key] = expected
        return expected

    everything = from_state(game.all_secrets)
    return None if everything is None else [everything[int(secret)] for secret in game.all_secrets]
