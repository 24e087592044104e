"""How long work is controlled from outside: by a deadline, by being cancelled, and by reports of its progress.

A function that may take long takes one `Control` and hands it down. Its loops call `check()` at least ten times a
second; compiled loops read `flag`. What is then done with unfinished work is up to whoever catches `Stopped`: a search
returns the best so far, a solver drops the step. `Threads` does work on several threads that ends in the same way.
"""

from __future__ import annotations

import math
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.system.files import cut

T = TypeVar("T")
Report_contra = TypeVar("Report_contra", contravariant=True)
Detail = TypeVar("Detail")
Batch = TypeVar("Batch")
Result = TypeVar("Result")

SECONDS_BETWEEN_REPORTS = 0.1

SECONDS_BETWEEN_CHECKS = 0.1
"""While threads work, whoever waits for them asks this often whether the work was cancelled."""


class Stopped(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised inside work that is to end before it is finished; whoever ends it catches this."""


class DeadlinePassed(Stopped):
    """Raised inside work that cannot be finished in time."""


class Cancelled(Stopped):
    """Raised inside work that was cancelled."""


@dataclass(frozen=True)
class Deadline:
    """A moment by which work is to end.

    Attributes:
        moment: by the monotonic clock, in seconds; infinite without a deadline.
    """

    moment: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the deadline that many seconds from now; None stands for no deadline."""
        return NEVER if seconds is None else cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """The seconds until the deadline: 0 once it has passed, infinite without one."""
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
        """Return the deadline put off by that many seconds, or brought forward if they are negative."""
        return Deadline(self.moment + seconds) if seconds and self.moment < math.inf else self

    def or_after(self, seconds: float) -> Deadline:
        """Return this deadline, or the one that many seconds from now, whichever comes first."""
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


def seconds_of(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes: loading code, say, which counts towards no limit."""
    began = time.monotonic()
    work()
    return time.monotonic() - began


def is_finite(value: object) -> bool:
    """Return whether a limit is an ordinary number: not a truth value, not infinite, not NaN."""
    return type(value) is not bool and isinstance(value, Real) and math.isfinite(value)


def check_seconds(seconds: float | None) -> None:
    """Raise an error unless this is a time that work may take, or None."""
    if seconds is not None and not (is_finite(seconds) and seconds > 0):
        raise SettingsError(f"a time of {cut(seconds)} seconds asked for: give a number above 0")


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

        The first report of a phase, which may be the last for long, must be made `always`.
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


class Threads(Generic[Result]):
    """Threads that work on what is submitted, until the `with` block is left; nothing runs on after that.

    Attributes:
        number: how many there are.
        control: what the work has to check. It ends when the outer control does, and when the block is left.
    """

    def __init__(self, number: int, outer: Control[Any]) -> None:
        self.number = number
        self._outer = outer
        deadline = Deadline(outer.deadline.moment)  # its own, whose flag can be raised at any moment
        self._flag = deadline.flag  # made before two threads can ask for it at once
        self.control: Control[object] = Control(deadline, lambda: bool(self._flag[0]))
        self._pool = ThreadPoolExecutor(number)
        self._running: set[Future[Result]] = set()

    def __enter__(self) -> Threads[Result]:
        return self

    def __exit__(self, *raised: object) -> None:
        self._flag.fill(1)
        self._pool.shutdown(cancel_futures=True)

    @property
    def running(self) -> int:
        """How much was submitted that `finished` has not returned yet."""
        return len(self._running)

    def submit(self, work: Callable[..., Result], *arguments: Any) -> None:
        """Begin some work as soon as a thread is free; `finished` returns what comes of it."""
        self._running.add(self._pool.submit(work, *arguments))

    def finished(self, timeout: float = SECONDS_BETWEEN_CHECKS) -> list[Result]:
        """Return the results since the last call, in any order; wait up to `timeout` seconds for the first.

        What the work raised is raised here.
        """
        done, self._running = wait(self._running, timeout, FIRST_COMPLETED)
        self._end_if_cancelled()
        return [future.result() for future in done]

    def in_turn(self, work: Callable[[Batch], Result], batches: Sequence[Batch]) -> Iterator[Result]:
        """Yield the results of batches, in their order; only a few batches are handed out ahead.

        Once the control has ended, only the results of those that were handed out are yielded.
        """
        ahead = 2 * self.number
        waiting = [self._pool.submit(work, batch) for batch in batches[:ahead]]
        while waiting:
            done, _ = wait(waiting[:1], SECONDS_BETWEEN_CHECKS)
            self._end_if_cancelled()
            if done:
                yield waiting.pop(0).result()
                if ahead < len(batches) and not self._flag[0]:
                    waiting.append(self._pool.submit(work, batches[ahead]))
                    ahead += 1

    def _end_if_cancelled(self) -> None:
        if not self._flag[0] and self._outer.cancelled():
            self._flag.fill(1)


# what follows is for the searches that do not take a `Control` yet

ShouldStop: TypeAlias = Callable[[], bool]
ShowProgress: TypeAlias = Callable[[str], None]
SECONDS_BETWEEN_LOOKS = SECONDS_BETWEEN_CHECKS


def never_stop() -> bool:
    """Return False: nobody stops the work."""
    return False


def show_nothing(text: str) -> None:
    """Ignore the text: nobody watches the work."""
