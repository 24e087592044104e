"""Lower bounds on what any guesser needs against a hider, proved opening by opening, on as many cores as there are.

Every tree begins with some opening, so the least of the openings' bounds bounds all trees. An opening's bound to k
plies is the whole weight plus the bounds to k - 1 plies of the parts it leaves. The opening with the least bound is
always the next to be searched a ply deeper: work goes only where the bound is weakest, and the bound only rises.

Openings are searched independently of each other, so a bound that is finished is the same whenever, in whatever order
and on however many cores it is found.
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
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.deadline import Deadline, DeadlinePassed
from oracular.errors import SettingsError
from oracular.game import Game
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.best_response import LARGEST_TOTAL
from oracular.responses.exact import ExactSearch
from oracular.strategy import Hider
from oracular.symmetric import orbits

SLICE = 8
"""States searched between two looks at the clock, to begin with; while slices take less than SLICE_TIME they double."""

SLICE_TIME = 0.03

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: there is nothing left to raise."""

MEMO_SLOTS = 1 << 21
"""The memo of each core's search; at its cap it forgets, which costs time and never soundness."""

SEARCH_BYTES = 450_000_000
"""What one search takes at most: its memo, and the smaller memo that it is copied from."""

FIRST_TRY = 0.5
"""An opening that takes more seconds than this to be proved again waits until all others have been tried."""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """What is known of one opening: proved, or recorded in a file.

    Attributes:
        bound: no tree that begins with this opening has a smaller total of weight times guesses.
        opening: the guess.
        plies: how deep it was searched, or PROVED.
    """

    bound: int
    opening: int
    plies: int


class PartBound(NamedTuple):
    """A bound on the total of a part of the secrets, or of all after an opening, and whether it is the optimum."""

    total: int
    exact: bool


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


def new_search(hider: Hider) -> ExactSearch:
    """Return a search for the openings of a hider; a thread can keep it for all of them."""
    return ExactSearch(hider.game.table, hider.game.found, hider.weights, memo_slots=MEMO_SLOTS)


def deepened(
    search: ExactSearch, known: OpeningBound, deadline: Deadline, halted: Callable[[], bool], ceiling: int = NO_BOUND
) -> OpeningBound | None:
    """Return what is proved of an opening one ply deeper than it is known, or None where the time is up first."""
    try:
        bound = opening_bound(search, known.opening, known.plies + 1, deadline, halted, ceiling)
    except DeadlinePassed:
        return None
    if bound.exact:  # also where that is less than what was known, which then was false
        return OpeningBound(bound.total, known.opening, PROVED)
    return OpeningBound(max(bound.total, known.bound), known.opening, known.plies + 1)


def reproved(search: ExactSearch, known: OpeningBound, deadline: Deadline, halted: Callable[[], bool]) -> bool:
    """Tell whether the bound of an opening can be proved again as deep as it says, by two plies at least.

    First only so far as the bound; then, where that is not enough, just as it was proved. One that is said to be what
    the best tree needs must be just that.
    """
    most_plies = min(known.plies, len(search.order) + 2)
    for ceiling in (NO_BOUND,) if known.plies == PROVED else (known.bound, NO_BOUND):
        for plies in range(2, most_plies + 1):
            again = opening_bound(search, known.opening, plies, deadline, halted, ceiling)
            if again.exact:
                return again.total == known.bound if known.plies == PROVED else again.total >= known.bound
            if again.total >= known.bound and known.plies != PROVED:
                return True
    return False


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


def counting_bounds(hider: Hider) -> dict[int, int]:
    """Return for each different opening the bound that counting gives for its parts.

    Of a part at most one secret is found at the next guess, b at the one after, b² then, heaviest first, with b the
    answers that do not end the game.
    """
    game = hider.game
    order = np.argsort(-hider.weights, kind="stable")
    weights, branches = hider.weights[order], max(len(game.labels) - 1, 1)
    levels: list[int] = []
    room = 1
    while len(levels) < len(weights):
        levels += [1 + (levels[-1] if levels else 0)] * min(room, len(weights))
        room *= branches
    depth_of_rank = np.array(levels[: len(weights)], dtype=weights.dtype)
    bounds = {}
    places = np.arange(len(weights))
    for opening in different_openings(hider):
        row = game.table[opening][order]
        parts = np.argsort(row, kind="stable")  # part after part, the heaviest of each first
        sizes = np.bincount(row)
        ranks = places - np.repeat(np.cumsum(sizes) - sizes, sizes)
        after = row[parts] != game.found
        bounds[opening] = hider.total + int(weights[parts][after] @ depth_of_rank[ranks[after]])
    return bounds


def different_openings(hider: Hider) -> list[int]:
    """Return the openings that are worth a bound of their own: they split differently, or find a secret.

    Openings that a symmetry of game and weights takes to each other are one. In a game of one secret there is only
    the guess that finds it.
    """
    game = hider.game
    if len(game.secrets) == 1:
        return [int(game.guess_of_secret[0])]
    kept_symmetries = [s.guesses for s in game.checked_symmetries if (hider.weights[s.secrets] == hider.weights).all()]
    first = orbits(len(game.guesses), kept_symmetries)
    seen: set[bytes] = set()
    kept = []
    for guess in range(len(game.guesses)):
        row = game.table[guess]
        if first[guess] != guess or (row == row[0]).all():
            continue
        split = (np.cumsum(np.bincount(row) > 0) - 1).astype(np.uint8)[row].tobytes()  # answers numbered from 0
        if game.secret_of_guess[guess] >= 0 or split not in seen:
            kept.append(guess)
        seen.add(split)
    return kept


def opening_bound(
    search: ExactSearch,
    opening: int,
    plies: int,
    deadline: Deadline,
    halted: Callable[[], bool],
    ceiling: int = NO_BOUND,
) -> PartBound:
    """Return a proved bound on the total of any tree with this opening, searched to so many plies.

    A bound that reaches the ceiling is enough: the search then ends.
    """
    search.forget()  # what was proved for other openings must not matter, or the bound would depend on the order
    row = search.table.answers[opening]
    weights = search.table.weights
    parts = [np.flatnonzero(row == a).astype(np.int32) for a in np.unique(row) if a != search.table.found]
    # of a part one secret at most is found at the next guess, and the others take two or more
    least = [2 * int(weights[part].sum()) - int(weights[part].max()) for part in parts]
    total, exact = int(weights.sum()) + sum(least), True
    for part, part_least in zip(parts, least, strict=True):
        cutoff = NO_BOUND if ceiling == NO_BOUND else ceiling - total + part_least
        bound = part_bound(search, part, plies - 1, deadline, halted, cutoff)
        total += bound.total - part_least
        exact = exact and bound.exact
        if total >= ceiling:
            return PartBound(ceiling, False)
    return PartBound(total, exact)


def part_bound(
    search: ExactSearch,
    part: NDArray[np.int32],
    plies: int,
    deadline: Deadline,
    halted: Callable[[], bool],
    cutoff: int = NO_BOUND,
) -> PartBound:
    """Return a proved bound on the best total of a part, searched to so many plies or up to the cutoff."""
    if len(part) <= 3:
        return PartBound(int(small_total(search.table, part, len(part))[0]), True)
    if not search.table.weights[part].any():
        return PartBound(0, True)
    search.begin(part, cutoff, plies)
    states, before = SLICE, time.monotonic()
    while search.advance(states):  # how the search is cut into slices changes nothing in what it does
        now = time.monotonic()
        if halted():
            raise DeadlinePassed
        deadline.check()
        states = 2 * states if now - before < SLICE_TIME else max(1, states // 2)
        before = now
    total, exact, _ = search.result()
    return PartBound(total, exact)
