"""Bounds by the exact search, against weights of any size: on random small games, with best_response beside them."""

from __future__ import annotations

import random

import pytest

import oracular
from oracular import Hider, payoff
from oracular.objectives import mean, within
from oracular.search.exact_bounds import proved_bound

from objective_twin import seeded_game, seeded_weights


@pytest.mark.parametrize("objective", [mean(), within(2), within(3)], ids=lambda objective: objective.name)
def test_weights_too_large_for_the_search_are_bounded_by_smaller_ones(objective) -> None:
    for seed in range(12):
        rng = random.Random(seed)
        game = seeded_game(rng, 8)
        weights = seeded_weights(rng, len(game.secrets))
        hider, large = Hider(game, weights), Hider(game, weights.astype(object) * 3**40 + (weights > 0))
        best = oracular.best_response(game, hider, objective=objective)
        bound, tree = proved_bound(hider, objective)
        assert bound == best.lower == best.upper == payoff(hider, tree, objective)
        bound, tree = proved_bound(large, objective)
        reached = payoff(large, tree, objective)
        assert 0 <= objective.sign * (reached - bound) < 1e-9
