"""Memos of the compiled searches: how large they begin, grow and get, and room in one that is as large as it may be.

Where a state takes the place of another in the memo (`kernels/exact/memo.py`), the secrets of the other stay in the
pool. Once the pool is full nothing more can be kept, so what nobody refers to is taken out in time.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.exact.memo import copy_into
from oracular.kernels.exact.tables import Memo, new_memo
from oracular.kernels.exact.types import Bytes, Counts, Keys

FIRST_SLOTS = 1 << 16
"""The slots of a memo before it grows; it grows to twice as many each time."""

MEMO_SLOTS = 1 << 23
"""The most slots of the memo of a search over a whole game."""

OPENING_SLOTS = 1 << 21
"""The most slots of the memo of a search over one opening, of which there may be as many at a time as threads."""

STATE_SLOTS = 1 << 12
"""The most slots of the memo of a search over a small state."""

SECRETS_A_SLOT = 24
"""So many secrets a slot has the pool room for: states are smaller on average."""

KEY_BITS = 128
"""Up to so many secrets a state's key in the memo is the state itself; beyond, the memo keeps the secrets as well."""

SLOTS_AT_A_TIME = 1 << 15
"""States whose secrets are moved between two looks at the flag that stops it."""

MOST_KEPT = 0.75
"""Where the states take more of the pool than this, all are forgotten: room for a few more would soon be full again."""


def first_memo(secrets: int, most_slots: int) -> Memo:
    """Return an empty memo for a game of so many secrets, which may grow to so many slots."""
    slots = min(FIRST_SLOTS, most_slots)
    return new_memo(slots, 0 if secrets <= KEY_BITS else slots * SECRETS_A_SLOT)


def larger_memo(memo: Memo, room_for_state: Counts, stop: Bytes) -> Memo:
    """Return a memo of twice the size with the same states, or the memo itself where it was stopped."""
    larger = new_memo(2 * len(memo.size), 2 * len(memo.pool))
    return larger if copy_into(memo, larger, room_for_state, stop) else memo


def state_keys(secrets: int) -> Keys:
    """Return each secret's share of a state's key, uint64[secrets, 2]: a bit of its own where 128 bits are enough."""
    if secrets > KEY_BITS:
        return np.random.default_rng(1).integers(0, 2**64, (secrets, 2), np.uint64)
    keys = np.zeros((secrets, 2), np.uint64)
    for secret in range(secrets):
        keys[secret, secret // 64] = np.uint64(1) << np.uint64(secret % 64)
    return keys


def make_room(memo: Memo, stop: Bytes) -> None:
    """Move the secrets of all states to the beginning of the pool, or forget all states where they fill most of it.

    Stopped halfway, the memo is as sound as before, and as full. How many states were searched and lost is kept.
    """
    slots = np.flatnonzero(memo.size)
    if memo.size[slots].sum(dtype=np.int64) > MOST_KEPT * len(memo.pool):
        memo.used[1] += len(slots)
        memo.used[0] = memo.used[3] = 0
        memo.size.fill(0)
        return
    slots = slots[np.argsort(memo.start[slots])]  # each moves down, over what is moved already or nobody's
    end = 0
    for first in range(0, len(slots), SLOTS_AT_A_TIME):
        if stop[0]:
            return
        moved = slots[first : first + SLOTS_AT_A_TIME]
        sizes = memo.size[moved].astype(np.int64)
        starts = np.cumsum(sizes) - sizes
        count = int(sizes.sum())
        places = np.arange(count) + np.repeat(memo.start[moved] - starts, sizes)
        memo.pool[end : end + count] = memo.pool[places]
        memo.start[moved] = end + starts
        end += count
    memo.used[3] = end
