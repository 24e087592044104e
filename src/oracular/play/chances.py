"""How likely each side is to win a duel, from what one side may know, by playouts of both sides.

A side knows its own secret and both sides' guesses and answers (`duel.DuelView`), so its chance is the same for every
secret that the other side may have. How soon the other side finds is estimated by playouts from where it stands, for
this side's secret; this side is played out against everything that it may have to find, with the best guess that is
found quickly. Playouts are seeded: the same position gives the same figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from oracular.errors import MoveError
from oracular.play.duel import DuelView
from oracular.play.match import Match
from oracular.system.counting import counted


@dataclass(frozen=True)
class Chance:
    """An estimate of how likely one side of a duel is to win, and from how many playouts of the other side it is."""

    chance: float
    playouts: int

    @property
    def note(self) -> str:
        """What the figure means, in sentences for people."""
        if not self.playouts:
            return "The duel is over."
        return (
            f"An estimate from what you may know: {counted(self.playouts, 'playout')} of the computer's side, and your "
            "side against all that is left, if both guess well from here on."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the chance as plain data."""
        return vars(self) | {"note": self.note}


def winning_chance(match: Match) -> Chance:
    """Return how likely the person is to win a duel, from what the person may know; 1 or 0 once it is over.

    A person who has given up has lost.
    """
    if match.mode != "duel":
        raise MoveError("only a duel has a winning chance: begin one")
    if match.result is not None:
        return Chance(float(match.result == "you"), 0)
    return chance_of(match.view("you"))


def chance_of(view: DuelView) -> Chance:
    """Return how likely the side whose view this is is to win."""
    if not view.may_be_valued:
        name = view.seeking.game.name
        raise MoveError(f"{name} is too large for an estimate of the chance to win: play on without it")
    return Chance(view.chance(), view.how_soon.playouts)
