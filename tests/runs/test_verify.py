"""What is called proved has been worked out again: checksums that were renewed after an edit deceive nobody."""

from __future__ import annotations

import importlib.resources
import json
import os
import signal
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracular as package
from oracular import Mixture, Tree, load_run
from oracular.errors import RunError
from oracular.evaluation import standing
from oracular.games.symmetry import orbits
from oracular.runs.verify import verify, verify_bound, verify_guarantee
from oracular.solvers.exact.certificate import guarantee
from oracular.strategies.shipped import ENDING, HiderBound, read_strategies, write_strategies
from oracular.system.control import Control, Deadline

from forging import edit_arrays, edit_checkpoint

SOLVERS = {"fictitious-play": 30, "regret-matching": 4, "exact": None}


def _make(folder, solver, game="jotto-3"):
    name = "mastermind-2x4" if solver == "exact" else game
    return package.solve(name, solver=solver, iterations=SOLVERS[solver], out=folder)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_run_is_proved_again(oracular, tmp_path, solver):
    solution = _make(tmp_path / "run", solver)
    outcome = json.loads(oracular("verify", "run", "--json").out)
    assert (outcome["kind"], outcome["valid"], outcome["all_proved_again"]) == ("run", True, True)
    assert Fraction(outcome["upper"]) == solution.guarantee
    assert outcome["proved"] is (solver == "exact")
    shown = oracular("verify", "run")
    assert shown.code == 0 and "proved again: " in shown.out.splitlines()[-2]
    assert "proved" in oracular("evaluate", "run").out


def _lower_depths(body):
    for position in (body["solver"]["position"], body["solver"]["best"]):
        position["depth_totals"] = [31] * len(position["depth_totals"])
        position["standing"] |= {"guarantee": 1.0, "epsilon_hider": 0.0, "self_play": 1.0}


def _lower_tree_depths(arrays):
    arrays["tree_depths"] = np.ones_like(arrays["tree_depths"])


def _raise_lower(body):
    body["solver"]["equilibrium"]["lower"] = "1/1"
    proof = body["solver"]["equilibrium"]["proof"]
    proof["lower"] = proof["upper"] = "44/16"


FORGERIES = {
    "fictitious-play": lambda folder: edit_checkpoint(folder, _lower_depths),
    "regret-matching": lambda folder: edit_arrays(folder, _lower_tree_depths),
    "exact": lambda folder: edit_checkpoint(folder, _raise_lower),
}


@pytest.mark.parametrize("solver", FORGERIES)
@pytest.mark.parametrize("command", ["verify", "evaluate", "certify"])
def test_a_run_with_edited_figures_and_a_renewed_checksum_is_refused(oracular, tmp_path, solver, command):
    _make(tmp_path / "run", solver)
    FORGERIES[solver](tmp_path / "run")
    outcome = oracular(command, "run", *(["--time", "20"] if command != "verify" else []))
    assert outcome.code == 2 and outcome.out == "" and outcome.err.count("\n") == 1


def test_a_resumed_run_says_proved_only_of_what_it_worked_out_again(oracular, tmp_path):
    _make(tmp_path / "run", "exact")
    arguments = ("solve", "mastermind-2x4", "--solver", "exact", "--out", "run", "--resume")
    assert json.loads(oracular(*arguments, "--json").out)["proved"] is True
    edit_checkpoint(tmp_path / "run", _raise_lower)
    outcome = oracular(*arguments)
    assert outcome.code == 2 and "proved" not in outcome.out


def test_what_there_was_no_time_for_is_called_recorded(jotto, tmp_path):
    _make(tmp_path / "run", "fictitious-play")
    solution = load_run(tmp_path / "run")
    check = verify_guarantee(solution, Control(Deadline.after(0.0)))
    assert 0 <= check.done < check.of == solution.best_iteration + 1 and not check.proved
    assert check.words == f"recorded; {check.done} of {check.of} iterations re-checked"


def _with_one_guess_less(solution):
    """Return a solution of fictitious play in which every figure that speaks of the guarantee agrees on a false one."""
    guesser = solution.guesser
    totals = guesser.known_totals - guesser.total
    false = standing(solution.hider.weights, totals, guesser.total, guesser.oracles[-1].depths())
    history = [dict(record) for record in solution.history]
    history[solution.best_iteration] |= vars(false)
    forged = Mixture(guesser.oracles, guesser.weights, known_totals=totals)
    return replace(solution, mix=forged, standing=false, history=history)


def test_a_guarantee_that_the_trees_do_not_give_is_never_proved_whenever_the_time_is_up(monkeypatch, tmp_path):
    package.solve("mastermind-2x3", iterations=30, out=tmp_path / "run")
    forged = _with_one_guess_less(load_run(tmp_path / "run"))
    with pytest.raises(RunError, match="contradicts itself"):
        verify_guarantee(forged)
    outcomes = set()
    for moment in range(5, 150):
        ticks = iter(range(10_000))
        monkeypatch.setattr("time.monotonic", lambda ticks=ticks: float(next(ticks)))
        try:
            outcomes.add(verify_guarantee(forged, Control(Deadline(float(moment)))).proved)
        except RunError:
            outcomes.add("refused")
    assert outcomes == {False, "refused"}


def test_a_lower_bound_that_the_hider_does_not_prove_is_refused():
    solution = package.solve("mastermind-3x4", solver="exact", iterations=1)
    assert not solution.closed
    false = (solution.lower + 3 * solution.guarantee) / 4
    forged = replace(solution, bound=false, certificate=replace(solution.certificate, lower=false))
    with pytest.raises(RunError, match="proves nothing"):
        verify_bound(forged)


def test_a_sweep_calls_nothing_proved_that_it_only_read(oracular, tmp_path):
    arguments = ("sweep", "mastermind-2x4", "--solver", "exact", "--out", "runs", "--json")
    (row,) = json.loads(oracular(*arguments).out)
    assert row["proved"] is True and row["lower"] == row["upper"] == "45/16"
    game = package.game("mastermind-2x4")
    tree = load_run(Path(row["out"])).certificate.trees[0].to_list()
    labels = orbits(len(game.secrets), [symmetry.secrets for symmetry in game.symmetries])
    upper = str(guarantee([Tree.from_list(game, tree)], [Fraction(1)], labels))
    assert Fraction(upper) > Fraction(45, 16)

    def forge(body):
        """Let the proof be of one tree, and say that no guesser needs less than that one."""
        state = body["solver"]["equilibrium"]
        state["proof"] |= {"trees": [tree], "shares": ["1"], "lower": upper, "upper": upper}
        state["lower"] = upper

    edit_checkpoint(Path(row["out"]), forge)
    outcome = oracular(*arguments)
    assert outcome.code == 2 or json.loads(outcome.out)[0]["proved"] is False


def test_ctrl_c_in_the_leaderboard_says_how_to_go_on(oracular, monkeypatch):
    monkeypatch.setattr("oracular.runs.table.paper_rows", lambda: {2: {"iterations": 10**7}})

    def press(step):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("oracular.cli.output.Line.__call__", lambda self, at: isinstance(at, str) or press(at))
    outcome = oracular("leaderboard", "jotto-2")
    assert outcome.code == 130 and "go on with: oracular leaderboard jotto-2 --runs" in outcome.err


def test_the_leaderboard_holds_its_time_and_says_what_is_left_out(oracular, monkeypatch):
    monkeypatch.setattr("oracular.runs.table.paper_rows", lambda: {2: {"iterations": 10**7}})
    board = json.loads(oracular("leaderboard", "jotto-2", "--time", "2", "--json").out)
    assert board["payoffs"].keys() == {"benchmark", "ours"} and "not finished yet" in board["left_out"]


def test_shipped_strategies_and_files_of_them_are_verified(oracular, tmp_path):
    two = json.loads(oracular("verify", "jotto-2", "--json").out)
    assert (two["kind"], two["proved"], two["upper"]) == ("strategies", True, "60882015/10367053")
    source = importlib.resources.files("oracular.strategies.data").joinpath(f"jotto-3{ENDING}").read_bytes()
    (tmp_path / "three.strategy").write_bytes(source)
    three = json.loads(oracular("verify", "three.strategy", "--time", "2", "--json").out)
    assert three["checks"]["upper"]["proved"] and not three["all_proved_again"]
    assert three["conclusion"].startswith("recorded; ") and three["conclusion"].endswith("entries re-checked")


def test_strategies_that_there_is_no_time_for_are_called_recorded():
    strategies = package.load("jotto-3")
    result = verify("jotto-3", time_limit=1e-9)
    assert (result.upper.value, result.upper.done) == (strategies.recorded_guarantee, 0)
    assert (result.lower.value, result.lower.done, result.proved) == (strategies.lower, 0, False)


def test_a_strategy_with_forged_bounds_is_refused(oracular, tmp_path):
    source = importlib.resources.files("oracular.strategies.data").joinpath(f"jotto-3{ENDING}").read_bytes()
    line, body = source.split(b"\n", 1)
    head = json.loads(line)
    for row in sorted(head["facts"]["proof"], key=lambda row: row[1])[1:]:
        row[1] += 600
    (tmp_path / "forged.strategy").write_bytes(json.dumps(head).encode() + b"\n" + body)
    outcome = oracular("verify", "forged.strategy")
    assert outcome.code == 2 and "than can be proved again" in outcome.err
    head["facts"]["lower"] = "9"
    (tmp_path / "forged.strategy").write_bytes(json.dumps(head).encode() + b"\n" + body)
    with pytest.raises(RunError, match="damaged"):
        read_strategies(tmp_path / "forged.strategy", package.game("jotto-3"))


def test_what_is_nothing_of_ours_is_refused(oracular, tmp_path):
    (tmp_path / "empty").mkdir()
    for target, words in {
        "empty": "holds no run",
        "nowhere": "cannot be read",
        "certification-run.json": "does not lie in the folder of its run",
        "nowhere.strategy": "cannot be read",
    }.items():
        outcome = oracular("verify", target)
        assert outcome.code == 2 and words in outcome.err, target
    assert oracular("verify", "jotto-2", "--time", "0").code == 2
    assert oracular("verify", "jotto-2", "--threads", "-1").code == 2


def _with_a_bound_of_the_uniform_hider(path, name, value):
    shipped = package.load(name)
    write_strategies(path, replace(shipped, lower_bounds=[HiderBound(value, "uniform"), *shipped.lower_bounds]))
    return path


@pytest.mark.parametrize(("name", "optimum"), [("jotto-2", Fraction(295, 51)), ("mastermind-4x4", Fraction(905, 256))])
def test_a_bound_without_openings_is_searched_for_again(oracular, tmp_path, name, optimum):
    path = _with_a_bound_of_the_uniform_hider(tmp_path / "true.strategy", name, optimum)
    result = verify(path)
    assert result.proved and result.bounds["uniform"].value == optimum < result.lower.value == result.upper.value
    assert list(result.bounds) == ["shipped", "uniform"], "the best bound is not the first to be proved"
    shown = oracular("verify", path)
    assert "against the uniform hider (proved)" in shown.out and "against the shipped hider (proved)" in shown.out
    false = _with_a_bound_of_the_uniform_hider(tmp_path / "false.strategy", name, optimum + Fraction(1, 10_000))
    with pytest.raises(RunError, match="get it again"):
        verify(false)
