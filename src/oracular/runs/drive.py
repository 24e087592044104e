"""The loop that drives a solver: limits, progress, saving, and an orderly stop at Ctrl-C.

A solver only knows how to make steps. Whatever it is, it gets from here what a user expects of long work.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from oracular.errors import ClusterError, OutOfTimeError, RunError, SettingsError
from oracular.evaluation import AnyStanding, standing_of_solver
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.objectives import Objective, mean
from oracular.objectives import objective as objective_of
from oracular.problem import FullProblem, Problem
from oracular.runs.folder import Run, RunWriter, create, discard, writing
from oracular.runs.format import CERTIFICATE, History
from oracular.runs.solution import (
    DEFAULTS,
    OWN_PAYOFFS,
    Resources,
    Solution,
    check_solver,
    make_solver,
    needs_for,
    restore_by,
    restored,
    unread_in_time,
)
from oracular.settings import check_chosen
from oracular.solvers.fictitious_play import FictitiousPlay
from oracular.solvers.solver import Solver
from oracular.system.checking import checked
from oracular.system.control import (
    NEVER,
    UNLIMITED,
    Control,
    Deadline,
    DeadlinePassed,
    check_seconds,
    ignored,
    interrupts,
    is_finite,
    never,
    seconds_of,
)
from oracular.system.files import cut

SECONDS_BETWEEN_CHECKPOINTS = 1.0
SECONDS_BETWEEN_ARRAYS = 60.0
"""Where a solver has arrays to keep, a checkpoint takes longer and comes less often."""
LEAST_SECONDS = 1e-3
"""With less time left than this a run is done."""


DEFAULT_ITERATIONS = 1000

SECONDS_AT_ONCE = 0.02
"""About how long steps made in one go may take: Ctrl-C and reports wait that long."""

ENDING = ("exact",)
"""The solvers that end by themselves."""


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first of those that are given.

    Attributes:
        iterations: the last iteration to make; iteration 0, the start, comes on top.
        epsilon: an epsilon that is small enough, in the objective.
        seconds: how long this call may work.
    """

    iterations: int | None = None
    epsilon: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None and (type(self.iterations) is not int or self.iterations < 1):
            raise SettingsError(f"{cut(self.iterations)} iterations asked for: give 1 or more, a whole number")
        if self.epsilon is not None and not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise SettingsError(f"an epsilon of {cut(self.epsilon)} asked for: give a number of 0 or more")
        check_seconds(self.seconds)

    @classmethod
    def given(cls, solver: str, iterations: int | None, epsilon: float | None, seconds: float | None) -> Limits:
        """Return the limits, with 1000 iterations where none is given and the solver does not end by itself."""
        if iterations is epsilon is seconds is None and solver not in ENDING:
            iterations = DEFAULT_ITERATIONS
        return cls(iterations, epsilon, seconds)

    def reached(self, solver: Solver, left: float) -> str | None:
        """Return which limit a solver has reached, if any, with that many seconds left.

        The solver reports how it stands; this method alone decides whether a limit is reached.
        """
        if solver.iteration < 0:
            return None
        if solver.finished:
            return "finished"
        if self.iterations is not None and solver.iteration >= self.iterations:
            return "iterations"
        if self.epsilon is not None and solver.stands.epsilon <= self.small_enough(solver.problem.objective):
            return "epsilon"
        if self.seconds is not None and left <= solver.seconds_to_conclude:
            return "time"
        return None

    def ended(self, solver: Solver, left: float) -> str | None:
        """Return which limit a saved run has reached, if any, with nothing left to conclude or no time for it."""
        reached = self.reached(solver, left)
        if reached is None or solver.is_concluded:
            return reached
        return "time" if self.seconds is not None and left <= 0 else None

    def small_enough(self, objective: Objective) -> float:
        """Return the epsilon to stop at, as solvers measure it for an objective; `-inf` without one."""
        return -math.inf if self.epsilon is None else self.epsilon * objective.unit

    def deadline(self, began: float) -> Deadline:
        """Return when a call must end that began at this moment of the monotonic clock; compiling is added to it."""
        return NEVER if self.seconds is None else Deadline(began + self.seconds)

    def steps_left(self, solver: Solver) -> float:
        """Return how many steps a solver has yet to make; infinite where that is not limited."""
        return math.inf if self.iterations is None else self.iterations - solver.iteration


@dataclass(frozen=True)
class Progress:
    """What is reported of a run after a step.

    Attributes:
        iteration: the iteration just made.
        limits: when the run will stop.
        seconds: how long this call has worked.
        first_iteration: the first iteration that this call made.
        now: how the strategies of this iteration stand, in the objective.
        best: how the best strategies so far stand, likewise.
        objective: what is solved for.
    """

    iteration: int
    limits: Limits
    seconds: float
    first_iteration: int
    now: AnyStanding
    best: AnyStanding
    objective: Objective = field(default_factory=mean)


@checked
def solve(
    problem: Game | Problem | str,
    *,
    solver: str = FictitiousPlay.name,
    objective: str | Path | Objective | None = None,
    settings: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    epsilon: float | None = None,
    time_limit: float | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    fresh: bool = False,
    resources: Resources | None = None,
    stop: Callable[[], bool] = never,
    progress: Callable[[Progress], None] = ignored,
) -> Solution:
    """Return strategies near equilibrium.

    Ctrl-C ends it cleanly after the step that is being made, or the short steps made in one go, with `stopped`
    as `interrupted`; a second one interrupts at once.

    Args:
        problem: a guessing game, its name, or your own problem (`oracular.Problem`).
        solver: `fictitious-play`, the paper's; `regret-matching`, far stronger; or `exact`, which proves what it finds,
            for small guessing games.
        objective: what the guesser is worth: `mean` (the default), `within-4`, a file with a table of utilities, or
            what `oracular.objective` returns. All figures of the solution are in it. Fictitious play is for the mean
            alone. A resumed run keeps its own.
        settings: settings of the solver by name, for those who know them (`oracular.settings`). For fictitious play on
            a game that is `ties`: of equally good guesses the `first` in the dictionary is made (the paper's rule and
            the default), or one that is `possible`. A resumed run keeps its own.
        iterations: stop after this many; 1000 where no limit is given (the exact solver then goes on to the end).
        epsilon: stop when the measured epsilon is this small, in the objective.
        time_limit: stop after this many seconds, including setup but not compiling. A step that cannot be
            finished in time is dropped, so that a run that is resumed ends on the same bits.
        out: a folder to keep the run in.
        resume: go on with the run that is in that folder.
        fresh: start over if that folder holds a run, which is removed.
        resources: threads, memory, a cluster; they never change the result.
        stop: called after every step, or after the short steps made in one go; once it returns True, the run ends as
            after Ctrl-C.
        progress: called after a step, at most ten times a second.
    """
    check_solver(solver)
    return driven(
        problem,
        solver,
        _solution,
        objective=objective,
        settings=settings,
        limits=Limits.given(solver, iterations, epsilon, time_limit),
        out=out,
        resume=resume,
        fresh=fresh,
        resources=resources,
        control=Control(cancelled=stop, on_report=progress),
    )


class Ended(NamedTuple):
    """How a run ended: why, after how many seconds in all, and with which history; it may have been so before."""

    stopped: str | None
    seconds: float
    history: History
    before: bool = False


Result = TypeVar("Result")


def driven(
    problem: Game | Problem | str,
    solver: str,
    result: Callable[[Solver, Ended, Path | None], Result],
    *,
    limits: Limits,
    objective: str | Path | Objective | None = None,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    fresh: bool = False,
    resources: Resources | None = None,
    control: Control[Progress] = UNLIMITED,
) -> Result:
    """Return what `result` makes of a solver that was driven to its limits, and of the folder that it is kept in.

    The arguments are those of `solve`; the control has its `stop` and `progress`. No other process can write to the
    folder until the result is there. A run that was ended cleanly and has reached its limits already is not
    driven on.
    """
    began = time.monotonic()
    what = game_of_name(problem) if isinstance(problem, str) else problem
    check_chosen(solver, settings or {})
    resources, settings = resources or Resources(), dict(settings or {})
    check_begun(out, resume, fresh)
    chosen = None if objective is None else _checked_objective(objective, what)
    needs = needs_for(solver, what, resources)
    defaults = DEFAULTS.get(solver, {}) if isinstance(what, Game) else {}
    if isinstance(what, Game):
        try:
            what.prepare(limits.deadline(began), identity=out is not None)
        except DeadlinePassed:
            raise out_of_time(limits, solver, what.name) from None
    working = make_solver(solver, what, {**defaults, **settings}, resources, needs, chosen)
    began += seconds_of(working.warm_up)
    if out is None:
        return result(working, _loop(working, limits, History(), began, 0.0, None, control), None)
    folder = Path(out)
    if not resume:
        create(folder, working.problem, working.name, working.settings, fresh)
    try:
        with writing_by(folder, limits.deadline(began)) as writer:
            run = writer.run
            run.check_settings(solver, {})
            run.check_problem(working.problem)
            run.check_settings(solver, settings)
            theirs = _objective_of(run, working.problem, what, chosen)
            if run.manifest["settings"] != working.settings or theirs is not None:
                working = make_solver(solver, what, run.manifest["settings"], resources, needs, theirs or chosen)
            if theirs is not None:
                began += seconds_of(working.warm_up)
            if run.solver is not None:
                restore_by(run, working, limits.deadline(began))
            done = None if run.stopped in (None, "interrupted") else limits.ended(working, math.inf)
            if done is not None:
                return result(working, Ended(done, run.seconds, run.history, before=True), folder)
            ended = _loop(working, limits, run.history, began, run.seconds, writer, control)
            return result(working, ended, folder)
    except OutOfTimeError:
        if not resume and working.iteration < 0:
            discard(folder)  # nothing is in it
        raise


def _solution(solver: Solver, ended: Ended, folder: Path | None) -> Solution:
    """Return the solution of a run that has reached its limits; what proves it is written to the run's folder."""
    solution = Solution.of(solver, ended.stopped, ended.seconds, ended.history)
    if folder is not None and solution.certificate is not None:
        from oracular.solvers.exact.certificate import write_certificate

        if not (ended.before and (folder / CERTIFICATE).exists()):
            write_certificate(folder / CERTIFICATE, solution.game, solution.certificate)
    return solution


def _checked_objective(given: str | Path | Objective, what: Game | Problem) -> Objective | None:
    """Return the objective that was asked for, which only guessing games have."""
    if isinstance(what, Game):
        return objective_of(given, what)
    raise SettingsError(OWN_PAYOFFS)


def _objective_of(run: Run, problem: FullProblem, what: Game | Problem, chosen: Objective | None) -> Objective | None:
    """Return the objective of a run that is resumed, where it is not that of the problem; None where it is.

    It need not be asked for again, but another one is an error.
    """
    if "problem" in run.manifest or problem.game is None:
        return None
    if chosen is not None or not isinstance(what, Game):
        run.check_objective(problem.objective, problem.game)
        return None
    theirs = run.objective(problem.game)
    return None if theirs.identity == problem.objective.identity else theirs


def check_begun(out: str | Path | None, resume: bool, fresh: bool) -> None:
    """Raise an error if it is not clear which run to begin or resume."""
    if resume and fresh:
        raise SettingsError("resume continues a run, and fresh starts over: give only one of them")
    if resume and out is None:
        raise RunError("there is nothing to resume without a folder: name the run's folder as out")


def finished_run(run: Run, what: Game | Problem, limits: Limits) -> Solution | None:
    """Return the solution of a kept run that has reached its limits, or None where there is something left to do.

    The time is counted over all calls that worked on the run.
    """
    if run.solver is None or run.stopped is None:  # not begun, or cut off before the best was made of it
        return None
    working = restored(run, what)
    left = math.inf if limits.seconds is None else limits.seconds - run.seconds - LEAST_SECONDS
    stopped = limits.ended(working, left)
    return None if stopped is None else Solution.of(working, stopped, run.seconds, run.history)


@contextmanager
def writing_by(folder: Path, deadline: Deadline) -> Iterator[RunWriter]:
    """Give a writer for the run in a folder, or say that there was no time to read the run."""
    with ExitStack() as stack:
        try:
            writer = stack.enter_context(writing(folder, deadline))
        except DeadlinePassed:
            raise unread_in_time(folder) from None
        yield writer


def out_of_time(limits: Limits, solver: str, problem: str) -> OutOfTimeError:
    """Return the error for a time in which a solver could not make a single step."""
    return OutOfTimeError(
        f"the {limits.seconds:g} seconds given were over before the solver {solver} had made its first step on "
        f"{problem}: give more time, or choose a smaller game"
    )


def _loop(
    solver: Solver,
    limits: Limits,
    history: History,
    began: float,
    seconds_before: float,
    writer: RunWriter | None,
    control: Control[Progress],
) -> Ended:
    """Step until a limit is reached or the user interrupts; return why it stopped, the seconds in all, the history.

    The history is that of the run in the writer's folder, or one that is kept in none. The call began at a moment of
    the monotonic clock, to which the seconds spent compiling have been added; earlier calls worked some seconds before.
    """
    deadline, began_in_all = limits.deadline(began), began - seconds_before
    saved, pause = time.monotonic(), SECONDS_BETWEEN_CHECKPOINTS
    writing = 0.0  # the time to be left for the two commits at the end, each perhaps twice as long as the last one
    first = solver.iteration + 1
    on_disk = solver.iteration
    stopped: str | None = None
    steps = 1  # made in one go: at first one, then as many as fit into SECONDS_AT_ONCE
    with interrupts() as interrupted:
        while True:
            stopped = stopped or limits.reached(solver, deadline.later(-writing).left)
            if stopped is None and solver.iteration >= 0 and (interrupted() or control.cancelled()):
                stopped = "interrupted"
            now = time.monotonic()
            if writer is not None and solver.iteration > on_disk and (stopped or now - saved >= pause):
                arrays = solver.arrays()
                writer.commit(solver.checkpoint(), arrays, time.monotonic() - began_in_all, None)
                saved, writing, on_disk = now, 4 * (time.monotonic() - now), solver.iteration
                pause = SECONDS_BETWEEN_ARRAYS if arrays else SECONDS_BETWEEN_CHECKPOINTS
            if stopped is not None:  # all is safe on disk; now the best is made of it
                stopped = _concluded(solver, stopped, deadline)
                seconds = time.monotonic() - began_in_all
                if stopped == "time" and limits.seconds is not None:  # the rest of it is for the writing
                    seconds = max(seconds, seconds_before + limits.seconds)
                if writer is not None:
                    writer.commit(solver.checkpoint(), solver.arrays(), seconds, stopped)
                return Ended(stopped, seconds, history)
            step_began = time.monotonic()
            try:
                records = solver.steps(
                    int(min(steps, limits.steps_left(solver))),
                    limits.small_enough(solver.problem.objective),
                    deadline.later(-writing - solver.seconds_to_conclude),
                )
            except DeadlinePassed:  # such a step has changed nothing
                if solver.iteration < 0:
                    raise out_of_time(limits, solver.name, solver.problem.name) from None
                stopped = "time"
                continue
            except ClusterError:  # a step that failed has changed nothing, so what was made before can be kept
                if writer is not None and solver.iteration >= 0:
                    writer.commit(solver.checkpoint(), solver.arrays(), time.monotonic() - began_in_all, None)
                raise
            if writer is not None:
                writer.append(records)
            else:
                history.extend(records)
                stopped = "full disk" if history.full else None  # memory would have to hold all that follows
            fitting = len(records) * min(SECONDS_AT_ONCE, pause) / max(time.monotonic() - step_began, 1e-9)
            steps = max(1, min(int(fitting), 2 * steps))
            control.report(_progress(solver, records[-1], limits, time.monotonic() - began, first))


def _concluded(solver: Solver, stopped: str, deadline: Deadline) -> str:
    """Return why a run stopped after making the best of it: `time` if that was cut off, even if all steps are made."""
    solver.conclude(deadline)
    cut_off = not solver.is_concluded and stopped in ("finished", "iterations", "epsilon")
    return "time" if cut_off else stopped


def _progress(solver: Solver, record: dict[str, Any], limits: Limits, seconds: float, first: int) -> Progress:
    """Return what is reported after the step that left this record."""
    objective = solver.problem.objective
    kind = standing_of_solver(solver.name)
    now = kind(**{entry.name: record[entry.name] for entry in fields(kind)})
    best = now if solver.best_iteration == solver.iteration else solver.best
    return Progress(
        solver.iteration, limits, seconds, first, now.in_objective(objective), best.in_objective(objective), objective
    )
