"""What every solver must hold, on games whose value is known."""

from __future__ import annotations

import json
import os
import signal
from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Mixture, load_run, payoff
from oracular.runs.folder import Run
from oracular.runs.solution import SOLVERS

VALUES = {
    "jotto-2": Fraction(60882015, 10367053),
    "mastermind-2x3": Fraction(29, 12),
    "mastermind-3x3": Fraction(73, 27),
    "bulls-3x5": Fraction(49, 15),
}
STEPS = {"fictitious-play": 60, "regret-matching": 40, "double-oracle": 40, "exact": 8}
NEAR = {"fictitious-play": 2.0, "regret-matching": 0.2, "double-oracle": 0.5, "exact": 0.5}
"""How far above the value the guarantee may be after so few steps."""


@pytest.fixture(scope="module", params=[(solver, game) for solver in SOLVERS for game in VALUES], ids="-".join)
def solved(request):
    solver, name = request.param
    return oracular.solve(
        name, solver=solver, iterations=STEPS[solver], resources=oracular.Resources(threads=1)
    ), VALUES[name]


def test_the_guarantee_is_never_below_the_value_and_comes_near_it(solved):
    solution, value = solved
    assert solution.guarantee >= value
    assert float(solution.guarantee - value) < NEAR[solution.settings["solver"]]


def test_a_lower_bound_is_never_above_the_value(solved):
    solution, value = solved
    assert solution.lower is None or solution.lower <= value


def test_the_guarantee_is_that_of_the_oracles(solved):
    solution, _ = solved
    assert type(solution.guesser)(solution.guesser.oracles, solution.guesser.weights).guarantee == solution.guarantee


def test_the_standing_is_that_of_the_strategies(solved):
    solution, _ = solved
    assert solution.standing.guarantee == pytest.approx(float(solution.guarantee))
    assert solution.standing.self_play == pytest.approx(float(payoff(solution.hider, solution.guesser)))
    assert solution.standing.epsilon_hider == pytest.approx(solution.standing.guarantee - solution.standing.self_play)


def test_the_hider_makes_no_guesser_need_more_than_the_value(solved):
    solution, value = solved
    response = oracular.best_response(solution.game, solution.hider, node_limit=3000)
    assert response.lower <= value


def test_every_step_leaves_a_record_with_the_same_figures(solved):
    solution, _ = solved
    for number, record in enumerate(solution.history):
        assert record["iteration"] == number
        assert {"self_play", "guarantee", "epsilon_hider", "epsilon_guesser"} <= record.keys()
    json.dumps(list(solution.history))


def test_a_player_finds_the_secret(solved):
    solution, _ = solved
    game = solution.game
    player = solution.guesser.new_game(np.random.default_rng(3))
    for secret in (0, len(game.secrets) // 2, len(game.secrets) - 1):
        history = []
        while (guess := player.guess(history)) != game.secrets[secret]:
            history.append((guess, game.labels[game.table[game.guess_index(guess), secret]]))


@pytest.mark.parametrize("solver", SOLVERS)
def test_stopped_and_resumed_it_ends_on_the_same_bits(solver, jotto, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    steps = STEPS[solver]
    oracular.solve(jotto(2), solver=solver, iterations=steps, out=whole)
    for stop in (1, steps // 2, steps):
        oracular.solve(jotto(2), solver=solver, iterations=stop, out=parts, resume=parts.exists())
    assert (whole / "history.jsonl").read_bytes() == (parts / "history.jsonl").read_bytes()
    one, other = Run.open(whole), Run.open(parts)
    assert one.solver == other.solver
    assert one.arrays.keys() == other.arrays.keys()
    assert all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)


@pytest.mark.parametrize("solver", SOLVERS)
def test_threads_do_not_change_its_result(solver, jotto):
    steps = 1 if solver == "exact" else 2  # its steps are long
    one = oracular.solve(jotto(3), solver=solver, iterations=steps, resources=oracular.Resources(threads=1))
    more = oracular.solve(jotto(3), solver=solver, iterations=steps)
    assert one.history == more.history


@pytest.mark.parametrize("solver", SOLVERS)
def test_ctrl_c_leaves_a_run_that_can_be_used(solver, jotto, tmp_path, every_step):
    def press(step):
        if step.iteration == 2:
            os.kill(os.getpid(), signal.SIGINT)

    solution = oracular.solve(jotto(2), solver=solver, iterations=30, out=tmp_path / "run", progress=press)
    assert solution.stopped == "interrupted"
    again = load_run(tmp_path / "run")
    assert again.guarantee == solution.guarantee
    assert isinstance(again.guesser, Mixture)


@pytest.mark.parametrize("solver", ["fictitious-play", "regret-matching"])
def test_very_deep_trees_are_counted_right(solver):
    names = [str(number) for number in range(160)]
    game = oracular.Game.from_function(names, names, lambda guess, secret: guess == secret, name="yes or no")
    solution = oracular.solve(game, solver=solver, iterations=3)
    recomputed = Mixture(solution.guesser.oracles, solution.guesser.weights).guarantee
    assert solution.guarantee == recomputed > 80
