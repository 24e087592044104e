"""A clock that a test sets."""

from __future__ import annotations


class Clock:
    """Returns the time that it was set to."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
