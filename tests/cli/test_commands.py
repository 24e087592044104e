"""Each command does what its help says, for people and, with --json, for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from oracular.cli.main import cli
from oracular.errors import install_command
from oracular.runs.table import paper_rows

TABLE_KEYS = set(
    "letters words hider_vs_benchmark guesser_vs_benchmark overall_vs_benchmark benchmark_self_play self_play "
    "benchmark_epsilon epsilon iterations minutes_per_iteration".split()
)


@pytest.fixture
def run(oracular):
    assert oracular("solve", "jotto-2", "--iterations", "80", "--out", "run").code == 0
    return "run"


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_has_help_an_example_and_json(oracular, command):
    help_text = oracular(command, "--help").out
    assert f"Example: oracular {command}" in " ".join(help_text.split())
    assert "--json" in help_text


def test_help_comes_without_loading_the_compiler_or_dask():
    script = (
        "import sys; from oracular.cli.main import main; main(['--help']); "
        "sys.exit('numba' in sys.modules or 'distributed' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0


def test_games_lists_what_can_be_played(oracular):
    shown = oracular("games").out.splitlines()
    at = next(number for number, line in enumerate(shown) if line.startswith("wordle          marks"))
    assert "jotto-5" in "".join(shown) and shown[at + 1].startswith("wordle-twl06    with")  # no blank lines, no margin
    listed = {game["game"]: game for game in json.loads(oracular("games", "--json").out)}
    assert listed["jotto-5"]["secrets"] == 2833


@pytest.mark.parametrize(("letters", "opening"), [(2, "ai"), (3, "ego"), (4, "ions"), (5, "doyen")])
def test_show_says_the_opening_of_the_benchmark(oracular, letters, opening):
    shown = json.loads(oracular("show", f"jotto-{letters}", "--json").out)
    assert shown["opening"] == opening
    assert shown["answers"] == [str(common) for common in range(letters + 1)]
    assert shown["secrets"] == shown["guesses"] == paper_rows()[letters]["words"]


def test_solve_keeps_its_run_under_a_name_of_its_own(oracular, tmp_path):
    outcome = oracular("solve", "jotto-2", "--iterations", "5", "--json")
    solved = json.loads(outcome.out)
    assert (solved["iterations"], solved["stopped"]) == (5, "iterations")
    assert (tmp_path / "runs" / "jotto-2-fictitious-play" / "manifest.json").is_file()
    assert outcome.err == ""  # nobody watches, so no progress is shown


def test_solve_resumes_with_the_words_and_rules_the_run_was_begun_with(oracular, tmp_path):
    (tmp_path / "own.txt").write_text("cab\nfix\nhum\njot\nzed\n")
    begun = oracular(
        "solve", "jotto-3", "--words", "own.txt", "--ties", "possible", "--iterations", "5", "--out", "run"
    )
    assert begun.code == 0
    resumed = oracular("solve", "jotto-3", "--iterations", "9", "--out", "run", "--resume", "--json")
    assert json.loads(resumed.out)["iterations"] == 9
    assert json.loads(resumed.out)["ties"] == "possible"


def test_evaluate_has_the_keys_of_the_papers_table(oracular, run):
    row = json.loads(oracular("evaluate", run, "--json").out)
    assert row["game"] == "jotto-2"
    assert {*TABLE_KEYS, "seconds_per_iteration", "guarantee"} <= row.keys()
    assert row["benchmark_self_play"] == pytest.approx(338 / 51)
    assert row["overall_vs_benchmark"] == (row["hider_vs_benchmark"] + row["guesser_vs_benchmark"]) / 2
    assert row["guarantee"] >= row["self_play"]
    assert "worst secret" in oracular("evaluate", run).out


def test_guess_is_the_same_for_the_same_game_seed(oracular, run):
    first = json.loads(oracular("guess", run, "ai:1", "--game-seed", "7", "--json").out)
    again = json.loads(oracular("guess", run, "ai:1", "--game-seed", "7", "--json").out)
    assert first == again and first["game_seed"] == 7
    assert first["guess"] in oracular("guess", run, "ai:1", "--game-seed", "7").out


def test_guess_says_so_when_the_game_is_over(oracular, run):
    outcome = oracular("guess", run, "ai:2")
    assert (outcome.code, "ended the game" in outcome.out) == (0, True)
    assert json.loads(oracular("guess", run, "ai:2", "--json").out)["finished"] is True


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_plot_draws_a_picture(oracular, run, tmp_path, ending):
    assert oracular("plot", run, "--out", f"picture.{ending}").out.splitlines()[0] == f"picture.{ending}"
    head = (tmp_path / f"picture.{ending}").read_bytes()[:200]
    assert head.startswith(b"\x89PNG") if ending == "png" else b"<svg" in head or b"<?xml" in head


@pytest.mark.parametrize("out", ["", ".", "..", "/"])
def test_a_place_without_a_name_is_refused_in_one_sentence(oracular, run, out, monkeypatch):
    outcome = oracular("plot", run, "--out", out)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: picture ") and outcome.err.endswith("choose another --out\n")
    Path("empty").mkdir()
    monkeypatch.chdir("empty")
    outcome = oracular("solve", "mastermind-2x2", "--iterations", "2", "--out", out)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.endswith("is in the way (it is not a run): choose another folder\n")


def test_plot_without_matplotlib_says_how_to_get_it(oracular, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    outcome = oracular("plot", run)
    assert (outcome.code, outcome.err) == (
        2,
        f"error: pictures need matplotlib: {install_command('oracular[plot]')}\n",
    )


def test_table_prints_a_list_with_an_object_a_length(oracular):
    outcome = oracular("table", "--letters", "2", "3", "--iterations", "20", "--json")
    rows = json.loads(outcome.out)
    assert [row["letters"] for row in rows] == [2, 3]
    for row in rows:
        assert {*TABLE_KEYS, "seconds_per_iteration", "guarantee", "paper"} <= row.keys()
        assert row["paper"].keys() == TABLE_KEYS
        assert row["iterations"] == 20
        assert f"{row['benchmark_self_play']:.3f}" == f"{row['paper']['benchmark_self_play']:.3f}"
        assert f"{row['benchmark_epsilon']:.3f}" == f"{row['paper']['benchmark_epsilon']:.3f}"


def test_table_shows_every_row_of_the_papers_beside_ours(oracular):
    shown = oracular("table", "--letters", "2", "--iterations", "20").out
    for figure in ("7.652", "-6.619", "0.517", "6.627", "7.438", "5.373", "0.038", "22,212", "21.8 ms"):
        assert figure in shown, figure
    for words in ("Times faster", "From paper.py", "not a bound"):
        assert words in shown


def test_respond_proves_the_optimum_and_prints_fractions(oracular):
    response = json.loads(oracular("respond", "mastermind-3x6", "--hider", "uniform", "--exact", "--json").out)
    assert Fraction(response["lower"]) == Fraction(response["upper"]) == Fraction(854, 216)
    assert response["proved"] is True
    assert "is a best response" in oracular("respond", "mastermind-3x4").out


def test_respond_takes_weights_from_a_file_or_a_run(oracular, run, tmp_path):
    (tmp_path / "weights.txt").write_text(" ".join(["1"] * 51))
    response = json.loads(oracular("respond", "jotto-2", "--hider", "weights.txt", "--json").out)
    assert Fraction(response["upper"]) == Fraction(295, 51)
    to_run = json.loads(oracular("respond", "jotto-2", "--hider", run, "--states", "2000", "--json").out)
    assert Fraction(to_run["lower"]) <= Fraction(to_run["upper"])


def test_solve_exact_ends_with_a_certificate_that_verify_accepts(oracular):
    solved = json.loads(oracular("solve", "mastermind-2x4", "--solver", "exact", "--json").out)
    assert (solved["lower"], solved["upper"], solved["proved"]) == ("45/16", "45/16", True)
    folder = solved["out"]
    checked = json.loads(oracular("verify", folder, "--json").out)
    assert (checked["valid"], checked["proved"], checked["lower"]) == (True, True, "45/16")
    assert json.loads(oracular("evaluate", folder, "--json").out)["letters"] is None
    assert oracular("guess", folder, "1123:1.0").code == 2  # two pegs only
    assert oracular("guess", folder, "12:1.0").code == 0


@pytest.mark.usefixtures("short_table")
def test_leaderboard_shows_who_beats_whom(oracular, monkeypatch):
    monkeypatch.setattr("oracular.runs.table.RECHECK_SECONDS", 300.0)  # on a busy machine too it is proved
    board = json.loads(oracular("leaderboard", "jotto-2", "--json").out)
    assert board["payoffs"].keys() == board["guarantees"].keys() == {"benchmark", "paper", "ours"}
    assert board["payoffs"]["benchmark"]["benchmark"] == pytest.approx(338 / 51)
    assert board["guarantees"]["ours"] < board["guarantees"]["paper"] < board["guarantees"]["benchmark"] == 12
    assert all(row["ours"] <= board["guarantees"]["ours"] + 1e-9 for row in board["payoffs"].values())
    assert board["hider_worst_case"]["ours"]["proved_lower"] == pytest.approx(board["guarantees"]["ours"])


def test_certify_proves_a_lower_bound_and_keeps_it(oracular, tmp_path):
    oracular("solve", "jotto-3", "--iterations", "3", "--out", "three")
    first = json.loads(oracular("certify", "three", "--time", "1", "--json").out)
    second = json.loads(oracular("certify", "three", "--time", "1", "--json").out)
    assert first["proved"] is False
    assert Fraction(first["lower"]) <= Fraction(second["lower"]) < Fraction(second["upper"])
    assert (tmp_path / "three" / "certification-uniform.json").is_file()


def test_solve_by_regret_matching_is_far_stronger_than_the_papers_method(oracular):
    solved = json.loads(oracular("solve", "jotto-3", "--solver", "regret-matching", "--iterations", "12", "--json").out)
    assert solved["guarantee"] < 7.3
    assert oracular("evaluate", solved["out"]).code == 0
    assert oracular("guess", solved["out"], "ego:1").code == 0
    assert oracular("plot", solved["out"]).code == 0
    resumed = oracular("solve", "jotto-3", "--solver", "regret-matching", "--iterations", "14", "--resume", "--json")
    assert json.loads(resumed.out)["iterations"] == 14


def test_suggest_ranks_guesses_and_says_what_each_answer_leaves(oracular):
    advice = json.loads(oracular("suggest", "jotto-3", "ego:1", "--count", "3", "--json").out)
    assert (advice["game"], advice["finished"], len(advice["suggestions"])) == ("jotto-3", False, 3)
    for suggestion in advice["suggestions"]:
        assert sum(suggestion["parts"].values()) == advice["left"]
    shown = oracular("suggest", "jotto-3", "ego:1", "--hider", "uniform").out
    assert "may be it" in shown and "Estimates" in shown
    assert all(len(line) <= 120 for line in shown.splitlines())
    assert "parts, the largest of" in oracular("suggest", "bulls-3x5", "123:0.2").out
