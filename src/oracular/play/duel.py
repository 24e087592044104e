"""The computer in a duel: what a side knows, what it hides and what it guesses.

Both sides see both sides' guesses and answers. What one side knows of a duel is a `DuelView`: its own guesses with
their answers, the other's guesses with the answers it gave, and its own secret. The other's secret is not in it, so
nothing that is worked out from a view can depend on it.

The computer guesses for the higher chance to be first: it estimates how soon the other side finds, and makes the guess
that is worth most then (`duel_model`). Of guesses that are about as good one is drawn. A guess depends on what both
sides see and on this draw, and not on the computer's own secret: whoever knows this code learns nothing from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from oracular.games.game import Indices
from oracular.games.jotto import solved_game
from oracular.games.offensive import is_offensive
from oracular.play.duel_model import Duel, Seeker
from oracular.play.opponent import Opponent, presentable_guess
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import random_symmetry
from oracular.strategies.race import has_race, load_race
from oracular.system.memory import cached_on

AS_GOOD, AS_GOOD_AT_FIRST = 0.001, 0.004
"""Guesses whose chances differ by no more than this are about as good: at any guess, and at the first."""


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

    @property
    def may_be_valued(self) -> bool:
        """Whether chances are worked out: both sides' games are small enough."""
        return self.seeking.may_be_valued and self.sought.may_be_valued

    @cached_property
    def duel(self) -> Duel:
        """What both sides see: neither secret is in it."""
        seeker = Seeker(self.seeking, self.turns, self.others)
        return Duel(seeker, Seeker(self.sought, self.others, self.turns), self.is_next)

    @property
    def possible(self) -> Indices:
        """The secrets that the other side may have."""
        return self.duel.seeker.possible

    @property
    def demand(self) -> int:
        """The constraint of hard mode on this side's next guess."""
        return self.duel.seeker.demand

    def chance(self) -> tuple[float, float]:
        """Return an estimate of this side's chance to win, and its standard error."""
        game = self.sought.game
        return self.duel.chance(int(game.secret_of_guess[game.guess_index(self.own)]))


def duel_half(opponent: Opponent, *, begins: bool) -> Opponent:
    """Return the computer as it hides in a duel in which it begins or not.

    Where strategies for the race come with the package it draws its secret from them, otherwise as it does when only
    the person guesses.
    """
    return cached_on(opponent, f"duel_half_{begins}", lambda: _hiding_for_race(opponent, begins))


def _hiding_for_race(opponent: Opponent, begins: bool) -> Opponent:
    game = opponent.game
    if game.own_lists or not has_race(game.name):
        return opponent
    race = load_race(game.name)
    if not race.first.game.is_same(solved_game(game)):
        return opponent
    weights = (race.first if begins else race.second).secret_weights
    return replace(opponent, hider=Hider(game, weights))


def duel_guess(view: DuelView, draw: int) -> str:
    """Return the computer's guess in a duel; the draw decides between guesses that are about as good.

    It is the same for every own secret that the view may have. A word that may offend is passed over. If no guess could
    be valued, because the game or the state is too large, it is the guess of a guesser who does not watch.
    """
    game = solved_game(view.seeking.game)
    valued = view.duel.valued_guesses() if view.may_be_valued else []
    valued = [one for one in valued if not is_offensive(game.guesses[one.guess])]
    if not valued:
        return game.guesses[presentable_guess(game, view.seeking.guesser, view.possible, draw, view.demand)]
    near = AS_GOOD if view.turns else AS_GOOD_AT_FIRST
    equals = [one for one in valued if one.worth >= valued[0].worth - near]
    rng = np.random.default_rng([draw, len(view.turns)])
    guess = equals[int(rng.integers(len(equals)))].guess
    if not view.turns and game.symmetries:
        guess = int(random_symmetry(game, rng).guesses[guess])  # as good, and nobody can foresee it
    return game.guesses[guess]
