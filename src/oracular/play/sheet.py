"""The sheet that a player keeps: which letters are certainly in the secret, certainly not in it, or open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from oracular.errors import FinishedGameError
from oracular.games.game import Game, HistoryLike

Mark: TypeAlias = Literal["in", "out", "open"]


@dataclass(frozen=True)
class Sheet:
    """What the answers prove.

    Attributes:
        left: how many secrets are still possible.
        words: the secrets that are still possible, in dictionary order.
        symbols: whether each letter, digit or colour of the game is in the secret, out of it, or still open.
    """

    left: int
    words: tuple[str, ...]
    symbols: dict[str, Mark]


def symbols_of(game: Game) -> list[str]:
    """Return the symbols that guesses are written with: the whole alphabet for words, otherwise those in use."""
    used = set("".join(game.guesses))
    return sorted(used | set("abcdefghijklmnopqrstuvwxyz") if all(a.isalpha() for a in used) else used)


def sheet(game: Game, history: HistoryLike) -> Sheet:
    """Return what a history proves: a letter is in where every possible secret has it, out where none has."""
    try:
        words = [game.secrets[index] for index in game.possible_after(history)]
    except FinishedGameError:
        words = [game.guesses[game.parse_history(history)[-1][0]]]
    letters = [set(word) for word in words]
    everywhere = set.intersection(*letters)
    somewhere = set.union(*letters)

    def mark(symbol: str) -> Mark:
        return "in" if symbol in everywhere else "open" if symbol in somewhere else "out"

    return Sheet(len(words), tuple(words), {symbol: mark(symbol) for symbol in symbols_of(game)})
