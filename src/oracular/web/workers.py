"""Worker threads for what takes a while, such as advice: equal work is done once, and results are cached.

The compiled kernels release Python's lock, so that other requests are answered while these threads work.

Jobs wait in a queue for each visitor, so that nobody can hold up the others. The queues are served in turn: first by
address, and at one address by browser. A job that several visitors ask for stands in the queue of each, and is done
once. A move never makes way for advice: advice makes way for it.

A visitor who has something waiting already, or whose address has, is refused with 429. One who has nothing waiting is
refused with 503: then the server as a whole is full.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from oracular.web.errors import RequestError
from oracular.web.visitors import SERVER, Visitor

T = TypeVar("T")

RETRY_SECONDS = 2
"""When to ask again for advice that was refused."""


def _server_stopping() -> RequestError:
    return RequestError(503, "the server is being stopped: try again when it is back")


def _too_much(is_move: bool) -> RequestError:
    """Return the error for a visitor who has, or whose address has, too much waiting."""
    what = "make too many moves" if is_move else "ask for too much advice"
    return RequestError(429, f"you {what} at once: try again in a moment", retry_after=RETRY_SECONDS)


def _server_full(is_move: bool) -> RequestError:
    """Return the error for a visitor for whom there is no room though they have nothing waiting."""
    busy = "the server is busy" if is_move else "too many people ask for advice at once"
    return RequestError(503, f"{busy}: try again in a moment", retry_after=RETRY_SECONDS)


@dataclass(eq=False)
class Job:
    """Work that waits: advice, or a move in a match."""

    key: Hashable
    work: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    visitors: set[Visitor] = field(default_factory=set)
    is_move: bool = False


class FairQueue:
    """The waiting jobs of all visitors, at most a few dozen; not safe for use from several threads at once."""

    def __init__(self) -> None:
        self.jobs: dict[Hashable, Job] = {}
        self._turn = 0
        self._last_served: dict[Visitor | str | None, int] = {}  # the last turn of each visitor and each address

    def length(self, visitor: Visitor) -> int:
        """Return how many jobs a visitor waits for."""
        return sum(visitor in job.visitors for job in self.jobs.values())

    def waits_already(self, visitor: Visitor) -> bool:
        """Return whether a visitor, or another one at the same address, waits for a job."""
        at_address, own = self._size(visitor)
        return own > 0 or (visitor.address is not None and at_address > 0)

    def add(self, job: Job, visitor: Visitor) -> None:
        """Let a visitor wait for a job."""
        job.visitors.add(visitor)
        self.jobs[job.key] = job

    def pop(self) -> Job | None:
        """Remove and return the first job of the visitor who was served longest ago; None if no job waits."""
        if not self.jobs:
            return None
        served = self._last_served
        visitor, job = min(self._waits(), key=lambda wait: (served.get(wait[0].address, 0), served.get(wait[0], 0)))
        self._turn += 1
        served[visitor] = served[visitor.address] = self._turn
        del self.jobs[job.key]
        waiting = {who for one, _ in self._waits() for who in (one, one.address)}
        self._last_served = {who: turn for who, turn in served.items() if who in waiting}
        return job

    def make_room(self, visitor: Visitor, for_move: bool = False) -> bool:
        """Remove the last job of the longest queue, if that is longer than the visitor's own would become.

        It is the last advice; only for a move, and if there is no advice in that queue, it is the last move. If nobody
        else waits for that job, its future gets an error. Return whether a job was removed.
        """
        jobs = {one: self._last(one, for_move) for one, _ in self._waits()}
        longest = max((one for one, job in jobs.items() if job is not None), key=self._size, default=None)
        at_address, own = self._size(visitor)
        if longest is None or self._size(longest) <= (at_address + 1, own + 1):
            return for_move and self.drop_advice(visitor)
        self._turn_away(jobs[longest], longest)
        return True

    def drop_advice(self, visitor: Visitor) -> bool:
        """Remove the last advice that a visitor waits for; return whether there was any."""
        job = self._last(visitor, moves_too=False)
        if job is not None:
            self._turn_away(job, visitor)
        return job is not None

    def _waits(self) -> list[tuple[Visitor, Job]]:
        """Return everybody who waits, with what they wait for; the oldest jobs first."""
        return [(visitor, job) for job in self.jobs.values() for visitor in job.visitors]

    def _last(self, visitor: Visitor, moves_too: bool) -> Job | None:
        """Return the last advice that a visitor waits for; if there is none and `moves_too`, the last move."""
        jobs = [job for job in reversed(self.jobs.values()) if visitor in job.visitors]
        return next((job for job in jobs if not job.is_move), jobs[0] if jobs and moves_too else None)

    def _turn_away(self, job: Job | None, visitor: Visitor) -> None:
        """Let a visitor no longer wait for a job; if nobody else does, its future gets an error."""
        assert job is not None
        job.visitors.discard(visitor)
        if not job.visitors:
            del self.jobs[job.key]
            job.future.set_exception(_too_much(job.is_move))

    def _size(self, visitor: Visitor) -> tuple[int, int]:
        """Return how many jobs are waited for at a visitor's address, and how many by the visitor."""
        return sum(one.address == visitor.address for one, _ in self._waits()), self.length(visitor)


class WorkerPool:
    """A pool of threads with a fair queue before it and a cache of the latest results.

    `max_waiting_per_browser` is all of `max_waiting` where it is None.
    """

    def __init__(self, threads: int, max_waiting: int, cached: int, max_waiting_per_browser: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="worker")
        self._max_jobs = threads + max_waiting
        self._max_per_browser = max_waiting if max_waiting_per_browser is None else max_waiting_per_browser
        self._max_cached = cached
        self._lock = threading.RLock()  # reentrant: `make_room` sets an exception, whose callback takes the lock
        self._cache: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._queue = FairQueue()
        self._running = 0
        self._stopped = False
        self._awaited: set[asyncio.Future[Any]] = set()

    @property
    def waiting(self) -> int:
        """How many jobs have not begun."""
        with self._lock:
            return len(self._queue.jobs)

    def submit(
        self,
        key: Hashable,
        work: Callable[[], T],
        visitor: Visitor = SERVER,
        always: bool = False,
        is_move: bool = False,
    ) -> Future[T]:
        """Return a future for the result of some work; it is done already where the result is cached.

        Equal keys must mean equal work. Work is refused when too much waits, unless it is to be done `always`. A move
        needs a key of its own, and is not cached.
        """
        with self._lock:
            waiting, known = self._queue.jobs.get(key), self._cache.get(key)
            if waiting is not None:
                if self._queue.length(visitor) < self._max_per_browser:
                    self._queue.add(waiting, visitor)
                return waiting.future
            if known is not None:
                self._cache.move_to_end(key)
                return known
            if self._stopped:
                raise _server_stopping()
            if not always:
                self._require_room(visitor, is_move)
            job = Job(key, work, is_move=is_move)
            self._queue.add(job, visitor)
            if not is_move:
                self._cache[key] = job.future
            while len(self._cache) > self._max_cached:
                self._cache.popitem(last=False)
            job.future.add_done_callback(lambda done: self._forget_failure(key, done))
            self._pool.submit(self._do_next)
        return job.future

    async def run(self, key: Hashable, work: Callable[[], T], visitor: Visitor = SERVER, is_move: bool = False) -> T:
        """Return the result of some work, without blocking the event loop; see `submit`."""
        outcome = asyncio.wrap_future(self.submit(key, work, visitor, is_move=is_move))
        outcome.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio logs it as unseen
        answer = asyncio.shield(outcome)
        self._awaited.add(answer)
        try:
            return await answer
        except asyncio.CancelledError:
            if self._stopped:
                raise _server_stopping() from None
            raise
        finally:
            self._awaited.discard(answer)

    def stop(self) -> None:
        """Refuse new work, and cancel the waiting of everybody in `run`; call it on the event loop's thread."""
        self._stopped = True
        for answer in list(self._awaited):
            answer.cancel()

    def close(self) -> None:
        """Begin no more work, and wait for the end of the work that has begun."""
        self._stopped = True
        with self._lock:
            for job in list(self._queue.jobs.values()):
                job.future.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _require_room(self, visitor: Visitor, is_move: bool) -> None:
        """Make room for one more job of a visitor, or raise an error where there is none."""
        if self._queue.length(visitor) >= self._max_per_browser and not (is_move and self._queue.drop_advice(visitor)):
            raise _too_much(is_move)
        if self._running + len(self._queue.jobs) >= self._max_jobs and not self._queue.make_room(visitor, is_move):
            raise _too_much(is_move) if self._queue.waits_already(visitor) else _server_full(is_move)

    def _do_next(self) -> None:
        """Do the next job; there may be none left, since jobs that wait can be removed."""
        with self._lock:
            job = self._queue.pop()
            if job is None or not job.future.set_running_or_notify_cancel():
                return
            self._running += 1
        try:
            result = job.work()
        except BaseException as error:
            self._count_as_done()
            job.future.set_exception(error)
        else:
            self._count_as_done()
            job.future.set_result(result)

    def _count_as_done(self) -> None:
        """Free the place of a job, before anybody learns its result and asks for more."""
        with self._lock:
            self._running -= 1

    def _forget_failure(self, key: Hashable, future: Future[Any]) -> None:
        """Remove work that failed from the cache, so that it is tried again."""
        with self._lock:
            failed = future.cancelled() or future.exception() is not None
            if failed and self._cache.get(key) is future:
                del self._cache[key]
