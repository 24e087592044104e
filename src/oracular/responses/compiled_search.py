"""What the compiled searches have in common, whatever a tree costs.

`kernels/exact` does the work; here are its memo, which grows, the slices that it is cut into, and the trees that it
thinks best.

If a state takes the place of another in the memo (`kernels/exact/memo.py`), the secrets of the other stay in the pool.
Once the pool is full nothing more can be saved, so secrets that no state refers to are removed in time.
"""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from oracular.games.game import Game
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan
from oracular.kernels.exact.frames import FULL, MORE, UNEXPANDED
from oracular.kernels.exact.memo import NUMBER_BITS, copy_into, find
from oracular.kernels.exact.tables import (
    LEVELS,
    NO_BOUND,
    ExpansionSpace,
    Memo,
    new_expansion_space,
    new_frames,
    new_memo,
)
from oracular.kernels.exact.types import Bytes, Counts, Keys
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline

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

WORK_OF_A_SLICE = 500_000_000
"""A slice may look up about so many answers if all of its states turn out to be as large as can be: half a second."""

SLICE = 200
"""States expanded for a tree between two looks at how many there were in all."""

SLICE_TIME = 0.05
"""Compiled slices are made to take about so many seconds: between two of them the clock is looked at."""

MOST_AT_ONCE = 1 << 40
"""The states of a search that only the clock cuts into slices."""

CELLS_AT_A_TIME = 1 << 22
"""Answers that are put in order between two looks at the deadline."""


class Remainder(NamedTuple):
    """What an answer leaves of a state: its secrets, and what hard mode asks of the guesses there."""

    answer: int
    secrets: Counts
    demand: int


class Played(NamedTuple):
    """A state of a tree with the guess that is made there, and where it comes from.

    parent: the state before it, by its place among all that are played, or -1
    answer: the answer that led here from there
    """

    secrets: Counts
    guess: int
    parent: int
    answer: int


def nothing() -> None:
    """Do nothing: nobody watches."""


def sorted_answers(answers: Bytes, order: Counts, deadline: Deadline) -> Bytes:
    """Return the table with its secrets in another order: uint8[guesses, secrets]."""
    result = np.empty(answers.shape, np.uint8)
    rows = max(1, CELLS_AT_A_TIME // answers.shape[1])
    for start in range(0, len(answers), rows):
        deadline.check()
        result[start : start + rows] = answers[start : start + rows, order]
    return result


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


class CompiledSearch(ABC):
    """What the compiled searches have in common: the game, the stack, and the memo that all searches of one share.

    Where the deadline passes while it is made ready, `DeadlinePassed` is raised. After that the search itself only ends
    a slice early, and can be continued: with another `deadline`, where that is set meanwhile.

    Attributes:
        order: the secrets in the order in which the search numbers them.
        table: the game as the kernels read it, and what a secret counts or costs.
        memo: what is proved of states.
    """

    game: Game
    order: Counts
    table: Any
    memo: Memo

    base = 0
    """The frame below that of the state searched."""

    key_bits = 0
    """How many bits a guess's key in a heap has below its bound."""

    by_number = False
    """Whether what is proved of a state depends on how many guesses were made before."""

    def make_ready(self, plan: OpeningPlan, memo_slots: int, deadline: Deadline, deepest: int = 120) -> None:
        """Make room for the stack and the memo of this game and table."""
        guesses, secrets = self.table.answers.shape
        count = max(int(self.table.answers.max()), self.game.found) + 1
        self.symmetric = len(plan.group) > 0 or not bool(plan.openings.all())
        most = int(np.diff(plan.group_from).max()) if len(plan.group) else 0
        self.frames = new_frames(guesses, secrets, count, most, deepest)
        self.space = new_expansion_space(guesses, secrets, count)
        self.memo_slots = memo_slots
        self.deadline = deadline
        self.pace = 1
        self.fastest = max(1, WORK_OF_A_SLICE // (guesses * secrets))
        self.forget()
        self.frames.listed[0] = np.arange(guesses)
        self.frames.list_count[0] = guesses
        branches = max(count - 1, 1)
        self.frames.thresholds[0] = [
            min(sum(branches**d for d in range(level + 1)), secrets) for level in range(LEVELS)
        ]

    def forget(self) -> None:
        """Empty the memo."""
        self.memo = first_memo(len(self.order), self.memo_slots)

    @property
    def has_formula(self) -> bool:
        """Whether no search is needed."""
        return self.formula(self.everything, 0) is not None

    @abstractmethod
    def formula(self, state: Counts, column: int, demand: int = FREE) -> int | None:
        """Return the best guess at a state that needs no search, after so many guesses, or None."""

    @property
    def nodes(self) -> int:
        """States expanded so far."""
        return int(self.memo.used[2])

    @property
    def everything(self) -> Counts:
        """All secrets, as the search numbers them."""
        return np.arange(len(self.order), dtype=np.int32)

    def key(self, state: Counts) -> tuple[np.uint64, np.uint64]:
        """Return the state's memo key."""
        pair = np.bitwise_xor.reduce(self.table.keys[state], axis=0)
        return pair[0], pair[1]

    def name_of(self, state: Counts) -> bytes:
        """Return the secrets of a state as the game numbers them, for `with_guesses`."""
        return np.sort(self.order[state]).astype(np.int32).tobytes()

    def slot_of(self, state: Counts, column: int, demand: int) -> int:
        """Return where in the memo a state is, after so many guesses, or -1."""
        number = column + 1 if self.by_number else 0
        return int(find(self.memo, demand << NUMBER_BITS | number, *self.key(state), state))

    @abstractmethod
    def begin(self, state: Counts, cutoff: int, plies: int, demand: int = FREE, column: int = 0) -> None:
        """Set up the stack to search a state that has no formula, after so many guesses, in hard mode with a demand."""

    def set_up(self, state: Counts, cutoff: int, plies: int, demand: int, base: int) -> None:
        """Set up the stack to search a state in the frame above `base`, in which no guess has been tried yet."""
        frames, frame = self.frames, base + 1
        self.base = base
        frames.list_frame[base] = 0
        frames.thresholds[base] = frames.thresholds[0]
        frames.parts[base, : len(state)] = state
        frames.start[frame] = 0
        frames.size[frame] = len(state)
        frames.demand[frame] = demand
        frames.keys[frame] = self.key(state)
        frames.cutoff[frame] = cutoff
        frames.plies[frame] = plies
        frames.guess[frame] = UNEXPANDED
        frames.element_count[frame] = 2 if self.symmetric and base == 0 and len(state) == len(self.order) else 0
        frames.depth[0] = frame

    @abstractmethod
    def run_slice(self, space: ExpansionSpace, states: int, growth: int, pool_growth: int) -> int:
        """Return why the compiled search ended: it is over, it had its states, or the memo grew to so many."""

    def advance(self, states: int, deadline: Deadline = NEVER) -> bool:
        """Tell whether the search goes on after so many more states, or fewer where the deadline passes first."""
        slots, pool = len(self.memo.size), len(self.memo.pool)
        may_grow = slots < self.memo_slots  # at the cap the memo forgets instead
        growth, pool_growth = slots * 6 // 10 if may_grow else NO_BOUND, pool * 9 // 10
        status = self.run_slice(self.space._replace(stop=deadline.flag), states, growth, pool_growth)
        if status == FULL and not may_grow:
            make_room(self.memo, deadline.flag)
        elif status == FULL:
            self.memo = larger_memo(self.memo, self.everything, deadline.flag)
        return status in (MORE, FULL)

    def result(self) -> tuple[int, bool, int]:
        """Return a bound on the state begun with, whether it is the optimum below the cutoff, and the guess behind."""
        frames, frame = self.frames, self.base + 1
        bound = min(int(frames.low[frame]), int(frames.best[frame]))
        if frames.depth[0] == self.base:
            improved = frames.best[frame] < frames.cutoff[frame]
            value = int(frames.best[frame] if improved else frames.low[frame])
            return value, bool(improved and frames.best_exact[frame]), int(frames.best_guess[frame]) if improved else -1
        if frames.guess[frame] == UNEXPANDED:
            return 0, False, -1
        if frames.heap_count[frame] > 0:
            bound = min(bound, int(frames.heap_key[frame, 0]) >> self.key_bits)
        guess = int(frames.best_guess[frame]) if frames.best_exact[frame] else -1
        return min(bound, int(frames.total[frame])), False, guess

    def tree(
        self,
        plies: int,
        opening: int = -1,
        tick: Callable[[], None] = nothing,
        watch: Callable[[], None] = nothing,
        room: Callable[[], int] = lambda: SLICE,
    ) -> Tree:
        """Return the tree that plays, at every state, what a search to so many plies thinks best.

        Args:
            plies: how many guesses each search looks ahead.
            opening: the first guess, where it is not to be searched for.
            tick: called after every so many states of a search that goes on.
            watch: called after every slice and for every state of the tree.
            room: gives how many states may be searched before the next call of `tick`.
        """

        def choose(state: Counts, column: int, demand: int) -> int:
            watch()
            guess = self.formula(state, column, demand)
            if guess is not None:
                return guess
            if column == 0 and opening >= 0:
                return opening
            weightless = self.is_weightless(state)
            enough = 1 if weightless else plies
            slot = self.slot_of(state, column, demand)
            if slot >= 0 and self.memo.plies[slot] >= enough and self.memo.guess[slot] >= 0:
                return int(self.memo.guess[slot])
            self.begin(state, NO_BOUND, enough, demand, column)
            while self.advance_watched(room(), watch):
                if not weightless:
                    tick()
            return self.result()[2]

        numbers: list[int] = []
        for played in self.played(self.everything, FREE, choose):
            numbers += [played.guess, played.parent, played.answer]
        return Tree.from_list(self.game, numbers)

    def is_weightless(self, state: Counts) -> bool:
        """Tell whether it does not matter what is guessed at a state that has no formula."""
        return False

    def parts_after(self, state: Counts, demand: int, guess: int) -> list[Remainder]:
        """Return what each answer to a guess leaves of a state, but for the answer that ends the game."""
        row, after = self.table.answers[guess][state], self.game.guessing.demand_after
        answers = [int(answer) for answer in np.unique(row) if answer != self.table.found]
        return [Remainder(answer, state[row == answer], after(demand, guess, answer)) for answer in answers]

    def played(self, state: Counts, demand: int, choose: Callable[[Counts, int, int], int]) -> Iterator[Played]:
        """Yield every state of the tree that is played from one state on, each before its parts.

        `choose` gives the guess at a state, after how many guesses it comes, and what hard mode asks for there.
        """
        pending = [(Remainder(0, state, demand), -1, 0)]
        for node in itertools.count():
            if not pending:
                return
            (answer, state, demand), parent, column = pending.pop()
            guess = choose(state, column, demand)
            yield Played(state, guess, parent, answer)
            pending.extend((left, node, column + 1) for left in self.parts_after(state, demand, guess))

    def advance_watched(self, states: int, watch: Callable[[], None]) -> bool:
        """Tell whether there is more to search after so many states, or fewer where the memo grew or time is over.

        It is cut into slices whose size the clock sets, with a call of `watch` after each: how a search is cut into
        slices changes nothing in what it does. After the deadline nothing is searched, so whoever asks again must look
        at the deadline, in `watch` or between two calls.
        """
        memo, last = self.memo, self.nodes + states
        while True:
            began = time.monotonic()
            more = self.advance(min(self.pace, last - self.nodes), self.deadline)
            taken = time.monotonic() - began
            if taken > 2 * SLICE_TIME:
                self.pace = max(1, self.pace // 2)
            elif taken < SLICE_TIME:
                self.pace = min(2 * self.pace, self.fastest)
            watch()
            if not more or self.memo is not memo or self.nodes >= last or self.deadline.flag[0]:
                return more
