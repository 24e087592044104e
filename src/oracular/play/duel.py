"""The computer in a duel: what a side knows, what it hides and what it guesses.

Both sides see both sides' guesses and answers. What one side knows of a duel is a `DuelView`: its own guesses with
their answers, the other's guesses with the answers it gave, and its own secret. The other's secret is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from oracular.games.game import Indices
from oracular.play.opponent import Opponent
from oracular.play.presentable import presentable_guess
from oracular.strategies.hider import Hider


@dataclass(frozen=True)
class DuelView:
    """What one side of a duel knows while it is in progress.

    Attributes:
        seeking: the game in which this side guesses, and how the other's secret may have been chosen.
        sought: the game in which the other side guesses.
        turns: this side's guesses and their answers.
        others: the other side's guesses and the answers that this side gave.
        own: this side's secret.
        begins: whether this side began.
    """

    seeking: Opponent
    sought: Opponent
    turns: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    own: str
    begins: bool

    @property
    def is_next(self) -> bool:
        """Whether this side makes the next guess."""
        return (len(self.turns) == len(self.others)) == self.begins

    @cached_property
    def possible(self) -> Indices:
        """The secrets that the other side may have."""
        return self.seeking.game.possible_after(self.turns)

    @cached_property
    def exposed(self) -> Indices:
        """The secrets that this side may have in the other's eyes."""
        return self.sought.game.possible_after(self.others)


def duel_hider(opponent: Opponent, *, begins: bool) -> Hider:
    """Return how the computer chooses its secret for a duel, in which it begins or not."""
    return opponent.hider


def duel_guess(view: DuelView, draw: int) -> str:
    """Return the computer's guess in a duel from what it knows; the draw decides between guesses that are as good."""
    game = view.seeking.game
    return game.guesses[presentable_guess(game, view.seeking.guesser, view.possible, draw)]
