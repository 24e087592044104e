"""A run keeps its objective: all of its figures are in it, it goes on in it, and a false one is refused."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oracular
from oracular import Mixture, OracularError, load_run, payoff, solve
from oracular.errors import RunError, SettingsError
from oracular.evaluation import guarantee
from oracular.objectives import table, within
from oracular.runs.sweep import plan, sweep
from oracular.runs.verify import verify

from conftest import files_below
from forging import CERTIFICATE, HISTORY, MANIFEST, OBJECTIVE, checkpoint_of, renew

GAME = oracular.game("mastermind-2x3")
ROWS = {"11": [5, 1], "others": [3, "1/3", 0]}
OBJECTIVES = {"within-2": within(2), "table": table([1, "1/2", 0]), "rows": table(ROWS, GAME)}
ONE_THREAD = oracular.Resources(threads=1)
SMALL = {"room": 1 << 14}


def solved(objective, out=None, iterations=12, solver="regret-matching", **more):
    settings = SMALL if solver == "regret-matching" else {}
    return solve(
        GAME,
        solver=solver,
        objective=objective,
        settings=settings,
        iterations=iterations,
        out=out,
        resources=ONE_THREAD,
        **more,
    )


@pytest.fixture(scope="module")
def originals(tmp_path_factory) -> dict[str, Path]:
    """A run for each objective."""
    folder = tmp_path_factory.mktemp("objectives")
    for name, objective in OBJECTIVES.items():
        solved(objective, folder / name)
    return {name: folder / name for name in OBJECTIVES}


def by_hand(objective, guesser) -> list[Fraction]:
    """Return what each secret is worth to a plain mixture, tree by tree."""
    lost = np.zeros(len(GAME.secrets), dtype=object)
    for oracle, weight in zip(guesser.oracles, guesser.weights, strict=True):
        for secret, depth in enumerate(oracle.depths()):
            row = objective.losses[secret if len(objective.losses) > 1 else 0]
            lost[secret] += int(weight) * int(row[min(depth, len(row)) - 1])
    return [objective.value(Fraction(int(total), guesser.total)) for total in lost]


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_figure_of_a_solution_is_in_its_objective(originals, name):
    solution, objective = load_run(originals[name]), OBJECTIVES[name]
    worth = by_hand(objective, solution.guesser)
    chances = [Fraction(int(weight), solution.hider.total) for weight in solution.hider.weights]
    played = sum(chance * value for chance, value in zip(chances, worth, strict=True))
    assert solution.objective.identity == objective.identity
    assert solution.guarantee == solution.lower == min(worth) and solution.upper is None
    assert solution.standing.guarantee == pytest.approx(float(min(worth)))
    assert solution.standing.self_play == pytest.approx(float(played))
    assert payoff(solution.hider, solution.guesser, objective) == played
    assert solution.standing.epsilon_hider == pytest.approx(float(played - min(worth)))
    for record in solution.history:
        assert record["guarantee"] <= record["self_play"] <= float(objective.value(0))
    assert objective.name in repr(solution)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_run_goes_on_in_its_objective_without_being_told(originals, tmp_path, name):
    whole = solved(OBJECTIVES[name], tmp_path / "whole", iterations=20)
    shutil.copytree(originals[name], tmp_path / "run")
    again = solved(None, tmp_path / "run", iterations=20, resume=True)
    assert (tmp_path / "run" / HISTORY).read_bytes() == (tmp_path / "whole" / HISTORY).read_bytes()
    assert again.guarantee == whole.guarantee == load_run(tmp_path / "run").guarantee
    assert solved(OBJECTIVES[name], tmp_path / "run", iterations=21, resume=True).iterations == 21


def test_a_run_does_not_go_on_in_another_objective(originals):
    before = files_below(originals["table"].parent)
    for name, other, words in (
        ("within-2", "within-3", "was begun with the objective 'within-2', not 'within-3'"),
        ("within-2", "mean", "not 'mean': give the same"),
        ("within-2", OBJECTIVES["table"], "not a table of utilities"),
        ("table", OBJECTIVES["rows"], "was begun with another table of utilities"),
    ):
        with pytest.raises(RunError, match=words):
            solved(other, originals[name], resume=True)
    assert files_below(originals["table"].parent) == before


def test_a_run_for_the_mean_is_kept_as_it_ever_was(tmp_path):
    plain, named = solved(None, tmp_path / "plain"), solved("mean", tmp_path / "named")
    for name in (MANIFEST, HISTORY):
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "named" / name).read_bytes()
    kept = json.loads((tmp_path / "plain" / MANIFEST).read_bytes())
    assert list(kept) == "format game words_sha256 answers_sha256 own_lists solver settings versions".split()
    assert {path.name for path in (tmp_path / "plain").iterdir()} - {MANIFEST, HISTORY, "checkpoint.json"} == {
        name for name in checkpoint_of(tmp_path / "plain")["files"] if name.startswith("arrays")
    }
    assert plain.lower is None and plain.upper == plain.guarantee == named.guarantee
    assert plain.objective.is_mean and plain.history == load_run(tmp_path / "plain").history


@pytest.mark.parametrize("name", ["table", "rows"])
def test_a_run_with_a_table_is_whole_on_its_own(originals, name):
    kept = oracular.objective(originals[name] / OBJECTIVE, GAME)
    assert kept.identity == OBJECTIVES[name].identity
    assert kept.to_data(GAME) == json.loads((originals[name] / OBJECTIVE).read_bytes())
    assert json.loads((originals[name] / MANIFEST).read_bytes())["objective"] == "table"


def test_what_was_recorded_is_worked_out_again_in_the_objective(originals):
    for name, folder in originals.items():
        checked = verify(folder)
        assert checked.proved and checked.lower == checked.guarantee and checked.upper is None
        assert checked.lower.value == load_run(folder).guarantee
        assert OBJECTIVES[name].phrase() in checked.conclusion and "value" not in checked.conclusion


def test_certify_adds_the_bound_of_a_hider_in_the_objective(originals):
    for hider in ("uniform", "run"):
        bounds = oracular.certify(originals["within-2"], hider=hider, time_limit=60)
        assert bounds.lower == load_run(originals["within-2"]).guarantee <= bounds.upper
        assert bounds.stopped == "finished" and bounds.lower_check.proved and bounds.upper_check.proved
    assert not list(originals["within-2"].glob("certification*"))
    uniform = oracular.certify(originals["within-2"], time_limit=60)
    assert uniform.upper == oracular.best_response(GAME, np.ones(9, int), objective="within-2").upper == Fraction(5, 9)


def test_a_cluster_certifies_the_mean_alone(originals):
    with pytest.raises(SettingsError, match="a cluster proves bounds on the mean alone, and the run is for within-2"):
        oracular.certify(originals["within-2"], cluster=object())


def test_bounds_on_guesses_are_none_of_a_run_for_a_chance(originals, tmp_path):
    shutil.copytree(originals["within-2"], tmp_path / "run")
    solve(GAME, iterations=3, out=tmp_path / "mean", resources=ONE_THREAD)
    oracular.certify(tmp_path / "mean", time_limit=1, threads=1)
    shutil.copy(tmp_path / "mean" / "certification-uniform.json", tmp_path / "run")
    with pytest.raises(RunError, match="has bounds on expected guesses, and its run is for another objective"):
        verify(tmp_path / "run")


def test_strategies_are_evaluated_in_any_objective(originals):
    solution = load_run(originals["within-2"])
    for name in ("mean", "within-1", "within-3", originals["rows"] / OBJECTIVE):
        worth = oracular.evaluate(solution, name)
        chosen = oracular.objective(name, GAME)
        assert worth.guarantee == guarantee(solution.guesser, chosen)
        assert worth.self_play == payoff(solution.hider, solution.guesser, chosen)
        assert worth.proved and worth.bound * chosen.sign <= worth.self_play * chosen.sign
        assert worth.bound * chosen.sign <= worth.guarantee * chosen.sign
    worth = oracular.evaluate(originals["within-2"])
    assert worth.objective.name == "within-2" and worth.guarantee == solution.guarantee
    deepest = max(int(oracle.depths().max()) for oracle in solution.guesser.oracles)
    worst = oracular.evaluate(solution, "worst")
    assert worst.guarantee == worst.most_guesses == worth.most_guesses == deepest
    assert worst.lower == worst.upper == 3 and worst.mean == payoff(solution.hider, solution.guesser)


def test_the_papers_trees_are_built_again_to_be_evaluated(tmp_path):
    solution = solve(GAME, iterations=8, out=tmp_path / "run", resources=ONE_THREAD)
    worth = oracular.evaluate(tmp_path / "run", "within-2")
    assert worth.guarantee == guarantee(Mixture(list(solution.guesser.oracles), solution.guesser.weights), "within-2")
    assert oracular.evaluate(tmp_path / "run").guarantee == solution.guarantee


def test_a_sweep_is_for_one_objective(tmp_path):
    runs = plan([GAME], ["regret-matching"], {"width": [4, 8]}, tmp_path, iterations=3, objective="within-2")
    rows = sweep(runs, threads=1)
    assert [row["objective"] for row in rows] == ["within-2"] * 2 and all(row["upper"] is None for row in rows)
    assert all(0 <= Fraction(row["lower"]) <= 1 for row in rows)
    assert {run.folder.name for run in runs} == {f"mastermind-2x3-regret-matching-within-2-width={n}" for n in (4, 8)}
    shutil.move(runs[0].folder, tmp_path / "mastermind-2x3-regret-matching-width=4")
    with pytest.raises(RunError, match="was begun with the objective 'within-2', not 'mean'"):
        plan([GAME], ["regret-matching"], {"width": [4]}, tmp_path, iterations=3)


UNSUPPORTED = [
    ("fictitious-play", "within-2", "greedy trees are for the mean alone: choose regret-matching or exact"),
    ("regret-matching", "worst", "no game between two sides: ask for a tree with 'oracular respond mastermind-2x3"),
    ("exact", "worst", "no game between two sides"),
    ("regret-matching", table({"cab": [1], "others": [0]}, oracular.game("jotto-3", ["cab", "fix"])), "has 2 rows"),
]


@pytest.mark.parametrize(("solver", "objective", "words"), UNSUPPORTED)
def test_what_is_not_supported_is_said_before_anything_is_written(tmp_path, solver, objective, words):
    with pytest.raises(SettingsError, match=words) as caught:
        solved(objective, tmp_path / "run", solver=solver)
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_a_problem_of_ones_own_has_no_objective():
    problem = load_run  # anything that is no game
    with pytest.raises(SettingsError, match="payoffs of its own: leave the objective out"):
        solve(problem, solver="regret-matching", objective="within-2")


MANIFESTS = [
    ("within-2", "mean"),
    ("within-2", "worst"),
    ("within-2", "within-0"),
    ("within-2", "within-999"),
    ("within-2", "within-3"),
    ("within-2", "table"),
    ("within-2", 2),
    ("within-2", None),
    ("within-2", ["within-2"]),
    ("within-2", "x" * 10**5),
    ("within-2", "absent"),
    ("table", "within-2"),
    ("table", "absent"),
]


def refused(folder: Path, match: str) -> None:
    """Check that a run is refused by whoever uses it, in one sentence, with nothing touched."""
    before = files_below(folder)
    for use in (lambda: load_run(folder), lambda: solved(None, folder, resume=True), lambda: verify(folder)):
        with pytest.raises(OracularError, match=match) as caught:
            use()
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert files_below(folder) == before


@pytest.mark.parametrize(("name", "forged"), MANIFESTS, ids=lambda value: str(value)[:20])
def test_a_forged_name_of_an_objective_is_refused(originals, tmp_path, name, forged):
    folder = shutil.copytree(originals[name], tmp_path / "run")
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["objective"] = forged
    if forged == "absent":
        del manifest["objective"]
    (folder / MANIFEST).write_text(json.dumps(manifest))
    renew(folder, checkpoint_of(folder))
    refused(folder, "is missing, damaged or was edited|has no valid state|are not those|are damaged")


@pytest.fixture(scope="module")
def settled(tmp_path_factory) -> dict[str, Path]:
    """Exact runs, one that is settled and one that was stopped before."""
    folder = tmp_path_factory.mktemp("settled")
    for name, steps in (("whole", 50), ("part", 1)):
        solution = solved(OBJECTIVES["rows"], folder / name, iterations=steps, solver="exact")
        assert solution.closed == (name == "whole")
    return {name: folder / name for name in ("whole", "part")}


def test_an_exact_run_is_proved_in_its_objective(settled, tmp_path):
    solution, checked = load_run(settled["whole"]), verify(settled["whole"])
    assert solution.lower == solution.upper == solution.guarantee == checked.lower.value == checked.upper.value
    assert checked.settled and oracular.evaluate(solution).lower == solution.lower
    part = load_run(settled["part"])
    assert part.lower <= solution.lower <= part.upper and part.lower < part.upper
    assert all(Fraction(record["lower"]) <= Fraction(record["upper"]) for record in part.history)
    near = solved(OBJECTIVES["rows"], iterations=60)
    assert solution.upper - Fraction(1, 20) <= near.lower <= solution.upper
    shutil.copytree(settled["part"], tmp_path / "run")
    again = solved(None, tmp_path / "run", iterations=50, solver="exact", resume=True)
    assert again.closed and again.guarantee == solution.guarantee
    assert (tmp_path / "run" / HISTORY).read_bytes() == (settled["whole"] / HISTORY).read_bytes()


@pytest.mark.parametrize("name", ["whole", "part"])
@pytest.mark.parametrize(
    "forged", ["within-1", "within-2", "absent", '{"utilities": [1, 0]}', '{"utilities": [9, 9, 0]}']
)
def test_an_exact_run_of_a_forged_objective_is_refused(settled, tmp_path, name, forged):
    folder = shutil.copytree(settled[name], tmp_path / "run")
    body = checkpoint_of(folder)
    if forged.startswith("{"):
        (folder / OBJECTIVE).write_text(forged)
    else:
        manifest = json.loads((folder / MANIFEST).read_bytes()) | {"objective": forged}
        if forged == "absent":
            del manifest["objective"]
        (folder / MANIFEST).write_text(json.dumps(manifest))
        (folder / OBJECTIVE).unlink()
        del body["files"][OBJECTIVE]
    renew(folder, body)
    before = files_below(folder)
    with pytest.raises(OracularError) as caught:
        verify(folder)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert files_below(folder) == before


def test_a_certificate_of_another_objective_is_refused(settled, tmp_path):
    folder = shutil.copytree(settled["whole"], tmp_path / "run")
    solved("within-2", tmp_path / "other", iterations=50, solver="exact")
    shutil.copy(tmp_path / "other" / CERTIFICATE, folder)
    with pytest.raises(RunError, match="is for another objective than its run: remove the file"):
        verify(folder)


TABLES = [
    "",
    "[]",
    "{}",
    '{"utilities": 3}',
    '{"utilities": [0, 1]}',
    '{"utilities": [NaN, 0]}',
    '{"utilities": ["1/0", 0]}',
    '{"utilities": []}',
    '{"utilities": [1, 1, 0]}',
    '{"utilities": {"11": [1, 0]}}',
    '{"utilities": {"11": [1, 0], "99": [1, 0], "others": [1]}}',
    '{"utilities": ' + "[" * 5000 + "]" * 5000 + "}",
    json.dumps({"utilities": [1] * 300}),
    json.dumps({"utilities": [10**30, 0]}),
]


@pytest.mark.parametrize("forged", TABLES, ids=lambda text: text[:40])
def test_a_forged_table_is_refused(originals, tmp_path, forged):
    folder = shutil.copytree(originals["table"], tmp_path / "run")
    (folder / OBJECTIVE).write_text(forged)
    renew(folder, checkpoint_of(folder))
    refused(folder, "objective.json' is missing, damaged or was edited|has no valid state|are not those|are damaged")


def test_the_papers_solver_has_no_objective_on_disk_either(tmp_path):
    solve(GAME, iterations=2, out=tmp_path / "run", resources=ONE_THREAD)
    manifest = json.loads((tmp_path / "run" / MANIFEST).read_bytes())
    (tmp_path / "run" / MANIFEST).write_text(json.dumps({**manifest, "objective": "within-2"}))
    renew(tmp_path / "run", checkpoint_of(tmp_path / "run"))
    with pytest.raises(RunError, match="its solver and problem have no objective"):
        load_run(tmp_path / "run")
