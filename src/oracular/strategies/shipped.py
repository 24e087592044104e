"""The strategies that come with the package: the strongest found, with what is proved of them.

A file holds the guesser's trees (guesses by index), their weights, the hider's weights, the bounds and how all of it
was made; the words are not in it, only the hash of their list. The guarantee can be worked out again from the trees.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.errors import RunError, SettingsError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import canonical_name
from oracular.games.names import game as game_of_name
from oracular.strategies.file import load_mixture, save_mixture
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture
from oracular.strategies.tree import tree_of
from oracular.system.files import parse_fraction, quoted

JOTTO_GAMES = ("jotto-2", "jotto-3", "jotto-4", "jotto-5")
SHIPPED_GAMES = (*JOTTO_GAMES, "wordle")
FAMILIAR_GAMES = tuple(
    f"jotto-{letters}{rules}-familiar" for rules in ("", "-repeats-anagrams") for letters in (3, 4, 5)
)
ENDING = ".strategy"


class Solved(Protocol):
    """A pair of strategies with bounds on the value of their game.

    Strategies that come with the package (`Shipped`) and those of a run (`oracular.solve`) are both used like this.
    The bounds of strategies that were read from a file are what the file says: `oracular.runs.verify` proves them
    again.
    """

    @property
    def game(self) -> Game:
        """The game that both strategies play."""

    @property
    def hider(self) -> Hider:
        """The hider's strategy."""

    @property
    def guesser(self) -> Mixture:
        """The guesser's strategy."""

    @property
    def lower(self) -> Fraction | None:
        """A lower bound on the value of the game, in expected guesses, or None where there is none."""

    @property
    def upper(self) -> Fraction | None:
        """An upper bound on the value of the game, in expected guesses, or None where there is none."""


@dataclass(frozen=True, eq=False)
class Shipped:
    """A pair of strategies that comes with the package; see `Solved` for what it has in common with others.

    Attributes:
        recorded_guarantee: what the file says of the guesser's guarantee; `guarantee` works it out again.
        lower: a lower bound on the value, as the file says: `oracular.runs.verify` proves it again.
        lower_hider: whose strategy proves it: `uniform` or `shipped`.
        proof: what is proved of each opening against that hider: (opening, total, plies); empty where one search
            proves the lower bound.
        history: how the bounds closed in while it was solved: (step, best guarantee so far, the hider's side), where
            the hider's side is the proved lower bound of an exact solver, or what the best response found then takes.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    recorded_guarantee: Fraction
    lower: Fraction
    lower_hider: str
    made_by: dict[str, Any]
    proof: list[list[int]] = field(default_factory=list)
    history: list[list[float]] = field(default_factory=list)

    @property
    def upper(self) -> Fraction:
        """An upper bound on the value: the guesser's guarantee, as the file says."""
        return self.recorded_guarantee

    @cached_property
    def guarantee(self) -> Fraction:
        """The guesser's guarantee, worked out from the trees: a proved upper bound on the value of the game."""
        guarantee = self.guesser.guarantee
        if guarantee != self.recorded_guarantee:
            raise RunError(
                f"the strategies of {self.game.name} guarantee {float(guarantee):.4f} guesses, not "
                f"{quoted(self.recorded_guarantee)} as their file says: get it again"
            )
        return guarantee

    @property
    def lower_proved_by(self) -> Hider:
        """The hider against whom the lower bound is proved."""
        return hider_uniform(self.game) if self.lower_hider == "uniform" else self.hider

    @property
    def bounds(self) -> str:
        """What is recorded of the value, as text."""
        return f"{float(self.lower):.4f} ≤ value ≤ {float(self.recorded_guarantee):.4f}"

    def __repr__(self) -> str:
        return f"Shipped({self.game!r}, {self.bounds})"


def has_shipped(name: str) -> bool:
    """Tell whether strategies for the game of this name come with the package."""
    return files("oracular.strategies.data").joinpath(f"{name}{ENDING}").is_file()


def load(name: str) -> Shipped:
    """Return the shipped strategies of a game, such as `jotto-5`."""
    game = game_of_name(name)
    if not has_shipped(game.name):
        names = ", ".join(SHIPPED_GAMES + FAMILIAR_GAMES)
        raise UnknownGameError(
            f"no strategies of {game.name} come with the package: solve it with 'oracular solve {game.name}', or "
            f"choose one of {names}"
        )
    with as_file(files("oracular.strategies.data").joinpath(f"{game.name}{ENDING}")) as path:
        return read_strategies(path, game)


def load_named(text: str, lists: Collection[str] = ()) -> Shipped | None:
    """Return the shipped strategies of the game that a text names, or None if it is no game's name.

    Args:
        text: a game's name, however it is written, or anything else.
        lists: which word lists of one's own were given; no strategies come with the package for these.
    """
    try:
        name = canonical_name(text)
    except UnknownGameError:
        return None
    if lists:
        options = " and ".join(f"--{one}" for one in lists)
        raise UnknownGameError(
            f"no strategies of {name} with words of your own come with the package: leave {options} out, or name a "
            "run or a file of that game"
        )
    return load(name)


def read_strategies(path: Path, game: Game) -> Shipped:
    """Return the strategies that a file holds."""
    guesser, facts = load_mixture(path, game)
    try:
        shipped = Shipped(
            game=game,
            hider=Hider(game, _whole_numbers(facts["hider"])),
            guesser=guesser,
            recorded_guarantee=parse_fraction(facts["guarantee"]),
            lower=parse_fraction(facts["lower"]),
            lower_hider=facts["lower_hider"],
            made_by=facts["made_by"],
            proof=facts["proof"],
            history=facts["history"],
        )
        if shipped.lower_hider not in ("uniform", "shipped") or not isinstance(shipped.made_by, dict):
            raise ValueError("neither hider")
        check_rows(shipped.proof)
        check_rows(shipped.history, (int, float))
        if (
            shipped.proof
            and min(bound for _, bound, _ in shipped.proof) < shipped.lower * shipped.lower_proved_by.total
        ):
            raise ValueError("an opening with a weaker bound than all of them")
    except (KeyError, TypeError, ValueError):
        raise RunError(f"{quoted(path)} is damaged or no strategy: get it again") from None
    if shipped.lower > shipped.recorded_guarantee:
        raise RunError(
            f"{quoted(path)} is damaged: it says that the value of {game.name} is at least "
            f"{float(shipped.lower):.4f} and at most {float(shipped.recorded_guarantee):.4f}, get it again"
        )
    return shipped


def _whole_numbers(numbers: list[Any]) -> NDArray[Any]:
    """Return whole numbers of any size as an array, or raise `ValueError`."""
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise ValueError("no whole numbers")
    return np.array(numbers, dtype=object)


def check_rows(rows: list[Any], allowed: tuple[type, ...] = (int,)) -> list[Any]:
    """Return the rows of a file, or raise `ValueError` unless there are three numbers of allowed types in each."""
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or not all(type(number) in allowed for number in row):
            raise ValueError("no rows of three numbers")
    return rows


def write_strategies(path: Path, strategies: Shipped) -> int:
    """Write strategies to a file, their guarantee worked out anew, and return its size in bytes."""
    game, guesser = strategies.game, strategies.guesser
    if game.symmetries:
        raise SettingsError(f"strategies of {game.name} are played under symmetries: they cannot be shipped")
    facts = {
        "guarantee": str(strategies.guarantee),
        "lower": str(strategies.lower),
        "lower_hider": strategies.lower_hider,
        "made_by": strategies.made_by,
        "proof": strategies.proof,
        "history": strategies.history,
        "hider": strategies.hider.weights.tolist(),
    }
    return save_mixture(path, game, [tree_of(oracle) for oracle in guesser.oracles], guesser.weights, facts)
