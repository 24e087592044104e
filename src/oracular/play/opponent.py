"""What the computer plays: the strategies that come with the package, or simple ones where there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, TypeAlias, get_args

from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.responses.greedy import GreedyOracle
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture, pure
from oracular.strategies.shipped import has_shipped, load
from oracular.strategies.symmetric import SymmetricMixture

Mode: TypeAlias = Literal["guess", "hide", "duel"]
"""Who hides: the computer, the person, or both."""

MODES: tuple[Mode, ...] = get_args(Mode)

FAMILIAR = "-familiar"
"""The end of the name of a game in which the computer hides only words that people know."""

CACHED_HIDERS = 16


@dataclass(frozen=True, eq=False)
class Opponent:
    """What the computer plays in one game, and sentences for people that say how it hides and how it guesses.

    Shipped are strategies that come with the package.
    """

    game: Game
    hider: Hider
    guesser: Mixture
    shipped: bool
    hides: str
    guesses: str


def opponent(game: Game) -> Opponent:
    """Return the strongest opponent that the package has for a game."""
    strategies = load(game.name) if has_shipped(game.name) and not game.own_lists else None
    if strategies is not None and strategies.game.is_same(game):
        hides = (
            "The computer hides by a strategy near equilibrium: the value of that game is between "
            f"{float(strategies.lower):.3f} and {float(strategies.recorded_guarantee):.3f} guesses "
            f"('oracular verify {game.name}' proves it)."
        )
        guesses = (
            "The computer guesses by a strategy near equilibrium: on average it needs at most "
            f"{float(strategies.recorded_guarantee):.3f} guesses, whatever you hide "
            f"('oracular verify {game.name}' proves it)."
        )
        return Opponent(strategies.game, strategies.hider, strategies.guesser, True, hides, guesses)
    hider = hider_uniform(game)
    oracle = GreedyOracle.against(hider, "possible")
    guesser = SymmetricMixture([oracle], [1]) if game.symmetries else pure(oracle)  # so that its openings vary
    hides = "The computer hides every secret with equal chances."
    guesses = "The computer guesses what is expected to leave fewest."
    return Opponent(game, hider, guesser, False, hides, guesses)


@lru_cache(maxsize=CACHED_HIDERS)
def _computer_hider(game: Game) -> Hider:
    return opponent(game).hider


def game_and_hider(game: Game | str, hider: Hider | None) -> tuple[Game, Hider]:
    """Return a game that is given itself or by name, and a hider: the computer's where none is given."""
    if isinstance(game, str):
        game = matchup_by_name(game).game
    return game, _computer_hider(game) if hider is None else hider


@dataclass(frozen=True, eq=False)
class Matchup:
    """The two halves of a match: the one in which the person guesses, and the one in which the computer does.

    They differ where the computer hides familiar words only: the person may hide any word, so the computer guesses in
    the full game.
    """

    hiding: Opponent
    guessing: Opponent

    @property
    def game(self) -> Game:
        """The game that the match is named after: the one in which the person guesses."""
        return self.hiding.game

    @property
    def lists(self) -> str:
        """Which words are in play, in sentences for people."""
        game, yours = self.game, self.guessing.game
        hidden, guessed = len(game.secrets), len(game.guesses)
        if hidden == guessed == len(yours.secrets):
            return f"{hidden:,} {game.kind} may be hidden and guessed."
        if game.name.endswith(FAMILIAR):
            hides = f"one of {hidden:,} familiar ones"
        else:
            hides = f"one of {hidden:,} of them" if game.own_lists else f"one of the {hidden:,} commonest"
        yours_too = "one of these" if yours is game else f"any of {len(yours.secrets):,}"
        return f"{guessed:,} {game.kind} may be guessed. The computer hides {hides}; you may hide {yours_too}."

    def description(self, mode: Mode) -> str:
        """Return what the computer plays, in sentences for people."""
        sides = {"guess": [self.hiding.hides], "hide": [self.guessing.guesses]}
        sentences = sides.get(mode, [self.hiding.hides, self.guessing.guesses])
        if not self.hiding.shipped:
            whose = "your own list" if self.game.own_lists else self.game.name
            sentences = [f"No strategies come with the package for {whose}.", *sentences]
        return " ".join(sentences)


def matchup(game: Game) -> Matchup:
    """Return both halves of a match in a game, which may have word lists of its own."""
    hiding = opponent(game)
    if not game.name.endswith(FAMILIAR):
        return Matchup(hiding, hiding)
    full = game_of_name(game.name.removesuffix(FAMILIAR), words=game.own_lists.get("words"))
    return Matchup(hiding, opponent(full))


@cache
def matchup_by_name(name: str) -> Matchup:
    """Return both halves of a match in a game that is given by name; cached."""
    return matchup(game_of_name(name))
