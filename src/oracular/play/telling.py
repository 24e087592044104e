"""The secret that a person tells: whether the computer could have found it, and which answers were mistaken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracular.errors import HistoryError
from oracular.games.game import Game
from oracular.games.jotto import CommonLetters
from oracular.games.rules import WordRules
from oracular.system.files import quoted


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
    right = [answer_to_any(game, guess, secret) for guess, _ in turns]
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


def answer_to_any(game: Game, guess: str, secret: str) -> str:
    """Return the label of the answer to a guess, for any secret of the right length."""
    found = game.labels[game.found]
    if guess == secret:
        return found
    if isinstance(game.rules, WordRules):
        return game.labels[game.rules.answer_to_words(guess, secret)]
    guesses, secrets = ([game.guess_index(guess)], [game.secret_of_guess[game.guess_index(secret)]])
    return game.labels[game.answers(np.array(guesses, np.int32), np.array(secrets, np.int32))[0, 0]]
