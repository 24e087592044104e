"""The slow twin of everything that knows objectives: all trees, in plain Python with whole numbers and fractions.

It plays any game by its table of answers. Costs are rows by secret: what finding it at guess 1, 2, … costs, the last
for all later guesses too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import highspy
import numpy as np

from oracular import Game

from random_games import game_of_table
from ruled_twin import State, Turns, moves


def parts_of(game: Game, row: Sequence[int], state: frozenset) -> dict[int, frozenset] | None:
    """Return the secrets of a state by their answers to a guess, or None where it eliminates nothing."""
    parts: dict[int, set] = {}
    for secret in state:
        parts.setdefault(row[secret], set()).add(secret)
    if len(parts) == 1 and game.found not in parts:
        return None
    return {answer: frozenset(part) for answer, part in parts.items()}


class BestPlay:
    """The best of all trees of a game, with its rule of guessing, by the plain recursion over states and levels.

    The guess at a level costs `rises[s][level]` for each secret s that is left, later the last. What is known of a
    state is kept.
    """

    def __init__(self, game: Game, rises: Sequence[Sequence[int]]) -> None:
        self.game, self.rises, self.last = game, rises, len(rises[0]) - 1
        self.least = cache(self._least)

    @classmethod
    def mean(cls, game: Game, weights: Sequence[int]) -> BestPlay:
        """Return it for the mean: every guess costs the weight."""
        return cls(game, [[int(weight)] for weight in weights])

    @classmethod
    def of_costs(cls, game: Game, costs: Sequence[Sequence[int]] | np.ndarray) -> BestPlay:
        """Return it for what finding each secret at guess 1, 2, … costs, the last for all later guesses too."""
        rows = np.asarray(costs, object).tolist()
        return cls(
            game, [[one - before for one, before in zip([*row, row[-1]], [0, *row], strict=True)] for row in rows]
        )

    def _least(self, state: State, turns: Turns = frozenset(), level: int = 0) -> int:
        """Return what the best tree from a state costs, which is reached after some turns and a number of guesses."""
        return min(self._after(parts, state, level) for _, parts in moves(self.game, state, turns))

    def with_guess(self, guess: int, state: State, turns: Turns = frozenset()) -> int | None:
        """Return what the best tree with this guess costs at a state; None if it is forbidden or tells nothing."""
        found = (parts for one, parts in moves(self.game, state, turns) if one == guess)
        parts = next(found, None)
        return None if parts is None else self._after(parts, state, 0)

    def with_guesses(self, guesses: Sequence[int], state: State, turns: Turns = frozenset(), level: int = 0) -> int:
        """Return what the best tree costs that begins with these guesses.

        One is left out at the states where it is forbidden or tells nothing.
        """
        if not guesses:
            return self.least(state, turns, level)
        parts = next((parts for one, parts in moves(self.game, state, turns) if one == guesses[0]), None)
        if parts is None:
            return self.with_guesses(guesses[1:], state, turns, level)
        now, then = sum(self.rises[secret][level] for secret in state), min(level + 1, self.last)
        return now + sum(self.with_guesses(guesses[1:], part, after, then) for part, after in parts)

    def _after(self, parts: list[tuple[State, Turns]], state: State, level: int) -> int:
        now, then = sum(self.rises[secret][level] for secret in state), min(level + 1, self.last)
        return now + sum(self.least(part, turns, then) for part, turns in parts)


def least_cost(
    game: Game, costs: Sequence[Sequence[int]] | np.ndarray, opening: int | Sequence[int] | None = None
) -> int:
    """Return the least cost over all trees, or over those with an opening of a guess or more."""
    best, everything = BestPlay.of_costs(game, costs), tuple(range(len(game.secrets)))
    if isinstance(opening, Sequence):
        return best.with_guesses(opening, everything)
    if opening is None:
        return best.least(everything)
    with_opening = best.with_guess(opening, everything)
    assert with_opening is not None
    return with_opening


def least_worst(game: Game, weights: Sequence[int], opening: Sequence[int] = ()) -> tuple[int, int]:
    """Return the least number of guesses that always suffices, and the least total of weight times guesses then."""
    for guesses in range(1, len(game.secrets) + 1):
        beyond = (1 + sum(weights)) * (1 + guesses)
        costs = [[weight * guess for guess in range(1, guesses + 1)] + [beyond] for weight in weights]
        least = least_cost(game, costs, opening)
        if least < beyond:
            return guesses, least
    raise AssertionError("a guess for every secret always suffices")


def depth_vectors(game: Game) -> list[tuple[int, ...]]:
    """Return how many guesses each secret takes in every tree of a tiny game, each way once."""
    rows = game.table.tolist()

    @cache
    def vectors(state: frozenset) -> frozenset:
        ways = set()
        for row in rows:
            parts = parts_of(game, row, state)
            if parts is None:
                continue
            combined: list[dict] = [dict.fromkeys(parts.pop(game.found, ()), 1)]
            for part in parts.values():
                below = [dict(way) for way in vectors(part)]
                combined = [ours | {s: d + 1 for s, d in more.items()} for ours in combined for more in below]
            ways.update(tuple(sorted(way.items())) for way in combined)
        return frozenset(ways)

    return sorted(tuple(depth for _, depth in way) for way in vectors(frozenset(range(len(game.secrets)))))


def seeded_game(rng: random.Random, most_secrets: int) -> Game:
    """Return a small game at random: some tell secrets apart well, some hardly at all."""
    secrets = rng.randint(1, most_secrets)
    guesses = secrets + rng.randint(0, 5)
    answers = rng.randint(2, 5)
    found = rng.randrange(answers)
    others = [answer for answer in range(answers) if answer != found]
    plain = rng.choice([0.0, 0.7])
    table = [
        [others[0] if rng.random() < plain else rng.choice(others) for _ in range(secrets)] for _ in range(guesses)
    ]
    for secret, finder in enumerate(sorted(rng.sample(range(guesses), secrets))):
        table[finder][secret] = found
    return game_of_table(table, answers, found)


def seeded_utilities(rng: random.Random, columns: int) -> list[int]:
    """Return utilities that never rise, with many that stay the same."""
    falls = [rng.choice([0, 0, 1, 2, 3]) for _ in range(columns)]
    return [10 - sum(falls[: guess + 1]) for guess in range(columns)]


def seeded_weights(rng: random.Random, secrets: int) -> np.ndarray:
    """Return weights with zeros and ties among them, not all of them zero."""
    weights = [rng.randint(0, 3) for _ in range(secrets)]
    return np.array(weights if any(weights) else [1] * secrets, np.int64)


def matrix_value(payoffs: Sequence[Sequence[float]] | np.ndarray) -> float:
    """Return the value of a matrix game by linear programming: the least that some mix of the rows pays at most."""
    table = np.asarray(payoffs, dtype=np.float64)
    columns = table.shape[1]
    model, infinity = highspy.Highs(), highspy.kHighsInf
    model.setOptionValue("output_flag", False)
    nothing = np.zeros(0, np.int32), np.zeros(0)
    for _ in range(columns):
        model.addRow(0.0, infinity, 0, *nothing)
    model.addRow(1.0, 1.0, 0, *nothing)
    places = np.arange(columns + 1, dtype=np.int32)
    model.addCol(1.0, -infinity, infinity, columns, places[:-1], np.ones(columns))
    for row in table:
        model.addCol(0.0, 0.0, infinity, columns + 1, places, np.append(-row, 1.0))
    model.run()
    return float(model.getObjectiveValue())
