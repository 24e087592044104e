"""Games that allow only some guesses, played by brute force: a program of its own, which knows words and answers alone.

A state is the secrets left and every turn so far. Which guesses are allowed is read off the turns, by the rules as they
are told to people. Nothing here looks at `games/guessing.py` or at any kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import numpy as np

import oracular
from oracular import Game

Turns = frozenset[tuple[int, int]]
State = tuple[int, ...]
LETTERS = "abc"


def random_hard_game(rng: np.random.Generator, secrets: int, guesses: int) -> Game:
    """Return hard mode with a few words of three or four letters, drawn from few."""
    words = ["".join(letters) for letters in product(LETTERS, repeat=int(rng.integers(3, 5)))]
    drawn = rng.choice(words, size=guesses, replace=False).tolist()
    name = f"wordle-{len(drawn[0])}-hard"
    return oracular.game(name, secrets=drawn[:secrets], guesses=drawn)


def random_possible_game(rng: np.random.Generator, secrets: int, guesses: int) -> Game:
    """Return a game with random answers in which only what may be the secret may be guessed."""
    texts = [f"t{number}" for number in range(guesses)]
    hidden = sorted(rng.choice(texts, size=secrets, replace=False).tolist())
    table = rng.integers(0, 3, size=(guesses, guesses))

    def answer(guess: str, secret: str) -> object:
        return "found" if guess == secret else table[int(guess[1:]), int(secret[1:])]

    return Game.from_function(hidden, texts, answer, only_possible=True)


def random_ruled_game(seed: int, secrets: int = 7, guesses: int = 10) -> Game:
    """Return one or the other."""
    rng = np.random.default_rng(seed)
    return (random_hard_game if seed % 2 else random_possible_game)(rng, secrets, guesses)


def trap_game() -> tuple[Game, np.ndarray]:
    """Return a game of hard mode, and weights, in which the best play depends on more than the secrets left.

    All secrets end alike. `bcdzx` and `dcbxx` split them in the same way, but only after the second, which shows no z,
    is `efgxx` still allowed. Random games hardly ever have such traps.
    """
    secrets = [f"{letter}zzzz" for letter in "bcdefghi"]
    game = oracular.game("wordle-hard", secrets=secrets, guesses=[*secrets, "bcdzx", "dcbxx", "efgxx", "ixxxx"])
    return game, np.array([3, 3, 3, 1, 1, 1, 1, 1], dtype=np.int64)


def random_weights(seed: int, secrets: int) -> np.ndarray:
    """Return small weights, some of them zero."""
    weights = np.random.default_rng([seed, 1]).integers(0, 4, size=secrets)
    weights[seed % secrets] += 1
    return weights.astype(np.int64)


def is_allowed(game: Game, guess: int, state: State, turns: Turns) -> bool:
    """Tell whether a guess is allowed, by the rules as they are told."""
    word = game.guesses[guess]
    if game.name.endswith("-possible"):
        return word in {game.secrets[secret] for secret in state}
    for made, answer in turns:
        before, marks = game.guesses[made], game.labels[answer]
        if any(mark == "g" and word[place] != before[place] for place, mark in enumerate(marks)):
            return False
        revealed = Counter(letter for letter, mark in zip(before, marks, strict=True) if mark != "-")
        if any(word.count(letter) < count for letter, count in revealed.items()):
            return False
    return True


@cache
def rows_of(game: Game) -> list[list[int]]:
    """Return the table of answers as plain numbers."""
    return game.table.tolist()


def moves(game: Game, state: State, turns: Turns) -> Iterator[tuple[int, list[tuple[State, Turns]]]]:
    """Yield each allowed guess that tells something, with the states it leaves; a secret that it finds is in none."""
    ruled = game.name.endswith(("-possible", "-hard"))
    for guess, row in enumerate(rows_of(game)):
        if ruled and not is_allowed(game, guess, state, turns):
            continue
        parts: dict[int, list[int]] = {}
        for secret in state:
            parts.setdefault(row[secret], []).append(secret)
        if len(parts) > 1 or game.found in parts:
            left = [(answer, tuple(part)) for answer, part in parts.items() if answer != game.found]
            yield guess, [(part, turns | {(guess, answer)} if ruled else turns) for answer, part in left]


def mean_costs(weights: Sequence[int]) -> list[list[int]]:
    """Return the costs of the mean number of guesses, times the weights."""
    return [[int(weight) * guess for guess in range(1, len(weights) + 1)] for weight in weights]


def within_costs(weights: Sequence[int], guesses: int) -> list[list[int]]:
    """Return the costs of not finding a secret within so many guesses."""
    return [[0] * guesses + [int(weight)] for weight in weights]


def all_depths(game: Game) -> set[tuple[int, ...]]:
    """Return the depths that the trees of a tiny game have, those that are nowhere better than others left out."""

    @cache
    def below(state: State, turns: Turns) -> frozenset[tuple[tuple[int, int], ...]]:
        found = set()
        for _, parts in moves(game, state, turns):
            for chosen in product(*(below(*part) for part in parts)):
                depths = dict.fromkeys(state, 1)
                for part in chosen:
                    depths |= {secret: depth + 1 for secret, depth in part}
                found.add(tuple(sorted(depths.items())))
        rows = [[depth for _, depth in one] for one in found]
        worse = [
            any(other != row and all(a <= b for a, b in zip(other, row, strict=True)) for other in rows) for row in rows
        ]
        return frozenset(one for one, is_worse in zip(found, worse, strict=True) if not is_worse)

    return {tuple(depth for _, depth in one) for one in below(tuple(range(len(game.secrets))), frozenset())}


def assert_legal(game: Game, choose: object) -> list[int]:
    """Return how many guesses each secret takes of a guesser `choose(possible, turns)`, each guess being allowed."""
    depths = []
    for secret in range(len(game.secrets)):
        state: State = tuple(range(len(game.secrets)))
        turns: list[tuple[int, int]] = []
        while not turns or turns[-1][1] != game.found:
            guess = choose(state, turns)  # type: ignore[operator]
            assert is_allowed(game, guess, state, frozenset(turns)), (game.guesses[guess], turns)
            answer = int(game.table[guess, secret])
            state = tuple(s for s in state if game.table[guess, s] == answer)
            turns.append((guess, answer))
        depths.append(len(turns))
    return depths


def greedy_guess(game: Game, weights: Sequence[int], state: State, turns: Turns, ties: str) -> int:
    """Return the greedy guess by the paper's score, among those allowed."""
    if len(state) == 1:
        return game.guesses.index(game.secrets[state[0]])
    if not any(weights[secret] for secret in state):
        weights = [1] * len(weights)
    keys = []
    for guess in range(len(game.guesses)):
        if is_allowed(game, guess, state, turns):
            answers = [int(game.table[guess, secret]) for secret in state]
            score = sum(int(weights[s]) * answers.count(answer) for s, answer in zip(state, answers, strict=True))
            keys.append((score, ties == "possible" and game.found not in answers, guess))
    return min(keys)[2]
