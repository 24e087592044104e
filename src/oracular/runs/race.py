"""The blind race as a run: solved step by step in a folder like any other, then measured.

A race's folder is that of a run (`folder.py`) with the figures of the race in its history. When it ends, the strategies
and what was measured of them are written beside it, in the format of those that come with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import RunError
from oracular.games.game import Game
from oracular.runs.drive import Ended, Limits, Progress, driven
from oracular.runs.folder import Run, is_run
from oracular.runs.format import STRATEGIES
from oracular.runs.solution import make_solver
from oracular.solvers.race.measure import NO_PLANS, USUAL_PLANS, Plans, figures_of
from oracular.solvers.race.solver import RaceSolver
from oracular.solvers.race.values import RaceOpponent
from oracular.solvers.solver import Solver
from oracular.strategies.race import RaceFigures, RaceMix, RaceStrategies, read_race, write_race
from oracular.system import files
from oracular.system.checking import checked
from oracular.system.control import UNLIMITED, Control, ignored, never
from oracular.system.files import quoted

HISTORY_ROWS = 100
"""At most this many steps of a history are kept with strategies."""

MOST_DIFFERENCE = 1e-9
"""Figures that are measured again differ from the recorded ones by no more than this."""


@checked
@dataclass(frozen=True, eq=False)
class RaceSolution:
    """The blind race of a game, solved: strategies, what was measured of them, and where they come from.

    Attributes:
        strategies: a mix over pairs of a secret and a tree for each player.
        iterations: how many steps were made after the first.
        stopped: why it stopped: `iterations`, `epsilon`, `time`, `interrupted`; None for a run that was cut off.
        seconds: how long solving took, in all; measuring is not counted.
        history: a record for every step: the first mover's chance, and what each side could gain with recent trees.
        settings: the solver and its settings.
    """

    strategies: RaceStrategies
    iterations: int
    stopped: str | None
    seconds: float
    history: Sequence[dict[str, Any]]
    settings: dict[str, Any]

    @property
    def game(self) -> Game:
        """The game that both players play."""
        return self.strategies.game

    @property
    def first(self) -> RaceMix:
        """What player 1 plays, who moves first."""
        return self.strategies.first

    @property
    def second(self) -> RaceMix:
        """What player 2 plays."""
        return self.strategies.second

    @property
    def figures(self) -> RaceFigures:
        """What was measured."""
        return self.strategies.recorded


@checked
def solve_race(
    game: Game | str,
    *,
    settings: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    epsilon: float | None = None,
    time_limit: float | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    fresh: bool = False,
    plans: Plans = USUAL_PLANS,
    stop: Callable[[], bool] = never,
    progress: Callable[[Progress | str], None] = ignored,
) -> RaceSolution:
    """Return strategies for the blind race, near equilibrium, with what was measured of them.

    Ctrl-C ends the solving cleanly after the step that is being made; a second one interrupts at once. No tree is
    planned to measure what was interrupted: resuming it does that, or `load_race_run`.

    Args:
        game: the game, or its name.
        settings: settings of the solver by name (`oracular.settings`); a resumed run keeps its own.
        iterations: stop after this many steps; 1000 where no limit is given.
        epsilon: stop when what each side could gain with recent trees is this small.
        time_limit: stop solving after this many seconds; the measuring comes on top.
        out: a folder to keep the run in.
        resume: go on with the run that is in that folder.
        fresh: start over if that folder holds a run, which is removed.
        plans: for how many own secrets trees are planned to deviate with. For none, only the trees of the strategies
            are tried, and the strategies are not written to the folder.
        stop: called after every step; once it returns True, the solving ends as after Ctrl-C.
        progress: called at most ten times a second: after a step with what it came to, later with a few words on what
            is being measured.
    """
    control = Control(cancelled=stop, on_report=progress)

    def result(solver: Solver, ended: Ended, folder: Path | None) -> RaceSolution:
        assert isinstance(solver, RaceSolver)
        wanted = NO_PLANS if ended.stopped == "interrupted" else plans
        solution = _kept(solver.game, solver.settings, ended, folder, wanted)
        if solution is None:
            solution = _measured(solver, ended, wanted, Control(on_report=progress))
            if folder is not None and solution.figures.planned_secrets and solver.is_concluded:
                write_race(folder / STRATEGIES, solution.strategies)
        return solution

    limits = Limits.given(RaceSolver.name, iterations, epsilon, time_limit)
    return driven(
        game,
        RaceSolver.name,
        result,
        limits=limits,
        settings=settings,
        out=out,
        resume=resume,
        fresh=fresh,
        control=control,
    )


def _kept(
    game: Game, settings: Mapping[str, Any], ended: Ended, folder: Path | None, plans: Plans
) -> RaceSolution | None:
    """Return the race with the strategies in a run's folder; None if they are of another state, or measured less."""
    if folder is None or not files.is_file(folder / STRATEGIES):
        return None
    race = read_race(folder / STRATEGIES, game)
    if race.made_by != _made_by(ended, settings):
        return None
    if race.recorded.planned_secrets < min(plans.secrets, len(game.secrets)):
        return None
    check_chance(race)
    return _solution(race, ended, settings)


def _measured(solver: RaceSolver, ended: Ended, plans: Plans, control: Control[str]) -> RaceSolution:
    """Return what a solver has come to, measured."""
    if solver.concluded is None:
        solver.conclude()
    first, second = solver.outcome().mix
    race = RaceStrategies(
        game=solver.game,
        first=first,
        second=second,
        recorded=figures_of(first, second, plans=plans, control=control),
        made_by=_made_by(ended, solver.settings),
        history=some_records(ended.history),
    )
    return _solution(race, ended, solver.settings)


def _solution(race: RaceStrategies, ended: Ended, settings: Mapping[str, Any]) -> RaceSolution:
    """Return the solution with these strategies."""
    steps = len(ended.history)
    return RaceSolution(
        race, steps - 1, ended.stopped, ended.seconds, ended.history, {"solver": RaceSolver.name, **settings}
    )


def _made_by(ended: Ended, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the strategies of a run were made, as their file says it."""
    return {"solver": RaceSolver.name, "steps": len(ended.history), "settings": dict(settings)}


def some_steps(number: int) -> NDArray[np.int64]:
    """Return which of the steps are kept with strategies: evenly spread on a logarithmic scale, counted from 0."""
    return np.unique(np.geomspace(1, number, HISTORY_ROWS).round().astype(np.int64)) - 1


def some_records(history: Sequence[dict[str, Any]]) -> list[list[float]]:
    """Return some rows of a history: step, first mover's chance, and both epsilons."""
    names = ("iteration", "first_mover_wins", "epsilon_first", "epsilon_second")
    return [[round(history[step][name], 6) for name in names] for step in some_steps(len(history))]


def is_race(folder: Path) -> bool:
    """Return whether a folder holds a run of the blind race."""
    return is_run(folder) and Run.open(folder, with_history=False).manifest["solver"] == RaceSolver.name


@checked
def load_race_run(
    folder: str | Path, *, plans: Plans = USUAL_PLANS, progress: Callable[[str], None] = ignored
) -> RaceSolution:
    """Return the race that a run's folder holds, as of its last checkpoint.

    Where no strategies were written for that checkpoint yet, or fewer trees were planned to measure them than `plans`
    says, they are made from it and measured. Otherwise the epsilons are those of the file: `verify_race` measures them.
    """
    folder = Path(folder)
    run = Run.open(folder, "race")
    if run.manifest["solver"] != RaceSolver.name:
        raise RunError(f"{quoted(folder)} is a run of {quoted(run.manifest['solver'])}, not of the blind race")
    if run.solver is None:
        raise RunError(f"the run in {quoted(folder)} has no checkpoint yet: wait for one, or resume it")
    game = run.game()
    run.check_game(game)
    settings, ended = run.manifest["settings"], Ended(run.stopped, run.seconds, run.history)
    solution = _kept(game, settings, ended, folder, plans)
    if solution is None:
        solver = make_solver(RaceSolver.name, game, settings)
        assert isinstance(solver, RaceSolver)
        run.restore(solver)
        solution = _measured(solver, ended, plans, Control(on_report=progress))
    return solution


def check_chance(race: RaceStrategies) -> None:
    """Check that the first mover's chance is what the trees and weights give, exactly: else it is a `RunError`."""
    chance = float(RaceOpponent.of(race.second, moves_first=False).chance_of(race.first))
    if abs(chance - race.recorded.first_mover_wins) > MOST_DIFFERENCE:
        raise _not_true(race, "first_mover_wins", chance, race.recorded.first_mover_wins)


def verify_race(
    race: RaceStrategies,
    *,
    plans: Plans = USUAL_PLANS,
    control: Control[str] = UNLIMITED,
) -> RaceFigures:
    """Return the figures of race strategies, all measured again from their trees and weights.

    If a recorded figure is another, that is a `RunError`; but a gain that was not recorded as exact may be smaller than
    one that is exact now.
    """
    recorded = vars(race.recorded)
    figures = figures_of(race.first, race.second, plans=plans, control=control)
    found_more = figures.exact and not race.recorded.exact
    for name, figure in vars(figures).items():
        before = recorded[name]
        if found_more and (name == "exact" or ("epsilon" in name and (before or 0) < (figure or 0))):
            continue
        if (figure is None) != (before is None) or (figure is not None and abs(figure - before) > MOST_DIFFERENCE):
            raise _not_true(race, name, figure, before)
    return figures


def _not_true(race: RaceStrategies, name: str, figure: float | None, before: float | None) -> RunError:
    """Return the error for a recorded figure that is another."""
    return RunError(
        f"the strategies for the blind race of {race.game.name} have {name} {figure}, not {quoted(before)} as their "
        "file says: get it again, or measure as many deviations as it did"
    )
