"""Work that is cut off by its deadline leaves no trace: made again, it gives the same bits as if it had not been."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from oracular import Game, OracularError, Tree, load_run, solve, solve_race
from oracular.solvers.double_oracle import DoubleOracle
from oracular.solvers.race.solver import RaceSolver
from oracular.solvers.regret_matching import RegretMatching, reweighted
from oracular.system.control import Deadline, DeadlinePassed

from forging import HISTORY, STRATEGIES, checkpoint_of

PLANNED = {"solver": "regret-matching", "settings": {"width": 32, "large_width": 32, "room": 1 << 17}}
RUNS = {
    "planner": ("jotto-3", 4, PLANNED),
    "planner-in-an-objective": ("jotto-3", 3, {**PLANNED, "objective": "within-5"}),
    "double-oracle": ("jotto-3", 3, {**PLANNED, "solver": "double-oracle"}),
    "exact": ("mastermind-3x4", 100, {"solver": "exact"}),
    "exact-in-an-objective": ("mastermind-3x3", 100, {"solver": "exact", "objective": "within-3"}),
    "greedy": ("jotto-3", 60, {}),
}


@pytest.mark.parametrize("name", RUNS)
def test_wherever_the_clock_cuts_a_run_off_it_ends_on_the_same_bits(name: str, tmp_path: Path) -> None:
    game, iterations, asked = RUNS[name]
    whole = solve(game, iterations=iterations, out=tmp_path / "whole", **asked)
    for attempt in itertools.count():
        begun = (tmp_path / "cut").exists()
        try:
            limits = {"iterations": iterations, "time_limit": 0.01 * 1.5**attempt}
            cut = solve(game, out=tmp_path / "cut", resume=begun, **limits, **asked)
        except OracularError:  # there was no time for the first step
            continue
        if cut.stopped != "time":
            break
    assert (tmp_path / "cut" / HISTORY).read_bytes() == (tmp_path / "whole" / HISTORY).read_bytes()
    arrays, others = (arrays_of(tmp_path / folder) for folder in ("cut", "whole"))
    assert arrays.keys() == others.keys()
    assert all(np.array_equal(array, others[name]) for name, array in arrays.items())
    assert checkpoint_of(tmp_path / "cut")["solver"] == checkpoint_of(tmp_path / "whole")["solver"]
    assert cut.guarantee == whole.guarantee and np.array_equal(cut.hider.weights, whole.hider.weights)


@pytest.mark.parametrize("solver", [RegretMatching, DoubleOracle])
def test_a_run_with_no_time_left_to_conclude_is_finished_when_it_is_resumed(solver, tmp_path, monkeypatch):
    asked = {"solver": solver.name, "iterations": 5}
    whole = solve("jotto-2", out=tmp_path / "whole", **asked)
    conclude = solver.conclude
    with monkeypatch.context() as patched:
        patched.setattr(solver, "conclude", lambda self, deadline: conclude(self, Deadline.after(0)))
        for resume in (False, True):
            cut = solve("jotto-2", out=tmp_path / "cut", resume=resume, **asked)
            assert cut.stopped == load_run(tmp_path / "cut").stopped == "time"
            assert cut.iterations == whole.iterations and cut.guarantee >= whole.guarantee
    resumed = solve("jotto-2", out=tmp_path / "cut", resume=True, **asked)
    assert resumed.stopped == whole.stopped == "iterations"
    assert resumed.guarantee == whole.guarantee
    assert checkpoint_of(tmp_path / "cut")["solver"] == checkpoint_of(tmp_path / "whole")["solver"]


def test_a_race_with_no_time_left_to_conclude_is_finished_when_it_is_resumed(tmp_path, monkeypatch):
    asked = {"iterations": 5, "settings": {"groups": 1, "room": 1 << 12, "width": 4}}
    whole = solve_race("mastermind-2x3", out=tmp_path / "whole", **asked)
    conclude = RaceSolver.conclude
    with monkeypatch.context() as patched:
        patched.setattr(RaceSolver, "conclude", lambda self, deadline=None: conclude(self, Deadline.after(0)))
        cut = solve_race("mastermind-2x3", out=tmp_path / "cut", **asked)
    assert cut.stopped == "time" and not (tmp_path / "cut" / STRATEGIES).exists()
    resumed = solve_race("mastermind-2x3", out=tmp_path / "cut", resume=True, **asked)
    assert resumed.stopped == whole.stopped == "iterations"
    assert resumed.figures == whole.figures
    assert (tmp_path / "cut" / STRATEGIES).read_bytes() == (tmp_path / "whole" / STRATEGIES).read_bytes()


def arrays_of(folder: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a run, none if its solver has none."""
    found: dict[str, np.ndarray] = {}
    for name in checkpoint_of(folder)["files"]:
        if name.endswith(".npz"):
            with np.load(folder / name) as kept:
                found |= dict(kept)
    return found


@dataclass(frozen=True, eq=False)
class Ring:
    """A guess is answered `found`, `next` by its one neighbour, and `elsewhere` by all others."""

    size: int

    def answers(self, guesses, secrets):
        apart = (np.asarray(secrets)[None, :] - np.asarray(guesses)[:, None]) % self.size
        return np.where(apart == 0, 2, np.where(apart == 1, 1, 0)).astype(np.uint8)


@pytest.mark.parametrize("objective", ["mean", "within-3"])
@pytest.mark.parametrize("size", [1, 3, 5, 40, pytest.param(600, marks=pytest.mark.slow)])
def test_the_least_room_holds_a_tree_and_a_full_graph_goes_on_after_a_break(size, objective, tmp_path) -> None:
    names = tuple(f"{number:05d}" for number in range(size))
    game = Game("ring", names, names, ("elsewhere", "next", "found"), 2, Ring(size))
    asked = {"solver": "regret-matching", "objective": objective, "settings": {"room": 3 * size, "small": 51}}
    whole = solve(game, iterations=4, out=tmp_path / "whole", **asked)
    for steps in (1, 3, 4):
        solve(game, iterations=steps, out=tmp_path / "cut", resume=steps > 1, **asked)
    assert (tmp_path / "cut" / HISTORY).read_bytes() == (tmp_path / "whole" / HISTORY).read_bytes()
    for tree in whole.guesser.oracles:
        assert np.array_equal(Tree(game, tree.guesses).depths(), tree.depths())


def test_self_play_that_is_cut_off_gives_a_mixture_or_says_that_there_was_no_time():
    depths = np.random.default_rng(2).integers(1, 9, (300, 2000)).astype(np.int16)
    with pytest.raises(DeadlinePassed):
        reweighted(depths, deadline=Deadline.after(0))
    for attempt in itertools.count():
        try:
            mixture = reweighted(depths, iterations=10**9, deadline=Deadline.after(0.01 * 1.6**attempt))
            break
        except DeadlinePassed:
            continue
    assert mixture.weights.sum() > 0 and mixture.prices.sum() == pytest.approx(1)
    assert mixture.guarantee < int(depths.max())
