"""The exact search of single states: a game as the compiled search reads it, and one search with its memo and stack.

The search numbers secrets by falling costs and guesses by falling numbers of answers; the methods of `StateSearch` take
and return the game's own numbers. Secrets that cost nothing are left out of its states, unless only possible secrets
may be guessed: they change nothing in the cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.costs import NO_BOUND, Costs
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan, plan_openings
from oracular.strategies.greedy import GreedyOracle, guesser_gbr_uniform
from oracular.system.control import NEVER, Deadline, DeadlinePassed

if TYPE_CHECKING:  # the kernels are loaded once something is searched
    from oracular.kernels.guessing import GuessingTable
    from oracular.kernels.search import SearchGame, SearchSpace
    from oracular.kernels.search_memo import Memo

ENDLESS = 1 << 62
"""More states than any search comes to."""

START, NO_OPENING = -1, -2
"""In place of an opening: the state is the whole game, whose symmetries hold; or none are known to hold."""

FIRST_SLOTS = 1 << 14
"""The slots of a memo before it grows; it doubles each time."""

MEMO_SLOTS = 1 << 23
"""The most slots of the memo of a search: 0.5 GB, and 0.8 GB for the secrets of states."""

SECRETS_A_SLOT = 24
"""The pool has room for this many secrets a slot: states are smaller on average."""

KEY_BITS = 128
"""Up to this many secrets a state's key in the memo is the state itself; beyond, the memo keeps the secrets as well."""

STEPS = 16
"""The target of a search rises by this part of the bound known. CRATE takes as long with 1, 4 and 16, more with 64."""


@dataclass(frozen=True, eq=False)
class SearchTable:
    """A game and its costs as the compiled search reads them; searches of several threads share it.

    Attributes:
        secrets, guesses: the game's number of each secret and guess of the search.
        scale: what costs are divided by in the search.
    """

    game: Game
    costs: Costs
    kernel: SearchGame
    secrets: Indices
    guesses: Indices
    scale: int

    @cached_property
    def secret_places(self) -> Indices:
        """The search's number of each secret, -1 if it is left out."""
        places = np.full(len(self.game.secrets), -1, np.int32)
        places[self.secrets] = np.arange(len(self.secrets))
        return places

    @cached_property
    def guess_places(self) -> Indices:
        """The search's number of each guess."""
        places = np.empty(len(self.guesses), np.int32)
        places[self.guesses] = np.arange(len(self.guesses))
        return places

    def state_of(self, secrets: Indices) -> Indices:
        """Return some secrets as a state of the search."""
        places = self.secret_places[secrets]
        return np.sort(places[places >= 0]).astype(np.int32)


def search_table(
    game: Game,
    costs: Costs,
    deadline: Deadline = NEVER,
    plan: OpeningPlan | None = None,
) -> SearchTable:
    """Return a game and costs as the search reads them, or raise `DeadlinePassed`.

    Args:
        game: the game.
        costs: what finding each secret costs.
        deadline: when to give up.
        plan: the game's symmetries, if they were worked out before for costs that these keep.
    """
    from oracular.kernels.search import LEVELS, SearchGame, arrange, count_answers

    answers = game.table_by(deadline)
    counts = np.any(costs.rise, axis=0) | np.full(len(game.secrets), game.guessing.rule == "possible")
    order = np.lexsort([np.arange(len(game.secrets)), *(-costs.rise)]).astype(np.int32)
    order = order[counts[order]]
    scale = max(1, int(np.gcd.reduce(costs.rise, axis=None)))
    rise = np.ascontiguousarray(costs.rise[:, order] // scale)
    count, size = len(answers), len(order)
    kinds = np.empty(count, np.int32)
    count_answers(answers, kinds)
    deadline.check()
    guesses = np.argsort(-kinds, kind="stable").astype(np.int32)
    columns = np.empty(size * count, np.uint8)
    arrange(answers, guesses, order, columns)
    deadline.check()
    places = np.empty(count, np.int32)
    places[guesses] = np.arange(count)
    finder = places[game.guess_of_secret[order]]
    hits = np.full(count, -1, np.int32)
    hits[finder] = np.arange(size)
    depth = len(rise)
    later = np.zeros((depth, LEVELS + 1, size), np.int64)
    for column in range(depth):
        for ahead in range(1, LEVELS + 1):
            later[column, ahead] = later[column, ahead - 1] + rise[min(column + 1 + ahead, depth - 1)]
    plan = plan or plan_openings(game, costs.labels, deadline)
    openings, group, group_from = _renumbered(plan, guesses, places)
    kernel = SearchGame(
        columns=columns,
        hits=hits,
        kinds=kinds[guesses],
        finder=finder,
        numbers=np.arange(max(count, size), dtype=np.int32),
        rise=rise,
        later=later,
        rest=np.ascontiguousarray(np.cumsum(rise[::-1], axis=0)[::-1]),
        aligned=bool((np.diff(rise, axis=1) <= 0).all()),
        keys=state_keys(size),
        guessing=_guessing_table(game, guesses),
        openings=openings,
        group=group,
        group_from=group_from,
    )
    return SearchTable(game, costs, kernel, order, guesses, scale)


def _guessing_table(game: Game, guesses: Indices) -> GuessingTable:
    from oracular.kernels.guessing import GuessingTable, guessing_table

    table = guessing_table(game)
    letters = table.letters[guesses] if len(table.letters) else table.letters
    return GuessingTable(
        table.rule, np.array(letters, np.uint8, order="C"), np.array(table.colours, np.uint8, order="C")
    )


def _renumbered(
    plan: OpeningPlan, guesses: Indices, places: Indices
) -> tuple[NDArray[np.uint8], Indices, NDArray[np.int64]]:
    """Return a plan's openings and symmetries in the search's numbers."""
    sizes = np.diff(plan.group_from)[guesses]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    group = np.empty(plan.group.shape, np.int32)
    for place in np.flatnonzero(sizes):
        first = plan.group_from[guesses[place]]
        group[ends[place] : ends[place + 1]] = places[plan.group[first : first + sizes[place]][:, guesses]]
    return plan.openings[guesses].astype(np.uint8), group, ends


def state_keys(secrets: int) -> NDArray[np.uint64]:
    """Return each secret's share of a state's key, uint64 [secrets, 2]: a bit of its own if 128 bits are enough."""
    if secrets > KEY_BITS:
        return np.random.default_rng(1).integers(0, 2**64, (secrets, 2), np.uint64)
    keys = np.zeros((secrets, 2), np.uint64)
    for secret in range(secrets):
        keys[secret, secret // 64] = np.uint64(1) << np.uint64(secret % 64)
    return keys


def _new_space(kernel: SearchGame, room: int) -> SearchSpace:
    from oracular.kernels.search import ANSWERS, FIELDS, LANES, LEVELS, SearchSpace

    guesses, secrets = len(kernel.hits), len(kernel.finder)
    both = guesses + secrets + 2 * ANSWERS
    slots = 1 << (2 * guesses - 1).bit_length()
    return SearchSpace(
        labels=np.empty(room * (2 * guesses * secrets + both), np.uint8),
        ints=np.empty(room * 16 * both + len(kernel.group), np.int32),
        sums=np.empty(room * 8 * both, np.int64),
        cell=np.zeros(ANSWERS, np.int64),
        size=np.zeros(ANSWERS, np.int32),
        slot=np.zeros(slots, np.int32),
        slot_tick=np.zeros(slots, np.int64),
        offsets=np.zeros(secrets, np.int64),
        repeats=np.zeros(LANES, np.int32),
        same=np.zeros(LANES, np.uint8),
        bits=np.zeros((4, LANES), np.uint64),
        salt=np.random.default_rng(2).integers(0, 2**64, secrets, np.uint64),
        where=np.zeros(both, np.int32),
        where_tick=np.zeros(both, np.int64),
        level=np.zeros(secrets + 1, np.int64),
        more=np.zeros((LEVELS + 1, secrets), np.int64),
        order=np.zeros(secrets, np.int32),
        late=np.zeros(secrets + 1, np.int64),
        tick=np.zeros(3, np.int64),
        frames=np.zeros((secrets + 2, FIELDS), np.int64),
        limits=np.zeros(3, np.int64),
        status=np.zeros(1, np.int64),
        lower=np.zeros(1, np.int64),
        stop=np.zeros(1, np.uint8),
    )


class Bound(NamedTuple):
    """What is proved of a state: a bound on its least cost, whether that is exact, and if so the guess, or -1."""

    cost: int
    exact: bool
    guess: int


class StateSearch:
    """An exact search with its memo and its stack; one thread at a time can use it.

    Attributes:
        deadline: the search ends early when it passes.
    """

    def __init__(self, table: SearchTable, deadline: Deadline = NEVER, most_slots: int | None = None) -> None:
        self.table, self.deadline = table, deadline
        self._most_slots = most_slots or MEMO_SLOTS
        self._memo = self._new_memo(min(FIRST_SLOTS, self._most_slots))
        self._room = 2
        self._space = _new_space(table.kernel, self._room)

    @property
    def states(self) -> int:
        """How many states were searched so far."""
        return int(self._memo.used[2])

    @property
    def lower(self) -> int:
        """What the search that is running, or ran last, has proved so far."""
        return int(self._space.lower[0]) * self.table.scale

    def bound(
        self,
        secrets: Indices,
        column: int = 0,
        constraint: int = FREE,
        *,
        target: int | None = None,
        opening: int = NO_OPENING,
        lower: int = 0,
        states: int = ENDLESS,
    ) -> Bound:
        """Return what is proved of a state: its least cost, or a bound that reaches the target.

        If the deadline passes or the limit is reached first, the bound is what was proved by then. A later call does
        not search again what this one has searched.

        Args:
            secrets: those of the state.
            column: that of the next guess in the costs.
            constraint: what hard mode asks of the next guess.
            target: costs from here on do not matter; by default all do.
            opening: the guess made before, or `START`, whose symmetries are made use of; or `NO_OPENING`.
            lower: a bound known before.
            states: how many states may be searched.
        """
        from oracular.kernels.search import MEMO_FULL, NO_ROOM, search_state

        table = self.table
        state = table.state_of(secrets)
        if len(state) == 0:
            return Bound(0, True, -1)
        scale, kernel = table.scale, table.kernel
        goal = NO_BOUND if target is None else -(-target // scale)
        at = opening if opening < 0 else int(table.guess_places[opening])
        known = max(0, -(-lower // scale))
        last = self.states + min(states, ENDLESS)
        step = max(1, kernel.rise[0, state].sum(), known) // STEPS
        flag = self.deadline.flag
        while True:
            memo, space = self._memo, self._space._replace(stop=flag)
            may_grow = len(memo.size) < self._most_slots
            space.limits[:] = last, len(memo.size) * 6 // 10 if may_grow else NO_BOUND, len(memo.pool) * 9 // 10
            cost, exact, guess = search_state(
                kernel, memo, space, state, column, constraint, at, len(table.game.labels) - 1, known, goal,
                max(1, step),
            )  # fmt: skip
            known = max(known, cost)
            status = int(space.status[0])
            if status == NO_ROOM:
                self._room *= 2
                self._space = _new_space(kernel, self._room)
            elif status == MEMO_FULL:
                self._grow()
            else:
                found = int(table.guesses[guess]) if exact and guess >= 0 else -1
                return Bound((cost if exact else known) * scale, bool(exact), found)

    def forget(self) -> None:
        """Empty the memo; how many states were searched is kept."""
        states = self.states
        self._memo = self._new_memo(min(FIRST_SLOTS, self._most_slots))
        self._memo.used[2] = states

    def guesses(
        self, secrets: Indices, column: int = 0, constraint: int = FREE, opening: int = NO_OPENING
    ) -> dict[bytes, int]:
        """Return the guesses of a best tree of a state, by the secrets they are made at, or raise `DeadlinePassed`.

        Secrets are named as `with_guesses` does; for single ones there is no guess. Among
        equally good guesses it takes the first that the search tries,
        which does not depend on what the memo has.
        """
        game, found = self.table.game, {}
        answers = game.table
        after = game.guessing.demand_after
        pending = [(np.sort(secrets).astype(np.int32), column, constraint, opening)]
        while pending:
            state, column, constraint, opening = pending.pop()
            guess = self._guess(state, column, constraint, opening)
            found[state.tobytes()] = guess
            row, column = answers[guess, state], min(column + 1, self.table.costs.last)
            order = np.argsort(row, kind="stable")
            ends = np.flatnonzero(np.diff(row[order])) + 1
            for part in np.split(state[order], ends):
                if len(part) > 1:  # a single secret is guessed
                    answer = int(answers[guess, part[0]])
                    pending.append((part, column, after(constraint, guess, answer), NO_OPENING))
        return found

    def _guess(self, state: Indices, column: int, constraint: int, opening: int) -> int:
        from oracular.kernels.search import best_guess

        places = self.table.state_of(state)
        known = best_guess(self.table.kernel, self._memo, places, column, constraint) if len(places) else -1
        if known >= 0:
            return int(self.table.guesses[known])
        best = self.bound(state, column, constraint, opening=opening)
        if not best.exact:
            raise DeadlinePassed
        if best.guess >= 0:
            return best.guess
        oracle = self._spread  # nothing is at stake: split the secrets as well as can be
        return int(oracle.engine.guess(oracle.weights, state, self.deadline, constraint))

    @cached_property
    def _spread(self) -> GreedyOracle:
        return guesser_gbr_uniform(self.table.game, "possible")

    def _new_memo(self, slots: int) -> Memo:
        from oracular.kernels.search_memo import new_memo

        return new_memo(slots, 0 if len(self.table.secrets) <= KEY_BITS else slots * SECRETS_A_SLOT)

    def _grow(self) -> None:
        """Double the memo, unless the deadline passes meanwhile."""
        from oracular.kernels.search_memo import copy_into

        memo, room = self._memo, np.empty(len(self.table.secrets), np.int32)
        larger = self._new_memo(2 * len(memo.size))
        if copy_into(memo, larger, room, self.deadline.flag):
            self._memo = larger
