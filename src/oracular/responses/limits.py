"""What the exact searches have in common: when they end, what their watchers see, and how large weights may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oracular.errors import SettingsError
from oracular.strategies.hider import Hider
from oracular.system.deadline import NEVER, Deadline

LARGEST_TOTAL = 1 << 59
"""The sum of weights times the number of secrets must stay below this for the search's sums to fit into 64 bits."""


@dataclass(frozen=True)
class SearchProgress:
    """Where a search stands, for its watcher, about ten times a second.

    Attributes:
        lower: the lower bound proved so far, in expected guesses.
        upper: the expected guesses of the best tree so far.
        plies: how many guesses deep the search goes at present.
        states: how many states have been searched.
    """

    lower: float
    upper: float
    plies: int
    states: int


@dataclass(frozen=True)
class SearchLimits:
    """When a search ends: at the first of those that are given, but never before there is a tree.

    Attributes:
        deadline: when the time is up; if it passes before there is a tree, `DeadlinePassed` is raised.
        states: the most states that may be searched, except for a first tree.
        effort: the search ends at the first look, one every so many states, that finds so many searched.
        target: the total that a tree is to be below, where nothing else is asked.
    """

    deadline: Deadline = NEVER
    states: int | None = None
    effort: int | None = None
    target: int | None = None


class StopSearch(Exception):  # noqa: N818 - nothing has gone wrong
    """Raised when a limit is reached; a progress callback may raise it too, to end with what is proved."""


def stopping(
    stop: Callable[[], bool] | None, watcher: Callable[[SearchProgress], None] | None = None
) -> Callable[[SearchProgress], None]:
    """Return a progress callback that ends a search, with what is proved, once `stop` answers True."""

    def progress(at: SearchProgress) -> None:
        if stop is not None and stop():
            raise StopSearch
        if watcher is not None:
            watcher(at)

    return progress


def fits_search(total: int, secrets: int) -> bool:
    """Tell whether weights of this sum, for so many secrets, fit the arithmetic of the exact search."""
    return total * (secrets + 3) < LARGEST_TOTAL


def check_fits_search(hider: Hider) -> None:
    """Raise an error where a hider's weights are too large for the exact search."""
    if not fits_search(hider.total, len(hider.game.secrets)):
        raise SettingsError(f"weights that sum to {hider.total} are too large for the exact search: scale them down")
