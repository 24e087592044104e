"""Jobs that wait for a worker, in a queue for each visitor, so that nobody can hold up the others.

The queues are served in turn: first by address, and at one address by browser. A job that several visitors ask for
stands in the queue of each, and is done once.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from oracular.web.errors import RequestError
from oracular.web.visitors import Visitor

RETRY_SECONDS = 2
"""When to ask again for advice that was refused."""


def too_much_advice() -> RequestError:
    """Return the error for a visitor who asks for too much at once."""
    return RequestError(429, "you ask for too much advice at once: try again in a moment", retry_after=RETRY_SECONDS)


@dataclass(eq=False)
class Job:
    """Work that waits."""

    key: Hashable
    work: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    visitors: set[Visitor] = field(default_factory=set)


class FairQueue:
    """The waiting jobs of all visitors; not safe for use from several threads at once."""

    def __init__(self) -> None:
        self.jobs: dict[Hashable, Job] = {}
        self._queues: dict[Visitor, OrderedDict[Hashable, Job]] = {}
        self._at_address: Counter[str | None] = Counter()  # the total length of the queues of an address
        self._turn = 0
        self._last_served: dict[Visitor | str | None, int] = {}  # the last turn of each visitor and each address

    def length(self, visitor: Visitor) -> int:
        """Return how many jobs a visitor waits for."""
        return len(self._queues.get(visitor, ()))

    def add(self, job: Job, visitor: Visitor) -> None:
        """Put a job at the end of a visitor's queue."""
        if visitor not in job.visitors:
            job.visitors.add(visitor)
            self.jobs[job.key] = job
            self._queues.setdefault(visitor, OrderedDict())[job.key] = job
            self._at_address[visitor.address] += 1

    def pop(self) -> Job | None:
        """Remove and return the first job of the queue that was served longest ago; None where no job waits."""
        if not self._queues:
            return None
        served = self._last_served
        visitor = min(self._queues, key=lambda one: (served.get(one.address, 0), served.get(one, 0)))
        self._turn += 1
        served[visitor] = served[visitor.address] = self._turn
        job = next(iter(self._queues[visitor].values()))
        for waiting in list(job.visitors):
            self._remove(job, waiting)
        return job

    def make_room(self, visitor: Visitor) -> bool:
        """Remove the last job of the longest queue, if that is longer than the visitor's own would become.

        Where nobody else waits for that job, its future gets the error 429. Return whether a job was removed.
        """
        longest = max(self._queues, key=self._size, default=None)
        own_size = (self._at_address[visitor.address] + 1, self.length(visitor) + 1)
        if longest is None or self._size(longest) <= own_size:
            return False
        job = next(reversed(self._queues[longest].values()))
        self._remove(job, longest)
        if not job.visitors:
            job.future.set_exception(too_much_advice())
        return True

    def _size(self, visitor: Visitor) -> tuple[int, int]:
        return self._at_address[visitor.address], self.length(visitor)

    def _remove(self, job: Job, visitor: Visitor) -> None:
        """Take a job out of a visitor's queue, and forget whatever has become empty."""
        job.visitors.discard(visitor)
        del self._queues[visitor][job.key]
        self._at_address[visitor.address] -= 1
        if not self._queues[visitor]:
            del self._queues[visitor]
            self._last_served.pop(visitor, None)
        if not self._at_address[visitor.address]:
            del self._at_address[visitor.address]
            self._last_served.pop(visitor.address, None)
        if not job.visitors:
            del self.jobs[job.key]
