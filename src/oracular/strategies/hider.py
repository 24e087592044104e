"""The hider's strategy: whole-number weights, one a secret, and exact draws from them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.games.offensive import is_offensive
from oracular.system.checking import SUM_LIMIT, checked, frozen
from oracular.system.files import counted


@checked
@dataclass(frozen=True, eq=False)
class Hider:
    """The hider's strategy: secrets are drawn in proportion to whole-number weights.

    The weights [secrets] are int64, or Python's whole numbers (dtype object) where 64 bits would not hold their sum.
    """

    game: Game
    weights: NDArray[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", whole_weights(self.game, self.weights))

    def __repr__(self) -> str:
        return f"Hider({self.game!r}, {np.count_nonzero(self.weights)} secrets with weight)"

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return int(self.weights.sum())

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each secret [secrets]."""
        return (self.weights / self.total).astype(np.float64)

    def probability(self, word: str) -> float:
        """Return the probability that this word is the secret."""
        secret = self.game.secret_of_guess[self.game.guess_index(word)]
        return 0.0 if secret < 0 else float(self.probabilities[secret])

    def draw(self, rng: np.random.Generator | None = None) -> str:
        """Return a secret to hide from a person: drawn from the strategy, but never a word that may offend.

        The other words keep their proportions. Only a strategy that has no other word still gives such a word.
        """
        return self.game.secrets[draw_index(self._presentable.tolist(), rng or np.random.default_rng())]

    def sample(self, rng: np.random.Generator | None = None) -> str:
        """Return a secret drawn from exactly this strategy, for simulations: it may be a word that offends."""
        return self.game.secrets[draw_index(self.weights.tolist(), rng or np.random.default_rng())]

    @cached_property
    def _presentable(self) -> NDArray[Any]:
        """The weights without those of words that may offend, unless there are no others [secrets]."""
        others = np.where([is_offensive(word) for word in self.game.secrets], 0, self.weights)
        return others if others.any() else self.weights


@checked
def hider_uniform(game: Game) -> Hider:
    """Return the paper's HiderUniform: every secret is equally likely."""
    return Hider(game, np.ones(len(game.secrets), dtype=np.int64))


def whole_weights(game: Game, weights: ArrayLike) -> NDArray[Any]:
    """Return the hider's weights as an array of whole numbers whose sum is exact, or say what is wrong with them."""
    array = np.asarray(weights)
    expected = len(game.secrets)
    if array.shape != (expected,):
        raise SettingsError(f"{counted(array.size, 'weight')} given for {game.name}: give {expected}, one a secret")
    if array.dtype == object:
        whole = all(isinstance(weight, int) for weight in array)
    else:
        whole = np.issubdtype(array.dtype, np.integer)
    if not whole:
        raise SettingsError(f"the weights given for {game.name} are not whole numbers: scale and round them")
    if array.min() < 0 or not array.any():
        raise SettingsError(f"the weights given for {game.name} are negative or all zero: make some of them positive")
    fits = int(array.max()) * expected < SUM_LIMIT
    return frozen(array.astype(np.int64 if fits else object))


def draw_index(weights: Sequence[int], rng: np.random.Generator) -> int:
    """Return an index drawn in proportion to whole-number weights of any size."""
    ends = list(accumulate(map(int, weights)))
    bits = ends[-1].bit_length()
    while True:  # a number below the total, all equally likely: draw as many bits as it has until it is below
        ticket = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
        if ticket < ends[-1]:
            return bisect_right(ends, ticket)
