"""How many steps the driver has made in one go: as many as are soon done, and it shows in nothing but the time."""

from __future__ import annotations

import os
import signal
from itertools import pairwise

import pytest

import oracular
from oracular.runs.drive import load_run
from oracular.runs.folder import HISTORY, Run
from oracular.runs.limits import Observer, Pace
from oracular.solvers.fictitious_play import FictitiousPlay

EVERY_STEP = Observer(step=lambda step: None)
"""Somebody who wants to hear of every step, so that each is made by itself."""


@pytest.fixture
def calls(monkeypatch):
    """Give the list of how many steps were asked for, and how many of them made, each time."""
    heard, steps = [], FictitiousPlay.steps

    def listening(self, most, *arguments):
        records = steps(self, most, *arguments)
        heard.append((most, len(records)))
        return records

    monkeypatch.setattr(FictitiousPlay, "steps", listening)
    return heard


def test_steps_are_made_one_by_one_for_who_hears_of_each_and_many_at_a_time_for_others(jotto, calls):
    every = oracular.solve(jotto(2), iterations=300, observer=EVERY_STEP)
    assert calls == [(1, 1)] * 301
    calls.clear()
    whole = oracular.solve(jotto(2), iterations=300)
    assert calls[0] == (1, 1) and sum(made for _, made in calls) == 301
    assert all(most <= 2 * before for (before, _), (most, _) in pairwise(calls))
    assert every.history == whole.history


@pytest.mark.parametrize("limits", [{"iterations": 1}, {"iterations": 333}, {"epsilon": 0.7}, {"epsilon": 1e9}])
def test_a_run_is_the_same_on_disk_however_many_steps_are_made_in_one_go(jotto, tmp_path, limits):
    one, many = tmp_path / "one", tmp_path / "many"
    by_one = oracular.solve(jotto(2), out=one, observer=EVERY_STEP, **limits)
    at_once = oracular.solve(jotto(2), out=many, **limits)
    assert (one / HISTORY).read_bytes() == (many / HISTORY).read_bytes()
    assert Run.open(one).solver == Run.open(many).solver
    assert (by_one.stopped, by_one.iterations, by_one.history) == (at_once.stopped, at_once.iterations, at_once.history)
    assert by_one.guarantee == at_once.guarantee and by_one.best_iteration == at_once.best_iteration


def test_a_watcher_with_patience_hears_of_some_steps_and_of_the_last(jotto):
    heard = []
    solution = oracular.solve(jotto(2), iterations=500, observer=Observer(step=heard.append, pause=60.0))
    told = [step.iteration for step in heard]
    assert told[0] == 0 and told[-1] == 500 and told == sorted(set(told)) and len(told) < 501
    for step in heard:
        assert vars(step.now).items() <= solution.history[step.iteration].items()
        epsilons = [max(r["epsilon_hider"], r["epsilon_guesser"]) for r in solution.history[: step.iteration + 1]]
        assert step.best.epsilon == min(epsilons)


@pytest.mark.parametrize("how", ["ctrl-c", "stop", "time"])
def test_a_run_that_is_ended_among_many_steps_goes_on_to_the_same_bits(jotto, tmp_path, leap, how):
    heard = []

    def step(progress):
        heard.append(progress.iteration)
        if len(heard) == 6 and how == "ctrl-c":
            os.kill(os.getpid(), signal.SIGINT)
        if len(heard) == 6 and how == "time":
            leap(1000.0)

    observer = Observer(step=step, stop=lambda: how == "stop" and len(heard) == 6, pause=60.0)
    cut = oracular.solve(jotto(3), iterations=400, time_limit=1000.0, out=tmp_path / "run", observer=observer)
    assert cut.stopped == ("time" if how == "time" else "interrupted")
    assert cut.iterations == heard[-1] < 400
    assert load_run(tmp_path / "run").iterations == cut.iterations
    whole = oracular.solve(jotto(3), iterations=400, out=tmp_path / "whole", observer=EVERY_STEP)
    assert cut.history == whole.history[: cut.iterations + 1]
    oracular.solve(jotto(3), iterations=400, out=tmp_path / "run", resume=True)
    assert (tmp_path / "run" / HISTORY).read_bytes() == (tmp_path / "whole" / HISTORY).read_bytes()
    assert Run.open(tmp_path / "run").solver == Run.open(tmp_path / "whole").solver


def test_the_pace_doubles_up_to_what_may_be_taken_and_falls_at_once():
    pace = Pace(1.0)
    asked = []
    for seconds_a_step in [0.01] * 9 + [0.3, 0.3, 5.0, 0.0]:
        asked.append(pace.steps)
        pace.after(pace.steps, pace.steps * seconds_a_step)
    assert asked == [1, 2, 4, 8, 16, 32, 64, 100, 100, 100, 3, 3, 1]
    assert pace.steps == 2


def test_the_pace_follows_the_steps_that_were_made_not_those_asked_for():
    pace = Pace(1.0, steps=64)
    pace.after(4, 0.1)
    assert pace.steps == 40


@pytest.mark.parametrize("taken", [0.0, 1e-9, 1.0])
def test_with_no_time_to_take_every_step_is_made_by_itself(taken):
    pace = Pace(0.0)
    for _ in range(5):
        pace.after(1, taken)
        assert pace.steps == 1
