"""The computer in a duel: what a side knows, what it hides and what it guesses.

Both sides see both sides' guesses and answers. What one side knows of a duel is a `DuelView`: its own guesses with
their answers, the other's guesses with the answers it gave, and its own secret. The other's secret is not in it, so
nothing that is worked out from a view can depend on it.

The computer guesses for the higher chance to be first: it estimates how soon the other side finds its secret, and
makes the guess that is worth most then (`duel_model`). Of guesses that are about as good one is drawn.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Indices
from oracular.games.jotto import solved_game
from oracular.games.offensive import is_offensive
from oracular.play.duel_model import Soon, Valued, duel_model, guesses_made
from oracular.play.opponent import Opponent
from oracular.play.presentable import presentable_guess
from oracular.strategies.hider import Hider
from oracular.strategies.race_file import has_race, load_race
from oracular.strategies.symmetric import random_symmetry
from oracular.system.caching import kept_with

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
    def possible(self) -> Indices:
        """The secrets that the other side may have."""
        return self.seeking.game.possible_after(self.turns, only_allowed=False)

    @cached_property
    def exposed(self) -> Indices:
        """The secrets that this side may have in the other's eyes."""
        return self.sought.game.possible_after(self.others, only_allowed=False)

    @cached_property
    def demand(self) -> int:
        """What is asked of this side's next guess."""
        game = self.seeking.game
        return game.demand_after(game.parse_history(self.turns))

    @property
    def _rng(self) -> np.random.Generator:
        """A generator of random numbers that is the same at every look at the same position."""
        text = repr((self.seeking.game.name, self.own, self.turns, self.others))
        return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little"))

    @cached_property
    def how_soon(self) -> Soon:
        """How many more guesses the other side needs, as far as this side can tell."""
        model, game = duel_model(self.sought), self.sought.game
        secret = int(game.secret_of_guess[game.guess_index(self.own)])
        demand = game.demand_after(game.parse_history(self.others))
        return model.how_soon(guesses_made(model, self.others), self.exposed, secret, self._rng, demand)

    @property
    def utilities(self) -> NDArray[np.float64]:
        """What it is worth to find at this side's next guess, the one after it, and so on: a chance to win [guesses].

        At this side's turn, finding at guess j wins where the other side needs j guesses or more. Otherwise the other
        side comes first, so that it must need more than j. The last is zero.
        """
        at_least = self.how_soon.at_least if self.is_next else self.how_soon.at_least[1:]
        return np.append(at_least, np.zeros(max(1, 2 - len(at_least))))

    def valued_guesses(self, *, quickly: bool = False) -> list[Valued]:
        """Return guesses with the chance to win after them, the best first; none where the state is too large."""
        model = duel_model(self.seeking)
        made = guesses_made(model, self.turns)
        return model.valued_guesses(made, self.possible, self.utilities, quickly=quickly, demand=self.demand)

    def chance(self) -> float:
        """Return an estimate of this side's chance to win, if it makes the best guess that it can find quickly."""
        valued = self.valued_guesses(quickly=True)
        if valued:
            return min(1.0, valued[0].worth)
        return duel_model(self.seeking).sampled_worth(self.possible, self.utilities, self._rng, self.demand)


def duel_half(opponent: Opponent, *, begins: bool) -> Opponent:
    """Return the computer as it hides in a duel in which it begins or not.

    Where strategies for the race come with the package it draws its secret from them, otherwise as it does when only
    the person guesses.
    """
    return kept_with(opponent, f"duel_half_{begins}", lambda: _hiding_for_race(opponent, begins))


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
    """Return the computer's guess in a duel from what it knows; the draw decides between guesses that are as good.

    A word that may offend is passed over. Where no guess could be valued, because the game or the state is too large,
    it is the guess of a guesser who does not watch.
    """
    game = solved_game(view.seeking.game)
    valued = view.valued_guesses() if view.may_be_valued else []
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
