"""What the makers' tools write is what it should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from oracular.runs.paper_table import paper_rows

from conftest import module_at

ROOT = Path(__file__).parent.parent


@pytest.fixture
def results():
    return module_at(ROOT / "tools" / "results.py")


def test_results_are_written_from_the_runs(oracular, tmp_path, monkeypatch, results):
    rows = {letters: {**row, "iterations": 5} for letters, row in paper_rows().items() if letters in (2, 3)}
    monkeypatch.setattr("oracular.runs.paper_table.paper_rows", lambda: rows)
    monkeypatch.setattr(results, "paper_rows", lambda: rows)
    monkeypatch.setattr(results, "SHIPPED_GAMES", ("jotto-2", "jotto-3"))
    monkeypatch.setattr("oracular.runs.leaderboard.RECHECK_SECONDS", 0.5)
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


def test_the_page_of_the_race_says_what_is_measured_of_the_shipped_strategies(monkeypatch):
    """If not, `python tools/race_table.py` writes it again."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    text = (ROOT / "docs" / "race.md").read_text(encoding="utf-8")
    assert module_at(ROOT / "tools" / "race_table.py").page(text) == text
