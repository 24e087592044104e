"""Compiled playing out of a state: how many more guesses each of its secrets takes after a given guess.

Who plays on is one oracle, the same at a state wherever it was reached from:

- at a state of many secrets it makes the guess with the least score (`splitting.best_guesses`), a possible secret
  where scores are equal;
- at a state of few secrets it takes the best few guesses by score, plays each of them out by score alone, and makes
  the cheapest, the first of equals; where a possible secret scores as well as a guess that tells all secrets apart, it
  makes that one at once;
- of two secrets it guesses the heavier first.

Everything here runs on the calling thread and shares nothing, so any thread may call it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from oracular.kernels.planning.splitting import BLOCK, FEW_ANSWERS, best_guesses

ONE = np.int64(1)
"""One guess wanted, as a variable: written out, it would be compiled for a second time."""


class Board(NamedTuple):
    """A game as the kernels read it, and the score in use.

    Attributes:
        by_secret: the answers, uint8 [secrets, guesses].
        guess_of_secret: the guess that finds each secret, int32 [secrets].
        packed: weight << shift | 1 of each secret, int32 [secrets].
        table: what a unit of weight costs in a part, by the number of secrets in it [secrets + 1].
        found: the answer that ends the game.
        shift: the bits that hold a count.
        found_value: what a unit of weight costs that is found at once.
        answers: how many answers there are.
        small: states of up to so many secrets are played by trying
        width: so many guesses.
    """

    by_secret: NDArray[np.uint8]
    guess_of_secret: NDArray[np.int32]
    packed: NDArray[np.int32]
    table: NDArray[np.int64]
    found: int
    shift: int
    found_value: int
    answers: int
    small: int
    width: int


class Scratch(NamedTuple):
    """Working space of the scans; see `best_guesses`."""

    sums: NDArray[np.int32]
    touched: NDArray[np.int32]
    costs: NDArray[np.int64]
    meets: NDArray[np.int16]
    met_by: NDArray[np.int16]


@njit(cache=True, nogil=True)
def _values(board, members):
    """Return the packed weights of the members [members], ones where all of them are zero, and their sum."""
    values = np.empty(len(members), np.int32)
    total = np.int64(0)
    for a in range(len(members)):
        values[a] = board.packed[members[a]]
        total += values[a] >> board.shift
    if total == 0:
        values[:] = (np.int32(1) << np.int32(board.shift)) + np.int32(1)
        total = np.int64(len(members))
    return values, total


@njit(cache=True, nogil=True)
def _best_member(board, members, values):
    """Return the least score of the possible secrets as guesses, and the first of them that has it."""
    counts, weights = np.zeros(board.answers, np.int64), np.zeros(board.answers, np.int64)
    least, best = np.int64(2**62), np.int32(-1)
    for a in range(len(members)):
        guess = board.guess_of_secret[members[a]]
        for b in range(len(members)):
            answer = board.by_secret[members[b], guess]
            counts[answer] += 1
            weights[answer] += values[b] >> board.shift
        score = np.int64(0)
        for b in range(len(members)):
            answer = board.by_secret[members[b], guess]
            cost = board.found_value if answer == board.found else board.table[counts[answer]]
            score += weights[answer] * cost
            counts[answer] = weights[answer] = 0
        if score < least or (score == least and guess < best):
            least, best = score, guess
    return least, best


@njit(cache=True, nogil=True)
def _scan(board, scratch, members, values, want, kept, keys):
    """Return how many guesses were found by score, at most `want`, best first in `kept`."""
    return best_guesses(
        board.by_secret, board.guess_of_secret, board.found, members, values, np.int32(board.shift), board.table,
        board.found_value, 1, want, scratch.sums, scratch.touched, scratch.costs, scratch.meets, scratch.met_by,
        kept, keys,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _candidates(board, scratch, members, want, kept, keys):
    """Return how many guesses the oracle has to choose from at a state, at most `want`, best first in `kept`.

    No guess but a possible secret scores less than one that leaves parts of one secret each.
    """
    values, total = _values(board, members)
    if len(members) <= board.answers:
        least, guess = _best_member(board, members, values)
        if least <= total * board.table[1]:
            kept[0] = guess
            return 1
    return _scan(board, scratch, members, values, want, kept, keys)


@njit(cache=True, nogil=True)
def _split(board, members, guess, level, order, bounds, depths):
    """Sort the members by their answers into `order`; return the number of parts, whose ends are in `bounds`.

    The secret that the guess finds is in no part: it gets its depth.
    """
    places = np.zeros(board.answers + 1, np.int32)
    for secret in members:
        answer = board.by_secret[secret, guess]
        if answer == board.found:
            depths[secret] = level
        else:
            places[answer + 1] += 1
    parts = 0
    bounds[0] = 0
    for answer in range(board.answers):
        if places[answer + 1] > 0:
            parts += 1
            bounds[parts] = places[answer] + places[answer + 1]
        places[answer + 1] += places[answer]
    for secret in members:
        answer = board.by_secret[secret, guess]
        if answer != board.found:
            order[places[answer]] = secret
            places[answer] += 1
    return parts


@njit(cache=True, nogil=True)
def _cost(board, members, depths):
    """Return what the members cost: their weights times their depths, added up."""
    values, _ = _values(board, members)
    cost = np.int64(0)
    for a in range(len(members)):
        cost += np.int64(values[a] >> board.shift) * depths[members[a]]
    return cost


@njit(cache=True, nogil=True)
def _play_plainly(board, scratch, members, guess, depths, space):
    """Write how many guesses each secret of a state takes after this guess, playing on by score alone."""
    size = len(members)
    pending, held, bounds, stack, kept, keys = space
    for a in range(size):
        pending[a] = members[a]
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, size, 1
    count = 1
    while count > 0:
        count -= 1
        begin, end, level = stack[count, 0], stack[count, 1], stack[count, 2]
        state = pending[begin:end]
        if level > 1:
            if _finish(board, state, level, depths):
                continue
            _candidates(board, scratch, state, len(kept), kept, keys)
            guess = kept[0]
        parts = _split(board, state, guess, level, held, bounds, depths)
        count = _push(begin, level, parts, pending, held, bounds, stack, count)


@njit(cache=True, nogil=True)
def _finish(board, members, level, depths):
    """Write the depths of a state of one or two secrets, the heavier first, and tell whether it is one."""
    if len(members) == 1:
        depths[members[0]] = level
    elif len(members) == 2:
        first = 0 if board.packed[members[0]] >= board.packed[members[1]] else 1
        depths[members[first]] = level
        depths[members[1 - first]] = level + 1
    return len(members) <= 2


@njit(cache=True, nogil=True)
def _push(begin, level, parts, pending, held, bounds, stack, count):
    """Put the parts of the state that began at `begin` on the stack; return how many states are there."""
    for a in range(bounds[parts]):
        pending[begin + a] = held[a]
    for part in range(parts):
        stack[count, 0], stack[count, 1] = begin + bounds[part], begin + bounds[part + 1]
        stack[count, 2] = level + 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def _space(size, want):
    """Return what one game tree takes to be played: states, a split, the stack, guesses and keys.

    The states on the stack have no secret in common, so there are at most `size`; a split has a part an answer at most.
    """
    return (
        np.empty(size, np.int32), np.empty(size, np.int32), np.empty(min(size, 256) + 1, np.int32),
        np.empty((size, 3), np.int32), np.empty(want, np.int32), np.empty(want, np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _choose(board, scratch, members, kept, keys, trial, space):
    """Return the guess of the oracle at a state of three secrets or more."""
    want = board.width if len(members) <= board.small else ONE
    count = _candidates(board, scratch, members, want, kept, keys)
    best, least = kept[0], np.int64(2**62)
    for i in range(count if count > 1 else 0):
        _play_plainly(board, scratch, members, kept[i], trial, space)
        cost = _cost(board, members, trial)
        if cost < least:
            best, least = kept[i], cost
    return best


@njit(cache=True, nogil=True)
def _play_out(board, scratch, members, guess, depths):
    """Write how many guesses each secret of a state takes [secrets], beginning with this guess."""
    size = len(members)
    pending, held, bounds, stack, kept, keys = _space(size, board.width)
    space = _space(min(size, board.small), ONE)
    trial = np.empty(len(depths), np.int32)
    for a in range(size):
        pending[a] = members[a]
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, size, 1
    count = 1
    while count > 0:
        count -= 1
        begin, end, level = stack[count, 0], stack[count, 1], stack[count, 2]
        state = pending[begin:end]
        if level > 1:
            if _finish(board, state, level, depths):
                continue
            guess = _choose(board, scratch, state, kept, keys, trial, space)
        parts = _split(board, state, guess, level, held, bounds, depths)
        count = _push(begin, level, parts, pending, held, bounds, stack, count)


@njit(cache=True, nogil=True)
def _play_out_each(board, scratch, members, guesses):
    """Return the depths below a state after each of some guesses [guesses, members]."""
    depths = np.zeros(board.by_secret.shape[0], np.int32)
    result = np.empty((len(guesses), len(members)), np.int32)
    for i in range(len(guesses)):
        _play_out(board, scratch, members, guesses[i], depths)
        for a in range(len(members)):
            result[i, a] = depths[members[a]]
    return result


def _scratch(answers: int) -> Scratch:
    """Return working space for a game of so many answers."""
    return Scratch(
        sums=np.zeros((answers, BLOCK), np.int32),
        touched=np.zeros((BLOCK, 256) if answers > FEW_ANSWERS else (1, 1), np.int32),
        costs=np.zeros(BLOCK, np.int64),
        meets=np.full(256, -1, np.int16),
        met_by=np.full(256, -1, np.int16),
    )


@njit(cache=True, nogil=True)
def _likely(board, scratch, members, kept, keys):
    """Return how many guesses were found by score, best first in `kept`, and the possible secret that scores best."""
    values, _ = _values(board, members)
    count = _scan(board, scratch, members, values, len(kept), kept, keys)
    for i in range(count):
        for secret in members:
            if board.guess_of_secret[secret] == kept[i]:
                return count, kept[i]
    return count, _best_member(board, members, values)[1]


def likely_guesses(board: Board, members: NDArray[np.int32], want: int) -> NDArray[np.int32]:
    """Return the best guesses at a state by score, best first, no two with the same split.

    There are at most `want` of them, and one more where no possible secret is among these: the best of those.
    """
    if len(members) == 1:
        return board.guess_of_secret[members]
    kept, keys = np.zeros(want, np.int32), np.zeros(want, np.int64)
    count, possible = _likely(board, _scratch(board.answers), members, kept, keys)
    return kept[:count] if possible in kept[:count] else np.append(kept[:count], np.int32(possible))


def played_out(board: Board, members: NDArray[np.int32], guesses: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return how many guesses each secret of a state takes after each of some guesses, these included.

    Args:
        board: the game and the score.
        members: the possible secrets, sorted.
        guesses: the guesses to play out; a guess that tells nothing costs one guess more.

    Returns:
        The depths, int32 [guesses, members].
    """
    return _play_out_each(board, _scratch(board.answers), members, guesses)
