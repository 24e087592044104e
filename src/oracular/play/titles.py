"""What games are called before people, and what their rules are; the page and results to share have the same names."""

from __future__ import annotations

import re

from oracular.games.guessing import RuleName
from oracular.games.jotto import jotto_rules
from oracular.games.names import EVERYDAY, split_rule

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
USUAL_LETTERS = 5
ALL_FAMILIAR = 2
"""Words of this many letters are all familiar."""

DEFAULT_GAME = EVERYDAY["jotto"]
"""The Jotto that people know, which a newcomer gets and which the daily game is."""


RULE_TITLES: dict[RuleName, str] = {"any": "", "hard": "hard mode", "possible": "only possible guesses"}
"""What the rules of guessing are called, behind a game's title."""


def title_of(name: str) -> str:
    """Return what a game is called: `Jotto` for the one that a newcomer gets, others by what is different in them."""
    free, rule = split_rule(name)
    title = _free_title(free)
    return name if title == free else ", ".join(filter(None, [title, RULE_TITLES[rule]]))


def _free_title(name: str) -> str:
    """Return what a game is called in which every guess is allowed."""
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
    words = re.fullmatch(r"wordle(?:-(\d+|twl06))?", name, flags=re.ASCII)
    if words is not None:
        kinds = {None: "Wordle", "twl06": "Wordle, words of TWL06"}
        return kinds.get(words[1]) or f"Wordle, {_number(words[1])} letters"
    return name


def short_title_of(name: str) -> str:
    """Return what a game is called in a line to share: its family, and in brackets what is not usual in it."""
    free, rule = split_rule(name)
    title = _free_title(free)
    if title == free:
        return name
    differences = ", ".join(filter(None, [_unusual_size(free), RULE_TITLES[rule]]))
    return title.partition(",")[0] + (f" ({differences})" if differences else "")


def _unusual_size(name: str) -> str:
    """Return the size of a game, or which words it has, where these are not the usual ones of its family."""
    rules = jotto_rules(name)
    letters = str(rules.letters) if rules is not None else name.partition("-")[2]
    if name in EVERYDAY.values() or letters == str(USUAL_LETTERS):
        return ""
    return f"{letters} letters" if letters.isdigit() else letters.upper() if letters == "twl06" else letters


def _number(number: int | str) -> str:
    """Return a number in words where it is small."""
    return NUMBERS[int(number)] if int(number) < len(NUMBERS) else str(number)
