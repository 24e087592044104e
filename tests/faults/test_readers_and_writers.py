"""A run is read while it is written, has one writer at most, and what killed writers left is swept up."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracular
from oracular.errors import RunError
from oracular.runs.folder import Run, RunWriter, create, discard, files_of, writing
from oracular.solvers.guessing_problems import GuessingProblem
from oracular.system import files

from forging import CHECKPOINT, HISTORY, MANIFEST

FIGURES = {"self_play": 1.0, "guarantee": 1.0, "epsilon_hider": 0.0, "epsilon_guesser": 0.0}
READS = 300


@pytest.fixture
def run(jotto, tmp_path) -> Path:
    """A run of regret matching, so far without a step; what is committed to it here is no true state."""
    create(tmp_path / "run", GuessingProblem(jotto(2)), "regret-matching", {})
    return tmp_path / "run"


def _commit_for_ever(folder: Path, stop: Any) -> None:
    with writing(folder) as writer:
        number = 0
        while not stop.is_set():
            writer.append([{"iteration": number, **FIGURES}])
            writer.commit({"number": number}, {"number": np.full(1000, number)}, 0.0, None)
            number += 1


def test_a_run_is_read_while_it_is_written_as_fast_as_can_be(run):
    forked = multiprocessing.get_context("fork")
    stop = forked.Event()
    writer = forked.Process(target=_commit_for_ever, args=(run, stop))
    writer.start()
    try:
        seen = []
        while len(seen) < READS or len(set(seen)) < 10:
            assert writer.is_alive()
            opened = Run.open(run) if len(seen) % 2 else Run.of(run, files_of(run))
            number = -1 if opened.solver is None else opened.solver["number"]
            assert len(opened.history) == number + 1
            assert number == -1 or (opened.arrays["number"] == number).all()
            seen.append(number)
    finally:
        stop.set()
        writer.join()
    assert writer.exitcode == 0
    assert seen == sorted(seen)


def _commit(writer: RunWriter, number: int, content: int) -> None:
    writer.append([{"iteration": number, **FIGURES}])
    writer.commit({"number": number}, {"content": np.array([content])}, 0.0, None)


def test_arrays_stay_until_the_commit_after_the_next(run):
    with writing(run) as writer:
        for number in range(4):
            before = {path.name for path in run.glob("arrays-*")}
            last = {name for name in Run.open(run).promises if name.startswith("arrays")}
            _commit(writer, number, number)
            after = {path.name for path in run.glob("arrays-*")}
            assert last <= after
            assert len(after) == min(number + 1, 2)
            assert len(after - before) == 1


@pytest.mark.parametrize("replace", [True, False])
def test_a_history_that_is_removed_or_replaced_is_noticed_at_the_next_commit(run, replace):
    with writing(run) as writer:
        _commit(writer, 0, 0)
        kept = (run / HISTORY).read_bytes()
        checkpoint = (run / CHECKPOINT).read_bytes()
        (run / HISTORY).unlink()
        if replace:
            (run / HISTORY).write_bytes(kept)
        with pytest.raises(RunError, match=r"history\.jsonl' was removed or replaced"):
            _commit(writer, 1, 1)
        assert (run / CHECKPOINT).read_bytes() == checkpoint
        with pytest.raises(RunError, match="could not be written before"):
            _commit(writer, 2, 2)
    if replace:
        assert len(Run.open(run).history) == 1


def _leave(folder: Path, name: str, *contents: str) -> Path:
    """Make a folder as a killed process leaves it."""
    leftover = folder / name
    leftover.mkdir()
    for content in contents:
        (leftover / content).write_bytes(b"")
    return leftover


def test_what_a_killed_writer_left_is_swept_up_by_the_next(run, tmp_path):
    swept = ["checkpoint.json.0123456789ab.tmp", "arrays-9.npz.0123456789ab.tmp", "certificate.json.0123456789ab.tmp"]
    kept = ["notes.tmp", "certification-uniform.json.0123456789ab.tmp", "notes.0123456789ab.tmp"]
    for name in swept + kept:
        (run / name).write_bytes(b"half")
    with writing(run):
        assert all((run / name).exists() for name in swept + kept)  # until something is written
    with writing(run) as writer:
        _commit(writer, 0, 0)
    assert not any((run / name).exists() for name in swept)
    assert all((run / name).exists() for name in kept)


def test_a_folder_in_the_making_is_not_swept_up(jotto, tmp_path):
    leftover = _leave(tmp_path, ".run.0123456789ab.tmp", MANIFEST)
    descriptor = os.open(leftover, os.O_RDONLY)
    try:
        with files.locked(descriptor) as free:
            assert free
            create(tmp_path / "run", GuessingProblem(jotto(2)), "exact", {})
            assert leftover.exists()
    finally:
        os.close(descriptor)
    shutil.rmtree(tmp_path / "run")
    create(tmp_path / "run", GuessingProblem(jotto(2)), "exact", {})
    assert not leftover.exists()


def _create(folder: Path, game: oracular.Game, ready: Any, outcome: Any) -> None:
    ready.wait()
    try:
        create(folder, GuessingProblem(game), "exact", {})
        outcome.put("made")
    except RunError as error:
        outcome.put(str(error))


def test_of_many_that_make_the_same_run_at_once_one_does(jotto, tmp_path):
    forked = multiprocessing.get_context("fork")
    ready, outcome = forked.Barrier(6), forked.Queue()
    game = jotto(2)
    _ = game.answers_sha256
    makers = [forked.Process(target=_create, args=(tmp_path / "run", game, ready, outcome)) for _ in range(6)]
    for maker in makers:
        maker.start()
    outcomes = [outcome.get() for _ in makers]
    for maker in makers:
        maker.join()
        assert maker.exitcode == 0
    assert outcomes.count("made") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert Run.open(tmp_path / "run").solver is None


def _discard_and_die(folder: Path) -> None:
    remove = os.unlink

    def die(path: Any) -> None:
        if Path(path).name == CHECKPOINT:
            os.kill(os.getpid(), signal.SIGKILL)
        remove(path)

    os.unlink = die
    discard(folder)


def test_a_run_that_was_being_removed_is_there_whole_or_not_at_all(run, jotto):
    process = multiprocessing.get_context("fork").Process(target=_discard_and_die, args=(run,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not run.exists()
    assert len(list(run.parent.iterdir())) == 1
    create(run, GuessingProblem(jotto(2)), "regret-matching", {})
    assert [path.name for path in run.parent.iterdir()] == ["run"]
