"""Calls in threads of their own, and a time limit for those that may never return.

Most of Dask's calls wait for ever if the scheduler has frozen, or if what answers at its address is not a scheduler. A
call that exceeds its time goes on in its thread, which does not keep the process from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Answer = TypeVar("Answer")


def call_in_thread(call: Callable[[], Answer]) -> Future[Answer]:
    """Return a future for the result of a call, which is made in a new thread."""
    future: Future[Answer] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # it is raised in the thread that waits
            future.set_exception(error)

    threading.Thread(target=run, name="oracular-call", daemon=True).start()
    return future


def call_within(
    seconds: float, call: Callable[[], Answer], *, too_late: Callable[[Answer], object] = lambda answer: None
) -> Answer:
    """Return the result of a call, or raise TimeoutError once the time is up; a later result is given to `too_late`."""
    future = call_in_thread(call)
    try:
        return future.result(seconds)
    except BaseException:  # Ctrl-C as well
        future.add_done_callback(lambda late: late.exception() or too_late(late.result()))
        raise
