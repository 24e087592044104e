"""A look back at a game: what each guess was expected to cost, what a better one would have, and what was luck.

Every state has a value: the least expected number of guesses to the end over the guesses that were tried there
(`advice.Adviser.candidates`) and the one that was made. Then for each turn

    cost = expected(guess made) - value(state before)            what was given away, never below zero
    luck = expected(guess made) - 1 - value(state after)         what the answer brought; zero is left after the end

and the sum of all turns telescopes: guesses made = value at the start + total cost - total luck, exactly. Of a game
that was not finished, the value of the state it stopped at is still to come, and stands on the left side as well.

Values are estimates from above, and sharper where fewer secrets are left. So a little of what is called luck, some
hundredths of a guess a turn, is what the closer look found.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from oracular.errors import HistoryError
from oracular.games.game import Game, History, HistoryLike, Indices
from oracular.play.advice import Adviser, Valued, adviser, hider_name
from oracular.strategies.hider import Hider
from oracular.system.files import quoted


@dataclass(frozen=True)
class ReviewedTurn:
    """One guess, looked at afterwards.

    Attributes:
        guess: the guess made.
        answer: its answer.
        expected: the guesses to the end that it promised, itself included: an estimate, as all figures here.
        best: the best guess that was tried at that state; the guess made itself where none was better.
        best_expected: what that one promised: the value of the state.
        cost: the difference, never negative.
        luck: how much better than expected the answer was.
        left_before: how many secrets were possible before.
        left_after: how many after; 1 where the secret was found.
    """

    guess: str
    answer: str
    expected: float
    best: str
    best_expected: float
    cost: float
    luck: float
    left_before: int
    left_after: int


@dataclass(frozen=True)
class Review:
    """A game looked at afterwards: `guesses + to_come = start + cost - luck`.

    Attributes:
        turns: the guesses.
        start: the value of the game at its start: the best of what was tried there and of the guess made.
        cost: what better guesses would have saved, in all.
        luck: what the answers brought, in all.
        guesses: how many guesses were made.
        finished: whether the secret was found.
        to_come: the value of the state where the game stopped; 0 where it was finished.
        secret: the secret.
        oracle: who played the guesses out.
        hider: whom they were played against.
    """

    turns: list[ReviewedTurn]
    start: float
    cost: float
    luck: float
    guesses: int
    finished: bool
    to_come: float
    secret: str
    oracle: str
    hider: str

    @property
    def note(self) -> str:
        """What the figures are, in sentences for people."""
        unfinished = "" if self.finished else f" The game was not finished: {self.to_come:.2f} guesses were to come."
        return (
            f"Estimates: each guess is played out against {self.hider} by {self.oracle}. The best is the best of those "
            "tried and the one made; fewer words left are looked at more closely, and what that finds counts as luck."
            f"{unfinished}"
        )

    def to_record(self) -> dict[str, Any]:
        """Return the review as plain data."""
        return vars(self) | {"turns": [vars(turn) for turn in self.turns], "note": self.note}


def review(game: Game, history: HistoryLike, secret: str, hider: Hider) -> Review:
    """Return a review of a game, finished or not, whose secret is known.

    Raises `HistoryError` where the secret would have been answered otherwise, and says where and how.
    """
    turns = game.parse_history(history)
    word, states = _states(game, turns, secret)
    asked = adviser(game, hider)
    made = [Valued(guess, asked.value(state, guess)) for state, (guess, _) in zip(states, turns, strict=False)]
    values = [_best(asked, state, guess) for state, guess in zip(states, made, strict=False)]
    finished = bool(turns) and turns[-1][1] == game.found
    to_come = Fraction(0) if finished else asked.candidates(states[-1])[0].expected
    worth = [best.expected for best in values] + [to_come]
    expected = [guess.expected for guess in made]
    reviewed = [
        ReviewedTurn(
            guess=game.guesses[guess],
            answer=game.labels[answer],
            expected=float(expected[number]),
            best=game.guesses[values[number].guess],
            best_expected=float(worth[number]),
            cost=float(expected[number] - worth[number]),
            luck=float(expected[number] - 1 - worth[number + 1]),
            left_before=len(states[number]),
            left_after=len(states[number + 1]),
        )
        for number, (guess, answer) in enumerate(turns)
    ]
    cost = sum(expected) - sum(worth[:-1])
    luck = sum(expected) - len(turns) - sum(worth[1:])
    return Review(
        turns=reviewed,
        start=float(worth[0]),
        cost=float(cost),
        luck=float(luck),
        guesses=len(turns),
        finished=finished,
        to_come=float(to_come),
        secret=word,
        oracle=asked.oracle,
        hider=hider_name(hider),
    )


def _best(asked: Adviser, state: Indices, made: Valued) -> Valued:
    """Return the best guess at a state among those tried and the one made; the one made where it is as good."""
    best = asked.candidates(state)[0]
    return best if best.expected < made.expected else made


def _states(game: Game, turns: History, secret: str) -> tuple[str, list[Indices]]:
    """Return the secret as the game writes it and the states before each turn and after the last."""
    word = game.guesses[game.guess_index(secret)]
    index = game.secret_of_guess[game.guess_index(secret)]
    if index < 0:
        raise HistoryError(f"{quoted(word)} may be guessed but not hidden in {game.name}: give one of its secrets")
    states = [game.all_secrets]
    for number, turn in enumerate(turns):
        guess, answer = turn
        true = int(game.answers(np.array([guess], dtype=np.int32), np.array([index], dtype=np.int32))[0, 0])
        if answer != true:
            raise HistoryError(
                f"{quoted(game.format_history([turn]))} does not fit the secret {quoted(word)}: "
                f"the answer is {quoted(game.labels[true])}, so change it or the secret"
            )
        if answer == game.found and number < len(turns) - 1:
            written, after = (quoted(game.format_history(part)) for part in ([turn], turns[number + 1 :]))
            raise HistoryError(f"{written} ended the game, yet {after} follows: remove one or the other")
        states.append(game.narrow(states[-1], turn))
    return word, states
