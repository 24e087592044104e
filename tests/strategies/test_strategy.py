"""Strategies: drawn once a game or at every state, and what each is worth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular
from oracular import Behavioural, GreedyOracle, Hider, Mixture, behavioural_payoff, payoff
from oracular.errors import SettingsError
from oracular.evaluation import Estimate, exact_dot
from oracular.strategies.greedy import GreedyEngine
from oracular.strategies.oracle import pure

from random_games import random_games, weights_for


@pytest.fixture(scope="module")
def solution(jotto):
    return oracular.solve(jotto(2), iterations=60)


def test_the_benchmark_strategies_play_as_the_paper_says(jotto):
    five = jotto(5)
    guesser = oracular.guesser_gbr_uniform(five)
    assert five.guesses[guesser.guess(five.all_secrets)] == "doyen"
    assert oracular.hider_uniform(five).probability("amped") == pytest.approx(1 / 2833)
    assert payoff(oracular.hider_uniform(jotto(2)), oracular.guesser_gbr_uniform(jotto(2))) == Fraction(338, 51)


def test_a_mixed_guesser_is_drawn_once_a_game(solution):
    for seed in range(20):
        player = solution.guesser.new_game(np.random.default_rng(seed))
        oracle = solution.guesser.oracles[player.drawn]
        for history in ("", "ai:1", "ai:0 of:0"):
            possible = solution.game.possible_after(history)
            assert player.guess(history) == solution.game.guesses[oracle.guess(possible)]


def test_the_draw_is_over_all_oracles_from_the_first_to_the_last(solution):
    drawn = {solution.guesser.new_game(np.random.default_rng(seed)).drawn for seed in range(3000)}
    assert drawn == set(range(solution.best_iteration + 1))


def test_the_kept_expected_depths_are_those_of_the_oracles(solution):
    recomputed = Mixture(solution.guesser.oracles, solution.guesser.weights)
    assert (recomputed.depth_totals == solution.guesser.depth_totals).all()
    assert recomputed.guarantee == solution.guarantee


@settings(max_examples=60)
@given(data=st.data())
def test_the_payoff_is_the_mean_over_all_pairs_of_secret_and_oracle(data):
    game = data.draw(random_games(most_secrets=6))
    hider = Hider(game, data.draw(weights_for(game)) + 1)
    oracles = [GreedyOracle(GreedyEngine(game), data.draw(weights_for(game))) for _ in range(3)]
    shares = [data.draw(st.integers(1, 5)) for _ in oracles]
    expected = sum(
        Fraction(int(weight) * share * int(depth), hider.total * sum(shares))
        for oracle, share in zip(oracles, shares, strict=True)
        for weight, depth in zip(hider.weights, oracle.depths(), strict=True)
    )
    assert payoff(hider, Mixture(oracles, shares)) == expected


@pytest.mark.parametrize("bits", [61, 62, 70, 200])
def test_sums_beyond_64_bits_stay_exact(jotto, bits):
    weights = np.array([1 << bits] * 51, dtype=object)
    weights[3] = 7
    hider = Hider(jotto(2), weights)
    depths = oracular.guesser_gbr_uniform(jotto(2)).depths().astype(np.int64)
    assert hider.total == 50 * (1 << bits) + 7
    expected = sum(int(w) * int(d) for w, d in zip(weights, depths, strict=True))
    assert exact_dot(hider.weights, depths) == expected
    assert payoff(hider, oracular.guesser_gbr_uniform(jotto(2))) == Fraction(expected, hider.total)
    assert hider.draw(np.random.default_rng(0)) in jotto(2).secrets
    assert hider.probabilities.sum() == pytest.approx(1)


def test_strategies_of_two_games_do_not_meet(jotto):
    with pytest.raises(SettingsError, match="give two of one game"):
        payoff(oracular.hider_uniform(jotto(2)), oracular.guesser_gbr_uniform(jotto(3)))


@pytest.mark.parametrize("weights", [[0] * 51, [-1] + [1] * 50, [1] * 50, [0.5] * 51, ["1"] * 51, [[1] * 51]])
def test_weights_that_are_no_strategy_are_refused(jotto, weights):
    for use in (lambda w: Hider(jotto(2), w), lambda w: GreedyOracle(GreedyEngine(jotto(2)), w)):
        with pytest.raises(SettingsError, match="weights"):
            use(np.array(weights))


def test_weights_of_any_whole_type_give_the_same_tree(jotto):
    weights = np.random.default_rng(1).integers(0, 9, 51)
    trees = [
        GreedyOracle.against(Hider(jotto(2), weights.astype(kind))).depths()
        for kind in (np.int64, np.int32, np.uint8, object)
    ]
    assert all((tree == trees[0]).all() for tree in trees)


@pytest.mark.parametrize(("count", "weights"), [(0, []), (2, [1]), (2, [0, 0]), (2, [1, -1])])
def test_a_mixture_without_good_weights_is_refused(jotto, count, weights):
    with pytest.raises(SettingsError, match="weight"):
        Mixture([oracular.guesser_gbr_uniform(jotto(2))] * count, weights)


def test_a_hider_draws_in_proportion_to_its_weights(jotto):
    weights = np.zeros(51, dtype=np.int64)
    weights[[3, 7]] = 1, 3
    hider = Hider(jotto(2), weights)
    rng = np.random.default_rng(0)
    drawn = [hider.sample(rng) for _ in range(4000)]
    assert set(drawn) == {hider.game.secrets[3], hider.game.secrets[7]}
    assert drawn.count(hider.game.secrets[7]) / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_behavioural_guesser_with_one_oracle_is_that_oracle(jotto):
    two = jotto(2)
    guesser = oracular.guesser_gbr_uniform(two)
    estimate = behavioural_payoff(oracular.hider_uniform(two), Behavioural(pure(guesser)), np.random.default_rng(0))
    assert estimate == Estimate(338 / 51, 0.0, 0)


def test_redrawing_at_every_state_is_another_strategy_than_drawing_once(solution):
    behavioural = Behavioural(Mixture(solution.guesser.oracles[:8], [1] * 8))
    drawn_once = float(payoff(solution.hider, behavioural.mixture))
    exact = behavioural_payoff(solution.hider, behavioural, np.random.default_rng(0))
    assert exact.exact
    assert exact.value != pytest.approx(drawn_once, abs=1e-6)


def test_a_sampled_payoff_agrees_with_the_exact_one_within_its_error(solution):
    behavioural = Behavioural(Mixture(solution.guesser.oracles[:8], [1] * 8))
    exact = behavioural_payoff(solution.hider, behavioural, np.random.default_rng(0))
    sampled = behavioural_payoff(solution.hider, behavioural, np.random.default_rng(0), samples=800, most_questions=80)
    assert not sampled.exact and 0 < sampled.standard_error < 0.1
    assert abs(sampled.value - exact.value) < 4 * sampled.standard_error


def test_an_oracle_that_gets_nowhere_is_found_out(jotto):
    class Stuck:
        game = jotto(2)

        def guess(self, possible):
            return 0

        def depths(self):
            raise AssertionError("a behavioural payoff asks for no depths")

    for questions in (10_000, 0):
        with pytest.raises(SettingsError, match="eliminates nothing"):
            behavioural_payoff(
                oracular.hider_uniform(jotto(2)),
                Behavioural(pure(Stuck())),
                np.random.default_rng(0),
                most_questions=questions,
            )
