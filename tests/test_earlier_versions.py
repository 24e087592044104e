"""Files that earlier versions wrote are read, and what they hold goes on to the result that it would have had.

`earlier/VERSION` has a small file or folder of every kind that this version wrote, and `expected.json` the figures that
it gave. They are never made again by a later version.
"""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import oracular
from oracular import load_race_run
from oracular.runs.verify import verify
from oracular.runs.whole_response import whole_response
from oracular.web.app import create_app
from oracular.web.settings import Settings

VERSIONS = sorted((Path(__file__).parent / "earlier").iterdir())
EXPECTED = {folder: json.loads((folder / "expected.json").read_text(encoding="utf-8")) for folder in VERSIONS}
RUNS = [(folder, name) for folder in VERSIONS for name, facts in EXPECTED[folder].items() if "solver" in facts]
WORDS = "ace act aid arc bad bed bid cab cat cod dab doc fab fib fox".split()

versions = pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)


def figures(solution: oracular.Solution) -> dict[str, Any]:
    lower = None if solution.lower is None else str(solution.lower)
    return {"iterations": solution.iterations, "guarantee": str(solution.guarantee), "lower": lower}


def copied(folder: Path, to: Path) -> Path:
    return shutil.copytree(folder, to / folder.name)


@pytest.mark.parametrize(("folder", "name"), RUNS, ids=lambda part: getattr(part, "name", part))
def test_a_run_has_its_figures_and_resumes_to_the_same_result(folder: Path, name: str, tmp_path: Path) -> None:
    facts = EXPECTED[folder][name]
    assert figures(oracular.load_run(folder / name)) == facts["kept"]
    game = oracular.game(facts["game"], words=WORDS) if facts["words"] else oracular.game(facts["game"])
    resumed = oracular.solve(
        game,
        solver=facts["solver"],
        objective=facts["objective"],
        iterations=facts["until"],
        out=copied(folder / name, tmp_path),
        resume=True,
        resources=oracular.Resources(threads=1),
    )
    assert figures(resumed) == facts["resumed"]


@versions
def test_a_run_is_verified_and_its_bounds_are_raised(folder: Path, tmp_path: Path) -> None:
    facts = EXPECTED[folder]["bounds"]
    run = copied(folder / facts["run"], tmp_path)
    again = verify(run)
    assert (str(again.lower.value), str(again.upper.value)) == (facts["lower"], facts["upper"])
    bounds = oracular.certify(run, time_limit=1.0, threads=1)
    assert bounds.lower >= Fraction(facts["lower"]) and str(bounds.upper) == facts["upper"]


@versions
def test_a_certificate_is_verified(folder: Path) -> None:
    again = verify(folder / "exact-finished" / "certificate.json")
    assert str(again.lower.value) == EXPECTED[folder]["exact-finished"]["kept"]["guarantee"]


@versions
def test_strategies_in_a_file_are_verified(folder: Path) -> None:
    facts = EXPECTED[folder]["strategy"]
    again = verify(folder / facts["file"])
    assert (str(again.lower.value), str(again.upper.value)) == (facts["lower"], facts["upper"])


@versions
def test_a_race_has_its_figures_and_resumes_to_the_same_result(folder: Path, tmp_path: Path) -> None:
    facts = EXPECTED[folder]["race"]

    def figures_of(solution: oracular.RaceSolution) -> dict[str, float]:
        return {name: getattr(solution.figures, name) for name in facts["kept"]}

    assert figures_of(load_race_run(folder / "race")) == facts["kept"]
    resumed = oracular.solve_race(
        facts["game"], iterations=facts["until"], out=copied(folder / "race", tmp_path), resume=True
    )
    assert figures_of(resumed) == facts["resumed"]


@versions
def test_a_search_is_verified_and_one_that_was_stopped_goes_on_to_the_optimum(folder: Path, tmp_path: Path) -> None:
    for name in ("search", "search-stopped"):
        again = verify(folder / name)
        facts = EXPECTED[folder][name]
        assert (str(again.lower.value), str(again.upper.value)) == (facts["lower"], facts["upper"])
    uniform = oracular.hider_uniform(oracular.game("jotto-2"))
    whole = whole_response(uniform, copied(folder / "search-stopped", tmp_path), threads=1)
    assert whole.lower == whole.upper == Fraction(EXPECTED[folder]["search-stopped"]["value"])
    weights = np.random.default_rng(5).integers(1, 30, 51)
    hider = oracular.Hider(oracular.game("jotto-2"), weights)
    done = whole_response(hider, copied(folder / "search", tmp_path), threads=1)
    assert str(done.upper) == EXPECTED[folder]["search"]["upper"]


@versions
def test_matches_in_progress_are_as_they_were_and_go_on(folder: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(folder / "matches.sqlite", tmp_path))
    kept = json.loads((folder / "matches.json").read_text(encoding="utf-8"))
    app = create_app(Settings(database=database, warm_up=False, runs=tmp_path / "none"))
    moves = {
        "jotto-3": "fix",
        "jotto-3-familiar": "cat",
        "wordle": "pound",
        "mastermind-4x6": "4566",
    }
    with TestClient(app, cookies=kept["cookies"]) as browser:
        for match in kept["matches"]:
            seen = browser.get(f"/api/matches/{match['id']}")
            assert seen.status_code == 200, seen.text
            now = seen.json()
            assert {name: now[name] for name in ("guesses", "computer", "version", "result", "mode")} == {
                name: match[name] for name in ("guesses", "computer", "version", "result", "mode")
            }
            assert now["yours"]
            if match["mode"] == "hide":
                moved = browser.post(f"/api/matches/{match['id']}/answer", json={"answer": "0"})
            else:
                moved = browser.post(f"/api/matches/{match['id']}/guess", json={"guess": moves[match["game"]]})
            assert moved.status_code == 200, moved.text
            assert moved.json()["version"] == match["version"] + 1
