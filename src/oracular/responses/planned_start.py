"""The planner's tree as the start of an exact search, in other objectives than the mean.

The greedy tree is for the mean. Where only few guesses count, say, a planned tree is far better, and the exact search
of a large game would not come to one as good.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.responses.limits import StopSearch
from oracular.responses.planned import MOST_SECRETS, Planner, suited_settings
from oracular.strategies.tree import Tree
from oracular.system.deadline import Deadline, DeadlinePassed

FEWEST_SECRETS = 200
"""In games of fewer secrets the search finds as good a tree by itself."""

SHARE = 0.75
"""The part of a limited time that planning may take."""

SECONDS_BETWEEN_LOOKS = 0.1


def is_planned(game: Game) -> bool:
    """Tell whether a game is neither too small nor too large to be planned for."""
    return FEWEST_SECRETS <= len(game.secrets) <= MOST_SECRETS and len(game.guesses) <= 2 * MOST_SECRETS


def planned_tree(game: Game, costs: NDArray[np.int64], deadline: Deadline, look: Callable[[], None]) -> Tree | None:
    """Return a tree that costs little, or None where there was no time for it or `look` raised `StopSearch`.

    Args:
        game: the game.
        costs: what finding each secret at each guess costs [secrets, guesses].
        deadline: when the search ends that the tree is the start of: planning takes a part of the time left.
        look: called about ten times a second.
    """
    ends = Deadline() if deadline.left == float("inf") else deadline.or_after(deadline.left * SHARE)
    flag = ends.flag  # its own, to be raised here
    planner = Planner(game, **suited_settings(game))
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(planner.respond_to, costs, explorations=1, deadline=ends)
        try:
            while not planning.done():
                look()
                wait([planning], SECONDS_BETWEEN_LOOKS)
            return planning.result()
        except (StopSearch, DeadlinePassed):
            return None
        finally:
            flag.fill(1)


def warm_up() -> None:
    """Load or compile the planner, on a game of a few secrets."""
    names = "abcdefgh"
    tiny = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
    Planner(tiny, room=1 << 10).respond_to(np.array([[0, 0, 1]] * len(names)), explorations=1)
