"""Worker threads for what takes a while, such as advice: equal work is done once, and results are cached.

The compiled kernels release Python's lock, so that other requests are answered while these threads work.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from oracular.web.errors import RequestError
from oracular.web.fair_queue import RETRY_SECONDS, FairQueue, Job, too_much_advice
from oracular.web.visitors import SERVER, Visitor

T = TypeVar("T")


def _server_stopping() -> RequestError:
    return RequestError(503, "the server is being stopped: try again when it is back")


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
        self, key: Hashable, work: Callable[[], T], visitor: Visitor = SERVER, always: bool = False
    ) -> Future[T]:
        """Return a future for the result of some work; it is done already where the result is cached.

        Equal keys must mean equal work. Work that comes when too much waits is refused, unless it is to be done `always`.
        """
        with self._lock:
            waiting, cached = self._queue.jobs.get(key), self._cache.get(key)
            if waiting is not None:
                if self._queue.length(visitor) < self._max_per_browser:
                    self._queue.add(waiting, visitor)
                return waiting.future
            if cached is not None:
                self._cache.move_to_end(key)
                return cached
            if self._stopped:
                raise _server_stopping()
            if not always:
                self._require_room(visitor)
            job = Job(key, work)
            self._queue.add(job, visitor)
            self._cache[key] = job.future
            while len(self._cache) > self._max_cached:
                self._cache.popitem(last=False)
            job.future.add_done_callback(lambda done: self._forget_failure(key, done))
            self._pool.submit(self._do_next)
        return job.future

    async def run(self, key: Hashable, work: Callable[[], T], visitor: Visitor = SERVER) -> T:
        """Return the result of some work, without blocking the event loop; see `submit`."""
        outcome = asyncio.wrap_future(self.submit(key, work, visitor))
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

    def _require_room(self, visitor: Visitor) -> None:
        """Make room for one more job of a visitor, or raise an error where there is none."""
        if self._queue.length(visitor) >= self._max_per_browser:
            raise too_much_advice()
        if self._running + len(self._queue.jobs) >= self._max_jobs and not self._queue.make_room(visitor):
            message = "too many people ask for advice at once: try again in a moment"
            raise RequestError(503, message, retry_after=RETRY_SECONDS)

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
