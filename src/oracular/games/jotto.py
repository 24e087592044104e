"""Jotto: the answer to a guess is the number of letters it has in common with the secret, wherever they stand.

Plain Jotto is the paper's (section 2): words have all letters different and no anagram in the list, so a word is its
set of letters and only the secret itself has all letters in common. The variants lift one rule or both:

- `repeats`: letters may repeat, and common letters count with their multiplicity;
- `anagrams`: words may have anagrams, so all letters in common does not end the game; the answer `found` does;
- `familiar`: only words that people know are hidden; every playable word may still be guessed;
- `frequent`: the same with the words of earlier versions, so that what was begun with them can go on.

The number of common letters is well defined for any two words. So a person who guesses may guess every word of the list
that has the right length, also one that the rules keep from being hidden: `widened` gives the game for that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from oracular.errors import UnknownGameError, WordListError
from oracular.games.game import Game, Indices, Words
from oracular.games.offensive import inoffensive
from oracular.games.words import is_familiar, is_frequent, playable_words, twl06, word_list
from oracular.system.files import counted, quoted
from oracular.system.memory import cached_on

ROWS_A_BLOCK = 256
MOST_LETTERS = 26
"""The longest words."""

LARGEST_ALPHABET = 64
"""The most different letters in the words of a game: a word is a set of bits."""


@dataclass(frozen=True, eq=False)
class CommonLetters:
    """Counts common letters: the paper's NumCommLetts, by one bit a letter.

    The words that may be guessed were taken from a whole list, `listed`; those that may be hidden are given by index.
    Where words may have anagrams, the word itself is answered `found`.
    """

    letters: int
    repeats: bool
    anagrams: bool
    words: Words
    listed: Words
    hidden: Indices

    @cached_property
    def tokens(self) -> NDArray[np.uint16]:
        """Each word's letters, numbered apart where they repeat: the first a, the second a, … [words, letters]."""
        ranks = self._ranks
        letters = np.array([sorted(ranks[letter] for letter in word) for word in self.words], dtype=np.uint16)
        earlier = np.zeros_like(letters)
        for place in range(1, self.letters):
            same = letters[:, place] == letters[:, place - 1]
            earlier[:, place] = np.where(same, earlier[:, place - 1] + 1, 0)
        _, numbers = np.unique(letters + len(ranks) * earlier, return_inverse=True)
        return numbers.reshape(letters.shape).astype(np.uint16)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        """The letters of all words, numbered in the order of their code points; there are at most 64."""
        return {letter: rank for rank, letter in enumerate(sorted(set().union(*self.words)))}

    @cached_property
    def _planes(self) -> list[NDArray[np.uint64]]:
        """For k = 1, 2, … the letters that each word has at least k times, as bits [words]."""
        counts = [Counter(word) for word in self.words]
        most = max((count for counted in counts for count in counted.values()), default=1)
        return [
            np.array([sum(1 << self._ranks[a] for a in c if c[a] >= k) for c in counts], dtype=np.uint64)
            for k in range(1, most + 1)
        ]

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets]."""
        common = np.zeros((len(guesses), len(secrets)), dtype=np.uint8)
        secrets = self.hidden[secrets]
        for start in range(0, len(guesses), ROWS_A_BLOCK):  # in blocks, so that no table of masks is ever held whole
            rows = slice(start, start + ROWS_A_BLOCK)
            for plane in self._planes:
                common[rows] += np.bitwise_count(plane[guesses[rows], None] & plane[secrets])
        if self.anagrams:
            common[guesses[:, None] == secrets] = self.letters + 1
        return common

    def refusal(self, word: str) -> str:
        """Return which rule keeps a word out of play, and which variant takes it."""
        name = variant_name(self.letters, self.repeats, self.anagrams)
        if len(word) != self.letters:
            return f"has {counted(len(word), 'letter')}: {name} takes words of {self.letters}"
        if word not in self.listed:
            return f"is not in the word list of {name}: take one of its {len(self.words):,} words"
        broken = self.broken_rules(word)
        taker = variant_name(self.letters, self.repeats or "repeats" in broken, self.anagrams or "anagrams" in broken)
        return f"{' and '.join(broken.values())}, which {name} does not allow: {taker} takes it"

    def broken_rules(self, word: str) -> dict[str, str]:
        """Return which rules keep a word of the list from being hidden, in a few words, by what lifts each in a name.

        The dictionary is empty for a word that is not in the list.
        """
        broken: dict[str, str] = {}
        if word not in self.listed:
            return broken
        if len(set(word)) < len(word) and not self.repeats:
            broken["repeats"] = "repeats a letter"
        alike = [other for other in words_of_length(self.listed, len(word)) if set(other) == set(word)]
        twins = [other for other in alike if other != word and sorted(other) == sorted(word)]
        if twins and not self.anagrams:
            broken["anagrams"] = "has an anagram" + "".join(f" ({twin.upper()})" for twin in inoffensive(twins)[:1])
        return broken

    def answer_to_words(self, guess: str, secret: str) -> int:
        """Return how many letters any two words have in common; the word itself is for the game to tell."""
        return (Counter(guess) & Counter(secret)).total()

    def hiding(self, words: Words) -> CommonLetters:
        """Return the rules if these words are what may be hidden: they may repeat letters, and be anagrams."""
        hidden = np.searchsorted(self.words, words).astype(np.int32)
        return CommonLetters(self.letters, True, True, self.words, self.listed, hidden)


@dataclass(frozen=True, eq=False)
class WideLetters(CommonLetters):
    """Counts common letters where every listed word of the right length may be guessed.

    The game with the same secrets, in which only the words that its rules allow may be guessed, is `narrow`.
    """

    narrow: Game

    def refusal(self, word: str) -> str:
        """Return why a text may not be guessed."""
        if len(word) != self.letters:
            return f"has {counted(len(word), 'letter')}: guess a word of {self.letters}"
        source = "your word list" if self.narrow.own_lists else "the dictionary"
        return f"is not in {source}: guess another word of {self.letters} letters"


@lru_cache(maxsize=32)
def words_of_length(listed: Words, letters: int) -> Words:
    """Return the words of a list that have so many letters; cached, since every rule set asks for them."""
    return tuple(word for word in listed if len(word) == letters)


def widened(game: Game) -> Game:
    """Return the game with the same secrets in which a person may guess every word of the list that has its length.

    Name, answers and their labels are as they were, and games other than Jotto are returned as they are. A word that is
    no secret is never answered as one: secrets have no anagrams in the list, or the answer `found` is for them alone.
    Where only what may be the secret is allowed, the other words are refused all the same, with a reason for people.
    """
    rules = game.rules
    if not isinstance(rules, CommonLetters) or isinstance(rules, WideLetters):
        return game
    return cached_on(game, "widened", lambda: _widened(game, rules))


def _widened(game: Game, rules: CommonLetters) -> Game:
    words = words_of_length(rules.listed, rules.letters)
    hidden = np.searchsorted(words, game.secrets).astype(np.int32)
    wide = WideLetters(rules.letters, rules.repeats, rules.anagrams, words, rules.listed, hidden, game)
    return replace(game, guesses=words, rules=wide, kind=_kind(_source(bool(game.own_lists)), True, True))


def solved_game(game: Game) -> Game:
    """Return the game that a widened one was made from, to which strategies and proofs belong; others as they are."""
    return game.rules.narrow if isinstance(game.rules, WideLetters) else game


def variant_name(letters: int, repeats: bool, anagrams: bool, familiar: bool = False) -> str:
    """Return how a variant is written: `jotto-5-repeats`."""
    return f"jotto-{letters}" + "-repeats" * repeats + "-anagrams" * anagrams + "-familiar" * familiar


@dataclass(frozen=True)
class JottoRules:
    """The rules of a Jotto game: the length of words, and which words may be hidden.

    Attributes:
        repeats: whether the letters of a secret may repeat.
        anagrams: whether a secret may have an anagram in the list.
        familiar: whether the computer hides only words that people know, or only frequent ones.
    """

    letters: int
    repeats: bool
    anagrams: bool
    familiar: bool


def jotto_rules(name: str) -> JottoRules | None:
    """Return the rules of a Jotto game that is given by name; None for any other name."""
    written = re.fullmatch(r"jotto-([1-9]\d?)(-repeats)?(-anagrams)?(-familiar|-frequent)?", name, flags=re.ASCII)
    if written is None or int(written[1]) > MOST_LETTERS:
        return None
    repeats, anagrams, familiar = (part is not None for part in written.groups()[1:])
    return JottoRules(int(written[1]), repeats, anagrams, familiar)


def jotto(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return the Jotto game of a variant such as `5-repeats`, with TWL06 or `lists["words"]`."""
    rules = jotto_rules(f"jotto-{variant}")
    if rules is None:
        raise UnknownGameError(
            f"{quoted(f'jotto-{variant}')} is not a game: write jotto-N with N from 1 to {MOST_LETTERS} letters, like "
            "'jotto-5', and -repeats, -anagrams, -familiar behind it where wanted"
        )
    name = f"jotto-{variant}"
    letters, repeats, anagrams = rules.letters, rules.repeats, rules.anagrams
    listed = word_list(lists["words"]) if "words" in lists else twl06()
    words = playable_words(words_of_length(listed, letters), letters, repeats=repeats, anagrams=anagrams)
    if not words:
        source = "the list" if "words" in lists else "the dictionary"
        if not words_of_length(listed, letters):
            raise WordListError(f"{source} has no word of {counted(letters, 'letter')}: choose another length or list")
        kept_out = " or ".join([*(["repeats a letter"] * (not repeats)), *(["has an anagram"] * (not anagrams))])
        raise WordListError(
            f"every word of {counted(letters, 'letter')} in {source} {kept_out}, which "
            f"{name} does not allow: choose another length or list"
        )
    if len(set().union(*words_of_length(listed, letters))) > LARGEST_ALPHABET:
        raise WordListError(
            f"the words of {name} have more than {LARGEST_ALPHABET} different letters: leave out the words with the "
            "rarest of them"
        )
    hidden = words
    if rules.familiar:
        ending, is_hidden = ("familiar", is_familiar) if name.endswith("-familiar") else ("frequent", is_frequent)
        hidden = tuple(filter(is_hidden, words))
        if not hidden:
            raise WordListError(f"none of the list's {letters}-letter words is {ending}: leave -{ending} out")
    common = [str(count) for count in range(letters + 1)]
    return Game(
        name=name,
        secrets=hidden,
        guesses=words,
        labels=tuple([*common, "found"] if anagrams else common),
        found=letters + 1 if anagrams else letters,
        rules=CommonLetters(letters, repeats, anagrams, words, listed, np.searchsorted(words, hidden).astype(np.int32)),
        kind=_kind(_source("words" in lists), repeats, anagrams),
        reading="how many letters are in common, wherever they stand"
        + "; only the word itself ends the game" * anagrams,
        family="jotto",
        own_lists={"words": words_of_length(listed, letters)} if "words" in lists else {},
    )


def _source(own: bool) -> str:
    """Return where the words are from, in a few words for people."""
    return "your own list" if own else "the dictionary TWL06"


def _kind(source: str, repeats: bool, anagrams: bool) -> str:
    """Return what the words of a variant are, in a few words for people."""
    rules = [*(["all letters different"] if not repeats else []), *(["no anagram in it"] if not anagrams else [])]
    return f"words of {source}" + (f" with {' and '.join(rules)}" if rules else "")
