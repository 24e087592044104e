"""The blind race as a run: solved step by step in a folder like any other, then measured.

A race's folder is that of a run (`folder.py`) with the figures of the race in its history. When it ends, the strategies
and what was measured of them are written beside it, in the format of those that come with the package.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import OutOfTimeError, RunError, SettingsError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.responses.planned import Planner, suited_settings
from oracular.runs import drive
from oracular.runs.folder import Run, is_run
from oracular.runs.history import History, UnkeptHistory
from oracular.runs.layout import RACE_STRATEGIES
from oracular.runs.limits import Clock, Limits, Observer, seconds_of
from oracular.runs.writer import create, discard
from oracular.settings import PLANNER, RACE, check_chosen, check_settings
from oracular.solvers.race.measure import NO_PLANS, USUAL_PLANS, Plans, figures_of
from oracular.solvers.race.solver import RaceProblem, RaceSolver
from oracular.solvers.race.values import Opponent
from oracular.strategies.race import RaceMix
from oracular.strategies.race_file import RaceFigures, RaceStrategies, read_race, write_race
from oracular.system import files
from oracular.system.checking import checked
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed
from oracular.system.files import quoted

HISTORY_ROWS = 100
"""At most so many steps of a history are kept with strategies."""

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
    observer: Observer | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> RaceSolution:
    """Return strategies for the blind race, near equilibrium, with what was measured of them.

    Ctrl-C ends the solving in good order after the step that is being made; a second one interrupts at once. No tree is
    planned to measure what was interrupted: resuming it does that, or `load_race_run`.

    Args:
        game: the game, or its name.
        settings: settings of the solver by name (`oracular.settings`); a resumed run keeps its own.
        iterations: stop after this many steps; 1000 where no limit is given.
        epsilon: stop when what each side could gain with recent trees is this small.
        time_limit: stop solving after so many seconds; the measuring comes on top.
        out: a folder to keep the run in.
        resume: go on with the run that is in that folder.
        fresh: begin anew where that folder holds a run, which is removed.
        plans: for how many own secrets trees are planned to deviate with. For none, only the trees of the strategies
            are tried, and the strategies are not written to the folder.
        observer: callbacks for progress, and to stop it.
        tell: called with a few words on what is being measured.
    """
    began = time.monotonic()
    if not isinstance(settings, Mapping | None):
        raise SettingsError("the settings are to be a dictionary: give them so")
    game = game_of_name(game) if isinstance(game, str) else game
    check_chosen(RaceSolver.name, settings or {})
    limits = Limits.given(RaceSolver.name, iterations, epsilon, time_limit)
    drive.check_begun(out, resume, fresh)
    observer, chosen = observer or Observer(), dict(settings or {})
    working = race_solver(game, chosen)
    try:
        game.prepare(Clock(began, 0.0).deadline(limits.seconds), identity=out is not None)
    except DeadlinePassed:
        raise drive.out_of_time(limits, working.name, game.name) from None
    began += seconds_of(working.warm_up)
    if out is None:
        ended = drive.loop(working, limits, UnkeptHistory(), Clock(began, 0.0), None, observer)
        return _solution(working, ended, plans, tell)
    folder = Path(out)
    if not resume:
        create(folder, working.problem, working.name, working.settings, fresh)
    try:
        with drive.writing_by(folder, Clock(began, 0.0).deadline(limits.seconds)) as writer:
            run = writer.run
            run.check_settings(working.name, {})
            run.check_problem(working.problem)
            run.check_settings(working.name, chosen)
            if run.manifest["settings"] != working.settings:
                working = race_solver(game, run.manifest["settings"])
            if run.solver is not None:
                drive.restore_by(run, working, Clock(began, 0.0).deadline(limits.seconds))
            done = drive.reached_before(run, working, limits)
            if done is not None and files.is_file(folder / RACE_STRATEGIES):
                return replace(load_race_run(folder, plans=plans, tell=tell), stopped=done)
            ended = drive.loop(working, limits, run.history, Clock(began, run.seconds), writer, observer)
            solution = _solution(working, ended, plans, tell)
            if solution.figures.planned_secrets:
                write_race(folder / RACE_STRATEGIES, solution.strategies)
    except OutOfTimeError:
        if not resume and working.iteration < 0:
            discard(folder)  # nothing is in it
        raise
    return solution


def race_solver(game: Game, settings: Mapping[str, Any]) -> RaceSolver:
    """Return the solver of a game's blind race in its first state."""
    check_settings(RaceSolver.name, settings, len(game.secrets))
    of_planner, of_race = (
        {entry.name: settings[entry.name] for entry in declared if entry.name in settings}
        for declared in (PLANNER, RACE)
    )
    return RaceSolver(RaceProblem(Planner(game, **{**suited_settings(game), **of_planner})), **of_race)


def _solution(
    solver: RaceSolver,
    ended: tuple[str | None, float, History],
    plans: Plans,
    tell: Callable[[str], None],
) -> RaceSolution:
    """Return what a solver has come to, measured; who interrupted it does not wait for trees to be planned."""
    stopped, seconds, history = ended
    first, second = solver.outcome().mix
    strategies = RaceStrategies(
        game=solver.game,
        first=first,
        second=second,
        recorded=figures_of(first, second, plans=NO_PLANS if stopped == "interrupted" else plans, tell=tell),
        made_by=_made_by(solver.iteration + 1, solver.settings),
        history=some_records(history),
    )
    settings = {"solver": solver.name, **solver.settings}
    return RaceSolution(strategies, solver.iteration, stopped, seconds, history, settings)


def _made_by(steps: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the strategies of a run were made, as their file says it."""
    return {"solver": RaceSolver.name, "steps": steps, "settings": dict(settings)}


def some_steps(number: int) -> NDArray[np.int64]:
    """Return which of so many steps are kept with strategies: evenly spread on a logarithmic scale, counted from 0."""
    return np.unique(np.geomspace(1, number, HISTORY_ROWS).round().astype(np.int64)) - 1


def some_records(history: Sequence[dict[str, Any]]) -> list[list[float]]:
    """Return some rows of a history: step, first mover's chance, and both epsilons."""
    names = ("iteration", "first_mover_wins", "epsilon_first", "epsilon_second")
    return [[round(history[step][name], 6) for name in names] for step in some_steps(len(history))]


def is_race(folder: Path) -> bool:
    """Tell whether a folder holds a run of the blind race."""
    return is_run(folder) and Run.open(folder, with_history=False).manifest["solver"] == RaceSolver.name


@checked
def load_race_run(
    folder: str | Path, *, plans: Plans = USUAL_PLANS, tell: Callable[[str], None] = lambda _: None
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
    path = folder / RACE_STRATEGIES
    if files.is_file(path):
        strategies = read_race(path, game)
        planned = strategies.recorded.planned_secrets >= min(plans.secrets, len(game.secrets))
        if planned and strategies.made_by == _made_by(len(run.history), run.manifest["settings"]):
            check_chance(strategies)
            settings = {"solver": RaceSolver.name, **run.manifest["settings"]}
            return RaceSolution(strategies, len(run.history) - 1, run.stopped, run.seconds, run.history, settings)
    working = race_solver(game, run.manifest["settings"])
    run.restore(working)
    working.conclude()
    solution = _solution(working, (None, run.seconds, run.history), plans, tell)
    return replace(solution, stopped=run.stopped)


def check_chance(race: RaceStrategies) -> None:
    """Check that the first mover's chance is what the trees and weights give, exactly: else it is a `RunError`."""
    chance = float(Opponent.of(race.second, moves_first=False).chance_of(race.first))
    if abs(chance - race.recorded.first_mover_wins) > MOST_DIFFERENCE:
        raise _not_true(race, "first_mover_wins", chance, race.recorded.first_mover_wins)


def verify_race(
    race: RaceStrategies,
    *,
    plans: Plans = USUAL_PLANS,
    tell: Callable[[str], None] = lambda _: None,
    deadline: Deadline = NEVER,
) -> RaceFigures:
    """Return the figures of race strategies, all measured again from their trees and weights.

    If a recorded figure is another, that is a `RunError`; but a gain that was not recorded as exact may be smaller than
    one that is exact now.
    """
    recorded = vars(race.recorded)
    figures = figures_of(race.first, race.second, plans=plans, tell=tell, deadline=deadline)
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
