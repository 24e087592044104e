"""Best responses in games that allow only some guesses, compared with brute force on random small games."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracular import BestResponse, Tree, best_response

from objective_twin import least_cost
from ruled_twin import assert_legal, mean_costs, random_ruled_game, random_weights, trap_game, within_costs


def assert_proved(found: BestResponse, expected: Fraction) -> None:
    """See that a response is proved to be worth so much, and that its tree is allowed."""
    assert found.lower == found.upper == expected
    game, tree = found.hider.game, Tree(found.hider.game, found.tree.guesses)
    depths = assert_legal(
        game, lambda state, turns: tree.guess(np.array(state, dtype=np.int32), game.demand_after(turns))
    )
    assert depths == tree.depths().tolist()


@pytest.mark.parametrize("seed", range(24))
def test_the_best_mean_is_that_of_brute_force(seed):
    game, weights = random_ruled_game(seed), random_weights(seed, 7)
    least = least_cost(game, mean_costs(weights))
    assert_proved(best_response(game, weights), Fraction(least, int(weights.sum())))


def test_the_best_mean_in_a_trap_is_that_of_brute_force():
    game, weights = trap_game()
    least = least_cost(game, mean_costs(weights))
    assert_proved(best_response(game, weights), Fraction(least, int(weights.sum())))
    for guesses in (2, 3):
        missed = Fraction(least_cost(game, within_costs(weights, guesses)), int(weights.sum()))
        assert_proved(best_response(game, weights, objective=f"within-{guesses}"), 1 - missed)


@pytest.mark.parametrize("guesses", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_chance_within_some_guesses_is_that_of_brute_force(seed, guesses):
    game, weights = random_ruled_game(seed), random_weights(seed, 7)
    missed = Fraction(least_cost(game, within_costs(weights, guesses)), int(weights.sum()))
    assert_proved(best_response(game, weights, objective=f"within-{guesses}"), 1 - missed)


@pytest.mark.parametrize("seed", range(12))
def test_the_fewest_guesses_at_worst_are_those_of_brute_force(seed):
    game = random_ruled_game(seed)
    ones = [1] * len(game.secrets)
    fewest = next(k for k in range(1, 10) if least_cost(game, within_costs(ones, k)) == 0)
    assert_proved(best_response(game, ones, objective="worst"), fewest)
