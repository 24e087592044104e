"""The worst cases of a leaderboard's hiders are the best that is known: in small games they are the optimum."""

from __future__ import annotations

from fractions import Fraction

import pytest

import oracular
from oracular.runs.table import leaderboard


@pytest.mark.parametrize("name", ["mastermind-3x4", "mastermind-2x4-possible"])
def test_a_small_game_has_its_best_response_found(name, tmp_path):
    game = oracular.game(name)
    optimum = oracular.best_response(game, [1] * len(game.secrets))
    assert optimum.proved and leaderboard(name, tmp_path).found[0] == optimum.upper


def test_the_best_responses_to_two_letters_are_proved(tmp_path, short_table):
    board = leaderboard("jotto-2", tmp_path)
    uniform, ours = (board.hiders.index(name) for name in ("benchmark", "ours"))
    assert board.found[uniform] == board.lowers[uniform].value == Fraction(295, 51)
    assert board.found[ours] == board.lowers[ours].value == oracular.load("jotto-2").lower
    assert board.lowers[uniform].proved and board.lowers[ours].proved


def test_every_shipped_tree_counts_as_a_response(tmp_path):
    board = leaderboard("jotto-3", tmp_path, solving=False)
    least = {name: min(row) for name, row in zip(board.hiders, board.payoffs, strict=True)}
    found = dict(zip(board.hiders, board.found, strict=True))
    assert found["benchmark"] <= Fraction(2877, 421) < least["benchmark"]
    assert found["ours"] < least["ours"]


def test_a_hider_has_the_best_lower_bound_that_is_recorded(tmp_path):
    board = leaderboard("wordle", tmp_path, solving=False)
    recorded = {bound.hider: bound.value for bound in oracular.load("wordle").lower_bounds}
    lowers = dict(zip(board.hiders, (check.value for check in board.lowers), strict=True))
    assert lowers["benchmark"] >= recorded["uniform"] and lowers["ours"] >= recorded["shipped"]
