"""The compiled branch and bound over one game and one set of weights, which may be stopped and continued."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from oracular.evaluation import exact_dot
from oracular.games.game import Game
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan, plan_openings
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.search import run
from oracular.kernels.exact.tables import ExpansionSpace, Table
from oracular.kernels.exact.types import Bounds, Counts
from oracular.kernels.guessing import guessing_table
from oracular.responses.compiled_search import MEMO_SLOTS, CompiledSearch, sorted_answers, state_keys
from oracular.responses.limits import counting_bound, fits_search
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline

CLOSED_FORM = 3
"""The best total of so many secrets has a formula."""


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
        return exact_dot(self.weights, tree.depths())

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


class ExactSearch(CompiledSearch):
    """The compiled search over one game and one set of weights."""

    key_bits = 1

    def __init__(self, weighted: WeightedGame, memo_slots: int = MEMO_SLOTS, deadline: Deadline = NEVER) -> None:
        self.game = weighted.game
        self.order, self.table, plan = weighted.table_by(deadline)
        self.make_ready(plan, memo_slots, deadline)

    def formula(self, state: Counts, column: int, demand: int = FREE) -> int | None:
        """Return the best guess at a state of a few secrets, or None; neither the guess number nor a demand matters."""
        if len(state) > CLOSED_FORM:
            return None
        return int(self.table.finder[small_total(self.table, state, len(state))[1]])

    def is_weightless(self, state: Counts) -> bool:
        """Tell whether no secret of a state has any weight."""
        return not self.table.weights[state].any()

    def begin(
        self, state: Counts, cutoff: int, plies: int, demand: int = FREE, column: int = 0, *, opening: int = -1
    ) -> None:
        """Set up the stack to search a state of four secrets or more, in hard mode with a demand.

        The guesses made before do not matter for the mean. Where the state is a part of an opening's split, the
        symmetries that keep the opening in place are made use of.
        """
        frames, base = self.frames, 0 if opening < 0 else 1
        self.set_up(state, cutoff, plies, demand, base)
        frames.weight[base + 1] = self.table.weights[state].sum()
        if opening >= 0:
            first, end = self.table.group_from[opening : opening + 2] if self.symmetric else (0, 0)
            frames.elements[base + 1, : end - first] = np.arange(first, end)
            frames.element_count[base + 1] = end - first

    def run_slice(self, space: ExpansionSpace, states: int, growth: int, pool_growth: int) -> int:
        """Return why the compiled search ended."""
        return int(run(self.table, self.memo, self.frames, space, self.base, states, growth, pool_growth))


def check_weights(weights: Bounds, secrets: int) -> None:
    """Raise ValueError unless the weights fit the game and the search's arithmetic."""
    if weights.shape != (secrets,):
        raise ValueError(f"{weights.shape} weights for {secrets} secrets")
    if (weights < 0).any() or not weights.any():
        raise ValueError("weights must not be negative, nor all zero")
    if not fits_search(sum(weights.tolist()), secrets):
        raise ValueError("weights too large: their sum times the number of secrets must stay below 2^59")
