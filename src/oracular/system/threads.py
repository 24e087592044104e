"""Work on threads that ends as soon as nobody waits for it: the deadline, cancellation, an error, or enough of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from oracular.system.control import Control
from oracular.system.deadline import Deadline

Batch = TypeVar("Batch")
Result = TypeVar("Result")

SECONDS_BETWEEN_CHECKS = 0.1
"""While threads work, whoever waits for them asks this often whether the work was cancelled."""


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

    def finished(self) -> list[Result]:
        """Return the results since the last call, in any order; wait up to a tenth of a second for the first.

        What the work raised is raised here.
        """
        done, self._running = wait(self._running, SECONDS_BETWEEN_CHECKS, FIRST_COMPLETED)
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
