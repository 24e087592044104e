"""The guesser's best response to a hider, exact and proved, or greedy.

This is the front door to `responses/deepening.py`, for hiders instead of weights and expected guesses instead of
totals. It imports the compiled search when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from oracular.errors import OutOfTimeError, SettingsError
from oracular.evaluation import payoff
from oracular.games.game import Game, Indices, check_game
from oracular.responses.greedy import GreedyOracle, guesser_gbr_uniform
from oracular.responses.limits import ENDLESS, SearchLimits, SearchProgress, check_fits_search, counting_bound, stopping
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree, tree_by
from oracular.system.deadline import Deadline, DeadlinePassed, is_finite
from oracular.system.files import cut


@dataclass(frozen=True, eq=False)
class BestResponse:
    """The best tree found against a hider, and what is proved about the least expected number of guesses.

    Attributes:
        lower: no tree needs fewer expected guesses: proved.
        upper: the tree's own expected guesses: exact.
        states: how many states were searched.
    """

    hider: Hider
    tree: Tree
    lower: Fraction
    upper: Fraction
    states: int

    @property
    def proved(self) -> bool:
        """Whether the tree is proved to be a best response."""
        return self.lower == self.upper

    @property
    def oracle(self) -> Tree:
        """The tree, with a greedy oracle for states that it never comes to."""
        return with_greedy_fallback(self.tree)


def with_greedy_fallback(tree: Tree) -> Tree:
    """Return the tree with the greedy response to a uniform hider for states that it never comes to."""
    return replace(tree, fallback=guesser_gbr_uniform(tree.game, "possible"))


def best_response(
    game: Game,
    weights: ArrayLike | Hider,
    *,
    exact: bool = True,
    time_limit: float | None = None,
    node_limit: int | None = None,
    watcher: Callable[[SearchProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> BestResponse:
    """Return the tree with the least expected number of guesses against a hider.

    The exact search is branch and bound. Stopped early by a limit it returns the best tree found and a proved lower
    bound. Secrets of weight zero are found by the tree as well.

    Args:
        game: the game.
        weights: a whole number for each secret, or a hider.
        exact: whether to search; if not, the greedy tree is returned, with the bound that counting gives.
        time_limit: stop after so many seconds, the making ready included and the compiling not.
        node_limit: stop after so many states; the result is the same every time.
        watcher: called about ten times a second.
        stop: asked as often; the search ends, with what is proved, when it answers True.
    """
    check_game(game)
    hider = weights if isinstance(weights, Hider) else Hider(game, np.asarray(weights))
    if not hider.game.is_same(game):
        raise SettingsError(f"the hider plays {hider.game!r}, not {game!r}: give one of the same game")
    for name, limit in (("a time limit", time_limit), ("a limit of states", node_limit)):
        if limit is not None and not (is_finite(limit) and limit > 0):
            raise SettingsError(f"{name} of {cut(limit)} asked for: give a number above 0")
    GreedyOracle.against(hider).engine.warm_up()  # loading and compiling are not counted
    if not exact:
        tree = greedy_tree(hider, Deadline.after(time_limit))
        counted = Fraction(counting_bound(hider.weights, len(game.labels) - 1), hider.total)
        return BestResponse(hider, tree, counted, payoff(hider, tree), 0)
    from oracular.responses.deepening import exact_response, warm_up
    from oracular.responses.exact_search import WeightedGame

    warm_up()
    deadline = Deadline.after(time_limit)
    check_fits_search(hider)
    response = exact_response(
        WeightedGame.of(hider),
        SearchLimits(deadline, states=node_limit or ENDLESS),
        incumbent=greedy_tree(hider, deadline),
        progress=stopping(stop, watcher),
    )
    lower, upper = Fraction(response.lower, hider.total), Fraction(response.upper, hider.total)
    return BestResponse(hider, response.tree, lower, upper, response.nodes)


def greedy_tree(hider: Hider, deadline: Deadline) -> Tree:
    """Return the greedy tree, or say that there was no time even for that."""
    oracle = GreedyOracle.against(hider, ties="possible")

    def choose(state: Indices) -> int:
        deadline.check()
        return oracle.engine.guess(oracle.weights, state, deadline)

    try:
        hider.game.prepare(deadline)
        return tree_by(hider.game, choose)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before there was a first tree for {hider.game.name}: give more time, or choose a "
            "smaller game"
        ) from None
