"""The memo of the compiled exact search: bounds of states that are proved once and used wherever the state comes up.

A state's key has 128 bits. For games of at most 128 secrets it is the set itself, one bit a secret. For larger games it
is a random linear code of the set; there the secrets of every state are kept as well, in a pool, and compared, so that
two states are never taken for one. If its eight slots are taken, a new state replaces the smallest of them. If the pool
is full, it isn't stored. Losing a state costs time, never soundness.

If costs depend on the guess number, or hard mode constrains the next guess, a state is stored once for each of them:
they are its *context* (`context_of`). Otherwise it is stored once, with the context 0.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.kernels.compiling import entry_point, inlined, inner

Bytes: TypeAlias = NDArray[np.uint8]
Counts: TypeAlias = NDArray[np.int32]
Keys: TypeAlias = NDArray[np.uint64]
Bounds: TypeAlias = NDArray[np.int64]
Shorts: TypeAlias = NDArray[np.int16]

EXACT = 127
"""Stands for a bound that is the least cost."""

SLOTS_OF_STATE = 8
"""A state is looked for in this many slots in a row."""


class Memo(NamedTuple):
    """Proved bounds of states, an open-addressing hash table (slots of a state: eight in a row).

    keys: uint64[slots, 2]
    context: int64[slots], the number of the next guess and the constraint, if they matter
    lower: int64[slots], the proved bound on the state's best total
    guess: int32[slots], the best guess known, or -1
    plies: int16[slots], `EXACT` if the bound is the least cost, 1 if all guesses were bounded
    size: int32[slots], secrets in the state, 0 for a free slot
    start: int64[slots], where the state's secrets stand in the pool
    pool: int32[...], the secrets of the states, one behind the other; empty where the keys are the states themselves
    used: int64[4], slots in use, states lost because the memo was full, states searched, end of the pool
    """

    keys: Keys
    context: Bounds
    lower: Bounds
    guess: Counts
    plies: Shorts
    size: Counts
    start: Bounds
    pool: Counts
    used: Bounds


def new_memo(slots: int, pool: int) -> Memo:
    """Return an empty memo of this many slots, with a pool for this many secrets of states.

    A state is looked for in eight slots in a row, the first of them a multiple of eight below a power of two: so the
    slots must be a power of two, and eight or more.
    """
    if slots < SLOTS_OF_STATE or slots & (slots - 1):
        raise SettingsError(f"a memo of {slots} slots asked for: give a power of two, {SLOTS_OF_STATE} or more")
    return Memo(
        keys=np.zeros((slots, 2), np.uint64),
        context=np.zeros(slots, np.int64),
        lower=np.zeros(slots, np.int64),
        guess=np.full(slots, -1, np.int32),
        plies=np.zeros(slots, np.int16),
        size=np.zeros(slots, np.int32),
        start=np.zeros(slots, np.int64),
        pool=np.zeros(pool, np.int32),
        used=np.zeros(4, np.int64),
    )


NUMBER_BITS = 13
"""The bits of a guess number in a context; a demand has 50 (`games/guessing.py`), so both fit into one number."""

SLOTS_BETWEEN_LOOKS = 1 << 12
"""While a memo is copied, the flag that stops the search is checked after this many slots."""


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
    """Return whether the slot holds this state, in this context."""
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
    """Raise the state's bound to `lower`; `plies` is `EXACT` if that is the least cost, else 1."""
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
    """Copy every state of the old memo into the new one, and return whether that was not stopped.

    Without a pool, `states` is room for one state.
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
