"""Room in a memo that is as large as it may be.

Where a state takes the place of another in the memo (`kernels/exact/memo.py`), the secrets of the other stay in the
pool. Once the pool is full nothing more can be kept, so what nobody refers to is taken out in time.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.exact.tables import Memo
from oracular.kernels.exact.types import Bytes

SLOTS_AT_A_TIME = 1 << 15
"""States whose secrets are moved between two looks at the flag that stops it."""

MOST_KEPT = 0.75
"""Where the states take more of the pool than this, all are forgotten: room for a few more would soon be full again."""


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
