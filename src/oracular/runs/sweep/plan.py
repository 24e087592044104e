"""The runs of a sweep: every game with every solver and every choice of its settings.

A setting is tried with the solvers that have it, and left out for the others, so no run is planned twice. Everything is
checked before anything is written, so that bad input is refused before the first run begins.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracular.errors import RunError, SettingsError
from oracular.games.game import Game
from oracular.runs.drive import LEAST_SECONDS, finished_run
from oracular.runs.folder import Run, is_run
from oracular.runs.limits import Limits
from oracular.runs.make_solver import DEFAULTS, SOLVERS, Resources, make_solver
from oracular.runs.solution import Solution
from oracular.settings import SETTINGS
from oracular.solvers.solver import Solver
from oracular.system.files import in_the_way, parse_json, quoted


@dataclass(frozen=True, eq=False)
class PlannedRun:
    """One run of a sweep.

    Attributes:
        settings: the settings that are tried, by name; the others have their defaults.
        limits: when to stop; a limit of time counts over all sittings.
    """

    game: Game
    solver: str
    settings: Mapping[str, Any]
    limits: Limits
    folder: Path

    @property
    def title(self) -> str:
        """The name of the run in a table."""
        return self.folder.name

    def new_solver(self) -> Solver:
        """Return the solver of the run in its initial state."""
        settings = {**DEFAULTS.get(self.solver, {}), **self.settings}
        return make_solver(self.solver, self.game, settings, Resources(threads=1))

    def kept(self) -> Run | None:
        """Return the run as it is on disk, or None if it is not begun; anything else in its place is an error."""
        if is_run(self.folder):
            run = Run.open(self.folder)
            run.check_game(self.game)
            run.check_settings(self.solver, dict(self.settings))
            return run
        if in_the_way(self.folder):
            raise RunError(f"{quoted(self.folder)} is in the way (it is no run of ours): choose another --out")
        return None

    def finished(self) -> Solution | None:
        """Return the solution if the run on disk has reached its limits, or None."""
        run = self.kept()
        return None if run is None else finished_run(run, self.game, self.limits)

    def seconds_left(self, run: Run | None) -> float | None:
        """Return how many seconds it may still work, or None if its time is not limited."""
        if self.limits.seconds is None:
            return None
        return max(self.limits.seconds - (0.0 if run is None else run.seconds), LEAST_SECONDS)


def plan(
    games: Sequence[Game],
    solvers: Sequence[str],
    settings: Mapping[str, Sequence[Any]],
    out: Path,
    *,
    iterations: int | None = None,
    epsilon: float | None = None,
    time_limit: float | None = None,
) -> list[PlannedRun]:
    """Return the runs of a sweep in order, each checked, with nothing written yet.

    A run without a limit stops after 1000 iterations.
    """
    for solver in solvers:
        if solver not in SOLVERS:
            raise SettingsError(f"{quoted(solver)} is not a solver: choose one of {', '.join(SOLVERS)}")
    theirs = {solver: [setting.name for setting in SETTINGS[solver] if not setting.recorded_only] for solver in solvers}
    for name in settings:
        if not any(name in names for names in theirs.values()):
            known = sorted(set(itertools.chain.from_iterable(theirs.values())))
            choice = f"choose among {', '.join(known)}" if known else "leave it out"
            raise SettingsError(f"no solver of this sweep has a setting {quoted(name)}: {choice}")
    if out.exists() and not out.is_dir():
        raise RunError(f"{quoted(out)} is a file: choose another --out")
    planned: dict[Path, PlannedRun] = {}
    for game, solver in itertools.product(games, solvers):
        limits = Limits.given(solver, iterations, epsilon, time_limit)
        tried = {name: settings[name] for name in settings if name in theirs[solver]}
        for values in itertools.product(*tried.values()):
            chosen = dict(zip(tried, values, strict=True))
            run = PlannedRun(game, solver, chosen, limits, out)
            run.new_solver()  # refuses bad settings, which may be too long even for a name
            name = "-".join([game.name, solver, *(f"{key}={value}" for key, value in chosen.items())])
            planned[out / name] = replace(run, folder=out / name)
    for run in planned.values():
        run.kept()
    return list(planned.values())


def parse_settings(written: Iterable[str]) -> dict[str, list[Any]]:
    """Return the settings written as `name=value,value`; a name that is given again adds values."""
    settings: dict[str, list[Any]] = {}
    for text in written:
        name, equals, values = text.partition("=")
        parts = [part.strip() for part in values.split(",")]
        if not (name.strip() and equals and all(parts)):
            raise SettingsError(f"{quoted(text)} is not a setting: write it like ties=first,possible")
        known = settings.setdefault(name.strip(), [])
        known += [value for part in parts if (value := _value(part)) not in known]
    return settings


def _value(text: str) -> Any:
    """Return the number that a text stands for, or the text itself."""
    try:
        return parse_json(text)
    except ValueError:
        return text
