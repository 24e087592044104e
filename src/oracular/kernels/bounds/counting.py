"""The counting bound of a state: what each guess costs at least, judged by how it splits the state.

Of a state of n secrets let guess g give answer a to c_a(g) of them, and let h(g) be 1 if g may be the secret, else 0.
Whatever the guesser does, at most C_d secrets of any part of the state are found within d guesses:

    C_0 = 0,   C_1 = 1,   C_{d+1} = max over g of  h(g) + sum over a of min(c_a(g), C_d),

since of what answer a leaves, at most c_a(g) secrets, no more than C_d are found within the d guesses that follow. The
maximum is over all of the sum, not over each answer by itself: a guess that leaves much for one answer leaves little
for others. So m of the secrets cost at least f(m) = sum over d >= 0 of max(0, m - C_d) guesses in all, and the *score*

    n + sum over a of f(c_a(g))

is a lower bound on what the state costs if g comes next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import intrinsic

from oracular.kernels.bounds.tables import DEPTHS, NEVER
from oracular.kernels.compiling import inlined, inner


def _bit_count(typing_context, word):
    """Return the type and the code of a function that counts the bits set in a whole number."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return word(word), generate


bit_count: Any = intrinsic(_bit_count)


@inlined
def mark_findable(views, frames, level):
    """Mark the guesses that may be the secret in a level's state, in `frames.finds`."""
    view = frames.in_view[level]
    finds = frames.finds
    for guess in range(views.shape[view, 2]):
        finds[guess] = 0
    for word in range(views.shape[view, 1]):
        bits = frames.state[level, word]
        marks = finds[64 * word : min(64 * word + 64, views.shape[view, 0])]
        for place in range(len(marks)):
            marks[place] = np.uint16((bits >> np.uint64(place)) & np.uint64(1))


@inlined
def count_answers(views, frames, level, answers):
    """Fill the level's counts: how many secrets of its state each guess gives each answer."""
    mark_findable(views, frames, level)
    view = frames.in_view[level]
    words = views.shape[view, 1]
    guesses = views.shape[view, 2]
    size = np.uint16(frames.size[level])
    finds = frames.finds
    rest = frames.counts[level, 0]
    for guess in range(guesses):
        rest[guess] = np.uint16(size - finds[guess])
    for answer in range(1, answers):
        count = frames.counts[level, answer]
        for word in range(words):
            begin = ((answer - 1) * words + word) * guesses
            masks = views.masks[view, begin : begin + guesses]
            bits = frames.state[level, word]
            if word == 0:
                for guess in range(guesses):
                    count[guess] = np.uint16(bit_count(masks[guess] & bits))
            else:
                for guess in range(guesses):
                    count[guess] = np.uint16(count[guess] + bit_count(masks[guess] & bits))
        for guess in range(guesses):
            rest[guess] = np.uint16(rest[guess] - count[guess])


def scores_by(answers):
    """Return the function that fills scores by so many answers or fewer: a loop of fixed length runs twice as fast.

    It returns the least score, twice, plus 1 if it is the optimum: if its guess leaves no part of three or more.
    """

    @inner
    def fill_scores(counts, finds, score, within, guesses, size):
        for guess in range(guesses):
            score[guess] = np.uint16(size + size - finds[guess])
        found = np.uint16(1)
        within[0] = 0
        within[1] = 1
        for depth in range(2, DEPTHS + 2):
            most = np.uint16(0)
            for guess in range(guesses):
                by_now = finds[guess]
                for answer in range(answers):
                    by_now = np.uint16(by_now + min(counts[answer, guess], found))
                score[guess] = np.uint16(score[guess] + size - by_now)
                most = max(most, by_now)
            found = most
            if depth <= DEPTHS:
                within[depth] = found
            if found >= size:
                break
        for after in range(depth + 1, DEPTHS + 1):
            within[after] = size
        least = np.uint16(NEVER)
        least_settled = np.uint16(NEVER)
        for guess in range(guesses):
            largest = np.uint16(0)
            for answer in range(answers):
                largest = max(largest, counts[answer, guess])
            value = np.uint16(NEVER) if largest == size else score[guess]
            score[guess] = value
            least = min(least, value)
            least_settled = min(least_settled, value if largest <= 2 else np.uint16(NEVER))
        return 2 * np.int64(least) + np.int64(least_settled == least)

    return fill_scores


scores_by_3, scores_by_4, scores_by_5, scores_by_8 = scores_by(3), scores_by(4), scores_by(5), scores_by(8)


@inlined
def score_guesses(views, frames, level, answers):
    """Fill the level's scores, and return the least of them, twice, plus 1 if it is the optimum of the state."""
    count_answers(views, frames, level, answers)
    guesses = views.shape[frames.in_view[level], 2]
    frames.scored[0] += 1
    frames.work[0] -= guesses * (views.shape[frames.in_view[level], 1] + 4)
    size = np.uint16(frames.size[level])
    counts = frames.counts[level]  # those of answers that the game does not have are always 0
    score = frames.score[level]
    within = frames.within[level]
    if answers <= 3:
        return scores_by_3(counts, frames.finds, score, within, guesses, size)
    if answers == 4:
        return scores_by_4(counts, frames.finds, score, within, guesses, size)
    if answers == 5:
        return scores_by_5(counts, frames.finds, score, within, guesses, size)
    return scores_by_8(counts, frames.finds, score, within, guesses, size)


@inlined
def least_total(frames, level, secrets):
    """Return f(m): what so many of the secrets of a level's state cost at least, by its counts."""
    total = np.int64(0)
    for depth in range(DEPTHS + 1):
        left = secrets - frames.within[level, depth]
        if left <= 0:
            break
        total += left
    return total
