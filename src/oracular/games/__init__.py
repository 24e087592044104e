"""The games that can be played, by name: each family's rules in a file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from oracular.errors import UnknownGameError
from oracular.game import Game
from oracular.games.jotto import jotto

FAMILIES = {"jotto": jotto}
EXAMPLES = ("jotto-2", "jotto-3", "jotto-4", "jotto-5")


def game(name: str, words: str | Path | Sequence[str] | None = None) -> Game:
    """Return the game of that name, such as `jotto-5`.

    Args:
        name: a family and its variant; `oracular games` lists them.
        words: a word file's path, or a list of words, to play with instead of TWL06.
    """
    family, _, variant = name.partition("-")
    make = FAMILIES.get(family)
    if make is None or not variant:
        raise UnknownGameError(f"{name!r} is not a game: choose one like {', '.join(EXAMPLES)}")
    return make(variant, Path(words) if isinstance(words, str) else words)
