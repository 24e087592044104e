"""Word lists: the paper's dictionary, a user's own file, and what makes a word playable.

The paper plays with the Official Tournament and Club Word List of 2006 (TWL06). The list is not ours to copy: it
comes with the package `wordsegment` 1.3.0, whose `words.txt` is TWL06 and seven words more, and is checked against
its hash each time it is read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from oracular.errors import WordListError
from oracular.games.word_files import Sifted, decoded, not_text, nothing_left, sifted
from oracular.system.files import quoted, read_bytes
from oracular.system.installing import install_command

TWL06_SHA256 = "ea06931e05aa0c57384ab8fa74528954004d65c34fd65fe55559cd4b7dd7f517"
ADDED_TO_TWL06 = frozenset(["birdshots", "buckshots", "stabbings", "talkfest", "talkfests", "vin", "vins"])

DICTIONARY = "wordsegment==1.3.0"
"""The package that carries TWL06; other versions carry another list."""

FREQUENT_COUNT = 10**6
"""How often a frequent word was counted, at least."""

MOST_BYTES_OF_WORDS = 1 << 28
"""No word file is larger than this."""

_PLAIN_WORD = re.compile(r"[A-Za-z]+")
_ADDRESS = re.compile(r"(https?|ftp|file):/+", flags=re.IGNORECASE)


def sha256_of_words(words: Iterable[str]) -> str:
    """Return the hash of a word list, written one word a line with a newline after each."""
    return hashlib.sha256("".join(f"{word}\n" for word in words).encode()).hexdigest()


def _package_file(name: str) -> str:
    """Return the text of a file of the package that carries the dictionary."""
    package = importlib.util.find_spec("wordsegment")
    if package is None or package.origin is None:
        raise WordListError(f"the package wordsegment, which carries TWL06, is missing: {install_command(DICTIONARY)}")
    return (Path(package.origin).parent / name).read_text(encoding="utf-8")


@cache
def twl06() -> tuple[str, ...]:
    """Return the 178,691 words of TWL06 in dictionary order, hash-checked."""
    words = word_list(set(_package_file("words.txt").split()) - ADDED_TO_TWL06)
    if sha256_of_words(words) != TWL06_SHA256:
        raise WordListError(
            "the word list of the installed package wordsegment is not TWL06 (its hash differs): "
            f"{install_command(DICTIONARY)}"
        )
    return words


@dataclass(frozen=True)
class WordList:
    """The words of a list of one's own, in dictionary order, lower case and without repeats.

    The note says in a sentence what was left out of the list and why; it is empty where every line was taken as it is.
    The source is what the list is called before people; a file's words are told apart from those of a list in memory.
    """

    words: tuple[str, ...]
    note: str
    source: str
    is_file: bool


def read_word_list(path: Path) -> WordList:
    """Return the words of a text file, and what was left out of it (`word_files.py` says how lines are read)."""
    source = f"word file {quoted(path)}"
    if (address := _ADDRESS.match(str(path))) is not None:
        written = f"{address[1]}://{str(path)[address.end() :]}"
        raise WordListError(
            f"{quoted(written)} is an address, and none is fetched: download the file and give its path"
        )
    try:
        data = read_bytes(path, MOST_BYTES_OF_WORDS)
    except FileNotFoundError:
        raise WordListError(f"{source} does not exist: give the path of a text file") from None
    except IsADirectoryError:
        raise WordListError(f"{source} is a folder: give the path of a text file") from None
    except OSError as error:
        raise WordListError(f"{source} cannot be read ({error.strerror}): give an ordinary text file") from None
    read = decoded(data)
    if read is None:
        raise WordListError(not_text(data, source))
    text, encoding = read
    found = sifted(text.splitlines())
    found.encoding = encoding
    return _taken(found, source, True)


def word_list_of(items: Iterable[str]) -> WordList:
    """Return the words of a list in memory, one an item, and what was left out of it."""
    return _taken(sifted(items), "the word list", False)


def _taken(found: Sifted, source: str, is_file: bool) -> WordList:
    """Return the words that were found in a list, or raise an error that says why there are none."""
    if not found.words:
        raise WordListError(nothing_left(found, source))
    return WordList(word_list(found.words), f"{source}: {found.note}" if found.note else "", source, is_file)


def checked_words(lines: Iterable[str], source: str) -> tuple[str, ...]:
    """Return the words of a list that the program wrote, in dictionary order; each must be of the letters a to z."""
    words = set()
    for number, line in enumerate(lines, start=1):
        word = str(line).strip()
        if word and not _PLAIN_WORD.fullmatch(word):
            raise WordListError(
                f"{source}, line {number}: {quoted(word)} is not one word of the letters a to z: "
                "change or remove that line"
            )
        words.add(word.lower())
    words.discard("")
    if not words:
        raise WordListError(f"{source} is empty: give one word a line")
    return word_list(words)


def word_list(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words in dictionary order and without repeats: how every list of a game is kept."""
    return tuple(sorted(set(words)))


def playable_words(
    words: Iterable[str], letters: int, *, repeats: bool = False, anagrams: bool = False
) -> tuple[str, ...]:
    """Return the words that Jotto allows, in the given order.

    The paper's two rules (section 2): the letters of a word are all different, unless `repeats` are allowed, and no
    other word of the list is an anagram of it, unless `anagrams` are.
    """
    candidates = [word for word in words if len(word) == letters]
    if repeats and anagrams:
        return tuple(candidates)
    classes = Counter("".join(sorted(word)) for word in candidates)
    return tuple(
        word
        for word in candidates
        if (repeats or len(set(word)) == letters) and (anagrams or classes["".join(sorted(word))] == 1)
    )


@cache
def frequencies() -> dict[str, int]:
    """Return how often each word was counted in a large body of text; words that were not are missing."""
    text = _package_file("unigrams.txt")
    return {word: int(float(count)) for word, count in (line.split("\t") for line in text.splitlines() if line)}


@cache
def familiar_words() -> frozenset[str]:
    """Return the words that people know: `familiar.txt`, which `tools/make_familiar.py` writes."""
    return frozenset(files("oracular.games").joinpath("familiar.txt").read_text(encoding="utf-8").split())


def is_familiar(word: str) -> bool:
    """Return whether people know a word, and it is a base form: not a plural or a past tense, for example."""
    return word in familiar_words()


def is_frequent(word: str) -> bool:
    """Return whether a word was counted at least a million times, as in the familiar games of earlier versions.

    Many of these words are names or abbreviations elsewhere, and many are inflected forms.
    """
    return frequencies().get(word, 0) >= FREQUENT_COUNT
