"""Best responses in games that allow only some guesses, compared with brute force on random small games."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from oracular import BestResponse, Game, Tree, best_response, objective
from oracular.objectives import table

from objective_twin import least_cost, seeded_utilities
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


def assert_best_of_all(seed: int, secrets: int) -> None:
    """See that what is proved in a game of either rule, with weights of zero among others, is what brute force finds.

    From one seed to the next the objective changes, and with every second pair of seeds there is an opening.
    """
    game, weights, rng = random_ruled_game(seed, secrets, 10), random_weights(seed, secrets), random.Random(seed)
    opening = rng.choice(useful_openings(game)) if seed // 2 % 2 else None
    rows = {secret: seeded_utilities(rng, rng.randint(1, 5)) for secret in game.secrets}
    chosen = [objective("mean", game), objective(f"within-{rng.randint(1, 4)}", game), table(rows, game)][seed % 3]
    least = least_cost(game, weights[:, None] * chosen.losses_in(game), opening)
    response = best_response(game, weights, objective=chosen, opening=opening)
    assert_proved(response, chosen.value(Fraction(least, int(weights.sum()))))
    attained = sum(int(w) * int(x) for w, x in zip(weights, chosen.payoffs(response.tree.depths()), strict=True))
    assert attained == least and opening in (None, response.tree.guess(game.all_secrets))


def useful_openings(game: Game) -> list[int]:
    """Return the guesses that are allowed at the start and eliminate something."""
    allowed = game.allowed(game.all_secrets).tolist()
    return [guess for guess in allowed if len({*game.table[guess].tolist()}) > 1 or game.found in game.table[guess]]


@pytest.mark.parametrize("seeds", [range(100 + start, 120 + start) for start in range(0, 80, 20)], ids=str)
def test_every_objective_is_that_of_brute_force(seeds):
    for seed in seeds:
        assert_best_of_all(seed, 6 + seed % 2)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(1000 + start, 1050 + start) for start in range(0, 300, 50)], ids=str)
def test_every_objective_is_that_of_brute_force_in_many_games(seeds):
    for seed in seeds:
        assert_best_of_all(seed, 8)
