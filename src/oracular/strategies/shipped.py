"""The strategies that come with the package: the strongest found, with what is proved of them.

A file holds the guesser's trees (guesses by index), their weights, the hider's weights, the bounds and how all of it
was made; the words are not in it, only the hash of their list. The guarantee can be worked out again from the trees.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeAlias

import numpy as np
from msgspec import Meta

from oracular.errors import RunError, SettingsError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import canonical_name
from oracular.games.names import game as game_of_name
from oracular.strategies.file import load_mixture, save_mixture
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture, SymmetricMixture
from oracular.strategies.tree import tree_of
from oracular.system.checking import checked
from oracular.system.files import Real, parse_fraction, quoted, read_as

JOTTO_GAMES = ("jotto-2", "jotto-3", "jotto-4", "jotto-5")
CODE_GAMES = (
    "mastermind-3x6",
    "mastermind-4x4",
    "mastermind-4x5",
    "mastermind-4x6",
    "mastermind-4x6-possible",
    "bulls-3x10",
    "bulls-4x10",
)
SHIPPED_GAMES = (*JOTTO_GAMES, "wordle", *CODE_GAMES)
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


@dataclass(frozen=True)
class HiderBound:
    """A lower bound on the value of a game that one hider's strategy gives, as a file records it.

    Attributes:
        value: no guesser needs fewer guesses on average against this hider.
        hider: whose strategy it is: `uniform` or `shipped`.
        proof: what is proved of each opening: (opening, total, plies); empty if only the whole search proves the bound.
        effort: the `command` that proved it, on which `device`, in how many `core_seconds`; empty if not recorded.
    """

    value: Fraction
    hider: Literal["uniform", "shipped"]
    proof: list[ProofRow] = field(default_factory=list)
    effort: dict[str, Any] = field(default_factory=dict)


ProofRow: TypeAlias = Annotated[list[int], Meta(min_length=3, max_length=3)]
"""What is proved of an opening: (opening, total, plies)."""


@checked
@dataclass(frozen=True, eq=False)
class Shipped:
    """A pair of strategies that comes with the package; see `Solved` for what it has in common with others.

    In a game with symmetries the guesser draws one of them before each game (`SymmetricMixture`).

    Attributes:
        recorded_guarantee: what the file says of the guesser's guarantee; `guarantee` works it out again.
        lower_bounds: the lower bounds on the value that the file records, at least one, each from another hider.
        history: how the bounds closed in while it was solved: (step, best guarantee so far, the hider's side), where
            the hider's side is the proved lower bound of an exact solver, or what the best response found then takes.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    recorded_guarantee: Fraction
    lower_bounds: Sequence[HiderBound]
    made_by: dict[str, Any]
    history: list[list[float]] = field(default_factory=list)

    @property
    def best_bound(self) -> HiderBound:
        """The best of the recorded lower bounds; `oracular.runs.verify` proves it again."""
        return max(self.lower_bounds, key=lambda bound: bound.value)

    @property
    def lower(self) -> Fraction:
        """A lower bound on the value: the best of those that the file records, whichever hider it comes from."""
        return self.best_bound.value

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

    def hider_of(self, bound: HiderBound) -> Hider:
        """Return the hider whose strategy gives a bound."""
        return hider_uniform(self.game) if bound.hider == "uniform" else self.hider

    def with_bound(self, bound: HiderBound) -> Shipped:
        """Return the same strategies with a lower bound in the place of that of the same hider, if there is one."""
        others = [other for other in self.lower_bounds if other.hider != bound.hider]
        return replace(self, lower_bounds=(*others, bound))

    @property
    def bounds(self) -> str:
        """What is recorded of the value, as text."""
        return f"{float(self.lower):.4f} ≤ value ≤ {float(self.recorded_guarantee):.4f}"

    def __repr__(self) -> str:
        return f"Shipped({self.game!r}, {self.bounds})"


def has_shipped(name: str) -> bool:
    """Tell whether strategies for the game of this name come with the package."""
    return files("oracular.strategies.data").joinpath(f"{name}{ENDING}").is_file()


@checked
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
        made_by = facts["made_by"]
        shipped = Shipped(
            game=game,
            hider=Hider(game, np.array(read_as(list[int], facts["hider"]), dtype=object)),
            guesser=SymmetricMixture(guesser.oracles, guesser.weights) if game.symmetries else guesser,
            recorded_guarantee=parse_fraction(facts["guarantee"]),
            lower_bounds=_recorded_bounds(facts),
            made_by={key: value for key, value in made_by.items() if key != _EFFORT_ONCE},
            history=read_as(list[Annotated[list[Real], Meta(min_length=3, max_length=3)]], facts["history"]),
        )
        for bound in shipped.lower_bounds:
            totals = [total for _, total, _ in bound.proof]
            if totals and min(totals) < bound.value * shipped.hider_of(bound).total:
                raise ValueError("an opening with a weaker bound than all of them")
    except (AttributeError, KeyError, TypeError, ValueError):
        raise RunError(f"{quoted(path)} is damaged or no strategy: get it again") from None
    if shipped.lower > shipped.recorded_guarantee:
        raise RunError(
            f"{quoted(path)} is damaged: it says that the value of {game.name} is at least "
            f"{float(shipped.lower):.4f} and at most {float(shipped.recorded_guarantee):.4f}, get it again"
        )
    return shipped


_EFFORT_ONCE = "bounds"
"""Where the effort of the one lower bound stands in `made_by` in files of earlier versions."""


def _recorded_bounds(facts: dict[str, Any]) -> list[HiderBound]:
    """Return the lower bounds that a file records, or raise an error; files of earlier versions record one."""
    rows = facts.get("lower_bounds")
    if rows is None:
        effort = facts["made_by"].get(_EFFORT_ONCE, {})
        rows = [{"value": facts["lower"], "hider": facts["lower_hider"], "proof": facts["proof"], "effort": effort}]
    bounds: list[HiderBound] = read_as(list[HiderBound], rows)
    if not bounds or len({bound.hider for bound in bounds}) != len(bounds):
        raise ValueError("no bound, or two of one hider")
    return bounds


def write_strategies(path: Path, strategies: Shipped) -> int:
    """Write strategies to a file, their guarantee worked out again, and return its size in bytes."""
    game, guesser = strategies.game, strategies.guesser
    if bool(game.symmetries) != isinstance(guesser, SymmetricMixture):
        raise SettingsError(
            f"the mixture for {game.name} is {'not ' if game.symmetries else ''}played under its symmetries: give a "
            f"{'SymmetricMixture' if game.symmetries else 'Mixture'}"
        )
    facts = {
        "guarantee": str(strategies.guarantee),
        "lower_bounds": [vars(bound) | {"value": str(bound.value)} for bound in strategies.lower_bounds],
        "made_by": strategies.made_by,
        "history": strategies.history,
        "hider": strategies.hider.weights.tolist(),
    }
    return save_mixture(path, game, [tree_of(oracle) for oracle in guesser.oracles], guesser.weights, facts)
