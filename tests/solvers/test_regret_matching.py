"""Regret matching+ over planned trees: stronger than the paper's method, and exact in what it claims."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Tree
from oracular.costs import Costs
from oracular.planner.planner import Planner
from oracular.runs.solution import make_solver
from oracular.solvers.regret_matching import guarantee_of, reweighted

from conftest import module_at
from how_many import examples
from random_games import random_games, weights_for

ROOT = Path(__file__).parent.parent.parent


@examples(25, 60)
@given(data=st.data())
def test_a_planned_tree_is_a_tree_and_never_beats_the_exact_response(data):
    game = data.draw(random_games(most_secrets=9))
    weights = data.draw(weights_for(game)) + 1
    planner = Planner(game, room=1 << 12)
    tree = planner.respond(Costs.mean(weights))
    assert (Tree(game, tree.guesses).depths() == tree.depths()).all()
    exact = oracular.best_response(game, weights)
    total = int(weights @ tree.depths())
    assert total >= exact.upper * int(weights.sum())


def test_planning_by_a_few_guesses_comes_within_three_of_the_exact_response_and_stays_there(jotto):
    planner = Planner(jotto(2))
    ones = np.ones(51, dtype=np.int64)
    totals = [int(planner.respond(Costs.mean(ones), explorations=1).depths().sum()) for _ in range(30)]
    optimum = oracular.best_response(jotto(2), ones).upper * 51
    assert optimum == 295
    assert all(optimum <= total for total in totals)
    assert totals == sorted(totals, reverse=True)  # against the same weights it never gets worse
    assert totals[-1] == optimum + 3


def test_planning_with_every_guess_finds_the_exact_response(jotto):
    game = oracular.game("jotto-2", jotto(2).secrets[:14])
    planner = Planner(game, width=64, root_width=64, small=14, small_width=64, room=1 << 18)
    rng = np.random.default_rng(1)
    for _ in range(5):
        weights = rng.integers(1, 50, 14)
        assert Fraction(int(weights @ planner.respond(Costs.mean(weights)).depths()), int(weights.sum())) == (
            oracular.best_response(game, weights).upper
        )


def test_looking_further_beats_the_score_alone(jotto):
    three = jotto(3)
    planner = Planner(three)
    tree = planner.respond(Costs.mean(np.ones(421, dtype=np.int64)))
    greedy = oracular.guesser_gbr_uniform(three, "possible").depths()
    assert tree.depths().sum() < greedy.sum() - 50  # 2995 by the score alone


@pytest.mark.slow
def test_five_letters_come_below_6_58_against_a_uniform_hider(jotto):
    tree = Planner(jotto(5)).respond(Costs.mean(np.ones(2833, dtype=np.int64)))
    assert tree.depths().mean() < 6.58


def test_twenty_steps_beat_what_the_papers_method_reaches(jotto):
    solution = oracular.solve(jotto(3), solver="regret-matching", iterations=20)
    assert float(solution.guarantee) < 7.2  # 7.99 after the paper's 10,694 iterations


def test_reweighting_never_claims_more_than_the_trees_give():
    rng = np.random.default_rng(0)
    depths = rng.integers(1, 9, (40, 30)).astype(np.int8)
    even = guarantee_of(depths, np.ones(40, dtype=np.int64))
    near, exact = reweighted(depths), module_at(ROOT / "tools" / "make_strategies.py").best_mixture(depths)
    assert exact.guarantee <= near.guarantee <= even
    assert float(near.guarantee - exact.guarantee) < 0.02
    for found in (near, exact):
        assert found.guarantee == guarantee_of(depths, found.weights)
        value = float((depths.astype(float) @ found.prices).min())
        assert value <= float(found.guarantee)  # what the prices make of it from below


def three_secrets() -> oracular.Game:
    return oracular.Game.from_function("abc", "abc", lambda guess, secret: guess == secret, name="three")


def test_sums_over_the_steps_are_exact_beyond_64_bits():
    solver = make_solver("regret-matching", three_secrets(), {"room": 16})
    solver.step()
    expected = [[int(total) for total in totals] for totals in (solver.weight_totals, solver.payoff_totals)]
    for iteration in (100_000, 185_000, 190_000, 250_000, 2**31, 2**36):  # steps of a run that has come so far
        solver.iteration = iteration - 1
        weights = solver.weights.tolist()
        record = solver.step()
        depths = solver.payoffs[-1].tolist()
        for totals, more in zip(expected, (weights, depths), strict=True):
            totals[:] = [total + (iteration + 1) * each for total, each in zip(totals, more, strict=True)]
        assert solver.weight_totals.tolist() == expected[0]
        assert solver.payoff_totals.tolist() == expected[1]
        assert np.isfinite([record["self_play"], record["guarantee"]]).all()
    assert min(expected[0]) > 2**63
