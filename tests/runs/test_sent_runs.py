"""A run that was worked on elsewhere comes back whole or not at all, and touches no file but its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import oracular
from oracular.errors import RunError
from oracular.runs.folder import files_of, writing
from oracular.system import files

from conftest import files_below
from faulty_disk import FaultyDisk
from forging import CHECKPOINT, HISTORY, MANIFEST


@pytest.fixture
def run(jotto, tmp_path) -> Path:
    oracular.solve(jotto(2), iterations=20, out=tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def later(run, jotto, tmp_path) -> dict[str, bytes]:
    """The files of the same run after some more steps."""
    elsewhere = shutil.copytree(run, tmp_path / "elsewhere")
    oracular.solve(jotto(2), iterations=40, out=elsewhere, resume=True)
    return files_of(elsewhere)


def test_a_later_state_is_taken_over(run, later, jotto):
    with writing(run) as writer:
        writer.receive(later)
        writer.receive(later)  # and the same once more changes nothing
    assert files_of(run) == later
    oracular.solve(jotto(2), iterations=50, out=run, resume=True)
    assert len(oracular.load_run(run).history) == 51


def test_a_disk_that_fills_up_leaves_the_run_as_it_was(run, later, monkeypatch):
    before = files_of(run)
    with writing(run) as writer, monkeypatch.context() as patch:
        patch.setattr(files, "os", FaultyDisk("full", at="write"))
        with pytest.raises(RunError, match="No space left"):
            writer.receive(later)
    assert files_of(run) == before
    with writing(run) as writer:
        writer.receive(later)
    assert files_of(run) == later


def test_only_the_files_of_the_run_travel(run, jotto, tmp_path):
    own = oracular.game("jotto-3", ["cab", "fix", "hum", "jot", "zed"])
    oracular.solve(own, solver="regret-matching", iterations=5, out=tmp_path / "own")
    arrays = {path.name for path in (tmp_path / "own").glob("arrays-*.npz")}
    for folder, more in ((run, set()), (tmp_path / "own", {"words.txt"} | arrays)):
        (folder / "certification-uniform.json").write_text("bounds")
        (folder / "notes.txt").write_text("a user's own")
        (folder / "arrays-999.npz").write_text("of no checkpoint")
        assert files_of(folder).keys() == {MANIFEST, HISTORY, CHECKPOINT} | more


def test_what_was_written_meanwhile_stays(run, later):
    (run / "certification-uniform.json").write_text("newer bounds")
    (run / "notes.txt").write_text("newer notes")
    with writing(run) as writer:
        writer.receive(later)
    assert (run / "certification-uniform.json").read_text() == "newer bounds"
    assert (run / "notes.txt").read_text() == "newer notes"


@pytest.mark.parametrize(
    "name", ["notes.txt", "certification-uniform.json", "../stray.json", "arrays-../x.npz", "arrays-1.npz/../../x"]
)
def test_any_other_file_is_refused_and_nothing_is_touched(run, later, name, tmp_path):
    before = files_below(tmp_path)
    with writing(run) as writer, pytest.raises(RunError, match="not a later state of the run"):
        writer.receive({**later, name: b"stray"})
    assert files_below(tmp_path) == before


@pytest.mark.parametrize("name", [HISTORY, CHECKPOINT])
def test_a_state_that_lacks_a_file_is_refused(run, later, name):
    del later[name]
    before = files_below(run)
    with writing(run) as writer, pytest.raises(RunError, match="not a later state of the run"):
        writer.receive(later)
    assert files_below(run) == before
