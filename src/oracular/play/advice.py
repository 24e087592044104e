"""Advice at any moment of a game: what is left, and which guesses are expected to end it soonest.

How guesses are valued is in `play/adviser.py`, and what is done for other aims than few guesses in `play/aims.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oracular.errors import SettingsError
from oracular.games.game import Game, HistoryLike, Indices
from oracular.games.offensive import inoffensive
from oracular.objectives import Objective
from oracular.objectives import objective as objective_of
from oracular.play.adviser import adviser_for, is_uniform
from oracular.play.aims import AimedGuess, aim_note, aimed_guesses
from oracular.play.openings import ValuedGuess
from oracular.play.opponent import game_and_hider
from oracular.strategies.hider import Hider
from oracular.system.files import cut

WORDS_SHOWN = 40
"""How many of the words that are left a record of advice lists."""

NOT_TO_BE_FIRST = "They aim at few guesses; in a duel a bolder or a safer one may be likelier to be first."
"""What is said below advice in a duel."""

UNIFORM = "a hider that hides every secret with equal chances"
HIDING = ("some secrets are likelier than others", "all secrets are equally likely")
"""What a hider does, in words for players: any hider, and the one that hides every secret with equal chances."""


@dataclass(frozen=True)
class Suggestion:
    """A suggested guess.

    Attributes:
        expected: the expected number of guesses to the end, this one included: an estimate.
        possible: whether it may itself be the secret.
        parts: how many secrets each answer would leave, by the answer's label; impossible answers are left out.
        value: what it is worth in the objective: `expected` for the mean, for within-6 the chance to find it within
            six guesses in all. An estimate too.
    """

    guess: str
    expected: float
    possible: bool
    parts: dict[str, int]
    value: float


@dataclass(frozen=True)
class Advice:
    """What is left, and what to guess.

    The words left are in dictionary order, without those that offend, and the suggestion that is expected to end the
    game soonest, or is best for another objective, comes first. The oracle that played the guesses out is described, as
    is the hider. The objective is named, like `mean` or `within-6`.
    """

    left: int
    words: tuple[str, ...]
    suggestions: list[Suggestion]
    oracle: str
    hider: str
    objective: str = "mean"

    @property
    def note(self) -> str:
        """What the figures mean, in sentences for people."""
        if self.objective != "mean":
            return aim_note(self.objective, HIDING[self.hider == UNIFORM])
        return (
            f"Estimates: each guess was tried against all that is left, where {HIDING[self.hider == UNIFORM]}, and the "
            "rest of the game was played by a quick rule. Better play may need fewer guesses."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the advice as plain data; of the words that are left it has the first `WORDS_SHOWN`."""
        suggestions = [vars(suggestion) for suggestion in self.suggestions]
        return vars(self) | {"words": list(self.words[:WORDS_SHOWN]), "suggestions": suggestions, "note": self.note}


def hider_description(hider: Hider) -> str:
    """Return what a hider is called."""
    return UNIFORM if is_uniform(hider) else "the hider's strategy"


def advise(
    game: Game | str,
    history: HistoryLike = "",
    hider: Hider | None = None,
    count: int = 10,
    objective: Objective | str | Path = "mean",
) -> Advice:
    """Return which secrets are left after a history, and the best guesses there.

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
        hider: how the secret was chosen; by default as the computer chooses it in play, by the strategy that comes with
            the package where there is one, otherwise with equal chances.
        count: how many guesses to suggest at most.
        objective: what the guesses are for: `mean`, for few of them on average; `within-6`, to find it within six
            guesses in all, those of the history counting; or a file with a table of utilities (`oracular.objective`).

    Raises:
        InconsistentHistoryError: no secret gives all these answers.
        FinishedGameError: the secret has been found.
        HistoryError: a guess of the history was not allowed.
        SettingsError: the hider belongs to another game, `count` is less than 1, or the objective is none that advice
            can aim at.
    """
    if not isinstance(count, int) or count < 1:
        raise SettingsError(f"{cut(count)} suggestions asked for: ask for 1 or more")
    game, hider = game_and_hider(game, hider)
    possible, turns = game.possible_after(history), game.parse_history(history)
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
    return Suggestion(game.guesses[candidate.guess], expected, may_be, parts, value)
