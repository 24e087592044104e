"""Compiled store of the states of earlier trees, within a fixed amount of memory.

A *kept* state has its members, the weights they had when it was last brought up to date (*seen*), the guess made there
and how many more guesses each member took. A large state has a list of its best guesses too.

States are found by a hash of their members and compared whole. Room is fixed: a state that finds none is simply not
kept; between two trees, states that were not visited for longest make room. A list takes the place of one that was not
used for long. The store never changes a result.

A *list* says without a scan whether the best guess is still the best. It holds some guesses with their costs, how many
members give each answer to them, and a *floor*: no guess that is not in the list costs less. Counts do not depend on
weights. When the weight of secret s grows by d, the cost of a guess grows by d times the count of the answer that s
gives to it, for a guess in the list exactly so, for any other by d or more; when a weight falls, by no more than the
size of the state allows. While the best of the list costs less than the floor, it is the best of all guesses; when it
does not, the state is scored again and the list with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.kernels.answers import answer_to
from oracular.kernels.compiling import entry_point, inlined, inner
from oracular.kernels.packing import TIES_POSSIBLE, WORST

LISTED = 32
"""The guesses in a list: with fewer it is rebuilt more often, with more it takes longer to keep."""


class Lists(NamedTuple):
    """Some lists.

    Attributes:
        sizes: how many guesses are in each, int32 [lists].
        floors: what all others cost at least, int64 [lists].
        worst: the place of the one that costs most, int32 [lists].
        guesses: int32 [lists, LISTED].
        costs: int64 [lists, LISTED].
        own: whether the guess may be the secret, where ties go to such, uint8 [lists, LISTED].
        counts: uint16 [lists, LISTED, answers].
    """

    sizes: NDArray[np.int32]
    floors: NDArray[np.int64]
    worst: NDArray[np.int32]
    guesses: NDArray[np.int32]
    costs: NDArray[np.int64]
    own: NDArray[np.uint8]
    counts: NDArray[np.uint16]


def bytes_of_list(width: int) -> int:
    """Return how much memory one list takes in a game with `width` answers."""
    return 4 + 8 + 4 + LISTED * (4 + 8 + 1 + 2 * width)


def new_lists(lists: int, width: int) -> Lists:
    """Return room for this many lists."""
    return Lists(
        sizes=np.empty(lists, np.int32),
        floors=np.empty(lists, np.int64),
        worst=np.empty(lists, np.int32),
        guesses=np.empty((lists, LISTED), np.int32),
        costs=np.empty((lists, LISTED), np.int64),
        own=np.empty((lists, LISTED), np.uint8),
        counts=np.empty((lists, LISTED, width), np.uint16),
    )


@inner
def clear_list(lists, row):
    """Empty a list."""
    lists.sizes[row] = 0
    lists.floors[row] = WORST
    lists.worst[row] = 0


@inner
def _put(lists, row, guess, cost):
    """Put a guess into a list if it is among the best so far; return its place or -1."""
    costs = lists.costs[row]
    place = np.int64(lists.sizes[row])
    if place < LISTED:
        lists.sizes[row] += 1
    else:
        place = np.int64(lists.worst[row])
        lists.floors[row] = min(lists.floors[row], max(cost, costs[place]))
        if cost >= costs[place]:
            return np.int64(-1)
    lists.guesses[row, place] = guess
    costs[place] = cost
    if lists.sizes[row] == LISTED:
        worst = 0
        for other in range(1, LISTED):
            if costs[other] > costs[worst]:
                worst = other
        lists.worst[row] = worst
    return place


@inlined
def list_block(scorer, start, stop, by_letters, lists, row):
    """Put those guesses of a block that are among the best so far into a list.

    Their costs are filled in, and their sums: those of letters, or those from the table.
    """
    buffers, counts = scorer.buffers, (np.int64(1) << scorer.objective.shift) - 1
    floor = WORST
    for i in range(stop - start):
        cost = buffers.costs[i]
        if lists.sizes[row] == LISTED and cost >= lists.costs[row, lists.worst[row]]:
            floor = min(floor, cost)
            continue
        place = _put(lists, row, start + i, cost)
        for answer in range(scorer.answers.width):
            both = buffers.letter_sums[answer, i] if by_letters else buffers.sums[i, answer]
            lists.counts[row, place, answer] = both & counts
    lists.floors[row] = min(lists.floors[row], floor)


@inlined
def merge_lists(scorer, members, parts, first, stop, lists, row):
    """Make one list of those, from `first` to `stop`, that were filled in for ranges of guesses."""
    answers = scorer.answers
    clear_list(lists, row)
    for part in range(first, stop):
        lists.floors[row] = min(lists.floors[row], parts.floors[part])
        for other in range(parts.sizes[part]):
            place = _put(lists, row, np.int64(parts.guesses[part, other]), parts.costs[part, other])
            if place >= 0:
                for answer in range(answers.width):
                    lists.counts[row, place, answer] = parts.counts[part, other, answer]
    lists.own[row] = 0
    if scorer.objective.ties == TIES_POSSIBLE:
        for a in range(len(members)):
            guess = answers.finder[members[a]]
            for place in range(lists.sizes[row]):
                lists.own[row, place] |= lists.guesses[row, place] == guess


@inner
def change_list(answers, lists, row, secret, more, size):
    """Bring a list up to date where a secret's weight has become more, or less."""
    costs, counts = lists.costs[row], lists.counts[row]
    for place in range(lists.sizes[row]):
        answer = answer_to(answers, lists.guesses[row, place], secret)
        costs[place] += more * np.int64(counts[place, answer])
    lists.floors[row] += more if more > 0 else more * size


@inner
def best_of_list(lists, row, ties):
    """Return the key and the index of the best guess of a list, or -1 for the index where it may be another."""
    best_key, best_guess = WORST, np.int64(-1)
    for place in range(lists.sizes[row]):
        key = 2 * lists.costs[row, place] + ties - lists.own[row, place]
        guess = np.int64(lists.guesses[row, place])
        if key < best_key or (key == best_key and guess < best_guess):
            best_key, best_guess = key, guess
    return (best_key, best_guess) if best_key < 2 * lists.floors[row] else (WORST, np.int64(-1))


STATES, MEMBERS, TICK, LISTS, HAND, SLOTS = range(6)
"""What `numbers` counts: states kept, members kept, trees built, lists ever handed out; the list that was looked at
last; and the slots of the hash table in use, a power of two."""

NEVER = np.int64(-1)
"""What the members of a new state were seen with: no weight at all is ever this."""

LEAST_KEPT = 3
"""States of two secrets are scored faster than looked up."""

MEMBER_BYTES = 16
STATE_BYTES = 48
USUAL_MEMBERS = 10
"""Room is shared out as if a state had this many members; on average it has a few more."""

FIRST_SLOTS = 1 << 12

LOOKED_AT = 64
"""Lists that are compared to find one whose place a new one takes."""

MOST_MEMBERS_OF_LIST = (1 << 16) - 1
"""Counts are kept in 16 bits."""


class Cache(NamedTuple):
    """The kept states.

    Attributes:
        numbers: what STATES to SLOTS count, int64 [6].
        keys: a random number for each secret, int64 [secrets]; the hash of a state is their exclusive or.
        slots: the hash table, int32 [a power of two]: a state, or -1; it grows into its room.
        hashes: int64 [states].
        first: where a state's members begin, int64 [states].
        size: how many there are, int32 [states].
        guess: the guess made there, int32 [states].
        visited: the tree that last came by, int64 [states].
        row: the state's list or -1, int32 [states].
        settled: whether the guess distinguishes all members, with all weights above zero, uint8 [states].
        members: int32 [members of all states].
        seen: the weights as they were, int64 [members of all states].
        further: how many more guesses each member took, int32 [members of all states].
        lists: the lists of best guesses.
        owner: the state of each list or -1, int32 [lists].
    """

    numbers: NDArray[np.int64]
    keys: NDArray[np.int64]
    slots: NDArray[np.int32]
    hashes: NDArray[np.int64]
    first: NDArray[np.int64]
    size: NDArray[np.int32]
    guess: NDArray[np.int32]
    visited: NDArray[np.int64]
    row: NDArray[np.int32]
    settled: NDArray[np.uint8]
    members: NDArray[np.int32]
    seen: NDArray[np.int64]
    further: NDArray[np.int32]
    lists: Lists
    owner: NDArray[np.int32]


def new_cache(secrets: int, width: int, memory: int, with_lists: bool) -> Cache:
    """Return an empty cache.

    The system hands memory out when it is first written to, so a cache takes what it holds, not all it may.

    Args:
        secrets: the number of secrets.
        width: the number of answers, padded to a power of two.
        memory: the most that it may take, in bytes.
        with_lists: whether large states have lists, which then get an eighth of the memory.
    """
    for_lists = memory // 8 if with_lists else 0
    most_states = (memory - for_lists) // (STATE_BYTES + USUAL_MEMBERS * MEMBER_BYTES)
    most_lists = for_lists // bytes_of_list(width)
    slots = 2 << most_states.bit_length()
    first_slots = min(slots, FIRST_SLOTS)
    table = np.empty(slots, np.int32)
    table[:first_slots] = -1
    return Cache(
        numbers=np.array([0, 0, 0, 0, 0, first_slots], np.int64),
        keys=np.random.default_rng(0).integers(-(2**63), 2**63, secrets, dtype=np.int64),
        slots=table,
        hashes=np.empty(most_states, np.int64),
        first=np.empty(most_states, np.int64),
        size=np.empty(most_states, np.int32),
        guess=np.empty(most_states, np.int32),
        visited=np.empty(most_states, np.int64),
        row=np.empty(most_states, np.int32),
        settled=np.empty(most_states, np.uint8),
        members=np.empty(USUAL_MEMBERS * most_states, np.int32),
        seen=np.empty(USUAL_MEMBERS * most_states, np.int64),
        further=np.empty(USUAL_MEMBERS * most_states, np.int32),
        lists=new_lists(most_lists, width),
        owner=np.full(most_lists, -1, np.int32),
    )


@inner
def hash_of(cache, members):
    """Return the hash of a state."""
    key = np.int64(0)
    for a in range(len(members)):
        key ^= cache.keys[members[a]]
    return key


@inner
def find_state(cache, members):
    """Return the kept state with just these members, or -1."""
    if cache.numbers[STATES] == 0:
        return np.int64(-1)
    key = hash_of(cache, members)
    last = cache.numbers[SLOTS] - 1
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


@inner
def _enter(cache, state):
    """Put a state into the hash table."""
    last = cache.numbers[SLOTS] - 1
    slot = cache.hashes[state] & last
    while cache.slots[slot] >= 0:
        slot = (slot + 1) & last
    cache.slots[slot] = state


@inner
def _enter_all(cache):
    """Fill the hash table again."""
    cache.slots[: cache.numbers[SLOTS]] = -1
    for state in range(cache.numbers[STATES]):
        _enter(cache, state)


@inner
def keep_state(cache, members):
    """Return a new kept state with these members, or -1 if there is no room."""
    state = cache.numbers[STATES]
    first = cache.numbers[MEMBERS]
    if state == len(cache.hashes) or first + len(members) > len(cache.members):
        return np.int64(-1)
    cache.hashes[state] = hash_of(cache, members)
    cache.first[state] = first
    cache.size[state] = len(members)
    cache.guess[state] = -1
    cache.visited[state] = cache.numbers[TICK]
    cache.row[state] = -1
    cache.settled[state] = 0
    for a in range(len(members)):
        cache.members[first + a] = members[a]
        cache.seen[first + a] = NEVER
    cache.numbers[STATES] += 1
    cache.numbers[MEMBERS] += len(members)
    if 2 * cache.numbers[STATES] > cache.numbers[SLOTS] and cache.numbers[SLOTS] < len(cache.slots):
        cache.numbers[SLOTS] *= 2
        _enter_all(cache)
    else:
        _enter(cache, state)
    return state


@inner
def give_list(cache, state):
    """Give a state a list, if need be another's that this tree has not used; return it, or -1."""
    if cache.size[state] > MOST_MEMBERS_OF_LIST or len(cache.owner) == 0:
        return np.int64(-1)
    chosen = np.int64(-1)
    if cache.numbers[LISTS] < len(cache.owner):
        chosen = cache.numbers[LISTS]
        cache.numbers[LISTS] += 1
    else:
        oldest = cache.numbers[TICK]
        for _ in range(min(LOOKED_AT, len(cache.owner))):
            cache.numbers[HAND] = (cache.numbers[HAND] + 1) % len(cache.owner)
            row = cache.numbers[HAND]
            owner = cache.owner[row]
            visited = NEVER if owner < 0 else cache.visited[owner]
            if visited < oldest:
                oldest = visited
                chosen = row
        if chosen >= 0 and cache.owner[chosen] >= 0:
            cache.row[cache.owner[chosen]] = -1
    if chosen >= 0:
        cache.owner[chosen] = state
        cache.row[state] = chosen
    return chosen


def begin_tree(cache: Cache) -> None:
    """Count one tree more, and make room for it."""
    cache.numbers[TICK] += 1
    make_room(cache)


@inner
def is_full(cache):
    """Return whether less than a quarter of the room is left."""
    states, members = cache.numbers[STATES], cache.numbers[MEMBERS]
    return states > 0 and (4 * states >= 3 * len(cache.hashes) or 4 * members >= 3 * len(cache.members))


def make_room(cache: Cache) -> None:
    """Drop the states not visited for longest, down to half of the room, where less than a quarter is left."""
    if not is_full.py_func(cache):
        return
    states = int(cache.numbers[STATES])
    newest = np.argsort(-cache.visited[:states], kind="stable")[: len(cache.hashes) // 2]
    newest = newest[np.cumsum(cache.size[newest], dtype=np.int64) <= len(cache.members) // 2]
    kept = np.zeros(states, np.bool_)
    kept[newest] = True
    _move_together(cache, kept)


@entry_point
def _move_together(cache, kept):
    """Drop the states that are not kept, and let the others follow each other without gaps."""
    to_state, to_member = np.int64(0), np.int64(0)
    for state in range(len(kept)):
        row = cache.row[state]
        if not kept[state]:
            if row >= 0:
                cache.owner[row] = -1
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
        cache.row[to_state] = row
        cache.settled[to_state] = cache.settled[state]
        if row >= 0:
            cache.owner[row] = to_state
        to_state += 1
        to_member += size
    cache.numbers[STATES] = to_state
    cache.numbers[MEMBERS] = to_member
    _enter_all(cache)


def forget_unfinished(cache: Cache) -> None:
    """Drop the lists of the states that the last tree visited, where that tree was not built to the end.

    Their costs may be those of that tree's weights already, while the weights that were seen are the earlier ones.
    """
    states = int(cache.numbers[STATES])
    rows = cache.row[:states]
    stale = (cache.visited[:states] == cache.numbers[TICK]) & (rows >= 0)
    cache.owner[rows[stale]] = -1
    rows[stale] = -1


def kept_numbers(cache: Cache) -> tuple[int, int, int]:
    """Return how many states, members of states, and lists of best guesses are kept."""
    return int(cache.numbers[STATES]), int(cache.numbers[MEMBERS]), int((cache.owner >= 0).sum())
