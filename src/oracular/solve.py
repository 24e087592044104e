"""The loop that drives a solver: limits, progress, saving, and an orderly stop at Ctrl-C.

A solver only knows how to make one step. Whatever it is, it gets from here what a user expects of long work.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracular.errors import RunError, SettingsError
from oracular.evaluation import Standing
from oracular.game import Game
from oracular.games import game as game_of_name
from oracular.responses.greedy import GreedyEngine, Ties, check_threads
from oracular.runs import Run, RunWriter
from oracular.solvers.fictitious_play import FictitiousPlay
from oracular.strategy import Hider, Mixture

DEFAULT_ITERATIONS = 1000
SECONDS_BETWEEN_CHECKPOINTS = 1.0


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
        if self.iterations is not None and self.iterations < 1:
            raise SettingsError(f"{self.iterations} iterations asked for: give 1 or more")
        if self.epsilon is not None and not 0 <= self.epsilon < float("inf"):
            raise SettingsError(f"an epsilon of {self.epsilon} asked for: give a number of guesses, 0 or more")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise SettingsError(f"a time of {self.seconds} seconds asked for: give a number above 0")

    @classmethod
    def given(cls, iterations: int | None, epsilon: float | None, seconds: float | None) -> Limits:
        """Return the limits, with 1000 iterations where none is given."""
        if iterations is epsilon is seconds is None:
            iterations = DEFAULT_ITERATIONS
        return cls(iterations, epsilon, seconds)

    def reached(self, solver: FictitiousPlay, seconds: float) -> str | None:
        """Return which limit has been reached, if any."""
        if solver.best is None:
            return None
        if self.iterations is not None and solver.iteration >= self.iterations:
            return "iterations"
        if self.epsilon is not None and solver.best.standing.epsilon <= self.epsilon:
            return "epsilon"
        if self.seconds is not None and seconds >= self.seconds:
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
        now: the standing after this iteration.
        best_iteration: t*, the iteration with the least epsilon.
        best: the standing at t*.
    """

    iteration: int
    limits: Limits
    seconds: float
    first_iteration: int
    now: Standing
    best_iteration: int
    best: Standing


Watcher = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Solution:
    """A pair of strategies, with what is known of their worth and where they come from.

    Attributes:
        game: the game that was solved.
        hider: the hider's strategy at t*.
        guesser: the guesser's: the uniform mixture of the greedy oracles of iterations 0 to t*.
        standing: payoffs and epsilons at t*.
        iterations: how many iterations were made after the start.
        best_iteration: t*.
        stopped: why it stopped: `iterations`, `epsilon`, `time` or `interrupted`; None for a run that was cut off.
        seconds: how long solving took, in all.
        history: a record for every iteration: the hider's best response and the standing.
        settings: the solver and its settings.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    standing: Standing
    iterations: int
    best_iteration: int
    stopped: str | None
    seconds: float
    history: list[dict[str, Any]]
    settings: dict[str, Any]

    @property
    def epsilon(self) -> float:
        """The measured epsilon at t*, as the paper measures it: the guesser's deviation is the greedy one."""
        return self.standing.epsilon

    @property
    def guarantee(self) -> Fraction:
        """The worst secret's expected number of guesses: exact, and an upper bound on the value of the game."""
        return self.guesser.guarantee

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
    iterations: int | None = None,
    epsilon: float | None = None,
    time_limit: float | None = None,
    ties: Ties | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    watcher: Watcher | None = None,
) -> Solution:
    """Return strategies near equilibrium, by the paper's fictitious play.

    Args:
        game: a game, or its name.
        iterations: stop after this many; 1000 where no limit is given.
        epsilon: stop when the measured epsilon is this small.
        time_limit: stop after so many seconds.
        ties: which of equally good guesses is made: `first` in the dictionary (the paper's rule and the default), or
            one that is `possible`; a resumed run keeps its own.
        threads: how many to use; all by default. They never change the result.
        out: a folder to keep the run in.
        resume: go on with the run that is in that folder.
        watcher: called after every step.
    """
    game = game_of_name(game) if isinstance(game, str) else game
    limits = Limits.given(iterations, epsilon, time_limit)
    threads = check_threads(threads)
    run = committed = None
    if resume:
        if out is None:
            raise RunError("there is nothing to resume without a folder: name the run's folder as out")
        run = Run.open(Path(out))
        run.check_game(game)
        ties = ties or run.manifest["settings"]["ties"]
        run.check_settings(FictitiousPlay.name, {"ties": ties})
        committed = run.committed()
    solver = FictitiousPlay(GreedyEngine(game, ties or "first", threads))
    settings = {"ties": solver.engine.ties}
    if out is not None and run is None:
        run = Run.create(Path(out), game, solver.name, settings)
    writer = run.writer(committed) if run is not None else None
    history: list[dict[str, Any]] = []
    seconds_before = 0.0
    if committed is not None:
        history = committed.history
        seconds_before = committed.seconds
        solver.restore(committed.solver, history)
    solver.engine.warm_up()
    try:
        stopped, seconds = _loop(solver, limits, history, seconds_before, writer, watcher)
    finally:
        if writer is not None:
            writer.close()
    return _solution(solver, stopped, seconds, history, settings)


def load_run(folder: str | Path, game: Game | None = None) -> Solution:
    """Return the solution that a run's folder holds, as of its last checkpoint.

    Args:
        folder: the run's folder.
        game: the game, where it is one of one's own that no name stands for.
    """
    run = Run.open(Path(folder))
    game = game or run.game()
    run.check_game(game)
    committed = run.committed()
    if committed is None:
        raise RunError(f"the run in {str(folder)!r} was cut off before its first checkpoint: go on with --resume")
    settings = run.manifest["settings"]
    solver = FictitiousPlay(GreedyEngine(game, settings["ties"], check_threads(None)))
    solver.restore(committed.solver, committed.history)
    return _solution(solver, committed.stopped, committed.seconds, committed.history, settings)


def _loop(
    solver: FictitiousPlay,
    limits: Limits,
    history: list[dict[str, Any]],
    seconds_before: float,
    writer: RunWriter | None,
    watcher: Watcher | None,
) -> tuple[str, float]:
    """Step until a limit is reached or the user interrupts; return why it stopped and the seconds in all."""
    began = saved = time.perf_counter()
    first = solver.iteration + 1
    with _interrupts() as interrupted:
        while True:
            now = time.perf_counter()
            stopped = limits.reached(solver, now - began)
            if stopped is None and interrupted() and solver.position is not None:
                stopped = "interrupted"
            if writer is not None and history and (stopped or now - saved >= SECONDS_BETWEEN_CHECKPOINTS):
                writer.commit(solver.checkpoint(), seconds_before + now - began, stopped)
                saved = now
            if stopped is not None:
                return stopped, seconds_before + now - began
            record = solver.step()
            history.append(record)
            if writer is not None:
                writer.append(record)
            if watcher is not None:
                watcher(_progress(solver, limits, time.perf_counter() - began, first))


def _progress(solver: FictitiousPlay, limits: Limits, seconds: float, first: int) -> Progress:
    assert solver.position is not None and solver.best is not None
    return Progress(
        iteration=solver.iteration,
        limits=limits,
        seconds=seconds,
        first_iteration=first,
        now=solver.position.standing,
        best_iteration=solver.best.iteration,
        best=solver.best.standing,
    )


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
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


def _solution(
    solver: FictitiousPlay,
    stopped: str | None,
    seconds: float,
    history: list[dict[str, Any]],
    settings: dict[str, Any],
) -> Solution:
    assert solver.best is not None
    hider, guesser = solver.strategies()
    return Solution(
        game=solver.game,
        hider=hider,
        guesser=guesser,
        standing=solver.best.standing,
        iterations=solver.iteration,
        best_iteration=solver.best.iteration,
        stopped=stopped,
        seconds=seconds,
        history=history,
        settings={"solver": solver.name, **settings},
    )
