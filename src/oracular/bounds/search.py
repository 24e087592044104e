"""Searches of many openings at a time, by threads of this process."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from oracular.bounds.engines import searches_of
from oracular.bounds.opening import OpeningBound, OpeningSearch, deepened, holds
from oracular.kernels.exact.tables import NO_BOUND
from oracular.strategies.hider import Hider
from oracular.system.control import NEVER, Deadline, DeadlinePassed, ShouldStop, ShowProgress, never_stop, show_nothing

FIRST_TRY = 0.5
"""Seconds for the first attempt to prove an opening again; if that is too little, all others are tried first."""


class OpeningSearcher(AbstractContextManager["OpeningSearcher"], Protocol):
    """Searches openings one ply deeper, several at a time: on threads of this process, or on a cluster."""

    @property
    def workers(self) -> int:
        """How many openings can be searched at a time."""

    @property
    def trusted(self) -> bool:
        """Whether the bounds count as proved by this process."""

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the deadline or the ceiling at most."""

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""


class ThreadSearcher:
    """Searches openings on threads of this process; what a search proves of one may be shared with the next.

    After it was closed it can be opened again, and its searches still know what they have proved.
    """

    trusted = True

    def __init__(self, hider: Hider, threads: int, *, sharing: bool = False) -> None:
        self.workers = threads
        self._searches = _Searches(hider, sharing=sharing)
        self._pool: ThreadPoolExecutor | None = None
        self._halted = threading.Event()
        self._running: set[Future[OpeningBound | None]] = set()

    def __enter__(self) -> ThreadSearcher:
        self._halted, self._running = threading.Event(), set()
        self._pool = ThreadPoolExecutor(self.workers)
        return self

    def __exit__(self, *raised: object) -> None:
        self._halted.set()
        if self._pool is not None:
            self._pool.shutdown()

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the deadline or the ceiling at most."""
        assert self._pool is not None  # only within the context
        self._running.add(self._pool.submit(self._deepen, known, deadline, ceiling))

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""
        done, self._running = wait(self._running, timeout=timeout, return_when=FIRST_COMPLETED)
        return [bound for future in done if (bound := future.result()) is not None]

    def _deepen(self, known: OpeningBound, deadline: Deadline, ceiling: int) -> OpeningBound | None:
        try:
            with self._searches.take(deadline) as search:
                return deepened(search, known, deadline, self._halted.is_set, ceiling)
        except DeadlinePassed:
            return None


class _Searches:
    """As many searches as threads ask for at a time, each made when it is first needed."""

    def __init__(self, hider: Hider, *, sharing: bool = False) -> None:
        self._new_search = searches_of(hider, sharing=sharing)
        self._free: deque[OpeningSearch] = deque()
        self._making = threading.Lock()  # what the searches have in common is worked out once

    @contextmanager
    def take(self, deadline: Deadline) -> Iterator[OpeningSearch]:
        """Give a search that nobody else uses meanwhile, until the deadline; raises `DeadlinePassed` after it."""
        deadline.check()
        try:
            search = self._free.pop()
        except IndexError:
            with self._making:
                search = self._new_search(deadline)
        search.deadline = deadline
        try:
            yield search
        finally:
            self._free.append(search)


def prove_again(
    hider: Hider,
    entries: Collection[OpeningBound],
    threads: int = 1,
    deadline: Deadline = NEVER,
    stop: ShouldStop = never_stop,
    progress: ShowProgress = show_nothing,
    *,
    sharing: bool = False,
) -> tuple[set[int], OpeningBound | None]:
    """Return the openings whose recorded bounds were proved again in time, and a bound that is false if any is.

    The order comes from the system's own randomness, so nobody can foresee which bounds will be re-checked. Openings
    that take long are put off.
    """
    order = list(entries)
    random.SystemRandom().shuffle(order)
    waiting = deque((known, FIRST_TRY) for known in order)
    searches, halted = _Searches(hider, sharing=sharing), threading.Event()
    proved: set[int] = set()

    def attempt(known: OpeningBound, seconds: float) -> tuple[OpeningBound, float, bool | None]:
        try:
            with searches.take(deadline) as search:
                until = deadline.or_after(seconds)
                return known, seconds, holds(search, known, until, halted.is_set)
        except DeadlinePassed:
            return known, seconds, None

    running: set[Future[tuple[OpeningBound, float, bool | None]]] = set()
    with ThreadPoolExecutor(threads) as pool:
        try:
            while (waiting or running) and not deadline.passed and not stop():
                while waiting and len(running) < threads:
                    running.add(pool.submit(attempt, *waiting.popleft()))
                done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                for known, seconds, outcome in (future.result() for future in done):
                    if outcome is None:
                        waiting.append((known, 8 * seconds))
                    elif outcome:
                        proved.add(known.opening)
                    else:
                        return proved, known
                progress(f"proving openings again: {len(proved):,} of {len(order):,}")
        finally:
            halted.set()
    return proved, None
