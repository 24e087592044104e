"""What the tests share: games, random games, and the command line as a person would call it."""

from __future__ import annotations

import importlib.util
import io
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from oracular import Game, game
from oracular.cli.main import main
from oracular.runs import table as paper_table

sys.path.insert(0, str(Path(__file__).parent))  # so that tests may import their twins and builders

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: what the tests start must hear of it
    signal.signal(signal.SIGINT, signal.default_int_handler)

from typing_moves import SEED

import how_many

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """Let checks take many examples where slow tests are not left out."""
    how_many.MANY = "slow or not slow" in config.getoption("markexpr")


TOGETHER = {
    "test_browser.py": "a browser",
    "test_ending.py": "a browser",
    "test_looks.py": "another browser",
    "test_pages.py": "another browser",
    "test_typing.py": "another browser",
}
"""The files of tests that share a browser and the server before it; those of clusters share a cluster."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take longest, so that none is left to the end."""
    folders = {"docs": 1, "cluster": 2, "web": 3}
    items.sort(key=lambda item: 0 if item.path.name in TOGETHER else folders.get(item.path.parent.name, 4))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """Return what hands files of tests to processes, those together that share what takes long to start."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder, _, file = super()._split_scope(nodeid).rpartition("/")
            return folder if folder.endswith("cluster") else TOGETHER.get(file, f"{folder}/{file}")

    return Together(config, log)


@pytest.fixture(scope="session")
def jotto() -> Callable[[int], Game]:
    """Give the paper's game of so many letters, made once."""
    made: dict[int, Game] = {}

    def of_letters(letters: int) -> Game:
        if letters not in made:
            made[letters] = game(f"jotto-{letters}")
        return made[letters]

    return of_letters


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def oracular(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Give a function that runs the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Outcome:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def short_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the runs of the paper's table take a few steps; the full ones have tests of their own."""
    rows = {letters: {**row, "iterations": 300} for letters, row in paper_table.paper_rows().items()}
    monkeypatch.setattr(paper_table, "paper_rows", lambda: rows)


@pytest.fixture
def leap(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Give a function that sets the clock forward, for what ends after a time: it need not be waited for."""
    real, ahead = time.monotonic, [0.0]
    monkeypatch.setattr("time.monotonic", lambda: real() + sum(ahead))
    return ahead.append


def module_at(path: Path) -> ModuleType:
    """Return a program outside the package, a tool or a benchmark, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its content."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def terminal_of(tmp_path):
    """Give a function that starts a command in a terminal; whatever still runs at the end is stopped."""
    from pseudo_terminal import Terminal

    started = []

    def start(*arguments: str) -> Terminal:
        started.append(Terminal(*arguments, "--seed", str(SEED), cwd=tmp_path))
        return started[-1]

    yield start
    for terminal in started:
        terminal.process.kill()
        terminal.process.wait()


@pytest.fixture
def typed(oracular, monkeypatch):
    """Give a function that plays with lines from a pipe."""

    def play(*arguments: str, lines: list[str]):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return oracular("play", *arguments, "--seed", str(SEED))

    return play


@pytest.fixture
def every_step(monkeypatch):
    """Let every step be made by itself and reported, also those that are soon done."""
    monkeypatch.setattr("oracular.runs.drive.SECONDS_AT_ONCE", 0.0)
    monkeypatch.setattr("oracular.system.control.SECONDS_BETWEEN_REPORTS", 0.0)
