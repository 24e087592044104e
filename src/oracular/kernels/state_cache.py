"""Compiled store of the states of earlier trees, within a fixed amount of memory.

A *kept* state has its members, the weights they had when it was last brought up to date (*seen*), the guess made there
and how many more guesses each member took. A state that has been brought up to date before may also have a *sheet*:
the cost of every guess, and how many members give each answer to it. Counts do not depend on weights; when the weight
of secret s grows by d, the cost of guess g grows by d times the count of the answer that s gives to g. So a sheet is
brought up to date in one pass over the guesses for each changed secret.

States are found by a hash of their members and compared whole. Room is fixed: a state that finds none is simply not
kept; between two trees, states that were not visited for longest make room. A sheet takes the place of the one that
was not used for longest. What is kept never changes a result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

STATES, MEMBERS, TICK, SHEETS = range(4)
"""What `numbers` counts: states kept, members kept, trees built, sheets ever handed out."""

NEVER = np.int64(-1)
"""What the members of a new state were seen with: no weight at all is ever this."""

LEAST_KEPT = 3
"""States of two secrets are scored faster than looked up."""

MEMBER_BYTES = 16
STATE_BYTES = 48
USUAL_MEMBERS = 4
"""Room is shared out as if a state had this many members; most have more."""

MOST_MEMBERS_OF_SHEET = (1 << 16) - 1
"""Counts are kept in 16 bits."""


class Cache(NamedTuple):
    """The kept states.

    Attributes:
        numbers: what STATES to SHEETS count, int64 [4].
        keys: a random number for each secret, int64 [secrets]; the hash of a state is their exclusive or.
        slots: the hash table, int32 [a power of two]: a state, or -1.
        hashes: int64 [states].
        first: where a state's members begin, int64 [states].
        size: how many there are, int32 [states].
        guess: the guess made there, int32 [states].
        visited: the tree that last came by, int64 [states].
        sheet: the state's sheet or -1, int32 [states].
        settled: whether the guess tells all members apart, with all weights above zero, uint8 [states].
        members: int32 [members of all states].
        seen: the weights as they were, int64 [members of all states].
        further: how many more guesses each member took, int32 [members of all states].
        costs: of each sheet, int64 [sheets, guesses].
        counts: of each sheet, uint16 [sheets, guesses, answers].
        owner: the state of each sheet or -1, int32 [sheets].
    """

    numbers: NDArray[np.int64]
    keys: NDArray[np.int64]
    slots: NDArray[np.int32]
    hashes: NDArray[np.int64]
    first: NDArray[np.int64]
    size: NDArray[np.int32]
    guess: NDArray[np.int32]
    visited: NDArray[np.int64]
    sheet: NDArray[np.int32]
    settled: NDArray[np.uint8]
    members: NDArray[np.int32]
    seen: NDArray[np.int64]
    further: NDArray[np.int32]
    costs: NDArray[np.int64]
    counts: NDArray[np.uint16]
    owner: NDArray[np.int32]


def sheet_bytes(guesses: int, width: int) -> int:
    """Return how much memory one sheet takes."""
    return guesses * (8 + 2 * width)


def new_cache(secrets: int, guesses: int, width: int, memory: int, with_sheets: bool) -> Cache:
    """Return an empty cache.

    The system hands memory out when it is first written to, so a cache takes what it holds, not all it may.

    Args:
        secrets: the number of secrets.
        guesses: the number of guesses.
        width: the number of answers, padded to a power of two.
        memory: the most that it may take, in bytes.
        with_sheets: whether states have sheets; a third of the memory is then for states, the rest for sheets.
    """
    for_states = memory // 3 if with_sheets else memory
    most_states = for_states // (STATE_BYTES + USUAL_MEMBERS * MEMBER_BYTES)
    most_sheets = (memory - for_states) // sheet_bytes(guesses, width)
    slots = 2 << most_states.bit_length()
    return Cache(
        numbers=np.zeros(4, np.int64),
        keys=np.random.default_rng(0).integers(-(2**63), 2**63, secrets, dtype=np.int64),
        slots=np.full(slots if most_states else 1, -1, np.int32),
        hashes=np.empty(most_states, np.int64),
        first=np.empty(most_states, np.int64),
        size=np.empty(most_states, np.int32),
        guess=np.empty(most_states, np.int32),
        visited=np.empty(most_states, np.int64),
        sheet=np.empty(most_states, np.int32),
        settled=np.empty(most_states, np.uint8),
        members=np.empty(USUAL_MEMBERS * most_states, np.int32),
        seen=np.empty(USUAL_MEMBERS * most_states, np.int64),
        further=np.empty(USUAL_MEMBERS * most_states, np.int32),
        costs=np.empty((most_sheets, guesses), np.int64),
        counts=np.empty((most_sheets, guesses, width), np.uint16),
        owner=np.full(most_sheets, -1, np.int32),
    )


@njit(cache=True, nogil=True)
def hash_of(cache, members):
    """Return the hash of a state."""
    key = np.int64(0)
    for a in range(len(members)):
        key ^= cache.keys[members[a]]
    return key


@njit(cache=True, nogil=True)
def find_state(cache, members):
    """Return the kept state with just these members, or -1."""
    if cache.numbers[STATES] == 0:
        return np.int64(-1)
    key = hash_of(cache, members)
    last = len(cache.slots) - 1
    slot = key & last
    while cache.slots[slot] >= 0:
        state = np.int64(cache.slots[slot])
        if cache.hashes[state] == key and cache.size[state] == len(members):
            first = cache.first[state]
            same = True
            for a in range(len(members)):
                if cache.members[first + a] != members[a]:
                    same = False
                    break
            if same:
                return state
        slot = (slot + 1) & last
    return np.int64(-1)


@njit(cache=True, nogil=True)
def _enter(cache, state):
    """Put a state into the hash table."""
    last = len(cache.slots) - 1
    slot = cache.hashes[state] & last
    while cache.slots[slot] >= 0:
        slot = (slot + 1) & last
    cache.slots[slot] = state


@njit(cache=True, nogil=True)
def keep_state(cache, members):
    """Return a new kept state with these members, or -1 where there is no room."""
    state = cache.numbers[STATES]
    first = cache.numbers[MEMBERS]
    if state == len(cache.hashes) or first + len(members) > len(cache.members):
        return np.int64(-1)
    cache.hashes[state] = hash_of(cache, members)
    cache.first[state] = first
    cache.size[state] = len(members)
    cache.guess[state] = -1
    cache.visited[state] = cache.numbers[TICK]
    cache.sheet[state] = -1
    cache.settled[state] = 0
    cache.members[first : first + len(members)] = members
    cache.seen[first : first + len(members)] = NEVER
    cache.numbers[STATES] += 1
    cache.numbers[MEMBERS] += len(members)
    _enter(cache, state)
    return state


@njit(cache=True, nogil=True)
def give_sheet(cache, state):
    """Give a state a sheet, if need be another's that this tree has not used; return it, or -1."""
    if cache.size[state] > MOST_MEMBERS_OF_SHEET:
        return np.int64(-1)
    chosen = np.int64(-1)
    if cache.numbers[SHEETS] < len(cache.owner):
        chosen = cache.numbers[SHEETS]
        cache.numbers[SHEETS] += 1
    else:
        oldest = cache.numbers[TICK]
        for sheet in range(len(cache.owner)):
            owner = cache.owner[sheet]
            visited = NEVER if owner < 0 else cache.visited[owner]
            if visited < oldest:
                oldest = visited
                chosen = np.int64(sheet)
        if chosen >= 0 and cache.owner[chosen] >= 0:
            cache.sheet[cache.owner[chosen]] = -1
    if chosen >= 0:
        cache.owner[chosen] = state
        cache.sheet[state] = chosen
    return chosen


@njit(cache=True, nogil=True)
def make_room(cache):
    """Drop the states not visited for longest, down to half of the room, where less than a quarter is left."""
    states = cache.numbers[STATES]
    members = cache.numbers[MEMBERS]
    if 4 * states < 3 * len(cache.hashes) and 4 * members < 3 * len(cache.members):
        return
    order = np.argsort(-cache.visited[:states], kind="mergesort")
    kept = np.zeros(states, np.bool_)
    room = len(cache.members) // 2
    most = len(cache.hashes) // 2
    for rank in range(min(states, most)):
        room -= cache.size[order[rank]]
        if room < 0:
            break
        kept[order[rank]] = True
    to_state, to_member = np.int64(0), np.int64(0)
    for state in range(states):
        sheet = cache.sheet[state]
        if not kept[state]:
            if sheet >= 0:
                cache.owner[sheet] = -1
            continue
        first, size = cache.first[state], cache.size[state]
        for a in range(size):
            cache.members[to_member + a] = cache.members[first + a]
            cache.seen[to_member + a] = cache.seen[first + a]
            cache.further[to_member + a] = cache.further[first + a]
        cache.hashes[to_state] = cache.hashes[state]
        cache.first[to_state] = to_member
        cache.size[to_state] = size
        cache.guess[to_state] = cache.guess[state]
        cache.visited[to_state] = cache.visited[state]
        cache.sheet[to_state] = sheet
        cache.settled[to_state] = cache.settled[state]
        if sheet >= 0:
            cache.owner[sheet] = to_state
        to_state += 1
        to_member += size
    cache.numbers[STATES] = to_state
    cache.numbers[MEMBERS] = to_member
    cache.slots[:] = -1
    for state in range(to_state):
        _enter(cache, state)
