"""The runs of a sweep, made one after another or on a cluster, and a row of figures for each.

On a cluster a run is worked on in sittings: a worker is sent the files of its folder, goes on from the last checkpoint
for a while in a folder of its own, and sends the files back. So no disk has to be shared, a worker that dies costs one
sitting, and whatever happens, the folders here can be resumed.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from oracular.errors import ClusterLostError
from oracular.games.game import Game
from oracular.runs.drive import load_run, solve
from oracular.runs.folder import Run, files_of, is_run
from oracular.runs.layout import CERTIFICATE
from oracular.runs.limits import Limits, Observer, interrupts
from oracular.runs.make_solver import Resources
from oracular.runs.progress_line import ProgressLine
from oracular.runs.recheck import recheck_guarantee, recheck_lower
from oracular.runs.solution import Solution
from oracular.runs.sweep.plan import PlannedRun
from oracular.runs.writer import RunWriter, create, write_files, writing
from oracular.system.deadline import Deadline

if TYPE_CHECKING:
    from oracular.cluster import Cluster

FIRST_SITTING = 5.0
LONGEST_SITTING = 60.0
"""Sittings grow from the first to the longest, in seconds: short runs are back soon, long ones are seldom sent."""

RECHECK_SECONDS = 5.0
"""How long equal bounds may take to be worked out again, so that they are called proved."""

SECONDS_TO_COME_BACK = 30.0
"""How long the workers may take to send interrupted runs back."""


LineOf: TypeAlias = Callable[[PlannedRun], ProgressLine]
"""Returns the line that shows the progress of a run."""


def sweep(
    runs: Sequence[PlannedRun],
    *,
    cluster: Cluster | None = None,
    threads: int | None = None,
    line_of: LineOf = lambda run: ProgressLine(),
) -> list[dict[str, Any]] | None:
    """Return a row of figures for every run, making those that are not finished; None if the user interrupts.

    Runs that are made here use that many threads; on a cluster each has a worker.
    """
    rows: dict[Path, dict[str, Any]] = {}
    pending: list[PlannedRun] = []
    for run in runs:
        solution = run.finished()
        if solution is None:
            pending.append(run)
        else:
            rows[run.folder] = _finish(run, solution, line_of)
    made = _one_by_one(pending, threads, line_of) if cluster is None else _Spread(cluster, line_of)(pending)
    if made is None:
        return None
    return [(rows | made)[run.folder] for run in runs]


def _one_by_one(
    pending: Sequence[PlannedRun], threads: int | None, line_of: LineOf
) -> dict[Path, dict[str, Any]] | None:
    """Return the rows of the runs, made here one after another, or None if the user interrupts."""
    rows = {}
    for run in pending:
        line_of(run).note("loading compiled code (the first time: compiling it)")
        solution = _Order.of(run).solve(run.game, run.folder, threads, Observer(step=line_of(run)))
        if solution.stopped == "interrupted":
            return None
        rows[run.folder] = _finish(run, solution, line_of)
    return rows


class _Spread:
    """Makes runs on the workers of a cluster, sitting by sitting."""

    def __init__(self, cluster: Cluster, line_of: LineOf) -> None:
        self.cluster = cluster
        self.line_of = line_of
        self.tickets: dict[int, str] = {}

    def __call__(self, pending: Sequence[PlannedRun]) -> dict[Path, dict[str, Any]] | None:
        """Return the rows of the runs, or None if the user interrupts."""
        for run in pending:  # workers that have other words are refused before anything is written
            self.tickets[id(run.game)] = self.cluster.announce(run.game)
        rows: dict[Path, dict[str, Any]] = {}
        with ExitStack() as locks, interrupts() as interrupted, self.cluster.tasks() as tasks:
            writers = {run.folder: locks.enter_context(writing(_begun(run))) for run in pending}
            sittings = dict.fromkeys(writers, FIRST_SITTING)
            # the largest games first, so that no long run begins when the others are finished
            queue = deque(sorted(pending, key=lambda run: -len(run.game.secrets)))
            while queue or len(tasks):
                if interrupted():
                    self._call_back(tasks, writers)
                    return None
                while queue and len(tasks) < self.cluster.workers:
                    run = queue.popleft()
                    self.line_of(run).note("on a worker")
                    ticket, seconds = self.tickets[id(run.game)], sittings[run.folder]
                    tasks.add(run, worker_sitting, ticket, _Order.of(run), seconds, files_of(run.folder))
                ready = tasks.next(0.2)
                if ready is None:
                    continue
                run, files = ready
                self._take(run, files, writers[run.folder])
                kept = Run.open(run.folder)
                solution = self._finished(run, kept)
                if solution is not None:
                    if solution.certificate is not None:
                        from oracular.solvers.exact.certificate import write_certificate

                        write_certificate(run.folder / CERTIFICATE, run.game, solution.certificate)
                    rows[run.folder] = _finish(run, solution, self.line_of)
                else:
                    self.line_of(run).note(f"t {kept.history[-1]['iteration']}" if kept.history else "begun")
                    sittings[run.folder] = min(2 * sittings[run.folder], LONGEST_SITTING)
                    queue.append(run)
        return rows

    def _take(self, run: PlannedRun, files: object, writer: RunWriter) -> None:
        """Write the files that a worker sent back, once a solver has accepted the state in them.

        A certificate is left out: it is written here, from that state.
        """
        sent = {name: data for name, data in self.cluster.checked_files(files).items() if name != CERTIFICATE}
        writer.receive(sent, lambda kept: kept.restore(run.new_solver()))

    def _finished(self, run: PlannedRun, kept: Run) -> Solution | None:
        """Return the solution of a run that its worker calls finished, or None if there is more to do.

        A limit of time is believed. Whether another limit is reached, the run itself shows.
        """
        if kept.stopped in (None, "interrupted"):
            return None
        if kept.stopped == "time" and run.limits.seconds is not None:
            return load_run(run.folder, run.game)
        solution = run.finished()
        if solution is None:
            raise self.cluster.false_answer("it says that a run is done which is not")
        return solution

    def _call_back(self, tasks: Any, writers: Mapping[Path, RunWriter]) -> None:
        """End the sittings on all workers, and write what they send back."""
        for ticket in set(self.tickets.values()):
            self.cluster.halt(ticket)
        try:
            while len(tasks) and (ready := tasks.next(SECONDS_TO_COME_BACK)) is not None:
                run, files = ready
                self._take(run, files, writers[run.folder])
        except ClusterLostError:
            pass  # the folders can be resumed as they are


@dataclass(frozen=True)
class _Order:
    """What is to be done with a run: its solver, and what is left of its limits. It is sent to a worker."""

    solver: str
    settings: Mapping[str, Any]
    limits: Limits

    @classmethod
    def of(cls, run: PlannedRun) -> _Order:
        """Return what is left to be done with a run."""
        limits = Limits(run.limits.iterations, run.limits.epsilon, run.seconds_left(run.kept()))
        return cls(run.solver, dict(run.settings), limits)

    def solve(self, game: Game, folder: Path, threads: int | None, observer: Observer) -> Solution:
        """Return the solution, made in a folder or gone on with there."""
        return solve(
            game,
            solver=self.solver,
            iterations=self.limits.iterations,
            epsilon=self.limits.epsilon,
            time_limit=self.limits.seconds,
            settings=self.settings,
            out=folder,
            resume=is_run(folder),
            resources=Resources(threads=threads),
            observer=observer,
        )


class _Sitting:
    """The stop callback of a sitting: it returns True once the time is over or the runs are called back.

    The time begins with the first step, which is always made. It is no limit of the run, so no step is cut short.
    """

    def __init__(self, seconds: float, halted: Callable[[], bool]) -> None:
        self._seconds = seconds
        self._halted = halted
        self._end: Deadline | None = None

    def __call__(self) -> bool:
        if self._end is None:
            self._end = Deadline.after(self._seconds)
            return self._halted()
        return self._end.passed or self._halted()


def worker_sitting(ticket: str, order: _Order, seconds: float, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a run after one sitting; runs on a worker."""
    from oracular.cluster.work import game_for, halted

    game = game_for(ticket)
    with tempfile.TemporaryDirectory(prefix="oracular-") as scratch:
        folder = Path(scratch) / "run"
        write_files(folder, files)
        order.solve(game, folder, 1, Observer(stop=_Sitting(seconds, lambda: halted(ticket))))
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
    deadline = Deadline.after(RECHECK_SECONDS)
    upper, lower = recheck_guarantee(solution, deadline), recheck_lower(solution, deadline)
    return upper.proved and lower is not None and lower.proved


def _finish(run: PlannedRun, solution: Solution, line_of: LineOf) -> dict[str, Any]:
    """Return the row of a finished run, once its line shows it."""
    line_of(run).done(f"t {solution.iterations}  ε {solution.epsilon:.3f}  ≤ {float(solution.guarantee):.3f}")
    standing = solution.standing
    return {
        "game": run.game.name,
        "secrets": len(run.game.secrets),
        "solver": run.solver,
        "settings": dict(run.settings),
        "iterations": solution.iterations,
        "best_iteration": solution.best_iteration,
        "epsilon": solution.epsilon,
        **vars(standing),
        "guarantee": float(solution.guarantee),
        "lower": None if solution.lower is None else str(solution.lower),
        "upper": str(solution.guarantee),
        "proved": _proved(solution),
        "seconds": solution.seconds,
        "out": str(run.folder),
    }
