"""What games are called before people, and what their rules are; the page and results to share have the same names."""

from __future__ import annotations

import re

from oracular.games.jotto import jotto_rules
from oracular.games.names import EVERYDAY

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
USUAL_LETTERS = 5
ALL_FAMILIAR = 2
"""Words of this many letters are all familiar."""

DEFAULT_GAME = EVERYDAY["jotto"]
"""The Jotto that people know, which a newcomer gets and which the daily game is."""


def title_of(name: str) -> str:
    """Return what a game is called: `Jotto` for the one that a newcomer gets, others by what is different in them."""
    rules = jotto_rules(name)
    if rules is not None:
        differences = [
            "" if rules.letters == USUAL_LETTERS else f"{_number(rules.letters)} letters",
            "" if rules.familiar or rules.letters == ALL_FAMILIAR else "rare words too",
            "" if rules.repeats else "no repeated letters",
            "" if rules.anagrams else "no anagrams",
        ]
        return ", ".join(["Jotto", *filter(None, differences)])
    codes = re.fullmatch(r"(mastermind|bulls)-(\d+)x(\d+)", name, flags=re.ASCII)
    if codes is not None:
        places, symbols = _number(codes[2]), _number(codes[3])
        if codes[1] == "bulls":
            return f"Bulls and Cows, {places} digits of {symbols}"
        return f"Mastermind, {places} pegs of {symbols} colours"
    words = re.fullmatch(r"wordle(?:-(\d+))?", name, flags=re.ASCII)
    if words is not None:
        return f"Wordle, {_number(words[1])} letters" if words[1] else "Wordle"
    return name


def short_title_of(name: str) -> str:
    """Return what a game is called in a line to share: its family, and its size where that is not the usual one."""
    rules, usual = jotto_rules(name), title_of(name).partition(",")[0]
    if rules is not None:
        return usual if rules.letters == USUAL_LETTERS else f"{usual} ({rules.letters} letters)"
    if name in EVERYDAY.values():
        return usual
    words = re.fullmatch(r"wordle-(\d+)", name, flags=re.ASCII)
    if words is not None:
        return f"{usual} ({words[1]} letters)"
    codes = re.fullmatch(r"(?:mastermind|bulls)-(\d+x\d+)", name, flags=re.ASCII)
    return f"{usual} ({codes[1]})" if codes is not None else name


def _number(number: int | str) -> str:
    """Return a number in words where it is small."""
    return NUMBERS[int(number)] if int(number) < len(NUMBERS) else str(number)
