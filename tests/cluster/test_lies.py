"""A worker whose answers are not true is found out, or its answers are called what they are."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from fractions import Fraction

import pytest

import oracular as package
from oracular import certify
from oracular.cluster import trees
from oracular.errors import FalseAnswerError
from oracular.runs import format as layout

from conftest import files_below

DEPTHS = "work.__name__ == 'build_trees' and not arguments[-1]"
GUESSES = "work.__name__ == 'build_trees' and arguments[-1]"
BOUND = "work.__name__ == 'deepen'"
SITTING = "work.__name__ == 'sitting'"
"""Which jobs a worker lies about."""

LIES = {
    "one guess is enough": (DEPTHS, "np.ones_like(truth)"),
    "one guess fewer": (DEPTHS, "np.where(truth > 2, truth - 1, truth)"),
    "too few numbers": (DEPTHS, "truth[:-1]"),
    "real numbers": (DEPTHS, "truth.astype(float)"),
    "depths below 1": (DEPTHS, "truth * 0 - 5"),
    "a text for depths": (DEPTHS, "'deep'"),
    "no depths": (DEPTHS, "None"),
    "a guess that does not exist": (GUESSES, "10**9"),
    "a negative guess": (GUESSES, "-1"),
    "a text for a guess": (GUESSES, "'aa'"),
    "another guess": (GUESSES, "truth + 1 if truth == 0 else truth - 1"),
}

BOUNDS = {
    "far too high": "replace(truth, bound=10**15, plies=127)",
    "a little too high": "replace(truth, bound=truth.bound + 1)",
    "lower than before": "replace(truth, bound=1)",
    "proved when it is not": "replace(truth, plies=127)",
    "of another opening": "replace(truth, opening=truth.opening + 1)",
    "of another depth": "replace(truth, plies=truth.plies + 7)",
    "no deeper than before": "replace(truth, plies=truth.plies - 1)",
    "a real number": "replace(truth, bound=float(truth.bound))",
    "a text": "'high'",
}

CHECKPOINTS = {
    "no state": "solver={}",
    "a state of nothing": "solver={'nonsense': 7}",
    "other weights": "solver={**sent.solver, 'position': {**sent.solver['position'], 'weights': [1]}}",
    "an iteration that was not made": "solver={**sent.solver, 'position': {**sent.solver['best'], 'iteration': 99}}",
    "done when it is not": "stopped='iterations'",
    "finished when it is not": "stopped='finished'",
    "out of time where there is no limit": "stopped='time'",
}
"""What of a checkpoint is not true; it has a good checksum all the same."""

CERTIFICATES = {
    "no certificate": "b'nonsense'",
    "a value that is none": "truth['certificate.json'].replace(b'29/12', b'28/12')",
}


@pytest.fixture
def lying(connected):
    """Give a function that makes the workers answer some jobs by an expression over the truth, for one test."""
    connected.kinds.clear()  # the first answer of each type is always worked out here as well
    truly = "import oracular.cluster.worker as worker\ntruly = worker.__dict__.setdefault('truly', worker.run_job)\n"

    def lie(jobs, expression):
        code = f"""{truly}
from dataclasses import replace
import numpy as np
from oracular.runs import format as layout
known = {{"np": np, "replace": replace, "layout": layout}}

def run_job(ticket, work, arguments):
    names = {{**known, "work": work, "arguments": arguments, "truth": truly(ticket, work, arguments)}}
    return eval({expression!r}, names) if eval({jobs!r}, names) else names["truth"]

worker.run_job = run_job
"""
        connected.client.run(lambda: exec(code, {}))

    yield lie
    connected.client.run(lambda: exec(f"{truly}worker.run_job = truly", {}))


@pytest.fixture
def spread(connected, monkeypatch):
    """What solves on the cluster, with small games divided among the workers as well."""
    monkeypatch.setattr(trees, "LEAST_LOOKUPS", 1)
    return package.Resources(cluster=connected)


@pytest.mark.parametrize("name", LIES)
def test_a_tree_that_is_not_true_is_found_out(spread, lying, jotto, name):
    lying(*LIES[name])
    with pytest.raises(FalseAnswerError, match="a worker of the cluster at tcp://") as raised:
        package.solve(jotto(2), iterations=4, resources=spread)
    assert "\n" not in str(raised.value)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("oracular-rechecking")]


def test_a_run_of_lies_ends_in_a_sentence(shared, lying, oracular):
    lying(*LIES["one guess is enough"])
    outcome = oracular("solve", "jotto-2", "--iterations", 4, "--out", "run", "--cluster", shared.address)
    assert (outcome.code, outcome.out) == (2, "")
    assert "an answer that is not true" in outcome.err and outcome.err.count("\n") == 1


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds_that_are_not_true_are_not_kept(connected, lying, jotto, tmp_path, name):
    package.solve(jotto(2), iterations=3, out=tmp_path / "run")
    lying(BOUND, BOUNDS[name])
    with pytest.raises(FalseAnswerError, match="is not true"):
        certify(tmp_path / "run", time_limit=60, cluster=connected)
    kept = (tmp_path / "run" / "certification-uniform.json").read_text().splitlines()[1]
    assert {plies for _, _, plies in json.loads(kept)["openings"]} == {1}  # what counting gives


def test_figures_that_rest_on_workers_say_so(shared, oracular, tmp_path):
    words = ("--words", "own.txt")
    (tmp_path / "own.txt").write_text("\n".join(package.game("jotto-3").secrets[::14]) + "\n")
    solve = ("solve", "jotto-3", *words, "--iterations", 4, "--out")
    with_cluster = ("--cluster", shared.address)
    there = oracular(*solve, "there", *with_cluster)
    assert there.code == 0
    assert "(as reported by the cluster; " in " ".join(there.out.split()) and "proved" not in there.out
    data = json.loads(oracular(*solve, "data", *with_cluster, "--json").out)
    assert data["cluster"]["answers"] >= 4 and 1 <= data["cluster"]["rechecked"] <= data["cluster"]["answers"]
    here = oracular(*solve, "here")
    assert "(proved upper bound)" in here.out and "cluster" not in here.out
    assert json.loads(oracular(*solve, "alone", "--json").out)["cluster"] is None

    for command in (("certify", "here"), ("respond", "jotto-3", *words)):
        text = oracular(*command, *with_cluster)
        assert text.code == 0 and "as reported by the cluster; " in " ".join(text.out.split())  # a line may wrap there
        (tmp_path / "here" / "certification-uniform.json").unlink(missing_ok=True)  # it would be continued
        data = json.loads(oracular(*command, *with_cluster, "--json").out)
        assert data["proved"] is False and data["cluster"]["answers"] > data["cluster"]["rechecked"]


def test_names_of_files_that_lead_elsewhere_are_not_written(shared, lying, oracular, tmp_path):
    """A sweep's runs travel as files: neither side writes one that is not of a run."""
    lying(SITTING, "truth | {'../../escaped': b'x'}")
    outcome = oracular("sweep", "jotto-2", "--iterations", 3, "--out", "runs", "--cluster", shared.address)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ") and outcome.err.count("\n") == 1
    assert not list(tmp_path.parent.rglob("escaped"))


def resealed(change):
    """The expression for the files of a run whose checkpoint was changed, with a checksum that fits."""
    return (
        "(lambda sent: truth | {'checkpoint.json': layout.write_checkpoint(replace(sent, "
        f"{change}))}})(layout.read_checkpoint(truth['checkpoint.json']))"
    )


def state_of(folder):
    """All that a run holds, but for the time it took."""
    files = files_below(folder)
    return replace(layout.read_checkpoint(files.pop("checkpoint.json")), seconds=0), files


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_run_of_a_sweep_that_is_not_true_harms_no_folder(shared, lying, oracular, tmp_path, monkeypatch, name):
    monkeypatch.setattr("oracular.runs.sweep.FIRST_SITTING", 0.0)  # a step a sitting
    command = ("sweep", "jotto-2", "--out", "runs", "--iterations")
    run, never = (tmp_path / place / "jotto-2-fictitious-play" for place in ("runs", "never"))
    assert oracular(*command, 2).code == 0
    lying(SITTING, resealed(CHECKPOINTS[name]))
    outcome = oracular(*command, 6, "--cluster", shared.address)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ") and outcome.err.count("\n") == 1
    assert 2 <= package.load_run(run).iterations < 6
    assert oracular(*command, 6).code == 0
    assert oracular("sweep", "jotto-2", "--out", "never", "--iterations", 6).code == 0
    assert state_of(run) == state_of(never)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_certificate_of_a_worker_is_not_kept(shared, lying, oracular, tmp_path, name):
    lying(SITTING, f"truth | {{'certificate.json': {CERTIFICATES[name]}}}")
    command = ("sweep", "mastermind-2x3", "--solver", "exact", "--json", "--out")
    outcome = oracular(*command, "runs", "--cluster", shared.address)
    assert outcome.code == 0
    (row,) = json.loads(outcome.out)
    assert (row["lower"], row["upper"], row["proved"]) == ("29/12", "29/12", True), "it was worked out here"
    assert oracular(*command, "never").code == 0
    run, never = (tmp_path / place / "mastermind-2x3-exact" for place in ("runs", "never"))
    assert state_of(run) == state_of(never) and package.load_run(run).lower == Fraction(29, 12)
