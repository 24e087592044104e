"""Threads that share the work of one call of compiled code."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache


def on_lanes(lanes: int, work: Callable[[int], object]) -> None:
    """Do the work of every lane, 0 on the calling thread and the others beside it; all is done on return.

    The work must release Python's lock, or the lanes wait for each other.
    """
    others = [_pool(os.getpid(), lanes).submit(work, lane) for lane in range(1, lanes)]
    try:
        work(0)
    finally:
        _wait_for_all(others)
    for other in others:
        other.result()


@cache
def _pool(process: int, lanes: int) -> ThreadPoolExecutor:
    """Return the threads beside the calling one; a process that was forked has none of its parent's."""
    del process
    return ThreadPoolExecutor(lanes - 1, "lane")


def _wait_for_all(futures: Sequence[Future[object]]) -> None:
    """Wait until nobody works in the caller's buffers any more, and only then let Ctrl-C interrupt."""
    interrupt = None
    while any(not future.done() for future in futures):
        try:
            wait(futures)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
