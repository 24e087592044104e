"""Many steps in one call: nothing but the time shows how many."""

from __future__ import annotations

import os
import signal

import pytest

import oracular
from oracular import load_run

from forging import HISTORY, checkpoint_of


@pytest.fixture
def one_by_one(jotto):
    """Give what solves a game of some letters step by step."""

    def solved(letters, **given):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("oracular.runs.drive.SECONDS_AT_ONCE", 0.0)
            return oracular.solve(jotto(letters), **given)

    return solved


@pytest.mark.parametrize("limits", [{"iterations": 1}, {"iterations": 333}, {"epsilon": 0.7}, {"epsilon": 1e9}])
def test_a_run_is_the_same_on_disk_however_many_steps_are_made_in_one_go(jotto, one_by_one, tmp_path, limits):
    one, many = tmp_path / "one", tmp_path / "many"
    by_one = one_by_one(2, out=one, **limits)
    at_once = oracular.solve(jotto(2), out=many, **limits)
    assert (one / HISTORY).read_bytes() == (many / HISTORY).read_bytes()
    assert checkpoint_of(one)["solver"] == checkpoint_of(many)["solver"]
    assert (by_one.stopped, by_one.iterations, by_one.history) == (at_once.stopped, at_once.iterations, at_once.history)
    assert by_one.guarantee == at_once.guarantee and by_one.best_iteration == at_once.best_iteration


def test_some_of_many_steps_and_the_last_are_reported(jotto, monkeypatch):
    monkeypatch.setattr("oracular.system.control.SECONDS_BETWEEN_REPORTS", 0.0)
    heard = []
    solution = oracular.solve(jotto(2), iterations=500, progress=heard.append)
    told = [step.iteration for step in heard]
    assert told[0] == 0 and told[-1] == 500 and told == sorted(set(told)) and len(told) < 501
    for step in heard:
        assert vars(step.now).items() <= solution.history[step.iteration].items()
        epsilons = [max(r["epsilon_hider"], r["epsilon_guesser"]) for r in solution.history[: step.iteration + 1]]
        assert step.best.epsilon == min(epsilons)


@pytest.mark.parametrize("how", ["ctrl-c", "stop", "time"])
def test_a_run_that_is_ended_among_many_steps_goes_on_to_the_same_bits(
    jotto, one_by_one, tmp_path, leap, monkeypatch, how
):
    monkeypatch.setattr("oracular.system.control.SECONDS_BETWEEN_REPORTS", 0.0)
    heard = []

    def step(progress):
        heard.append(progress.iteration)
        if len(heard) == 6 and how == "ctrl-c":
            os.kill(os.getpid(), signal.SIGINT)
        if len(heard) == 6 and how == "time":
            leap(1000.0)

    limits = {"iterations": 400, "time_limit": 1000.0, "stop": lambda: how == "stop" and len(heard) == 6}
    cut = oracular.solve(jotto(3), out=tmp_path / "run", progress=step, **limits)
    assert cut.stopped == ("time" if how == "time" else "interrupted")
    assert cut.iterations == heard[-1] < 400
    assert load_run(tmp_path / "run").iterations == cut.iterations
    whole = one_by_one(3, iterations=400, out=tmp_path / "whole")
    assert cut.history == whole.history[: cut.iterations + 1]
    oracular.solve(jotto(3), iterations=400, out=tmp_path / "run", resume=True)
    assert (tmp_path / "run" / HISTORY).read_bytes() == (tmp_path / "whole" / HISTORY).read_bytes()
    assert checkpoint_of(tmp_path / "run")["solver"] == checkpoint_of(tmp_path / "whole")["solver"]
