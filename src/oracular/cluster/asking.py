"""Calls that may never return, given up after a while.

Most calls of Dask's wait for ever for a scheduler that has frozen, or for something at its address that is no
scheduler. A call that is given up goes on in its thread, which does not keep the process from ending.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def within(
    seconds: float, call: Callable[[], Answer], *, too_late: Callable[[Answer], object] = lambda answer: None
) -> Answer:
    """Return what a call gives, or raise TimeoutError when the time is up first; an answer after that is `too_late`."""
    answers: list[Answer] = []
    errors: list[BaseException] = []
    over = threading.Event()
    settled = threading.Lock()
    given_up = False

    def ask() -> None:
        try:
            answer = call()
        except BaseException as error:  # raised where it is waited for
            errors.append(error)
        else:
            with settled:
                answers.append(answer)
                late = given_up
            if late:
                too_late(answer)
        over.set()

    threading.Thread(target=ask, name="oracular-asking", daemon=True).start()
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
