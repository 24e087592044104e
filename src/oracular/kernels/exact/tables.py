"""Arrays that the compiled exact search works on: the game, the memo of states, and the stack of frames.

Everything is a `NamedTuple` of NumPy arrays, so that Numba can take it as it stands and the search can be stopped after
any number of states and continued later: the whole search lives in these arrays, none of it on a call stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oracular.errors import SettingsError
from oracular.kernels.exact.types import Bounds, Bytes, Counts, Keys, Shorts
from oracular.kernels.guessing import GuessingTable

LEVELS = 16
"""Depths that the counting bound tells apart; a secret beyond them counts as found at depth `LEVELS + 1`."""

EXACT = 127
"""Plies of a memo entry whose bound is the optimum itself."""

SLOTS_OF_STATE = 8
"""How many slots of the memo, one behind the other, a state may be in."""

NO_BOUND = 1 << 61
"""A bound that nothing reaches."""


class Table(NamedTuple):
    """The game, secrets renumbered from the heaviest to the lightest.

    answers: uint8[guesses, secrets]
    finder: int32[secrets], the guess that finds each secret
    weights: int64[secrets], never rising
    keys: uint64[secrets, 2], a state's key is the exclusive or of its secrets' keys
    found: the answer that ends the game
    openings: uint8[guesses], 1 for the guesses to try at the root (one of each orbit)
    group: int32[elements, guesses], permutations of the guesses, each fixing one opening
    group_from: int64[guesses + 1], the elements that fix opening g are group_from[g] up to group_from[g + 1]
    guessing: which guesses are allowed
    """

    answers: Bytes
    finder: Counts
    weights: Bounds
    keys: Keys
    found: int
    openings: Bytes
    group: Counts
    group_from: Bounds
    guessing: GuessingTable


class Memo(NamedTuple):
    """Proved bounds of states, an open-addressing hash table (slots of a state: eight in a row).

    keys: uint64[slots, 2]
    context: int64[slots], the number of the guess to be made at the state and the demand, where they matter
    lower: int64[slots], the proved bound on the state's best total
    guess: int32[slots], the best guess known, or -1
    plies: int16[slots], how many plies deep the bound is complete (`EXACT`: it is the optimum)
    size: int32[slots], secrets in the state, 0 for a free slot
    start: int64[slots], where the state's secrets stand in the pool
    pool: int32[...], the secrets of the states, one behind the other; empty where the keys are the states themselves
    used: int64[4], slots in use, states lost for want of room, nodes expanded, end of the pool
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


class Frames(NamedTuple):
    """The stack: row d belongs to the state at depth d, whose secrets are parts[d - 1, start[d] : start[d] + size[d]].

    Of each frame: what was asked (`cutoff`, `plies`), what is known (`best`, `best_guess`, `best_exact`, `low`), the
    guesses still to try (a heap), the guesses worth inheriting (`listed`), and the guess being tried with its parts.
    """

    parts: Counts  # int32[frames, secrets]: the frame's secrets, grouped by the answer to the guess being tried
    start: Bounds  # int64[frames], like all below of that shape
    size: Bounds
    weight: Bounds
    demand: Bounds
    keys: Keys  # uint64[frames, 2]
    cutoff: Bounds
    plies: Bounds
    best: Bounds
    best_guess: Bounds
    best_exact: Bounds
    low: Bounds
    heap_count: Bounds
    heap_key: Bounds  # int64[frames, guesses]
    heap_guess: Counts  # int32[frames, guesses]
    listed: Counts  # int32[frames, guesses]
    list_count: Bounds
    list_frame: Bounds  # the frame whose list this one draws on
    guess: Bounds
    total: Bounds
    total_exact: Bounds
    part_count: Bounds
    part_at: Bounds  # the part being searched
    part_start: Bounds  # int64[frames, answers], like all below
    part_size: Bounds
    part_weight: Bounds
    part_demand: Bounds
    part_bound: Bounds
    part_open: Bounds  # 1 while the part's bound may still rise
    part_keys: Keys  # uint64[frames, answers, 2]
    thresholds: Counts  # int32[frames, answers, LEVELS]: most secrets of a part found within each depth
    elements: Counts  # int32[frames, elements]
    element_count: Bounds
    depth: Bounds  # int64[1]: the frame being worked on; that below the first (`base`) when the search is over


class ExpansionSpace(NamedTuple):
    """Working space of one expansion, and what stops the search.

    stop: uint8[1], turns from 0 to 1 when the search is to end as soon as it can (`Deadline.flag`)
    """

    count: Bounds  # int64[answers]
    label: Bounds  # int64[answers]
    other: Bounds  # int64[answers]
    touched: Bounds  # int64[answers]
    caps: Bounds  # int64[answers]
    sorted_caps: Bounds  # int64[answers]
    within: Bounds  # int64[LEVELS + 1, secrets + 1]
    rank_depth: Bytes  # uint8[answers, secrets + 1]
    bound: Bounds  # int64[guesses]
    biggest: Bounds  # int64[guesses]
    finds: Bounds  # int64[guesses]
    slot_sign: Keys  # uint64[slots]
    slot_tick: Bounds  # int64[slots]
    slot_item: Bounds  # int64[slots]
    tick: Bounds  # int64[1]
    stop: Bytes


def new_memo(slots: int, pool: int) -> Memo:
    """Return an empty memo of the given number of slots, and room for so many secrets of states.

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


def new_frames(guesses: int, secrets: int, answers: int, elements: int, deepest: int = 120) -> Frames:
    """Return an empty stack, deep enough for any search but those of more than 120 plies, or so many.

    The search goes no deeper than there are frames (see `known_of_part`). A frame's heap and list hold each guess once
    at most, its parts have no secret in common and an answer each, and its elements are those that keep one opening in
    place.
    """
    frames = min(secrets, deepest) + 3
    room = max(elements, 1)

    def scalars() -> Bounds:
        return np.zeros(frames, np.int64)

    def by_answer() -> Bounds:
        return np.zeros((frames, answers), np.int64)

    return Frames(
        parts=np.zeros((frames, secrets), np.int32),
        start=scalars(),
        size=scalars(),
        weight=scalars(),
        demand=scalars(),
        keys=np.zeros((frames, 2), np.uint64),
        cutoff=scalars(),
        plies=scalars(),
        best=scalars(),
        best_guess=scalars(),
        best_exact=scalars(),
        low=scalars(),
        heap_count=scalars(),
        heap_key=np.zeros((frames, guesses), np.int64),
        heap_guess=np.zeros((frames, guesses), np.int32),
        listed=np.zeros((frames, guesses), np.int32),
        list_count=scalars(),
        list_frame=scalars(),
        guess=scalars(),
        total=scalars(),
        total_exact=scalars(),
        part_count=scalars(),
        part_at=scalars(),
        part_start=by_answer(),
        part_size=by_answer(),
        part_weight=by_answer(),
        part_demand=by_answer(),
        part_bound=by_answer(),
        part_open=by_answer(),
        part_keys=np.zeros((frames, answers, 2), np.uint64),
        thresholds=np.zeros((frames, answers, LEVELS), np.int32),
        elements=np.zeros((frames, room), np.int32),
        element_count=scalars(),
        depth=np.zeros(1, np.int64),
    )


def new_expansion_space(guesses: int, secrets: int, answers: int) -> ExpansionSpace:
    """Return working space for games of this size, with nothing that stops the search.

    Lists by guess hold each guess once at most; the hash table of splits has four slots a guess, so one is always free.
    """
    slots = 1 << max(4, (4 * guesses - 1).bit_length())
    return ExpansionSpace(
        count=np.zeros(answers, np.int64),
        label=np.zeros(answers, np.int64),
        other=np.zeros(answers, np.int64),
        touched=np.zeros(answers, np.int64),
        caps=np.zeros(answers, np.int64),
        sorted_caps=np.zeros(answers, np.int64),
        within=np.zeros((LEVELS + 1, secrets + 1), np.int64),
        rank_depth=np.zeros((answers, secrets + 1), np.uint8),
        bound=np.zeros(guesses, np.int64),
        biggest=np.zeros(guesses, np.int64),
        finds=np.zeros(guesses, np.int64),
        slot_sign=np.zeros(slots, np.uint64),
        slot_tick=np.zeros(slots, np.int64),
        slot_item=np.zeros(slots, np.int64),
        tick=np.zeros(1, np.int64),
        stop=np.zeros(1, np.uint8),
    )
