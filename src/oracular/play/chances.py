"""How likely each side is to win a duel, from what one side may know, by playouts of both sides.

A side knows its own secret and both sides' guesses and answers (`duel.DuelView`), so its chance is the same for every
secret that the other side may have. How soon the other side finds is estimated by playouts from where it stands, for
this side's secret; this side is played out against everything that it may have to find, with the best guess that is
found quickly. Playouts are seeded: the same position gives the same figure.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from oracular.errors import MoveError
from oracular.play.duel import DuelView
from oracular.play.match import Match, Side
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


@dataclass(frozen=True)
class TurnChance:
    """One guess of a duel, and the chance of whoever made it: before the guess, and after its answer.

    Both are estimates from what that side knew at that moment.
    """

    side: Side
    guess: str
    answer: str
    before: float
    after: float

    @property
    def swing(self) -> float:
        """How much the chance rose; negative where it fell."""
        return self.after - self.before


@dataclass(frozen=True)
class ChanceReview:
    """The chances of a duel that is over, guess by guess in the order of play.

    Attributes:
        turning_point: the guess, counted from 0, with the largest swing either way; None where there is no guess.
        playouts: how many playouts of the other side the figures are from, all together.
    """

    turns: list[TurnChance]
    turning_point: int | None
    playouts: int

    @property
    def note(self) -> str:
        """What the figures mean, in sentences for people."""
        return (
            "Estimates: each chance is that of whoever guesses, from what that side knew then, if both guess well from "
            f"there on ({counted(self.playouts, 'playout')})."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the review as plain data."""
        turns = [vars(turn) | {"swing": turn.swing} for turn in self.turns]
        return vars(self) | {"turns": turns, "note": self.note}


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


def review_chances(match: Match) -> ChanceReview:
    """Return the chances of a duel that is over, guess by guess.

    Raises:
        MoveError: the match is no duel, or still in progress: the review needs what only one side knows.
    """
    if match.mode != "duel" or match.result is None:
        raise MoveError("chances are reviewed once a duel is over: end it first")
    made: dict[Side, int] = {"you": 0, "computer": 0}
    turns: list[TurnChance] = []
    playouts = 0
    for side, guess, answer in match.in_order:
        before = chance_of(_view_at(match, made, side))
        made[side] += 1
        half = match.matchup.hiding if side == "you" else match.matchup.guessing
        found = answer == half.game.labels[half.game.found]
        after = Chance(1.0, 0) if found else chance_of(_view_at(match, made, side))
        turns.append(TurnChance(side, guess, answer, before.chance, after.chance))
        playouts += before.playouts + after.playouts
        if found:
            break  # in a duel of an earlier version a last reply may follow
    largest = max(range(len(turns)), key=lambda number: abs(turns[number].swing), default=None)
    return ChanceReview(turns, largest, playouts)


def _view_at(match: Match, made: dict[Side, int], side: Side) -> DuelView:
    """Return what a side knew after so many guesses of each."""
    earlier = replace(match, yours=match.yours[: made["you"]], computers=match.computers[: made["computer"]])
    return earlier.view(side)
