"""Runs on disk survive kills, refuse what is damaged, and go on to the same bits."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import oracular
from oracular import load_run
from oracular.errors import RunError
from oracular.runs.folder import discard, writing
from oracular.solvers.fictitious_play import FictitiousPlay

from conftest import files_below
from forging import CHECKPOINT, HISTORY, MANIFEST, checkpoint_of


def _bits(folder: Path) -> tuple[bytes, dict]:
    """Return what two runs must agree on: all but the time they took."""
    return (folder / HISTORY).read_bytes(), checkpoint_of(folder)["solver"]


@pytest.fixture(scope="module")
def finished(jotto, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    oracular.solve(jotto(2), iterations=50, out=folder)
    return folder


@pytest.fixture
def run(finished, tmp_path) -> Path:
    return shutil.copytree(finished, tmp_path / "run")


def test_a_run_that_changes_engines_ends_on_the_same_bits(jotto, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    oracular.solve(jotto(3), iterations=60, out=whole, resources=oracular.Resources(engine="scratch", threads=1))
    oracular.solve(jotto(3), iterations=20, out=parts, resources=oracular.Resources(engine="incremental", memory=10**9))
    oracular.solve(jotto(3), iterations=40, out=parts, resume=True, resources=oracular.Resources(engine="scratch"))
    oracular.solve(jotto(3), iterations=60, out=parts, resume=True)
    assert (whole / HISTORY).read_bytes() == (parts / HISTORY).read_bytes()


def test_a_finished_run_that_is_resumed_does_not_change(run, jotto):
    before = _bits(run)
    solution = oracular.solve(jotto(2), iterations=50, out=run, resume=True)
    assert solution.stopped == "iterations"
    assert _bits(run) == before


def test_bytes_beyond_the_checkpoint_are_dropped_at_a_resume(run, jotto, tmp_path):
    oracular.solve(jotto(2), iterations=60, out=tmp_path / "whole")
    with (run / HISTORY).open("ab") as history:
        history.write(b'{"iteration": 51, "hider_resp')
    assert load_run(run).iterations == 50
    oracular.solve(jotto(2), iterations=60, out=run, resume=True)
    assert _bits(run) == _bits(tmp_path / "whole")


def test_a_run_cut_off_before_its_first_step_starts_from_there(jotto, tmp_path, monkeypatch):
    def cut_off(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as cut, pytest.raises(KeyboardInterrupt):
        cut.setattr(FictitiousPlay, "step", cut_off)
        oracular.solve(jotto(2), iterations=50, out=tmp_path / "run")
    with pytest.raises(RunError, match="has no checkpoint yet"):
        load_run(tmp_path / "run")
    assert oracular.solve(jotto(2), iterations=50, out=tmp_path / "run", resume=True).iterations == 50


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def _edit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = next(i for i in range(len(data) // 2, len(data)) if chr(data[i]).isdigit())
    data[middle] = ord("1") if data[middle] != ord("1") else ord("2")
    path.write_bytes(bytes(data))


def _fold(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("name", [HISTORY, CHECKPOINT, MANIFEST])
@pytest.mark.parametrize("damage", [_truncate, _edit, Path.unlink, _fold])
def test_a_damaged_file_is_named_and_nothing_is_touched(run, jotto, name, damage):
    damage(run / name)
    before = files_below(run)
    for use in (lambda: load_run(run), lambda: oracular.solve(jotto(2), iterations=60, out=run, resume=True)):
        with pytest.raises(RunError, match=name):
            use()
    assert files_below(run) == before


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


def test_a_run_of_earlier_versions_has_the_secrets_that_they_took_from_a_list_of_guesses(tmp_path):
    words = ["abbey", "crane", "slate", "speed"]
    before = oracular.game("wordle", secrets=words, guesses=words)
    before = replace(before, own_lists={"guesses": before.guesses})  # what was kept of it
    oracular.solve(before, iterations=2, out=tmp_path / "before")
    again = load_run(tmp_path / "before")
    assert again.game.is_same(before)
    longer = oracular.solve(again.game, iterations=4, out=tmp_path / "before", resume=True)
    assert longer.iterations == 4 and load_run(tmp_path / "before").game.secrets == tuple(words)


def test_a_run_in_use_is_neither_written_nor_removed_by_a_second_process(run, jotto):
    with writing(run):
        for use in (lambda: oracular.solve(jotto(2), iterations=60, out=run, resume=True), lambda: discard(run)):
            with pytest.raises(RunError, match="in use by another process"):
                use()
    oracular.solve(jotto(2), iterations=60, out=run, resume=True)
    discard(run)
    assert not run.exists()


def test_a_disk_that_is_full_is_told_in_a_sentence_and_the_run_stays_good(run, jotto, monkeypatch):
    before = _bits(run)

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk, pytest.raises(RunError, match="No space left on device"):
        disk.setattr(os, "fsync", full)
        oracular.solve(jotto(2), iterations=60, out=run, resume=True)
    assert load_run(run).iterations == 50
    oracular.solve(jotto(2), iterations=50, out=run, resume=True)
    assert checkpoint_of(run)["solver"] == before[1]


def test_a_run_that_cannot_be_made_leaves_nothing_behind(jotto, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match="cannot be made"):
        oracular.solve(jotto(2), iterations=5, out=tmp_path / "file" / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
