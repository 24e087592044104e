"""Proof files by brute force: what their states cost at least, and files that are changed in every possible way.

Nothing here but `is_accepted` uses the checker. A state's least cost is worked out by trying every guess, from the
rules as they are written in the file's header.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np

import oracular
from oracular import Game, checker

from objective_twin import seeded_game
from ruled_twin import random_hard_game, random_possible_game

Contents = tuple[dict[str, Any], dict[str, np.ndarray]]


def wordle_colours(guess: str, secret: str) -> tuple[int, ...]:
    """Return the colour of each letter: 0 grey, 1 yellow, 2 green."""
    left = Counter(letter for letter, other in zip(secret, guess, strict=True) if letter != other)
    colours = []
    for letter, other in zip(guess, secret, strict=True):
        if letter == other:
            colours.append(2)
        elif left[letter] > 0:
            left[letter] -= 1
            colours.append(1)
        else:
            colours.append(0)
    return tuple(colours)


def jotto_answer(guess: str, secret: str) -> object:
    """Return the number of common letters, or that the secret is found."""
    return "found" if guess == secret else (Counter(guess) & Counter(secret)).total()


def black_and_white(guess: str, secret: str) -> object:
    """Return the black and the white pegs."""
    black = sum(letter == other for letter, other in zip(guess, secret, strict=True))
    return "found" if guess == secret else (black, (Counter(guess) & Counter(secret)).total() - black)


class BruteForce:
    """The least cost of every state of a proof's game."""

    def __init__(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        described = header["game"]
        self.allowed = described["allowed"]
        weights = header["weights"]
        secrets = len(weights)
        self.cost = [[weight * row[min(s, len(row) - 1)] for s, weight in enumerate(weights)] for row in header["rise"]]
        self.guesses: list[str] = []
        if described["rules"] == "table":
            self.found: object = described["found"]
            self.answers: list[list[Any]] = arrays["table"].tolist()
        else:
            answer = {"wordle": wordle_colours, "jotto": jotto_answer}.get(described["rules"], black_and_white)
            self.guesses, hidden = words_of(described)
            self.answers = [[answer(g, s) for s in hidden] for g in self.guesses]
            self.found = (2,) * len(self.guesses[0]) if described["rules"] == "wordle" else "found"
        self.everything = tuple(range(secrets))
        self.free: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
        if self.allowed == "hard":
            self.free = ((0,) * len(self.guesses[0]), ())
        self.least = cache(self._least)

    def constraint(self, row: Sequence[int]) -> Any:
        """Return the constraint that a file writes as a row of numbers."""
        if self.allowed != "hard":
            return self.free
        half = len(row) // 2
        return tuple(row[:half]), tuple(sorted(letter for letter in row[half:] if letter))

    def is_allowed(self, guess: int, state: tuple[int, ...], constraint: Any) -> bool:
        """Return whether a guess is allowed."""
        if self.allowed == "possible":
            return any(self.answers[guess][secret] == self.found for secret in state)
        if self.allowed == "hard":
            word = [ord(letter) for letter in self.guesses[guess]]
            places, letters = constraint
            return all(letter in (0, own) for letter, own in zip(places, word, strict=True)) and not (
                Counter(letters) - Counter(word)
            )
        return True

    def after(self, constraint: Any, guess: int, answer: Any) -> Any:
        """Return the constraint after one more answer."""
        if self.allowed != "hard":
            return self.free
        word = [ord(letter) for letter in self.guesses[guess]]
        places = tuple(own if c == 2 else old for own, c, old in zip(word, answer, constraint[0], strict=True))
        letters = Counter(constraint[1]) | Counter(own for own, c in zip(word, answer, strict=True) if c)
        return places, tuple(sorted(letters.elements()))

    def cost_of(self, guess: int, state: tuple[int, ...], column: int, constraint: Any) -> float:
        """Return what the best play costs that begins with a guess; infinite if the guess eliminates nothing."""
        parts: dict[Any, list[int]] = {}
        for secret in state:
            parts.setdefault(self.answers[guess][secret], []).append(secret)
        if len(parts) == 1 and self.found not in parts:
            return float("inf")
        then = min(column + 1, len(self.cost) - 1)
        return sum(self.cost[column][secret] for secret in state) + sum(
            self.least(tuple(part), then, self.after(constraint, guess, answer))
            for answer, part in parts.items()
            if answer != self.found
        )

    def _least(self, state: tuple[int, ...], column: int, constraint: Any) -> float:
        guesses = [guess for guess in range(len(self.answers)) if self.is_allowed(guess, state, constraint)]
        return min((self.cost_of(guess, state, column, constraint) for guess in guesses), default=float("inf"))

    def claim(self, openings: Sequence[int] | None = None) -> int:
        """Return the least cost of the game, or of all plays with one of these openings."""
        if openings is None:
            return int(self.least(self.everything, 0, self.free))
        return int(min(self.cost_of(guess, self.everything, 0, self.free) for guess in openings))


def is_true(contents: Contents) -> bool:
    """Return whether every lemma of a file and its lower bound are true; errors mean that it makes no sense."""
    header, arrays = contents
    brute = BruteForce(header, arrays)
    lower = header["lower"]
    if brute.claim(lower.get("openings")) < lower["bound"]:
        return False
    numbers = np.cumsum(arrays["states"], dtype=np.uint16).tolist()
    start = 0
    for place, size in enumerate(arrays["sizes"].tolist()):
        state = tuple(numbers[start : start + size])
        constraint = brute.constraint(arrays["constraints"][place].tolist() if "constraints" in arrays else ())
        if brute.least(state, int(arrays["columns"][place]), constraint) < int(arrays["bounds"][place]):
            return False
        start += size
    return True


def is_accepted(contents: Contents) -> bool:
    """Return whether the checker accepts a file with these contents."""
    try:
        checker.check_all(*contents)
    except (checker.Refused, *checker.MALFORMED):
        return False
    return True


def random_rise(rng: random.Random, secrets: int) -> np.ndarray:
    """Return the rises of the mean, of within-k, of a limit, or of a table for each secret."""
    kind = rng.randrange(4)
    within = rng.randint(1, 3)
    if kind == 0:
        return np.ones((1, secrets), np.int64)
    if kind == 1:
        return np.repeat([[0]] * within + [[1], [0]], secrets, axis=1).astype(np.int64)
    if kind == 2:
        return np.repeat([[1]] * within + [[20], [0]], secrets, axis=1).astype(np.int64)
    columns = rng.randint(1, 3)
    return np.array([[rng.choice((0, 1, 1, 2)) for _ in range(secrets)] for _ in range(columns)], np.int64)


def random_game(rng: random.Random) -> Game:
    """Return a game given by a table, hard mode, a game where only secrets that are left are allowed, or codes."""
    kind = rng.randrange(5)
    seed = np.random.default_rng(rng.randrange(1 << 30))
    if kind == 0:
        return random_hard_game(seed, 6, 9)
    if kind == 1:
        return random_possible_game(seed, 6, 9)
    if kind == 2:
        return oracular.game(rng.choice(("mastermind-2x3", "bulls-2x4", "bulls-2x3", "mastermind-3x2")))
    return seeded_game(rng, 8)


class BruteBounds:
    """Exact costs of states for the extraction, by brute force."""

    def __init__(self, contents: Contents, game: Game) -> None:
        self.brute, self.game = BruteForce(*contents), game

    def bound(self, secrets: np.ndarray, column: int, constraint: int, target: int) -> int:
        """Return the exact cost of a state."""
        from oracular.games.guessing import read_demand

        own = self.brute.free
        if self.brute.allowed == "hard":
            places, letters = read_demand(constraint)
            length = len(self.game.guesses[0])
            letter = ord("a") - 1
            own = (
                tuple(places[place] + letter if place in places else 0 for place in range(length)),
                tuple(sorted(number + letter for number in letters.elements())),
            )
        return int(self.brute.least(tuple(secrets.tolist()), column, own))


def forgery(contents: Contents, rng: random.Random) -> Contents:
    """Return a file with one or two changes."""
    header, arrays = copy.deepcopy(contents)
    for _ in range(rng.choice((1, 1, 2))):
        rng.choice(CHANGES)(header, arrays, rng)
    return header, arrays


def raise_claim(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    header["lower"]["bound"] += rng.choice((1, 1, 2, 5, -1))


def raise_lemma(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if len(arrays["bounds"]):
        arrays["bounds"] = arrays["bounds"].astype(np.int64)
        arrays["bounds"][rng.randrange(len(arrays["bounds"]))] += rng.choice((1, 1, 2, 10, 1 << 40))


def shuffle_bounds(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    arrays["bounds"] = np.roll(arrays["bounds"], 1)


def remove_lemma(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if len(arrays["sizes"]):
        keep = np.arange(len(arrays["sizes"])) != rng.randrange(len(arrays["sizes"]))
        numbers = np.cumsum(arrays["states"], dtype=np.uint16)[np.repeat(keep, arrays["sizes"])]
        arrays["states"] = np.diff(numbers, prepend=np.uint16(0))
        for name in {"sizes", "columns", "bounds", "constraints"} & set(arrays):
            arrays[name] = arrays[name][keep]


def change_state(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    numbers = np.cumsum(arrays["states"], dtype=np.uint16)
    if len(numbers):
        numbers[rng.randrange(len(numbers))] = rng.randrange(len(header["weights"]))
        arrays["states"] = np.diff(numbers, prepend=np.uint16(0))


def change_column(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if len(arrays["columns"]):
        arrays["columns"][rng.randrange(len(arrays["columns"]))] = rng.randrange(len(header["rise"]))


def change_constraint(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if arrays.get("constraints", np.zeros(0)).size:
        arrays["constraints"].flat[rng.randrange(arrays["constraints"].size)] = rng.choice((0, 97, 98, 99))


def change_weight(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    secret = rng.randrange(len(header["weights"]))
    header["weights"][secret] = max(0, header["weights"][secret] + rng.choice((-2, -1, 1, 2)))


def change_rise(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    row = rng.choice(header["rise"])
    number = rng.randrange(len(row))
    row[number] = max(0, row[number] + rng.choice((-1, 1, 2)))


def change_answer(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if "table" in arrays:
        arrays["table"].flat[rng.randrange(arrays["table"].size)] = rng.randrange(4)


def change_word(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if "guesses" in header["game"]:
        words = header["game"][rng.choice(("guesses", "secrets"))]
        number = rng.randrange(len(words))
        words[number] = "".join(rng.sample(words[number], len(words[number])))


def change_rule(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    header["game"]["allowed"] = rng.choice(("any", "possible", "hard"))


def change_openings(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if header["lower"].pop("openings", None) is not None and rng.random() < 0.5:
        header["lower"]["openings"] = [rng.randrange(len(header["weights"]))]


def add_symmetry(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    secrets = len(header["weights"])
    images = rng.sample(range(secrets), secrets)
    guesses = guess_count(header, arrays)
    row = np.array([[*images, *range(secrets, guesses), *images]], np.uint16)
    arrays["symmetries"] = np.concatenate([arrays.get("symmetries", row), row])


def damage_symmetry(header: dict[str, Any], arrays: dict[str, np.ndarray], rng: random.Random) -> None:
    if "symmetries" in arrays:
        row = rng.choice(arrays["symmetries"])
        one, other = rng.sample(range(len(row)), 2)
        row[[one, other]] = row[[other, one]]


CHANGES = (
    *(raise_claim, raise_claim, raise_lemma, raise_lemma, shuffle_bounds, remove_lemma, change_state, change_column),
    *(change_constraint, change_weight, change_rise, change_answer, change_word, change_rule, change_openings),
    *(add_symmetry, damage_symmetry),
)


def guess_count(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> int:
    """Return how many guesses a file's game has."""
    return len(arrays["table"]) if "table" in arrays else len(words_of(header["game"])[0])


def words_of(described: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the guesses and the secrets of a game that a header describes, but for a table."""
    if "pegs" in described:
        symbols = "123456789"[: described["symbols"]]
        every = product if described["rules"] == "mastermind" else permutations
        codes = every(symbols, repeat=described["pegs"]) if every is product else every(symbols, described["pegs"])
        words = ["".join(code) for code in codes]
        return words, words
    return described["guesses"], described["secrets"]
