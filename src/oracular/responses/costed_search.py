"""The compiled search where what a secret costs depends on the guess number at which it is found.

Against a hider the cost of finding a secret at a guess is its weight times its loss there (`Objective.losses`). The
search is that of `exact_search.py`, with another kernel: `kernels/exact/layered.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from oracular.games.game import Game
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan, plan_openings
from oracular.kernels.exact.layered import run_layered
from oracular.kernels.exact.layered_bounds import small_cost
from oracular.kernels.exact.layered_tables import CostTable, new_layered_space
from oracular.kernels.exact.tables import EXACT, ExpansionSpace
from oracular.kernels.exact.types import Bounds, Counts
from oracular.kernels.guessing import guessing_table
from oracular.objectives import Objective
from oracular.responses.compiled_search import MEMO_SLOTS, CompiledSearch, sorted_answers, state_keys
from oracular.responses.exact_search import ProvedBound, WeightedGame
from oracular.responses.greedy import GreedyEngine
from oracular.responses.limits import check_costs
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline

MOST_ALIKE = 256
"""Of secrets that are equally good to guess last, so many are compared by how evenly they split the others."""


@dataclass(frozen=True, eq=False)
class CostedGame:
    """A game, and what finding each secret at guess 1, 2, … costs, int64 [secrets, guesses].

    Costs never fall from one guess to the next, and those of the last guess hold for all later ones.

    Attributes:
        weights: the hider's, int64 [secrets]: a total of costs over their sum is an expected loss. Where nothing is
            left to win, the guesser plays well against them.
        plan: the openings to try, where what the game's symmetries come to has been worked out before.
    """

    game: Game
    costs: Bounds
    weights: Bounds
    plan: OpeningPlan | None = None

    def __post_init__(self) -> None:
        costs, weights = np.asarray(self.costs, np.int64), np.asarray(self.weights, np.int64)
        check_costs(costs, len(self.game.secrets))
        rising = np.flatnonzero((costs[:, 1:] > costs[:, :-1]).any(axis=0))
        columns = int(rising[-1]) + 2 if len(rising) else 1
        object.__setattr__(self, "costs", np.ascontiguousarray(costs[:, :columns]))
        object.__setattr__(self, "weights", weights)

    @classmethod
    def against(cls, game: Game, weights: Bounds, objective: Objective, plan: OpeningPlan | None = None) -> CostedGame:
        """Return the game in which a hider's weights and an objective say what each guess costs."""
        weights = np.asarray(weights, np.int64)
        losses = objective.losses_in(game)
        check_costs(losses, len(game.secrets), int(weights.max()))
        return cls(game, weights[:, None] * losses, weights, plan)

    @property
    def unit(self) -> int:
        """What a total is divided by to be an expected loss."""
        return int(self.weights.sum())

    def total(self, tree: Tree) -> int:
        """Return what a tree costs."""
        columns = np.minimum(tree.depths(), self.costs.shape[1]) - 1
        return int(self.costs[np.arange(len(columns)), columns].sum())

    @cached_property
    def least(self) -> int:
        """A cost that no tree goes below, by counting.

        One secret is found at the first guess, b at most at the second, b² at the third, where b answers go on. All
        others pay what each guess costs more than the one before, at least the least of such rises.
        """
        branches = len(self.game.labels) - 1
        total, found_by_then, room = int(self.costs[:, 0].sum()), 1, 1
        for rises in np.diff(self.costs, axis=1).T:
            late = len(rises) - found_by_then
            if late <= 0:
                break
            total += int(np.partition(rises, late - 1)[:late].sum())
            room *= max(branches, 1)
            found_by_then += room
        return total

    def carried_over(self, previous: ProvedBound) -> int:
        """Return a bound from one that was proved for other weights and the same losses.

        With c the least ratio of new to previous weights, V(new) >= c V(previous) + V(new - c previous), and the
        remainder costs at least what it costs to be found at once.
        """
        now, before = self.weights.tolist(), previous.weights.tolist()
        scale = min(Fraction(new, old) for new, old in zip(now, before, strict=True) if old > 0)
        least = self.costs[:, 0].tolist()
        rest = sum(cost * (1 - scale * old / new) for cost, new, old in zip(least, now, before, strict=True) if new > 0)
        bound = scale * previous.lower + rest
        return -(-bound.numerator // bound.denominator)

    @cached_property
    def labels(self) -> Bounds:
        """The same number for secrets that cost the same at every guess [secrets]."""
        return np.unique(self.costs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def new_search(self, memo_slots: int = MEMO_SLOTS, deadline: Deadline = NEVER) -> CostedSearch:
        """Return a search for the tree that costs least."""
        return CostedSearch(self, memo_slots, deadline)


def game_against(
    game: Game, weights: Bounds, objective: Objective, plan: OpeningPlan | None = None
) -> WeightedGame | CostedGame:
    """Return what the search for a best response to these weights is about."""
    if objective.is_mean:
        return WeightedGame(game, weights, plan)
    return CostedGame.against(game, weights, objective, plan)


class CostedSearch(CompiledSearch):
    """The compiled search over one game and one table of costs.

    A state is searched as it is at a column of the costs, counted from 0: at the guess after so many.
    """

    by_number = True

    def __init__(self, costed: CostedGame, memo_slots: int = MEMO_SLOTS, deadline: Deadline = NEVER) -> None:
        self.game = game = costed.game
        table = game.table_by(deadline)
        guesses, secrets = table.shape
        costs = costed.costs
        self.order = np.argsort(costs[:, 0] - costs[:, -1], kind="stable").astype(np.int32)
        plan = costed.plan or plan_openings(game, costed.labels, deadline)
        answers = sorted_answers(table, self.order, deadline)
        by_column = np.ascontiguousarray(costs[self.order].T)
        self.table = CostTable(
            answers=answers,
            finder=game.guess_of_secret[self.order],
            costs=by_column,
            ordered=int((np.diff(np.diff(by_column, axis=0), axis=1) <= 0).all()),
            keys=state_keys(secrets),
            found=game.found,
            openings=plan.openings,
            group=plan.group,
            group_from=plan.group_from,
            guessing=guessing_table(game),
        )
        self.costs = by_column
        self.last = len(by_column) - 1
        self.weights = costed.weights
        self.greedy = GreedyEngine(game, "possible")
        self.make_ready(plan, memo_slots, deadline, deepest=len(by_column))
        count = max(int(answers.max()), game.found) + 1
        self.layered = new_layered_space(len(self.frames.size), guesses, secrets, count)

    def begin(self, state: Counts, cutoff: int, plies: int, demand: int = FREE, column: int = 0) -> None:
        """Set up the stack to search a state that has no formula, in hard mode with a demand."""
        self.set_up(state, cutoff, plies, demand, column)

    def run_slice(self, space: ExpansionSpace, states: int, growth: int, pool_growth: int) -> int:
        """Return why the compiled search ended."""
        return int(
            run_layered(self.table, self.memo, self.frames, space, self.layered, self.base, states, growth, pool_growth)
        )

    def formula(self, state: Counts, column: int, demand: int = FREE) -> int | None:
        """Return the best guess at a state that needs no search, or None."""
        if len(state) == 1:
            return int(self.table.finder[state[0]])
        column = min(column, self.last)
        gains = self.costs[self.last, state] - self.costs[column, state]
        if not gains.any():  # nothing is left to win or lose: as few guesses as the greedy tree takes
            return self.greedy.guess(self.weights, np.sort(self.order[state]), demand=demand)
        if column + 1 == self.last:  # the last guess that counts: the secret that is worth most
            return self._most_even(state, state[gains == gains.max()])
        if len(state) <= 3:
            _, first, known = small_cost(self.table, state, len(state), column)
            return int(self.table.finder[first]) if known or self.game.guessing.rule == "possible" else None
        return None

    def _most_even(self, state: Counts, candidates: Counts) -> int:
        """Return, of the guesses that find one of the candidates, the one that splits the state most evenly."""
        guesses = self.table.finder[candidates[:MOST_ALIKE]]
        scores = [int((np.bincount(self.table.answers[guess][state]) ** 2).sum()) for guess in guesses]
        return int(guesses[int(np.argmin(scores))])


def warm_up() -> None:
    """Load or compile the search, and the playing of trees that it finds, on a game of five secrets."""
    tiny = Game.from_function("abcde", "abcde", lambda guess, secret: guess == secret)
    costs = np.array([[0, 0, 1, 2]] * 5)
    CostedGame(tiny, costs, np.ones(5, np.int64)).new_search().tree(EXACT).depths()
