"""Many runs at once: every game with every solver and every choice of its settings, and a row of figures for each.

A setting is tried with the solvers that have it, and left out for the others, so no run is planned twice. Everything is
checked before anything is written, so that bad input is refused before the first run begins.

The runs are made one after another or on a cluster. There a run is worked on in sittings: a worker is sent the files of
its folder, goes on from the last checkpoint for a while in a folder of its own, and sends the files back. So no disk
has to be shared, a worker that dies costs one sitting, and whatever happens, the folders here can be resumed.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from oracular.errors import ClusterLostError, RunError, SettingsError
from oracular.games.game import Game
from oracular.objectives import Objective, mean
from oracular.objectives import objective as objective_of
from oracular.runs.drive import LEAST_SECONDS, Limits, Progress, finished_run, solve
from oracular.runs.folder import Run, create, files_of, is_run, write_files, writing
from oracular.runs.format import CERTIFICATE
from oracular.runs.solution import DEFAULTS, SOLVERS, Resources, Solution, load_run, make_solver
from oracular.runs.verify import verify_bound, verify_guarantee
from oracular.settings import SETTINGS
from oracular.solvers.solver import Solver
from oracular.system.control import NEVER, Control, Deadline, ignored, interrupts, never
from oracular.system.files import in_the_way, parse_json, quoted

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.cluster.worker import Place

FIRST_SITTING = 5.0
LONGEST_SITTING = 60.0
"""Sittings grow from the first to the longest, in seconds: short runs are back soon, long ones are seldom sent."""

RECHECK_SECONDS = 5.0
"""How long equal bounds may take to be worked out again, so that they are called proved."""

SECONDS_TO_COME_BACK = 30.0
"""How long the workers may take to send interrupted runs back."""

FILE_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[a-z]+)?")
"""A file name that cannot lead to another folder; `runs/format.py` knows which of these a run's files have."""


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
    objective: Objective = field(default_factory=mean)

    def new_solver(self) -> Solver:
        """Return the solver of the run in its initial state."""
        settings = {**DEFAULTS.get(self.solver, {}), **self.settings}
        return make_solver(self.solver, self.game, settings, Resources(threads=1), objective=self.objective)

    def kept(self) -> Run | None:
        """Return the run as it is on disk, or None if it is not begun; anything else in its place is an error."""
        if is_run(self.folder):
            run = Run.open(self.folder)
            run.check_game(self.game)
            run.check_settings(self.solver, dict(self.settings))
            run.check_objective(self.objective, self.game)
            return run
        if in_the_way(self.folder):
            raise RunError(f"{quoted(self.folder)} is in the way (it is no run of ours): choose another folder")
        return None

    def finished(self) -> Solution | None:
        """Return the solution if the run on disk has reached its limits, or None."""
        run = self.kept()
        return None if run is None else finished_run(run, self.game, self.limits)

    @property
    def order(self) -> dict[str, Any]:
        """The rest of the run: arguments of `solve`, plain enough to be sent to a worker."""
        seconds = self.limits.seconds
        if seconds is not None and (run := self.kept()) is not None:
            seconds = max(seconds - run.seconds, LEAST_SECONDS)
        return {
            "solver": self.solver,
            "settings": dict(self.settings),
            "objective": self.objective,
            "iterations": self.limits.iterations,
            "epsilon": self.limits.epsilon,
            "time_limit": seconds,
        }


def plan(
    games: Sequence[Game],
    solvers: Sequence[str],
    settings: Mapping[str, Sequence[Any]],
    out: Path,
    *,
    iterations: int | None = None,
    epsilon: float | None = None,
    time_limit: float | None = None,
    objective: str | Path | Objective = "mean",
) -> list[PlannedRun]:
    """Return the runs of a sweep in order, each checked, with nothing written yet.

    A run without a limit stops after 1000 iterations. All are for one objective.
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
        raise RunError(f"{quoted(out)} is a file: choose another folder")
    planned: dict[Path, PlannedRun] = {}
    for game, solver in itertools.product(games, solvers):
        limits = Limits.given(solver, iterations, epsilon, time_limit)
        tried = {name: settings[name] for name in settings if name in theirs[solver]}
        for values in itertools.product(*tried.values()):
            chosen = dict(zip(tried, values, strict=True))
            run = PlannedRun(game, solver, chosen, limits, out, objective_of(objective, game))
            run.new_solver()  # refuses bad settings, which may be too long even for a name
            solved_for = [] if run.objective.is_mean else [run.objective.short_name]
            name = "-".join([game.name, solver, *solved_for, *(f"{key}={value}" for key, value in chosen.items())])
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


SweepProgress: TypeAlias = Callable[[PlannedRun, Progress | str | dict[str, Any]], None]
"""Called with a run and what is reported of it: a step, a few words, or its row of figures once it is finished."""


def sweep(
    runs: Sequence[PlannedRun],
    *,
    cluster: Cluster | None = None,
    threads: int | None = None,
    progress: SweepProgress = lambda run, at: None,
) -> list[dict[str, Any]] | None:
    """Return a row of figures for every run, making those that are not finished; None if the user interrupts.

    Runs that are made here use that many threads; on a cluster each has a worker.
    """
    rows: dict[Path, dict[str, Any]] = {}
    for run in runs:
        solution = run.finished()
        if solution is not None:
            rows[run.folder] = _finish(run, solution, progress)
    pending = [run for run in runs if run.folder not in rows]
    made = _one_by_one(pending, threads, progress) if cluster is None else _spread(pending, cluster, progress)
    if made is None:
        return None
    return [(rows | made)[run.folder] for run in runs]


def _one_by_one(
    pending: Sequence[PlannedRun], threads: int | None, progress: SweepProgress
) -> dict[Path, dict[str, Any]] | None:
    """Return the rows of the runs, made here one after another, or None if the user interrupts."""
    rows = {}
    for run in pending:
        progress(run, "loading compiled code (the first time: compiling it)")
        solution = _solved_in(run.folder, run.game, run.order, threads, progress=partial(progress, run))
        if solution.stopped == "interrupted":
            return None
        rows[run.folder] = _finish(run, solution, progress)
    return rows


def _spread(
    pending: Sequence[PlannedRun], cluster: Cluster, progress: SweepProgress
) -> dict[Path, dict[str, Any]] | None:
    """Return the rows of the runs, made on the workers of a cluster, or None if the user interrupts."""
    from oracular.cluster.connection import Jobs

    def checked(run: PlannedRun, answer: Any) -> dict[str, bytes] | None:
        """Return the files that a worker sent back, or raise an error if they are not files of a run.

        No name leads out of the run's folder.
        """
        if answer is not None and not (
            isinstance(answer, dict)
            and all(type(name) is str and FILE_NAME.fullmatch(name) for name in answer)
            and all(type(data) is bytes for data in answer.values())
        ):
            raise cluster.false_answer("it sends back no files of a run")
        return answer

    def take(run: PlannedRun, files: dict[str, bytes] | None) -> None:
        """Write the files of a run, once a solver has accepted the state in them, but for its certificate."""
        if files is not None:
            sent = {name: data for name, data in files.items() if name != CERTIFICATE}
            writers[run.folder].receive(sent, lambda kept: kept.restore(run.new_solver()))

    for run in pending:  # workers that have other words are refused before anything is written
        cluster.announce(run.game)
    rows: dict[Path, dict[str, Any]] = {}
    jobs: Jobs[PlannedRun, dict[str, bytes] | None] = Jobs(cluster, checked)
    with ExitStack() as locks, interrupts() as interrupted, jobs:
        writers = {run.folder: locks.enter_context(writing(_begun(run))) for run in pending}
        seconds = dict.fromkeys(writers, FIRST_SITTING)
        # the largest games first, so that no long run begins when the others are finished
        queue = deque(sorted(pending, key=lambda run: -len(run.game.secrets)))
        while queue or len(jobs):
            if interrupted():
                cluster.withdraw()
                with suppress(ClusterLostError):  # the folders can be resumed as they are
                    while len(jobs) and (ready := jobs.next(SECONDS_TO_COME_BACK)) is not None:
                        take(*ready)
                return None
            while queue and len(jobs) < cluster.workers:
                run = queue.popleft()
                progress(run, "on a worker")
                jobs.send(run, run.game, sitting, run.order, seconds[run.folder], files_of(run.folder))
            ready = jobs.next(0.2)
            if ready is None:
                continue
            run = ready[0]
            take(*ready)
            kept = Run.open(run.folder)
            solution = _finished_there(run, kept)
            if kept.stopped not in (None, "interrupted") and solution is None:
                raise cluster.false_answer("it says that a run is done which is not")
            if solution is None:
                progress(run, f"t {kept.history[-1]['iteration']}" if kept.history else "begun")
                seconds[run.folder] = min(2 * seconds[run.folder], LONGEST_SITTING)
                queue.append(run)
                continue
            if solution.certificate is not None:  # written here, from the state that was accepted
                from oracular.solvers.exact.certificate import write_certificate

                write_certificate(run.folder / CERTIFICATE, run.game, solution.certificate)
            rows[run.folder] = _finish(run, solution, progress)
    return rows


def _finished_there(run: PlannedRun, kept: Run) -> Solution | None:
    """Return the solution of a run that its worker calls finished, or None if it is not.

    A limit of time is believed. Whether another limit is reached, the run itself shows.
    """
    if kept.stopped in (None, "interrupted"):
        return None
    if kept.stopped == "time" and run.limits.seconds is not None:
        return load_run(run.folder, run.game)
    return run.finished()


def _solved_in(
    folder: Path,
    game: Game,
    order: Mapping[str, Any],
    threads: int | None,
    stop: Callable[[], bool] = never,
    progress: Callable[[Progress], None] = ignored,
) -> Solution:
    """Return the solution of a run, made in a folder or resumed there."""
    resources, resume = Resources(threads=threads), is_run(folder)
    return solve(game, **order, out=folder, resume=resume, resources=resources, stop=stop, progress=progress)


def sitting(place: Place, order: Mapping[str, Any], seconds: float, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a run after it was continued for some seconds from these files; runs on a worker."""
    end = NEVER

    def stop() -> bool:
        """Return whether the time is over, which begins with the first step, or the runs are called back."""
        nonlocal end
        over = end.passed
        end = Deadline.after(seconds) if end == NEVER else end  # no limit of the run, so no step is cut short
        return over or place.stopped()

    with tempfile.TemporaryDirectory(prefix="oracular-") as scratch:
        folder = Path(scratch) / "run"
        write_files(folder, files)
        _solved_in(folder, place.game, order, 1, stop)
        return files_of(folder)


def _begun(run: PlannedRun) -> Path:
    """Return the folder of a run, which is created if it does not exist."""
    if not is_run(run.folder):
        solver = run.new_solver()
        create(run.folder, solver.problem, solver.name, solver.settings)
    return run.folder


def _proved(solution: Solution) -> bool:
    """Return whether the bounds of a run are equal and both were worked out again here."""
    if not solution.closed:
        return False
    control: Control[str] = Control(Deadline.after(RECHECK_SECONDS))
    guarantee, bound = verify_guarantee(solution, control), verify_bound(solution, control)
    return guarantee.proved and bound is not None and bound.proved


def _finish(run: PlannedRun, solution: Solution, progress: SweepProgress) -> dict[str, Any]:
    """Return the row of a finished run, which is reported."""
    row = {
        "game": run.game.name,
        "secrets": len(run.game.secrets),
        "solver": run.solver,
        "settings": dict(run.settings),
        "objective": solution.objective.name,
        "iterations": solution.iterations,
        "best_iteration": solution.best_iteration,
        "epsilon": solution.epsilon,
        **vars(solution.standing),
        "guarantee": float(solution.guarantee),
        "lower": None if solution.lower is None else str(solution.lower),
        "upper": None if solution.upper is None else str(solution.upper),
        "proved": _proved(solution),
        "seconds": solution.seconds,
        "out": str(run.folder),
    }
    progress(run, row)
    return row
