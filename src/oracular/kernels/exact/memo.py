"""The memo of the compiled exact search: bounds of states that are proved once and used wherever the state comes up.

A state's key has 128 bits. For games of at most 128 secrets it is the set itself, one bit a secret; for larger games
it is a random linear code of the set, and two different states met in one search share it with a chance below 2^-80.
At the cap a new state takes the place of the smallest state in its eight slots: what is lost is time, never soundness.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.exact.kinds import Keys, compiled
from oracular.kernels.exact.tables import EXACT, Memo

SLOTS = 8


@compiled
def first_slot(keys: Keys, first: np.uint64, second: np.uint64) -> int:
    """Return the first of the eight slots where a state with this key may be."""
    mixed = first * np.uint64(0x9E3779B97F4A7C15) ^ (second + np.uint64(0x7F4A7C15)) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(keys.shape[0] - 1)) & ~(SLOTS - 1)


@compiled
def find(memo: Memo, first: np.uint64, second: np.uint64) -> int:
    """Return the slot that holds the state with this key, or -1."""
    slot = first_slot(memo.keys, first, second)
    for candidate in range(slot, slot + SLOTS):
        if memo.size[candidate] == 0:
            return -1
        if memo.keys[candidate, 0] == first and memo.keys[candidate, 1] == second:
            return candidate
    return -1


@compiled
def store(memo: Memo, first: np.uint64, second: np.uint64, size: int, lower: int, plies: int, guess: int) -> None:
    """Raise the state's bound to `lower`, complete to `plies` plies (0: a cutoff was met, no more)."""
    slot = first_slot(memo.keys, first, second)
    victim = slot
    for candidate in range(slot, slot + SLOTS):
        if memo.size[candidate] == 0:
            memo.used[0] += 1
            victim = candidate
            break
        if memo.keys[candidate, 0] == first and memo.keys[candidate, 1] == second:
            if memo.plies[candidate] == EXACT:
                return
            memo.lower[candidate] = max(memo.lower[candidate], lower)
            if plies > memo.plies[candidate]:
                memo.plies[candidate] = plies
                memo.guess[candidate] = guess
            return
        if memo.size[candidate] < memo.size[victim]:
            victim = candidate
    if memo.size[victim] != 0:
        memo.used[1] += 1
    memo.keys[victim, 0] = first
    memo.keys[victim, 1] = second
    memo.size[victim] = size
    memo.lower[victim] = lower
    memo.plies[victim] = plies
    memo.guess[victim] = guess


@compiled
def copy_into(old: Memo, new: Memo) -> None:
    """Copy every state of the old memo into the new one."""
    for slot in range(old.size.shape[0]):
        if old.size[slot] != 0:
            store(
                new,
                old.keys[slot, 0],
                old.keys[slot, 1],
                old.size[slot],
                old.lower[slot],
                old.plies[slot],
                old.guess[slot],
            )
    new.used[1] += old.used[1]
    new.used[2] = old.used[2]
