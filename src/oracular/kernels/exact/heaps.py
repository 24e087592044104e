"""Heaps of guesses, the one to be tried next on top.

Of two guesses the one with the lower key comes first, and of equal keys the one with the lower number. In a scored heap
a score decides before the number does.
"""

from __future__ import annotations

from oracular.kernels.compiling import inner
from oracular.kernels.exact.types import Bounds, Counts


@inner
def heap_push(keys: Bounds, guesses: Counts, count: int, key: int, guess: int) -> None:
    """Put one more guess into the heap of `count` guesses."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] < key or (keys[above] == key and guesses[above] < guess):
            break
        keys[place] = keys[above]
        guesses[place] = guesses[above]
        place = above
    keys[place] = key
    guesses[place] = guess


@inner
def heap_drop(keys: Bounds, guesses: Counts, count: int) -> None:
    """Take the first of `count` guesses off the heap."""
    last = count - 1
    key = keys[last]
    guess = guesses[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        right = below + 1
        if right < last and (
            keys[right] < keys[below] or (keys[right] == keys[below] and guesses[right] < guesses[below])
        ):
            below = right
        if key < keys[below] or (key == keys[below] and guess < guesses[below]):
            break
        keys[place] = keys[below]
        guesses[place] = guesses[below]
        place = below
    keys[place] = key
    guesses[place] = guess


@inner
def comes_first(key: int, score: int, guess: int, other_key: int, other_score: int, other_guess: int) -> bool:
    """Tell whether the first of two guesses is to be tried before the other."""
    if key != other_key:
        return key < other_key
    if score != other_score:
        return score < other_score
    return guess < other_guess


@inner
def scored_push(keys: Bounds, scores: Bounds, guesses: Counts, count: int, key: int, score: int, guess: int) -> None:
    """Put one more guess into the scored heap of `count` guesses."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if not comes_first(key, score, guess, keys[above], scores[above], guesses[above]):
            break
        keys[place] = keys[above]
        scores[place] = scores[above]
        guesses[place] = guesses[above]
        place = above
    keys[place] = key
    scores[place] = score
    guesses[place] = guess


@inner
def scored_drop(keys: Bounds, scores: Bounds, guesses: Counts, count: int) -> None:
    """Take the first of `count` guesses off the scored heap."""
    last = count - 1
    key = keys[last]
    score = scores[last]
    guess = guesses[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        right = below + 1
        if right < last and comes_first(
            keys[right], scores[right], guesses[right], keys[below], scores[below], guesses[below]
        ):
            below = right
        if comes_first(key, score, guess, keys[below], scores[below], guesses[below]):
            break
        keys[place] = keys[below]
        scores[place] = scores[below]
        guesses[place] = guesses[below]
        place = below
    keys[place] = key
    scores[place] = score
    guesses[place] = guess
