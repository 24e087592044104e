"""Work on some threads whose results come in order, and which ends at once where nobody waits for it any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from oracular.system.deadline import Deadline
from oracular.system.progress import SECONDS_BETWEEN_LOOKS

AT_A_TIME = 16
"""So many numbers are handed to a thread at a time."""

Batch = TypeVar("Batch")
Result = TypeVar("Result")


def in_batches(numbers: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return numbers as batches for `in_turn`, a few each."""
    return np.split(numbers, range(AT_A_TIME, len(numbers), AT_A_TIME))


def _always() -> bool:
    return True


@contextmanager
def in_turn(
    work: Callable[[Batch], Result],
    batches: Sequence[Batch],
    threads: int,
    ends: Deadline,
    go_on: Callable[[], bool] = _always,
) -> Iterator[Iterator[Result]]:
    """Yield the results of the batches, in their order; only a few batches are handed out ahead.

    However the block is left, what still runs is told to stop, and waited for.

    Args:
        work: what is done with a batch; it asks the flag of the deadline, and gives what it has by then.
        batches: what is to be done.
        threads: how many batches are worked on at a time.
        ends: a deadline that nobody else uses, since its flag is set to end the work.
        go_on: asked about ten times a second; where it returns False, no more is handed out.
    """
    flag = ends.flag  # made before two threads can ask for it at once
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield _results(pool, work, batches, 2 * threads, flag, go_on)
        finally:
            flag.fill(1)
            pool.shutdown(cancel_futures=True)


def _results(
    pool: ThreadPoolExecutor,
    work: Callable[[Batch], Result],
    batches: Sequence[Batch],
    ahead: int,
    flag: NDArray[np.uint8],
    go_on: Callable[[], bool],
) -> Iterator[Result]:
    """Yield the results of the batches, in their order, and of none that were not handed out when the flag was set."""
    running = [pool.submit(work, batch) for batch in batches[:ahead]]
    while running:
        done, _ = wait(running[:1], timeout=SECONDS_BETWEEN_LOOKS)
        if not flag[0] and not go_on():
            flag.fill(1)
        if done:
            yield running.pop(0).result()
            if ahead < len(batches) and not flag[0]:
                running.append(pool.submit(work, batches[ahead]))
                ahead += 1
