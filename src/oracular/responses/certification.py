"""Lower bounds on what any guesser needs against a hider, proved opening by opening, on as many cores as there are.

Every tree begins with some opening, so the least of the openings' bounds bounds all trees. An opening's bound to k
plies is the whole weight plus the bounds to k - 1 plies of the parts it leaves. The opening with the least bound is
always the next to be searched a ply deeper: work goes only where the bound is weakest, and the bound only rises.

Openings are searched independently of each other, so a bound that is finished is the same whenever, in whatever order
and on however many cores it is found.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from fractions import Fraction
from types import TracebackType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.game import Game
from oracular.kernels.exact.bounds import small_total
from oracular.kernels.exact.tables import NO_BOUND
from oracular.responses.exact import ExactSearch
from oracular.strategy import Hider
from oracular.symmetric import orbits

SLICE = 100
"""States searched between two looks at the clock."""

PROVED = 127
"""The plies of an opening whose bound is what its best tree needs: there is nothing left to raise."""

MEMO_SLOTS = 1 << 21
"""The memo of each core's search; at its cap it forgets, which costs time and never soundness."""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """What is proved of one opening.

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


class OutOfTime(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised inside a search when its time is up."""


class Searches(Protocol):
    """Where openings are searched: the threads of this process, or the workers of a cluster."""

    workers: int

    def begin(self, known: OpeningBound, seconds: float) -> None:
        """Begin to search an opening one ply deeper than it is known, for so many seconds at most."""
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

    def begin(self, known: OpeningBound, seconds: float) -> None:
        """Begin to search an opening one ply deeper than it is known, for so many seconds at most."""
        self._running.add(self._pool.submit(self._deepen, known, time.monotonic() + seconds))

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds that were finished since, waiting a moment for the first."""
        done, self._running = wait(self._running, timeout=timeout, return_when=FIRST_COMPLETED)
        return [bound for future in done if (bound := future.result()) is not None]

    def _deepen(self, known: OpeningBound, deadline: float) -> OpeningBound | None:
        if not hasattr(self._kept, "search"):
            self._kept.search = new_search(self._hider)
        return deepened(self._kept.search, known, deadline, self._halted.is_set)


@dataclass(eq=False)
class Certification:
    """The bounds proved so far for one hider; `run` raises them.

    Attributes:
        hider: the hider's strategy.
        bounds: what is proved of each opening, by the opening.
    """

    hider: Hider
    bounds: dict[int, OpeningBound] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = self.bounds
        self.bounds = {}
        for opening, bound in counting_bounds(self.hider).items():  # whatever is known, every opening must be bounded
            counted = OpeningBound(bound, opening, 1)
            self.bounds[opening] = max(counted, known.get(opening, counted))

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
        """The proved lower bound, in expected guesses."""
        return Fraction(self.weakest.bound, self.hider.total)

    def run(
        self,
        seconds: float,
        workers: int,
        watcher: Callable[[Certification, float], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
        searches: Searches | None = None,
    ) -> float:
        """Raise the bound until the time is up or `stop` says so, and return the seconds it took.

        The openings are searched by so many threads, or by other `searches` where these are given.
        """
        began = time.monotonic()
        deadline = began + seconds
        heap = sorted(known for known in self.bounds.values() if known.plies != PROVED)
        running = 0
        with searches or ThreadedSearches(self.hider, workers) as searching:
            while time.monotonic() < deadline and not stop() and self.weakest.plies != PROVED:
                while heap and running < searching.workers:
                    searching.begin(heapq.heappop(heap), deadline - time.monotonic())
                    running += 1
                for better in searching.finished(timeout=0.2):
                    running -= 1
                    self.bounds[better.opening] = better
                    if better.plies != PROVED:
                        heapq.heappush(heap, better)
                if watcher is not None:
                    watcher(self, time.monotonic() - began)
        return time.monotonic() - began


def new_search(hider: Hider) -> ExactSearch:
    """Return a search for the openings of a hider; a thread can keep it for all of them."""
    return ExactSearch(hider.game.table, hider.game.found, hider.weights, memo_slots=MEMO_SLOTS)


def deepened(
    search: ExactSearch, known: OpeningBound, deadline: float, halted: Callable[[], bool], ceiling: int = NO_BOUND
) -> OpeningBound | None:
    """Return what is proved of an opening one ply deeper than it is known, or None where the time is up first."""
    try:
        bound = opening_bound(search, known.opening, known.plies + 1, deadline, halted, ceiling)
    except OutOfTime:
        return None
    plies = PROVED if bound.exact else known.plies + 1
    return OpeningBound(max(bound.total, known.bound), known.opening, plies)


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
    for opening in different_openings(hider):
        row = game.table[opening][order]
        total = int(weights.sum())
        for answer in np.unique(row):
            if answer != game.found:
                part = weights[row == answer]
                total += int(part @ depth_of_rank[: len(part)])
        bounds[opening] = total
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
        split = np.unique(row, return_inverse=True)[1].astype(np.uint8).tobytes()
        if game.secret_of_guess[guess] >= 0 or split not in seen:
            kept.append(guess)
        seen.add(split)
    return kept


def opening_bound(
    search: ExactSearch,
    opening: int,
    plies: int,
    deadline: float,
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
    deadline: float,
    halted: Callable[[], bool],
    cutoff: int = NO_BOUND,
) -> PartBound:
    """Return a proved bound on the best total of a part, searched to so many plies or up to the cutoff."""
    if len(part) <= 3:
        return PartBound(int(small_total(search.table, part, len(part))[0]), True)
    if not search.table.weights[part].any():
        return PartBound(0, True)
    search.begin(part, cutoff, plies)
    while search.advance(SLICE):
        if halted() or time.monotonic() > deadline:
            raise OutOfTime
    total, exact, _ = search.result()
    return PartBound(total, exact)
