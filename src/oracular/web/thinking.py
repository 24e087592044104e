"""Work that takes a while: done on a few threads of its own, once for all who ask the same, and remembered.

The compiled kernels run without Python's lock on these threads, so requests for cheap things are answered meanwhile.
Whoever asks stands in a line of their own, and the lines are served in turn: address by address, and at one address
browser by browser. A line has a largest length. Where all places are taken, the last of the longest line has to go.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from oracular.web.refusals import Refusal
from oracular.web.visitors import HOUSE, Visitor

T = TypeVar("T")

SECONDS_TO_RETRY = 2
"""When to ask for advice again that was refused."""


def _stopping() -> Refusal:
    return Refusal(503, "the server is being stopped: try again when it is back")


def _flooding() -> Refusal:
    return Refusal(429, "you ask for too much advice at once: try again in a moment", retry=SECONDS_TO_RETRY)


@dataclass(eq=False)
class _Job:
    """A piece of work that waits.

    Attributes:
        key: what is asked.
        work: how to work it out.
        future: its outcome.
        askers: in whose lines it stands.
    """

    key: Hashable
    work: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    askers: set[Visitor] = field(default_factory=set)


class _Lines:
    """Pieces of work that wait, in lines; one that several ask for stands in the line of each."""

    def __init__(self) -> None:
        self.jobs: dict[Hashable, _Job] = {}
        self._lines: dict[Visitor, OrderedDict[Hashable, _Job]] = {}
        self._at: Counter[str | None] = Counter()  # how many stand in the lines of an address
        self._turn = 0
        self._served: dict[Visitor | str | None, int] = {}  # when a browser or an address was served last

    def length(self, who: Visitor) -> int:
        """Return how many pieces of work somebody waits for."""
        return len(self._lines.get(who, ()))

    def add(self, job: _Job, who: Visitor) -> None:
        """Put a piece of work at the end of somebody's line."""
        if who not in job.askers:
            job.askers.add(who)
            self.jobs[job.key] = job
            self._lines.setdefault(who, OrderedDict())[job.key] = job
            self._at[who.address] += 1

    def next(self) -> _Job | None:
        """Take out what is to be done next: from the line that was served the longest ago."""
        if not self._lines:
            return None
        who = min(self._lines, key=lambda one: (self._served.get(one.address, 0), self._served.get(one, 0)))
        self._turn += 1
        self._served[who] = self._served[who.address] = self._turn
        job = next(iter(self._lines[who].values()))
        for asker in list(job.askers):
            self._leave(job, asker)
        return job

    def make_room(self, who: Visitor) -> bool:
        """Take the last out of the longest line, if it is longer than a newcomer's would be; tell whether it was.

        Where nobody else asks for it, whoever waits for it is told that they ask for too much.
        """
        longest = max(self._lines, key=self._size, default=None)
        mine = (self._at[who.address] + 1, self.length(who) + 1)
        if longest is None or self._size(longest) <= mine:
            return False
        job = next(reversed(self._lines[longest].values()))
        self._leave(job, longest)
        if not job.askers:
            job.future.set_exception(_flooding())
        return True

    def _size(self, who: Visitor) -> tuple[int, int]:
        return self._at[who.address], self.length(who)

    def _leave(self, job: _Job, who: Visitor) -> None:
        job.askers.discard(who)
        del self._lines[who][job.key]
        self._at[who.address] -= 1
        if not self._lines[who]:
            del self._lines[who]
            self._served.pop(who, None)
        if not self._at[who.address]:
            del self._at[who.address]
            self._served.pop(who.address, None)
        if not job.askers:
            del self.jobs[job.key]


class Thinker:
    """A pool of threads and a memory of what was asked last."""

    def __init__(self, threads: int, most_waiting: int, kept: int, most_waiting_a_browser: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="thinking")
        self._most = threads + most_waiting
        self._most_each = most_waiting if most_waiting_a_browser is None else most_waiting_a_browser
        self._kept = kept
        self._lock = threading.RLock()  # who is turned away may be heard of while it is held
        self._memory: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lines = _Lines()
        self._running = 0
        self._stopped = False
        self._waiting: set[asyncio.Future[Any]] = set()

    @property
    def waiting(self) -> int:
        """How many pieces of work have not begun."""
        with self._lock:
            return len(self._lines.jobs)

    def ask(self, key: Hashable, work: Callable[[], T], who: Visitor = HOUSE, patient: bool = False) -> Future[T]:
        """Return the outcome of the work, in the making or from memory; equal keys must mean equal work.

        Args:
            key: what is asked.
            work: how to work it out.
            who: who asks.
            patient: whether to wait however many others do; otherwise one too many is turned away.
        """
        with self._lock:
            waiting, known = self._lines.jobs.get(key), self._memory.get(key)
            if waiting is not None:
                if self._lines.length(who) < self._most_each:
                    self._lines.add(waiting, who)
                return waiting.future
            if known is not None:
                self._memory.move_to_end(key)
                return known
            if self._stopped:
                raise _stopping()
            if not patient:
                self._expect_room(who)
            job = _Job(key, work)
            self._lines.add(job, who)
            self._memory[key] = job.future
            while len(self._memory) > self._kept:
                self._memory.popitem(last=False)
            job.future.add_done_callback(lambda done: self._finished(key, done))
            self._pool.submit(self._work)
        return job.future

    def _expect_room(self, who: Visitor) -> None:
        """Turn somebody away who asks for too much, or make room for them."""
        if self._lines.length(who) >= self._most_each:
            raise _flooding()
        if self._running + len(self._lines.jobs) >= self._most and not self._lines.make_room(who):
            raise Refusal(503, "too many ask for advice at once: try again in a moment", retry=SECONDS_TO_RETRY)

    def _work(self) -> None:
        """Work out what is next; there may be nothing left of what there was when this was asked for."""
        with self._lock:
            job = self._lines.next()
            if job is None or not job.future.set_running_or_notify_cancel():
                return
            self._running += 1
        try:
            outcome = job.work()
        except BaseException as error:
            self._end()
            job.future.set_exception(error)
        else:
            self._end()
            job.future.set_result(outcome)

    def _end(self) -> None:
        """Free a place, before anybody hears of it."""
        with self._lock:
            self._running -= 1

    async def think(self, key: Hashable, work: Callable[[], T], who: Visitor = HOUSE) -> T:
        """Return the outcome of the work, without holding up anybody else."""
        outcome = asyncio.wrap_future(self.ask(key, work, who))
        outcome.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be left to hear it
        answer = asyncio.shield(outcome)
        self._waiting.add(answer)
        try:
            return await answer
        except asyncio.CancelledError:
            if self._stopped:
                raise _stopping() from None
            raise
        finally:
            self._waiting.discard(answer)

    def stop(self) -> None:
        """Turn away everybody who waits, and whoever comes; to be called where the event loop runs."""
        self._stopped = True
        for answer in list(self._waiting):
            answer.cancel()

    def close(self) -> None:
        """Begin no more work, and wait for the end of what is under way."""
        self._stopped = True
        with self._lock:
            for job in list(self._lines.jobs.values()):
                job.future.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _finished(self, key: Hashable, future: Future[Any]) -> None:
        """Forget work that failed, so that it is tried again when it is asked again."""
        with self._lock:
            failed = future.cancelled() or future.exception() is not None
            if failed and self._memory.get(key) is future:
                del self._memory[key]
