"""Is my word in the list? Whether a word may be guessed and hidden in a game, and if not, why and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from oracular.errors import HistoryError
from oracular.games.game import Game
from oracular.games.jotto import CommonLetters
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
    may_guess = _index(guessed, word) is not None
    index = _index(hidden, word)
    may_hide = index is not None and bool(hidden.secret_of_guess[index] >= 0)
    note = _note(hidden, word, may_guess, may_hide)
    return WordCheck(word, may_guess, may_hide, note)


def _index(game: Game, word: str) -> int | None:
    """Return the index of a guess, or None where the word is none."""
    try:
        return game.guess_index(word)
    except HistoryError:
        return None


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
    reasons, switches = [], []
    if len(set(word)) < letters and not rules.repeats:
        reasons.append("repeats a letter")
        switches.append("“letters may repeat”")
    anagrams = [other for other in rules.listed if other != word and sorted(other) == sorted(word)]
    if anagrams and not rules.anagrams:
        named = inoffensive(anagrams)
        reasons.append(f"has an anagram ({named[0].upper()})" if named else "has an anagram")
        switches.append("“words with anagrams”")
    return (
        f"{shown} {' and '.join(reasons)}, so it may be guessed but not hidden: switch on {' and '.join(switches)}, or "
        "take another word."
    )
