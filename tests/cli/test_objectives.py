"""Objectives on the command line: every figure is named for what it is, and bad ones get a sentence."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from conftest import files_below

CHANCE = "chance to find it within 2 guesses"
SOLVE = ("solve", "mastermind-2x3", "--solver", "regret-matching", "--iterations", "20")
GUESSES = re.compile(r"[\d.]+ (expected )?guesses")
"""A figure that is called a number of guesses."""


@pytest.fixture
def run(oracular):
    solved = oracular(*SOLVE, "--objective", "within-2", "--out", "run")
    assert solved.code == 0
    return solved


@pytest.fixture
def table(tmp_path):
    (tmp_path / "steep.json").write_text('{"utilities": {"11": [2, 1], "others": [1, 0.5, 0]}}')
    return "steep.json"


def test_respond_names_the_objective_and_the_most_guesses(oracular):
    def asked(*words):
        return json.loads(oracular("respond", "mastermind-2x3", *words, "--json").out)

    for words in ((), ("--objective", "mean")):
        found = asked(*words)
        assert (found["objective"], found["lower"], found["upper"], found["most_guesses"]) == ("mean", "7/3", "7/3", 3)
        assert "mean" not in found
    within = asked("--objective", "within-2")
    assert (within["objective"], within["lower"], within["upper"], within["proved"]) == ("within-2", "5/9", "5/9", True)
    assert within["most_guesses"] >= 3
    worst = asked("--objective", "worst")
    assert (worst["objective"], worst["lower"], worst["upper"], worst["mean"]) == ("worst", "3", "3", "7/3")
    assert worst["most_guesses"] == 3 and worst["proved"]
    text = " ".join(oracular("respond", "mastermind-2x3", "--objective", "within-2").out.split())
    assert (
        f"0.555556 {CHANCE} (proved)" in text and "upper bound" in text and not GUESSES.search(text.replace(CHANCE, ""))
    )


def test_respond_takes_a_table(oracular, table):
    found = json.loads(oracular("respond", "mastermind-2x3", "--objective", table, "--json").out)
    assert found["objective"] == "table" and found["proved"] and found["lower"] == found["upper"] == "4/9"
    assert "expected utility" in oracular("respond", "mastermind-2x3", "--objective", table).out


def test_a_solution_has_its_bounds_in_the_objective(oracular, run):
    again = json.loads(oracular(*SOLVE, "--out", "run", "--resume", "--json").out)
    assert again["objective"] == "within-2" and again["upper"] is None
    assert 1 / 2 < float(Fraction(again["lower"])) <= 5 / 9
    assert again["guarantee"] == pytest.approx(float(Fraction(again["lower"])))
    assert "proved lower bound" in run.out and "upper bound" not in run.out
    checked = json.loads(oracular("verify", "run", "--json").out)
    assert checked["objective"] == "within-2" and checked["lower"] == again["lower"] and checked["upper"] is None
    assert list(checked["checks"]) == ["lower"] and checked["all_proved_again"]
    bounds = json.loads(oracular("certify", "run", "--json").out)
    assert bounds["lower"] == again["lower"] and bounds["upper"] == "5/9"
    assert json.loads(oracular("guess", "run", "--json").out)["guess"]


def test_the_exact_solver_settles_a_chance(oracular):
    solved = oracular(
        "solve", "mastermind-2x3", "--solver", "exact", "--objective", "within-2", "--out", "run", "--json"
    )
    found = json.loads(solved.out)
    assert (found["lower"], found["upper"], found["proved"]) == ("5/9", "5/9", True)
    checked = json.loads(oracular("verify", "run", "--json").out)
    assert checked["proved"] and checked["conclusion"] == f"proved again: {CHANCE} = 0.555556"
    assert "against the run's hider" in " ".join(oracular("verify", "run").out.split())
    certified = json.loads(oracular("verify", "run/certificate.json", "--json").out)
    assert certified["objective"] == "within-2" and certified["proved"]


def test_evaluate_tells_what_both_sides_are_worth(oracular, run, table):
    found = json.loads(oracular("evaluate", "run", "--json").out)
    assert found["objective"] == "within-2" and found["hider_proved"] and found["hider_lower"] == found["hider_upper"]
    assert Fraction(found["lower"]) == Fraction(found["guarantee"]) <= Fraction(found["self_play"])
    assert Fraction(found["self_play"]) <= Fraction(found["upper"]) == Fraction(found["hider_upper"])
    worst = json.loads(oracular("evaluate", "run", "--objective", "worst", "--json").out)
    assert int(worst["guarantee"]) == worst["most_guesses"] and worst["hider_upper"] == "3"
    assert 2 < float(Fraction(worst["mean"])) < 3
    mean = json.loads(oracular("evaluate", "run", "--objective", "mean", "--json").out)
    assert mean["objective"] == "mean" and Fraction(mean["hider_upper"]) <= Fraction(mean["mean"]) == Fraction(
        mean["self_play"]
    )
    assert json.loads(oracular("evaluate", "run", "--objective", table, "--json").out)["objective"] == "table"


def test_a_run_for_the_mean_is_evaluated_as_in_the_paper(oracular):
    oracular("solve", "jotto-2", "--iterations", "5", "--out", "plain")
    plain = oracular("evaluate", "plain", "--json").out
    assert plain == oracular("evaluate", "plain", "--objective", "mean", "--json").out
    assert "benchmark_self_play" in plain


def test_runs_for_different_objectives_are_kept_apart(oracular, tmp_path, table):
    for words in ((), ("--objective", "within-2"), ("--objective", table)):
        assert oracular(*SOLVE[:-1], "2", *words).code == 0
    names = sorted(path.name.removeprefix("mastermind-2x3-regret-matching") for path in (tmp_path / "runs").iterdir())
    assert names[0] == "" and re.fullmatch("-steep-[0-9a-f]{6}", names[1]) and names[2:] == ["-within-2"]
    (tmp_path / table).unlink()
    text = oracular("evaluate", f"runs/mastermind-2x3-regret-matching{names[1]}").out
    assert "table: expected utility, more is better" in text
    listed = oracular(
        "sweep", "mastermind-2x3", "--solver", "regret-matching", "--objective", "within-2", "--iterations", "2"
    )
    assert f"within-2: {CHANCE}" in listed.out and "upper bound" in listed.out


def test_respond_to_a_run_is_in_its_objective(oracular, run):
    found = json.loads(oracular("respond", "mastermind-2x3", "--hider", "run", "--json").out)
    assert found["objective"] == "within-2" and 0 < Fraction(found["upper"]) < 1
    named = json.loads(
        oracular("respond", "mastermind-2x3", "--hider", "run", "--objective", "mean", "--states", "9", "--json").out
    )
    assert named["objective"] == "mean" and Fraction(named["upper"]) > 1
    assert "objective" in oracular("respond", "mastermind-2x3", "--hider", "run").out


def test_where_large_utilities_leave_a_gap_it_is_said_and_all_else_works(oracular, tmp_path):
    (tmp_path / "large.json").write_text('{"utilities": [1000000000, 333333333, 7, 0]}')
    words = ("solve", "mastermind-2x3", "--solver", "exact", "--out", "large")
    solved = " ".join(oracular(*words, "--objective", "large.json").out.split())
    assert "this is as close as can be proved" in solved and "give utilities with fewer digits" in solved
    assert oracular("verify", "large").code == 0
    for hider in ("uniform", "run"):
        certified = oracular("certify", "large", "--hider", hider, "--json")
        assert certified.code == 0
        bounds = json.loads(certified.out)
        assert bounds["gap"] >= 0 and bounds["plies"] is None and bounds["weakest_opening"] is None
    assert bounds["gap"] < 2
    assert oracular(*words, "--resume").code == 0


BAD = """
respond jotto-2 --objective= => '.' cannot be read
solve jotto-2 --solver exact --objective within-2 --epsilon=-1 => an epsilon of -1.0 asked for: give a number of 0 or
sweep jotto-2 --objective= => '.' cannot be read
respond jotto-2 --objective best => 'best' is no objective and no file: give mean, worst, within-K
respond jotto-2 --objective none.json => 'none.json' is no objective and no file
respond jotto-2 --objective folder => 'folder' cannot be read (Is a directory)
respond jotto-2 --objective within-2 --cluster local => a cluster searches for the mean alone
evaluate run --objective within-0 => within-0 is no objective
evaluate run --objective rising.json => rises from 1/2 at guess 1
evaluate jotto-9 --objective within-4 => come with the package: solve it with 'oracular solve jotto-9'
evaluate folder --objective within-4 => 'folder' holds no run and no strategies
solve jotto-2 --objective within-4 => greedy trees are for the mean alone: choose regret-matching or exact
solve jotto-2 --objective worst => worst is the most guesses of a tree and no game between two sides
solve jotto-2 --solver exact --objective worst => worst is the most guesses of a tree
solve jotto-2 --solver regret-matching --objective within-0 => within-0 is no objective
solve mastermind-2x3 --solver regret-matching --objective within-3 --out run --resume => with the objective 'within-2'
sweep jotto-2 --objective within-3 => greedy trees are for the mean alone
"""


@pytest.fixture
def bad_files(run, tmp_path):
    (tmp_path / "rising.json").write_text('{"utilities": [0.5, 1]}')
    (tmp_path / "folder").mkdir()
    return tmp_path


def test_bad_objectives_get_one_sentence(oracular, bad_files):
    before = files_below(bad_files)
    for line in BAD.strip().splitlines():
        command, _, expected = line.partition(" => ")
        answered = oracular(*command.split())
        assert answered.code == 2, line
        assert expected in answered.err, (line, answered.err)
        assert len(answered.err.strip().splitlines()) == 1, answered.err
        assert files_below(bad_files) == before
