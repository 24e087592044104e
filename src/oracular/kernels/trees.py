"""Compiled walks through a whole tree that is written as one row of guesses.

A tree is the guess at every state of two or more secrets: a state before what follows from it, its parts in the order
of their answers. With the game's table that is all there is to know. A state of one secret needs no entry.

Packed, a state of two or three secrets takes a code of two bits: which of its secrets is guessed (0, 1, 2), or 3 for
a guess that is written out. Larger states' guesses are all written out.

What is walked through may come from a file, so nothing in it is believed: every guess and code is compared with its
range before it is used, a guess that tells nothing apart ends the walk, and so does a row that is too short. The stack
needs no such check. Its states have no secret in common and none is empty, so there are at most as many of them as
secrets.
"""

from __future__ import annotations

import numpy as np
from numba import njit

WRITTEN_OUT = 3
"""The code of a guess that is none of a small state's own secrets."""

FEW = 3
"""States of up to so many secrets have codes."""


@njit(cache=True, nogil=True)
def push_parts(by_secret, found, guess, begin, end, level, order, held, stack, count, depths):
    """Split the state `order[begin:end]` by a guess and push its parts, the first answer's on top.

    The secret that the guess finds gets its depth. The stack's rows are (begin, end, level); return their number.
    """
    places = np.zeros(257, np.int32)
    for a in range(begin, end):
        answer = by_secret[order[a], guess]
        places[answer + 1] += 1
        if answer == found:
            depths[order[a]] = level
    for answer in range(256):
        places[answer + 1] += places[answer]
    for answer in range(255, -1, -1):
        if places[answer + 1] > places[answer] and answer != found:
            stack[count, 0] = begin + places[answer]
            stack[count, 1] = begin + places[answer + 1]
            stack[count, 2] = level + 1
            count += 1
    for a in range(begin, end):
        answer = by_secret[order[a], guess]
        held[places[answer]] = order[a]
        places[answer] += 1
    order[begin:end] = held[: end - begin]
    return count


@njit(cache=True, nogil=True)
def first_state(secrets):
    """Return the secrets in order, room to sort them, and a stack that holds the state of all of them."""
    stack = np.empty((secrets, 3), np.int32)  # see above: it never holds more states than there are secrets
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, secrets, 1
    return np.arange(secrets).astype(np.int32), np.empty(secrets, np.int32), stack


@njit(cache=True, nogil=True)
def _tells_nothing(stack, count, begin, end):
    """Tell whether the state that was just split is on the stack again as a whole."""
    return count > 0 and stack[count - 1, 0] == begin and stack[count - 1, 1] == end


@njit(cache=True, nogil=True)
def replay(by_secret, guess_of_secret, found, guesses, depths):
    """Fill in the depths of a tree [secrets]; return how many of its guesses were used, or -1 where it is no tree."""
    secrets = by_secret.shape[0]
    order, held, stack = first_state(secrets)
    count, used = 1, 0
    while count > 0:
        count -= 1
        begin, end, level = stack[count, 0], stack[count, 1], stack[count, 2]
        if end - begin == 1:
            depths[order[begin]] = level
            continue
        if used == len(guesses) or not 0 <= guesses[used] < by_secret.shape[1]:
            return -1
        count = push_parts(by_secret, found, guesses[used], begin, end, level, order, held, stack, count, depths)
        if _tells_nothing(stack, count, begin, end):
            return -1
        used += 1
    return used


@njit(cache=True, nogil=True)
def pack_tree(by_secret, guess_of_secret, found, guesses, codes, written):
    """Fill in the codes of a tree's small states and the guesses of the others; return how many of each.

    Both are -1 where the guesses are no tree. A tree has fewer guesses than secrets, since each of them finds a secret
    or splits a state: so `codes` and `written` [secrets] have room for all.
    """
    secrets = by_secret.shape[0]
    depths = np.empty(secrets, np.int32)
    order, held, stack = first_state(secrets)
    count, used, coded, spelt = 1, 0, 0, 0
    while count > 0:
        count -= 1
        begin, end, level = stack[count, 0], stack[count, 1], stack[count, 2]
        if end - begin == 1:
            continue
        if used == len(guesses) or not 0 <= guesses[used] < by_secret.shape[1]:
            return -1, -1
        guess = guesses[used]
        used += 1
        code = WRITTEN_OUT
        if end - begin <= FEW:
            for a in range(begin, end):
                if guess_of_secret[order[a]] == guess:
                    code = a - begin
            codes[coded] = code
            coded += 1
        if code == WRITTEN_OUT:
            written[spelt] = guess
            spelt += 1
        count = push_parts(by_secret, found, guess, begin, end, level, order, held, stack, count, depths)
        if _tells_nothing(stack, count, begin, end):
            return -1, -1
    return (coded, spelt) if used == len(guesses) else (-1, -1)


@njit(cache=True, nogil=True)
def unpack_tree(by_secret, guess_of_secret, found, codes, written, guesses, depths):
    """Fill in the guesses and the depths of a packed tree; return how many guesses, or -1 where it is no tree."""
    secrets = by_secret.shape[0]
    order, held, stack = first_state(secrets)
    count, used, coded, spelt = 1, 0, 0, 0
    while count > 0:
        count -= 1
        begin, end, level = stack[count, 0], stack[count, 1], stack[count, 2]
        if end - begin == 1:
            depths[order[begin]] = level
            continue
        code = WRITTEN_OUT
        if end - begin <= FEW:
            if coded == len(codes):
                return -1
            code = codes[coded]
            coded += 1
        if code == WRITTEN_OUT:
            if spelt == len(written):
                return -1
            guess = np.int32(written[spelt])
            spelt += 1
        elif 0 <= code < end - begin:
            guess = guess_of_secret[order[begin + code]]
        else:
            return -1
        if not 0 <= guess < by_secret.shape[1] or used == len(guesses):
            return -1
        guesses[used] = guess
        used += 1
        count = push_parts(by_secret, found, guess, begin, end, level, order, held, stack, count, depths)
        if _tells_nothing(stack, count, begin, end):
            return -1
    return used if coded == len(codes) and spelt == len(written) else -1
