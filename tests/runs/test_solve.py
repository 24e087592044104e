"""The driver stops where it was told to, tells its watcher, and takes Ctrl-C in good order."""

from __future__ import annotations

import pytest

import oracular
from oracular.errors import RunError, SettingsError


def test_t_counts_the_iterations_after_the_start(jotto):
    solution = oracular.solve(jotto(2), iterations=3)
    assert [record["iteration"] for record in solution.history] == [0, 1, 2, 3]
    assert (solution.iterations, solution.stopped) == (3, "iterations")


def test_without_a_limit_it_makes_a_thousand_iterations(jotto):
    assert oracular.solve(jotto(2)).iterations == 1000


def test_it_stops_at_the_first_epsilon_that_is_small_enough(jotto):
    solution = oracular.solve(jotto(2), epsilon=1.0)
    assert solution.stopped == "epsilon"
    assert solution.epsilon <= 1.0 < min(max(r["epsilon_hider"], r["epsilon_guesser"]) for r in solution.history[:-1])


def test_progress_is_that_of_the_last_step(jotto, every_step):
    heard = []
    solution = oracular.solve(jotto(2), iterations=7, progress=heard.append)
    assert [step.iteration for step in heard] == list(range(8))
    assert heard[-1].best.epsilon == solution.epsilon


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"iterations": 0}, "give 1 or more"),
        ({"iterations": -3}, "give 1 or more"),
        ({"epsilon": -0.1}, "0 or more"),
        ({"epsilon": float("nan")}, "0 or more"),
        ({"time_limit": 0}, "above 0"),
        ({"time_limit": float("inf")}, "above 0"),
        ({"resources": oracular.Resources(threads=0)}, "threads"),
        ({"resources": oracular.Resources(threads=100_000)}, "threads"),
        ({"settings": {"ties": "last"}}, "choose 'first' or 'possible'"),
        ({"solver": "regret-matching", "settings": {"ties": 0}}, "leave ties out"),
    ],
)
def test_settings_out_of_range_are_refused_before_anything_is_written(jotto, tmp_path, settings, complaint):
    with pytest.raises(SettingsError, match=complaint):
        oracular.solve(jotto(2), out=tmp_path / "run", **settings)
    assert list(tmp_path.iterdir()) == []


def test_resuming_needs_a_folder(jotto):
    with pytest.raises(RunError, match="without a folder"):
        oracular.solve(jotto(2), resume=True)
