"""What the exact searches have in common: when they end, what their watchers see, how large weights may be.

And what counting alone proves, without a search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.evaluation import exact_dot
from oracular.strategies.hider import Hider
from oracular.system.control import NEVER, Deadline
from oracular.system.memory import available_memory, check_threads, usable_cores

LARGEST_TOTAL = 1 << 59
"""The sum of weights, or the largest cost, times the number of secrets must stay below this: sums fit into 64 bits."""

ENDLESS = 1 << 62
"""So many states that no search comes to them."""

SEARCH_BYTES = 450_000_000
"""What a search of one opening takes at most: its memo, and the smaller memo that it is copied from."""


def search_threads(threads: int | None) -> int:
    """Return how many openings, or parts of one, to search at a time; by default as cores and memory allow."""
    if threads is None:
        return max(1, min(usable_cores(), available_memory() // SEARCH_BYTES))
    return check_threads(threads)


@dataclass(frozen=True)
class SearchProgress:
    """Where a search stands, for its watcher, about ten times a second.

    Both bounds are in the objective; the best tree so far has the upper one, or the lower one where more is better.
    Where openings are worked out one by one and no state is searched, it is told how many of them.
    """

    lower: float
    upper: float
    plies: int
    states: int
    openings: int = 0


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
    states: int = ENDLESS
    effort: int = ENDLESS
    target: int | None = None

    def states_after(self, searched: int) -> int:
        """Return how many states may be searched after so many; without a limit there is none then either."""
        return self.states if self.states == ENDLESS else self.states - searched


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


def fits_costs(most_weight: int, largest_loss: int, secrets: int) -> bool:
    """Tell whether weights and losses of up to so much, for so many secrets, fit the arithmetic of the search."""
    return largest_loss * most_weight * secrets < LARGEST_TOTAL


def check_costs(costs: NDArray[np.int64], secrets: int, most_weight: int = 1) -> None:
    """Raise an error unless these costs, or losses times weights of so much at most, fit the game and the search."""
    if costs.ndim != 2 or costs.shape[0] != secrets or costs.shape[1] == 0:
        raise ValueError(f"costs {list(costs.shape)} for {secrets} secrets")
    if (costs[:, 0] < 0).any() or (costs[:, 1:] < costs[:, :-1]).any():
        raise ValueError("costs must not be negative, nor fall from one guess to the next")
    largest = int(costs[:, -1].max())
    if not fits_costs(most_weight, largest, secrets):
        raise SettingsError(
            f"weights of up to {most_weight} with losses of up to {largest} are too large for the exact search: scale "
            "the weights down, or give utilities with fewer digits"
        )


def depths_by_rank(secrets: int, branches: int) -> NDArray[np.int64]:
    """Return the least depth of each of so many secrets, the heaviest first, where `branches` answers go on [secrets].

    One secret at most is found at the first guess, b at the second, b² at the third, and so on.
    """
    depths = np.empty(secrets, dtype=np.int64)
    depth, first, room = 1, 0, 1
    while first < secrets:
        depths[first : first + room] = depth
        depth, first, room = depth + 1, first + room, room * max(branches, 1)
    return depths


def counting_bound(weights: NDArray[np.int64], branches: int) -> int:
    """Return the total of weight times guesses that no tree beats, for weights [secrets] in any order."""
    return exact_dot(np.sort(weights)[::-1], depths_by_rank(len(weights), branches))
