"""How long work is controlled from outside: by a deadline, by being cancelled, and by reports of its progress.

A function that may take long takes one `Control` and hands it down. Its loops call `check()` at least ten times a
second; compiled loops read `flag`. What is then done with unfinished work is up to whoever catches `Stopped`: a search
returns the best so far, a solver drops the step.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from oracular.system.deadline import NEVER, Deadline, Stopped

Report_contra = TypeVar("Report_contra", contravariant=True)
Detail = TypeVar("Detail")

SECONDS_BETWEEN_REPORTS = 0.1


class Cancelled(Stopped):
    """Raised inside work that was cancelled."""


def never() -> bool:
    """Return False: the work is not cancelled."""
    return False


def ignored(_: object) -> None:
    """Ignore a report."""


@dataclass(frozen=True, eq=False)
class Control(Generic[Report_contra]):
    """When long work ends, and who hears of its progress.

    Attributes:
        deadline: when the work ends at the latest.
        cancelled: called at least ten times a second; once it returns True, the work ends soon.
        on_report: called with the progress, at most ten times a second.
    """

    deadline: Deadline = NEVER
    cancelled: Callable[[], bool] = never
    on_report: Callable[[Report_contra], None] = ignored
    _next_report: list[float] = field(default_factory=lambda: [-math.inf], init=False, repr=False)

    @property
    def flag(self) -> NDArray[np.uint8]:
        """One number [1] for compiled code that turns from 0 to 1 when the deadline passes (`Deadline.flag`)."""
        return self.deadline.flag

    @property
    def ended(self) -> bool:
        """Whether the work was cancelled, or its deadline has passed."""
        return self.cancelled() or self.deadline.passed

    def check(self) -> None:
        """Raise `Cancelled` if the work was cancelled, `DeadlinePassed` if its time is up."""
        if self.cancelled():
            raise Cancelled
        self.deadline.check()

    def report(self, progress: Report_contra, *, always: bool = False) -> None:
        """Report progress, unless something was reported less than a tenth of a second ago.

        The first report of a phase, which may be the last for long, is to be made `always`.
        """
        now = time.monotonic()
        if always or now >= self._next_report[0]:
            self._next_report[0] = now + SECONDS_BETWEEN_REPORTS
            self.on_report(progress)

    def with_deadline(self, deadline: Deadline) -> Control[Report_contra]:
        """Return the same control with another deadline."""
        return Control(deadline, self.cancelled, self.on_report)

    def reporting(self, convert: Callable[[Detail], Report_contra]) -> Control[Detail]:
        """Return the control for a part of the work, whose reports are converted to those of the whole."""
        return Control(self.deadline, self.cancelled, lambda detail: self.on_report(convert(detail)))

    def silent(self) -> Control[object]:
        """Return the control for a part of the work whose progress is not reported."""
        return Control(self.deadline, self.cancelled)


UNLIMITED: Control[object] = Control()
"""The control of work that nobody ends or follows."""


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed; a second press interrupts at once.

    Only the main thread can know; in others it returns False.
    """
    if threading.current_thread() is not threading.main_thread():
        yield never
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
