"""Is my word in the list? Whether a word may be guessed and hidden in a game, and if not, why and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from oracular.games.game import Game
from oracular.games.jotto import CommonLetters, words_of_length
from oracular.games.offensive import inoffensive
from oracular.games.wordle import Colours
from oracular.play.opponent import Matchup
from oracular.system.files import cut


@dataclass(frozen=True)
class WordCheck:
    """What may be done with a word in a game, and a sentence for people that says so."""

    word: str
    may_guess: bool
    may_hide: bool
    note: str


def check_word(matchup: Matchup, word: str) -> WordCheck:
    """Return whether a person may guess and hide a word in a game."""
    word = word.strip().lower()
    guessed, hidden = matchup.game, matchup.guessing.game
    may_guess, may_hide = word in guessed.guesses, word in hidden.secrets
    return WordCheck(word, may_guess, may_hide, _note(hidden, word, may_guess, may_hide))


def broken_rules(rules: CommonLetters, word: str) -> dict[str, str]:
    """Return which rules keep a word of the list from being hidden, in a few words, by the switch that allows it."""
    broken: dict[str, str] = {}
    if word not in rules.listed:
        return broken
    if len(set(word)) < len(word) and not rules.repeats:
        broken["“letters may repeat”"] = "repeats a letter"
    alike = sorted(word)
    words = words_of_length(rules.listed, len(word))
    anagrams = [other for other in words if other != word and sorted(other) == alike]
    if anagrams and not rules.anagrams:
        named = inoffensive(anagrams)
        broken["“words with anagrams”"] = f"has an anagram ({named[0].upper()})" if named else "has an anagram"
    return broken


def _note(hidden: Game, word: str, may_guess: bool, may_hide: bool) -> str:
    """Return a sentence that says what may be done with a word, why not more, and what to do."""
    shown, letters, rules = cut(word.upper()), len(hidden.secrets[0]), hidden.rules
    if may_hide:
        return f"{shown} is in the list."
    if not isinstance(rules, CommonLetters | Colours):
        return f"{shown} {rules.refusal(word)}."
    if not (word.isascii() and word.isalpha()):
        return f"{shown} is not a word: write it with the letters A to Z."
    if len(word) != letters:
        return f"{shown} has {len(word)} letter{'s' * (len(word) != 1)}: take a word of {letters} letters."
    if not may_guess:
        return f"{shown} is not in the dictionary: take another word."
    if isinstance(rules, Colours):
        return f"{shown} may be guessed but not hidden: hide one of the {len(hidden.secrets):,} commonest words."
    broken = broken_rules(rules, word)
    reasons, switches = broken.values(), broken.keys()
    return (
        f"{shown} {' and '.join(reasons)}, so it may be guessed but not hidden: switch on {' and '.join(switches)}, or "
        "take another word."
    )
