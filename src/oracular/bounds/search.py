"""Lower bounds on what any guesser needs against a hider, proved opening by opening, on as many cores as there are.

Every tree begins with some opening, so the least of the openings' bounds (`opening_bounds.py`) bounds all trees. The
opening with the least bound is always the next to be searched a ply deeper: work goes only where the bound is weakest,
and the bound only rises.
"""

from __future__ import annotations

import heapq
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from fractions import Fraction
from types import TracebackType
from typing import Protocol

from oracular.bounds.opening import PROVED, OpeningBound, counting_bounds, deepened, new_search, reproved
from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.responses.exact import LARGEST_TOTAL
from oracular.strategies.hider import Hider
from oracular.system.deadline import Deadline, DeadlinePassed

SEARCH_BYTES = 450_000_000
"""What one search takes at most: its memo, and the smaller memo that it is copied from."""

FIRST_TRY = 0.5
"""An opening that takes more seconds than this to be proved again waits until all others have been tried."""


class RefutedBoundError(Exception):
    """A bound that was recorded of an opening and is false.

    Attributes:
        opening: the guess.
    """

    def __init__(self, opening: int) -> None:
        self.opening = opening


class Searches(Protocol):
    """Where openings are searched: the threads of this process, or the workers of a cluster.

    Attributes:
        workers: how many can be searched at a time.
        trusted: whether what they find is as good as found by this process.
    """

    workers: int

    @property
    def trusted(self) -> bool:
        """Whether what they find is as good as found by this process."""
        ...

    def begin(self, known: OpeningBound, deadline: Deadline) -> None:
        """Begin to search an opening one ply deeper than it is known, until the deadline at most."""
        ...

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds that were finished since, waiting a moment for the first."""
        ...

    def __enter__(self) -> Searches: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ThreadedSearches:
    """Openings searched by threads of this process."""

    trusted = True

    def __init__(self, hider: Hider, workers: int) -> None:
        self.workers = workers
        self._hider = hider
        self._pool = ThreadPoolExecutor(workers)
        self._kept = threading.local()
        self._halted = threading.Event()
        self._running: set[Future[OpeningBound | None]] = set()

    def __enter__(self) -> ThreadedSearches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._halted.set()
        self._pool.shutdown()

    def begin(self, known: OpeningBound, deadline: Deadline) -> None:
        """Begin to search an opening one ply deeper than it is known, until the deadline at most."""
        self._running.add(self._pool.submit(self._deepen, known, deadline))

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds that were finished since, waiting a moment for the first."""
        done, self._running = wait(self._running, timeout=timeout, return_when=FIRST_COMPLETED)
        return [bound for future in done if (bound := future.result()) is not None]

    def _deepen(self, known: OpeningBound, deadline: Deadline) -> OpeningBound | None:
        if not hasattr(self._kept, "search"):
            self._kept.search = new_search(self._hider)
        return deepened(self._kept.search, known, deadline, self._halted.is_set)


@dataclass(eq=False)
class Certification:
    """The bounds known so far for one hider; `run` raises them.

    Attributes:
        hider: the hider's strategy.
        bounds: what is known of each opening, by the opening.
        recorded: the openings whose bound is only known from a file or from others, and was not proved here yet.
    """

    hider: Hider
    bounds: dict[int, OpeningBound] = field(default_factory=dict)
    recorded: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.hider.total * (len(self.game.secrets) + 3) >= LARGEST_TOTAL:
            raise SettingsError(
                f"weights that sum to {self.hider.total} are too large for the exact search: scale them down"
            )
        known = self.bounds
        self.bounds, self.recorded = {}, set()
        for opening, bound in counting_bounds(self.hider).items():  # whatever is known, every opening must be bounded
            self.bounds[opening] = OpeningBound(bound, opening, 1)
        self.take_over(known)

    def take_over(self, known: dict[int, OpeningBound]) -> None:
        """Take over what a file says of some openings, where it says more; it is checked, and stays recorded only.

        Raises ValueError where an opening is none of this game's, or a bound cannot be one.
        """
        most = self.hider.total * len(self.game.secrets)
        for opening, theirs in known.items():
            ours = self.bounds.get(opening)
            if ours is None or theirs.opening != opening or not 0 < theirs.bound <= most:
                raise ValueError(f"opening {opening}")
            if not (1 <= theirs.plies <= len(self.game.secrets) + 2 or theirs.plies == PROVED):
                raise ValueError(f"opening {opening}")
            if theirs.plies == 1 and ours.plies == 1 and theirs.bound > ours.bound:
                raise ValueError(f"opening {opening}")
        for opening, theirs in known.items():
            if (theirs.bound, theirs.plies) > (self.bounds[opening].bound, self.bounds[opening].plies):
                self.bounds[opening] = theirs
                self.recorded.add(opening)

    def recheck(
        self,
        deadline: Deadline,
        workers: int = 1,
        stop: Callable[[], bool] = lambda: False,
        told: Callable[[int, int], None] | None = None,
    ) -> OpeningBound | None:
        """Prove recorded bounds again, in random order, until the deadline; return one that is false, if any is."""
        entries = [self.bounds[opening] for opening in self.recorded]
        proved, refuted = proved_again(self.hider, entries, deadline, workers, stop, told)
        self.recorded -= proved
        return refuted

    @property
    def game(self) -> Game:
        """The game."""
        return self.hider.game

    @property
    def weakest(self) -> OpeningBound:
        """The opening with the least bound: the bound on all trees."""
        return min(self.bounds.values())

    @property
    def lower(self) -> Fraction:
        """The lower bound, in expected guesses: proved as far as no opening is `recorded`."""
        return Fraction(self.weakest.bound, self.hider.total)

    def _take(self, better: OpeningBound, trusted: bool) -> None:
        """Take in what a search has found of an opening; where nobody here searched, it stays recorded only."""
        known = self.bounds[better.opening]
        if better.plies == PROVED and (
            better.bound < known.bound or (known.plies == PROVED and better.bound > known.bound)
        ):
            raise RefutedBoundError(better.opening)
        if not trusted:
            self.recorded.add(better.opening)
        elif better.bound > known.bound or better.plies == PROVED:
            self.recorded.discard(better.opening)
        self.bounds[better.opening] = max(known, better, key=lambda bound: (bound.bound, bound.plies))

    def run(
        self,
        deadline: Deadline,
        workers: int,
        watcher: Callable[[Certification, float], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
        searches: Searches | None = None,
    ) -> float:
        """Raise the bound until the deadline or until `stop` says so, and return the seconds it took.

        The openings are searched by so many threads, or by other `searches` where these are given.
        """
        began = time.monotonic()
        claimed = {opening for opening in self.recorded if self.bounds[opening].plies == PROVED}
        heap = sorted(
            OpeningBound(known.bound, known.opening, 1) if known.opening in claimed else known
            for known in self.bounds.values()
            if known.plies != PROVED or known.opening in claimed  # that nothing is left to raise is not believed
        )
        running = 0
        with searches or ThreadedSearches(self.hider, workers) as searching:
            while not deadline.passed and not stop():
                if self.weakest.plies == PROVED and self.weakest.opening not in claimed:
                    break
                while heap and running < searching.workers:
                    searching.begin(heapq.heappop(heap), deadline)
                    running += 1
                for better in searching.finished(timeout=min(0.1, deadline.left)):
                    running -= 1
                    self._take(better, searching.trusted)
                    if better.plies == PROVED:
                        claimed.discard(better.opening)
                    else:
                        heapq.heappush(heap, better)
                if watcher is not None:
                    watcher(self, time.monotonic() - began)
        return time.monotonic() - began


def proved_again(
    hider: Hider,
    entries: Collection[OpeningBound],
    deadline: Deadline,
    workers: int = 1,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[int, int], None] | None = None,
) -> tuple[set[int], OpeningBound | None]:
    """Return the openings whose bounds were proved again by the deadline, and one whose bound is false, if any is.

    They are tried in random order, by the randomness of the system, so that nobody can know which will be; those that
    take long come later.

    Args:
        hider: whose bounds they are.
        entries: what is said of the openings.
        deadline: when to end.
        workers: how many to try at a time.
        stop: asked ten times a second; ends it when it answers True.
        told: called as often with how many have been proved again, and of how many.
    """
    order = list(entries)
    random.SystemRandom().shuffle(order)
    waiting = deque((known, FIRST_TRY) for known in order)
    kept, halted = threading.local(), threading.Event()
    proved: set[int] = set()

    def attempt(known: OpeningBound, seconds: float) -> tuple[OpeningBound, float, bool | None]:
        if not hasattr(kept, "search"):
            kept.search = new_search(hider)
        try:
            until = deadline.or_after(seconds)
            return known, seconds, reproved(kept.search, known, until, halted.is_set)
        except DeadlinePassed:
            return known, seconds, None

    running: set[Future[tuple[OpeningBound, float, bool | None]]] = set()
    with ThreadPoolExecutor(workers) as pool:
        try:
            while (waiting or running) and not deadline.passed and not stop():
                while waiting and len(running) < workers:
                    running.add(pool.submit(attempt, *waiting.popleft()))
                done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                for known, seconds, holds in (future.result() for future in done):
                    if holds is None:
                        waiting.append((known, 8 * seconds))
                    elif holds:
                        proved.add(known.opening)
                    else:
                        return proved, known
                if told is not None:
                    told(len(proved), len(order))
        finally:
            halted.set()
    return proved, None
