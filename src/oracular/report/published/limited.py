"""The best trees with a given opening that never need more than so many guesses.

The limit is of the whole tree, so each part of the opening's split can be looked at by itself. Where the best tree of
all stays within the limit in a part, it is the best there with the limit, too. Another part becomes a game of its own:
its secrets, and the guesses that the rule of guessing allows after the opening. There a search with a penalty beyond
the limit finds the best tree that keeps to it.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.names import game as game_of_name
from oracular.objectives import table
from oracular.responses.exact import best_response
from oracular.strategies.hider import hider_uniform
from oracular.strategies.tree import Tree
from oracular.system.deadline import Deadline

LEAST_SECONDS = 1.0
"""Each part is searched for at least so long, however little time is left."""


def limited_totals(game: Game, tree: Tree, most: int, proved: int, deadline: Deadline) -> tuple[int, int]:
    """Return bounds on the least guesses in all, with the tree's opening and at most so many guesses for each secret.

    Args:
        game: a game of Wordle, whose secrets are equally likely.
        tree: the best tree known with its opening.
        most: the most guesses.
        proved: no tree with this opening needs fewer guesses in all, limited or not.
        deadline: when to end.
    """
    opening, depths = tree.guess(game.all_secrets), tree.depths()
    answers = game.answers(np.array([opening]), game.all_secrets)[0]
    rise = [0, 0]
    for answer in np.unique(answers[depths > most]):
        part = game.all_secrets[answers == answer]
        below = int(depths[part].sum()) - len(part)
        within = _of_part(game, opening, int(answer), part, most - 1, deadline)
        rise = [total + max(0, bound - below) for total, bound in zip(rise, within, strict=True)]
    return proved + rise[0], int(depths.sum()) + rise[1]


def _of_part(game: Game, opening: int, answer: int, part: Indices, most: int, deadline: Deadline) -> tuple[int, int]:
    """Return bounds on the least guesses in all after the opening, in a part of its split."""
    allowed = game.allowed(part, game.guessing.demand_after(FREE, opening, answer))
    secrets, guesses = [game.secrets[secret] for secret in part], [game.guesses[guess] for guess in allowed]
    own = game_of_name(game.name, secrets=secrets, guesses=guesses)
    utilities = [most - number for number in range(1, most + 1)] + [-most * len(secrets)]
    seconds = None if deadline.left == math.inf else max(LEAST_SECONDS, deadline.left)
    penalized = table({"others": utilities}, own)
    found = best_response(own, hider_uniform(own), objective=penalized, time_limit=seconds)
    ends = [Fraction(most * len(secrets)) - bound * len(secrets) for bound in (found.upper, found.lower)]
    return int(ends[0]), int(ends[1])
