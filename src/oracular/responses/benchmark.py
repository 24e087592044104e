"""The benchmark strategies of the paper's section 3: what a natural approach would play."""

from __future__ import annotations

import numpy as np

from oracular.games.game import Game
from oracular.responses.greedy import GreedyOracle, Ties
from oracular.strategies.hider import Hider


def hider_uniform(game: Game) -> Hider:
    """Return HiderUniform: every secret is equally likely."""
    return Hider(game, np.ones(len(game.secrets), dtype=np.int64))


def guesser_gbr_uniform(game: Game, ties: Ties = "first") -> GreedyOracle:
    """Return GuesserGBRUniform: the greedy best response to HiderUniform, at every state."""
    return GreedyOracle.against(hider_uniform(game), ties)
