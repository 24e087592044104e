"""What a solver is: something that holds its state and makes one step at a time.

The driver in `oracular.runs.drive` owns the loop, so that every solver gets limits, progress, checkpoints, resume and
Ctrl-C without knowing of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.evaluation import AnyStanding, Standing, exact_dot
from oracular.problem import FullProblem
from oracular.system.control import NEVER, Deadline
from oracular.system.files import parse_fraction, read_as

Record: TypeAlias = dict[str, Any]
"""A step's record for the history, or a checkpoint: plain data by name."""

Arrays: TypeAlias = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The pair of strategies that a solver would return now.

    They are the small side's weights [size] and the large side's mix, of the problem's own type (`FullProblem.mixed`),
    with a proved lower bound on the value and the certificate that proves it, where the solver has them.
    """

    weights: NDArray[Any]
    mix: Any
    lower: Fraction | None = None
    certificate: Any = None


def proved_by(weights: NDArray[np.int64], payoffs: NDArray[np.int64]) -> Fraction:
    """Return the lower bound that a true best response with these payoffs to the small side's weights proves."""
    return Fraction(exact_dot(weights, payoffs), int(weights.sum()))


def proved_lower(history: Sequence[Mapping[str, Any]]) -> Fraction:
    """Return the best lower bound in a history, which every record repeats; `ValueError` where the last has none."""
    return parse_fraction(history[-1].get("lower"))


def standing_of(data: object, record: Mapping[str, Any]) -> Standing:
    """Return the standing that a checkpoint holds, or raise `ValueError` where it is not that of the step's record."""
    standing: Standing = read_as(Standing, data)
    if any(record[name] != figure for name, figure in vars(standing).items()):
        raise ValueError("the figures are not those of the history")
    return standing


class Solver(ABC):
    """An algorithm for strategies near equilibrium; its iteration is the last step made, counted from 0, or -1."""

    name: ClassVar[str]
    problem: FullProblem
    iteration: int

    @property
    def settings(self) -> dict[str, Any]:
        """What a run of it was begun with and must be continued with, as plain data: the problem's, unless more."""
        return self.problem.settings

    @property
    def best_iteration(self) -> int:
        """The step whose strategies would be returned: the last one, unless said otherwise."""
        return self.iteration

    @property
    @abstractmethod
    def best(self) -> AnyStanding:
        """How those strategies stand."""

    @property
    def stands(self) -> AnyStanding:
        """How the steps made so far stand: what limits are held against.

        It follows from the state that is kept, and `conclude` does not change it: so a run that is interrupted and
        resumed ends where it would have ended without a break.
        """
        return self.best

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to improve."""
        return False

    def warm_up(self) -> None:
        """Load or compile what the steps need: what responses need, unless said otherwise."""
        self.problem.warm_up()

    @abstractmethod
    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one step and return its record for the history: plain data, with the figures of a standing.

        Where the deadline passes first, `DeadlinePassed` is raised, and the state is what it was before the step.
        """

    def steps(self, most: int, small_enough: float = -math.inf, deadline: Deadline = NEVER) -> list[Record]:
        """Make one step or more, up to so many, and return their records: one, unless a solver makes many in one go.

        State and records are those of as many calls of `step`.

        Args:
            most: how many steps to make at most.
            small_enough: stop at the first step whose epsilon is this or less.
            deadline: when to stop; steps that were finished before are made. Where that is none, `DeadlinePassed` is
                raised, and the state is what it was before.
        """
        return [self.step(deadline)]

    @abstractmethod
    def checkpoint(self) -> dict[str, Any]:
        """Return the state as plain data; what the history has need not be in it."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the larger part of the state, if any: it is written less often."""
        return {}

    @abstractmethod
    def restore(
        self, checkpoint: Record, arrays: Arrays, history: Sequence[Record], deadline: Deadline = NEVER
    ) -> None:
        """Take up the state that `checkpoint` and `arrays` returned, with the records up to it.

        They come from a file, which may hold anything: what is no such state is a `ValueError` or a `RunError`. Where
        the deadline passes first, `DeadlinePassed` is raised, and the solver cannot be used.
        """

    @property
    def seconds_to_conclude(self) -> float:
        """About how long `conclude` would take now: so much of a limited time is left to it."""
        return 0.0

    def conclude(self, deadline: Deadline = NEVER) -> None:  # noqa: B027 - most solvers have nothing to conclude
        """Make the best of all that was found, at the end of a run, by the deadline.

        Going on later must not depend on it, nor may a conclusion that is finished depend on one that was cut off.
        """

    @property
    def is_concluded(self) -> bool:
        """Whether `conclude` has nothing left to do: the deadline did not cut it off, and no step came after it.

        It is saved with the state: a run whose conclusion was cut off is not finished.
        """
        return True

    @abstractmethod
    def outcome(self, history: Sequence[Record]) -> Outcome:
        """Return the strategies of the best step, with the records of all steps so far."""
