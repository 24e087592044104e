"""The blind race solved by regret matching+ over own secrets, and planned trees.

Each player hides and guesses. For hiding there are as many choices as secrets, so regrets can be kept for all of them:
regret matching+ [Tammelin 2014], as for the hider of the one-sided game. For guessing there are far too many trees.
So at every step each player's tree is planned against the other's present secrets: finding secret s at guess c costs
the chance that the other, whose trees are taken as they were on average so far, is faster. That is a `table` objective
(`Opponent.costs`). A player's strategy is the average over the steps, step t counted t times.

Where there are few secrets, each has its own tree at a step, planned for the case that it is the own secret. Where there
are many, all share one tree: what the own secret tells of the best tree is then little, and planning takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.evaluation import exact_dot
from oracular.games.game import Game
from oracular.solvers.race.side import Side
from oracular.solvers.race.values import WHOLE, Opponent
from oracular.strategies.race import SECRET_UNIT, RaceMix
from oracular.strategies.tree import Tree
from oracular.system.deadline import NEVER, Deadline
