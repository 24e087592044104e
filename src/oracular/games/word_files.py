"""Word lists of the world: what is taken of a text file, and what is left out and why.

A list has one word a line, of the letters a to z. What people have is seldom that clean, so a line is read with care:

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
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from oracular.system.counting import counted
from oracular.system.files import cut

EXAMPLES_NAMED = 2
LONGEST_EXAMPLE = 20

_PLAIN_WORD = re.compile(r"[A-Za-z]+")
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


@dataclass
class Sifted:
    """The words of a list, and what was made of its lines.

    Attributes:
        words: the words, small letters, in no order.
        lines: how many lines there were, without blank ones and comments.
        comments: how many lines were comments.
        left_out: examples of lines that were left out, by the reason.
        counts: how many lines were left out, by the reason.
        folded: examples of words that were taken without their accents.
        folds: how many of them there were.
        proper: examples of words that begin with a capital letter.
        capitals: how many of them there were.
        encoding: how the text was read where it was neither UTF-8 nor UTF-16.
    """

    words: set[str] = field(default_factory=set)
    lines: int = 0
    comments: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    folded: list[str] = field(default_factory=list)
    folds: int = 0
    proper: list[str] = field(default_factory=list)
    capitals: int = 0
    encoding: str | None = None

    @property
    def note(self) -> str:
        """What a person should know of how the list was read, in a sentence; empty where there is nothing to tell."""
        parts = []
        if self.counts:
            left = sum(self.counts.values())
            parts.append(f"left out {left:,} of {counted(self.lines, 'line')}: {self.reasons}")
        if self.folds:
            examples = examples_of(self.folded, self.folds)
            parts.append(f"took {counted(self.folds, 'word')} without accents ({examples})")
        if 0 < self.capitals < len(self.words) / 2:
            examples = examples_of(self.proper, self.capitals)
            parts.append(f"took {counted(self.capitals, 'word')} with a capital letter as any other ({examples})")
        if self.encoding is not None:
            parts.append(f"read it as {self.encoding}, since it is not UTF-8")
        return "; ".join(parts)

    @property
    def reasons(self) -> str:
        """Why lines were left out, the most frequent reason first, with examples."""
        ordered = sorted(self.counts.items(), key=lambda item: -item[1])
        return ", ".join(f"{count:,} {kind} ({examples_of(self.left_out[kind], count)})" for kind, count in ordered)

    def take(self, word: str) -> None:
        """Add a word of the letters a to z."""
        self.words.add(word.lower())
        if word.istitle() and len(word) > 1:
            self.capitals += 1
            if len(self.proper) < EXAMPLES_NAMED:
                self.proper.append(cut(word, LONGEST_EXAMPLE))

    def leave_out(self, kind: str, line: str) -> None:
        """Count a line that is left out."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if len(named := self.left_out.setdefault(kind, [])) < EXAMPLES_NAMED:
            named.append(cut(line, LONGEST_EXAMPLE))


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
        found.folds += 1
        if len(found.folded) < EXAMPLES_NAMED:
            found.folded.append(f"{cut(word, LONGEST_EXAMPLE)} as {cut(folded.lower(), LONGEST_EXAMPLE)}")
    found.take(folded)


def without_accents(word: str) -> str:
    """Return a word with plain letters in place of those with accents; other alphabets stay as they are."""
    apart = unicodedata.normalize("NFKD", word.translate(_WITHOUT_ACCENT))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _kind(word: str) -> str:
    """Return why a text is not one word of the letters a to z."""
    return next((kind for kind, pattern in _KINDS if pattern.search(word)), OTHER_SIGNS)


def examples_of(named: list[str], count: int) -> str:
    """Return examples, with a sign for those that are not named."""
    return ", ".join(named + (["…"] if count > len(named) else []))


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
