"""`solve --fresh` starts over if there is a run, and removes nothing else; `--resume` keeps to its time."""

from __future__ import annotations

import json

import pytest

from oracular import certify

from conftest import files_below


@pytest.fixture
def run(oracular, tmp_path):
    assert oracular("solve", "jotto-2", "--iterations", "9", "--out", "run").code == 0
    return tmp_path / "run"


def test_it_begins_anew_with_other_settings_too(oracular, run):
    assert oracular("solve", "jotto-3", "--ties", "possible", "--iterations", "3", "--out", "run", "--fresh").code == 0
    assert json.loads((run / "manifest.json").read_text())["game"] == "jotto-3"
    assert json.loads(oracular("evaluate", "run", "--json").out)["iterations"] == 3


@pytest.mark.parametrize("damage", ["manifest.json", "history.jsonl"])
def test_a_damaged_run_is_no_hindrance(oracular, run, damage):
    (run / damage).write_text("nothing of ours")
    assert oracular("solve", "jotto-2", "--iterations", "4", "--out", "run", "--fresh").code == 0
    (run / damage).unlink()
    assert oracular("solve", "jotto-2", "--iterations", "5", "--out", "run", "--fresh").code == 0
    assert json.loads(oracular("evaluate", "run", "--json").out)["iterations"] == 5


def test_bounds_and_the_picture_of_a_run_go_with_it(oracular, run):
    certify(run, stop=lambda: True)
    assert oracular("plot", "run").code == 0
    assert {"certification-uniform.json", "certification.lock", "plot.png"} <= {path.name for path in run.iterdir()}
    assert oracular("solve", "jotto-2", "--iterations", "4", "--out", "run", "--fresh").code == 0
    assert not (run / "plot.png").exists() and not (run / "certification-uniform.json").exists()


@pytest.mark.parametrize("name", ["notes.txt", "deeper/notes.txt"])
@pytest.mark.parametrize(
    "command", ["solve jotto-2 --iterations 4 --out runs/jotto-2-4", "table --letters 2 --out runs"]
)
def test_what_is_not_of_a_run_is_never_removed(oracular, tmp_path, name, command):
    oracular("solve", "jotto-2", "--iterations", "3", "--out", "runs/jotto-2-4")
    (tmp_path / "runs" / "jotto-2-4" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "runs" / "jotto-2-4" / name).write_text("mine")
    before = files_below(tmp_path)
    outcome = oracular(*command.split(), "--iterations", "4", "--fresh")
    assert outcome.code == 2 and f"holds '{name.split('/')[0]}' besides its run: move that away" in outcome.err
    assert files_below(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["jotto-2", "--resume", "--fresh"], "--resume continues a run and --fresh starts over: give only one"),
        (["jotto-2", "--fresh", "--threads", "0"], "0 threads asked for"),
        (["jotto-2", "--fresh", "--iterations", "0"], "0 iterations asked for"),
        (["chess", "--fresh"], "'chess' is not a game"),
    ],
)
def test_bad_input_leaves_the_run_as_it_is(oracular, run, arguments, sentence):
    before = files_below(run)
    outcome = oracular("solve", *arguments, "--out", "run")
    assert outcome.code == 2 and sentence in outcome.err and outcome.err.count("\n") == 1
    assert files_below(run) == before
