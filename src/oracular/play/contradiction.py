"""Answers that contradict each other: which single one of them, if it were another, would make them agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game, History, HistoryLike


@dataclass(frozen=True)
class Correction:
    """One answer that may be the wrong one.

    Attributes:
        turn: which guess it answers, from 0.
        guess: the guess.
        answer: the answer that was given.
        could_be: the answers that agree with all the others.
    """

    turn: int
    guess: str
    answer: str
    could_be: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.guess}:{self.answer} could be {' or '.join(self.could_be)}"


def agree(game: Game, history: HistoryLike) -> bool:
    """Tell whether some secret gives all these answers."""
    return bool(_agreeing(game, game.parse_history(history)).all(axis=0).any())


def corrections(game: Game, history: HistoryLike) -> list[Correction]:
    """Return every single answer that, changed, makes the answers agree; none where they agree or one is not enough."""
    turns = game.parse_history(history)
    rows = _agreeing(game, turns)
    if rows.all(axis=0).any():
        return []
    contradicted = (~rows).sum(axis=0)
    found = []
    for number, (guess, answer) in enumerate(turns):
        left = game.all_secrets[contradicted == ~rows[number]]  # they contradict no answer but perhaps this one
        replies = np.unique(game.answers(np.array([guess], dtype=np.int32), left)[0])
        if number < len(turns) - 1:  # the game went on, so only its last answer can have ended it
            replies = replies[replies != game.found]
        if len(replies):
            could_be = tuple(game.labels[reply] for reply in replies)
            found.append(Correction(number, game.guesses[guess], game.labels[answer], could_be))
    return found


def _agreeing(game: Game, turns: History) -> NDArray[np.bool_]:
    """Return which answers each secret would give as they were given, as booleans [turns, secrets]."""
    guesses, given = np.array(turns, dtype=np.int32).reshape(-1, 2).T
    return game.answers(guesses, game.all_secrets) == given[:, None]
