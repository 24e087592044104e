"""A time limit for calls that may never return.

Most of Dask's calls wait for ever if the scheduler has frozen, or if what answers at its address is not a scheduler. A
call that exceeds its time goes on in its thread, which does not keep the process from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def call_within(
    seconds: float, call: Callable[[], Answer], *, too_late: Callable[[Answer], object] = lambda answer: None
) -> Answer:
    """Return the result of a call, or raise TimeoutError once the time is up; a later result is given to `too_late`."""
    answers: list[Answer] = []
    errors: list[BaseException] = []
    over = threading.Event()
    settled = threading.Lock()
    given_up = False

    def run() -> None:
        try:
            answer = call()
        except BaseException as error:  # it is raised in the thread that waits
            errors.append(error)
        else:
            with settled:
                answers.append(answer)
                late = given_up
            if late:
                too_late(answer)
        over.set()

    threading.Thread(target=run, name="oracular-call", daemon=True).start()
    try:
        over.wait(seconds)
    finally:  # Ctrl-C as well
        with settled:
            given_up = not answers
    if errors:
        raise errors[0]
    if not answers:
        raise TimeoutError(f"no answer within {seconds:g} seconds")
    return answers[0]
