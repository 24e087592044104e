"""The exact solver: equilibria that are proved, with a certificate, for games that are small enough.

It wraps `ExactEquilibrium` (a linear program over the moves found so far, and exact best responses) as a solver that
the driver can step, keep and resume.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypedDict

import numpy as np

from oracular.evaluation import Standing, exact_dot, loss_totals
from oracular.games.game import Game
from oracular.objectives import Objective
from oracular.search.best_response import with_greedy_fallback
from oracular.solvers.exact.certificate import MEAN, has_symmetries
from oracular.solvers.exact.equilibrium import ExactEquilibrium
from oracular.solvers.guessing_problems import ExactProblem
from oracular.solvers.solver import Arrays, Outcome, Record, Solver, standing_of
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture, SymmetricMixture
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Deadline, DeadlinePassed
from oracular.system.files import Whole, read_as

SECONDS_A_SECRET = 5e-5
"""Writing a tree down takes about this for each secret, measured."""


class _Record(TypedDict):
    """What a record of the history has besides its figures."""

    lower: Fraction
    upper: Fraction
    states_searched: Whole


class ExactSolver(Solver):
    """Steps towards the exact equilibrium until lower bound meets upper bound."""

    name = "exact"

    def __init__(self, game: Game, objective: Objective = MEAN) -> None:
        objective.check_is_mixed(game)
        self.problem = ExactProblem(game, objective)
        self._game, self._objective = game, objective
        self._equilibrium = ExactEquilibrium(game, objective)
        self._best: Standing | None = None
        self._outcome: Outcome | None = None

    @property
    def iteration(self) -> int:  # type: ignore[override]
        """The last step made, or -1."""
        return self._equilibrium.steps - 1

    @property
    def best(self) -> Standing:
        """How the strategies stand; here the guesser's epsilon is measured against the proved lower bound."""
        assert self._best is not None
        return self._best

    @property
    def finished(self) -> bool:
        """Whether the equilibrium is proved, or no more can be proved of it."""
        return self._equilibrium.solved or self._equilibrium.stuck

    @property
    def seconds_to_conclude(self) -> float:
        """About how long it takes to write down the trees that no checkpoint has been written with yet."""
        certified = [] if self._outcome is None else self._outcome.certificate.trees
        unwritten = sum(not tree.written for tree in [*self._equilibrium.trees, *certified])
        return unwritten * len(self._game.secrets) * SECONDS_A_SECRET

    def warm_up(self) -> None:
        """Load or compile the search."""
        self.problem.warm_up()

    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one step and return its record."""
        before = self._equilibrium.kept()
        try:
            self._equilibrium.step(deadline)
            outcome = self._strategies(deadline)
            deadline.check()
        except DeadlinePassed:
            self._equilibrium.put_back(before)
            raise
        self._outcome = outcome
        self._equilibrium.deadline = NEVER
        assert outcome.lower is not None
        lost = loss_totals(outcome.mix, self._objective)
        hider, whole = Hider(self._game, outcome.weights), outcome.mix.total
        played = Fraction(exact_dot(hider.weights, lost), hider.total * whole)
        upper = Fraction(int(lost.max()), whole)
        self._best = Standing(
            self_play=float(played),
            guarantee=float(upper),
            epsilon_hider=float(upper - played),
            epsilon_guesser=float(played - outcome.lower),
        )
        return {
            "iteration": self.iteration,
            "lower": str(outcome.lower),
            "upper": str(upper),
            "states_searched": self._equilibrium.nodes,
            **vars(self._best),
        }

    def checkpoint(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {"equilibrium": self._equilibrium.to_data(), "best": vars(self.best)}

    def restore(
        self, checkpoint: Record, arrays: Arrays, history: Sequence[Record], deadline: Deadline = NEVER
    ) -> None:
        """Take up the state that `checkpoint` returned; `ValueError` where it is none."""
        best = standing_of(checkpoint.get("best"), history[-1])
        for record in history:
            read_as(_Record, record)
        self._equilibrium.restore(checkpoint.get("equilibrium"), len(history), deadline)
        self._best = best
        self._equilibrium.deadline = deadline
        self._outcome = self._strategies(deadline)
        self._equilibrium.deadline = NEVER

    def outcome(self, history: Sequence[Record] = ()) -> Outcome:
        """Return the strategies that the bounds are proved of."""
        self._outcome = self._outcome or self._strategies()
        return self._outcome

    def _strategies(self, deadline: Deadline = NEVER) -> Outcome:
        """Return the strategies of the state as it is, with their depths added up."""
        certificate = self._equilibrium.certificate()
        guesser = mixture_of(certificate.trees, certificate.shares, has_symmetries(self._game, self._objective))
        guesser.added_up(deadline)
        weights = np.array(certificate.weights, dtype=object)
        lower = self._objective.loss(certificate.bound)
        return Outcome(weights, guesser, lower=lower, certificate=certificate)


def mixture_of(trees: list[Tree], shares: list[Fraction], symmetric: bool) -> Mixture:
    """Return the mixture of trees with these shares, played under a random symmetry where the game has any."""
    common = lcm(*(share.denominator for share in shares))
    weights = [int(share * common) for share in shares]
    oracles = [with_greedy_fallback(tree) for tree in trees]
    return SymmetricMixture(oracles, weights) if symmetric else Mixture(oracles, weights)
