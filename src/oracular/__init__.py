"""Strong game-theoretic strategies for guessing games, in oracular form.

>>> import oracular
>>> game = oracular.game("jotto-2")
>>> solution = oracular.solve(game, iterations=100)
>>> solution.guesser.new_game().guess("ab:1")  # doctest: +SKIP
'ae'

Each name is loaded when it is first used: most programs need few of them, and some run where Numba is not installed.
"""

from oracular.system import starting as _starting  # noqa: F401 - before all others: it answers Ctrl-C meanwhile

# isort: split
from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracular.errors import OracularError
    from oracular.evaluation import behavioural_payoff, payoff
    from oracular.games.game import Game
    from oracular.games.names import game
    from oracular.games.symmetry import Symmetry
    from oracular.objectives import Objective, objective
    from oracular.play.advice import Advice, advise
    from oracular.play.review import Review, review
    from oracular.problem import MixedStrategy, Problem, Response
    from oracular.runs.certify import Bounds, certify
    from oracular.runs.drive import solve
    from oracular.runs.race import RaceSolution, load_race_run, solve_race
    from oracular.runs.solution import Resources, Solution, load_run
    from oracular.runs.worth import Worth, evaluate
    from oracular.search.best_response import BestResponse, best_response
    from oracular.strategies.greedy import GreedyOracle, guesser_gbr_uniform
    from oracular.strategies.hider import Hider, hider_uniform
    from oracular.strategies.oracle import Behavioural, Mixture, Oracle, Player
    from oracular.strategies.race import RaceFigures, RaceMix, RacePair, RaceStrategies, load_race
    from oracular.strategies.shipped import Shipped, Solved, load
    from oracular.strategies.tree import Tree

    __version__: str

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

_HOMES = {
    "errors": "OracularError",
    "evaluation": "behavioural_payoff payoff",
    "games.game": "Game",
    "games.names": "game",
    "games.symmetry": "Symmetry",
    "objectives": "Objective objective",
    "play.advice": "Advice advise",
    "play.review": "Review review",
    "problem": "MixedStrategy Problem Response",
    "search.best_response": "BestResponse best_response",
    "runs.certify": "Bounds certify",
    "runs.drive": "solve",
    "runs.race": "RaceSolution load_race_run solve_race",
    "runs.solution": "Resources Solution load_run",
    "runs.worth": "Worth evaluate",
    "strategies.greedy": "GreedyOracle guesser_gbr_uniform",
    "strategies.hider": "Hider hider_uniform",
    "strategies.oracle": "Behavioural Mixture Oracle Player",
    "strategies.race": "RaceFigures RaceMix RacePair RaceStrategies load_race",
    "strategies.shipped": "Shipped Solved load",
    "strategies.tree": "Tree",
}
"""The modules that the public names come from."""

_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


if not TYPE_CHECKING:  # to type checkers any other name is an error

    def __getattr__(name: str) -> object:
        """Return a public name, loaded from its module."""
        if name == "__version__":
            value: object = _version()
        elif name in _HOME:
            value = getattr(_import_module(f"oracular.{_HOME[name]}"), name)
        else:
            raise AttributeError(f"module 'oracular' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, whether they are loaded or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _version() -> str:
    """Return the version that is installed; sources on the path that are not installed have none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("oracular")
    except PackageNotFoundError:
        return "0+unknown"
