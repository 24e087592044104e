"""What the computer plays: the strategies that come with the package, or simple ones where there are none."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE, RuleName
from oracular.games.jotto import solved_game, widened
from oracular.games.names import canonical_name, full_name, is_familiar_name
from oracular.games.names import game as game_of_name
from oracular.games.offensive import is_offensive
from oracular.games.wordle import has_commonest_secrets
from oracular.strategies.greedy import GreedyOracle
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture, SymmetricMixture, pure
from oracular.strategies.shipped import has_shipped, load

Mode: TypeAlias = Literal["guess", "hide", "duel"]
"""Who hides: the computer, the person, or both."""

MODES: tuple[Mode, ...] = get_args(Mode)

LARGEST_VALUED = 1 << 28
"""In games of more secrets times guesses no chance to win a duel is worked out: it would take minutes."""

MOST_TABLES = 185_000_000
"""How many bytes the tables of answers of all games that are kept may take."""

WORDLE_ROWS = 6
"""How many guesses a person has who plays Wordle alone."""

RULE_SENTENCES: dict[RuleName, str] = {
    "any": "",
    "hard": "Hard mode: letters that were shown green stay in their place, and coloured letters are used again.",
    "possible": "Only a {noun} that may still be the secret may be guessed.",
}
"""Which guesses the rules of guessing allow, for players."""


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

    @property
    def may_be_valued(self) -> bool:
        """Whether chances to find in time are worked out: the game is small enough."""
        game = solved_game(self.game)
        return len(game.secrets) * len(game.guesses) <= LARGEST_VALUED


def opponent(game: Game) -> Opponent:
    """Return the strongest opponent that the package has for a game."""
    strategies = load(game.name) if has_shipped(game.name) and not game.own_lists else None
    if strategies is not None and strategies.game.is_same(game):
        lower, upper = float(strategies.lower), float(strategies.recorded_guarantee)
        settled = strategies.lower == strategies.recorded_guarantee
        takes = f"{upper:.3f}" if settled else f"between {lower:.3f} and {upper:.3f}"
        hides = (
            "The computer picks its secret with care: if both sides play as well as can be, a game takes "
            f"{takes} guesses on average."
        )
        careful = any(map(is_offensive, game.guesses))
        save = " It may need a few more where it passes over a word that may offend." if careful else ""
        guesses = f"The computer needs at most {upper:.3f} guesses on average, whatever you hide.{save}"
        return Opponent(strategies.game, strategies.hider, strategies.guesser, True, hides, guesses)
    hider = hider_uniform(game)
    oracle = GreedyOracle.against(hider, "possible")
    guesser = SymmetricMixture([oracle], [1]) if game.symmetries else pure(oracle)  # so that its openings vary
    hides = "The computer picks any of its secrets with equal chances."
    guesses = "The computer guesses so that few possibilities should be left."
    return Opponent(game, hider, guesser, False, hides, guesses)


def _widened(opponent: Opponent) -> Opponent:
    """Return the same opponent in the game in which a person may guess every word of the list."""
    game, hides = widened(opponent.game), opponent.hides
    if game is opponent.game:
        return opponent
    if opponent.shipped and len(game.guesses) > len(opponent.game.guesses):
        hides += " These figures assume that only words that may be hidden are guessed."
    return replace(opponent, game=game, hider=Hider(game, opponent.hider.weights), hides=hides)


def game_and_hider(game: Game | str, hider: Hider | None) -> tuple[Game, Hider]:
    """Return the game that a person guesses in and its hider: one with equal chances for all secrets by default.

    The game may be given by name. In Jotto every word of the list may be guessed (`widened`), whatever may be hidden.
    """
    if not isinstance(game, Game):
        game = matchup_by_name(canonical_name(game)).hiding.game
    solved, wide = solved_game(game), widened(game)
    if hider is None:
        return wide, hider_uniform(wide)
    if hider.game is not wide and hider.game.is_same(solved):
        hider = Hider(wide, hider.weights)
    return wide, hider


@dataclass(frozen=True, eq=False)
class Matchup:
    """The two halves of a match: the one in which the person guesses, and the one in which the computer does.

    In Jotto the person may guess every word of the list, and the computer guesses in the game that was solved. Where
    the computer hides familiar words only the person may hide any word, so the computer guesses in the full game.
    """

    hiding: Opponent
    guessing: Opponent

    @property
    def game(self) -> Game:
        """The game that the match is named after: the one in which the person guesses."""
        return self.hiding.game

    @property
    def may_be_valued(self) -> bool:
        """Whether chances to win a duel are worked out: both sides' games are small enough."""
        return self.hiding.may_be_valued and self.guessing.may_be_valued

    @property
    def rows(self) -> int | None:
        """After how many guesses a person who guesses alone has lost; None where there is no such limit."""
        return WORDLE_ROWS if self.game.family == "wordle" else None

    @property
    def summary(self) -> str:
        """What the computer hides and what the person may guess, in one or two short sentences for players."""
        game = self.game
        hidden, guessed = len(game.secrets), len(game.guesses)
        familiar = "familiar " if is_familiar_name(game.name) else ""
        hides = f"The computer hides one of {hidden:,} {familiar}{game.noun}s"
        if game.guessing.rule == "possible":
            return f"{hides}. {self.rule}"
        may = ", and you may guess any of them." if hidden == guessed else f". You may guess any of {guessed:,}."
        return " ".join(filter(None, [hides + may, self.rule]))

    @property
    def rule(self) -> str:
        """Which guesses are allowed, in a sentence for players; empty where all are."""
        return RULE_SENTENCES[self.game.guessing.rule].format(noun=self.game.noun)

    @property
    def lists(self) -> str:
        """Which words are in play, in sentences for people."""
        game, yours = self.game, self.guessing.game
        hidden, guessed = len(game.secrets), len(game.guesses)
        if game.guessing.rule == "possible" and game.secrets == yours.secrets:
            return f"{hidden:,} {game.kind} may be hidden, and guessed as long as they are possible."
        if hidden == guessed == len(yours.secrets):
            return f"{hidden:,} {game.kind} may be hidden and guessed."
        if is_familiar_name(game.name):
            hides = f"one of {hidden:,} familiar ones"
        else:
            hides = f"one of the {hidden:,} commonest" if has_commonest_secrets(game) else f"one of {hidden:,} of them"
        yours_too = "one of these" if yours.secrets == game.secrets else f"any of {len(yours.secrets):,}"
        return f"{guessed:,} {game.kind} may be guessed. The computer hides {hides}; you may hide {yours_too}."

    def description(self, mode: Mode) -> str:
        """Return what the computer plays, in sentences for people; the figures are for one side that guesses alone."""
        watches = "It watches both sides, and guesses for the higher chance to be first."
        careful = "The computer picks its secret with care." if self.hiding.shipped else self.hiding.hides
        sides: dict[Mode, list[str]] = {
            "guess": [self.hiding.hides],
            "hide": [self.guessing.guesses],
            "duel": [careful, watches if self.may_be_valued else "It guesses as if it were alone: the game is large."],
        }
        sentences = sides[mode]
        solved = {"guess": self.hiding.shipped, "hide": self.guessing.shipped}
        if not solved.get(mode, self.hiding.shipped or self.guessing.shipped):
            which = "with your own list" if self.game.own_lists else "of this game"
            sentences = [f"The best play {which} has not been worked out yet.", *sentences]
        return " ".join(sentences)


def matchup(game: Game) -> Matchup:
    """Return both halves of a match in a game, which may have word lists of its own."""
    hiding = opponent(solved_game(game))
    if not is_familiar_name(game.name):
        return Matchup(_widened(hiding), hiding)
    full = full_name(game.name)
    if game.own_lists:
        return Matchup(_widened(hiding), opponent(game_of_name(full, words=game.own_lists.get("words"))))
    return Matchup(_widened(hiding), matchup_by_name(full).guessing)


_matchups: OrderedDict[str, Matchup] = OrderedDict()
"""The matchups by name, the one that was used last at the end."""

_matchups_lock = threading.Lock()


def matchup_by_name(name: str) -> Matchup:
    """Return both halves of a match in a game that is given by name.

    They are cached. Those that were not used for longest are dropped if the tables of answers of all of them, and those
    that this one may still make, would take more than `MOST_TABLES` bytes. To make a table again takes a second.
    """
    with _matchups_lock:
        known = _matchups.get(name)
    made = known or matchup(game_of_name(name))
    dropped = False
    with _matchups_lock:
        found = _matchups.setdefault(name, made)
        _matchups.move_to_end(name)
        while len(_matchups) > 1 and _bytes_of_tables(_matchups.values()) > MOST_TABLES:
            _matchups.popitem(last=False)
            dropped = True
    if dropped:
        gc.collect()  # a game and the one in which more may be guessed know each other
    return found


def _bytes_of_tables(matchups: Iterable[Matchup]) -> int:
    """Return how many bytes the tables of matchups take: those made so far, and of the last one also those to come."""
    made: dict[int, int] = {}  # by place in memory, since games and both orders of an answer may share a table
    to_come: dict[int, int] = {}
    for one in matchups:
        to_come = {}
        for half in (one.hiding, one.guessing):
            solved = solved_game(half.game)
            ways = 2 if half.shipped and len(solved.secrets) < len(solved.guesses) else 1  # trees are read by guess
            to_come[id(solved)] = ways * len(solved.secrets) * len(solved.guesses)
            for game in (half.game, solved):
                tables = [vars(game)[name] for name in ("table", "by_secret") if name in vars(game)]
                sizes = {table.ctypes.data: table.nbytes for table in tables}
                made |= sizes
            to_come[id(solved)] -= sum(sizes.values())
    return sum(made.values()) + sum(max(0, size) for size in to_come.values())


MOST_DRAWS = 32
"""How often an oracle is drawn again before another guess is looked for."""


def presentable_guess(game: Game, guesser: Mixture, possible: Indices, draw: int, demand: int = FREE) -> int:
    """Return the guess, by index, of the oracle that a seed draws; where it offends, that of another one.

    Where all of them offend, it is the best guess that does not. Only where no other guess would tell anything, since
    all that is left offends, is such a word guessed after all: it is the person's own. In hard mode a state has a
    demand, which the guess meets.
    """
    for again in range(MOST_DRAWS if len(guesser.oracles) > 1 else 1):
        rng = np.random.default_rng([draw, again] if again else draw)
        guess = guesser.new_game(rng).guess_at(possible, demand)
        if not is_offensive(game.guesses[guess]):
            return guess
    return _best_other(game, possible, demand, guess)


def _best_other(game: Game, possible: Indices, demand: int, guess: int) -> int:
    """Return the inoffensive guess that is expected to leave fewest, or the given one where none tells anything."""
    allowed = game.allowed(possible, demand)
    others = np.array([number for number in allowed if not is_offensive(game.guesses[number])], dtype=np.int32)
    best, least = guess, len(possible) ** 2
    for block in np.array_split(others, len(others) // 256 + 1):
        for number, replies in zip(block, game.answers(block, possible), strict=True):
            counts = np.bincount(replies, minlength=len(game.labels))
            left = int((counts**2).sum() - counts[game.found])
            if left < least:
                best, least = int(number), left
    return best
