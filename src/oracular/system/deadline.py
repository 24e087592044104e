"""Deadlines: a moment by which work is to end, handed down to whatever takes long.

Every loop that may take more than a tenth of a second asks the deadline it was given; compiled loops ask its `flag`.
What to do once it has passed is up to whoever set it: a search gives the best so far, a step of a solver is dropped as
if it had not been begun.
"""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.system.files import cut

T = TypeVar("T")


class Stopped(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised inside work that is to end before it is finished; whoever ends it catches this."""


class DeadlinePassed(Stopped):
    """Raised inside work that cannot be finished in time."""


@dataclass(frozen=True)
class Deadline:
    """A moment by which work is to end.

    Attributes:
        moment: by the monotonic clock, in seconds; infinite where there is no hurry.
    """

    moment: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline so many seconds from now; None stands for no deadline."""
        return NEVER if seconds is None else cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds until the deadline: 0 once it has passed, infinite where there is none."""
        return math.inf if self.moment == math.inf else max(0.0, self.moment - time.monotonic())

    @property
    def passed(self) -> bool:
        """Whether the deadline has passed."""
        return self.left == 0.0

    @cached_property
    def flag(self) -> NDArray[np.uint8]:
        """One number [1] that turns from 0 to 1 when the deadline passes.

        Compiled code cannot ask the clock; it looks at this number inside its long loops instead. A thread sets it, so
        the code must not hold Python's lock meanwhile (`nogil`).
        """
        flag = np.full(1, self.passed, dtype=np.uint8)
        if self.moment < math.inf:
            timer = threading.Timer(min(self.left, threading.TIMEOUT_MAX), flag.fill, (1,))
            timer.daemon = True
            timer.start()
            weakref.finalize(self, timer.cancel)  # nobody waits for a deadline that is forgotten
        return flag

    def check_flag(self) -> None:
        """Raise `DeadlinePassed` where compiled code may have stopped early: it asked the flag, not the clock."""
        if self.flag[0]:
            raise DeadlinePassed

    def later(self, seconds: float) -> Deadline:
        """Return the deadline put off by so many seconds, or brought forward where they are negative."""
        return Deadline(self.moment + seconds) if seconds and self.moment < math.inf else self

    def or_after(self, seconds: float) -> Deadline:
        """Return this deadline, or the one so many seconds from now, whichever comes first."""
        return Deadline(min(self.moment, time.monotonic() + seconds))

    def check(self) -> None:
        """Raise `DeadlinePassed` once the deadline has passed."""
        if self.passed:
            raise DeadlinePassed

    def within(self, items: Iterable[T]) -> Iterator[T]:
        """Yield items, and raise `DeadlinePassed` at the first one after the deadline."""
        for item in items:
            self.check()
            yield item


NEVER = Deadline()
"""The deadline that never passes."""


def is_finite(value: object) -> bool:
    """Tell whether a limit is an ordinary number: no truth value, not infinite, not NaN."""
    return type(value) is not bool and isinstance(value, Real) and math.isfinite(value)


def check_seconds(seconds: float | None) -> None:
    """Raise an error unless this is a time that work may take, or None."""
    if seconds is not None and not (is_finite(seconds) and seconds > 0):
        raise SettingsError(f"a time of {cut(seconds)} seconds asked for: give a number above 0")
