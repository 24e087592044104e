"""Compiled playing out of a state: how many more guesses each of its secrets takes after a given guess.

Who plays on is one oracle, the same at a state wherever it was reached from:

- at a state of many secrets it makes the guess with the least score (`scan.best_guesses`), a possible secret where
  scores are equal;
- at a state of few secrets it takes the best few guesses by score, plays each of them out by score alone, and makes
  the cheapest, the first of equals; where a possible secret scores as well as a guess that tells all secrets apart, it
  makes that one at once;
- of two secrets it guesses the heavier first.

Everything here runs on the calling thread and shares nothing, so any thread may call it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import allocating_entry_point, allocating_inner, inner
from oracular.kernels.guessing import FREE, HARD, next_demand
from oracular.kernels.planning.scan import WORST, ScoredGame, best_guesses, new_scan_space
from oracular.kernels.trees import push_parts

ONE = np.int64(1)
"""One guess wanted, as a variable: written out, it would be compiled for a second time."""


class Board(NamedTuple):
    """A game with the hider's weights, and how the oracle plays it.

    Attributes:
        game: the game and the score.
        packed: weight << shift | 1 of each secret, int32 [secrets].
        small: states of up to so many secrets are played by trying guesses out.
        width: how many guesses are tried out there.
    """

    game: ScoredGame
    packed: NDArray[np.int32]
    small: int
    width: int


class Playout(NamedTuple):
    """Where a tree is being played, and the guesses found at its latest state.

    Attributes:
        order: the secrets, those of a state side by side, int32 [secrets of the tree].
        held: space to sort them in, likewise.
        stack: the states to come as (begin, end, level), int32 [secrets of the tree, 3]; they have no secret in common.
        demands: what hard mode asks of the guesses at each of them, int64 [secrets of the tree].
        kept: the best guesses of the latest state, int32 [guesses wanted].
        keys: their keys, int64 [guesses wanted].
    """

    order: NDArray[np.int32]
    held: NDArray[np.int32]
    stack: NDArray[np.int32]
    demands: NDArray[np.int64]
    kept: NDArray[np.int32]
    keys: NDArray[np.int64]


@allocating_inner
def _new_walk(size, want):
    """Return space to play trees of up to so many secrets, with so many guesses wanted at a state."""
    return Playout(
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty((size, 3), np.int32),
        np.zeros(size, np.int64),
        np.empty(want, np.int32),
        np.empty(want, np.int64),
    )


@inner
def _begin(walk, members, demand):
    """Put a state on the empty stack, at level 1, and return how many states are there."""
    walk.demands[0] = demand
    for a in range(len(members)):
        walk.order[a] = members[a]
    walk.stack[0, 0], walk.stack[0, 1], walk.stack[0, 2] = 0, len(members), 1
    return 1


@allocating_inner
def _split(board, walk, count, guess, depths):
    """Push the parts that a guess leaves of the state just taken off the stack; return how many states are there."""
    place, demand = (walk.stack[count, 0], walk.stack[count, 1], walk.stack[count, 2], count), walk.demands[count]
    game, guessing = board.game, board.game.guessing
    height = push_parts(walk, place, game.by_secret[:, guess], game.found, depths)
    if guessing.rule == HARD:
        for part in range(count, height):
            answer = game.by_secret[walk.order[walk.stack[part, 0]], guess]
            walk.demands[part] = next_demand(guessing.letters, guessing.colours, demand, guess, answer)
    return height


@allocating_inner
def _values(board, members):
    """Return the packed weights of the members [members], ones where all of them are zero, and their sum."""
    values = np.empty(len(members), np.int32)
    total = np.int64(0)
    for a in range(len(members)):
        values[a] = board.packed[members[a]]
        total += values[a] >> board.game.shift
    if total == 0:
        values[:] = (np.int32(1) << np.int32(board.game.shift)) + np.int32(1)
        total = np.int64(len(members))
    return values, total


@allocating_inner
def _best_member(game, members, values):
    """Return the least score of the possible secrets as guesses, and the first of them that has it."""
    counts, weights = np.zeros(game.answers, np.int64), np.zeros(game.answers, np.int64)
    least, best = WORST, np.int32(-1)
    for a in range(len(members)):
        guess = game.guess_of_secret[members[a]]
        for b in range(len(members)):
            answer = game.by_secret[members[b], guess]
            counts[answer] += 1
            weights[answer] += values[b] >> game.shift
        score = np.int64(0)
        for b in range(len(members)):
            answer = game.by_secret[members[b], guess]
            cost = game.found_value if answer == game.found else game.table[counts[answer]]
            score += weights[answer] * cost
            counts[answer] = weights[answer] = 0
        if score < least or (score == least and guess < best):
            least, best = score, guess
    return least, best


@allocating_inner
def _candidates(board, space, walk, members, demand, want):
    """Return how many guesses the oracle has to choose from at a state, at most `want`, best first in `walk.kept`.

    No guess but a possible secret scores less than one that leaves parts of one secret each.
    """
    values, total = _values(board, members)
    if len(members) <= board.game.answers:
        least, guess = _best_member(board.game, members, values)
        if least <= total * board.game.table[1]:
            walk.kept[0] = guess
            return 1
    return best_guesses(board.game, space, members, values, walk.kept[:want], walk.keys[:want], demand)


@allocating_inner
def _cost(board, members, depths):
    """Return what the members cost: their weights times their depths, added up."""
    values, _ = _values(board, members)
    cost = np.int64(0)
    for a in range(len(members)):
        cost += np.int64(values[a] >> board.game.shift) * depths[members[a]]
    return cost


@inner
def _finish(board, members, level, depths):
    """Write the depths of a state of one or two secrets, the heavier first, and tell whether it is one."""
    if len(members) == 1:
        depths[members[0]] = level
    elif len(members) == 2:
        first = 0 if board.packed[members[0]] >= board.packed[members[1]] else 1
        depths[members[first]] = level
        depths[members[1 - first]] = level + 1
    return len(members) <= 2


@allocating_inner
def _play_plainly(board, space, walk, members, demand, guess, depths):
    """Write how many guesses each secret of a state takes after this guess, playing on by score alone."""
    count = _begin(walk, members, demand)
    while count > 0:
        count -= 1
        state, level = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], walk.stack[count, 2]
        if level > 1:
            if _finish(board, state, level, depths):
                continue
            _candidates(board, space, walk, state, walk.demands[count], ONE)
            guess = walk.kept[0]
        count = _split(board, walk, count, guess, depths)


@allocating_inner
def _choose(board, space, walk, members, demand, trial, depths):
    """Return the guess of the oracle at a state of three secrets or more; `trial` and `depths` are for trying out."""
    want = board.width if len(members) <= board.small else ONE
    count = _candidates(board, space, walk, members, demand, want)
    best, least = walk.kept[0], WORST
    for i in range(count if count > 1 else 0):
        _play_plainly(board, space, trial, members, demand, walk.kept[i], depths)
        cost = _cost(board, members, depths)
        if cost < least:
            best, least = walk.kept[i], cost
    return best


@allocating_entry_point
def _play_out_each(board, space, members, guesses, demand):
    """Return how many guesses each secret of a state takes after each of some guesses [guesses, members]."""
    secrets = board.game.by_secret.shape[0]
    depths, tried_depths = np.zeros(secrets, np.int32), np.empty(secrets, np.int32)
    walk, trial = _new_walk(len(members), board.width), _new_walk(min(len(members), board.small), ONE)
    result = np.empty((len(guesses), len(members)), np.int32)
    for i in range(len(guesses)):
        guess = guesses[i]
        count = _begin(walk, members, demand)
        while count > 0:
            count -= 1
            state, level = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], walk.stack[count, 2]
            if level > 1:
                if _finish(board, state, level, depths):
                    continue
                guess = _choose(board, space, walk, state, walk.demands[count], trial, tried_depths)
            count = _split(board, walk, count, guess, depths)
        for a in range(len(members)):
            result[i, a] = depths[members[a]]
    return result


@allocating_entry_point
def _likely(board, space, members, kept, keys, demand):
    """Return how many guesses were found by score, best first in `kept`, and the possible secret that scores best."""
    values, _ = _values(board, members)
    count = best_guesses(board.game, space, members, values, kept, keys, demand)
    for i in range(count):
        for secret in members:
            if board.game.guess_of_secret[secret] == kept[i]:
                return count, kept[i]
    return count, _best_member(board.game, members, values)[1]


def likely_guesses(board: Board, members: NDArray[np.int32], want: int, demand: int = FREE) -> NDArray[np.int32]:
    """Return the best allowed guesses at a state, in hard mode with a demand, by score, best first.

    No two of them have the same split, or in hard mode ask the same of later guesses besides. There are at most `want`
    of them, and one more where no possible secret is among these: the best of those.
    """
    if len(members) == 1:
        return board.game.guess_of_secret[members]
    kept, keys = np.zeros(want, np.int32), np.zeros(want, np.int64)
    count, possible = _likely(board, new_scan_space(board.game.answers), members, kept, keys, demand)
    return kept[:count] if possible in kept[:count] else np.append(kept[:count], np.int32(possible))


def played_out(
    board: Board, members: NDArray[np.int32], guesses: NDArray[np.int32], demand: int = FREE
) -> NDArray[np.int32]:
    """Return how many guesses each secret of a state takes after each of some guesses, these included.

    Args:
        board: the game and the score.
        members: the possible secrets, sorted.
        guesses: the guesses to play out, allowed ones; a guess that tells nothing costs one guess more.
        demand: what hard mode asks of the guesses at this state.

    Returns:
        The depths, int32 [guesses, members].
    """
    return _play_out_each(board, new_scan_space(board.game.answers), members, guesses, demand)
