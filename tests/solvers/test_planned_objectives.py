"""Regret matching+ for objectives other than the mean, with a planner that answers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular.objectives import table, within
from oracular.responses.greedy import GreedyEngine
from oracular.responses.planned import Planner
from oracular.responses.problems import PlannedProblem
from oracular.solvers.regret_matching import RegretMatching
from oracular.system.deadline import Deadline, DeadlinePassed


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
    best = solver.problem.planner.respond_to(outcome.weights[:, None] * objective.losses_in(game), explorations=2)
    answered = Fraction(int(outcome.weights @ objective.payoffs(best.depths())), int(outcome.weights.sum()))
    assert 0 <= guarantee - answered <= Fraction(6, 100) * objective.largest_loss


def test_a_run_goes_on_after_a_break_as_if_there_had_been_none(jotto) -> None:
    game = jotto(2)
    objective = objectives_of(game)[3]
    whole, broken = (RegretMatching(problem_of(game, objective)) for _ in range(2))
    history = []
    for step in range(6):
        if step == 3:
            kept = broken.checkpoint(), broken.arrays()
            broken = RegretMatching(problem_of(game, objective))
            broken.restore(*kept, history)
            assert broken.stands == whole.stands
        history.append(broken.step())
        assert whole.step() == history[-1]


def test_problems_of_different_objectives_are_not_the_same_and_the_mean_is_named_as_before(jotto) -> None:
    game = jotto(2)
    plain, mean, *others = (
        problem_of(game, objective).identity
        for objective in (None, oracular.objective("mean", game), *objectives_of(game))
    )
    assert plain == mean and len({mean, *others}) == 5
    assert all(other.startswith(mean) for other in others)


def test_a_response_that_is_cut_off_leaves_no_trace(jotto) -> None:
    problem = problem_of(jotto(2), within(4))
    weights = np.ones(51, dtype=np.int64)
    problem.respond(weights)
    before = problem.planner.as_arrays()
    with pytest.raises(DeadlinePassed):
        problem.respond(weights, Deadline.after(-1))
    after = problem.planner.as_arrays()
    assert all(np.array_equal(before[name], after[name]) for name in before) and problem.responses == 1


def test_with_losses_as_large_as_they_may_be_a_planned_tree_is_nearly_the_best() -> None:
    game = oracular.game("mastermind-3x4")
    steep = table([1 << 30, (1 << 30) - 3, 999_999_937, 123_456_789, 17, 0])
    ones = np.ones(len(game.secrets), np.int64)
    planner = problem_of(game, steep).planner
    tree = planner.respond_to(ones[:, None] * steep.losses_in(game), explorations=2)
    best = oracular.best_response(game, ones, objective=steep)
    worth = oracular.payoff(best.hider, tree, steep)
    assert best.proved and best.lower * Fraction(99, 100) <= worth <= best.upper
