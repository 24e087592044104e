"""What players read: names of games, an answer explained by an example, what may be done with a word, results to share.

The page and the terminal say the same. What a player may do about the rules differs, switches there and games' names
here, so each adds its own remedy to the rules that a word breaks.

A result to share has one line for each guess, and no letter of any word:

    Jotto 16 Nov 2026: found in 3
    ●●○○○ 2
    ●●●○○ 3
    ●●●●●

A filled circle stands for a common letter in Jotto, a coloured square for a letter in Wordle, a peg in Mastermind, a
bull or a cow in Bulls and Cows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from oracular.games.codes import BlackAndWhite
from oracular.games.game import Game, WordRules
from oracular.games.guessing import RuleName
from oracular.games.jotto import CommonLetters, jotto_rules, widened
from oracular.games.names import EVERYDAY, split_rule
from oracular.games.offensive import inoffensive
from oracular.games.wordle import Colours, has_commonest_secrets
from oracular.games.words import without_accents
from oracular.play.deductions import answer_to
from oracular.play.opponent import Matchup
from oracular.system.files import counted, cut

if TYPE_CHECKING:
    from oracular.play.match import Match

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


PAIRS = (("giant", "paint"), ("crane", "trace"), ("milk", "like"), ("hen", "net"), ("of", "if"))
"""Secrets and guesses that are good examples, where a game has them."""

MOST_LOOKED_AT = 5000
"""Among so many guesses an example is looked for."""


def explained_answer(game: Game) -> str | None:
    """Return a sentence that explains the answer to a guess; None for a game of one's own, or where none is good."""
    if isinstance(game.rules, BlackAndWhite):
        return _explained_code(game)
    if not isinstance(game.rules, WordRules):
        return None
    game = widened(game)
    pair = _pair_of_words(game)
    if pair is None:
        return None
    secret, guess = pair
    label = answer_to(game, guess, secret)
    start = f"If the word were {secret.upper()}, {guess.upper()} would be answered {label}"
    if game.family == "jotto":
        common = Counter(guess) & Counter(secret)
        shared = [letter for letter in dict.fromkeys(guess) for _ in range(common[letter])]
        return f"{start}: {_listed(shared)} {'is' if len(shared) == 1 else 'are'} in both."
    places = {"g": "in place", "y": "elsewhere"}
    found = {mark: [letter for letter, given in zip(guess, label, strict=True) if given == mark] for mark in places}
    return f"{start}: {', '.join(f'{_listed(found[mark])} {places[mark]}' for mark in places if found[mark])}."


def _pair_of_words(game: Game) -> tuple[str, str] | None:
    """Return a secret and another guess that have some letters in common, well known ones where the game has them."""
    secrets, guesses = set(game.secrets), set(game.guesses)
    for secret, guess in PAIRS:
        if secret in secrets and guess in guesses:
            return secret, guess
    shown = inoffensive(game.secrets)[:1]
    best, most = None, 0
    for guess in inoffensive(game.guesses)[:MOST_LOOKED_AT] if shown else ():
        common = (Counter(guess) & Counter(shown[0])).total()
        if most < common < len(guess):
            best, most = (shown[0], guess), common
    return best


def _explained_code(game: Game) -> str | None:
    """Return the sentence for a game of codes: one peg in its place, and more elsewhere if there can be."""
    assert isinstance(game.rules, BlackAndWhite)
    variety = max(len(set(code)) for code in game.secrets[:MOST_LOOKED_AT])
    codes = [code for code in game.secrets[:MOST_LOOKED_AT] if len(set(code)) == variety]
    secret = codes[0]
    for wanted in ("1.2", "1.1", "1.0", "0.1", "0.2"):
        for guess in codes:
            if guess != secret and answer_to(game, guess, secret) == wanted:
                return _sentence_of_code(game.rules.names, secret, guess)
    return None


def _sentence_of_code(names: tuple[str, str], secret: str, guess: str) -> str:
    """Return the sentence that explains the answer to one code, all of whose symbols are different where it counts."""
    black = [a for a, b in zip(guess, secret, strict=True) if a == b]
    white = list(((Counter(guess) & Counter(secret)) - Counter(black)).elements())
    white.sort(key=guess.index)
    plural = names[0] == "bull"
    parts = []
    for pegs, name, article in ((black, names[0], "the "), (white, names[1], "")):
        symbols = f" ({article if len(pegs) == 1 else ''}{_listed(pegs)})" if pegs else ""
        parts.append(f"{len(pegs)} {name}{'s' * (plural and len(pegs) != 1)}{symbols}")
    return f"If the code were {secret}, {guess} would be answered {', '.join(parts)}."


def _listed(symbols: Sequence[str]) -> str:
    """Return symbols as people list them: `N, C and E`."""
    *first, last = [symbol.upper() for symbol in symbols]
    return f"{', '.join(first)} and {last}" if first else last


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


MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SQUARES = {"g": "🟩", "y": "🟨", "-": "⬜"}
PEGS = {"mastermind": ("⚫", "⚪"), "bulls": ("🐂", "🐄")}


def share_text(match: Match) -> str | None:
    """Return the result of a match in which the person guessed; None where it is not over, or only the computer did."""
    if match.result is None or match.mode == "hide":
        return None
    game = match.matchup.game
    lines = [_line(game, answer) for _, answer in match.yours]
    return "\n".join([f"{_title(match)}: {_outcome(match)}", *lines])


def _title(match: Match) -> str:
    """Return which game it was, and of which day."""
    title = short_title_of(match.matchup.game.name)
    if match.daily is not None:
        day = date.fromisoformat(match.daily)
        return f"{title} {day.day} {MONTHS[day.month - 1]} {day.year}"
    return f"{title} duel" if match.mode == "duel" else title


def _outcome(match: Match) -> str:
    """Return how the match ended, in a few words."""
    made = len(match.yours)
    guesses, computers = (counted(len(turns), "guess", "guesses") for turns in (match.yours, match.computers))
    texts = {
        "found": f"found in {made}" if match.rows is None else f"found in {made} of {match.rows}",
        "lost": f"not found in {made}",
        "given up": f"given up after {guesses}",
        "you": f"I won in {guesses}",
        "computer": f"the computer won in {computers}",
    }
    taken_back = f" ({match.undone} taken back)" if match.undone else ""
    return texts[match.result or "given up"] + taken_back


def _line(game: Game, answer: str) -> str:
    """Return an answer as symbols."""
    found, size = game.labels[game.found], len(game.guesses[0])
    if isinstance(game.rules, CommonLetters):
        common = size if answer == found else int(answer)
        return "●" * size if answer == found else f"{'●' * common}{'○' * (size - common)} {answer}"
    if isinstance(game.rules, Colours):
        return "".join(SQUARES[mark] for mark in answer)
    pegs = PEGS.get(game.family)
    if pegs is None:
        return answer
    in_place, elsewhere = (int(count) for count in answer.split("."))
    return f"{pegs[0] * in_place}{pegs[1] * elsewhere}{'➖' * (size - in_place - elsewhere)}"
