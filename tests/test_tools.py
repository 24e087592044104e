"""What the makers' tools write is what it should be."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from oracular import load, load_race
from oracular.runs.table import paper_rows
from oracular.strategies.race import race_games

from conftest import module_at

ROOT = Path(__file__).parent.parent


@pytest.fixture
def results():
    return module_at(ROOT / "tools" / "results.py")


def test_results_are_written_from_the_runs(oracular, tmp_path, monkeypatch, results):
    rows = {letters: {**row, "iterations": 5} for letters, row in paper_rows().items() if letters in (2, 3)}
    monkeypatch.setattr("oracular.runs.table.paper_rows", lambda: rows)
    monkeypatch.setattr(results, "paper_rows", lambda: rows)
    monkeypatch.setattr(results, "SHIPPED_GAMES", ("jotto-2", "jotto-3"))
    monkeypatch.setattr(results, "FAMILIAR_GAMES", ())
    monkeypatch.setattr("oracular.runs.table.RECHECK_SECONDS", 0.5)
    oracular("table", "--letters", "2", "3", "--iterations", "5")
    (tmp_path / "runs" / "race.json").write_text(
        json.dumps([{"solver": "s", "game": "jotto-3", "seconds": 1.0, "steps": 4, "points": [[0.5, 8.0], [1.0, 7.0]]}])
    )
    (tmp_path / "runs" / "oracles.json").write_text(
        json.dumps([{"game": "jotto-3", "oracle": "greedy", "average": 7.0, "seconds": 0.1}])
    )
    (tmp_path / "docs").mkdir()
    assert results.main([]) == 0
    page = (tmp_path / "docs" / "results.md").read_text()
    for figure in ("7.652", "| jotto-2 |", "settled", "### jotto-3", "race.png"):
        assert figure in page, figure
    assert (tmp_path / "docs" / "race.png").stat().st_size > 10_000


def test_results_without_a_race_say_how_to_make_one(tmp_path, monkeypatch, capsys, results):
    monkeypatch.chdir(tmp_path)
    assert results.main(["--out", str(tmp_path)]) == 2
    assert "make it with 'make race'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_page_of_results_has_the_chances_that_were_recorded(results):
    """If not, `make results` writes it again."""
    recorded = json.loads(results.CHANCES.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert f"{results.NOTE_ON_CHANCES}\n{results.chances(recorded)}" in page


@pytest.mark.parametrize("name", ["wordle", "bulls-4x10"])
def test_what_is_recorded_of_a_whole_game_is_shipped_with_its_command(name, monkeypatch):
    """If not, `python tools/make_bounds.py GAME --published` writes it."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    bound = importlib.import_module("make_bounds").published_bound(name)
    assert bound in load(name).lower_bounds and load(name).best_bound == bound
    assert bound.effort["command"].startswith(f"oracular respond {name}")


def test_the_page_of_the_race_says_what_is_measured_of_the_shipped_strategies(results):
    """If not, `make results` writes it again."""
    text = (ROOT / "docs" / "race.md").read_text(encoding="utf-8")
    races = results.blind_races([load_race(name) for name in race_games()])
    assert results.with_table(text, "races", races) == text


def test_the_page_of_results_says_how_the_shipped_bounds_were_proved(results):
    """If not, `make results` writes it again."""
    shipped = [load(name) for name in results.SHIPPED_GAMES + results.FAMILIAR_GAMES]
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert f"{results.bounds(shipped)}\n{results.NOTE_ON_BOUNDS}\n{results.proofs(shipped)}" in page


@pytest.mark.parametrize("folder", ["benchmarks", "tools"])
def test_every_benchmark_and_tool_can_be_loaded(folder):
    names = sorted(path.stem for path in (ROOT / folder).glob("*.py"))
    subprocess.run([sys.executable, "-c", f"import {', '.join(names)}"], cwd=ROOT / folder, check=True)
