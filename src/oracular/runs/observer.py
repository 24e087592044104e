"""Who hears how a run comes along."""

from __future__ import annotations

from typing import Protocol

from oracular.runs.limits import Progress


class RunObserver(Protocol):
    """Hears how one run comes along; a line of the command line's display is one."""

    def __call__(self, step: Progress) -> None:
        """Hear of a step of the solver."""
        ...

    def note(self, text: str) -> None:
        """Hear what is being done besides solving."""
        ...

    def done(self, text: str) -> None:
        """Hear the result, in a few words, once the run is finished."""
        ...


class Unobserved:
    """An observer that ignores everything."""

    def __call__(self, step: Progress) -> None:
        """Ignore a step."""

    def note(self, text: str) -> None:
        """Ignore a note."""

    def done(self, text: str) -> None:
        """Ignore the result."""
