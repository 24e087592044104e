"""Compiled playing out of a state where a guess number is worth what a table says, and of one secret by a noisy oracle.

The utility of finding a secret at the next guess is `utilities[0]`, one guess later `utilities[1]`, and so on; it never
rises. A state is played out as in `playout`, but its oracle compares guesses by what their parts should be worth at
the guess number at which they are reached: `tables[level]` has what a unit of weight loses in a part, by the number of
secrets in it. Everything is a whole number.

A noisy oracle makes one of the best few guesses by score: each but the first half as often as the one before it.

Everything here runs on the calling thread and shares nothing, so any thread may call it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import allocating_entry_point, allocating_inner, inner
from oracular.kernels.guessing import FREE, HARD, next_demand
from oracular.kernels.planning.playout import ONE, Board, _begin, _best_member, _new_walk, _split, _values
from oracular.kernels.planning.scan import ScoredGame, best_guesses, new_scan_space


class Stakes(NamedTuple):
    """What it is worth to find a secret, by the number of guesses from now.

    Attributes:
        utilities: whole numbers that never rise, int64 [levels]; all later guesses are worth the last.
        tables: what a unit of weight should lose in a part that a guess of this level leaves, compared with
            `utilities[0]`, by the number of secrets in the part, int64 [levels, members + 1].
    """

    utilities: NDArray[np.int64]
    tables: NDArray[np.int64]


@allocating_inner
def _game_at(board, stakes, level):
    """Return the game with the score of a level."""
    game, level = board.game, min(level, len(stakes.utilities) - 1)
    return ScoredGame(
        game.by_secret,
        game.guess_of_secret,
        game.found,
        game.answers,
        game.shift,
        stakes.tables[level],
        stakes.utilities[0] - stakes.utilities[level],
        game.ties,
        game.guessing,
    )


@allocating_inner
def _candidates(board, stakes, space, walk, members, demand, level, want):
    """Return how many guesses there are to choose from at a state, at most `want`, best first in `walk.kept`.

    No guess but a possible secret scores less than one that leaves parts of one secret each.
    """
    values, total = _values(board, members)
    game = _game_at(board, stakes, level)
    if len(members) <= game.answers:
        least, guess = _best_member(game, members, values)
        if least <= total * game.table[1]:
            walk.kept[0] = guess
            return 1
    return best_guesses(game, space, members, values, walk.kept[:want], walk.keys[:want], demand)


@inner
def _settled(board, stakes, members, level):
    """Return what a state is worth where the heaviest secret is the best guess for certain; -1 elsewhere."""
    utilities, last = stakes.utilities, len(stakes.utilities) - 1
    now, then = utilities[min(level, last)], utilities[min(level + 1, last)]
    if len(members) > 2 and then > utilities[last]:
        return np.int64(-1)
    most, total = np.int64(0), np.int64(0)
    for a in range(len(members)):
        weight = np.int64(board.packed[members[a]] >> board.game.shift)
        total += weight
        most = max(most, weight)
    return most * now + (total - most) * then


@inner
def _found(board, stakes, members, guess, level):
    """Return what a guess of a level is worth for the secret that it finds."""
    utility = stakes.utilities[min(level, len(stakes.utilities) - 1)]
    for a in range(len(members)):
        if board.game.guess_of_secret[members[a]] == guess:
            return np.int64(board.packed[members[a]] >> board.game.shift) * utility
    return np.int64(0)


@allocating_inner
def _worth_plainly(board, stakes, space, walk, members, demand, level, guess, unused):
    """Return what a state is worth after this guess of a level, playing on by score alone."""
    count, worth = _begin(walk, members, demand), np.int64(0)
    while count > 0:
        count -= 1
        state, now = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], level + walk.stack[count, 2] - 1
        if now > level:
            settled = _settled(board, stakes, state, now)
            if settled >= 0:
                worth += settled
                continue
            _candidates(board, stakes, space, walk, state, walk.demands[count], now, ONE)
            guess = walk.kept[0]
        worth += _found(board, stakes, state, guess, now)
        count = _split(board, walk, count, guess, unused)
    return worth


@allocating_inner
def _choose(board, stakes, space, walk, members, demand, level, trial, unused):
    """Return the guess of the oracle at a state of three secrets or more; `trial` and `unused` are for trying out."""
    want = board.width if len(members) <= board.small else ONE
    count = _candidates(board, stakes, space, walk, members, demand, level, want)
    best, most = walk.kept[0], np.int64(-1)
    for i in range(count if count > 1 else 0):
        worth = _worth_plainly(board, stakes, space, trial, members, demand, level, walk.kept[i], unused)
        if worth > most:
            best, most = walk.kept[i], worth
    return best


@allocating_entry_point
def _worth_of_each(board, stakes, space, members, guesses, demand):
    """Return what a state is worth after each of some guesses [guesses]."""
    unused = np.zeros(board.game.by_secret.shape[0], np.int32)
    walk, trial = _new_walk(len(members), board.width), _new_walk(min(len(members), board.small), ONE)
    worths = np.zeros(len(guesses), np.int64)
    for i in range(len(guesses)):
        guess = guesses[i]
        count = _begin(walk, members, demand)
        while count > 0:
            count -= 1
            state, now = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], np.int64(walk.stack[count, 2] - 1)
            if now > 0:
                settled = _settled(board, stakes, state, now)
                if settled >= 0:
                    worths[i] += settled
                    continue
                guess = _choose(board, stakes, space, walk, state, walk.demands[count], now, trial, unused)
            worths[i] += _found(board, stakes, state, guess, now)
            count = _split(board, walk, count, guess, unused)
    return worths


@allocating_entry_point
def _promising(board, stakes, space, members, kept, keys, demand):
    """Return how many guesses were found by the score of the next guess, best first in `kept`."""
    values, _ = _values(board, members)
    return best_guesses(_game_at(board, stakes, np.int64(0)), space, members, values, kept, keys, demand)


@allocating_entry_point
def _noisy_depths(board, space, members, targets, seeds, demand):
    """Return how many guesses a noisy oracle takes from a state for each target [targets]; a seed each, not zero."""
    depths, guessing = np.zeros(len(targets), np.int32), board.game.guessing
    kept, keys = np.zeros(board.width, np.int32), np.zeros(board.width, np.int64)
    first, first_count = np.zeros(board.width, np.int32), np.int64(0)
    for i in range(len(targets)):
        state, noise, asked = members, seeds[i], demand
        while True:
            depths[i] += 1
            if len(state) == 1:
                break
            values, _ = _values(board, state)
            if len(state) == 2:
                guess = board.game.guess_of_secret[state[0] if values[0] >= values[1] else state[1]]
            else:
                if depths[i] > 1 or first_count == 0:
                    count = best_guesses(board.game, space, state, values, kept, keys, asked)
                if depths[i] == 1:
                    if first_count == 0:
                        first[:], first_count = kept, count
                    kept[:], count = first, first_count
                noise ^= noise << np.uint64(13)
                noise ^= noise >> np.uint64(7)
                noise ^= noise << np.uint64(17)
                place = 0
                while place + 1 < count and (noise >> np.uint64(40 + place)) & np.uint64(1):
                    place += 1
                guess = kept[place]
            answer = board.game.by_secret[targets[i], guess]
            if answer == board.game.found:
                break
            if guessing.rule == HARD:
                asked = next_demand(guessing.letters, guessing.colours, asked, guess, answer)
            size = 0
            after = np.empty(len(state), np.int32)
            for secret in state:
                if board.game.by_secret[secret, guess] == answer:
                    after[size] = secret
                    size += 1
            state = after[:size]
    return depths


def promising_guesses(
    board: Board, stakes: Stakes, members: NDArray[np.int32], want: int, demand: int = FREE
) -> NDArray[np.int32]:
    """Return the best allowed guesses at a state by the score of the next guess, best first, none with one split."""
    kept, keys = np.zeros(want, np.int32), np.zeros(want, np.int64)
    count = _promising(board, stakes, new_scan_space(board.game.answers), members, kept, keys, demand)
    return kept[:count]


def worth_of_each(
    board: Board, stakes: Stakes, members: NDArray[np.int32], guesses: NDArray[np.int32], demand: int = FREE
) -> NDArray[np.int64]:
    """Return what a state is worth after each of some guesses: its weights times their utilities [guesses].

    Args:
        board: the game, and packed weights whose shift has room for the number of members.
        stakes: the utilities, whose last levels are as low as any.
        members: the possible secrets, sorted.
        guesses: the guesses to play out, allowed ones.
        demand: what hard mode asks of the guesses at this state.
    """
    return _worth_of_each(board, stakes, new_scan_space(board.game.answers), members, guesses, demand)


def noisy_depths(
    board: Board,
    members: NDArray[np.int32],
    targets: NDArray[np.int32],
    rng: np.random.Generator,
    demand: int = FREE,
) -> NDArray[np.int32]:
    """Return how many guesses a noisy oracle takes from a state for each target, each time with other noise."""
    seeds = rng.integers(1, 2**63, size=len(targets), dtype=np.uint64)
    return _noisy_depths(board, new_scan_space(board.game.answers), members, targets, seeds, demand)
