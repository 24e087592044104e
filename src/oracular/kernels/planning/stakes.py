"""Compiled playing out of a state where a guess number is worth what a table says, and by noisy oracles.

The utility of finding a secret at the next guess is `utilities[0]`, one guess later `utilities[1]`, and so on; it never
rises. A state is played out as in `playout`, but its oracle compares guesses by what their parts should be worth at
the guess number at which they are reached: `tables[level]` has what a unit of weight loses in a part, by the number of
secrets in it. Everything is a whole number.

A noisy oracle makes one of the best few guesses by score, the likelier the better it scores.

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


@allocating_inner
def _splitting_members(game, walk, members, values, total):
    """Return how many possible secrets are guesses that tell all others apart, best first in `walk.kept`."""
    found, answers = 0, np.zeros(game.answers, np.int64)
    for a in range(len(members)):
        guess = game.guess_of_secret[members[a]]
        answers[:] = 0
        most = np.int64(0)
        for b in range(len(members)):
            answer = game.by_secret[members[b], guess]
            answers[answer] += 1
            most = max(most, answers[answer])
        if most > 1:
            continue
        own = np.int64(values[a] >> game.shift)
        key = 2 * (own * game.found_value + (total - own) * game.table[1])
        place = min(found, len(walk.kept) - 1)
        if place < found and key >= walk.keys[place]:
            continue
        while place > 0 and walk.keys[place - 1] > key:
            walk.kept[place], walk.keys[place] = walk.kept[place - 1], walk.keys[place - 1]
            place -= 1
        walk.kept[place], walk.keys[place] = guess, key
        found = min(found + 1, len(walk.kept))
    return found


@allocating_inner
def _drawn(keys, count, halving, noise):
    """Return the place of one of the guesses found at a state: half as likely for every `halving` that its key is more.

    The keys are sorted.
    """
    total = np.int64(0)
    for i in range(count):
        total += np.int64(1 << 20) >> min(np.int64(20), (keys[i] - keys[0]) // halving)
    place, left = 0, np.int64(noise >> np.uint64(20)) % total
    while place < count - 1:
        left -= np.int64(1 << 20) >> min(np.int64(20), (keys[place] - keys[0]) // halving)
        if left < 0:
            break
        place += 1
    return place


@allocating_entry_point
def _noisy_depths(board, stakes, space, members, target, seeds, demand, indifference):
    """Return the depths of trees that choose among the best guesses by chance [trees, members].

    With a target, a secret's index, only that secret is played out, and the others have depth 0. The guesses found on
    the first three levels are then remembered, by the places that were drawn; otherwise those of the first level.
    """
    game, guessing, last = board.game, board.game.guessing, len(stakes.utilities) - 1
    depths = np.zeros(game.by_secret.shape[0], np.int32)
    walk = _new_walk(len(members), board.width)
    remembered = 1 + board.width + board.width**2 if target >= 0 else 1
    kept, keys = np.zeros((remembered, board.width), np.int32), np.zeros((remembered, board.width), np.int64)
    found_at = np.zeros(remembered, np.int64)
    result = np.zeros((len(seeds), len(members)), np.int32)
    for i in range(len(seeds)):
        noise, count, node = seeds[i], _begin(walk, members, demand), np.int64(0)
        while count > 0:
            count -= 1
            state, depth = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], np.int64(walk.stack[count, 2])
            if len(state) == 1:
                depths[state[0]] = depth
                continue
            values, total = _values(board, state)
            level = min(depth - 1, last)
            known = node < remembered and (target >= 0 or depth == 1)
            if known and found_at[node] > 0:
                found = found_at[node]
                walk.kept[:], walk.keys[:] = kept[node], keys[node]
            else:
                scored, found = _game_at(board, stakes, level), np.int64(0)
                if len(state) <= game.answers and stakes.utilities[level] > 0:
                    found = np.int64(_splitting_members(scored, walk, state, values, total))
                if found == 0:
                    found = best_guesses(scored, space, state, values, walk.kept, walk.keys, walk.demands[count])
                if known:
                    kept[node], keys[node], found_at[node] = walk.kept, walk.keys, found
            noise ^= noise << np.uint64(13)
            noise ^= noise >> np.uint64(7)
            noise ^= noise << np.uint64(17)
            halving = max(ONE, 2 * total * stakes.utilities[level] // indifference)
            place = _drawn(walk.keys, found, halving, noise)
            guess = walk.kept[place]
            if target < 0:
                count = _split(board, walk, count, guess, depths)
                continue
            answer = game.by_secret[target, guess]
            if answer == game.found:
                depths[target] = depth
                break
            size = 0
            for secret in state:
                if game.by_secret[secret, guess] == answer:
                    walk.order[size] = secret
                    size += 1
            walk.stack[0, 0], walk.stack[0, 1], walk.stack[0, 2] = 0, size, depth + 1
            if guessing.rule == HARD:
                walk.demands[0] = next_demand(guessing.letters, guessing.colours, walk.demands[0], guess, answer)
            count, node = 1, min(np.int64(remembered), board.width * node + place + 1)
        for a in range(len(members)):
            result[i, a] = depths[members[a]]
    return result


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
    stakes: Stakes,
    members: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    indifference: int,
    *,
    target: int = -1,
    demand: int = FREE,
) -> NDArray[np.int32]:
    """Return how many guesses each secret of a state takes in trees that are drawn at random [trees, members].

    Args:
        board: the game and how many guesses there are to choose from at each state.
        stakes: what finding is worth by the number of guesses.
        members: the possible secrets, sorted.
        seeds: one for each tree, not zero.
        indifference: a guess is half as likely as the best if it loses one in so many of the worth of finding at once.
        target: play out this secret only, by its index; the others get depth 0.
        demand: what hard mode asks of the guesses at this state.
    """
    space = new_scan_space(board.game.answers)
    return _noisy_depths(board, stakes, space, members, target, seeds, demand, indifference)
