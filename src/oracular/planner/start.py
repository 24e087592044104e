"""The planner's tree as the start of an exact search.

A search that is not finished soon has less to do if it knows a good tree: it only has to show that nothing is better.
The greedy tree is often far from the best, and if only few guesses count it is for something else altogether.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from oracular.costs import Costs
from oracular.evaluation import exact_dot
from oracular.games.game import Game
from oracular.games.table import MANY_ANSWERS
from oracular.planner.planner import MOST_SECRETS, Planner, suited_settings
from oracular.strategies.tree import Tree
from oracular.system.control import NEVER, Control, Deadline, Stopped, Threads

FEWEST_SECRETS = 200
"""In games of fewer secrets the search finds as good a tree by itself."""

SHARE = 0.75
"""The part of a limited time that planning may take."""

RESPONSES = 2
"""How often the planner looks further for the mean: a third time hardly ever finds more."""


def is_planned(game: Game) -> bool:
    """Return whether a game is neither too small nor too large to be planned for."""
    return FEWEST_SECRETS <= len(game.secrets) <= MOST_SECRETS and len(game.guesses) <= 2 * MOST_SECRETS


def mean_settings(game: Game) -> dict[str, Any]:
    """Return the settings of a planner that found the best trees for the mean; the rest are its defaults."""
    if len(game.labels) > MANY_ANSWERS:  # states are small after two guesses: what counts is the choice of those
        return {"score_name": "depth", "width": 16, "large_width": 24, "root_width": 64, "hope": 8}
    return suited_settings(game)


class PlannedStart(NamedTuple):
    """A planned tree, None where there was no time for any, and whether planning came to its end."""

    tree: Tree | None
    whole: bool


def planned_tree(game: Game, costs: Costs, control: Control[Any], opening: int | None = None) -> PlannedStart:
    """Return a tree that costs little, the best that there was time for.

    For the mean the planner looks further more than once.

    Args:
        game: the game.
        costs: what finding each secret costs.
        control: when the search ends that the tree is the start of: planning takes a part of the time left.
        opening: the guess that the tree begins with, if it is given; it must distinguish some secrets.
    """
    of_mean = costs.columns == 1

    def plan(ends: Deadline) -> Tree:
        planner, seen = Planner(game, **(mean_settings(game) if of_mean else suited_settings(game))), costs
        if of_mean:
            weights = costs.weights
            if weights.min() < 1 or sum(weights.tolist()) > planner.most_weight:
                weights = planner.rounded(weights)
            seen = Costs.mean(weights)
        planner.begin(seen, ends, opening=opening)
        for _ in range(RESPONSES if of_mean else 1):
            trees.append(planner.respond(seen, explorations=1, deadline=ends))
        return trees[-1]

    trees: list[Tree] = []
    whole = _in_time(plan, control) is not None
    best = min(trees, key=lambda tree: exact_dot(costs.weights, tree.depths()), default=None)
    return PlannedStart(best, whole)


def _in_time(plan: Callable[[Deadline], Tree], control: Control[Any]) -> Tree | None:
    """Return what is planned in a part of the time left, or None if that is too short or the control ends it."""
    deadline = control.deadline
    share = control if deadline == NEVER else control.with_deadline(deadline.or_after(deadline.left * SHARE))
    planned: Tree | None = None
    with suppress(Stopped), Threads[Tree](1, share) as threads:
        threads.submit(plan, threads.control.deadline)
        while threads.running:
            finished = threads.finished()
            planned = finished[0] if finished else planned
            control.report(None)
    return planned


def load_planner(game: Game) -> None:
    """Load or compile the planner, where it plans for this game."""
    if is_planned(game):
        warm_up()


def warm_up() -> None:
    """Load or compile the planner, on a game of a few secrets."""
    names = "abcdefgh"
    tiny = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
    planner = Planner(tiny, room=1 << 10)
    weights = np.ones(len(names), np.int64)
    for costs in (Costs.mean(weights), Costs.of_table(np.array([[0, 0, 1]] * len(names)), weights)):
        planner.respond(costs, explorations=1)
        Planner(tiny, room=1 << 10).begin(costs, opening=3)
