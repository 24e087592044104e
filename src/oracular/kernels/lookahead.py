"""Compiled playing out of a state: how many more guesses each of its secrets takes after a given guess.

Advice and duels both look ahead like this. Finding a secret at guess 1, 2, … from now costs what `Stakes` says: for few
guesses on average each guess costs the same, in a duel each costs some of the chance to win. Whoever plays on is one
oracle, the same at a state wherever it was reached from:

- at a state of many secrets it makes the guess with the least score (`scoring.best_guesses`), a possible secret if
  scores are equal. A score knows what a part should cost at the guess number at which it is reached;
- at a state of few secrets it takes the best few guesses by score, plays each of them out by score alone, and makes
  the cheapest, the first of equals; if a possible secret scores as well as a guess that distinguishes all secrets, it
  makes that one at once;
- of two secrets it guesses the heavier first, and so it does if all guesses after the next cost the same.

A noisy oracle makes one of the best few guesses by score, the likelier the better it scores.

Everything here runs on the calling thread and shares nothing, so any thread may call it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import allocating_entry_point, allocating_inner, inner
from oracular.kernels.guessing import FREE, HARD, next_demand
from oracular.kernels.packing import WORST
from oracular.kernels.scoring import ScoredGame, best_guesses, new_scan_space
from oracular.kernels.trees import push_parts

ONE = np.int64(1)
"""One guess wanted, as a variable: as a literal it would be compiled for a second time."""


class Stakes(NamedTuple):
    """What it costs to find a secret late, and what parts should cost. Levels count guesses from now.

    Attributes:
        spent: what finding at each level costs more than finding at once; it never falls, int64 [levels].
        later: what each guess after the last level costs.
        tables: what a unit of weight should cost in a part that a guess of this level leaves, by the number of secrets
            in the part, int64 [levels, members + 1].
        found: what a unit of weight costs that a guess of this level finds, int64 [levels].
    """

    spent: NDArray[np.int64]
    later: int
    tables: NDArray[np.int64]
    found: NDArray[np.int64]


class Board(NamedTuple):
    """A game with the hider's weights, and how the oracle plays it.

    Attributes:
        game: the game.
        packed: weight << shift | 1 of each secret, int32 [secrets].
        stakes: what the oracle compares guesses by.
        small: states of up to this many secrets are played by trying guesses out.
        width: how many guesses are tried out there.
    """

    game: ScoredGame
    packed: NDArray[np.int32]
    stakes: Stakes
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


def stakes_of_few_guesses(game: ScoredGame) -> Stakes:
    """Return what an oracle compares guesses by that wants few guesses on average: the game's score."""
    return Stakes(np.zeros(1, np.int64), 1, game.table[None, :], np.full(1, game.found_value, np.int64))


@allocating_inner
def _new_walk(size, want):
    """Return space to play trees of up to this many secrets, with this many guesses wanted at a state."""
    return Playout(
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty((size, 3), np.int32),
        np.zeros(size, np.int64),
        np.empty(want, np.int32),
        np.empty(want, np.int64),
    )


@inner
def _begin(walk, members, demand, level):
    """Put a state on the empty stack and return how many states are there."""
    walk.demands[0] = demand
    for a in range(len(members)):
        walk.order[a] = members[a]
    walk.stack[0, 0], walk.stack[0, 1], walk.stack[0, 2] = 0, len(members), level
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
    """Return the packed weights of the members [members], ones if all of them are zero, and their sum."""
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
def _game_at(board, level):
    """Return the game with the score of a level, counted from 1."""
    game, stakes = board.game, board.stakes
    column = min(level, len(stakes.spent)) - 1
    return ScoredGame(
        game.by_secret, game.guess_of_secret, game.found, game.answers, game.shift,
        stakes.tables[column], stakes.found[column], game.ties, game.guessing,
    )  # fmt: skip


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
def _candidates(board, space, walk, members, demand, level, want):
    """Return how many guesses the oracle has to choose from at a state, at most `want`, best first in `walk.kept`.

    No guess but a possible secret scores less than one that leaves parts of one secret each.
    """
    values, total = _values(board, members)
    game = _game_at(board, level)
    if len(members) <= game.answers:
        least, guess = _best_member(game, members, values)
        if least <= total * game.table[1]:
            walk.kept[0] = guess
            return 1
    return best_guesses(game, space, members, values, walk.kept[:want], walk.keys[:want], demand)


@allocating_inner
def _cost(board, members, depths):
    """Return what finding the members at these depths costs, by their weights."""
    values, _ = _values(board, members)
    spent, last = board.stakes.spent, len(board.stakes.spent) - 1
    cost = np.int64(0)
    for a in range(len(members)):
        guess = np.int64(depths[members[a]]) - 1
        each = spent[min(guess, last)] + max(guess - last, 0) * board.stakes.later
        cost += np.int64(values[a] >> board.game.shift) * each
    return cost


@inner
def _finish(board, members, level, depths):
    """Write the depths of a state at which the heaviest secret is certainly best, and return whether it is one.

    It has one or two secrets, or no guess after the next costs more than the next: then all but one count as found at
    the next.
    """
    spent, last = board.stakes.spent, len(board.stakes.spent) - 1
    if len(members) > 2 and (board.stakes.later > 0 or spent[min(np.int64(level), last)] < spent[last]):
        return False
    heaviest = members[0]
    for secret in members:
        depths[secret] = level + 1
        if board.packed[secret] >> board.game.shift > board.packed[heaviest] >> board.game.shift:
            heaviest = secret
    depths[heaviest] = level
    return True


@allocating_inner
def _play_plainly(board, space, walk, members, demand, first, guess, depths):
    """Write the level at which each secret of a state is found after this guess of level `first`, by score alone."""
    count = _begin(walk, members, demand, first)
    while count > 0:
        count -= 1
        state, level = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], np.int64(walk.stack[count, 2])
        if level > first:
            if _finish(board, state, level, depths):
                continue
            _candidates(board, space, walk, state, walk.demands[count], level, ONE)
            guess = walk.kept[0]
        count = _split(board, walk, count, guess, depths)


@allocating_inner
def _choose(board, space, walk, members, demand, level, trial, depths):
    """Return the guess of the oracle at a state of three secrets or more; `trial` and `depths` are for trying out."""
    want = board.width if len(members) <= board.small else ONE
    count = _candidates(board, space, walk, members, demand, level, want)
    best, least = walk.kept[0], WORST
    for i in range(count if count > 1 else 0):
        _play_plainly(board, space, trial, members, demand, level, walk.kept[i], depths)
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
        count = _begin(walk, members, demand, 1)
        while count > 0:
            count -= 1
            state, level = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], np.int64(walk.stack[count, 2])
            if level > 1:
                if _finish(board, state, level, depths):
                    continue
                guess = _choose(board, space, walk, state, walk.demands[count], level, trial, tried_depths)
            count = _split(board, walk, count, guess, depths)
        for a in range(len(members)):
            result[i, a] = depths[members[a]]
    return result


@allocating_entry_point
def _likely(board, space, members, kept, keys, demand, with_possible):
    """Return how many guesses were found by score, best first in `kept`, and the possible secret that scores best."""
    values, _ = _values(board, members)
    game = _game_at(board, ONE)
    count = best_guesses(game, space, members, values, kept, keys, demand)
    for i in range(count):
        for secret in members:
            if game.guess_of_secret[secret] == kept[i]:
                return count, kept[i]
    return count, _best_member(game, members, values)[1] if with_possible else np.int32(-1)


@allocating_inner
def _splitting_members(game, walk, members, values, total):
    """Return how many possible secrets are guesses that distinguish all others, best first in `walk.kept`."""
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
def _noisy_depths(board, space, members, target, seeds, demand, indifference):
    """Return the depths of trees that choose among the best guesses by chance [trees, members].

    With a target, a secret's index, only that secret is played out, and the others have depth 0. The guesses found on
    the first three levels are then remembered, by the places that were drawn; otherwise those of the first level.
    """
    game, guessing, spent = board.game, board.game.guessing, board.stakes.spent
    depths, last = np.zeros(game.by_secret.shape[0], np.int32), len(board.stakes.spent) - 1
    walk = _new_walk(len(members), board.width)
    remembered = 1 + board.width + board.width**2 if target >= 0 else 1
    kept, keys = np.zeros((remembered, board.width), np.int32), np.zeros((remembered, board.width), np.int64)
    found_at = np.zeros(remembered, np.int64)
    result = np.zeros((len(seeds), len(members)), np.int32)
    for i in range(len(seeds)):
        noise, count, node = seeds[i], _begin(walk, members, demand, 1), np.int64(0)
        while count > 0:
            count -= 1
            state, depth = walk.order[walk.stack[count, 0] : walk.stack[count, 1]], np.int64(walk.stack[count, 2])
            if len(state) == 1:
                depths[state[0]] = depth
                continue
            values, total = _values(board, state)
            at_stake = spent[last] - spent[min(depth - 1, last)]
            known = node < remembered and (target >= 0 or depth == 1)
            if known and found_at[node] > 0:
                found = found_at[node]
                walk.kept[:], walk.keys[:] = kept[node], keys[node]
            else:
                scored, found = _game_at(board, depth), np.int64(0)
                if len(state) <= game.answers and at_stake > 0:
                    found = np.int64(_splitting_members(scored, walk, state, values, total))
                if found == 0:
                    found = best_guesses(scored, space, state, values, walk.kept, walk.keys, walk.demands[count])
                if known:
                    kept[node], keys[node], found_at[node] = walk.kept, walk.keys, found
            noise ^= noise << np.uint64(13)
            noise ^= noise >> np.uint64(7)
            noise ^= noise << np.uint64(17)
            halving = max(ONE, 2 * total * at_stake // indifference)
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


def likely_guesses(
    board: Board, members: NDArray[np.int32], want: int, demand: int = FREE, *, with_possible: bool = True
) -> NDArray[np.int32]:
    """Return the best allowed guesses at a state by the score of the next guess, best first.

    No two of them have the same split, or in hard mode require the same of later guesses besides. There are at most
    `want` of them, and with `with_possible` one more if no possible secret is among these: the best of those.
    """
    if len(members) == 1:
        return board.game.guess_of_secret[members]
    kept, keys = np.zeros(want, np.int32), np.zeros(want, np.int64)
    count, possible = _likely(board, new_scan_space(board.game.answers), members, kept, keys, demand, with_possible)
    kept = kept[:count]
    return kept if possible < 0 or possible in kept else np.append(kept, np.int32(possible))


def played_out(
    board: Board, members: NDArray[np.int32], guesses: NDArray[np.int32], demand: int = FREE
) -> NDArray[np.int32]:
    """Return how many guesses each secret of a state takes after each of some guesses, these included.

    A secret may get a smaller number if that costs the same by the stakes.

    Args:
        board: the game, the hider's weights and the oracle.
        members: the possible secrets, sorted.
        guesses: the guesses to play out, allowed ones; a guess that distinguishes nothing costs one guess more.
        demand: what hard mode asks of the guesses at this state.

    Returns:
        The depths, int32 [guesses, members].
    """
    return _play_out_each(board, new_scan_space(board.game.answers), members, guesses, demand)


def noisy_depths(
    board: Board,
    members: NDArray[np.int32],
    seeds: NDArray[np.uint64],
    indifference: int,
    *,
    target: int = -1,
    demand: int = FREE,
) -> NDArray[np.int32]:
    """Return how many guesses each secret of a state takes in trees that are drawn at random [trees, members].

    Args:
        board: the game, and how many guesses there are to choose from at each state.
        members: the possible secrets, sorted.
        seeds: one for each tree, not zero.
        indifference: a guess is half as likely as the best if it loses one in this many of what is still at stake.
        target: play out this secret only, by its index; the others get depth 0.
        demand: what hard mode asks of the guesses at this state.
    """
    space = new_scan_space(board.game.answers)
    return _noisy_depths(board, space, members, target, seeds, demand, indifference)
