"""Is my word in the list? Whether a word may be guessed and hidden in a game, and if not, why and what to do.

The page and the terminal say the same of a word. What a player may do about the rules differs, switches there and
games' names here, so each adds its own remedy to the rules that are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracular.games.game import Game
from oracular.games.jotto import CommonLetters
from oracular.games.rules import WordRules
from oracular.games.word_files import without_accents
from oracular.games.wordle import has_commonest_secrets
from oracular.play.opponent import Matchup
from oracular.system.counting import counted
from oracular.system.files import cut


@dataclass(frozen=True)
class WordCheck:
    """What may be done with a word in a game, and a sentence for people that says so.

    Attributes:
        broken: the rules of Jotto that keep it from being hidden, by the words of names: `repeats`, `anagrams`.
        says: what may be done with it and why not more, as a sentence without its end.
        remedy: what to do where it may not be hidden; empty where it may.
    """

    word: str
    may_guess: bool
    may_hide: bool
    broken: tuple[str, ...]
    says: str
    remedy: str

    def note(self, *others: str) -> str:
        """Return the whole sentence; before the usual remedy come others that there are."""
        remedies = " or ".join(filter(None, [", ".join(others) + ("," if others else ""), self.remedy]))
        return f"{self.says}: {remedies}." if self.remedy else f"{self.says}."


def check_word(matchup: Matchup, word: str) -> WordCheck:
    """Return whether a person may guess and hide a word in a game."""
    word = without_accents(word.strip()).lower()
    guessed, hidden = matchup.game, matchup.guessing.game
    listed, may_hide = word in guessed.guesses, word in hidden.secrets
    may_guess = listed and (guessed.guessing.rule != "possible" or word in guessed.secrets)
    broken = hidden.rules.broken_rules(word) if listed and isinstance(hidden.rules, CommonLetters) else {}
    says, remedy = _sentence(hidden, word, listed, may_hide, list(broken.values()))
    return WordCheck(word, may_guess, may_hide, tuple(broken), f"{cut(word.upper())} {says}", remedy)


def _sentence(hidden: Game, word: str, listed: bool, may_hide: bool, broken: Sequence[str]) -> tuple[str, str]:
    """Return what is to be said of a word, without the word and the end of the sentence; and what to do."""
    letters, rules = len(hidden.secrets[0]), hidden.rules
    only_possible = hidden.guessing.rule == "possible"
    may = "may not be hidden, so it may not be guessed either" if only_possible else "may be guessed but not hidden"
    if may_hide:
        return "is in the list", ""
    if not isinstance(rules, WordRules):
        why, _, remedy = rules.refusal(word).partition(": ")
        return why, remedy
    if not (word.isascii() and word.isalpha()):
        return "is not a word", "write it with the letters A to Z"
    if len(word) != letters:
        return f"has {counted(len(word), 'letter')}", f"take a word of {letters} letters"
    if not listed:
        return f"is not in {'your lists' if hidden.own_lists else 'the dictionary'}", "take another word"
    if not isinstance(rules, CommonLetters):
        which = "commonest words" if has_commonest_secrets(hidden) else "words that the game hides"
        remedy = "hide another word" if hidden.own_lists else f"hide one of the {len(hidden.secrets):,} {which}"
        return may, remedy
    why = f"{' and '.join(broken)}, so it " if broken else ""
    return f"{why}{may}", "take another word"
