"""Word lists: the paper's dictionary, a user's own file, and what makes a word playable.

The paper plays with the Official Tournament and Club Word List of 2006 (TWL06). The list is not ours to copy: it
comes with the package `wordsegment` 1.3.0, whose `words.txt` is TWL06 and seven words more, and is checked against
its hash each time it is read.

A user's list has one word a line, of the letters a to z. What people have is seldom that clean, so a line is read with
care:

- Blank lines, and what follows a `#` that begins a line or comes after a space, are no part of the list.
- Capitals become small letters, and letters with accents plain ones (`café` is read as `cafe`, `straße` as `strasse`).
- Numbers beside a word are its frequency or its rank (`giant,1234`, `1 giant 0.5`) and are skipped, as are quotation
  marks around it.
- A line that still is not one word of the letters a to z is left out: with an apostrophe, a hyphen, digits, letters of
  another alphabet, more than one word.

All of that is counted, and `Sifted.note` says it in a sentence. Text is UTF-8, UTF-16 with its mark, or, where it can
be neither, Windows-1252, which has Latin-1 in it.
"""

from __future__ import annotations

import codecs
import hashlib
import importlib.util
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from oracular.errors import WordListError, install_command
from oracular.system.files import counted, cut, quoted, read_bytes

TWL06_SHA256 = "ea06931e05aa0c57384ab8fa74528954004d65c34fd65fe55559cd4b7dd7f517"
ADDED_TO_TWL06 = frozenset(["birdshots", "buckshots", "stabbings", "talkfest", "talkfests", "vin", "vins"])

DICTIONARY = "wordsegment==1.3.0"
"""The package that carries TWL06; other versions carry another list."""

FREQUENT_COUNT = 10**6
"""How often a frequent word was counted, at least."""

MOST_BYTES_OF_WORDS = 1 << 28
"""No word file is larger than this."""

_PLAIN_WORD = re.compile(r"[A-Za-z]+")
_WORD = re.compile(r"[^\W\d_]+")
"""A word of any alphabet."""

_EXAMPLES_NAMED = 2
LONGEST_EXAMPLE = 20

_COMMENT = re.compile(r"(?:^|\s)#.*")
_SEPARATOR = re.compile(r"[\s,;|]+")
_NUMBER = re.compile(r"[+-]?(?:\d[\d._]*|\.\d+)(?:[eE][+-]?\d+)?%?")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_QUOTES = '"“”„«»'
_WITHOUT_ACCENT = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H", "ı": "i", "´": "'"}
)
_KINDS = (
    ("with an apostrophe", re.compile("['’‘ʼ`´]")),
    ("with digits", re.compile(r"\d")),
    ("with a hyphen", re.compile("[-‐‑‒–—]")),
    ("with other letters than a to z", re.compile(r"[^\W\d_a-zA-Z]")),
)
SEVERAL_WORDS = "with more than one word"
OTHER_SIGNS = "with other signs"
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


@dataclass
class Sifted:
    """The words of a list, and what was made of its lines.

    Attributes:
        words: the words, small letters, in no order.
        lines: how many lines there were, without blank ones and comments.
        comments: how many lines were comments.
        left_out: the lines that were left out, by the reason.
        folded: the words that were taken without their accents, as they were and as they are.
        proper: the words that begin with a capital letter.
        encoding: how the text was read if it was neither UTF-8 nor UTF-16.
    """

    words: set[str] = field(default_factory=set)
    lines: int = 0
    comments: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)
    folded: list[str] = field(default_factory=list)
    proper: list[str] = field(default_factory=list)
    encoding: str | None = None

    @property
    def note(self) -> str:
        """What a person should know of how the list was read, in a sentence; empty if there is nothing to say."""
        notes = []
        if self.left_out:
            left = sum(map(len, self.left_out.values()))
            notes.append(f"left out {left:,} of {counted(self.lines, 'line')}: {self.reasons}")
        if self.folded:
            notes.append(f"took {counted(len(self.folded), 'word')} without accents ({examples_of(self.folded)})")
        if 0 < len(self.proper) < len(self.words) / 2:
            which = f"{counted(len(self.proper), 'word')} with a capital letter as any other"
            notes.append(f"took {which} ({examples_of(self.proper)})")
        if self.encoding is not None:
            notes.append(f"read it as {self.encoding}, since it is not UTF-8")
        return "; ".join(notes)

    @property
    def reasons(self) -> str:
        """Why lines were left out, the most frequent reason first, with examples."""
        ordered = sorted(self.left_out.items(), key=lambda item: -len(item[1]))
        return ", ".join(f"{len(lines):,} {kind} ({examples_of(lines)})" for kind, lines in ordered)

    def take(self, word: str) -> None:
        """Add a word of the letters a to z."""
        self.words.add(word.lower())
        if word.istitle() and len(word) > 1:
            self.proper.append(cut(word, LONGEST_EXAMPLE))

    def leave_out(self, kind: str, line: str) -> None:
        """Note a line that is left out."""
        self.left_out.setdefault(kind, []).append(cut(line, LONGEST_EXAMPLE))


def sifted(lines: Iterable[str]) -> Sifted:
    """Return the words of a list, one an item, and what was left out."""
    found = Sifted()
    for line in lines:
        text = str(line).strip()
        if _PLAIN_WORD.fullmatch(text):
            found.lines += 1
            found.take(text)
        elif text:
            _sift(found, text)
    return found


def _sift(found: Sifted, text: str) -> None:
    """Take the word of a line that is more than one plain word, or leave the line out."""
    written = "".join(letter for letter in _COMMENT.sub("", text).strip() if unicodedata.category(letter) != "Cf")
    if not written:
        found.comments += 1
        return
    found.lines += 1
    fields = [part for part in (part.strip(_QUOTES) for part in _SEPARATOR.split(written)) if part]
    words = [part for part in fields if not _NUMBER.fullmatch(part)]
    if len(words) > 1:
        found.leave_out(SEVERAL_WORDS, written)
        return
    word = words[0] if words else written
    folded = without_accents(word)
    if not _PLAIN_WORD.fullmatch(folded):
        found.leave_out(_kind(folded), word)
        return
    if folded != word:
        found.folded.append(f"{cut(word, LONGEST_EXAMPLE)} as {cut(folded.lower(), LONGEST_EXAMPLE)}")
    found.take(folded)


def without_accents(word: str) -> str:
    """Return a word with plain letters in place of those with accents; other alphabets stay as they are."""
    apart = unicodedata.normalize("NFKD", word.translate(_WITHOUT_ACCENT))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _kind(word: str) -> str:
    """Return why a text is not one word of the letters a to z."""
    return next((kind for kind, pattern in _KINDS if pattern.search(word)), OTHER_SIGNS)


def examples_of(lines: Sequence[str], count: int | None = None) -> str:
    """Return the first of some lines, with a sign for those of them, or of `count` of them, that are not named."""
    named = lines[:_EXAMPLES_NAMED]
    return ", ".join([*named, *(["…"] if (count or len(lines)) > len(named) else [])])


def decoded(data: bytes) -> tuple[str, str | None] | None:
    """Return the text of a file, and how it was read if that should be told; None if it is no text."""
    for read, told in _readings(data):
        text = read.rstrip("\x1a")  # how files of DOS end
        if not _CONTROL.search(text):
            return text, told
    return None


def _readings(data: bytes) -> Iterator[tuple[str, str | None]]:
    """Yield the ways to read a file as text, the likeliest first."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding, told in (("utf-16" if marked else "utf-8-sig", None), ("cp1252", "Windows-1252 (Latin-1)")):
        try:
            yield data.decode(encoding), told
        except UnicodeDecodeError:
            if marked:
                return


def nothing_left(found: Sifted, source: str) -> str:
    """Return the sentence for a list of which no word is left."""
    if not found.lines:
        what = "has comments only" if found.comments else "is empty"
        return f"{source} {what}: give one word a line"
    left = f"all {found.lines:,} lines were" if found.lines > 1 else "its only line was"
    return f"{source} leaves no word: {left} left out, {found.reasons}: give one word a line, of the letters a to z"


def not_text(data: bytes, source: str) -> str:
    """Return the sentence for a file that is no text."""
    if len(data) > 3 and (data[1::2].count(0) > len(data) // 3 or data[::2].count(0) > len(data) // 3):
        return f"{source} looks like UTF-16 without its mark: save it as UTF-8, one word a line"
    return f"{source} is not a text file: give one with one word a line, in UTF-8"


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
    """Return the words of a text file, and what was left out of it (the module says how lines are read)."""
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
    """Return the words of a list that the program wrote, in dictionary order; each must be of letters alone."""
    words = set()
    for number, line in enumerate(lines, start=1):
        word = str(line).strip()
        if word and not _WORD.fullmatch(word):
            raise WordListError(f"{source}, line {number}: {quoted(word)} is not one word: change or remove that line")
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
