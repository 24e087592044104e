"""A sweep tries every solver and setting on every game, is made once, and can be stopped and resumed."""

from __future__ import annotations

import json
import os
import signal

import pytest

import oracular as package
from oracular import load_run
from oracular.errors import RunError, SettingsError
from oracular.runs.drive import Progress
from oracular.runs.sweep import parse_settings, plan, sweep
from oracular.solvers.regret_matching import RegretMatching


def test_every_game_meets_every_solver_and_every_setting_of_it(jotto, tmp_path):
    settings = {"ties": ["first", "possible"], "width": [4, 8, 16]}
    runs = plan([jotto(2), jotto(3)], ["fictitious-play", "regret-matching", "exact"], settings, tmp_path)
    assert [run.folder.name for run in runs if run.game.name == "jotto-2"] == [
        "jotto-2-fictitious-play-ties=first",
        "jotto-2-fictitious-play-ties=possible",
        *(f"jotto-2-regret-matching-width={width}" for width in (4, 8, 16)),
        "jotto-2-exact",
    ]
    assert len(runs) == 12
    assert list(tmp_path.iterdir()) == []


def test_settings_are_written_with_commas():
    written = ["ties=first, possible", "width=8", "width=16,8"]
    assert parse_settings(written) == {"ties": ["first", "possible"], "width": [8, 16]}


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"hats": [3]}, "no solver of this sweep has a setting 'hats': choose among again, explore_every, "),
        ({"width": ["wide"]}, "width 'wide' asked for: give a whole number from 1 to"),
        ({"width": [0]}, "from 1 to"),
        ({"hope": [10**20]}, "give a whole number from"),
        ({"ties": [3]}, "ties 3 is not a word"),
        ({"ties": ["last"]}, "choose 'first' or 'possible'"),
    ],
)
def test_settings_that_will_not_do_are_refused_before_anything_is_written(jotto, tmp_path, settings, complaint):
    with pytest.raises(SettingsError, match=complaint):
        plan([jotto(2)], ["fictitious-play", "regret-matching"], settings, tmp_path / "sweep")
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_other_words_is_not_gone_on_with(jotto, tmp_path):
    own = package.game("jotto-2", jotto(2).secrets[:20])
    sweep(plan([own], ["fictitious-play"], {}, tmp_path, iterations=2))
    with pytest.raises(RunError, match="another word list"):
        plan([jotto(2)], ["fictitious-play"], {}, tmp_path, iterations=2)


def test_finished_runs_are_left_alone_and_a_longer_sweep_goes_on_with_them(jotto, tmp_path):
    def rows(iterations):
        return sweep(
            plan([jotto(2)], ["fictitious-play"], {"ties": ["first", "possible"]}, tmp_path, iterations=iterations)
        )

    first = rows(5)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json*")}
    assert rows(5) == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.json*")} == before
    assert [row["iterations"] for row in rows(8)] == [8, 8]
    assert (
        load_run(tmp_path / "jotto-2-fictitious-play-ties=first").history
        == package.solve(jotto(2), iterations=8).history
    )


def test_a_time_is_counted_over_all_sittings(jotto, tmp_path, leap, every_step):
    shown = []

    def leap_once(run, at):
        if isinstance(at, Progress):
            shown.append(at.iteration)
            if len(shown) == 4:
                leap(1000.0)

    runs = plan([jotto(2)], ["fictitious-play"], {}, tmp_path, time_limit=1000.0)
    (row,) = sweep(runs, progress=leap_once)
    assert (row["seconds"] >= 1000.0, row["iterations"]) == (True, shown[3])
    assert sweep(runs) == [row]


def test_ctrl_c_leaves_folders_that_the_same_sweep_goes_on_with(jotto, tmp_path, every_step):
    shown = []

    def press(run, at):
        if run.game.name == "jotto-3" and isinstance(at, Progress):
            shown.append(at.iteration)
            if len(shown) == 3:
                os.kill(os.getpid(), signal.SIGINT)

    runs = plan([jotto(2), jotto(3)], ["fictitious-play"], {}, tmp_path, iterations=9)
    assert sweep(runs, progress=press) is None
    assert [load_run(run.folder).iterations for run in runs] == [9, shown[2]]
    assert [row["iterations"] for row in sweep(runs)] == [9, 9]
    assert load_run(runs[1].folder).history == package.solve(jotto(3), iterations=9).history


def test_the_command_prints_one_table(oracular, tmp_path):
    command = (
        "sweep",
        "jotto-2",
        "mastermind-2x3",
        "--set",
        "ties=first,possible",
        "--iterations",
        "4",
        "--out",
        "here",
    )
    outcome = oracular(*command)
    assert (outcome.code, outcome.err) == (0, "")
    table, _, _ = outcome.out.partition("next ")
    assert table.count("fictitious-play") == 4 and "guarantee" in table
    rows = json.loads(oracular(*command, "--json").out)
    assert [(row["game"], row["settings"]["ties"]) for row in rows] == [
        (game, ties) for game in ("jotto-2", "mastermind-2x3") for ties in ("first", "possible")
    ]
    assert len(list((tmp_path / "here").iterdir())) == 4


def test_a_run_that_was_cut_off_before_its_conclusion_is_not_taken_for_a_finished_one(tmp_path, monkeypatch):
    """The steps are safe on disk before the best is made of them: a kill between the two leaves something to do."""
    game = package.game("mastermind-2x3")
    (run,) = plan([game], ["regret-matching"], {}, tmp_path / "runs", iterations=4)

    def killed(self, deadline):
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(RegretMatching, "conclude", killed)
        with pytest.raises(RuntimeError, match="killed"):
            sweep([run])
    assert run.finished() is None
    (row,) = sweep([run])
    (undisturbed,) = sweep(plan([game], ["regret-matching"], {}, tmp_path / "others", iterations=4))
    assert row["guarantee"] == undisturbed["guarantee"] and row["iterations"] == undisturbed["iterations"]
