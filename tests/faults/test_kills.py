"""Solving processes are killed again and again, at any moment: every run ends on the bits of one never stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oracular
from oracular.runs import drive
from oracular.runs.folder import Run, is_run

from forging import HISTORY

RUNS = {
    "fictitious-play": ("jotto-2", 120),
    "regret-matching": ("jotto-2", 12),
    "exact": ("own", 12),
}
"""The game of each solver and the last iteration of a run."""

WORDS = "ace bad cab dig elf fox gum hat ink jot keg log mud nap oak pit rug sky tub urn vex wig zed".split()
LONGEST_WAIT = 60.0


def _game(name: str) -> oracular.Game:
    return oracular.game("jotto-3", WORDS) if name == "own" else oracular.game(name)


def _solve(game: oracular.Game, solver: str, iterations: int, folder: Path) -> None:
    oracular.solve(
        game,
        solver=solver,
        iterations=iterations,
        out=folder,
        resume=is_run(folder),
        resources=oracular.Resources(threads=1),
    )


def _bits(folder: Path) -> tuple[Any, ...]:
    """Return what two runs must agree on: all but the time they took."""
    run = Run.open(folder)
    arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in run.arrays.items()}
    certificate = folder / "certificate.json"
    proof = certificate.read_bytes() if certificate.exists() else None
    return (folder / HISTORY).read_bytes(), run.solver, arrays, run.stopped, proof


@pytest.fixture
def often(monkeypatch):
    """Commit after every step, so that many kills fall into a commit."""
    monkeypatch.setattr(drive, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    monkeypatch.setattr(drive, "SECONDS_BETWEEN_ARRAYS", 0.0)


def _killed(process: Any, seconds: float) -> bool:
    """Kill a process after so long; tell whether it was still at work."""
    process.join(seconds)
    if process.exitcode is None:
        os.kill(process.pid, signal.SIGKILL)
        process.join(LONGEST_WAIT)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _kill_many(kills: int, tmp_path: Path) -> dict[str, tuple[int, int]]:
    """Return how many kills each solver had and how many runs came to their end, all on the right bits."""
    forked = multiprocessing.get_context("fork")  # the compiled code is loaded once, here
    rng = np.random.default_rng(2026)
    tally = {}
    for number, (solver, (name, iterations)) in enumerate(RUNS.items()):
        game = _game(name)
        whole = tmp_path / f"{solver}-whole"
        _solve(game, solver, 1, whole)  # what is compiled, is compiled now
        began = time.monotonic()
        _solve(game, solver, iterations, whole)
        expected, seconds = _bits(whole), time.monotonic() - began
        share = (kills + number) // len(RUNS)
        done, ended = 0, 0
        while done < share:
            folder = tmp_path / f"{solver}-{ended}"
            while True:
                process = forked.Process(target=_solve, args=(game, solver, iterations, folder))
                process.start()
                if not _killed(process, rng.uniform(0, seconds / 3) if done < share else LONGEST_WAIT):
                    break
                done += 1
                if is_run(folder):
                    Run.open(folder)
            assert _bits(folder) == expected, (solver, ended)
            assert [path.name for path in tmp_path.glob(f".{folder.name}*")] == []
            assert [path.name for path in folder.glob("*.tmp")] == []
            ended += 1
        tally[solver] = done, ended
    return tally


def test_runs_killed_some_times_end_on_the_same_bits(often, tmp_path):
    tally = _kill_many(6, tmp_path)
    assert sum(kills for kills, _ in tally.values()) >= 6
    assert all(ended for _, ended in tally.values())


@pytest.mark.slow
def test_runs_killed_a_thousand_times_end_on_the_same_bits(often, tmp_path):
    tally = _kill_many(1000, tmp_path)
    assert sum(kills for kills, _ in tally.values()) >= 1000
    assert all(ended for _, ended in tally.values())
