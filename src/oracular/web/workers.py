"""Worker threads for what takes a while, such as advice: visitors take turns, and results are cached.

The compiled kernels release Python's lock, so that other requests are answered while these threads work.

Nobody can hold up the others: a visitor has at most as many jobs before the threads as there are threads, and what else
the visitor asks for waits for its turn. So do all visitors of one address together. A visitor or an address with too
much waiting is refused.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from oracular.web.errors import RequestError
from oracular.web.guard import Visitor

T = TypeVar("T")

_CACHED = 1024
_RETRY_SECONDS = 2
"""When to ask again for what was refused."""


class WorkerPool:
    """A pool of threads that visitors take turns at, and a cache of the latest results; for use on one event loop."""

    def __init__(self, threads: int, max_waiting_per_browser: int, max_waiting_per_address: int) -> None:
        self._threads = threads
        self._most = (max_waiting_per_browser + threads, max_waiting_per_address + threads)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="worker")
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._running: dict[Hashable, asyncio.Future[Any]] = {}
        self._asked: Counter[Hashable] = Counter()
        self._turns: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @property
    def asked(self) -> int:
        """How many requests wait for a result or for their turn."""
        return sum(count for who, count in self._asked.items() if isinstance(who, Visitor))

    def remember(self, key: Hashable, result: object) -> None:
        """Add a result to the cache."""
        self._results[key] = result
        while len(self._results) > _CACHED:
            self._results.popitem(last=False)

    async def advise(self, key: Hashable, work: Callable[[], T], visitor: Visitor) -> T:
        """Return the result of some work, which is cached; equal keys must mean equal work."""
        if key not in self._results:
            async with self._turn(visitor, "ask for too much advice"):
                if key not in self._results:
                    self.remember(key, await self._done(key, work))
                return self._known(key)
        return self._known(key)

    def _known(self, key: Hashable) -> Any:
        self._results.move_to_end(key)
        return self._results[key]

    async def move(self, work: Callable[[], T], visitor: Visitor) -> T:
        """Return the result of a move in a match; moves and advice of a visitor do not wait for each other."""
        async with self._turn(visitor._replace(moves=True), "make too many moves"):
            return await self._done(object(), work)

    def close(self) -> None:
        """Begin no more work, and wait for the end of the work that has begun."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def _done(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the result of work that begins now, or that has begun already under the same key."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = asyncio.get_running_loop().run_in_executor(self._pool, work)
            running.add_done_callback(partial(self._end, key))
        return await asyncio.shield(running)  # somebody who breaks off does not end what others may wait for

    def _end(self, key: Hashable, done: asyncio.Future[Any]) -> None:
        del self._running[key]
        if not done.cancelled():
            done.exception()  # or asyncio logs one that nobody waits for any more

    @asynccontextmanager
    async def _turn(self, visitor: Visitor, what: str) -> AsyncIterator[None]:
        """Wait for the turn of a visitor, then for that of the visitor's address; raise an error if too many wait."""
        places: list[tuple[Hashable, int]] = [(visitor, self._most[0])]
        if visitor.address is not None:
            places.append(((visitor.address, visitor.moves), self._most[1]))
        if any(self._asked[who] >= most for who, most in places):
            raise RequestError(429, f"you {what} at once: try again in a moment", retry_after=_RETRY_SECONDS)
        async with AsyncExitStack() as stack:
            for who, _ in places:
                self._asked[who] += 1
                stack.callback(self._leave, who)
            for who, _ in places:
                turns = self._turns.setdefault(who, asyncio.Semaphore(self._threads))
                await stack.enter_async_context(turns)
            yield

    def _leave(self, who: Hashable) -> None:
        self._asked[who] -= 1
        if not self._asked[who]:
            del self._asked[who]
