"""What every solved game has, whoever solved it and wherever it is kept."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from oracular.games.game import Game
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture


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
