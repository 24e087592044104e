"""Jobs for a GPU: worked on with NumPy and CuPy alone, and every error is one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oracular.bounds.batches import ALL_OF_IT, Unit
from oracular.bounds.gpu.__main__ import main
from oracular.bounds.gpu.job import Job, read_job, read_result, write_job
from oracular.bounds.letters import board_of
from oracular.bounds.uniform import UniformSearch
from oracular.errors import RunError
from oracular.strategies.hider import hider_uniform

FAKE = Path(__file__).parent / "fake"
SOURCES = Path(__file__).parent.parent.parent / "src"

FORBIDDING = """
import sys

class Forbidding:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite", "click", "rich", "highspy", "wordsegment"):
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Forbidding())
"""

UNITS = [Unit(20, 3, 281), Unit(5, 3, ALL_OF_IT), Unit(5, 2, ALL_OF_IT)]


@pytest.fixture
def job(tmp_path: Path, jotto) -> Path:
    path = tmp_path / "job.json"
    write_job(path, Job(board_of(hider_uniform(jotto(2))), UNITS))
    return path


def test_a_job_is_worked_on_with_numpy_and_cupy_alone(job, tmp_path, jotto, emulator_cache) -> None:
    (tmp_path / "sitecustomize.py").write_text(FORBIDDING, encoding="utf-8")
    path = os.pathsep.join(map(str, (tmp_path, FAKE, SOURCES)))
    environment = os.environ | {"PYTHONPATH": path, "EMULATOR_CACHE": str(emulator_cache)}
    command = [sys.executable, "-m", "oracular.bounds.gpu", job, tmp_path / "result.json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    compiled = UniformSearch(hider_uniform(jotto(2)))
    found = read_result(tmp_path / "result.json")
    assert found == {unit: compiled.opening_bound(*unit, lambda: None) for unit in UNITS}
    assert list(found) == UNITS


def test_a_job_comes_back_from_its_file(job, jotto) -> None:
    again, board = read_job(job), board_of(hider_uniform(jotto(2)))
    assert again.units == UNITS
    assert (again.board.answers == board.answers).all()


def sentence_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_without_a_gpu_it_says_so_and_writes_nothing(job, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert "CuPy, which is not installed" in sentence_of(capsys, job, tmp_path / "result.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.json"]


def test_a_device_that_is_lost_leaves_the_result_before(job, tmp_path, capsys, emulated) -> None:
    (tmp_path / "result.json").write_text("before", encoding="utf-8")
    emulated.FAILS_AT = 3
    assert "cudaErrorIllegalAddress" in sentence_of(capsys, job, tmp_path / "result.json")
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == "before"


def test_bad_arguments_and_files_are_refused_in_one_line(job, tmp_path, capsys) -> None:
    assert "usage" in sentence_of(capsys)
    assert "usage" in sentence_of(capsys, "--help", job)
    assert "cannot be read" in sentence_of(capsys, tmp_path / "none.json", tmp_path / "result.json")
    assert "no folder" in sentence_of(capsys, job, tmp_path / "none" / "result.json")
    assert "is no job" in sentence_of(capsys, _edited(job, words=[]), tmp_path / "result.json")
    job.write_text("{", encoding="utf-8")
    assert "is no JSON" in sentence_of(capsys, job, tmp_path / "result.json")


def _edited(path: Path, **fields: object) -> Path:
    content = json.loads(path.read_text(encoding="utf-8")) | fields
    edited = path.with_name("edited.json")
    edited.write_text(json.dumps(content), encoding="utf-8")
    return edited


@pytest.mark.parametrize(
    "fields",
    [
        {"job": 2},
        {"words": [[0, 1], [2]]},
        {"words": [[0, 0], [1, 2], [2, 3]], "secrets": [0, 1]},
        {"words": [[0, 256], [1, 2], [2, 3]], "secrets": [0, 1]},
        {"secrets": [0, 0]},
        {"secrets": [0]},
        {"secrets": "all"},
        {"units": [[0, 1, 9]]},
        {"units": [[0, 3]]},
        {"units": [[0, 3, 0]]},
        {"units": [[0, 3, True]]},
        {"units": [[5000, 3, 9]]},
        {"units": 7},
    ],
)
def test_a_job_that_is_none_is_refused(job, fields) -> None:
    with pytest.raises(RunError, match="is no job for a GPU"):
        read_job(_edited(job, **fields))


def test_a_result_that_is_none_is_refused(tmp_path) -> None:
    path = tmp_path / "result.json"
    for units in ([[1, 2, 3]], [[1, 2, 3, 4, 5]], [[1, 2, 3, -4, True]], 7):
        path.write_text(json.dumps({"result": 1, "units": units}), encoding="utf-8")
        with pytest.raises(RunError, match="is no result of a GPU"):
            read_result(path)


def test_a_result_does_not_take_the_place_of_its_job(job, capsys) -> None:
    before = job.read_bytes()
    assert main([str(job), str(job)]) == 2
    assert "a name of its own" in capsys.readouterr().err and job.read_bytes() == before
    assert main(["--help"]) == 0 and "JOB RESULT" in capsys.readouterr().out
