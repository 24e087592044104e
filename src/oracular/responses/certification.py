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

import numpy as np
from numpy.typing import NDArray

from oracular.game import Game
from oracular.kernels.exact.bounds import small_total
from oracular.responses.exact import ExactSearch
from oracular.strategy import Hider

SLICE = 100
"""States searched between two looks at the clock."""

MOST_PLIES = 100
"""Openings are not searched deeper than this: long before, their bounds are the optimum."""

MEMO_SLOTS = 1 << 21
"""The memo of each core's search; at its cap it forgets, which costs time and never soundness."""


@dataclass(order=True, frozen=True)
class OpeningBound:
    """What is proved of one opening.

    Attributes:
        bound: no tree that begins with this opening has a smaller total of weight times guesses.
        opening: the guess.
        plies: how deep it was searched.
    """

    bound: int
    opening: int
    plies: int


class OutOfTime(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised inside a search when its time is up."""


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
        if not self.bounds:
            for opening, bound in counting_bounds(self.hider).items():
                self.bounds[opening] = OpeningBound(bound, opening, 1)

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
    ) -> float:
        """Raise the bound until the time is up or `stop` says so, and return the seconds it took."""
        began = time.monotonic()
        deadline = began + seconds
        heap = sorted(self.bounds.values())
        searches = threading.local()
        halted = threading.Event()

        def deepen(known: OpeningBound) -> OpeningBound | None:
            if not hasattr(searches, "search"):
                searches.search = ExactSearch(
                    self.game.table, self.game.found, self.hider.weights, memo_slots=MEMO_SLOTS
                )
            try:
                bound = opening_bound(searches.search, known.opening, known.plies + 1, deadline, halted)
            except OutOfTime:
                return None
            return OpeningBound(max(bound, known.bound), known.opening, known.plies + 1)

        with ThreadPoolExecutor(workers) as pool:
            running: set[Future[OpeningBound | None]] = set()
            try:
                while time.monotonic() < deadline and not stop() and (heap or running):
                    while heap and len(running) < workers:
                        running.add(pool.submit(deepen, heapq.heappop(heap)))
                    if all(known.plies >= MOST_PLIES for known in self.bounds.values()):
                        break
                    done, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                    for future in done:
                        better = future.result()
                        if better is not None:
                            self.bounds[better.opening] = better
                            heapq.heappush(heap, better)
                    if watcher is not None:
                        watcher(self, time.monotonic() - began)
            finally:
                halted.set()
        return time.monotonic() - began


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
    for opening in different_openings(game):
        row = game.table[opening][order]
        total = int(weights.sum())
        for answer in np.unique(row):
            if answer != game.found:
                part = weights[row == answer]
                total += int(part @ depth_of_rank[: len(part)])
        bounds[opening] = total
    return bounds


def different_openings(game: Game) -> list[int]:
    """Return the openings that split the secrets differently, or find a secret; symmetric games: one an orbit."""
    from oracular.symmetric import orbits

    first = orbits(len(game.guesses), [symmetry.guesses for symmetry in game.symmetries])
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


def opening_bound(search: ExactSearch, opening: int, plies: int, deadline: float, halted: threading.Event) -> int:
    """Return a proved bound on the total of any tree with this opening, searched to so many plies."""
    search.forget()  # what was proved for other openings must not matter, or the bound would depend on the order
    row = search.table.answers[opening]
    total = int(search.table.weights.sum())
    for answer in np.unique(row):
        if answer == search.table.found:
            continue
        part = np.flatnonzero(row == answer).astype(np.int32)
        total += part_bound(search, part, plies - 1, deadline, halted)
    return total


def part_bound(
    search: ExactSearch, part: NDArray[np.int32], plies: int, deadline: float, halted: threading.Event
) -> int:
    """Return a proved bound on the best total of a part, searched to so many plies."""
    if len(part) <= 3:
        return int(small_total(search.table, part, len(part))[0])
    if not search.table.weights[part].any():
        return 0
    bound, known_plies, _ = search.known(part)
    if known_plies >= plies:
        return bound
    search.begin(part, NO_CUTOFF, plies)
    while search.advance(SLICE):
        if halted.is_set() or time.monotonic() > deadline:
            raise OutOfTime
    return max(bound, search.result()[0])


NO_CUTOFF = 1 << 60
"""A total that nothing reaches: the search is for the bound itself."""
