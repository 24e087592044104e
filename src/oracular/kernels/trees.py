"""Compiled walks through a whole tree that is written as one row of guesses.

A tree is the guess at every state of two or more secrets: a state before what follows from it, its parts in the order
of their answers. With the game's table that is all there is to know. A state of one secret needs no entry.

Every walk is the same loop: `next_state` goes to a state, somebody names the guess there, `split` makes the state's
parts the next to be visited.

Packed, a state of two or three secrets takes a code of two bits: which of its secrets is guessed (0, 1, 2), or 3 for
a guess that is written out. Larger states' guesses are all written out.

What is walked through may come from a file, so nothing in it is believed: every guess and code is compared with its
range before it is used, a guess that splits nothing ends the walk, and so does a row that is too short. The stack
needs no such check. Its states have no secret in common and none is empty, so there are at most as many of them as
secrets.

Many trees of one game can be asked at once what each guesses next after some guesses. Then each guess is kept with the
place in the row at which the guesses below it end, so that the way to one secret can be followed without walking
through the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.compiling import allocating_entry_point, allocating_inner
from oracular.kernels.guessing import HARD, POSSIBLE, meets, next_demand

WRITTEN_OUT = 3
"""The code of a guess that is not one of a small state's own secrets."""

FEW = 3
"""States of up to this many secrets have codes."""

COUNT, BEGIN, END, LEVEL = 0, 1, 2, 3
"""What `Walk.place` holds: how many states are on the stack, then the present state and the guesses up to its own."""


class Walk(NamedTuple):
    """Where a walk through a tree has come to.

    Attributes:
        order: the secrets, those of a state side by side and in their own order [secrets].
        held: room to sort a state [secrets].
        stack: the states to be visited, the next one on top: begin, end, level [secrets, 3].
        place: see `COUNT`, `BEGIN`, `END` and `LEVEL` [4].
        depths: how many guesses each secret takes, so far as it has been found [secrets].
    """

    order: NDArray[np.int32]
    held: NDArray[np.int32]
    stack: NDArray[np.int32]
    place: NDArray[np.int64]
    depths: NDArray[np.int32]


@allocating_inner
def new_walk(secrets):
    """Return a walk that is about to visit the state of all secrets."""
    stack = np.empty((secrets, 3), np.int32)  # see above: it never holds more states than there are secrets
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, secrets, 1
    place = np.zeros(4, np.int64)
    place[COUNT] = 1
    order = np.arange(secrets).astype(np.int32)
    return Walk(order, np.empty(secrets, np.int32), stack, place, np.zeros(secrets, np.int32))


@allocating_inner
def next_state(walk):
    """Go to the next state of two or more secrets and return whether there is one; single secrets get their depths."""
    while walk.place[COUNT] > 0:
        walk.place[COUNT] -= 1
        top = walk.place[COUNT]
        begin, end, level = walk.stack[top, 0], walk.stack[top, 1], walk.stack[top, 2]
        if end - begin > 1:
            walk.place[BEGIN], walk.place[END], walk.place[LEVEL] = begin, end, level
            return True
        walk.depths[walk.order[begin]] = level
    return False


@allocating_inner
def state_of(walk):
    """Return the present state's secrets, in their own order."""
    return walk.order[walk.place[BEGIN] : walk.place[END]]


@allocating_inner
def push_parts(walk, place, replies, found, depths):
    """Push the parts that a guess leaves of a state onto a stack, the first answer's on top, and return its height.

    The secret that the guess finds gets its depth.

    Args:
        walk: what has `order`, `held` and `stack`, as `Walk` has.
        place: where the state begins and ends in `order`, its level, and how many states are on the stack.
        replies: the guess's answer to each secret [secrets].
        found: the answer that ends the game.
        depths: how many guesses each secret takes [secrets].
    """
    begin, end, level, count = place
    places = np.zeros(257, np.int32)
    last = 0
    for a in range(begin, end):
        answer = replies[walk.order[a]]
        places[answer + 1] += 1
        last = max(last, answer)
        if answer == found:
            depths[walk.order[a]] = level
    for answer in range(last + 1):
        places[answer + 1] += places[answer]
    for answer in range(last, -1, -1):
        if places[answer + 1] > places[answer] and answer != found:
            walk.stack[count, 0] = begin + places[answer]
            walk.stack[count, 1] = begin + places[answer + 1]
            walk.stack[count, 2] = level + 1
            count += 1
    for a in range(begin, end):
        answer = replies[walk.order[a]]
        walk.held[places[answer]] = walk.order[a]
        places[answer] += 1
    walk.order[begin:end] = walk.held[: end - begin]
    return count


@allocating_inner
def split(walk, table, found, guess):
    """Split the present state by a guess, and return whether that guess exists and splits it.

    The secret that the guess finds gets its depth; the other parts are visited next, the first answer's first.
    """
    if not 0 <= guess < table.shape[0]:
        return False
    begin, end, before = walk.place[BEGIN], walk.place[END], walk.place[COUNT]
    count = push_parts(walk, (begin, end, walk.place[LEVEL], before), table[guess], found, walk.depths)
    walk.place[COUNT] = count
    return count != before + 1 or walk.stack[before, 1] - walk.stack[before, 0] < end - begin


@allocating_inner
def hand_down(walk, replies, guessing, asked):
    """Write down the constraints on the guesses at the parts that a guess has just pushed, in hard mode.

    Args:
        walk: the walk.
        replies: the guess's answer to each secret [secrets].
        guessing: the rule; see `GuessingTable`.
        asked: the demands of the states on the stack, int64 [secrets], the constraint on the guess, the guess, and how
            many states were on the stack before.
    """
    demands, demand, guess, before = asked
    for part in range(before, walk.place[COUNT]):
        answer = replies[walk.order[walk.stack[part, 0]]]
        demands[part] = next_demand(guessing.letters, guessing.colours, demand, guess, answer)


@allocating_entry_point
def replay(table, found, guesses):
    """Return the depths of a tree [secrets], and whether the guesses are one."""
    walk = new_walk(table.shape[1])
    used = 0
    while next_state(walk):
        if used == len(guesses) or not split(walk, table, found, guesses[used]):
            return walk.depths, False
        used += 1
    return walk.depths, used == len(guesses)


@allocating_entry_point
def forbidden_guess(table, found, guessing, guesses):
    """Return the place of the first guess of a whole tree that the game does not allow, or -1 where all are allowed."""
    walk, demands = new_walk(table.shape[1]), np.zeros(table.shape[1], np.int64)
    for place in range(len(guesses)):
        next_state(walk)
        guess, before = guesses[place], walk.place[COUNT]
        demand = demands[before]
        if guessing.rule == POSSIBLE and not _finds(table[guess], found, state_of(walk)):
            return place
        if guessing.rule == HARD and not meets(guessing.letters, demand, guess):
            return place
        split(walk, table, found, guess)
        if guessing.rule == HARD:
            hand_down(walk, table[guess], guessing, (demands, demand, guess, before))
    return -1


@allocating_inner
def _finds(replies, found, state):
    """Return whether a guess with these answers may be the secret."""
    for secret in state:
        if replies[secret] == found:
            return True
    return False


@allocating_entry_point
def guess_at(table, found, guesses, possible):
    """Return the guess at the first state of a tree that distinguishes some secrets, and how many secrets it has.

    The secrets are two or more; where the state has no others, it is theirs. Without such a state, -1 and 0.
    """
    walk = new_walk(table.shape[1])
    for guess in guesses:
        if not next_state(walk):
            return -1, 0
        state = state_of(walk)
        if 0 <= guess < table.shape[0] and _holds(state, possible[0]):
            for secret in possible:
                if table[guess, secret] != table[guess, possible[0]]:
                    return guess, len(state)
        if not split(walk, table, found, guess):
            return -1, 0
    return -1, 0


@allocating_inner
def _holds(state, secret):
    """Return whether a secret is in a state, which is sorted."""
    place = np.searchsorted(state, secret)
    return place < len(state) and state[place] == secret


@allocating_entry_point
def pack_tree(table, found, guess_of_secret, guesses):
    """Return the codes of a tree's small states, the guesses of the others, and whether the guesses are a tree.

    A tree has fewer guesses than secrets, since each of them finds a secret or splits a state: that is room enough.
    """
    secrets = table.shape[1]
    codes, written = np.empty(secrets, np.uint8), np.empty(secrets, np.uint16)
    walk = new_walk(secrets)
    used, coded, spelt = 0, 0, 0
    while next_state(walk):
        if used == len(guesses):
            return codes[:0], written[:0], False
        guess, state, code = guesses[used], state_of(walk), WRITTEN_OUT
        used += 1
        if len(state) <= FEW:
            for place in range(len(state)):
                if guess_of_secret[state[place]] == guess:
                    code = place
            codes[coded] = code
            coded += 1
        if code == WRITTEN_OUT:
            written[spelt] = guess
            spelt += 1
        if not split(walk, table, found, guess):
            return codes[:0], written[:0], False
    return codes[:coded], written[:spelt], used == len(guesses)


@allocating_entry_point
def unpack_tree(table, found, guess_of_secret, codes, written):
    """Return the guesses of a packed tree, its depths [secrets], and whether it is one."""
    guesses = np.empty(len(codes) + len(written), np.int32)
    walk = new_walk(table.shape[1])
    used, coded, spelt = 0, 0, 0
    while next_state(walk):
        state, code = state_of(walk), WRITTEN_OUT
        if len(state) <= FEW:
            if coded == len(codes):
                return guesses, walk.depths, False
            code = codes[coded]
            coded += 1
        if code == WRITTEN_OUT:
            if spelt == len(written):
                return guesses, walk.depths, False
            guess = np.int32(written[spelt])
            spelt += 1
        elif 0 <= code < len(state):
            guess = guess_of_secret[state[code]]
        else:
            return guesses, walk.depths, False
        if used == len(guesses) or not split(walk, table, found, guess):
            return guesses, walk.depths, False
        guesses[used] = guess
        used += 1
    return guesses[:used], walk.depths, coded == len(codes) and spelt == len(written)


@allocating_entry_point
def measured(table, found, guesses):
    """Return a tree's depths [secrets], where the guesses below each guess end [guesses], and whether it is a tree."""
    walk = new_walk(table.shape[1])
    levels = np.zeros(len(guesses), np.int64)
    ends = np.zeros(len(guesses), np.int32)
    used = 0
    while next_state(walk):
        if used == len(guesses) or not split(walk, table, found, guesses[used]):
            return walk.depths, ends, False
        levels[used] = walk.place[LEVEL]
        used += 1
    for node in range(len(guesses) - 1, -1, -1):
        end = node + 1
        while end < len(guesses) and levels[end] > levels[node]:
            end = ends[end]
        ends[node] = end
    return walk.depths, ends, used == len(guesses)


@allocating_entry_point
def next_guesses(table, found, guess_of_secret, rows, ends, starts, secret, made):
    """Return what each tree guesses next if these guesses were made and the secret is this one, int32 [trees].

    It is -1 where the tree would have made other guesses, or has found the secret with them. The rows of all trees,
    one after the other, begin at `starts` [trees + 1]; they are whole trees, as `measured` has found.
    """
    secrets = table.shape[1]
    result = np.full(len(starts) - 1, -1, np.int32)
    state, counts = np.empty(secrets, np.int32), np.zeros(256, np.int32)
    for tree in range(len(result)):
        node, size, guess = starts[tree], secrets, np.int32(0)
        for a in range(secrets):
            state[a] = a
        for turn in range(len(made) + 1):
            guess = guess_of_secret[secret] if size == 1 else rows[node]
            if turn == len(made):
                result[tree] = guess
                break
            if guess != made[turn] or table[guess, secret] == found:
                break
            answer = table[guess, secret]
            counts[: answer + 1] = 0
            kept = 0
            for a in range(size):
                reply = table[guess, state[a]]
                if reply <= answer:
                    counts[reply] += 1
                    if reply == answer:
                        state[kept] = state[a]
                        kept += 1
            size, node = kept, node + 1
            for reply in range(answer):
                if counts[reply] > 1 and reply != found:
                    node = starts[tree] + ends[node]
    return result
