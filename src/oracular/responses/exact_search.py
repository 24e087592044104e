"""The compiled branch and bound over one game and one set of weights, which may be stopped and gone on with.

`kernels/exact` does the work; here are its memo, which grows, the slices that it is cut into, and the trees that it
thinks best.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from oracular.games.game import Game
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan, plan_openings
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.memo import NUMBER_BITS, copy_into, find
from oracular.kernels.exact.search import FULL, MORE, UNEXPANDED, run
from oracular.kernels.exact.tables import (
    LEVELS,
    NO_BOUND,
    ExpansionSpace,
    Memo,
    Table,
    new_expansion_space,
    new_frames,
    new_memo,
)
from oracular.kernels.exact.types import Bounds, Bytes, Counts
from oracular.kernels.guessing import guessing_table
from oracular.responses.limits import counting_bound, fits_search
from oracular.responses.memo_room import make_room
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.deadline import NEVER, Deadline

FIRST_SLOTS = 1 << 16
KEY_BITS = 128
"""Up to so many secrets a state's key in the memo is the state itself; beyond, the memo keeps the secrets as well."""

WORK_OF_A_SLICE = 500_000_000
"""A slice may look up about so many answers if all of its states turn out to be as large as can be: half a second."""

SECRETS_A_SLOT = 24
MEMO_SLOTS = 1 << 23
SLICE = 200
"""States expanded for a tree between two looks at how many there were in all."""

SLICE_TIME = 0.05
"""Compiled slices are made to take about so many seconds: between two of them the clock is looked at."""

CELLS_AT_A_TIME = 1 << 22
"""Answers that are put in order between two looks at the deadline."""


MOST_AT_ONCE = 1 << 40
"""The states of a search that only the clock cuts into slices."""


def nothing() -> None:
    """Do nothing: nobody watches."""


class ProvedBound(NamedTuple):
    """A lower bound on the total of all trees, and the weights that it was proved for."""

    weights: Bounds
    lower: int


def carried_over(weights: Bounds, previous: ProvedBound) -> int:
    """Return a bound for new weights from one proved for others: the optimum is concave and grows with every weight.

    With c the least ratio of new to previous weights, V(new) >= c V(previous) + V(new - c previous), and the remainder
    needs at least one guess for all of it.
    """
    now, before = weights.tolist(), previous.weights.tolist()
    scale = min(Fraction(new, old) for new, old in zip(now, before, strict=True) if old > 0)
    remainder = sum(now) - scale * sum(before)
    bound = scale * previous.lower + remainder
    return -(-bound.numerator // bound.denominator)


class SearchTable(NamedTuple):
    """A game as the search reads it, the secrets in its order, and the openings to try."""

    order: Counts
    table: Table
    plan: OpeningPlan


@dataclass(frozen=True, eq=False)
class WeightedGame:
    """A game, and the hider's weights that are responded to, int64 [secrets].

    The plan is of the openings to try, where what the game's symmetries come to has been worked out before.
    """

    game: Game
    weights: Bounds
    plan: OpeningPlan | None = None
    _table: SearchTable | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", np.asarray(self.weights, np.int64))

    @classmethod
    def of(cls, hider: Hider) -> WeightedGame:
        """Return a hider's game with its weights."""
        return cls(hider.game, hider.weights)

    @property
    def least(self) -> int:
        """A total that no tree goes below, by counting."""
        return counting_bound(self.weights, len(self.game.labels) - 1)

    @property
    def unit(self) -> int:
        """What a total is divided by to be an expected number of guesses: what the weights add up to."""
        return int(self.weights.sum())

    def total(self, tree: Tree) -> int:
        """Return a tree's total of weight times depth."""
        return int(self.weights @ tree.depths())

    def carried_over(self, previous: ProvedBound) -> int:
        """Return a bound from one that was proved for other weights."""
        return carried_over(self.weights, previous)

    def table_by(self, deadline: Deadline) -> SearchTable:
        """Return the game as the search reads it, worked out once for all searches; `DeadlinePassed` after that."""
        if self._table is None:
            object.__setattr__(self, "_table", self._new_table(deadline))
        assert self._table is not None
        return self._table

    def _new_table(self, deadline: Deadline) -> SearchTable:
        game, weights = self.game, self.weights
        answers = game.table_by(deadline)
        check_weights(weights, len(game.secrets))
        order = np.argsort(-weights, kind="stable").astype(np.int32)
        plan = self.plan or plan_openings(game, weights, deadline)
        table = Table(
            answers=sorted_answers(answers, order, deadline),
            finder=game.guess_of_secret[order],
            weights=weights[order],
            keys=state_keys(len(order)),
            found=game.found,
            openings=plan.openings,
            group=plan.group,
            group_from=plan.group_from,
            guessing=guessing_table(game),
        )
        return SearchTable(order, table, plan)

    def new_search(self, memo_slots: int, deadline: Deadline) -> ExactSearch:
        """Return a search for the tree with the least total."""
        return ExactSearch(self, memo_slots, deadline)


class CompiledSearch(ABC):
    """What the compiled searches have in common: the game, the stack, and the memo that all searches of one share.

    Where the deadline passes while it is made ready, `DeadlinePassed` is raised. After that the search itself only ends
    a slice early, and can be gone on with: with another `deadline`, where that is set meanwhile.

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
        slots = min(FIRST_SLOTS, self.memo_slots)
        self.memo = new_memo(slots, 0 if len(self.order) <= KEY_BITS else slots * SECRETS_A_SLOT)

    @property
    @abstractmethod
    def has_formula(self) -> bool:
        """Whether no search is needed."""

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

    @abstractmethod
    def begin(self, state: Counts, cutoff: int, plies: int) -> None:
        """Set up the stack to search a state that has no formula."""

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
            larger = new_memo(2 * slots, 2 * pool)
            if copy_into(self.memo, larger, self.everything, deadline.flag):
                self.memo = larger
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

    @abstractmethod
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

    def advance_watched(self, states: int, watch: Callable[[], None]) -> bool:
        """Tell whether the search goes on after so many more states, or after fewer where the memo had to grow.

        It is cut into slices whose size the clock sets, with a call of `watch` after each: how a search is cut into
        slices changes nothing in what it does.
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
            if not more or self.memo is not memo or self.nodes >= last:
                return more


class ExactSearch(CompiledSearch):
    """The compiled search over one game and one set of weights."""

    key_bits = 1

    def __init__(self, weighted: WeightedGame, memo_slots: int = MEMO_SLOTS, deadline: Deadline = NEVER) -> None:
        self.game = weighted.game
        self.order, self.table, plan = weighted.table_by(deadline)
        self.make_ready(plan, memo_slots, deadline)

    @property
    def has_formula(self) -> bool:
        """Whether no search is needed."""
        return len(self.order) <= 3

    def begin(self, state: Counts, cutoff: int, plies: int, demand: int = FREE, opening: int = -1) -> None:
        """Set up the stack to search a state of four secrets or more, in hard mode with a demand.

        Where the state is a part of an opening's split, the symmetries that keep the opening in place are made use of.
        """
        frames = self.frames
        self.base = base = 0 if opening < 0 else 1
        frame = base + 1
        frames.list_frame[base] = 0
        frames.thresholds[base] = frames.thresholds[0]
        frames.parts[base, : len(state)] = state
        frames.start[frame] = 0
        frames.size[frame] = len(state)
        frames.weight[frame] = self.table.weights[state].sum()
        frames.demand[frame] = demand
        frames.keys[frame] = self.key(state)
        frames.cutoff[frame] = cutoff
        frames.plies[frame] = plies
        frames.guess[frame] = UNEXPANDED
        frames.element_count[frame] = 2 if self.symmetric and len(state) == len(self.order) else 0
        if opening >= 0:
            first, end = self.table.group_from[opening : opening + 2] if self.symmetric else (0, 0)
            frames.elements[frame, : end - first] = np.arange(first, end)
            frames.element_count[frame] = end - first
        frames.depth[0] = frame

    def run_slice(self, space: ExpansionSpace, states: int, growth: int, pool_growth: int) -> int:
        """Return why the compiled search ended."""
        return int(run(self.table, self.memo, self.frames, space, self.base, states, growth, pool_growth))

    def tree(
        self,
        plies: int,
        opening: int = -1,
        tick: Callable[[], None] = nothing,
        watch: Callable[[], None] = nothing,
        room: Callable[[], int] = lambda: SLICE,
    ) -> Tree:
        """Return the tree that plays, at every state, what a search to so many plies thinks best."""

        def settle(state: Counts, demand: int) -> int:
            weightless = not self.table.weights[state].any()
            enough = 1 if weightless else plies
            slot = find(self.memo, demand << NUMBER_BITS, *self.key(state), state)
            if slot >= 0 and self.memo.plies[slot] >= enough and self.memo.guess[slot] >= 0:
                return int(self.memo.guess[slot])
            self.begin(state, NO_BOUND, enough, demand)
            while self.advance_watched(room(), watch):
                if not weightless:
                    tick()
            return self.result()[2]

        numbers: list[int] = []
        pending = [(self.everything, -1, 0, FREE)]
        after = self.game.guessing.demand_after
        while pending:
            watch()
            state, parent, answer, demand = pending.pop()
            if len(state) <= 3:
                guess = int(self.table.finder[small_total(self.table, state, len(state))[1]])
            elif parent == -1 and opening >= 0:
                guess = opening
            else:
                guess = settle(state, demand)
            node = len(numbers) // 3
            numbers += [guess, parent, answer]
            row = self.table.answers[guess][state]
            answers = [int(a) for a in np.unique(row) if a != self.table.found]
            pending.extend((state[row == a], node, a, after(demand, guess, a)) for a in answers)
        return Tree.from_list(self.game, numbers)


def sorted_answers(answers: Bytes, order: Counts, deadline: Deadline) -> Bytes:
    """Return the table with its secrets in another order: uint8[guesses, secrets]."""
    result = np.empty(answers.shape, np.uint8)
    rows = max(1, CELLS_AT_A_TIME // answers.shape[1])
    for start in range(0, len(answers), rows):
        deadline.check()
        result[start : start + rows] = answers[start : start + rows, order]
    return result


def check_weights(weights: Bounds, secrets: int) -> None:
    """Raise ValueError unless the weights fit the game and the search's arithmetic."""
    if weights.shape != (secrets,):
        raise ValueError(f"{weights.shape} weights for {secrets} secrets")
    if (weights < 0).any() or not weights.any():
        raise ValueError("weights must not be negative, nor all zero")
    if not fits_search(sum(weights.tolist()), secrets):
        raise ValueError("weights too large: their sum times the number of secrets must stay below 2^59")


def state_keys(secrets: int) -> np.ndarray:
    """Return each secret's share of a state's key, uint64[secrets, 2]: a bit of its own where 128 bits are enough."""
    if secrets > KEY_BITS:
        return np.random.default_rng(1).integers(0, 2**64, (secrets, 2), np.uint64)
    keys = np.zeros((secrets, 2), np.uint64)
    for secret in range(secrets):
        keys[secret, secret // 64] = np.uint64(1) << np.uint64(secret % 64)
    return keys
