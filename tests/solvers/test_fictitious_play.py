"""Fictitious play: equal to its slow twin, near the paper's table, and with its best iteration kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular
from oracular.runs.table import figures, paper_rows

import exact_twin
from random_games import random_games

PAYOFFS = ("hider_vs_benchmark", "guesser_vs_benchmark", "overall_vs_benchmark", "benchmark_self_play", "self_play")
EPSILONS = ("benchmark_epsilon", "epsilon")


@settings(max_examples=60)
@given(game=random_games(most_secrets=7), ties=st.sampled_from(["first", "possible"]))
def test_play_goes_as_in_the_slow_twin_with_fractions(game, ties):
    twin = exact_twin.fictitious_play(game.table.tolist(), game.found, 12, ties)
    solution = oracular.solve(game, iterations=12, settings={"ties": ties}, resources=oracular.Resources(threads=1))
    assert len(solution.history) == len(twin) == 13
    for ours, theirs in zip(solution.history, twin, strict=True):
        assert ours["epsilon_hider"] == float(theirs.epsilon_hider)
        assert ours["epsilon_guesser"] == float(theirs.epsilon_guesser)
        assert ours["hider_response"] == (list(theirs.tied) if ours["iteration"] else None)
        assert ours["guarantee"] == max(theirs.depth_sums) / (ours["iteration"] + 1)


def test_the_best_iteration_is_the_one_with_the_least_epsilon(jotto):
    solution = oracular.solve(jotto(2), iterations=400)
    epsilons = [max(record["epsilon_hider"], record["epsilon_guesser"]) for record in solution.history]
    assert solution.best_iteration == int(np.argmin(epsilons))
    assert solution.epsilon == min(epsilons)
    assert solution.best_iteration < solution.iterations  # so that the last one would be the wrong answer
    assert len(solution.guesser.oracles) == solution.best_iteration + 1
    assert float(solution.guarantee) == solution.history[solution.best_iteration]["guarantee"]


def test_the_hider_at_the_best_iteration_is_rebuilt_from_the_responses(jotto):
    solution = oracular.solve(jotto(3), iterations=40)
    oracle = solution.guesser.oracles[-1]
    assert (oracle.weights == solution.hider.weights).all()


def test_preferring_possible_words_guarantees_far_fewer_guesses(jotto):
    first = oracular.solve(jotto(3), iterations=300, settings={"ties": "first"})
    possible = oracular.solve(jotto(3), iterations=300, settings={"ties": "possible"})
    assert possible.guarantee < first.guarantee - 0.3


def _check_against_the_paper(game, payoff_tolerance, epsilon_tolerance):
    row = paper_rows()[len(game.labels) - 1]
    ours = figures(oracular.solve(game, iterations=row["iterations"]))
    for key in PAYOFFS:
        assert ours[key] == pytest.approx(row[key], abs=payoff_tolerance), key
    for key in EPSILONS:
        assert ours[key] == pytest.approx(row[key], abs=epsilon_tolerance), key
    for key in ("benchmark_self_play", "benchmark_epsilon"):
        assert f"{ours[key]:.3f}" == f"{row[key]:.3f}", key
    assert ours["words"] == row["words"]


def test_two_letters_come_out_near_the_papers_table(jotto):
    _check_against_the_paper(jotto(2), 0.12, 0.07)


@pytest.mark.slow
def test_three_letters_come_out_near_the_papers_table(jotto):
    _check_against_the_paper(jotto(3), 0.08, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("letters", [4, 5])
def test_four_and_five_letters_come_out_near_the_papers_table(jotto, letters):
    _check_against_the_paper(jotto(letters), 0.08, 0.05)
