"""The strategies that come with the package: the strongest found, with what is proved of them.

A file holds the guesser's trees (guesses by index), their weights, the hider's weights, the bounds and how all of it
was made; the words are not in it, only the hash of their list. The guarantee can be worked out again from the trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from oracular.compact_tree import compact
from oracular.errors import RunError, SettingsError, UnknownGameError
from oracular.game import Game
from oracular.games import game as game_of_name
from oracular.strategy import Hider, Mixture
from oracular.strategy_file import load_mixture, save_mixture

SHIPPED_GAMES = ("jotto-2", "jotto-3", "jotto-4", "jotto-5")
FAMILIAR_GAMES = ("jotto-3-familiar", "jotto-4-familiar", "jotto-5-familiar")
ENDING = ".strategy"


@dataclass(frozen=True, eq=False)
class Shipped:
    """A pair of strategies that comes with the package.

    Attributes:
        game: the game.
        hider: the hider's strategy.
        guesser: the guesser's mixture of trees.
        guarantee: the guesser's guarantee: a proved upper bound on the value of the game.
        lower: a proved lower bound on the value.
        lower_hider: whose strategy proves it: `uniform` or `shipped`.
        made_by: how the strategies were made.
        proof: what is proved of each opening against the uniform hider: (opening, total, plies); empty where the
            lower bound is proved by the strategies themselves.
        history: how the bounds closed in while it was solved: (step, best guarantee so far, the hider's side), where
            the hider's side is the proved lower bound of an exact solver, or what the best response found then takes.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    guarantee: Fraction
    lower: Fraction
    lower_hider: str
    made_by: dict[str, Any]
    proof: list[list[int]]
    history: list[list[float]]

    @property
    def bounds(self) -> str:
        """What is proved of the value, as text."""
        return f"{float(self.lower):.4f} ≤ value ≤ {float(self.guarantee):.4f}"

    def __repr__(self) -> str:
        return f"Shipped({self.game!r}, {self.bounds})"


def has_shipped(name: str) -> bool:
    """Tell whether strategies for the game of this name come with the package."""
    return files("oracular.data").joinpath(f"{name}{ENDING}").is_file()


def load(name: str) -> Shipped:
    """Return the shipped strategies of a game, such as `jotto-5`."""
    game = game_of_name(name)
    if not has_shipped(name):
        names = ", ".join(SHIPPED_GAMES + FAMILIAR_GAMES)
        raise UnknownGameError(f"no strategies of {name!r} come with the package: choose one of {names}")
    with as_file(files("oracular.data").joinpath(f"{name}{ENDING}")) as path:
        return read_strategies(path, game)


def read_strategies(path: Path, game: Game) -> Shipped:
    """Return the strategies that a file holds."""
    guesser, facts = load_mixture(path, game)
    try:
        return Shipped(
            game=game,
            hider=Hider(game, np.array(facts["hider"], dtype=object)),
            guesser=guesser,
            guarantee=Fraction(facts["guarantee"]),
            lower=Fraction(facts["lower"]),
            lower_hider=facts["lower_hider"],
            made_by=facts["made_by"],
            proof=facts["proof"],
            history=facts["history"],
        )
    except (KeyError, TypeError, ValueError):
        raise RunError(f"{str(path)!r} is damaged or no strategy: get it again") from None


def write_strategies(
    path: Path,
    hider: Hider,
    guesser: Mixture,
    lower: Fraction,
    lower_hider: str,
    made_by: dict[str, Any],
    proof: list[list[int]] | None = None,
    history: list[list[float]] | None = None,
) -> int:
    """Write strategies to a file and return its size in bytes."""
    if hider.game.symmetries:
        raise SettingsError(f"strategies of {hider.game.name} are played under symmetries: they cannot be shipped")
    facts = {
        "guarantee": str(guesser.guarantee),
        "lower": str(lower),
        "lower_hider": lower_hider,
        "made_by": made_by,
        "proof": proof or [],
        "history": history or [],
        "hider": hider.weights.tolist(),
    }
    trees = [compact(oracle) for oracle in guesser.oracles]
    return save_mixture(path, hider.game, trees, guesser.weights, facts)
