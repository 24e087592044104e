"""A review of a game that was played: what each guess cost compared with a better one, and what was luck.

The value of a state is the least expected number of guesses to the end, over the guesses tried there
(`adviser.Adviser.candidates`) and the one that was made. The value after the end is zero. Then for each turn

    cost = expected(guess made) - value(state before)            what was given away, never negative
    luck = expected(guess made) - 1 - value(state after)         how much better the answer was than expected

and the sum over all turns telescopes: guesses made = value at the start + total cost - total luck, exactly. For a game
that was not finished, the value of the state where it stopped is added on the left side.

Values are upper estimates, and exact where few secrets are left. So a small part of what is called luck, some
hundredths of a guess, is only that the estimate became closer.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from oracular.errors import HistoryError
from oracular.games.game import Game, History, HistoryLike, Indices
from oracular.games.jotto import solved_game
from oracular.play.advice import assumption_of, hider_description
from oracular.play.adviser import Adviser, ValuedGuess, adviser_for
from oracular.play.opponent import game_and_hider
from oracular.strategies.hider import Hider
from oracular.system.checking import checked
from oracular.system.files import quoted


@dataclass(frozen=True)
class ReviewedTurn:
    """One guess of a game that is reviewed.

    Attributes:
        expected: the expected number of guesses to the end after this choice, the guess itself included.
        best: the best guess that was tried at that state, or the guess made where none was better.
        best_expected: the expected number of guesses to the end with the best guess: the value of the state.
        cost: `expected - best_expected`, never negative.
        luck: how much better than expected the answer was.
        left_after: how many were possible after the answer; 1 where the secret was found.
        exact: whether `expected`, `best_expected` and `cost` are exact, as they are where few secrets are left; if not,
            they are estimates.
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
    exact: bool


@checked
@dataclass(frozen=True)
class Review:
    """The review of a game, where `guesses + to_come = start + cost - luck`.

    Attributes:
        start: the value of the game at its start.
        to_come: the value of the state where the game stopped; 0 where it was finished.
        oracle: a description of the oracle that played the guesses out.
        hider: a description of the hider that they were played out against.
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
        """What the figures mean, in sentences for people."""
        unfinished = "" if self.finished else f" The game was not finished: {self.to_come:.2f} guesses were to come."
        return (
            "Estimates: each guess was tried against all that was left, and the rest of the game was played by a quick "
            "rule. The best is the best of those tried and the one made. If few are left, the figures are exact; what "
            f"that changes counts as luck.{unfinished}"
        )

    @property
    def assumption(self) -> str:
        """How the secret is assumed to have been chosen, in a sentence for people."""
        return assumption_of(self.hider)

    def to_record(self) -> dict[str, Any]:
        """Return the review as plain data."""
        turns = [vars(turn) for turn in self.turns]
        return vars(self) | {"turns": turns, "assumption": self.assumption, "note": self.note}


@checked
def review(
    game: Game | str,
    history: HistoryLike,
    secret: str | None = None,
    hider: Hider | None = None,
    *,
    only_allowed: bool = True,
) -> Review:
    """Return a review of a game, finished or not, whose secret is known.

    >>> result = oracular.review("jotto-5", "giant:2 pecan:2 doyen:2 vixen:5")
    >>> result.guesses, result.secret, [turn.left_before for turn in result.turns]
    (4, 'vixen', [2833, 868, 306, 104])

    Args:
        game: a game, or its name.
        history: the guesses with their answers.
        secret: the secret; it may be left out where the last guess found it.
        hider: how the secret was chosen; by default with equal chances for all secrets. `oracular.load(name).hider` is
            what the computer hides by in play.
        only_allowed: whether a guess that the game does not allow is an error; where an answer was changed later,
            guesses may have been allowed that would not be now.

    Raises:
        HistoryError: the secret is missing, or it does not give these answers, or a guess was not allowed.
        SettingsError: the hider belongs to another game.
    """
    game, hider = game_and_hider(game, hider)
    turns = turns_of(game, history, secret)
    finished = bool(turns) and turns[-1][1] == game.found
    if secret is None:
        if not finished:
            raise HistoryError("the secret was not found in this game, so it is not known: give the secret")
        secret = game.guesses[turns[-1][0]]
    word, states = states_of(game, turns, secret)
    demands = [game.demand_after(turns[:made]) for made in range(len(turns) + 1)]
    if only_allowed:
        check_allowed(game, turns, states)
    adviser = adviser_for(game, hider)
    made = [
        adviser.value(state, guess, demand) for state, demand, (guess, _) in zip(states, demands, turns, strict=False)
    ]
    values = [_best(adviser, *before) for before in zip(states, demands, made, strict=False)]
    to_come = Fraction(0) if finished else adviser.candidates(states[-1], demands[-1])[0].expected
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
            exact=made[number].exact and values[number].exact,
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
        oracle=adviser.oracle,
        hider=hider_description(hider),
    )


def turns_of(game: Game, history: HistoryLike, secret: str | None) -> History:
    """Return a history as indices, in which all letters in common with the secret's own word mean that it was found."""
    turns = game.parse_history(history)
    if secret is None:
        return turns
    guess = solved_game(game).guess_index(secret)  # which says best why a word is not a secret
    index = game.guess_index(solved_game(game).guesses[guess])
    return tuple(game.counted_as_found(*turn, index) for turn in turns)


def check_allowed(game: Game, turns: History, states: list[Indices]) -> None:
    """Raise `HistoryError` where a guess was not allowed at its state."""
    for number, (state, (guess, _)) in enumerate(zip(states, turns, strict=False)):
        if against := game.reason_against(guess, turns[:number], state):
            raise HistoryError(against)


def _best(adviser: Adviser, state: Indices, demand: int, made: ValuedGuess) -> ValuedGuess:
    """Return the best guess at a state: the guess made, unless one that was tried is better."""
    best = adviser.candidates(state, demand)[0]
    return best if best.expected < made.expected else made


def states_of(game: Game, turns: History, secret: str) -> tuple[str, list[Indices]]:
    """Return the secret as the game writes it, and the states before each turn and after the last."""
    solved = solved_game(game)  # which has the same secrets, and says best why a word is none of them
    guess = solved.guess_index(secret)
    word, index = solved.guesses[guess], solved.secret_of_guess[guess]
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
