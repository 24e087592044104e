"""Make the shipped strategies again: solve each game, prove what can be proved, and write the package's data.

Run by `make strategies`. It takes about an hour on two cores, shows progress, and goes on where it was stopped: runs
and proofs are kept in runs/strategies. Steps, not seconds, limit the solving, so the trees are the same every time; a
proof that had more time can only be better. Strategies for the blind race are made of fewer trees than were played, so
that their files stay small, and what is shipped is measured.
"""

from __future__ import annotations

import argparse
import importlib.resources
import json
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

import oracular
from oracular.cli.output import Line, SolvingDisplay
from oracular.runs.certify import WhichHider, certify
from oracular.runs.folder import Run, is_run
from oracular.runs.format import bounds_file
from oracular.runs.race import some_steps
from oracular.runs.solution import Solution, make_solver
from oracular.solvers.race.measure import NO_PLANS, figures_of
from oracular.solvers.race.solver import Mixes, reweighed
from oracular.solvers.regret_matching import Conclusion, RegretMatching, Reweighted, rounded_mixture
from oracular.strategies.oracle import SymmetricMixture
from oracular.strategies.race import (
    RACE_ENDING,
    TREE_UNIT,
    RaceMix,
    RaceStrategies,
    load_race,
    product_mix,
    shared_out,
    write_race,
)
from oracular.strategies.shipped import CODE_GAMES, ENDING, HiderBound, Shipped, write_strategies
from oracular.strategies.tree import Tree
from oracular.system.control import Control

STEPS = {
    "jotto-3": 6000,
    "jotto-4": 6000,
    "jotto-5": 2500,
    "jotto-3-familiar": 60,
    "jotto-4-familiar": 206,
    "jotto-5-familiar": 150,
    "jotto-5-repeats-anagrams-familiar": 62,
    "jotto-4-repeats-anagrams-familiar": 130,
    "jotto-3-repeats-anagrams-familiar": 60,
    "wordle": 1337,
}
SOLVERS = {"wordle": "double-oracle"}
"""The solver of each game that is not solved by regret matching."""
SETTINGS = {"wordle": {"explore_every": 1}}
"""The settings of each solver that are not its own choice for a game."""
PROVING_HIDERS: dict[str, WhichHider] = {"wordle": "run"}
"""Whose strategy proves a game's lower bound, where it is not the uniform hider's."""
BY_SYMMETRY = ("bulls-4x10",)
"""Games too large for the exact solver in which symmetries take every secret to every other."""
RACE_STEPS = {"jotto-2": 500, "jotto-3": 2500, "jotto-4": 2500, "jotto-5": 1500}
RACE_TREES = 500
"""About so many trees of each side are shipped for a race in which all secrets share them."""
TREES_A_SECRET = 100
"""So many trees are shipped for each secret that has its own."""
PROOF_SECONDS = {"jotto-3": 600.0, "jotto-4": 300.0, "jotto-5": 300.0, "wordle": 600.0}
FAMILIAR_PROOF_SECONDS = 120.0


def closing_in(history: list[dict[str, Any]]) -> list[list[float]]:
    """Return how the bounds closed in, by steps thinned out evenly on a logarithmic scale."""
    best = np.minimum.accumulate([record["guarantee"] for record in history])
    hider = [Fraction(record["lower"]) if "lower" in record else record["response"] for record in history]
    return [[int(step), round(float(best[step]), 6), round(float(hider[step]), 6)] for step in some_steps(len(history))]


def best_mixture(depths: NDArray[np.int16]) -> Reweighted:
    """Return the best mixture of these trees [trees, secrets], by an interior-point method without crossover."""
    trees, rows = depths.shape
    middle = float(depths.mean())  # depths less their mean: the program is better conditioned
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = trees + 1, rows + 1
    program.col_cost_ = np.append(np.zeros(trees), 1.0)
    program.col_lower_ = np.append(np.zeros(trees), -np.inf)
    program.col_upper_ = np.full(trees + 1, np.inf)
    program.row_lower_ = np.append(np.full(rows, -np.inf), 1.0)
    program.row_upper_ = np.append(np.zeros(rows), 1.0)
    starts = np.arange(trees + 2) * (rows + 1)
    starts[-1] = starts[-2] + rows
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.start_ = starts
    matrix.index_ = np.append(np.tile(np.arange(rows + 1), trees), np.arange(rows))
    matrix.value_ = np.append(np.c_[depths - middle, np.ones(trees)].ravel(), -np.ones(rows))
    solver = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
    for option, value in (("output_flag", False), ("threads", 1), ("solver", "ipm"), ("run_crossover", "off")):
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    solution = solver.getSolution()
    shares = np.maximum(np.array(solution.col_value)[:trees], 0.0)
    prices = np.maximum(-np.array(solution.row_dual)[:rows], 0.0)
    if not shares.sum() > 0:
        raise SystemExit(f"the linear program over {trees} trees found nothing: {solver.getModelStatus()}")
    return rounded_mixture(depths, shares, prices / max(prices.sum(), 1e-12))


def make_exact(name: str, runs: Path, data: Path, display: SolvingDisplay) -> None:
    """Solve a game exactly and write its strategies."""
    folder = runs / name
    line = display.add(name)
    line("solving exactly")
    solution = oracular.solve(name, solver="exact", out=folder, resume=is_run(folder), progress=line)
    if solution.lower is None or not solution.closed:
        raise SystemExit(f"{folder} is not settled yet: run this again")
    strategies = Shipped(
        game=solution.game,
        hider=solution.hider,
        guesser=solution.guesser,
        recorded_guarantee=solution.guarantee,
        lower_bounds=[HiderBound(solution.lower, "shipped")],
        made_by={"solver": "exact", "steps": solution.iterations + 1},
        history=closing_in(Run.open(folder).history),
    )
    size = write_strategies(data / f"{name}{ENDING}", strategies)
    line.done(f"value {solution.lower}, {size:,} bytes")


def make_by_symmetry(name: str, data: Path, display: SolvingDisplay) -> None:
    """Write the strategies of a game in which symmetries take every secret to every other: its best tree, proved.

    The tree is best against the uniform hider. Played under a random symmetry it needs as much for every secret, so
    both sides are at their best.
    """
    line = display.add(name)
    line("the best response to the uniform hider, by exact search")
    began = time.process_time()
    hider = oracular.hider_uniform(oracular.game(name))
    response = oracular.best_response(hider.game, hider)
    seconds = round(time.process_time() - began)
    effort = {"command": f"oracular respond {name}", "device": "CPU", "core_seconds": seconds}
    size = write_strategies(data / f"{name}{ENDING}", by_symmetry(response.tree, response.lower, effort))
    line.done(f"value {response.lower}, {size:,} bytes")


def by_symmetry(tree: Tree, lower: Fraction, effort: dict[str, Any]) -> Shipped:
    """Return the uniform hider and a tree that is played under a random symmetry, as strategies to be shipped."""
    guesser = SymmetricMixture([tree], [1])
    return Shipped(
        game=tree.game,
        hider=oracular.hider_uniform(tree.game),
        guesser=guesser,
        recorded_guarantee=guesser.guarantee,
        lower_bounds=[HiderBound(lower, "uniform", effort=effort)],
        made_by={"solver": "exact response", "steps": 1},
    )


def make_planned(name: str, runs: Path, data: Path, seconds: float, display: SolvingDisplay) -> None:
    """Solve a game by regret matching or the double oracle, prove a lower bound, and write its strategies."""
    folder = runs / name
    line = display.add(name)
    line("loading compiled code (the first time: compiling it)")
    steps, kind, proving = STEPS[name], SOLVERS.get(name, RegretMatching.name), PROVING_HIDERS.get(name, "uniform")
    solution = oracular.solve(
        name,
        solver=kind,
        settings=SETTINGS.get(name),
        iterations=steps,
        out=folder,
        resume=is_run(folder),
        progress=line,
    )
    if solution.iterations != steps:
        raise SystemExit(f"{folder} has {solution.iterations} steps, not {steps}: run this again, or remove it first")
    line("the best mixture of all trees, by linear programming")
    run = Run.open(folder)
    solver = make_solver(run.manifest["solver"], run.game(), run.manifest["settings"])
    assert isinstance(solver, RegretMatching)
    run.restore(solver)
    solver.conclusion = Conclusion(best_mixture(np.array(solver.payoffs)).weights, None)
    best = Solution.of(solver, run.stopped, run.seconds, run.history)
    line("proving a lower bound")
    bounds = certify(
        folder,
        hider=proving,
        time_limit=seconds,
        progress=lambda b: line(f"proving: {float(b.lower):.4f} ≤ value, {b.opening} {b.plies} guesses deep"),
    )
    proof = json.loads((folder / bounds_file(proving)).read_text(encoding="utf-8").splitlines()[1])["openings"]
    made_by = {
        "solver": kind,
        "steps": steps + 1,
        "mixture": "linear program over the kept trees",
        "settings": run.manifest["settings"],
        "versions": run.manifest["versions"],
    }
    strategies = Shipped(
        game=solution.game,
        hider=best.hider,
        guesser=best.guesser,
        recorded_guarantee=best.guarantee,
        lower_bounds=[HiderBound(bounds.lower, "uniform" if bounds.hider == "uniform" else "shipped", proof)],
        made_by=made_by,
        history=closing_in(run.history),
    )
    size = write_strategies(data / f"{name}{ENDING}", strategies)
    line.done(f"{strategies.bounds}, {size:,} bytes")


def make_race(name: str, runs: Path, data: Path, display: SolvingDisplay) -> None:
    """Solve the blind race of a game, and write strategies for it."""
    folder = runs / f"{name}-race"
    line = display.add(f"race {name}")
    line("loading compiled code (the first time: compiling it)")
    solution = oracular.solve_race(
        name,
        iterations=RACE_STEPS[name] - 1,
        out=folder,
        resume=is_run(folder),
        plans=NO_PLANS,  # what is shipped is measured, not the run
        progress=line,
    )
    if solution.iterations != RACE_STEPS[name] - 1:
        raise SystemExit(f"{folder} has {solution.iterations + 1} steps, not {RACE_STEPS[name]}: remove it first")
    strategies = measured_race(solution.strategies, line)
    size = write_race(data / f"{name}{RACE_ENDING}", strategies)
    line.done(f"first mover wins {strategies.recorded.first_mover_wins:.4f}, {size:,} bytes")


def measure_again(name: str, data: Path, display: SolvingDisplay) -> None:
    """Measure the shipped strategies of a race again, for a planner that has changed since, and write the figures."""
    line = display.add(f"race {name}")
    race = load_race(name)
    again = replace(race, recorded=figures_of(race.first, race.second, control=Control(on_report=line)))
    write_race(data / f"{name}{RACE_ENDING}", again)
    line.done(f"player 1 gains {again.recorded.epsilon_first:.4f}, player 2 {again.recorded.epsilon_second:.4f}")


def thinned(mix: RaceMix, most_trees: int) -> RaceMix:
    """Return a mix in which no group plays more than this many trees, with nearly the same chances to find secrets.

    The average over the steps of a race has hundreds of trees for every secret. Kernel herding [Welling 2009] picks
    trees one after another so that the average of those picked stays as close to it as it can: with n trees it is off
    by about 1/n, n trees drawn at random by about the root of that.
    """
    weights = np.zeros_like(mix.tree_weights)
    columns = int(mix.depths.max())
    for group, row in enumerate(mix.tree_weights):
        played = np.flatnonzero(row)
        if len(played) <= most_trees:
            weights[group] = row
            continue
        found = mix.depths[played][:, :, None] <= np.arange(1, columns)  # within 1, 2, … guesses
        picked = _herded(found.reshape(len(played), -1).astype(np.float32), row[played] / TREE_UNIT, most_trees)
        counts = np.bincount(played[picked], minlength=len(row))
        weights[group] = shared_out(counts, TREE_UNIT)
    kept = np.flatnonzero(weights.any(axis=0)).tolist()
    trees = [mix.trees[place] for place in kept]
    return RaceMix(mix.game, mix.secret_weights, trees, mix.group_of, np.ascontiguousarray(weights[:, kept]))


def _herded(rows: NDArray[np.float32], shares: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return so many rows by index, some perhaps twice, whose average is near the average by shares [rows, columns]."""
    target = (shares @ rows).astype(np.float64)
    squares = np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    picked, total = [], np.zeros(rows.shape[1])
    for number in range(1, count + 1):
        wanted = number * target - total  # the row nearest to this makes the average best
        best = int((squares - 2.0 * (rows @ wanted.astype(np.float32))).argmin())
        picked.append(best)
        total += rows[best]
    return np.array(picked)


def with_fewer_trees(mixes: Mixes, most: int) -> Mixes:
    """Return mixes of only the likeliest trees of each, at most so many a side, re-optimized.

    Where each secret has trees of its own, nothing changes.
    """
    if len(mixes[0].tree_weights) > 1 or max(len(mix.trees) for mix in mixes) <= most:
        return mixes
    fewer = []
    for mix in mixes:
        kept = np.sort(np.argsort(-mix.tree_weights[0], kind="stable")[:most]).tolist()
        weights = mix.tree_weights[0, kept]
        fewer.append(product_mix(mix.game, mix.secret_weights, [mix.trees[i] for i in kept], weights))
    return reweighed((fewer[0], fewer[1]))


def measured_race(strategies: RaceStrategies, line: Line) -> RaceStrategies:
    """Return strategies for the race with fewer trees, and all that is measured of them."""
    line("choosing trees")
    if len(strategies.first.tree_weights) > 1:
        first, second = thinned(strategies.first, TREES_A_SECRET), thinned(strategies.second, TREES_A_SECRET)
    else:
        first, second = with_fewer_trees((strategies.first, strategies.second), RACE_TREES)
    figures = figures_of(first, second, control=Control(on_report=line))
    return replace(strategies, first=first, second=second, recorded=figures)


def main() -> None:
    """Make the strategies that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["jotto-2", *CODE_GAMES, *STEPS])
    parser.add_argument("--races", nargs="*", default=list(RACE_STEPS), help="games whose blind race is solved")
    parser.add_argument("--measure", action="store_true", help="only measure the shipped races again")
    parser.add_argument("--runs", type=Path, default=Path("runs/strategies"))
    parser.add_argument("--seconds", type=float, help="seconds for each proof, instead of the usual")
    arguments = parser.parse_args()
    data = Path(str(importlib.resources.files("oracular.strategies.data")))
    with SolvingDisplay() as display:
        if arguments.measure:
            for name in arguments.races:
                measure_again(name, data, display)
            return
        for name in arguments.games:
            if name in BY_SYMMETRY:
                make_by_symmetry(name, data, display)
            elif name == "jotto-2" or name in CODE_GAMES:
                make_exact(name, arguments.runs, data, display)
            else:
                make_planned(
                    name,
                    arguments.runs,
                    data,
                    arguments.seconds or PROOF_SECONDS.get(name, FAMILIAR_PROOF_SECONDS),
                    display,
                )
        for name in arguments.races:
            make_race(name, arguments.runs, data, display)


if __name__ == "__main__":
    main()
