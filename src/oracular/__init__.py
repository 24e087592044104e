"""Strong game-theoretic strategies for guessing games, in oracular form.

>>> import oracular
>>> game = oracular.game("jotto-2")
>>> solution = oracular.solve(game, iterations=100)
>>> solution.guesser.new_game().guess("ab:1")  # doctest: +SKIP
'ae'
"""

import oracular.system.starting  # noqa: F401 - before all others: it answers Ctrl-C meanwhile

# isort: split
from oracular.errors import OracularError
from oracular.evaluation import behavioural_payoff, payoff
from oracular.games.game import Game
from oracular.games.names import game
from oracular.responses.benchmark import guesser_gbr_uniform, hider_uniform
from oracular.responses.exact import BestResponse, best_response
from oracular.responses.greedy import GreedyOracle
from oracular.runs.drive import Solution, load_run, solve
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Behavioural, Mixture, Oracle, Player
from oracular.strategies.shipped import Shipped, load

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
