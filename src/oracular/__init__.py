"""Strong game-theoretic strategies for guessing games, in oracular form.

>>> import oracular
>>> game = oracular.game("jotto-2")
>>> solution = oracular.solve(game, iterations=100)
>>> solution.guesser.new_game().guess("ab:1")  # doctest: +SKIP
'ae'
"""

import oracular.system.starting  # noqa: F401 - before all others: it answers Ctrl-C meanwhile

# isort: split
from importlib.metadata import version as _version

from oracular.errors import OracularError
from oracular.evaluation import behavioural_payoff, payoff
from oracular.games.game import Game
from oracular.games.names import game
from oracular.games.symmetry import Symmetry
from oracular.objectives import Objective, objective
from oracular.play.advice import Advice, advise
from oracular.play.review import Review, review
from oracular.problem import MixedStrategy, Problem, Response
from oracular.responses.exact import BestResponse, best_response
from oracular.responses.greedy import GreedyOracle, guesser_gbr_uniform
from oracular.runs.certify import Bounds, certify
from oracular.runs.drive import load_run, solve
from oracular.runs.limits import Observer
from oracular.runs.make_solver import Resources
from oracular.runs.race import RaceSolution, load_race_run, solve_race
from oracular.runs.solution import Solution
from oracular.runs.worth import Worth, evaluate
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Behavioural, Mixture, Oracle, Player
from oracular.strategies.race import RaceMix, RacePair
from oracular.strategies.race_file import RaceFigures, RaceStrategies, load_race
from oracular.strategies.shipped import Shipped, Solved, load
from oracular.strategies.tree import Tree

__version__ = _version("oracular")

__all__ = [
    "Advice",
    "Behavioural",
    "BestResponse",
    "Bounds",
    "Game",
    "GreedyOracle",
    "Hider",
    "MixedStrategy",
    "Mixture",
    "Objective",
    "Observer",
    "Oracle",
    "OracularError",
    "Player",
    "Problem",
    "RaceFigures",
    "RaceMix",
    "RacePair",
    "RaceSolution",
    "RaceStrategies",
    "Resources",
    "Response",
    "Review",
    "Shipped",
    "Solution",
    "Solved",
    "Symmetry",
    "Tree",
    "Worth",
    "__version__",
    "advise",
    "behavioural_payoff",
    "best_response",
    "certify",
    "evaluate",
    "game",
    "guesser_gbr_uniform",
    "hider_uniform",
    "load",
    "load_race",
    "load_race_run",
    "load_run",
    "objective",
    "payoff",
    "review",
    "solve",
    "solve_race",
]
