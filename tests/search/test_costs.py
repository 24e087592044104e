"""Costs: one form of every objective, and what counting proves."""

import random

import numpy as np
import pytest

from oracular import objectives
from oracular.costs import Costs
from oracular.errors import SettingsError

from objective_twin import least_cost, seeded_game, seeded_utilities, seeded_weights


@pytest.mark.parametrize("seed", range(40))
def test_costs_are_losses_times_weights(seed):
    rng = random.Random(seed)
    secrets = rng.randint(1, 9)
    weights, depths = seeded_weights(rng, secrets), np.array([rng.randint(1, 9) for _ in range(secrets)], np.int32)
    for objective in (
        objectives.mean(),
        objectives.within(rng.randint(1, 5)),
        objectives.table(seeded_utilities(rng, rng.randint(1, 6))),
    ):
        assert np.array_equal(Costs.against(weights, objective).of_depths(depths), weights * objective.payoffs(depths))


def test_within_k_is_k_columns_of_zeros_one_of_the_weights_and_one_of_zeros():
    rise = Costs.against(np.array([3, 0, 1]), objectives.within(2)).rise
    assert rise.tolist() == [[0, 0, 0], [0, 0, 0], [3, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("seed", range(60))
def test_no_tree_costs_less_than_counting_says(seed):
    rng = random.Random(seed)
    game = seeded_game(rng, 6)
    weights = seeded_weights(rng, len(game.secrets))
    rows = np.cumsum([[rng.choice([0, 0, 1, 2]) for _ in range(4)] for _ in game.secrets], axis=1)
    costs = Costs.of_table(rows, weights)
    assert costs.counted(len(game.labels) - 1) <= least_cost(game, rows.tolist())


def test_a_bound_for_other_weights_bounds_these(seed=3):
    rng = random.Random(seed)
    for _ in range(30):
        game = seeded_game(rng, 5)
        secrets = len(game.secrets)
        rows = [np.cumsum([[rng.choice([0, 1, 2]) for _ in range(4)] for _ in range(secrets)], axis=1) for _ in "ab"]
        now, before = (Costs.of_table(row, np.ones(secrets, np.int64)) for row in rows)
        assert now.carried_over(before, least_cost(game, rows[1].tolist())) <= least_cost(game, rows[0].tolist())


def test_costs_that_do_not_fit_are_refused():
    with pytest.raises(SettingsError, match="scale the weights down"):
        Costs.mean(np.array([1 << 58, 1]))
    with pytest.raises(SettingsError, match="scale the weights down"):
        Costs.against(np.array([1 << 40]), objectives.table([1 << 20, (1 << 20) - 1, 0]))
    with pytest.raises(ValueError, match="nor fall"):
        Costs.of_table(np.array([[2, 1]]), np.array([1]))
