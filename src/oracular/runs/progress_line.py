"""Where the progress of a run is shown."""

from __future__ import annotations

from typing import Protocol

from oracular.runs.limits import Progress


class ProgressLine(Protocol):
    """Shows how one run comes along; the command line's display has a line for each run."""

    def __call__(self, step: Progress) -> None:
        """Show a step of the solver."""
        ...

    def note(self, text: str) -> None:
        """Show what is being done besides solving."""
        ...

    def done(self, text: str) -> None:
        """Show the result, in a few words, once the run is finished."""
        ...


class HiddenLine:
    """A line that shows nothing."""

    def __call__(self, step: Progress) -> None:
        """Ignore a step."""

    def note(self, text: str) -> None:
        """Ignore a note."""

    def done(self, text: str) -> None:
        """Ignore the result."""
