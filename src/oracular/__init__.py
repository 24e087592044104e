"""Strong game-theoretic strategies for guessing games, in oracular form.

>>> import oracular
>>> game = oracular.game("jotto-2")
>>> solution = oracular.solve(game, iterations=100)
>>> solution.guesser.new_game().guess("ab:1")  # doctest: +SKIP
'ae'
"""

import oracular.starting  # noqa: F401 - before all others: it answers Ctrl-C meanwhile

# isort: split
from oracular.errors import OracularError
from oracular.evaluation import behavioural_payoff, payoff
from oracular.game import Game
from oracular.games import game
from oracular.responses.benchmark import guesser_gbr_uniform, hider_uniform
from oracular.responses.best_response import BestResponse, best_response
from oracular.responses.greedy import GreedyOracle
from oracular.shipped import Shipped, load
from oracular.solve import Solution, load_run, solve
from oracular.strategy import Behavioural, Hider, Mixture, Oracle, Player

__all__ = [
    "Behavioural",
    "BestResponse",
    "Game",
    "GreedyOracle",
    "Hider",
    "Mixture",
    "Oracle",
    "OracularError",
    "Player",
    "Shipped",
    "Solution",
    "behavioural_payoff",
    "best_response",
    "game",
    "guesser_gbr_uniform",
    "hider_uniform",
    "load",
    "load_run",
    "payoff",
    "solve",
]
