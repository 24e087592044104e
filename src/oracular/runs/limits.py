"""When a run stops: its limits, its clock, and Ctrl-C; and what observers of a run see meanwhile."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from oracular.errors import SettingsError
from oracular.evaluation import AnyStanding
from oracular.objectives import Objective, mean
from oracular.runs.make_solver import Needs
from oracular.solvers.solver import Solver
from oracular.system.checking import checked
from oracular.system.deadline import NEVER, Deadline, check_seconds, is_finite
from oracular.system.files import cut

DEFAULT_ITERATIONS = 1000

SECONDS_AT_ONCE = 0.02
"""About how long steps made in one go may take: Ctrl-C and the user's callbacks wait for so long."""

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
        """Return which limit a solver has reached, if any, with so many seconds left.

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

    def small_enough(self, objective: Objective) -> float:
        """Return the epsilon to stop at, as solvers measure it for an objective; where there is none, nothing is."""
        return -math.inf if self.epsilon is None else self.epsilon * objective.unit

    def steps_left(self, solver: Solver) -> float:
        """Return how many steps a solver has yet to make; infinite where that is not limited."""
        return math.inf if self.iterations is None else self.iterations - solver.iteration


@dataclass
class Pace:
    """How many steps are made in one go, so that they take about as long as they may.

    Attributes:
        seconds: how long they may take; with 0 every step is made by itself.
        steps: how many are to be made next: at first one, then at most twice as many as before.
    """

    seconds: float
    steps: int = 1

    def after(self, made: int, taken: float) -> None:
        """Take note that so many steps took so many seconds."""
        fitting = made * self.seconds / max(taken, 1e-9)
        self.steps = max(1, min(int(fitting), 2 * self.steps))


@dataclass(frozen=True)
class Progress:
    """What an observer sees after a step.

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


def _nothing(_: object) -> None:
    """Ignore the call."""


def _never() -> bool:
    """Return that nobody wants to stop."""
    return False


@checked
@dataclass(frozen=True)
class Observer:
    """Callbacks of a run; each of them may be left out.

    Attributes:
        step: called after every step.
        needs: called with the memory that fictitious play will need, before it begins.
        stop: asked before every step; when it answers True, the run ends as after Ctrl-C.
        pause: how many seconds may pass between two calls of `step`, and between two of `stop`. With 0 they are called
            at every step. With more, many short steps may be made in one go, and the calls come after the last of them.
    """

    step: Callable[[Progress], None] = _nothing
    needs: Callable[[Needs], None] = _nothing
    stop: Callable[[], bool] = _never
    pause: float = 0.0

    @property
    def patience(self) -> float:
        """How many seconds may pass without a call: any number where there is nothing to be called."""
        return math.inf if self.step is _nothing and self.stop is _never else self.pause


@dataclass(frozen=True)
class Clock:
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


def seconds_of(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes: the loading of code, which no limit counts."""
    began = time.monotonic()
    work()
    return time.monotonic() - began
