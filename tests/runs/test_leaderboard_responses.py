"""The best responses that a leaderboard finds: in small games they are the optimum."""

from __future__ import annotations

import pytest

import oracular
from oracular.runs.leaderboard import leaderboard


@pytest.mark.parametrize("name", ["mastermind-3x4", "mastermind-2x4-possible"])
def test_a_small_game_has_its_best_response_found(name, tmp_path):
    game = oracular.game(name)
    optimum = oracular.best_response(game, [1] * len(game.secrets))
    assert optimum.proved and leaderboard(name, tmp_path).found[0] == optimum.upper
