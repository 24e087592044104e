"""What a history of guesses and answers comes to: which secrets are left, and which guesses it allows.

By the rules of most games every guess is allowed, always. Others allow what may still be the secret, or what uses what
was revealed (`guessing.py`); what a history asks of the next guess is then a part of the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError
from oracular.games.guessing import FREE
from oracular.games.rules import WordRules
from oracular.system.files import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oracular.games.game import Game, History, Indices, Turn


def counted_as_found(game: Game, guess: int, answer: int, secret: int = -1) -> Turn:
    """Return a turn with the answer that ends the game, if it is what counting gives for the secret's own word.

    That is so in Jotto with anagrams: `siren:5` may mean that SIREN was found. It does if SIREN is known to be the
    secret, or if no other secret is answered so.
    """
    if answer != game.found - 1 or not isinstance(game.rules, WordRules) or game.secret_of_guess[guess] < 0:
        return guess, answer
    word = game.guesses[guess]
    if game.rules.answer_to_words(word, word) != answer:
        return guess, answer
    is_found = guess == secret if secret >= 0 else len(game.narrow(game.all_secrets, (guess, answer))) == 0
    return guess, game.found if is_found else answer


def demand_after(game: Game, history: Sequence[Turn]) -> int:
    """Return what a history asks of the next guess: `FREE` in all games but hard ones."""
    demand = FREE
    for guess, answer in history if game.guessing.demands else ():
        demand = game.guessing.demand_after(demand, guess, answer)
    return demand


def allowed_guesses(game: Game, possible: Indices, demand: int) -> Indices:
    """Return the guesses that are allowed at a state, sorted."""
    if game.guessing.rule == "possible":
        return np.sort(game.guess_of_secret[possible])
    if game.guessing.demands:
        return np.flatnonzero(game.guessing.meeting(demand)).astype(np.int32)
    return np.arange(len(game.guesses), dtype=np.int32)


def is_allowed(game: Game, guess: int, possible: Indices, demand: int) -> bool:
    """Tell whether a guess is allowed at a state."""
    if game.guessing.rule == "possible":
        return bool((game.guess_of_secret[possible] == guess).any())
    return not game.guessing.demands or not game.guessing.unmet(demand, guess)


def reason_against(game: Game, guess: int, history: Sequence[Turn], possible: Indices) -> str:
    """Return why a guess is not allowed after a history that leaves these secrets; empty where it is allowed."""
    demand = demand_after(game, history)
    if game.guessing.is_any or is_allowed(game, guess, possible, demand):
        return ""
    word = quoted(game.guesses[guess])
    if game.guessing.demands:
        return f"{word} is not allowed in hard mode: {game.guessing.unmet(demand, guess)}"
    if game.secret_of_guess[guess] < 0:
        return f"{word} is none that may be hidden, and only what may be the secret is allowed: guess another"
    for turn in history:
        if len(game.narrow(game.secret_of_guess[[guess]], turn)) == 0:
            against = quoted(game.format_history([turn]))
            return f"{word} cannot be the secret after {against}, and only what can is allowed here: guess another"
    return f"{word} cannot be the secret any more, and only what can is allowed here: guess another"


def possible_after(game: Game, history: History, *, only_allowed: bool) -> Indices:
    """Return the secrets still possible after a history, or raise the error that `Game.possible_after` speaks of."""
    possible = game.all_secrets
    for number, given in enumerate(history, start=1):
        if only_allowed and (against := reason_against(game, given[0], history[: number - 1], possible)):
            raise HistoryError(against)
        turn = counted_as_found(game, *given)
        possible = game.narrow(possible, turn)
        written = game.format_history([turn])
        if len(possible) == 0:
            before = game.format_history(history[: number - 1])
            cause = f"contradicts {quoted(before)}" if before else "is an answer that no secret gives"
            raise InconsistentHistoryError(f"{quoted(written)} {cause}: no word is left, so check the answers")
        if turn[1] == game.found:
            if number < len(history):
                after = game.format_history(history[number:])
                raise HistoryError(
                    f"{quoted(written)} ended the game, yet {quoted(after)} follows: remove one or the other"
                )
            raise FinishedGameError(
                f"{quoted(written)} ended the game at guess {number}: there is nothing left to guess"
            )
    return possible
