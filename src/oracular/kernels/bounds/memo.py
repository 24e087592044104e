"""The memo of the search for lower bounds: what was proved about states, the oldest forgotten where room is short.

A state is found by a hash of its secrets and then compared with them one by one, so no bound rests on a hash. An entry
is of a state and a number of guesses. One of another number of guesses is never used for it: a bound to k guesses is
one certain number, whatever was searched before.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.bounds.tables import AT_LEAST, BUCKET, MULTIPLIER, NOTHING, SETTLED, WHOLE
from oracular.kernels.compiling import inner


@inner
def list_members(views, frames, level):
    """List the secrets of a level's state in `frames.members`, and set the level's key."""
    view = frames.in_view[level]
    key = np.uint64(frames.size[level])
    count = 0
    for place in range(views.shape[view, 0]):
        if (frames.state[level, place >> 6] >> np.uint64(place & 63)) & np.uint64(1):
            secret = views.secrets[view, place]
            frames.members[count] = secret
            count += 1
            key = (key ^ np.uint64(secret)) * MULTIPLIER
            key ^= key >> np.uint64(29)
    frames.key[level] = key


@inner
def find(memo, frames, level, plies):
    """Return the slot of the state whose secrets are listed, searched to so many plies, or `NOTHING`."""
    size = frames.size[level]
    key = frames.key[level]
    mask = np.int64(len(memo.pool) - 1)
    first = (key >> np.uint64(8)) & np.uint64(len(memo.key) - BUCKET)
    for slot in range(first, first + np.uint64(BUCKET)):
        start = memo.start[slot]
        if memo.key[slot] != key or memo.plies[slot] != plies or memo.size[slot] != size:
            continue
        if start == NOTHING or start < memo.written[0] - len(memo.pool):
            continue
        place = 0
        while place < size and memo.pool[(start + place) & mask] == frames.members[place]:
            place += 1
        if place == size:
            return np.int64(slot)
    return np.int64(NOTHING)


@inner
def known_bound(memo, views, frames, level, plies, target):
    """Return twice the bound of a level's state, cut at the target, plus 1 if it is the optimum; or `NOTHING`."""
    list_members(views, frames, level)
    slot = find(memo, frames, level, plies)
    if slot == NOTHING:
        return np.int64(NOTHING)
    bound = np.int64(memo.bound[slot])
    if bound >= target:
        return 2 * target
    if memo.told[slot] == AT_LEAST:
        return np.int64(NOTHING)
    return 2 * bound + np.int64(memo.told[slot] == SETTLED)


@inner
def remember(memo, views, frames, level, plies, target, found):
    """Keep what a search to so many plies found of a level's state: twice the bound, plus 1 if it is the optimum."""
    bound = found >> 1
    told = SETTLED if found & 1 else WHOLE if bound < target else AT_LEAST
    list_members(views, frames, level)
    slot = find(memo, frames, level, plies)
    if slot == NOTHING:
        size = frames.size[level]
        if size > len(memo.pool):
            return
        first = np.int64((frames.key[level] >> np.uint64(8)) & np.uint64(len(memo.key) - BUCKET))
        slot = first
        for other in range(first + 1, first + BUCKET):
            if memo.start[other] < memo.start[slot]:
                slot = other
        start = memo.written[0]
        for place in range(size):
            memo.pool[(start + place) & np.int64(len(memo.pool) - 1)] = frames.members[place]
        memo.written[0] += size
        memo.key[slot] = frames.key[level]
        memo.start[slot] = start
        memo.size[slot] = size
        memo.plies[slot] = plies
        memo.bound[slot] = 0
        memo.told[slot] = AT_LEAST
    if bound >= memo.bound[slot]:
        memo.bound[slot] = bound
        memo.told[slot] = max(memo.told[slot], told)
