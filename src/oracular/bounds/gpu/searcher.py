"""Openings searched by a GPU, for `LowerBound.improve`: the same bounds as threads find, many openings at a time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass

from oracular.bounds.batches import AT_A_TIME, BatchSearch, Unit
from oracular.bounds.gpu.evaluator import DeviceEvaluator
from oracular.bounds.letters import board_of
from oracular.bounds.opening import OpeningBound, deepening
from oracular.bounds.parts import TotalBound
from oracular.errors import DeviceError
from oracular.kernels.exact.tables import NO_BOUND
from oracular.strategies.hider import Hider
from oracular.system.deadline import Deadline
from oracular.system.device import USE_CPU


@dataclass(frozen=True, eq=False)
class _Opening:
    """An opening that is being searched: what decides how deep, and the bound at which it ends."""

    steps: Generator[int, TotalBound, OpeningBound]
    ceiling: int


class DeviceSearcher:
    """Searches openings on the GPU of this machine.

    Raises `SettingsError` for games and hiders that it does not serve, and `DeviceError` where there is no GPU to be
    used, and whenever it fails.
    """

    trusted = False
    """Its bounds count as recorded, until the processor proves them again."""

    def __init__(self, hider: Hider, workers: int = AT_A_TIME) -> None:
        board = board_of(hider)
        self.workers = workers
        self._weight = int(hider.weights.max())
        self._device = DeviceEvaluator(board)
        self._search = BatchSearch(board, self._device)
        self._running: dict[int, _Opening] = {}

    def __enter__(self) -> DeviceSearcher:
        return self

    def __exit__(self, *raised: object) -> None:
        with suppress(DeviceError):  # a device that is lost works on nothing anymore
            self._device.forget()

    def begin(self, known: OpeningBound, deadline: Deadline, ceiling: int = NO_BOUND) -> None:
        """Begin to search an opening one ply deeper than its known bound, until the ceiling at most."""
        opening = _Opening(deepening(known, ceiling), ceiling)
        self._running[known.opening] = opening
        self._go_on(known.opening, next(opening.steps))

    def finished(self, timeout: float) -> list[OpeningBound]:
        """Return the bounds finished since the last call, waiting up to `timeout` seconds for the first."""
        done = []
        for unit, found in self._search.finished(timeout):
            opening = self._running[unit.opening]
            bound = TotalBound(min(opening.ceiling, found.total * self._weight), found.exact)
            try:
                plies = opening.steps.send(bound)
            except StopIteration as end:
                del self._running[unit.opening]
                done.append(end.value)
            else:
                self._go_on(unit.opening, plies)
        return done

    def _go_on(self, opening: int, plies: int) -> None:
        """Search an opening to so many plies."""
        if plies > self._search.most_plies:
            raise DeviceError(f"a GPU searches openings to {self._search.most_plies} guesses at most: {USE_CPU}")
        self._search.begin(Unit(opening, plies, -(-self._running[opening].ceiling // self._weight)))
