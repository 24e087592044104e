"""Runs on disk survive kills, refuse what is damaged, and go on to the same bits."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import oracular
from oracular.errors import RunError
from oracular.runs import CHECKPOINT, HISTORY, MANIFEST, Run
from oracular.solve import load_run

from conftest import files_below

KILLS = 20


def _bits(folder: Path) -> tuple[bytes, dict]:
    """Return what two runs must agree on: all but the time they took."""
    committed = Run.open(folder).committed()
    return (folder / HISTORY).read_bytes(), committed.solver


@pytest.fixture(scope="module")
def finished(jotto, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    oracular.solve(jotto(2), iterations=50, out=folder)
    return folder


@pytest.fixture
def run(finished, tmp_path) -> Path:
    return shutil.copytree(finished, tmp_path / "run")


def test_a_run_that_is_resumed_ends_on_the_same_bits(jotto, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    oracular.solve(jotto(3), iterations=60, out=whole)
    oracular.solve(jotto(3), iterations=13, out=parts)
    oracular.solve(jotto(3), iterations=14, out=parts, resume=True)
    oracular.solve(jotto(3), iterations=60, out=parts, resume=True)
    assert _bits(whole) == _bits(parts)


def test_a_finished_run_that_is_resumed_does_not_change(run, jotto):
    before = _bits(run)
    solution = oracular.solve(jotto(2), iterations=50, out=run, resume=True)
    assert solution.stopped == "iterations"
    assert _bits(run) == before


def _solve_for_ever(folder: Path, resume: bool) -> None:
    oracular.solve("jotto-3", iterations=2000, threads=1, out=folder, resume=resume)


def test_a_run_killed_many_times_ends_on_the_same_bits_as_one_never_stopped(jotto, tmp_path, monkeypatch):
    driver = importlib.import_module("oracular.solve")  # the name `oracular.solve` itself is the function
    monkeypatch.setattr(driver, "SECONDS_BETWEEN_CHECKPOINTS", 0.02)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    oracular.solve(jotto(3), iterations=2000, threads=1, out=whole)
    rng = np.random.default_rng(2026)
    forked = multiprocessing.get_context("fork")  # the child has the compiled code already, so kills hit the solving
    reached = []
    for _ in range(KILLS):
        process = forked.Process(target=_solve_for_ever, args=(killed, (killed / MANIFEST).exists()))
        process.start()
        time.sleep(rng.uniform(0.005, 0.12))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        assert process.exitcode == -signal.SIGKILL, "the run ended before it was killed: make it longer"
        if (killed / CHECKPOINT).exists():
            reached.append(len(Run.open(killed).committed().history))
    assert len(set(reached)) > KILLS // 3  # the kills fell into many different places, and work was kept
    assert reached == sorted(reached)
    oracular.solve(jotto(3), iterations=2000, threads=1, out=killed, resume=True)
    assert _bits(whole) == _bits(killed)


def test_bytes_beyond_the_checkpoint_are_dropped_at_a_resume(run, jotto):
    before = _bits(run)
    with (run / HISTORY).open("ab") as history:
        history.write(b'{"iteration": 51, "hider_resp')
    assert load_run(run).iterations == 50
    oracular.solve(jotto(2), iterations=50, out=run, resume=True)
    assert _bits(run) == before


def test_a_run_cut_off_before_its_first_checkpoint_starts_again(run, jotto):
    before = _bits(run)
    (run / CHECKPOINT).unlink()
    with pytest.raises(RunError, match="cut off before its first checkpoint"):
        load_run(run)
    oracular.solve(jotto(2), iterations=50, out=run, resume=True)
    assert _bits(run) == before


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def _edit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = next(i for i in range(len(data) // 2, len(data)) if chr(data[i]).isdigit())
    data[middle] = ord("1") if data[middle] != ord("1") else ord("2")
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("name", [HISTORY, CHECKPOINT, MANIFEST])
@pytest.mark.parametrize("damage", [_truncate, _edit, Path.unlink])
def test_a_damaged_file_is_named_and_nothing_is_touched(run, jotto, name, damage):
    if (name, damage) == (CHECKPOINT, Path.unlink):
        pytest.skip("a run without a checkpoint was cut off early; another test has it")
    damage(run / name)
    before = files_below(run)
    for use in (lambda: load_run(run), lambda: oracular.solve(jotto(2), iterations=60, out=run, resume=True)):
        with pytest.raises(RunError, match=name if name != MANIFEST or damage != Path.unlink else "holds no run"):
            use()
    assert files_below(run) == before


def test_an_edited_setting_in_the_manifest_is_noticed(run):
    manifest = json.loads((run / MANIFEST).read_text())
    manifest["settings"]["ties"] = "possible"
    (run / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(RunError, match=MANIFEST):
        load_run(run)


def test_a_run_with_ones_own_words_reopens_with_them(tmp_path):
    own = oracular.game("jotto-3", ["cab", "fix", "hum", "jot", "zed"])
    solution = oracular.solve(own, iterations=5, out=tmp_path / "own")
    again = load_run(tmp_path / "own")
    assert again.game.secrets == own.secrets
    assert (again.hider.weights == solution.hider.weights).all()
    assert again.guarantee == solution.guarantee
    (tmp_path / "own" / "words.txt").write_text("cab\nfix\nhum\njot\nzag\n")
    with pytest.raises(RunError, match=r"words\.txt"):
        load_run(tmp_path / "own")


def test_a_run_in_use_is_not_written_by_a_second_process(run, jotto):
    writer = Run.open(run).writer(Run.open(run).committed())
    with pytest.raises(RunError, match="in use by another process"):
        oracular.solve(jotto(2), iterations=60, out=run, resume=True)
    writer.close()
    oracular.solve(jotto(2), iterations=60, out=run, resume=True)
