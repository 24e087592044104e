"""Regret matching+ for objectives other than the mean, with a planner that answers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular.costs import Costs
from oracular.objectives import table, within
from oracular.planner.planner import Planner
from oracular.solvers.guessing_problems import PlannedProblem
from oracular.solvers.regret_matching import RegretMatching
from oracular.strategies.greedy import GreedyEngine


def problem_of(game: oracular.Game, objective: oracular.Objective | None, **settings: int) -> PlannedProblem:
    return PlannedProblem(Planner(game, **{"room": 1 << 16, **settings}), GreedyEngine(game), objective=objective)


def objectives_of(game: oracular.Game) -> list[oracular.Objective]:
    rows = {secret: ["1", "2/3", "1/3", "0"][number % 3 :] for number, secret in enumerate(game.secrets)}
    return [within(3), within(5), table([1, 0.75, 0.5, 0.2, 0.1, 0]), table(rows, game)]


@pytest.mark.parametrize("number", range(4))
def test_regret_matching_comes_near_what_its_own_hider_cannot_exceed(jotto, number: int) -> None:
    game = jotto(2)
    objective = objectives_of(game)[number]
    solver = RegretMatching(problem_of(game, objective, width=16, root_width=51, small_width=8))
    for _ in range(60):
        solver.step()
    solver.conclude()
    outcome = solver.outcome()
    lost = sum(
        weight * objective.payoffs(tree.depths())
        for tree, weight in zip(outcome.mix.oracles, outcome.mix.weights, strict=True)
    )
    guarantee = Fraction(int(lost.max()), outcome.mix.total)
    asked = Costs.against(outcome.weights, objective)
    best = solver.problem.planner.respond(asked, explorations=2)
    answered = Fraction(int(outcome.weights @ objective.payoffs(best.depths())), int(outcome.weights.sum()))
    assert 0 <= guarantee - answered <= Fraction(6, 100) * objective.largest_loss


def test_with_losses_as_large_as_they_may_be_a_planned_tree_is_nearly_the_best() -> None:
    game = oracular.game("mastermind-3x4")
    steep = table([1 << 30, (1 << 30) - 3, 999_999_937, 123_456_789, 17, 0])
    ones = np.ones(len(game.secrets), np.int64)
    planner = problem_of(game, steep).planner
    tree = planner.respond(Costs.against(ones, steep), explorations=2)
    best = oracular.best_response(game, ones, objective=steep)
    worth = oracular.payoff(best.hider, tree, steep)
    assert best.proved and best.lower * Fraction(99, 100) <= worth <= best.upper
