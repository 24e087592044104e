"""Tasks for a GPU as the tests make them, and all that it answers to them."""

from __future__ import annotations

import numpy as np

from oracular.bounds.batches import Tasks
from oracular.bounds.gpu.evaluator import DeviceEvaluator

FIRST = 100
"""The ticket of the first task; the others follow."""


def tasks_of(states: list[np.ndarray], plies: list[int], targets: list[int]) -> Tasks:
    """Return states to be bounded as tasks."""
    return Tasks(
        tickets=np.arange(FIRST, FIRST + len(states), dtype=np.int32),
        members=np.concatenate(states).astype(np.uint16),
        ends=np.cumsum([0, *map(len, states)], dtype=np.int64),
        plies=np.array(plies, np.int32),
        targets=np.array(targets, np.int32),
    )


def answers_of(device: DeviceEvaluator, tasks: Tasks) -> list[tuple[int, bool]]:
    """Return the bounds of tasks, and whether each is known to be the optimum, as the device finds them."""
    device.add(tasks)
    found: dict[int, tuple[int, bool]] = {}
    while len(found) < len(tasks):
        some = device.take(1.0)
        for ticket, total, exact in zip(some.tickets, some.totals, some.exact, strict=True):
            assert ticket not in found
            found[int(ticket)] = int(total), bool(exact)
    return [found[ticket] for ticket in tasks.tickets.tolist()]
