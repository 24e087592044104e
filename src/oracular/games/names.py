"""The games that can be played, by name: each family's rules in a file of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from oracular.errors import UnknownGameError, WordListError, WordListWarning
from oracular.games.codes import bulls_and_cows, mastermind
from oracular.games.game import Game, Words
from oracular.games.jotto import jotto
from oracular.games.wordle import wordle
from oracular.games.words import read_word_list, word_list_of
from oracular.system.files import quoted

WordSource = str | Path | Iterable[str]
"""A word file's path, or the words themselves."""

FAMILIES: dict[str, Callable[[str, Mapping[str, Words]], Game]] = {
    "jotto": jotto,
    "mastermind": mastermind,
    "bulls": bulls_and_cows,
    "wordle": wordle,
}
LISTS = {"jotto": {"words"}, "mastermind": set(), "bulls": set(), "wordle": {"secrets", "guesses"}}
"""Which word lists of one's own each family takes."""

EXAMPLES = {
    "jotto-2": "the paper's: letters all different, no anagrams",
    "jotto-3": "",
    "jotto-4": "",
    "jotto-5": "",
    "jotto-5-repeats": "letters may repeat, and count as often",
    "jotto-5-anagrams": "anagrams allowed; only the word itself is found",
    "jotto-5-repeats-anagrams": "both",
    "jotto-5-familiar": "hides words that people know; all may be guessed",
    "mastermind-4x6": "pegs x colours; black and white pegs",
    "bulls-4x10": "places x digits, all different; bulls and cows",
    "wordle": "letters in place, elsewhere, or not at all",
}


def game(
    name: str,
    words: WordSource | None = None,
    *,
    secrets: WordSource | None = None,
    guesses: WordSource | None = None,
) -> Game:
    """Return the game of that name, such as `jotto-5`.

    Args:
        name: a family and its variant; `oracular games` lists them.
        words: a word file's path, or a list of words, to play Jotto with instead of TWL06.
        secrets: the same for what may be hidden in Wordle.
        guesses: the same for what may be guessed in Wordle; the secrets always may.
    """
    family, _, variant = name.partition("-")
    make = FAMILIES.get(family)
    if make is None or (not variant and family != "wordle") or name.endswith("-"):
        raise UnknownGameError(f"{quoted(name)} is not a game: choose one like {', '.join(EXAMPLES)}")
    given = {"words": words, "secrets": secrets, "guesses": guesses}
    lists = {key: _words(source) for key, source in given.items() if source is not None}
    for key in lists.keys() - LISTS[family]:
        takes = " and ".join(sorted(LISTS[family])) or "no word lists"
        raise WordListError(f"{name} takes no list of {key}: it takes {takes}")
    return make(variant, lists)


def _words(source: WordSource) -> Words:
    """Return the words of a file or a list, with a warning that says what was left out of it."""
    read = read_word_list(Path(source)) if isinstance(source, str | Path) else word_list_of(source)
    if read.note:
        warnings.warn(read.note, WordListWarning, stacklevel=3)
    return read.words
