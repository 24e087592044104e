"""Answers and histories in the ways that people write them, read as the labels of a game.

Wordle's marks may be letters (`gy---`), digits (`21000`) or the coloured squares that people share. Black and white
pegs may be counts (`1b2w`, `b1w2`, `1.2`, `1,2`, `12`, `1 2`), letters one by one (`bww`) or the pegs
themselves. Each sign has one meaning, so the ways may be mixed. What may be read in two ways is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence

from oracular.errors import HistoryError
from oracular.system.files import cut, quoted

FOUND_WORDS = ("found", "yes", "correct")
"""In every game, what says that the guess is the secret."""

_SIGNS = {
    "-": "-‐‑‒–—−﹣－_.bx0⬛⬜◼◻▪▫🔲🔳",
    "y": "y1🟨🟡🟦",
    "g": "g2🟩🟢🟧",
}
MARKS = {sign: mark for mark, signs in _SIGNS.items() for sign in signs}
"""Each sign of a Wordle answer with its mark; orange and blue are the colours of high contrast."""

BLACK_PEGS, WHITE_PEGS = "⚫●🔴🐂", "⚪○🐄"
_VARIATION = "\ufe0f"  # follows some signs to ask for the coloured form
_TWO_COUNTS = re.compile(r"(\d{1,2})\s*[.,/+ -]\s*(\d{1,2})", flags=re.ASCII)
_TWO_WITH_COMMA = re.compile(r"(?<=[:=])(\d{1,2}),(\d{1,2})(?=[\s,]|$)", flags=re.ASCII)


def read_marks(text: str, letters: int) -> str | None:
    """Return the marks of a Wordle answer as its label, such as `-y-g-`, or None where they cannot be read."""
    signs = text.lower().replace(_VARIATION, "").replace(" ", "")
    if len(signs) < letters:
        signs = signs.replace("—", "--")  # what some keyboards make of two hyphens
    if len(signs) != letters or any(sign not in MARKS for sign in signs):
        return None
    return "".join(MARKS[sign] for sign in signs)


def read_pegs(text: str, pegs: int, names: tuple[str, str]) -> str | None:
    """Return counts of black and white pegs as a label, such as `1.2`, or None where they cannot be read.

    Args:
        text: the answer as it was written.
        pegs: how many pegs a code has; with nine or fewer, two digits side by side are two counts.
        names: what a black and a white peg are called, such as `bull` and `cow`: the first letter will do.
    """
    text = text.strip().lower().replace(_VARIATION, "")
    if (counts := _TWO_COUNTS.fullmatch(text)) is not None:
        return f"{int(counts[1])}.{int(counts[2])}"
    if text == "0":
        return "0.0"
    if pegs <= 9 and re.fullmatch(r"\d\d", text, flags=re.ASCII):
        return f"{text[0]}.{text[1]}"
    joined = re.sub(r"[\s,+➖]|and", "", text)
    blacks, whites = names[0][0] + BLACK_PEGS, names[1][0] + WHITE_PEGS
    if not joined and "➖" in text:
        return "0.0"
    if joined and all(sign in blacks + whites for sign in joined):
        black = sum(sign in blacks for sign in joined)
        return f"{black}.{len(joined) - black}"
    if re.fullmatch(
        r"\d{1,2}a(\d{1,2}b)?|a\d{1,2}(b\d{1,2})?", joined, flags=re.ASCII
    ):  # so are bulls and cows written
        names = ("a", "b")
    return _named_counts(joined, names)


def _named_counts(text: str, names: tuple[str, str]) -> str | None:
    """Return counts that each have a name, such as `1b2w`, `b1w2` or `2cows`, as a label; None for anything else."""
    black, white = (rf"{name[0]}(?:{name[1:]}s?)?" if len(name) > 1 else name for name in names)
    for first, second in ((black, white), (white, black)):
        before = re.fullmatch(rf"(?:(\d{{1,2}}){first})?(?:(\d{{1,2}}){second})?", text, flags=re.ASCII)
        after = re.fullmatch(rf"(?:{first}(\d{{1,2}}))?(?:{second}(\d{{1,2}}))?", text, flags=re.ASCII)
        match = before or after
        if text and match is not None:
            counts = [int(count or 0) for count in match.groups()]
            return ".".join(map(str, counts if first == black else counts[::-1]))
    return None


def written_turns(
    text: str, guesses: Container[str], labels: Container[str], example: Callable[[], tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the (word, label) pairs of a history written as text: `giant:2 pecan:3`, or `giant 2 pecan 3`.

    Where each item is a guess, a colon and a label of the game, it is read so: they may have colons and other signs of
    their own. Otherwise it is read as people write it, with commas and spaces between, or `=` instead of the colon.
    `example` gives a turn to show how one is written.
    """
    exact = [_exact_turns(item, guesses, labels) for item in text.split()]
    if all(len(turns) == 1 for turns in exact):
        return [turns[0] for turns in exact]
    text = re.sub(r"[：꞉∶]", ":", text)
    sign = ":" if ":" in text else "="
    text = _TWO_WITH_COMMA.sub(lambda two: f"{two[1]}.{two[2]}" if f"{two[1]}.{two[2]}" in labels else two[0], text)
    items = [item for item in re.split(r"[\s,]+", re.sub(rf"\s*{sign}\s*", sign, text.strip())) if item]
    if len(items) % 2 == 0 and not any(sign in item for item in items):
        return list(zip(items[::2], items[1::2], strict=True))
    pairs = []
    for item in items:
        word, colon, label = item.partition(":" if ":" in item else "=")
        if not (word and colon and label):
            raise HistoryError(
                f"{quoted(item)} is not a guess and its answer: write it like {quoted(':'.join(example()))}"
            )
        pairs.append((word, label))
    return pairs


def _exact_turns(item: str, guesses: Container[str], labels: Container[str]) -> list[tuple[str, str]]:
    """Return every way to read an item as a guess and a label, each as the game writes it."""
    splits = [(item[:place], item[place + 1 :]) for place, sign in enumerate(item) if sign == ":"]
    return [(guess, label) for guess, label in splits if guess in guesses and label in labels]


def given_turns(history: Iterable[tuple[str, object]], example: Callable[[], tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the (word, label) pairs of a history that was given as pairs."""
    pairs = []
    for turn in history if isinstance(history, Iterable) else [history]:
        if not isinstance(turn, list | tuple) or len(turn) != 2 or not isinstance(turn[0], str):
            raise HistoryError(f"{quoted(turn)} is not a guess and its answer: give pairs like {example()}")
        pairs.append((turn[0], str(turn[1])))
    return pairs


def enumerated(labels: Sequence[str], between: str = ", ", most: int = 14) -> str:
    """Return the labels as a list in words, cut where it would grow long."""
    shown = between.join(map(cut, labels[:most]))
    return shown if len(labels) <= most else f"{shown}{between}… ({len(labels)} in all)"
