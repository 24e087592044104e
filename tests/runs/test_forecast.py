"""How long a run will take is told from what it took so far, right within a factor of two; clocks are made up here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import oracular
from oracular.responses.greedy import GreedyEngine
from oracular.responses.openings import OpeningsProblem
from oracular.runs import forecast
from oracular.runs.forecast import Forecast, Forecaster, about, seconds_of_tree
from oracular.runs.limits import Limits
from oracular.solvers.regret_matching import RegretMatching
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed


def told(times: list[float], steady: bool = False, limit: float = math.inf, to_conclude: float = 0.0):
    """Return the forecast of a run whose iterations take so many seconds each, and after how many it was told."""
    forecaster = Forecaster(len(times), len(times) - 1, steady, limit)
    for made, seconds in enumerate(np.cumsum(times), start=1):
        found = forecaster.after(float(seconds), to_conclude * made)
        if found is not None:
            assert all(forecaster.after(float(seconds)) is None for _ in range(3))  # once and no more
            return found, made
    return None, len(times)


@pytest.mark.parametrize("iterations", [100, 1000, 20_000])
@pytest.mark.parametrize("power", [0.0, 0.2, 0.4, 0.5])
@pytest.mark.parametrize("first", [0.01, 0.2])
def test_a_pace_that_rises_as_it_does_is_foretold_within_a_factor_of_two(iterations, power, first):
    times = [1.0] + [max(first * made**-power, first / 20) for made in range(1, iterations + 1)]
    found, made = told(times)
    if sum(times) > 4:
        assert found is not None and 0.5 < found.seconds / sum(times) < 2
        assert made <= forecast.LEAST_ITERATIONS + 1 or sum(times[1 : made - 1]) <= forecast.LATEST  # soon enough


def test_a_steady_pace_is_foretold_almost_exactly():
    found, made = told([0.1] * 600, steady=True)
    assert found is not None and found.seconds == pytest.approx(60)
    assert made == 60
    assert found.sentence() == "about 60 s to iteration 599"


def test_a_slow_first_iteration_counts_once():
    found, _ = told([50.0] + [0.1] * 599, steady=True)
    assert found is not None and found.seconds == pytest.approx(50 + 59.9, rel=0.01)


def test_what_the_conclusion_takes_is_added():
    found, _ = told([0.1] * 600, steady=True, to_conclude=0.01)
    assert found is not None and found.seconds == pytest.approx(60 + 6)


@pytest.mark.parametrize(
    ("times", "limit"),
    [
        ([0.001] * 900, math.inf),  # over before anything could be told
        ([0.2] * 20, math.inf),  # few, and soon over
        ([9.0, 2.0, 2.0], math.inf),  # too few to know
        ([0.1] * 600, 20.0),  # the time that was given ends it
    ],
)
def test_where_there_is_nothing_to_tell_nothing_is_told(times, limit):
    assert told(times, limit=limit)[0] is None


@pytest.mark.parametrize(
    "moments",
    [
        [1.2, 1.5, 1.8, 1.9, 3.8, 3.9, 4.2, 4.2, 4.4, 4.4, 4.6, 4.7, 4.8, 4.8, 5.0, 5.1, 5.3, 5.3, 5.3, 5.3, 5.4],
        [4.9, 5.0, 5.5, 5.8, 7.5, 7.6, 8.0, 8.1, 8.4, 8.5, 8.9, 9.0, 9.3, 9.4, 9.5, 9.7, 9.8, 9.9, 10.1, 10.2, 10.3],
        [0.5, 0.8, 1.0, 1.1, 1.5, 1.6, 1.8, 1.8, 2.1, 2.3, 2.6, 2.6, 2.8, 2.8, 3.1, 3.3, 3.4, 3.4, 3.5, 3.5, 3.6],
    ],
    ids=["mastermind-4x6", "wordle", "jotto-4"],
)
@pytest.mark.parametrize("slower", [3, 8])
def test_twenty_slow_steps_of_regret_matching_are_foretold_after_the_first_few(moments, slower):
    times = np.diff([0.0, *moments]) * slower  # as measured, on a slower machine
    found, made = told(times.tolist())
    assert found is not None and 0.5 < found.seconds / (moments[-1] * slower) < 2
    assert made <= 5


def test_a_single_slow_step_among_few_does_not_count_too_much():
    found, _ = told([1.0, 1.0, 9.0, 1.0, *[1.0] * 16])
    assert found is not None and 0.5 < found.seconds / 28 < 2


@pytest.mark.parametrize(("with_it", "without", "pays"), [(0.05, 0.01, False), (0.05, 0.2, True)])
def test_a_cluster_that_is_slower_than_this_machine_is_said_not_to_pay(with_it, without, pays):
    forecaster = Forecaster(1000, 999, True, without_cluster=without)
    found = next(filter(None, (forecaster.after(with_it * made) for made in range(1, 1000))))
    assert ("does not pay" in found.sentence()) is not pays
    if not pays:
        assert found.sentence() == (
            "about 50 s to iteration 999; the cluster does not pay here: about 50 ms an iteration with it, "
            "about 10 ms or less without it"
        )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0123, "12 ms"), (1.04, "1 s"), (61, "61 s"), (118, "2 min"), (5400, "90 min"), (90_000, "25 h")],
)
def test_times_are_said_in_two_digits(seconds, text):
    assert about(seconds) == f"about {text}"


def test_the_first_tree_of_a_large_game_is_foretold_from_samples(jotto, monkeypatch):
    monkeypatch.setattr(forecast, "MANY_PAIRS", 1000)
    engine = GreedyEngine(jotto(3))
    moments = iter([0.0, 1.0, 10.0, 12.0])  # the smaller sample takes a second, the one of twice its size two
    assert seconds_of_tree(engine, NEVER, lambda: next(moments)) == pytest.approx(2 * 32)
    with pytest.raises(DeadlinePassed):
        seconds_of_tree(GreedyEngine(jotto(3)), Deadline.after(0))


def test_a_run_tells_of_its_first_iteration_where_that_takes_long(jotto, monkeypatch):
    monkeypatch.setattr(forecast, "MANY_PAIRS", 1000)
    heard: list[Forecast] = []
    oracular.solve(jotto(3), iterations=2, observer=oracular.Observer(forecast=heard.append))
    assert [found.what for found in heard] == ["for the first iteration"]


def test_a_run_for_three_guesses_is_foretold_as_other_runs_of_regret_matching_are(jotto):
    heard: list[Forecast] = []
    after = forecast.foretelling(RegretMatching(OpeningsProblem(jotto(2))), Limits(iterations=100), NEVER, heard.append)
    for made in range(1, 60):
        after(made * 10.0)
    assert [found.what for found in heard] == ["to iteration 100"]


@pytest.mark.parametrize("limits", [{"epsilon": 9.0}, {"time_limit": 0.3}])
def test_nothing_is_told_of_a_run_that_ends_nobody_knows_when(jotto, monkeypatch, limits):
    monkeypatch.setattr(forecast, "MANY_PAIRS", 1000)
    monkeypatch.setattr(forecast, "LEAST_WORK", 0.0)
    heard: list[Forecast] = []
    oracular.solve(jotto(2), **limits, observer=oracular.Observer(forecast=heard.append))
    oracular.solve(oracular.game("mastermind-2x3"), solver="exact", observer=oracular.Observer(forecast=heard.append))
    assert heard == []
