"""Work that takes a while: done on a few threads of its own, once for all who ask the same, and remembered.

The compiled kernels run without Python's lock on these threads, so requests for cheap things are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from oracular.web.refusals import Refusal

T = TypeVar("T")


def _stopping() -> Refusal:
    return Refusal(503, "the server is being stopped: try again when it is back")


class Thinker:
    """A pool of threads and a memory of what was asked last."""

    def __init__(self, threads: int, most_waiting: int, kept: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="thinking")
        self._most = threads + most_waiting
        self._kept = kept
        self._lock = threading.Lock()
        self._memory: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._under_way = 0
        self._stopped = False
        self._waiting: set[asyncio.Future[Any]] = set()

    def ask(self, key: Hashable, work: Callable[[], T], patient: bool = False) -> Future[T]:
        """Return the outcome of the work, in the making or from memory; equal keys must mean equal work.

        Args:
            key: what is asked.
            work: how to work it out.
            patient: whether to wait however many others do; otherwise one too many is turned away.
        """
        with self._lock:
            known = self._memory.get(key)
            if known is not None:
                self._memory.move_to_end(key)
                return known
            if self._stopped:
                raise _stopping()
            if self._under_way >= self._most and not patient:
                raise Refusal(503, "too many ask for advice at once: try again in a moment")
            self._under_way += 1
            future = self._pool.submit(work)
            self._memory[key] = future
            while len(self._memory) > self._kept:
                self._memory.popitem(last=False)
        future.add_done_callback(lambda done: self._finished(key, done))
        return future

    async def think(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the outcome of the work, without holding up anybody else."""
        outcome = asyncio.wrap_future(self.ask(key, work))
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
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _finished(self, key: Hashable, future: Future[Any]) -> None:
        """Forget work that failed, so that it is tried again when it is asked again."""
        with self._lock:
            self._under_way -= 1
            failed = future.cancelled() or future.exception() is not None
            if failed and self._memory.get(key) is future:
                del self._memory[key]
