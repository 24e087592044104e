"""The slow twin of the fast engine: the same decisions in plain Python, exact whole numbers and fractions.

It plays any guessing game that is given as a table of answers: `table[guess][secret]` is an answer from 0 up,
and `found` is the answer that ends the game; each secret has exactly one guess that finds it. Weights are
whole numbers, one a secret. Every sum is exact, so a tie here is a real tie, and the fast engine must agree
to the last bit.

- Score: a guess is expected to eliminate sum_j (A_j / W) (n - c_j) secrets, A_j being the weight and c_j the
  number of the possible secrets with answer j, W and n their totals. W and n are the same for every guess, so
  the best guess is the one with the least sum_j A_j c_j.
- A state whose weights are all zero is scored as if each were one. A single possible secret is simply
  guessed.
- Ties 'first': of equally good guesses the first. Ties 'possible': one that may itself be the secret, then
  the first.
- Fictitious play: at iteration 0 each of the D secrets gets floor(2**20 / D); at each later iteration each of
  the k secrets that took most guesses so far gets floor(2**20 / k) more. Remainders are dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

Table: TypeAlias = Sequence[Sequence[int]]
Ties: TypeAlias = Literal["first", "possible"]

UNIT = 2**20


class Iteration(NamedTuple):
    """One iteration of fictitious play.

    tied: the secrets whose weights grew, in order (at iteration 0: all).
    depth_sums: the guesses that each secret took, summed over this and all earlier iterations: (t + 1) ANG.
    epsilon_hider: what the hider gains by a best response to the average guesser.
    epsilon_guesser: what the guesser gains by the greedy response to the hider's weights; may be negative.
    """

    tied: list[int]
    depth_sums: list[int]
    epsilon_hider: Fraction
    epsilon_guesser: Fraction


def score(table: Table, weights: Sequence[int], possible: Sequence[int], guess: int) -> int:
    """Return sum_j A_j c_j of a guess: the less, the better."""
    weight_of_answer: dict[int, int] = defaultdict(int)
    count_of_answer: dict[int, int] = defaultdict(int)
    for secret in possible:
        weight_of_answer[table[guess][secret]] += weights[secret]
        count_of_answer[table[guess][secret]] += 1
    return sum(weight_of_answer[answer] * count for answer, count in count_of_answer.items())


def best_guess(table: Table, found: int, weights: Sequence[int], possible: Sequence[int], ties: Ties) -> int:
    """Return the greedy guess at a state, the possible secrets being given by index."""
    if ties not in ("first", "possible"):
        raise ValueError(f"{ties!r} is no rule for ties: 'first' or 'possible'")
    if len(possible) == 1:
        return next(guess for guess in range(len(table)) if table[guess][possible[0]] == found)
    if not any(weights[secret] for secret in possible):
        weights = [1] * len(weights)
    scores = [score(table, weights, possible, guess) for guess in range(len(table))]
    least = min(scores)
    equally_good = [guess for guess in range(len(table)) if scores[guess] == least]
    if ties == "possible":
        for guess in equally_good:
            if any(table[guess][secret] == found for secret in possible):
                return guess
    return equally_good[0]


def depths(table: Table, found: int, weights: Sequence[int], ties: Ties) -> list[int]:
    """Return how many guesses the greedy guesser needs for each secret, each played from the start."""
    guess_at: dict[tuple[int, ...], int] = {}
    needed = []
    for hidden in range(len(table[0])):
        possible = tuple(range(len(table[0])))
        guesses = 0
        while True:
            guesses += 1
            if possible not in guess_at:
                guess_at[possible] = best_guess(table, found, weights, possible, ties)
            answers = table[guess_at[possible]]
            if answers[hidden] == found:
                break
            possible = tuple(secret for secret in possible if answers[secret] == answers[hidden])
        needed.append(guesses)
    return needed


def fictitious_play(table: Table, found: int, iterations: int, ties: Ties) -> list[Iteration]:
    """Return iterations 0 to `iterations` of fictitious play, both included, as in SolveJotto."""
    size = len(table[0])
    weights, depth_sums = [0] * size, [0] * size
    tied = list(range(size))
    played = []
    for t in range(iterations + 1):
        for secret in tied:
            weights[secret] += UNIT // len(tied)
        needed = depths(table, found, weights, ties)
        depth_sums = [total + depth for total, depth in zip(depth_sums, needed, strict=True)]
        average = Fraction(_dot(depth_sums, weights), (t + 1) * sum(weights))
        greedy = Fraction(_dot(needed, weights), sum(weights))
        longest = max(depth_sums)
        played.append(Iteration(tied, depth_sums, Fraction(longest, t + 1) - average, average - greedy))
        tied = [secret for secret in range(size) if depth_sums[secret] == longest]
    return played


def _dot(first: Sequence[int], second: Sequence[int]) -> int:
    return sum(one * other for one, other in zip(first, second, strict=True))
