"""The exact solver finds the value of the game in any objective, and its certificate proves it there."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Objective
from oracular.errors import RunError, SettingsError
from oracular.evaluation import guarantee
from oracular.objectives import mean, table, within, worst
from oracular.solvers.exact.certificate import Certificate, read_certificate, verify_certificate, write_certificate
from oracular.solvers.exact.solver import ExactSolver
from oracular.solvers.guessing_problems import ExactProblem

from objective_twin import depth_vectors, least_cost, matrix_value, seeded_game, seeded_utilities


def value_of_all_trees(game, objective: Objective) -> float:
    """Return the value of the game by the linear program over all trees, in the objective."""
    rows = {tuple(objective.payoffs(np.array(depths)).tolist()) for depths in depth_vectors(game)}
    return (objective.top - matrix_value(sorted(rows))) / objective.unit


def solved(game, objective: Objective) -> ExactSolver:
    solver = ExactSolver(game, objective)
    while not solver.finished:
        solver.step()
    return solver


def check_values(seed: int, games: int, most_secrets: int) -> None:
    rng = random.Random(seed)
    for number in range(games):
        game = seeded_game(rng, most_secrets)
        chosen = [
            within(rng.randint(1, 3)),
            table([Fraction(utility, 7) for utility in seeded_utilities(rng, rng.randint(1, 5))]),
            table({secret: seeded_utilities(rng, rng.randint(1, 4)) for secret in game.secrets}, game),
        ][number % 3]
        outcome = solved(game, chosen).outcome()
        certificate = outcome.certificate
        assert certificate.complete and verify_certificate(game, certificate)
        assert float(certificate.lower) == pytest.approx(value_of_all_trees(game, chosen), abs=1e-6)
        assert guarantee(outcome.mix, chosen) == certificate.guarantee == chosen.value(outcome.lower)


def test_the_value_is_that_of_the_linear_program_over_all_trees():
    check_values(1, 24, most_secrets=5)


@pytest.mark.slow
def test_the_value_is_that_of_the_linear_program_over_all_trees_of_many_games():
    check_values(2, 300, most_secrets=6)


@pytest.mark.parametrize(
    "name, chosen, value",
    [
        ("mastermind-2x3", "within-2", "5/9"),
        ("mastermind-2x4", "within-3", "13/16"),
        ("mastermind-3x3", "within-3", "26/27"),
        pytest.param("jotto-2", "within-4", "14/51", marks=pytest.mark.slow),
    ],
)
def test_known_chances_within_some_guesses(name, chosen, value):
    solution = oracular.solve(name, solver="exact", objective=chosen)
    assert str(solution.lower) == str(solution.upper) == value
    assert verify_certificate(solution.game, solution.certificate)


def test_a_table_that_symmetries_do_not_keep_is_solved_without_them():
    game = oracular.game("mastermind-2x2")
    chosen = table({game.secrets[1]: [5, 4, 0], "others": [3, 1, 0]}, game)
    certificate = solved(game, chosen).outcome().certificate
    assert float(certificate.lower) == pytest.approx(value_of_all_trees(game, chosen), abs=1e-6)
    assert certificate.complete and verify_certificate(game, certificate)


def test_a_certificate_keeps_its_objective_in_its_file(tmp_path):
    game = oracular.game("mastermind-2x3")
    path = tmp_path / "certificate.json"
    for chosen in (within(2), table({game.secrets[2]: [1, "1/3"], "others": [1, 0.5, 0]}, game)):
        certificate = solved(game, chosen).outcome().certificate
        write_certificate(path, game, certificate)
        again = read_certificate(path).of(game)
        assert again.objective.identity == chosen.identity
        assert again.to_data() == certificate.to_data() and verify_certificate(game, again)
    told = json.loads(path.read_text())
    for wrong in ("within-0", "within-1000", "worst", "mean", 3, {"utilities": [0, 1]}, {"rows": []}):
        path.write_text(json.dumps({**told, "objective": wrong}))
        with pytest.raises(RunError, match="is not a certificate, or is damaged"):
            read_certificate(path).of(game)


def test_a_certificate_of_another_objective_or_with_other_bounds_proves_nothing():
    game = oracular.game("mastermind-2x3")
    honest = solved(game, within(2)).outcome().certificate
    step = Fraction(1, 9)
    for false in (
        replace(honest, objective=within(3)),
        replace(honest, objective=mean()),
        replace(honest, lower=honest.lower + step, upper=honest.upper + step),
        replace(honest, upper=honest.upper - step),
        replace(honest, lower=honest.lower - step, upper=honest.upper - step),
    ):
        with pytest.raises(RunError, match="proves nothing"):
            verify_certificate(game, false)
    loose = replace(honest, upper=honest.upper + step)
    assert verify_certificate(game, loose) and not loose.complete


def test_the_exact_problem_answers_with_the_best_tree_and_its_losses():
    game = oracular.game("mastermind-2x3")
    weights = np.arange(1, 10)
    problem = ExactProblem(game, within(2))
    response = problem.respond(weights)
    assert set(response.payoffs.tolist()) <= {0, 1}
    assert int(weights @ response.payoffs) == least_cost(game, (weights[:, None] * within(2).losses_in(game)).tolist())
    assert problem.identity != ExactProblem(game).identity != ExactProblem(game, within(3)).identity
    assert ExactProblem(game).identity == ExactProblem(game, mean()).identity


def test_the_worst_case_is_no_game_between_two_sides():
    with pytest.raises(SettingsError, match="worst"):
        ExactSolver(oracular.game("mastermind-2x2"), worst())


def test_the_certificate_of_the_mean_is_written_as_ever():
    game = oracular.game("mastermind-2x2")
    certificate = solved(game, mean()).outcome().certificate
    assert list(certificate.to_data()) == ["lower", "upper", "weights", "shares", "trees"]
    assert Certificate.from_data(game, certificate.to_data()).objective.is_mean
