"""Games with word lists of one's own: what of a list is of use for a game, and what is said of the rest.

Words of other lengths than the game's are left out of a list, and the rules of Jotto leave more out. Of a file all that
is counted and named, in a warning. A list in memory was made for its game, so of it only what is no word is told.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping

from oracular.errors import WordListError, WordListWarning
from oracular.games.game import Game, Words
from oracular.games.jotto import CommonLetters
from oracular.games.offensive import inoffensive
from oracular.games.word_files import EXAMPLES_NAMED, LONGEST_EXAMPLE, examples_of
from oracular.games.wordle import DEFAULT_LETTERS
from oracular.games.words import WordList
from oracular.system.counting import counted
from oracular.system.files import cut

OTHER_LENGTH, REPEATED, ANAGRAM = "of another length", "with a repeated letter", "with an anagram in it"


def made_of_lists(
    name: str, make: Callable[[str, Mapping[str, Words]], Game], variant: str, lists: Mapping[str, WordList]
) -> Game:
    """Return the game of a name with word lists of one's own; warn of what was left out of them."""
    written = re.match(r"\d+", variant)
    letters = int(written[0]) if written is not None else DEFAULT_LETTERS
    fitting = {key: tuple(word for word in read.words if len(word) == letters) for key, read in lists.items()}
    for key, read in lists.items():
        if not fitting[key]:
            raise WordListError(_no_word_of_length(read, letters))
    try:
        game = make(variant, fitting)
    except WordListError as error:
        raise WordListError(f"{' and '.join(read.source for read in lists.values())}: {error}") from None
    for read in lists.values():
        note = read.note
        if read.is_file and (left_out := _left_out(game, read.words, letters)):
            note = f"{note or f'{read.source}:'}{';' * bool(note)} for {name} left out {left_out}"
        if note:
            warnings.warn(note, WordListWarning, stacklevel=3)
    return game


def _no_word_of_length(read: WordList, letters: int) -> str:
    """Return the sentence for a list that has no word of a game's length."""
    lengths = sorted({len(word) for word in read.words})
    have = f"{lengths[0]} to {lengths[-1]} letters" if len(lengths) > 1 else counted(lengths[0], "letter")
    theirs = f"its {len(read.words):,} words have" if len(read.words) > 1 else "its only word has"
    return (
        f"{read.source} has no word of {counted(letters, 'letter')}: {theirs} {have}, so choose another length or list"
    )


def _left_out(game: Game, words: Words, letters: int) -> str:
    """Return how many words of a sorted list are of no use in a game and why, with examples; empty where all are."""
    kinds: dict[str, list[str]] = {OTHER_LENGTH: [], REPEATED: [], ANAGRAM: []}
    taken = set(game.guesses)
    for word in words:
        if word in taken:
            continue
        if len(word) != letters:
            kinds[OTHER_LENGTH].append(word)
        else:
            repeats = isinstance(game.rules, CommonLetters) and not game.rules.repeats and len(set(word)) < letters
            kinds[REPEATED if repeats else ANAGRAM].append(word)
    return ", ".join(f"{len(found):,} {kind} ({_some(found)})" for kind, found in kinds.items() if found)


def _some(words: list[str]) -> str:
    """Return a few of the words that may be shown, long ones cut."""
    shown = [cut(word, LONGEST_EXAMPLE) for word in inoffensive(words)[:EXAMPLES_NAMED]]
    return examples_of(shown, len(words))
