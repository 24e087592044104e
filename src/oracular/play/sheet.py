"""The sheet beside a game: which letters are certainly in the secret, certainly not, or open."""

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
        words: the secrets that are, in dictionary order.
        symbols: each letter, digit or colour of the game with what is certain of it.
    """

    left: int
    words: tuple[str, ...]
    symbols: dict[str, Mark]


def symbols_of(game: Game) -> list[str]:
    """Return the letters that the game's guesses are written with; for words, the whole alphabet."""
    used = set("".join(game.guesses))
    return sorted(used | set("abcdefghijklmnopqrstuvwxyz") if all(a.isalpha() for a in used) else used)


def sheet(game: Game, history: HistoryLike) -> Sheet:
    """Return what is certain after a history; a letter is in where every possible secret has it."""
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
