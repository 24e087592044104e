"""A setting is declared once, and every door asks there before anything runs or is written."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracular as package
from oracular.errors import SettingsError
from oracular.planner.planner import SCORES, Planner
from oracular.runs.solution import SOLVERS
from oracular.runs.sweep import plan
from oracular.settings import (
    PLANNER,
    REGRET_MATCHING,
    SETTINGS,
    Setting,
    settings_table,
)
from oracular.solvers.race.solver import RaceSolver
from oracular.solvers.regret_matching import RegretMatching

BAD = [
    {"room": 60},
    {"room": 152},
    {"room": 1 << 40},
    {"small_width": 257},
    {"small_width": 0},
    {"width": 1.5},
    {"width": -1},
    {"width": True},
    {"width": None},
    {"width": "8"},
    {"width": [8]},
    {"width": 10**20},
    {"width": 10**5000},
    {"often": 1},
    {"often": 0},
    {"hope": -1},
    {"hope": 1 << 20},
    {"ties": 2},
    {"score_name": "luck"},
    {"score_name": 3},
]


def declared() -> list[Setting]:
    return [setting for settings in SETTINGS.values() for setting in settings]


def test_every_solver_is_there_and_every_setting_has_a_sentence_and_a_default_in_its_range():
    assert set(SETTINGS) == {*SOLVERS, RaceSolver.name}
    for setting in declared():
        setting.check(setting.default, 100)
        assert setting.meaning.endswith(".") and setting.meaning[0].isupper()
    assert {setting.name for setting in PLANNER} == {entry.name for entry in fields(Planner)} - {"game"}
    assert {setting.name for setting in REGRET_MATCHING} <= set(inspect.signature(RegretMatching).parameters)
    assert set(next(setting for setting in PLANNER if setting.name == "score_name").choices) == set(SCORES)


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: next(iter(bad)))
def test_a_value_out_of_range_is_refused_at_every_door(jotto, tmp_path, bad):
    two, out = jotto(2), tmp_path / "run"
    with pytest.raises(SettingsError) as complaint:
        Planner(two, **bad)
    (name,) = bad
    assert str(complaint.value).startswith(f"{name} ") and len(str(complaint.value)) < 200
    with pytest.raises(SettingsError):
        package.solve(two, solver="regret-matching", settings=bad, iterations=1, out=out)
    if name != "ties":
        with pytest.raises(SettingsError):
            plan([two], ["regret-matching"], {name: [bad[name]]}, out)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_unknown_setting_is_refused_with_the_known_ones_named(jotto, tmp_path, solver):
    with pytest.raises(SettingsError, match=f"the solver {solver} has no setting 'unknown': ") as complaint:
        package.solve(jotto(2), solver=solver, settings={"unknown": 1}, iterations=1, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    names = [setting.name for setting in SETTINGS[solver] if not setting.recorded_only]
    assert all(name in str(complaint.value) for name in names or ["there are none"])


def test_the_command_line_refuses_them_before_it_writes(oracular, tmp_path):
    for written in ("width=1.5", "often=1", "room=60", "small_width=300", "unknown=1", "width=NaN", "width=[[[["):
        outcome = oracular("sweep", "jotto-2", "--solver", "regret-matching", "--set", written, "--out", "here")
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=50)
@given(value=st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans(), st.lists(st.integers())))
def test_whatever_is_asked_for_is_taken_or_refused_in_one_sentence(value):
    for setting in declared():
        try:
            setting.check(value, 51)
        except SettingsError as complaint:
            assert len(str(complaint)) < 250 and "\n" not in str(complaint)
        else:
            assert value in setting.choices or (type(value) is int and setting.least <= value <= setting.most)


def test_the_page_of_settings_says_what_is_declared():
    """A section has its own settings, and links to the sections whose settings the solver has too."""
    page = (Path(__file__).parent.parent / "docs" / "settings.md").read_text(encoding="utf-8")

    def written(title: str) -> list[str]:
        section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        linked = re.findall(r"\(#([a-z-]+)\)", section)
        own = [line for line in section.splitlines() if line.startswith("| `")]
        return [*(line for other in linked for line in written(other)), *own]

    for solver in SETTINGS:
        declared_rows = [f"| `{name}` | {' | '.join(rest)} |" for name, *rest in settings_table(solver)]
        assert written(solver) == declared_rows
