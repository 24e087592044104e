"""The memo of the compiled exact search: bounds of states that are proved once and used wherever the state comes up.

A state's key has 128 bits. For games of at most 128 secrets it is the set itself, one bit a secret. For larger games it
is a random linear code of the set; there the secrets of every state are kept as well, in a pool, and compared, so that
two states are never taken for one. At the cap a new state takes the place of the smallest state in its eight slots, or
is not kept at all: what is lost is time, never soundness.

Where costs depend on the guess number, or a game in hard mode makes demands of the next guess, a state is kept once for
each: they are the state's *context* (`context_of`). Elsewhere it is kept once, with the context 0.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.compiling import entry_point, inlined, inner
from oracular.kernels.exact.tables import EXACT, SLOTS_OF_STATE, Memo
from oracular.kernels.exact.types import Bytes, Counts, Keys

NUMBER_BITS = 13
"""The bits of a guess number in a context; a demand has 50 (`games/guessing.py`), so both fit into one number."""

SLOTS_BETWEEN_LOOKS = 1 << 12
"""While a memo is copied, the flag that stops the search is looked at after so many slots."""


@inlined
def context_of(number: int, demand: int) -> int:
    """Return the context of a state: the number of the next guess where it matters, and the demand."""
    return (demand << NUMBER_BITS) | number


@inner
def first_slot(keys: Keys, first: np.uint64, second: np.uint64) -> int:
    """Return the first of the eight slots where a state with this key may be."""
    mixed = first * np.uint64(0x9E3779B97F4A7C15) ^ (second + np.uint64(0x7F4A7C15)) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(keys.shape[0] - 1)) & ~(SLOTS_OF_STATE - 1)


@inner
def slot_of(memo: Memo, context: int, first: np.uint64, second: np.uint64) -> int:
    """Return the first of the eight slots where a state may be, in this context and with this key."""
    return first_slot(memo.keys, first ^ (np.uint64(context) * np.uint64(0xD6E8FEB86659FD93)), second)


@inner
def same_state(memo: Memo, slot: int, context: int, first: np.uint64, second: np.uint64, state: Counts) -> bool:
    """Tell whether the slot holds this state, in this context."""
    if memo.keys[slot, 0] != first or memo.keys[slot, 1] != second:
        return False
    if memo.size[slot] != state.shape[0] or memo.context[slot] != context:
        return False
    if memo.pool.shape[0] > 0:
        start = memo.start[slot]
        for place in range(state.shape[0]):
            if memo.pool[start + place] != state[place]:
                return False
    return True


@entry_point
def find(memo: Memo, context: int, first: np.uint64, second: np.uint64, state: Counts) -> int:
    """Return the slot that holds the state in this context, with this key, or -1."""
    slot = slot_of(memo, context, first, second)
    for candidate in range(slot, slot + SLOTS_OF_STATE):
        if memo.size[candidate] == 0:
            return -1
        if same_state(memo, candidate, context, first, second, state):
            return candidate
    return -1


@inner
def store(
    memo: Memo, context: int, first: np.uint64, second: np.uint64, state: Counts, lower: int, plies: int, guess: int
) -> None:
    """Raise the state's bound to `lower`, complete to `plies` plies (0: a cutoff was met, no more)."""
    slot = slot_of(memo, context, first, second)
    victim = slot
    for candidate in range(slot, slot + SLOTS_OF_STATE):
        if memo.size[candidate] == 0:
            victim = candidate
            break
        if same_state(memo, candidate, context, first, second, state):
            if memo.plies[candidate] == EXACT:
                return
            memo.lower[candidate] = max(memo.lower[candidate], lower)
            if plies > memo.plies[candidate]:
                memo.plies[candidate] = plies
                memo.guess[candidate] = guess
            return
        if memo.size[candidate] < memo.size[victim]:
            victim = candidate
    if memo.pool.shape[0] > 0:
        end = memo.used[3]
        if end + state.shape[0] > memo.pool.shape[0]:
            memo.used[1] += 1
            return
        for place in range(state.shape[0]):
            memo.pool[end + place] = state[place]
        memo.start[victim] = end
        memo.used[3] = end + state.shape[0]
    if memo.size[victim] == 0:
        memo.used[0] += 1
    else:
        memo.used[1] += 1
    memo.keys[victim, 0] = first
    memo.keys[victim, 1] = second
    memo.context[victim] = context
    memo.size[victim] = state.shape[0]
    memo.lower[victim] = lower
    memo.plies[victim] = plies
    memo.guess[victim] = guess


@entry_point
def copy_into(old: Memo, new: Memo, states: Counts, stop: Bytes) -> bool:
    """Copy every state of the old memo into the new one, and tell whether that was not stopped.

    Where there is no pool, `states` is room for one state.
    """
    for slot in range(old.size.shape[0]):
        if slot % SLOTS_BETWEEN_LOOKS == 0 and stop[0]:
            return False
        size = old.size[slot]
        if size != 0:
            state = states[:size]
            if old.pool.shape[0] > 0:
                state = old.pool[old.start[slot] : old.start[slot] + size]
            plies, guess = np.int64(old.plies[slot]), np.int64(old.guess[slot])
            store(new, old.context[slot], old.keys[slot, 0], old.keys[slot, 1], state, old.lower[slot], plies, guess)
    new.used[1] += old.used[1]
    new.used[2] = old.used[2]
    return True
