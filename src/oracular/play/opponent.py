"""Whom a person plays against: the strategies that come with the package, or plain ones where there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from oracular.game import Game
from oracular.games import game as game_of_name
from oracular.responses.greedy import GreedyOracle
from oracular.shipped import has_shipped, load
from oracular.strategy import Hider, Mixture, pure

FAMILIAR = "-familiar"
"""How the name of a game ends whose computer hides only words that people know."""


@dataclass(frozen=True, eq=False)
class Opponent:
    """What the computer plays in one game.

    Attributes:
        game: the game.
        hider: what it draws its secrets from.
        guesser: what it guesses with: one oracle is drawn a game.
        shipped: whether these are strategies that come with the package.
        description: what it plays, in a sentence for people.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    shipped: bool
    description: str


def opponent(game: Game) -> Opponent:
    """Return the strongest opponent there is for a game."""
    if has_shipped(game.name) and not game.own_lists:
        strategies = load(game.name)
        description = (
            "The computer plays strategies near equilibrium: on average it needs at most "
            f"{float(strategies.guarantee):.3f} guesses, whatever is hidden (proved)."
        )
        return Opponent(strategies.game, strategies.hider, strategies.guesser, True, description)
    hider = Hider(game, np.ones(len(game.secrets), dtype=np.int64))
    description = (
        f"No strategies for {game.name} come with the package: the computer hides every secret with equal chances, "
        "and guesses what is expected to leave fewest."
    )
    return Opponent(game, hider, pure(GreedyOracle.against(hider, "possible")), False, description)


@dataclass(frozen=True, eq=False)
class Table:
    """The two halves of a match: where you guess, and where the computer does.

    They differ where the computer hides familiar words only: you may hide any word, so it guesses in the full game.

    Attributes:
        hiding: the opponent as it hides; your guesses are guesses of its game.
        guessing: the opponent as it guesses; your word is a secret of its game.
    """

    hiding: Opponent
    guessing: Opponent

    @property
    def game(self) -> Game:
        """The game whose name the match goes by: the one you guess in."""
        return self.hiding.game

    @property
    def lists(self) -> str:
        """Which words are in play, in a sentence for people."""
        hidden, guessed = len(self.game.secrets), len(self.game.guesses)
        kind = "familiar words" if self.game.name.endswith(FAMILIAR) else "secrets"
        source = ", from your own list" if self.game.own_lists else ""
        if hidden == guessed == len(self.guessing.game.secrets):
            return f"{hidden:,} words may be hidden and guessed{source}."
        return (
            f"The computer hides one of {hidden:,} {kind}; {guessed:,} may be guessed{source}. "
            f"You may hide any of {len(self.guessing.game.secrets):,}."
        )


def table_for(game: Game) -> Table:
    """Return the table of a game that need not be one of the usual lists."""
    name = game.name
    hiding = opponent(game)
    if not name.endswith(FAMILIAR):
        return Table(hiding, hiding)
    full = game_of_name(name.removesuffix(FAMILIAR), words=game.own_lists.get("words"))
    return Table(hiding, opponent(full))


@cache
def table_of(name: str) -> Table:
    """Return the table of a game by its name, kept for the next time."""
    return table_for(game_of_name(name))
