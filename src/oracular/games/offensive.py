"""Words that offend: slurs and obscenities, a short list of our own (`offensive.txt`).

They stay legal: people may guess and hide them, and solved strategies are as they were. But what the computer shows to
people of its own accord (a secret that it hides, a guess, a hint, a word in a picture) is chosen among the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

FILE = "offensive.txt"


@cache
def offensive_words() -> frozenset[str]:
    """Return all words of the list."""
    return frozenset(files("oracular.games").joinpath(FILE).read_text(encoding="utf-8").split())


def is_offensive(word: str) -> bool:
    """Tell whether a word is one that the computer does not show to people of its own accord."""
    return word.lower() in offensive_words()


def inoffensive(words: Iterable[str]) -> list[str]:
    """Return the words that may be shown to people, in the given order."""
    return [word for word in words if not is_offensive(word)]
