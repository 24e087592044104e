"""How likely each side is to win a duel, from what one side may know.

A side knows its own secret and both sides' guesses and answers (`duel.DuelView`), so its chance is the same for every
secret that the other side may have. Both sides' guesses are drawn from one model (`duel_model`): the other side's until
it finds this side's secret, and this side's until it finds any secret that the other side may have, each as likely as
the hider's strategy makes it. The draws are seeded: the same position gives the same figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from oracular.errors import MoveError
from oracular.play.duel import DuelView
from oracular.play.match import Match
from oracular.system.counting import counted


@dataclass(frozen=True)
class Chance:
    """An estimate of how likely one side of a duel is to win.

    Attributes:
        chance: the estimate.
        margin: half a 95% interval, since it is drawn at random; 0 once the duel is over.
        over: whether the duel is over.
    """

    chance: float
    margin: float
    over: bool = False

    @property
    def note(self) -> str:
        """What the figure means, in sentences for people."""
        if self.over:
            return "The duel is over."
        return (
            "An estimate from what you may know, if both guess well from here on. Its random playouts leave a "
            f"margin of {points(self.margin)}."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the chance as plain data."""
        return {"chance": self.chance, "margin": self.margin, "note": self.note}


def points(margin: float) -> str:
    """Return a margin of chances as people say it: `2 percentage points`, never less than one."""
    return counted(max(1, math.ceil(100 * margin)), "percentage point")


def winning_chance(match: Match) -> Chance:
    """Return how likely the person is to win a duel, from what the person may know; 1 or 0 once it is over.

    A person who has given up has lost.
    """
    if match.mode != "duel":
        raise MoveError("only a duel has a winning chance: begin one")
    if match.result is not None:
        return Chance(float(match.result == "you"), 0.0, over=True)
    return chance_of(match.view("you"))


def chance_of(view: DuelView) -> Chance:
    """Return how likely the side whose view this is is to win."""
    if not view.may_be_valued:
        name = view.seeking.game.name
        raise MoveError(f"{name} is too large for an estimate of the chance to win: play on without it")
    chance, error = view.chance()
    return Chance(chance, 1.96 * error)
