"""Runs of the blind race: kept, resumed to the same bits, forged ones refused, shown, measured again and drawn."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import oracular
from oracular import load_race, load_race_run
from oracular.errors import RunError
from oracular.runs.race import verify_race

from forging import HISTORY, STRATEGIES, edit_arrays, edit_checkpoint

GAME = "mastermind-2x3"
SETTINGS = {"groups": 1, "room": 1 << 12, "width": 4}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Give the folder of a run of twelve steps, and its solution."""
    folder = tmp_path_factory.mktemp("race") / "run"
    solution = oracular.solve_race(GAME, iterations=11, settings=SETTINGS, out=folder)
    return folder, solution


@pytest.fixture
def copied(finished, tmp_path):
    shutil.copytree(finished[0], tmp_path / "run")
    return tmp_path / "run"


def test_a_resumed_race_ends_on_the_same_bits(finished, tmp_path):
    whole, solution = finished
    made = iter(range(100))
    first = oracular.solve_race(
        GAME, iterations=11, settings=SETTINGS, out=tmp_path / "run", stop=lambda: next(made) >= 5
    )
    assert first.stopped == "interrupted" and first.iterations < 11
    assert first.figures.planned_secrets == 0  # who interrupts does not wait, and nothing is written as if measured
    assert not (tmp_path / "run" / STRATEGIES).exists()
    shown = load_race_run(tmp_path / "run")
    assert shown.stopped == "interrupted" and shown.figures.planned_secrets == 9
    assert shown.figures.epsilon >= first.figures.epsilon
    again = oracular.solve_race(GAME, iterations=11, out=tmp_path / "run", resume=True)
    assert (tmp_path / "run" / HISTORY).read_bytes() == (whole / HISTORY).read_bytes()
    assert (tmp_path / "run" / STRATEGIES).read_bytes() == (whole / STRATEGIES).read_bytes()
    assert again.figures == solution.figures and again.stopped == "iterations"


def test_a_kept_race_is_read_as_it_was_and_measured_again(finished):
    folder, solution = finished
    kept = load_race_run(folder)
    assert kept.figures == solution.figures and kept.history == solution.history
    assert np.array_equal(kept.first.secret_weights, solution.first.secret_weights)
    assert verify_race(kept.strategies) == solution.figures
    assert solution.figures.one_sided_first_mover_wins is None  # none come with the package


def test_strategies_that_are_missing_are_made_from_the_checkpoint(copied, finished):
    (copied / STRATEGIES).unlink()
    again = load_race_run(copied)
    assert again.figures == finished[1].figures


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts["made_by"].update(solver="another"),
        lambda facts: facts["made_by"].update(steps=11),
        lambda facts: facts["made_by"]["settings"].update(width=5),
        lambda facts: facts["made_by"].update(more=1),
        lambda facts: facts["figures"].update(planned_secrets=0),
    ],
)
def test_strategies_that_are_not_of_this_run_are_made_again(copied, finished, change):
    def forged(facts):
        facts["figures"]["epsilon_first"] = 0.25
        change(facts)

    change_head(forged)(copied)
    again = load_race_run(copied)
    assert again.figures == finished[1].figures and again.strategies.made_by == finished[1].strategies.made_by


def change_head(change):
    def edit(folder):
        path = folder / STRATEGIES
        line, body = path.read_bytes().split(b"\n", 1)
        head = json.loads(line)
        change(head["facts"])
        path.write_bytes(json.dumps(head).encode() + b"\n" + body)

    return edit


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.pop("first"),
        lambda facts: facts.update(race="open race"),
        lambda facts: facts["first"]["secrets"].pop(),
        lambda facts: facts["first"]["secrets"].__setitem__(0, -1),
        lambda facts: facts["second"]["trees"][0].__setitem__(0, 10**6),
        lambda facts: facts["second"]["trees"][0].__setitem__(1, 1.5),
        lambda facts: facts["second"]["trees"].clear(),
        lambda facts: facts["second"]["trees"][0].extend(facts["second"]["trees"][0][:2]),
        lambda facts: facts["figures"].update(epsilon_first="none"),
        lambda facts: facts["figures"].update(first_mover_wins=7),
        lambda facts: facts["figures"].update(first_mover_wins=-0.5),
        lambda facts: facts["figures"].update(first_mover_wins=0.5),  # a chance, but not that of these trees
        lambda facts: facts["figures"].update(one_sided_first_mover_wins=0.5),
        lambda facts: facts["figures"].update(one_sided_epsilon_first=0.5, one_sided_epsilon_second=0.5),
        lambda facts: facts.update(history=[[1, 2]]),
        lambda facts: facts.update(made_by=[]),
    ],
)
def test_forged_strategies_are_refused(copied, change):
    change_head(change)(copied)
    with pytest.raises(RunError):
        load_race_run(copied)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("first_regrets", lambda array: array - array.max() - 1),
        ("first_credits", lambda array: array * 0),
        ("first_credits", lambda array: array << 40),
        ("second_groups", lambda array: array + 1),
        ("first_guesses", lambda array: array[::-1].copy()),
        ("second_ends", lambda array: array[::-1].copy()),
        ("latest_guesses", lambda array: array * 0),
        ("iteration", lambda array: array + 1),
        ("second_regrets", lambda array: array.astype(np.int32)),
        ("first_credits", lambda array: array * (1 + np.arange(len(array)))),  # good in itself: the figures tell
    ],
)
def test_a_forged_state_is_refused(copied, name, change):
    edit_arrays(copied, lambda arrays: arrays.update({name: change(arrays[name])}))
    with pytest.raises(RunError):
        oracular.solve_race(GAME, iterations=12, out=copied, resume=True)


def test_a_race_is_no_run_of_another_solver(copied, finished):
    with pytest.raises(RunError, match="blind race"):
        oracular.load_run(copied)
    with pytest.raises(RunError, match="begun with solver"):
        oracular.solve(GAME, out=copied, resume=True)
    edit_checkpoint(copied, lambda body: body.update(seconds=-1))
    with pytest.raises(RunError):
        load_race_run(copied)


def test_the_command_line_solves_shows_verifies_and_draws(oracular, finished, tmp_path):
    folder = finished[0]
    shown = json.loads(oracular("race", GAME, "--show", "--verify", "--json", "--out", folder).out)
    assert shown["race"] == "blind" and shown["epsilon_first"] == finished[1].figures.epsilon_first
    assert set(shown) >= {"first_mover_wins", "epsilon_second", "one_sided_epsilon_first", "one_sided_epsilon_second"}
    text = oracular("race", GAME, "--show", "--out", folder).out
    assert "blind" in text and "(recorded; exact)" in text and "every tree for every secret" in text
    assert oracular("plot", folder, "--out", tmp_path / "race.png").code == 0
    solved = oracular("race", "mastermind-1x4", "--iterations", "3", "--json")
    assert solved.code == 0 and json.loads(solved.out)["iterations"] == 3
    exact = json.loads(oracular("race", "mastermind-1x4", "--exact", "--json").out)
    assert exact["first_mover_wins"] == pytest.approx(0.625)


def test_a_forged_chance_is_never_shown_as_exact(oracular, copied):
    change_head(lambda facts: facts["figures"].update(first_mover_wins=0.5))(copied)
    outcome = oracular("race", GAME, "--show", "--out", copied)
    assert outcome.code == 2 and "first_mover_wins" in outcome.err and not outcome.out


def test_a_shipped_chance_is_worked_out_before_it_is_shown(oracular, monkeypatch):
    race = load_race("jotto-3")
    forged = replace(race, recorded=replace(race.recorded, first_mover_wins=0.6))
    monkeypatch.setattr("oracular.load_race", lambda _: forged)
    outcome = oracular("race", "jotto-3", "--show")
    assert outcome.code == 2 and "first_mover_wins" in outcome.err


def test_verify_prints_what_was_measured(oracular, copied, finished):
    """A file of an earlier version may have recorded a gain that is smaller than the exact one."""

    def as_before(facts):
        facts["figures"].pop("exact")
        facts["figures"].update(epsilon_first=0.0, epsilon_second=0.0)

    change_head(as_before)(copied)
    measured = finished[1].figures
    shown = json.loads(oracular("race", GAME, "--show", "--json", "--out", copied).out)
    assert shown["epsilon_first"] == 0 < measured.epsilon_first and not shown["exact"]
    again = json.loads(oracular("race", GAME, "--show", "--verify", "--json", "--out", copied).out)
    assert again["epsilons_are"] == "measured again; exact"
    assert [again["epsilon_first"], again["epsilon_second"]] == [measured.epsilon_first, measured.epsilon_second]


@pytest.mark.parametrize(
    "words",
    [
        ("jotto-2", "--verify"),
        ("jotto-2", "--show", "--iterations", "3"),
        ("jotto-2", "--exact"),
        ("jotto-2", "--show", "--exact"),
        ("jotto-2", "--resume", "--fresh"),
        ("jotto-2", "--iterations", "0"),
        ("jotto-2", "--resume", "--out", "nothing"),
        ("bulls-and-cows", "--show"),
    ],
)
def test_bad_input_is_one_sentence(oracular, words):
    outcome = oracular("race", *words)
    assert outcome.code == 2 and outcome.err.startswith("error: ") and outcome.err.count("\n") == 1


def test_the_shipped_race_strategies_are_near_equilibrium():
    for name in ("jotto-2", "jotto-3", "jotto-4", "jotto-5"):
        race = oracular.load_race(name)
        assert race.recorded.epsilon <= 0.035
        assert race.recorded.one_sided_epsilon_first > race.recorded.epsilon_first
        assert race.recorded.one_sided_epsilon_second > race.recorded.epsilon_second
        pair = race.first.draw(np.random.default_rng(3))
        assert pair.secret in race.game.secrets and pair.tree.depths().min() == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jotto-2", "jotto-3", "jotto-4", "jotto-5"])
def test_the_figures_of_the_shipped_race_strategies_are_true(name):
    race = oracular.load_race(name)
    assert verify_race(race) == race.recorded
