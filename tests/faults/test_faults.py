"""Every call to the system fails once, in every way: it is told in a sentence, and a resume ends on the same bits."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import oracular
from oracular.errors import RunError
from oracular.runs import drive
from oracular.runs import folder as run_folder
from oracular.runs import format as layout
from oracular.runs.folder import Run, is_run
from oracular.system import files

from faulty_disk import CALLS, CHANGES, FAULTS, LOSSES, CrashError, FaultyDisk
from forging import HISTORY

WORDS = ["cab", "fix", "hum", "jot", "zed", "ace", "bad", "fed"]
FEW_FAULTS = ("broken", "crash before")


def _bits(folder: Path) -> tuple[Any, ...]:
    """Return what two runs must agree on: all but the time they took; the guarantee follows from it."""
    run = Run.open(folder)
    arrays = {name: (array.dtype.str, array.tobytes()) for name, array in run.arrays.items()}
    certificate = folder / "certificate.json"
    return (
        (folder / HISTORY).read_bytes(),
        run.solver,
        arrays,
        run.stopped,
        certificate.read_bytes() if certificate.exists() else None,
    )


@pytest.fixture
def quick_disk(tmp_path):
    """Give a folder in memory where there is such a disk: a renaming there takes no time."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def often(monkeypatch):
    """Commit after every step."""
    monkeypatch.setattr(drive, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    monkeypatch.setattr(drive, "SECONDS_BETWEEN_ARRAYS", 0.0)
    monkeypatch.setattr(run_folder, "_versions", lambda: {"python": "3"})  # asking takes longer than the rest


def _solve(game: oracular.Game, solver: str, folder: Path, iterations: int) -> oracular.Solution:
    return oracular.solve(
        game,
        solver=solver,
        iterations=iterations,
        out=folder,
        resume=is_run(folder),
        resources=oracular.Resources(threads=1),
    )


def _session(game: oracular.Game, solver: str, folder: Path, stops: tuple[int, ...]) -> None:
    """Make a run, and go on with it after each stop but the last."""
    for iterations in stops:
        _solve(game, solver, folder, iterations)


def _under(disk: FaultyDisk, monkeypatch: pytest.MonkeyPatch, folder: Path, work: Any) -> str:
    """Do some work on a faulty disk and tell how it ended: done, refused or crashed; any other error is a failure."""
    disk.watched = folder.parent
    with monkeypatch.context() as patch:
        patch.setattr(files, "os", disk)
        try:
            work()
        except CrashError:
            return "crashed"
        except RunError as error:
            assert "\n" not in str(error)
            return "refused"
    return "done"


def _no_leftovers(folder: Path) -> None:
    """Check that nothing lies in the run's folder but its files, and nothing beside it."""
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert all(layout.is_name(path.name) for path in folder.iterdir()), list(folder.iterdir())
    assert len(list(folder.glob("arrays-*.npz"))) <= 2


def _every_fault(
    game: oracular.Game,
    solver: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stops: tuple[int, ...],
    with_all: frozenset[str] = CALLS,
) -> None:
    """Let each call of a session fail in each way, and compare what a resume makes of it with the undisturbed run.

    with_all: the calls at which all is tried; at the others the disk breaks, or the machine stops before them
    """
    whole = tmp_path / "whole" / "run"
    counted = FaultyDisk()
    assert _under(counted, monkeypatch, whole, partial(_session, game, solver, whole, stops)) == "done"
    expected = _bits(whole)
    outcomes = set()
    for at, name in enumerate(counted.calls):
        for fault in FAULTS:
            if (fault.startswith("short") and name != "write") or not (name in with_all or fault in FEW_FAULTS):
                continue
            for loss in LOSSES if fault.startswith("crash") and name in with_all else LOSSES[:1]:
                case = f"{at}-{fault}-{loss}".replace(" ", "-")
                folder = tmp_path / case / "run"
                folder.parent.mkdir()
                disk = FaultyDisk(fault, at)
                outcome = _under(disk, monkeypatch, folder, partial(_session, game, solver, folder, stops))
                assert disk.calls[: at + 1] == counted.calls[: at + 1]
                assert (outcome == "crashed") == fault.startswith("crash"), (case, name)
                disk.reboot(loss)
                outcomes.add((fault, outcome))
                assert (
                    _under(FaultyDisk(), monkeypatch, folder, partial(_solve, game, solver, folder, stops[-1]))
                    == "done"
                )
                assert _bits(folder) == expected, (case, name)
                _no_leftovers(folder)
                shutil.rmtree(folder.parent)
    assert {("full", "refused"), ("broken", "refused"), ("short", "done"), ("short and full", "refused")} <= outcomes


def test_fictitious_play_survives_every_fault_at_every_call(often, quick_disk, monkeypatch):
    _every_fault(oracular.game("jotto-3", WORDS), "fictitious-play", quick_disk, monkeypatch, (1,), CHANGES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "solver"),
    [("jotto-2", "fictitious-play"), ("own", "regret-matching"), ("own", "exact"), ("mastermind-2x3", "exact")],
)
def test_every_solver_survives_every_fault_at_every_call(often, name, solver, quick_disk, monkeypatch):
    game = oracular.game("jotto-3", WORDS) if name == "own" else oracular.game(name)
    _every_fault(game, solver, quick_disk, monkeypatch, (1, 2))
