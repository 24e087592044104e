"""How long a run will take, measured in this very call on its own work.

Nothing is known of a machine and of what else it does, so nothing is foretold from constants alone. What a run takes
follows from the iterations that it has made so far: the later half of them gives the pace, and where trees are built
from earlier ones, the pace is known to rise. Of a run of few iterations the middle one of the first few gives it. Of a
game so large that its first iteration takes long, trees for a sample of the secrets are timed beforehand. Every such
time is called "about". Where none can be given that is right within a factor of two, nothing is said.
`benchmarks/told_times.py` compares what is told with what is then taken.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from oracular.responses.incremental import IncrementalTrees
from oracular.responses.problems import GreedyProblem, KeptTreesProblem
from oracular.system.deadline import Deadline, DeadlinePassed

if TYPE_CHECKING:
    from oracular.responses.greedy import GreedyEngine
    from oracular.runs.limits import Limits
    from oracular.solvers.solver import Solver

LEAST_WORK = 1.0
"""Seconds of work after the first iteration that a forecast rests on at least."""
LEAST_ITERATIONS, LEAST_STEADY = 32, 4
"""Iterations that a forecast rests on at least: of those that differ, and of those that are alike."""
FEW_ITERATIONS, LEAST_OF_FEW = 96, 4
"""Where fewer iterations are to be made than this, they differ, and each takes long, a forecast rests on so many."""
LEAST_SHARE = 0.1
"""A forecast is made once this share of the iterations is made, unless `LATEST` comes first."""
LATEST = 8.0
"""After so many seconds of work a forecast is made in any case: nobody waits longer to hear how long it takes."""
WORTH_TELLING = 1.0
"""With fewer seconds left than this, nothing is told."""
WORTH_TELLING_OF_FEW = 5.0
"""The same for a forecast from few iterations."""

DECAY = 0.3
"""The time of an iteration falls as the number of iterations to the power of this, where trees are built from earlier
ones; measured on Jotto with 2 to 5 letters, on Mastermind and on lists of 12,000 words."""
FLOOR = 0.5
"""The time of an iteration does not fall below this share of what it is when the forecast is made."""
CENTRE = 0.72
"""The place of the pace of iterations k/2 to k, as a part of k."""

LEAST_TAKEN = 1e-4
"""No work is held to take fewer seconds than this."""
MANY_PAIRS = 400_000_000
"""Where guesses times secrets are more than this, the first iteration takes seconds, and is measured beforehand."""
SAMPLES = (64, 32)
"""The first tree is measured on every 64th and on every 32nd secret."""
MOST_GROWTH = 1.3
"""Twice as many secrets take at most 2 to the power of this times as long."""

UNITS = ((1, 0.001, "ms"), (100, 1, "s"), (6000, 60, "min"), (math.inf, 3600, "h"))
"""Below how many seconds a unit is used, its size and its name."""


@dataclass(frozen=True)
class Forecast:
    """About how long something takes.

    Attributes:
        seconds: the estimate; the time for loading or compiling code is not in it.
        what: what takes so long.
        advice: what else the measurement says, or nothing.
    """

    seconds: float
    what: str
    advice: str = ""

    def sentence(self) -> str:
        """Return the forecast in words."""
        return f"{about(self.seconds)} {self.what}{self.advice and f'; {self.advice}'}"


def about(seconds: float) -> str:
    """Return an estimated time as text, in two digits and a suitable unit."""
    size, unit = next((size, unit) for below, size, unit in UNITS if seconds < below)
    return f"about {float(f'{seconds / size:.2g}'):g} {unit}"


@dataclass
class Forecaster:
    """Makes the forecast of a run of so many iterations, once, from the times at which its iterations were made.

    Attributes:
        iterations: how many this call is to make.
        last: the number of the last of them.
        steady: whether all iterations take about as long.
        limit: the seconds that the call may take, beyond which a forecast says nothing new.
        without_cluster: the seconds that a tree takes without the cluster, where there is one.
    """

    iterations: int
    last: int
    steady: bool
    limit: float = math.inf
    without_cluster: float | None = None
    _moments: list[float] = field(default_factory=list)
    _told: bool = False

    def after(self, seconds: float, to_conclude: float = 0.0, steps: int = 1) -> Forecast | None:
        """Take note that the next iterations were made after so many seconds; return the forecast when it is due.

        Args:
            seconds: how long the call has worked.
            to_conclude: about how long it would take to conclude the run now.
            steps: how many iterations were made since the last call: each took as long as the others.
        """
        if self._told:
            return None
        before = self._moments[-1] if self._moments else seconds
        self._moments += [seconds - (seconds - before) * left / steps for left in reversed(range(steps))]
        made, worked = len(self._moments), seconds - self._moments[0]
        few = self.iterations < FEW_ITERATIONS and not self.steady
        least = LEAST_STEADY if self.steady else LEAST_OF_FEW if few else LEAST_ITERATIONS
        if made < least or worked < LEAST_WORK or (made < self.iterations * LEAST_SHARE and worked < LATEST):
            return None
        self._told = True
        conclusion = to_conclude * self.iterations / made
        left = self._left() + conclusion
        advice = self._on_cluster()
        worth_telling = WORTH_TELLING_OF_FEW if few and made < LEAST_ITERATIONS else WORTH_TELLING
        if (left < worth_telling or seconds + left > self.limit) and not advice:
            return None
        return Forecast(seconds + left, f"to iteration {self.last:,}", advice)

    def _pace(self) -> float:
        """Return the seconds that an iteration took of late.

        Of few that differ it is the middle one, since a single slow one would count too much.
        """
        if not self.steady and len(self._moments) < LEAST_ITERATIONS:
            return float(np.median(np.diff(self._moments)))
        half = len(self._moments) // 2
        return (self._moments[-1] - self._moments[half - 1]) / (len(self._moments) - half)

    def _left(self) -> float:
        """Return about how long the iterations take that are still to be made."""
        made, in_all, pace = len(self._moments), self.iterations, self._pace()
        if self.steady:
            return (in_all - made) * pace
        centre = CENTRE * made
        lowest = min(max(float(made), centre * FLOOR ** (-1 / DECAY)), float(in_all))  # from there on at the floor
        falling = pace * centre**DECAY / (1 - DECAY) * (lowest ** (1 - DECAY) - made ** (1 - DECAY))
        return falling + (in_all - lowest) * FLOOR * pace

    def _on_cluster(self) -> str:
        """Return that the cluster does not pay, where it does not."""
        if self.without_cluster is None or self._pace() <= self.without_cluster:
            return ""
        return (
            f"the cluster does not pay here: {about(self._pace())} an iteration with it, "
            f"{about(self.without_cluster)} or less without it"
        )


def foretelling(
    solver: Solver, limits: Limits, deadline: Deadline, tell: Callable[[Forecast], None] | None
) -> Callable[[float, int], None]:
    """Return what is to be called after some iterations, with the seconds of this call; it tells the forecast once.

    How long the first iteration takes is told at once where it takes long.
    """
    forecaster = None if tell is None else _forecaster(solver, limits, deadline, tell)

    def after(seconds: float, steps: int = 1) -> None:
        if forecaster is not None and tell is not None:
            forecast = forecaster.after(seconds, solver.seconds_to_conclude, steps)
            if forecast is not None:
                tell(forecast)

    return after


def _forecaster(
    solver: Solver, limits: Limits, deadline: Deadline, tell: Callable[[Forecast], None]
) -> Forecaster | None:
    """Return what makes the forecast of a run, or None where there can be none.

    Nobody knows when a run ends that is to reach an epsilon, and how long the exact solver takes.
    """
    problem = solver.problem
    if limits.iterations is None or limits.epsilon is not None or limits.iterations <= solver.iteration:
        return None
    limit = math.inf if limits.seconds is None else limits.seconds
    to_make = limits.iterations - solver.iteration
    if isinstance(problem, KeptTreesProblem):
        return Forecaster(to_make, limits.iterations, False, limit)
    if not isinstance(problem, GreedyProblem):
        return None
    engine, builder = problem.engine, problem.builder
    try:
        if builder is not engine and not isinstance(builder, IncrementalTrees):  # a cluster's
            engine.warm_up()
            return Forecaster(to_make, limits.iterations, True, limit, seconds_of_tree(engine, deadline))
        if is_large(engine) and (first := seconds_of_tree(engine, deadline)) < limit:
            tell(Forecast(first, "for the first iteration"))
    except DeadlinePassed:  # the time that was given is over: the run says so
        return None
    return Forecaster(to_make, limits.iterations, builder is engine, limit)


def is_large(engine: GreedyEngine) -> bool:
    """Tell whether a game is so large that a tree takes seconds."""
    return len(engine.game.guesses) * len(engine.game.secrets) > MANY_PAIRS


def seconds_of_tree(engine: GreedyEngine, deadline: Deadline, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return about how many seconds a greedy tree takes here, or raise `DeadlinePassed`.

    Of a small game that is the better of two. Of a large one it follows from trees for samples of the secrets, which
    take a few hundredths of it.
    """
    secrets = engine.game.all_secrets
    weights = np.ones(len(secrets), dtype=np.int64)
    engine.answers_by(deadline)

    def taken(every: int) -> float:
        began = clock()
        engine.depths_from(weights, secrets[::every], deadline)
        return max(clock() - began, LEAST_TAKEN)

    if not is_large(engine):
        return min(taken(1), taken(1))
    fewer, more = map(taken, SAMPLES)
    growth = math.log(more / fewer) / math.log(SAMPLES[0] / SAMPLES[1])
    return more * SAMPLES[1] ** min(max(growth, 1.0), MOST_GROWTH)
