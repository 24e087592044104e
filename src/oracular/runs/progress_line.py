"""Where the progress of a run is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracular.runs.limits import Progress

SECONDS_ON_SCREEN = 0.1
"""A step is shown for so long at least."""


class ProgressLine:
    """A line that shows how one run comes along. This one shows nothing; the command line has one that does."""

    def __call__(self, step: Progress) -> None:
        """Show a step of the solver."""

    def note(self, text: str) -> None:
        """Show what is being done besides solving."""

    def done(self, text: str) -> None:
        """Show the result, in a few words, once the run is finished."""
