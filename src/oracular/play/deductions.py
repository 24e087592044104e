"""What answers prove: the sheet that a player keeps, contradictions, and which answers were mistaken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError
from oracular.games.game import Game, History, HistoryLike, WordRules
from oracular.games.jotto import CommonLetters, widened
from oracular.games.offensive import inoffensive
from oracular.system.files import quoted

Mark: TypeAlias = Literal["in", "out", "open"]
"""Whether a letter is certainly in the secret, certainly not in it, or open."""


MOST_NAMED = 5
"""So many answers are named that could stand in the place of a mistaken one."""


@dataclass(frozen=True)
class Sheet:
    """What the answers prove: which secrets are left, in dictionary order, and what is known of each symbol."""

    left: int
    words: tuple[str, ...]
    symbols: dict[str, Mark]


def symbols_of(game: Game) -> list[str]:
    """Return the symbols that guesses are written with: the whole alphabet for words, otherwise those in use."""
    used = set("".join(game.guesses))
    return sorted(used | set("abcdefghijklmnopqrstuvwxyz") if all(a.isalpha() for a in used) else used)


def sheet(game: Game, history: HistoryLike) -> Sheet:
    """Return what a history proves: a letter is in where every possible secret has it, out where none has."""
    try:
        words = [game.secrets[index] for index in game.possible_after(history, only_allowed=False)]
    except FinishedGameError:
        words = [game.guesses[game.parse_history(history)[-1][0]]]
    letters = [set(word) for word in words]
    everywhere = set.intersection(*letters)
    somewhere = set.union(*letters)

    def mark(symbol: str) -> Mark:
        return "in" if symbol in everywhere else "open" if symbol in somewhere else "out"

    return Sheet(len(words), tuple(words), {symbol: mark(symbol) for symbol in symbols_of(game)})


@dataclass(frozen=True)
class Correction:
    """An answer that may be wrong, by its turn from 0, and those in its place that would fit all the others."""

    turn: int
    guess: str
    answer: str
    could_be: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.guess}:{self.answer} could be {self.choices}"

    @property
    def choices(self) -> str:
        """The answers that would fit, as people say it; of many, those that differ least from the one given."""
        if len(self.could_be) <= MOST_NAMED:
            return " or ".join(self.could_be)

        def difference(label: str) -> int:
            return sum(sign != other for sign, other in zip_longest(label, self.answer))

        nearest = sorted(self.could_be, key=difference)[:MOST_NAMED]
        return " or ".join([*nearest, f"{len(self.could_be) - MOST_NAMED} more"])


def is_consistent(game: Game, history: HistoryLike) -> bool:
    """Return whether some secret gives all these answers."""
    return bool(_fits(game, game.parse_history(history)).all(axis=0).any())


def corrections(game: Game, history: HistoryLike) -> list[Correction]:
    """Return each answer that would make the history consistent if it alone were changed.

    The list is empty where the history is consistent already, and where no single change is enough.
    """
    turns = game.parse_history(history)
    rows = _fits(game, turns)
    if rows.all(axis=0).any():
        return []
    contradicted = (~rows).sum(axis=0)
    found = []
    for number, (guess, answer) in enumerate(turns):
        left = game.all_secrets[contradicted == ~rows[number]]  # secrets that contradict at most this answer
        replies = np.unique(game.answers(np.array([guess], dtype=np.int32), left)[0])
        if number < len(turns) - 1:  # the game went on after this answer, so it was not the one that ends it
            replies = replies[replies != game.found]
        if len(replies):
            could_be = tuple(game.labels[reply] for reply in replies)
            found.append(Correction(number, game.guesses[guess], game.labels[answer], could_be))
    return found


def game_of_unlisted(game: Game, history: HistoryLike) -> Game | None:
    """Return the game whose secrets are the words that may be guessed but not hidden and give all these answers.

    None if there is no such word, or if only what may be hidden may be guessed. In Jotto such words may be anagrams, so
    all letters in common is then an answer that does not end the game.
    """
    game = widened(game)
    turns = game.parse_history(history)
    words = tuple(sorted(set(game.guesses) - set(game.secrets)))
    if not words or not isinstance(game.rules, WordRules) or game.guessing.rule == "possible":
        return None
    labels = game.labels
    if isinstance(game.rules, CommonLetters) and not game.rules.anagrams:
        labels = (*labels, "found")

    def hiding(words: tuple[str, ...]) -> Game:
        assert isinstance(game.rules, WordRules)
        rules, found = game.rules.hiding(words), len(labels) - 1
        return replace(game, secrets=words, labels=labels, found=found, rules=rules, symmetries=())

    try:
        fitting = hiding(words).possible_after([(game.guesses[guess], game.labels[answer]) for guess, answer in turns])
    except InconsistentHistoryError:
        return None
    return hiding(tuple(words[word] for word in fitting))


def unlisted_words(game: Game, history: HistoryLike) -> list[str]:
    """Return the words that may be guessed but not hidden and give all these answers, without those that offend."""
    try:
        others = game_of_unlisted(game, history)
    except FinishedGameError:  # the last guess was such a word
        return inoffensive([game.guesses[game.parse_history(history)[-1][0]]])
    return inoffensive(others.secrets) if others else []


def _fits(game: Game, turns: History) -> NDArray[np.bool_]:
    """Return whether each secret gives the answer of each turn, as booleans [turns, secrets]."""
    guesses, given = np.array(turns, dtype=np.int32).reshape(-1, 2).T
    return game.answers(guesses, game.all_secrets) == given[:, None]


@dataclass(frozen=True)
class Mistake:
    """An answer that does not fit the secret, by its turn from 0: what was given, and what would have been right."""

    turn: int
    guess: str
    given: str
    right: str


@dataclass(frozen=True)
class Told:
    """Whether the computer could have found a secret that was told, and which answers were mistaken.

    Attributes:
        in_list: whether the secret is one that may be hidden in this game.
        note: all of it in sentences for people.
    """

    in_list: bool
    mistakes: tuple[Mistake, ...]
    note: str


def telling_word(game: Game, word: str) -> str:
    """Return a secret as it is told; in games of words it may be any word of the right length."""
    letters, told = len(game.secrets[0]), word.strip().lower()
    if not isinstance(game.rules, WordRules):
        return game.guesses[game.guess_index(told)]
    if len(told) != letters or not (told.isascii() and told.isalpha()):
        raise HistoryError(f"{quoted(word)} is not a word of {letters} letters: tell the word that you had in mind")
    return told


def told_secret(game: Game, turns: tuple[tuple[str, str], ...], secret: str) -> Told:
    """Return whether the computer could have found a secret, after its guesses with the answers that were given."""
    right = [answer_to(game, guess, secret) for guess, _ in turns]
    mistakes = tuple(
        Mistake(number, guess, given, true)
        for number, ((guess, given), true) in enumerate(zip(turns, right, strict=True))
        if given != true
    )
    in_list = secret in game.secrets
    return Told(in_list, mistakes, " ".join(_sentences(game, secret, len(turns), mistakes)))


def _sentences(game: Game, secret: str, answers: int, mistakes: tuple[Mistake, ...]) -> list[str]:
    """Return what is to be said of a secret that was told after so many answers."""
    noun, in_list = game.noun, secret in game.secrets
    sentences = []
    if not in_list:
        broken = game.rules.broken_rules(secret) if isinstance(game.rules, CommonLetters) else {}
        why = f" {' and '.join(broken.values())}, so it" if broken else ""
        known = f"{len(game.secrets):,} {noun}s"
        sentences.append(f"{secret.upper()}{why} is not among the {known} that the computer knows.")
    if len(mistakes) > 1:
        sentences.append(f"{len(mistakes)} of your answers were not right for {secret.upper()}.")
    elif mistakes:
        one = mistakes[0]
        sentences.append(f"{one.guess.upper()} should have been answered {one.right}, not {one.given}.")
    elif not answers:
        sentences += [f"{secret.upper()} is in the computer's list."] if in_list else []
    elif in_list:
        sentences.append(f"All your answers were right, so the computer would have found {secret.upper()}.")
    else:
        sentences.append("All your answers were right: the computer could not have found it.")
    return sentences


def answer_to(game: Game, guess: str, secret: str) -> str:
    """Return the label of the answer to a guess, for any secret of the right length."""
    found = game.labels[game.found]
    if guess == secret:
        return found
    if isinstance(game.rules, WordRules):
        return game.labels[game.rules.answer_to_words(guess, secret)]
    guesses, secrets = ([game.guess_index(guess)], [game.secret_of_guess[game.guess_index(secret)]])
    return game.labels[game.answers(np.array(guesses, np.int32), np.array(secrets, np.int32))[0, 0]]
