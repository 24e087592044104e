"""The loop that drives a solver: limits, progress, saving, and an orderly stop at Ctrl-C.

A solver only knows how to make one step. Whatever it is, it gets from here what a user expects of long work.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oracular.errors import ClusterError, OutOfTimeError, RunError, SettingsError
from oracular.evaluation import Standing
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.responses.greedy import Ties, check_threads
from oracular.runs.contents import CERTIFICATE, FIGURES
from oracular.runs.folder import Run, RunWriter, create, discard, writing
from oracular.runs.make_solver import DEFAULTS, EXACT, make_solver, needs_for
from oracular.runs.needs import Needs
from oracular.solvers.fictitious_play import FictitiousPlay
from oracular.solvers.solver import Solver
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed, check_seconds, is_finite
from oracular.system.files import cut, quoted

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.solvers.exact.certificate import Certificate

DEFAULT_ITERATIONS = 1000
SECONDS_BETWEEN_CHECKPOINTS = 1.0
SECONDS_BETWEEN_ARRAYS = 60.0
"""Where a solver has arrays to keep, a checkpoint takes longer and comes less often."""
LEAST_SECONDS = 1e-3
"""With less time left than this a run is done."""


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first of those that are given.

    Attributes:
        iterations: the last iteration to make; iteration 0, the start, comes on top.
        epsilon: an epsilon that is small enough.
        seconds: how long this call may work.
    """

    iterations: int | None = None
    epsilon: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None and (type(self.iterations) is not int or self.iterations < 1):
            raise SettingsError(f"{cut(self.iterations)} iterations asked for: give 1 or more, a whole number")
        if self.epsilon is not None and not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise SettingsError(f"an epsilon of {cut(self.epsilon)} asked for: give a number of guesses, 0 or more")
        check_seconds(self.seconds)

    @classmethod
    def given(cls, solver: str, iterations: int | None, epsilon: float | None, seconds: float | None) -> Limits:
        """Return the limits, with 1000 iterations where none is given and the solver does not end by itself."""
        if iterations is epsilon is seconds is None and solver != EXACT:
            iterations = DEFAULT_ITERATIONS
        return cls(iterations, epsilon, seconds)

    def reached(self, solver: Solver, left: float) -> str | None:
        """Return which limit a solver has reached, if any, with so many seconds left.

        How it stands the solver alone knows, from its own state, and nobody but this decides whether that is enough.
        """
        if solver.iteration < 0:
            return None
        if solver.finished:
            return "finished"
        if self.iterations is not None and solver.iteration >= self.iterations:
            return "iterations"
        if self.epsilon is not None and solver.stands.epsilon <= self.epsilon:
            return "epsilon"
        if self.seconds is not None and left <= solver.seconds_to_conclude:
            return "time"
        return None


@dataclass(frozen=True)
class Progress:
    """What a watcher is told after every step.

    Attributes:
        iteration: the iteration just made.
        limits: when the run will stop.
        seconds: how long this call has worked.
        first_iteration: the first iteration that this call made.
        now: how the strategies of this iteration stand.
        best: how the best strategies so far stand.
    """

    iteration: int
    limits: Limits
    seconds: float
    first_iteration: int
    now: Standing
    best: Standing


Watcher = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """A pair of strategies, with what is known of their worth and where they come from.

    Attributes:
        game: the game that was solved.
        hider: the hider's strategy at t*, the best iteration.
        guesser: the guesser's, a mixture of oracles.
        lower: a lower bound on the value of the game that the solver has proved, by this call or as the run's files
            say, or None where the solver proves none.
        certificate: what proves the bounds (`solvers/certificate.py`), where the solver makes one.
        standing: payoffs and epsilons of these strategies.
        iterations: how many iterations were made after the start.
        best_iteration: t*.
        stopped: why it stopped: `iterations`, `epsilon`, `time`, `interrupted`, or `finished` where there is nothing
            left to improve; None for a run that was cut off.
        seconds: how long solving took, in all.
        history: a record for every iteration: the hider's best response and the standing.
        settings: the solver and its settings.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    lower: Fraction | None
    certificate: Certificate | None
    standing: Standing
    iterations: int
    best_iteration: int
    stopped: str | None
    seconds: float
    history: list[dict[str, Any]]
    settings: dict[str, Any]

    @property
    def epsilon(self) -> float:
        """The larger gain of the two players at t*.

        Fictitious play measures the guesser's deviation as the paper does, with the greedy response; the exact solver
        with a proved bound.
        """
        return self.standing.epsilon

    @property
    def guarantee(self) -> Fraction:
        """The worst secret's expected number of guesses: exact, and an upper bound on the value of the game."""
        return self.guesser.guarantee

    @property
    def closed(self) -> bool:
        """Whether the lower bound is the guarantee: then the strategies are an equilibrium.

        Of a run that was read from disk this is what its files say; `oracular.runs.recheck` works it out again.
        """
        return self.lower == self.guarantee

    @property
    def seconds_per_iteration(self) -> float:
        """The average time of one iteration."""
        return self.seconds / (self.iterations + 1)

    def __repr__(self) -> str:
        return (
            f"Solution({self.game!r}, epsilon {self.epsilon:.3f} at iteration {self.best_iteration} of "
            f"{self.iterations}, guarantee {float(self.guarantee):.3f})"
        )


def solve(
    game: Game | str,
    *,
    solver: str = FictitiousPlay.name,
    iterations: int | None = None,
    epsilon: float | None = None,
    time_limit: float | None = None,
    ties: Ties | None = None,
    settings: Mapping[str, Any] | None = None,
    threads: int | None = None,
    cluster: Cluster | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
    stop: Callable[[], bool] | None = None,
    engine: str | None = None,
    memory: int | None = None,
    told: Callable[[Needs], None] | None = None,
) -> Solution:
    """Return strategies near equilibrium.

    Ctrl-C ends it in good order after the step that is being made, with `stopped` as `interrupted`; a second one
    interrupts at once.

    Args:
        game: a game, or its name.
        solver: `fictitious-play`, the paper's; `regret-matching`, far stronger; or `exact`, which proves what it finds,
            for small games.
        iterations: stop after this many; 1000 where no limit is given (the exact solver then goes on to the end).
        epsilon: stop when the measured epsilon is this small.
        time_limit: stop after so many seconds, the making ready included and the compiling not. A step that cannot be
            finished in time is dropped, so that a run that is resumed ends on the same bits.
        ties: which of equally good guesses is made: `first` in the dictionary (the paper's rule and the default), or
            one that is `possible`; a resumed run keeps its own.
        settings: further settings of the solver by name, for those who know them (see `Planner`).
        threads: how many to use; all by default. They never change the result.
        cluster: workers that build the greedy trees (`oracular.cluster.connect`); they never change it either.
        out: a folder to keep the run in.
        resume: go on with the run that is in that folder.
        watcher: called after every step.
        stop: asked before every step; when it answers True, it ends as after Ctrl-C.
        engine: how fictitious play builds its trees: `incremental`, each from those before it (the default), or each
            from `scratch` (on a cluster always). The result is the same, bit for bit; a resumed run may change it.
        memory: the most bytes that fictitious play may take; what is available, unless given.
        told: called with what fictitious play will need before it begins.
    """
    began = time.monotonic()
    if not isinstance(settings, Mapping | None) or not isinstance(solver, str):
        raise SettingsError("the solver is to be a name, and its settings a dictionary: give them so")
    game = game_of_name(game) if isinstance(game, str) else game
    limits = Limits.given(solver, iterations, epsilon, time_limit)
    settings = {**(settings or {}), **({} if ties is None else {"ties": ties})}
    needs = needs_for(solver, game, engine, memory, cluster)
    threads = check_threads(threads)
    working = make_solver(solver, game, {**DEFAULTS.get(solver, {}), **settings}, threads, cluster, needs)
    if told is not None and needs is not None:
        told(needs)
    if out is None:
        if resume:
            raise RunError("there is nothing to resume without a folder: name the run's folder as out")
        clock = _ready(working, began, 0.0)
        return _solution(working, *_loop(working, limits, [], clock, None, watcher, stop))
    folder = Path(out)
    if not resume:
        create(folder, game, working.name, working.settings)
    try:
        with writing(folder) as writer:
            run = writer.run
            run.check_game(game)
            run.check_settings(solver, settings)
            if run.manifest["settings"] != working.settings:
                working = make_solver(solver, game, run.manifest["settings"], threads, cluster, needs)
            if run.solver is not None:
                run.restore(working)
            clock = _ready(working, began, run.seconds)
            solution = _solution(working, *_loop(working, limits, run.history, clock, writer, watcher, stop))
            if solution.certificate is not None:
                from oracular.solvers.exact.certificate import write_certificate

                write_certificate(folder / CERTIFICATE, game, solution.certificate)
    except OutOfTimeError:
        if not resume:
            discard(folder)  # nothing is in it
        raise
    return solution


def load_run(folder: str | Path, game: Game | None = None) -> Solution:
    """Return the solution that a run's folder holds, as of its last checkpoint.

    Args:
        folder: the run's folder.
        game: the game, where it is one of one's own that no name stands for.
    """
    run = Run.open(Path(folder))
    game = game or run.game()
    run.check_game(game)
    return _solution(_restored(run, game), run.stopped, run.seconds, run.history)


def finished_run(run: Run, game: Game, limits: Limits) -> Solution | None:
    """Return the solution of a kept run that has reached its limits, or None where there is something left to do.

    The time is counted over all calls that worked on the run.
    """
    if run.solver is None or run.stopped is None:  # not begun, or cut off before the best was made of it
        return None
    working = _restored(run, game)
    left = math.inf if limits.seconds is None else limits.seconds - run.seconds - LEAST_SECONDS
    stopped = limits.reached(working, left)
    return None if stopped is None else _solution(working, stopped, run.seconds, run.history)


def _restored(run: Run, game: Game) -> Solver:
    """Return the solver of a run in the state of its last checkpoint."""
    if run.solver is None:
        raise RunError(f"the run in {quoted(run.folder)} has no checkpoint yet: wait for one, or go on with --resume")
    working = make_solver(run.manifest["solver"], game, run.manifest["settings"], check_threads(None))
    run.restore(working)
    return working


@dataclass(frozen=True)
class _Clock:
    """How long a run has been worked on.

    Attributes:
        began: when this call began, by the monotonic clock; what it spent compiling has been added.
        before: the seconds of earlier calls.
    """

    began: float
    before: float

    @property
    def seconds(self) -> float:
        """The seconds of this call."""
        return time.monotonic() - self.began

    @property
    def in_all(self) -> float:
        """The seconds of all calls."""
        return self.before + self.seconds

    def deadline(self, seconds: float | None) -> Deadline:
        """Return when this call has worked for so many seconds."""
        return NEVER if seconds is None else Deadline(self.began + seconds)


def _ready(solver: Solver, began: float, seconds_before: float) -> _Clock:
    """Return the clock of a call once the solver's code is loaded or compiled, which is not counted."""
    loading = time.monotonic()
    solver.warm_up()
    return _Clock(began + time.monotonic() - loading, seconds_before)


def _loop(
    solver: Solver,
    limits: Limits,
    history: list[dict[str, Any]],
    clock: _Clock,
    writer: RunWriter | None,
    watcher: Watcher | None,
    stop: Callable[[], bool] | None,
) -> tuple[str, float, list[dict[str, Any]]]:
    """Step until a limit is reached or the user interrupts; return why it stopped, the seconds in all, the history."""
    deadline = clock.deadline(limits.seconds)
    saved, pause = time.monotonic(), SECONDS_BETWEEN_CHECKPOINTS
    first = solver.iteration + 1
    stopped: str | None = None
    with interrupts() as interrupted:
        while True:
            stopped = stopped or limits.reached(solver, deadline.left)
            if stopped is None and solver.iteration >= 0 and (interrupted() or (stop is not None and stop())):
                stopped = "interrupted"
            now = time.monotonic()
            if writer is not None and solver.iteration >= 0 and (stopped or now - saved >= pause):
                arrays = solver.arrays()
                writer.commit(solver.checkpoint(), arrays, clock.in_all, None)
                saved = now
                pause = SECONDS_BETWEEN_ARRAYS if arrays else SECONDS_BETWEEN_CHECKPOINTS
            if stopped is not None:  # all is safe on disk; now the best is made of it
                solver.conclude()
                seconds = clock.in_all
                if writer is not None:
                    writer.commit(solver.checkpoint(), solver.arrays(), seconds, stopped)
                return stopped, seconds, history
            try:
                record = solver.step(deadline)
            except DeadlinePassed:  # such a step has changed nothing
                if solver.iteration < 0:
                    raise OutOfTimeError(
                        f"the {limits.seconds:g} seconds given were over before the solver {solver.name} had made its "
                        f"first step on {solver.game.name}: give more time, or choose a smaller game"
                    ) from None
                stopped = "time"
                continue
            except ClusterError:  # a step that failed has changed nothing, so what was made before can be kept
                if writer is not None and solver.iteration >= 0:
                    writer.commit(solver.checkpoint(), solver.arrays(), clock.in_all, None)
                raise
            history.append(record)
            if writer is not None:
                writer.append(record)
            if watcher is not None:
                now_stands = Standing(**{name: record[name] for name in FIGURES})
                best = now_stands if solver.best_iteration == solver.iteration else solver.best
                watcher(Progress(solver.iteration, limits, clock.seconds, first, now_stands, best))


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed; a second press interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = False

    def on_interrupt(_signal: int, _frame: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _solution(solver: Solver, stopped: str | None, seconds: float, history: list[dict[str, Any]]) -> Solution:
    """Return the solver's best strategies, with all that is known of them."""
    outcome = solver.outcome()
    return Solution(
        game=solver.game,
        hider=outcome.hider,
        guesser=outcome.guesser,
        lower=outcome.lower,
        certificate=outcome.certificate,
        standing=solver.best,
        iterations=solver.iteration,
        best_iteration=solver.best_iteration,
        stopped=stopped,
        seconds=seconds,
        history=history,
        settings={"solver": solver.name, **solver.settings},
    )
