"""Lower bounds are proved, kept, and never fall."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular
from oracular import certify
from oracular.errors import OutOfTimeError
from oracular.runs.certify import counted_bound
from oracular.runs.verify import checked_openings
from oracular.search.lower_bound import LowerBound, RefutedBoundError, ThreadSearcher
from oracular.search.openings import OpeningBound, counting_bounds
from oracular.system.control import Deadline

from objective_twin import least_cost
from random_games import random_games, weights_for
from ruled_twin import mean_costs


@settings(max_examples=60)
@given(data=st.data())
def test_the_bound_is_never_above_the_optimum_and_gets_there_in_time(data):
    game = data.draw(random_games(most_secrets=8))
    hider = oracular.Hider(game, data.draw(weights_for(game)))
    exact = oracular.best_response(game, hider)
    bound = LowerBound(hider)
    assert bound.value <= exact.upper
    bound.improve()
    assert bound.value == exact.upper


def test_counting_bounds_hold_for_every_opening(jotto):
    game = oracular.game("jotto-2", jotto(2).secrets[::4])
    weights = np.arange(3, 3 + len(game.secrets))

    bounds = counting_bounds(oracular.Hider(game, weights))
    assert len(bounds) > 5
    for opening, bound in bounds.items():
        assert weights.sum() < bound <= least_cost(game, mean_costs(weights), opening)


def _after_openings(count):
    def watching(bound):
        return lambda: sum(known.plies > 1 for known in bound.openings.values()) >= count

    return watching


def test_a_recorded_bound_that_a_deeper_search_refutes_is_an_error():
    hider = oracular.hider_uniform(oracular.game("mastermind-2x3"))
    true, false = LowerBound(hider), LowerBound(hider)
    true.improve()
    false.add_recorded({o: OpeningBound(known.bound + 1, o, 2) for o, known in true.openings.items()})
    with pytest.raises(RefutedBoundError):
        false.improve()


class _Reporter(ThreadSearcher):
    """A searcher of somebody else's."""

    trusted = False


def test_what_others_report_is_recorded_until_it_is_proved_here():
    hider = oracular.hider_uniform(oracular.game("mastermind-2x3"))
    reported = LowerBound(hider)
    reported.improve(_Reporter(hider, 1))
    assert reported.recorded and not checked_openings(reported).proved
    assert reported.recheck() is None
    assert not reported.recorded and checked_openings(reported).proved


def test_a_finished_bound_is_the_same_whatever_the_order_and_the_cores(jotto):
    hider = oracular.hider_uniform(jotto(3))
    one, other = LowerBound(hider), LowerBound(hider)
    one.improve(stop=_after_openings(12)(one))
    other.improve(ThreadSearcher(hider, 2), stop=_after_openings(15)(other))
    both = [opening for opening in one.openings if one.openings[opening].plies == other.openings[opening].plies > 1]
    assert len(both) > 10
    assert all(one.openings[opening] == other.openings[opening] for opening in both)


@pytest.fixture
def run(jotto, tmp_path):
    oracular.solve(jotto(3), iterations=3, out=tmp_path / "run", settings={"ties": "possible"})
    return tmp_path / "run"


def _certify_until(run, reached, **settings):
    """Certify until the bounds have reached something, however long that takes."""
    seen = []
    return certify(run, time_limit=600, progress=seen.append, stop=lambda: any(map(reached, seen)), **settings)


def test_what_is_proved_is_kept_and_only_rises(run):
    first = _certify_until(run, lambda bounds: bounds.lower > Fraction(2500, 421))
    second = _certify_until(run, lambda bounds: bounds.lower > first.lower)
    assert first.lower_check.proved and first.upper_check.proved
    assert 5 < first.lower < second.lower < second.upper
    assert second.stopped == "interrupted"
    kept = json.loads((run / "certification-uniform.json").read_text().splitlines()[1])
    assert min(bound for _, bound, _ in kept["openings"]) == second.lower * 421


def test_the_runs_own_hider_may_prove_it(run):
    bounds = _certify_until(run, lambda bounds: True, hider="run")
    assert bounds.hider == "run" and bounds.lower < bounds.upper


def test_without_time_for_a_first_bound_it_says_so_and_writes_nothing(run):
    with pytest.raises(OutOfTimeError, match=r"before the run in .* was read: give more time"):
        certify(run, time_limit=1e-9)
    with pytest.raises(OutOfTimeError, match="before every opening of jotto-3 had a first bound: give more time"):
        counted_bound(oracular.hider_uniform(oracular.load_run(run).game), Deadline(0.0))
    assert not (run / "certification-uniform.json").exists()


def test_an_exact_run_is_certified_at_once(tmp_path):
    oracular.solve("mastermind-2x4", solver="exact", out=tmp_path / "run")
    bounds = certify(tmp_path / "run", time_limit=600, stop=lambda: True)
    assert bounds.proved
    assert bounds.lower == bounds.upper == Fraction(45, 16)
    assert np.isfinite(bounds.seconds)


@pytest.fixture
def two(jotto, tmp_path):
    """Return the folder of a short run of two letters."""
    oracular.solve(jotto(2), solver="regret-matching", iterations=2, out=tmp_path / "two")
    return tmp_path / "two"


def test_no_opening_is_asked_for_more_than_the_target(two):
    bounds = certify(two, target=Fraction(276, 51))
    assert (bounds.lower, bounds.stopped) == (Fraction(276, 51), "target")
    kept = json.loads((two / "certification-uniform.json").read_text(encoding="utf-8").splitlines()[1])
    assert {bound for _, bound, plies in kept["openings"] if plies > 1} == {276}
    assert certify(two, target=5.5).lower == Fraction(281, 51)  # 280.5 in all, and bounds are whole


def test_the_command_takes_targets_exactly_and_says_whether_they_are_reached(two, oracular):
    told = oracular("certify", two, "--target", "276/51").out
    assert "5.411765, reached" in told and f"oracular verify {two}" in told
    for bad in ("0", "-1", "1e400", "nan", "inf", "1/0", "six", "99"):
        answered = oracular("certify", two, "--target", bad)
        assert answered.code == 2 and "target" in answered.err and "Traceback" not in answered.err, bad
