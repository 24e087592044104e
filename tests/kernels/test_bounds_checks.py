"""Random games and random settings, with every index of the compiled code compared with its range.

`make test-slow` runs this, and the other tests of compiled code, with `NUMBA_BOUNDSCHECK=1` and a cache of its own:
Numba would otherwise go on with code that was compiled without the checks.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import njit

from oracular import Tree
from oracular.objectives import table, within
from oracular.runs.solution import make_solver
from oracular.settings import SETTINGS, Setting

from random_games import random_games

CHECKED = os.environ.get("NUMBA_BOUNDSCHECK") == "1"


@pytest.mark.skipif(not CHECKED, reason="only where indices are checked")
def test_an_index_out_of_range_is_an_error_here():
    @njit
    def beyond(array, place):
        return array[place]

    with pytest.raises(IndexError):
        beyond(np.zeros(3), 3)


@pytest.mark.skipif(not CHECKED, reason="only where indices are checked")
def test_the_kernels_were_compiled_with_the_checks():
    from oracular.kernels.scoring import splits

    with pytest.raises(IndexError):
        splits(np.zeros((2, 2), np.uint8), np.zeros(2, np.int32), 5, 1)


def values_of(setting: Setting, secrets: int) -> st.SearchStrategy[int | str]:
    """Draw a value in a setting's range, the ends of it among them, and room for a few thousand states at most."""
    if setting.choices:
        return st.sampled_from(setting.choices)
    least = setting.least if setting.least_of_game is None else max(setting.least, setting.least_of_game(secrets))
    most = min(setting.most, 5000) if setting.name == "room" else setting.most
    return st.one_of(st.integers(least, min(most, least + 10)), st.just(most), st.integers(least, most))


def play(data: st.DataObject, most_secrets: int, steps: int) -> None:
    """Make some steps with random settings, in two sittings, and see that every tree is a tree."""
    game = data.draw(random_games(most_secrets=most_secrets))
    secrets = len(game.secrets)
    chosen = {
        setting.name: data.draw(values_of(setting, secrets), label=setting.name)
        for setting in SETTINGS["regret-matching"]
        if data.draw(st.booleans())
    }
    chosen.setdefault("room", 5000)
    objective = data.draw(st.sampled_from([None, within(1), within(3), table([1, "2/3", "1/2", 0.4, 0])]))
    solver = make_solver("regret-matching", game, chosen, objective=objective)
    history = [solver.step() for _ in range(steps)]
    solver.problem.planner.tidy(data.draw(st.integers(0, 3)))
    again = make_solver("regret-matching", game, chosen, objective=objective)
    again.restore(solver.checkpoint(), solver.arrays(), history)
    for _ in range(steps):
        assert again.step() == solver.step()
    for tree, payoffs in zip(solver.strategies, solver.payoffs, strict=True):
        assert np.array_equal(solver.problem.objective.payoffs(Tree(game, tree.guesses).depths()), payoffs)
    solver.conclude()
    assert solver.outcome().mix.guarantee >= 1  # of the guesses, whatever they are played for


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_settings_in_range_play_any_game(data):
    play(data, most_secrets=9, steps=2)


@pytest.mark.slow
@settings(max_examples=1000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_settings_in_range_play_many_games(data):
    play(data, most_secrets=24, steps=6)
