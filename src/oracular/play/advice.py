"""Advice at any moment of a game: what is left, and which guesses are expected to end it soonest.

How guesses are valued is in `play/adviser.py`, and what is done for other aims than few guesses in `play/aims.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from oracular.errors import InconsistentHistoryError, SettingsError
from oracular.games.game import Game, HistoryLike, Indices
from oracular.games.jotto import solved_game
from oracular.games.offensive import inoffensive
from oracular.objectives import Objective
from oracular.objectives import objective as objective_of
from oracular.play.adviser import ValuedGuess, adviser_for, is_uniform
from oracular.play.aims import AimedGuess, aim_note, aimed_guesses
from oracular.play.deductions import game_of_unlisted
from oracular.play.duel import duel_half
from oracular.play.opponent import game_and_hider, matchup_by_name
from oracular.strategies.hider import Hider
from oracular.strategies.shipped import has_shipped
from oracular.system.checking import checked
from oracular.system.files import cut

WORDS_SHOWN = 40
"""How many of the words that are left a record of advice lists."""

NOT_TO_BE_FIRST = "They aim at few guesses; in a duel a bolder or a safer one may be likelier to be first."
"""What is said below advice in a duel."""

UNIFORM = "a hider that hides every secret with equal chances"
COMPUTER = "the computer's strategy"
OTHER = "the strategy given"


@dataclass(frozen=True)
class Suggestion:
    """A suggested guess.

    Attributes:
        expected: the expected number of guesses to the end, this one included.
        exact: whether that is exact, as it is where few secrets are left; otherwise it is an estimate.
        possible: whether it may itself be the secret.
        parts: how many secrets each answer would leave, by the answer's label; impossible answers are left out.
        value: what it is worth in the objective: `expected` for the mean, for within-6 the chance to find it within
            six guesses in all. An estimate too.
    """

    guess: str
    expected: float
    exact: bool
    possible: bool
    parts: dict[str, int]
    value: float


@checked
@dataclass(frozen=True)
class Advice:
    """What is left, and what to guess.

    The words left are in dictionary order, without those that offend, and the suggestion that is expected to end the
    game soonest, or is best for another objective, comes first. The oracle that played the guesses out is described, as
    is the hider. The objective is named, like `mean` or `within-6`.

    Attributes:
        unlisted: whether no secret of the game fits the history, so that what is left are other words that may be
            guessed.
    """

    left: int
    words: tuple[str, ...]
    suggestions: list[Suggestion]
    oracle: str
    hider: str
    objective: str = "mean"
    unlisted: bool = False

    @property
    def assumption(self) -> str:
        """How the secret is assumed to have been chosen, in a sentence for people."""
        return assumption_of(self.hider)

    @property
    def exact(self) -> bool:
        """Whether all values are exact."""
        return self.objective == "mean" and all(suggestion.exact for suggestion in self.suggestions)

    @property
    def note(self) -> str:
        """What the figures mean, in sentences for people."""
        if self.objective != "mean":
            return aim_note(self.objective)
        if self.exact:
            return "Exact: each figure is that of the best play after the guess."
        some = any(suggestion.exact for suggestion in self.suggestions)
        proved = " Figures marked exact are those of the best play after the guess." if some else ""
        return (
            "Estimates: each guess was tried against all that is left, and the rest of the game was played by a quick "
            f"rule. Better play may need fewer guesses.{proved}"
        )

    def to_record(self) -> dict[str, Any]:
        """Return the advice as plain data; of the words that are left it has the first `WORDS_SHOWN`."""
        suggestions = [vars(suggestion) for suggestion in self.suggestions]
        lists = {"words": list(self.words[:WORDS_SHOWN]), "suggestions": suggestions}
        return vars(self) | lists | {"assumption": self.assumption, "exact": self.exact, "note": self.note}


def hider_description(hider: Hider) -> str:
    """Return what a hider is called."""
    if is_uniform(hider):
        return UNIFORM
    game = solved_game(hider.game)
    if game.own_lists or not has_shipped(game.name):
        return OTHER
    computer = matchup_by_name(game.name).hiding
    halves = (computer, duel_half(computer, begins=True), duel_half(computer, begins=False))
    return COMPUTER if any(np.array_equal(hider.weights, half.hider.weights) for half in halves) else OTHER


def assumption_of(hider: str) -> str:
    """Return what the description of a hider means for a secret, in a sentence for people."""
    if hider == UNIFORM:
        return "Assumes that all secrets are equally likely."
    how = (
        "the computer chose the secret with care" if hider == COMPUTER else "the secret was chosen by the weights given"
    )
    return f"Assumes that {how}: some are likelier than others."


@checked
def advise(
    game: Game | str,
    history: HistoryLike = "",
    hider: Hider | None = None,
    count: int = 10,
    objective: Objective | str | Path = "mean",
) -> Advice:
    """Return which secrets are left after a history, and the best guesses there.

    If no secret fits the history, but other words that may be guessed do, those are left, each as likely as any other
    (`Advice.unlisted`).

    At least one of the suggestions may itself be the secret, unless all words left may offend. Such words are not
    listed, and suggested only where no other guess would tell anything. In Jotto the history may have any word of the
    list, also one that the rules keep from being hidden. Where the game allows only some guesses (`wordle-hard`), only
    those are suggested.

    >>> advice = oracular.advise("jotto-5", "giant:2 pecan:3")
    >>> advice.left, len(advice.suggestions)
    (98, 10)

    Args:
        game: a game, or its name.
        history: the guesses so far with their answers; none for the opening.
        hider: how the secret was chosen; by default with equal chances for all secrets. `oracular.load(name).hider` is
            what the computer hides by in play.
        count: how many guesses to suggest at most.
        objective: what the guesses are for: `mean`, for few of them on average; `within-6`, to find it within six
            guesses in all, those of the history counting; or a file with a table of utilities (`oracular.objective`).

    Raises:
        InconsistentHistoryError: no secret gives all these answers, nor does any other word that may be guessed.
        FinishedGameError: the secret has been found.
        HistoryError: a guess of the history was not allowed.
        SettingsError: the hider belongs to another game, `count` is less than 1, or the objective is none that advice
            can aim at.
    """
    if not isinstance(count, int) or count < 1:
        raise SettingsError(f"{cut(count)} suggestions asked for: ask for 1 or more")
    game, hider = game_and_hider(game, hider)
    turns = game.parse_history(history)
    history = [(game.guesses[guess], game.labels[answer]) for guess, answer in turns]
    try:
        possible = game.possible_after(history)
    except InconsistentHistoryError:
        others = game_of_unlisted(game, history)
        if others is None:
            raise
        return replace(advise(others, history, None, count, objective), unlisted=True)
    demand = game.demand_after(turns)
    adviser, aim = adviser_for(game, hider), objective_of(objective, game)
    tried: Sequence[ValuedGuess | AimedGuess]
    if aim.is_mean:
        tried = adviser.candidates(possible, demand)
    else:
        tried = aimed_guesses(adviser, aim, possible, len(turns), count, demand)
    shown: list[ValuedGuess | AimedGuess] = list(tried[:count])
    may_be = set(game.guess_of_secret[possible].tolist())
    if not any(candidate.guess in may_be for candidate in shown):
        shown[-1] = next((candidate for candidate in tried if candidate.guess in may_be), shown[-1])
    return Advice(
        left=len(possible),
        words=tuple(inoffensive(game.secrets[secret] for secret in possible)),
        suggestions=[_suggestion(game, candidate, possible, candidate.guess in may_be) for candidate in shown],
        oracle=adviser.oracle,
        hider=hider_description(hider),
        objective=aim.name,
    )


def _suggestion(game: Game, candidate: ValuedGuess | AimedGuess, possible: Indices, may_be: bool) -> Suggestion:
    """Return a guess with how many secrets each answer to it would leave."""
    replies = game.answers(np.array([candidate.guess], dtype=np.int32), possible)[0]
    counts = np.bincount(replies, minlength=len(game.labels))
    parts = {label: int(count) for label, count in zip(game.labels, counts, strict=True) if count}
    expected = float(candidate.expected)
    value = float(candidate.value) if isinstance(candidate, AimedGuess) else expected
    exact = isinstance(candidate, ValuedGuess) and candidate.exact
    return Suggestion(game.guesses[candidate.guess], expected, exact, may_be, parts, value)
