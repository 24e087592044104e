"""The exact best response is the best of all trees, and says only what is proved."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Symmetry
from oracular.errors import SettingsError
from oracular.games.symmetry import no_symmetry, orbits
from oracular.responses.deepening import exact_response
from oracular.responses.exact_search import ProvedBound, WeightedGame, carried_over
from oracular.responses.limits import SearchLimits, counting_bound

from how_many import examples
from random_games import random_games, weights_for


def brute_force(game, weights) -> int:
    """Return the least total over all trees, by the plain recursion over sets of secrets."""

    @cache
    def best(state: frozenset) -> int:
        total = sum(int(weights[secret]) for secret in state)
        results = []
        for row in game.table.tolist():
            parts: dict[int, set] = {}
            for secret in state:
                parts.setdefault(row[secret], set()).add(secret)
            if len(parts) > 1 or game.found in parts:
                results.append(total + sum(best(frozenset(p)) for a, p in parts.items() if a != game.found))
        return min(results)

    return best(frozenset(range(len(game.secrets))))


@examples(60, 300)
@given(data=st.data())
def test_the_exact_response_is_the_best_of_all_trees(data):
    game = data.draw(random_games(most_secrets=8))
    weights = data.draw(weights_for(game))
    response = oracular.best_response(game, weights)
    least = Fraction(brute_force(game, weights), int(weights.sum()))
    assert response.proved
    assert response.lower == response.upper == least
    found = response.tree.depths()
    assert found.min() >= 1  # secrets of weight zero are found as well
    assert Fraction(int(weights @ found), int(weights.sum())) == least


@examples(30, 100)
@given(data=st.data(), states=st.integers(1, 12))
def test_a_search_that_is_stopped_still_tells_the_truth_and_the_same_truth(data, states):
    game = data.draw(random_games(most_secrets=12))
    weights = data.draw(weights_for(game))
    whole = oracular.best_response(game, weights)
    cut, again = (oracular.best_response(game, weights, node_limit=states) for _ in range(2))
    assert cut.lower <= whole.upper <= cut.upper
    assert (cut.lower, cut.upper, cut.states, cut.tree.to_list()) == (
        again.lower,
        again.upper,
        again.states,
        again.tree.to_list(),
    )


@examples(30, 60)
@given(data=st.data())
def test_the_greedy_response_is_never_better_and_counting_never_claims_too_much(data):
    game = data.draw(random_games(most_secrets=8))
    weights = data.draw(weights_for(game))
    exact = oracular.best_response(game, weights)
    greedy = oracular.best_response(game, weights, exact=False)
    assert greedy.lower <= exact.upper <= greedy.upper


@examples(30, 60)
@given(data=st.data())
def test_a_bound_carries_over_to_other_weights(data):
    game = data.draw(random_games(most_secrets=7))
    first, second = data.draw(weights_for(game)), data.draw(weights_for(game))
    assert carried_over(second, ProvedBound(first, brute_force(game, first))) <= brute_force(game, second)


@examples(15, 30)
@given(
    name=st.sampled_from(["mastermind-2x3", "mastermind-3x2", "mastermind-3x3", "mastermind-4x2", "bulls-2x4"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_symmetry_changes_the_work_and_not_the_optimum(name, seed):
    game = oracular.game(name)
    rng = np.random.default_rng(seed)
    labels = orbits(len(game.secrets), [symmetry.secrets for symmetry in game.symmetries])
    weights = rng.integers(0, 4, len(labels))[labels]
    weights[labels == labels[0]] += 1
    without = exact_response(WeightedGame(game, weights, no_symmetry(len(game.guesses))))
    assert oracular.best_response(game, weights).upper == Fraction(without.upper, int(weights.sum()))


def test_weights_that_a_symmetry_moves_are_answered_all_the_same():
    game = oracular.game("mastermind-2x4")
    weights = np.arange(1, 17)
    without = exact_response(WeightedGame(game, weights, no_symmetry(len(game.guesses))))
    assert oracular.best_response(game, weights).upper == Fraction(without.upper, int(weights.sum()))


@pytest.mark.parametrize("name", ["mastermind-3x4", "mastermind-3x6", "jotto-3"])
def test_a_tiny_memo_costs_time_and_not_the_truth(name):
    game = oracular.game(name)  # some with more secrets than a key has bits, so that the memo keeps them
    weights = np.ones(len(game.secrets), dtype=np.int64)
    limits = SearchLimits(states=3000) if name == "jotto-3" else SearchLimits()
    weighted = WeightedGame(game, weights)
    small, large = exact_response(weighted, limits, memo_slots=64), exact_response(weighted, limits)
    assert small.lower <= large.upper and large.lower <= small.upper
    if limits.states is None:
        assert small.proved and small.upper == large.upper


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("jotto-2", 295),
        ("mastermind-3x6", 854),
        pytest.param("mastermind-4x6", 5625, marks=pytest.mark.slow),
        ("bulls-4x7", 3639),
    ],
)
def test_the_uniform_optimum_is_the_known_one(name, total):
    game = oracular.game(name)
    response = oracular.best_response(game, np.ones(len(game.secrets), dtype=np.int64))
    assert response.lower == response.upper == Fraction(total, len(game.secrets))


def test_the_response_to_codes_not_of_one_colour_totals_wieners_5600():
    game = oracular.game("mastermind-4x6")
    weights = np.array([len(set(code)) > 1 for code in game.secrets], dtype=np.int64)
    assert weights.sum() == 1290
    response = oracular.best_response(game, weights)
    assert response.lower == response.upper == Fraction(5600, 1290)
    assert response.tree.depths().min() >= 1


@pytest.mark.parametrize(
    ("name", "total", "nodes"),
    [
        ("mastermind-3x6", 854, 30),
        pytest.param("mastermind-4x6", 5625, 300, marks=pytest.mark.slow),
        pytest.param("bulls-4x10", 26274, 1000, marks=pytest.mark.slow),
    ],
)
def test_bounds_of_a_search_that_is_cut_off_hold_the_published_value(name, total, nodes):
    game = oracular.game(name)
    response = oracular.best_response(game, np.ones(len(game.secrets), dtype=np.int64), node_limit=nodes)
    assert not response.proved
    assert response.lower <= Fraction(total, len(game.secrets)) <= response.upper
    assert response.upper - response.lower < Fraction(1, 2)


def test_a_watcher_sees_the_lower_bound_rise():
    seen = []
    oracular.best_response(oracular.game("jotto-3"), np.ones(421, dtype=np.int64), node_limit=4000, watcher=seen.append)
    lowers = [progress.lower for progress in seen]
    assert len(lowers) > 1 and lowers == sorted(lowers)


def test_the_tree_plays_as_an_oracle_and_falls_back_off_its_path(jotto):
    two = jotto(2)
    response = oracular.best_response(two, np.ones(51, dtype=np.int64))
    oracle = response.oracle
    assert oracle.guess(two.all_secrets) == response.tree.guesses[0]
    assert (oracle.depths() == response.tree.depths()).all()
    off_path = np.array([1, 5, 9, 33], dtype=np.int32)
    assert oracle.guess(off_path) == oracle.fallback.guess(off_path)


def test_counting_puts_the_heaviest_first():
    assert counting_bound(np.array([1, 5, 2]), 1) == 5 * 1 + 2 * 2 + 1 * 3
    assert counting_bound(np.array([1, 1, 1, 1, 1]), 2) == 1 + 2 + 2 + 3 + 3


@pytest.mark.parametrize("weights", [[1] * 50, [0] * 51, [-1] + [1] * 50, [1 << 58] * 51])
def test_weights_that_will_not_do_are_refused(jotto, weights):
    with pytest.raises(SettingsError, match="weights"):
        oracular.best_response(jotto(2), np.array(weights))


@pytest.mark.parametrize("limits", [{"time_limit": 0}, {"time_limit": -1}, {"node_limit": 0}])
def test_limits_that_are_not_positive_are_refused(jotto, limits):
    with pytest.raises(SettingsError, match="give a number above 0"):
        oracular.best_response(jotto(2), np.ones(51, dtype=np.int64), **limits)


def test_a_false_symmetry_is_found_out(jotto):
    turned = np.roll(np.arange(51), 1).astype(np.int32)
    false = dataclasses.replace(jotto(2), symmetries=(Symmetry(turned, turned),))
    same_twice = dataclasses.replace(jotto(2), symmetries=(Symmetry(turned * 0, turned * 0),))
    for game in (false, same_twice):
        with pytest.raises(SettingsError, match="changes its answers"):
            oracular.best_response(game, np.ones(51, dtype=np.int64))
        with pytest.raises(SettingsError, match="changes its answers"):
            oracular.solve(game, solver="exact")


def test_a_hider_of_another_game_is_refused(jotto):
    with pytest.raises(SettingsError, match="give one of the same game"):
        oracular.best_response(jotto(2), oracular.hider_uniform(jotto(3)))


def test_a_search_that_is_told_to_stop_returns_what_is_proved(jotto):
    asked = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    response = oracular.best_response(jotto(3), np.ones(421, dtype=np.int64), stop=stop)
    assert not response.proved
    assert 1 < response.lower < response.upper


def test_games_with_many_symmetries_are_searched_without_listing_them_all():
    game = oracular.game("bulls-1x12")
    response = oracular.best_response(game, np.ones(12, dtype=np.int64))
    assert response.proved and response.upper == Fraction(13, 2)


def test_weights_that_break_some_of_the_symmetry_are_responded_to():
    """Of the openings that are left, some are kept in place by no exchange at all."""
    game = oracular.game("mastermind-2x3")
    weights = np.array([7, 3, 4, 3, 7, 4, 4, 4, 7])
    assert oracular.best_response(game, weights).proved
