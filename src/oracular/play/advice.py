"""Advice at any moment of a game: what is left, and which guesses are expected to end it soonest.

The guesses that score best are each played out to the end by one oracle, against the hider's weights on what is left.
What comes out is how many guesses a game takes *if that oracle goes on*: an estimate, and an upper bound on what the
best play would need against this hider.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, HistoryLike, Indices
from oracular.games.symmetry import orbits
from oracular.play.openings import ready_opening
from oracular.responses.planned import suited_settings
from oracular.responses.scores import score_of_name
from oracular.strategies.hider import Hider

if TYPE_CHECKING:
    from oracular.kernels.planning.playout import Board

MOST_SECRETS = 20_000
"""Larger games would not fit the numbers that guesses are scored in."""

FEWEST_TRIED, MOST_TRIED = 10, 40
"""How many guesses are played out: the first at states of many secrets, up to the second where few are left,"""

TRIED_SECRETS = 2000
"""so many that guesses times secrets come to about this."""

WIDTH = 3
"""Where few secrets are left, the oracle that plays on tries so many guesses before it makes one;"""

MANY, FEW_OF_MANY, FEW = 300, 12, 60
"""few are, when advice is asked at a state of more than the first, the second, otherwise the third;"""

LOOKAHEAD_TABLE = 30_000_000
"""in games with a larger table of answers none are, or advice would take many seconds."""

DISTINCT = 20
"""Where more secrets than this are left, of guesses that differ in nothing but which secret they find one is shown."""

SETTINGS = [FEWEST_TRIED, MOST_TRIED, TRIED_SECRETS, WIDTH, MANY, FEW_OF_MANY, FEW, LOOKAHEAD_TABLE, DISTINCT]
"""The numbers above, on which values depend beside the game, the hider and the score."""

REMEMBERED_STATES = 512
REMEMBERED_HIDERS = 16
WORDS_SHOWN = 40


@dataclass(frozen=True)
class Valued:
    """A guess at a state with what it is worth.

    Attributes:
        guess: the guess, by index.
        expected: the guesses to the end, this one included, as the oracle plays on.
    """

    guess: int
    expected: Fraction


@dataclass(frozen=True)
class Suggestion:
    """A guess that may be made.

    Attributes:
        guess: the word.
        expected: the guesses to the end, this one included: an estimate.
        possible: whether it may itself be the secret.
        parts: how many secrets each answer would leave, by the answer's label; answers that cannot come are left out.
    """

    guess: str
    expected: float
    possible: bool
    parts: dict[str, int]


@dataclass(frozen=True)
class Advice:
    """What is left, and what to guess.

    Attributes:
        left: how many secrets are still possible.
        words: which, in dictionary order.
        suggestions: guesses, the one that is expected to end the game soonest first.
        oracle: who played them out.
        hider: whom they were played against.
    """

    left: int
    words: tuple[str, ...]
    suggestions: list[Suggestion]
    oracle: str
    hider: str

    @property
    def note(self) -> str:
        """What the figures are, in a sentence for people."""
        return (
            f"Estimates: each guess is played out against {self.hider} by {self.oracle}. "
            "Better play may need fewer guesses."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the advice as plain data, with the first of the words that are left."""
        return {
            "left": self.left,
            "words": list(self.words[:WORDS_SHOWN]),
            "suggestions": [vars(suggestion) for suggestion in self.suggestions],
            "oracle": self.oracle,
            "hider": self.hider,
            "note": self.note,
        }


@dataclass(frozen=True, eq=False)
class Adviser:
    """Values guesses in one game against one hider, and remembers the states it was asked about.

    Any thread may ask: it scores on the thread that asks.

    Attributes:
        game: the game.
        hider: the hider.
    """

    game: Game
    hider: Hider
    _states: dict[bytes, list[Valued]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if len(self.game.secrets) > MOST_SECRETS:
            raise SettingsError(
                f"{self.game.name} has {len(self.game.secrets):,} secrets, too many for advice: "
                f"choose a game of at most {MOST_SECRETS:,}"
            )

    @cached_property
    def _board(self) -> Board:
        """The game as the kernels read it; how far the oracle looks ahead depends on the state."""
        from oracular.kernels.planning.playout import Board
        from oracular.kernels.planning.scan import ScoredGame

        game = self.game
        secrets = len(game.secrets)
        shift = secrets.bit_length()
        score = score_of_name(self._score, secrets)
        scored = ScoredGame(
            by_secret=np.require(game.by_secret, requirements="W"),  # one kind of array is compiled for
            guess_of_secret=game.guess_of_secret,
            found=game.found,
            answers=len(game.labels),
            shift=shift,
            table=score.table,
            found_value=score.found_value,
            ties=1,
        )
        packed = ((_light(self.hider, (1 << (31 - shift)) - 1) << shift) | 1).astype(np.int32)
        return Board(scored, packed, small=2, width=WIDTH)

    @property
    def _looks_ahead(self) -> bool:
        return len(self.game.secrets) * len(self.game.guesses) <= LOOKAHEAD_TABLE

    def board(self, size: int) -> Board:
        """Return the board to play out a state of so many secrets on."""
        if not self._looks_ahead:
            return self._board
        return self._board._replace(small=FEW if size <= MANY else FEW_OF_MANY)

    @property
    def settings(self) -> list[int | str]:
        """What a value depends on beside the game, the hider and the code."""
        return [*SETTINGS, self._score]

    @property
    def _score(self) -> str:
        return suited_settings(self.game).get("score_name", "log")

    @property
    def oracle(self) -> str:
        """Who plays the guesses out, in words that follow 'by'."""
        ahead = " and looks ahead where few are left" if self._looks_ahead else ""
        least = "the least expected depth" if self._score == "depth" else "the least expected logarithm of what is left"
        return f"a greedy oracle, which guesses for {least}{ahead}"

    def candidates(self, possible: Indices) -> list[Valued]:
        """Return the guesses that were tried at a state with their values, the best first."""
        key = np.ascontiguousarray(possible, dtype=np.int32).tobytes()
        known = self._states.get(key)
        if known is None:
            ready = ready_opening(self.hider, self.settings) if len(possible) == len(self.game.secrets) else None
            known = [Valued(*entry) for entry in ready or ()] or self.valued(possible, self.likely(possible))
            if len(self._states) >= REMEMBERED_STATES:
                self._states.clear()
            self._states[key] = known
        return known

    def valued(self, possible: Indices, guesses: Indices) -> list[Valued]:
        """Return some guesses at a state with their values, the best first; of equals a possible secret."""
        from oracular.kernels.planning.playout import played_out

        depths = played_out(self.board(len(possible)), possible, guesses)
        weights = self.hider.weights[possible]
        if not weights.any():
            weights = np.ones(len(possible), dtype=np.int64)
        if int(weights.sum()) * len(self.game.secrets) >= 2**62:
            weights = weights.astype(object)
        totals, weight = depths @ weights, int(weights.sum())
        finds = np.isin(self.game.secret_of_guess[guesses], possible)
        ranked = sorted(range(len(guesses)), key=lambda place: (totals[place], not finds[place], place))
        return [Valued(int(guesses[place]), Fraction(int(totals[place]), weight)) for place in ranked]

    def value(self, possible: Indices, guess: int) -> Fraction:
        """Return how many guesses a state takes that begins with this guess."""
        for candidate in self.candidates(possible):
            if candidate.guess == guess:
                return candidate.expected
        return self.valued(possible, np.array([guess], dtype=np.int32))[0].expected

    def likely(self, possible: Indices) -> Indices:
        """Return the guesses to try at a state, the best by score first."""
        from oracular.kernels.planning.playout import likely_guesses

        if len(possible) == len(self.game.secrets) and self.game.symmetries and is_uniform(self.hider):
            moves = [symmetry.guesses for symmetry in self.game.symmetries]
            return np.unique(orbits(len(self.game.guesses), moves))[:MOST_TRIED]
        tried = max(FEWEST_TRIED, min(MOST_TRIED, TRIED_SECRETS // len(possible)))
        if len(possible) <= DISTINCT:
            return likely_guesses(self._board, possible, tried)
        return self._distinct(likely_guesses(self._board, possible, 3 * tried), possible, tried)

    def _distinct(self, guesses: Indices, possible: Indices, most: int) -> Indices:
        """Return the first guesses, at most so many, that differ in more than which secret they find."""
        rows = self.game.by_secret[possible][:, guesses].T
        kept: list[int] = []
        finder = False
        for place, row in enumerate(rows):
            finds = row == self.game.found
            if any(((row == rows[other]) | finds | (rows[other] == self.game.found)).all() for other in kept):
                continue
            if len(kept) < most or (not finder and finds.any()):
                kept.append(place)
                finder = finder or bool(finds.any())
        return guesses[kept]


def _light(hider: Hider, most: int) -> NDArray[np.int64]:
    """Return the hider's weights scaled down until they sum to at most so much; none that was above 0 becomes 0."""
    total = hider.total
    if total <= most:
        return np.asarray(hider.weights, dtype=np.int64)
    room = most - len(hider.weights)
    return np.array([int(weight) * room // total + (weight > 0) for weight in hider.weights], dtype=np.int64)


@lru_cache(maxsize=REMEMBERED_HIDERS)
def _adviser(game: Game, weights: tuple[int, ...]) -> Adviser:
    return Adviser(game, Hider(game, np.array(weights, dtype=object)))


def adviser(game: Game, hider: Hider) -> Adviser:
    """Return who advises in a game against a hider, kept for the next time."""
    if not hider.game.is_same(game):
        raise SettingsError(f"the hider plays {hider.game!r}, not {game!r}: give one of the same game")
    return _adviser(game, tuple(hider.weights.tolist()))


def hider_name(hider: Hider) -> str:
    """Return what a hider is called where nothing more is known of it."""
    return "a hider that hides every secret with equal chances" if is_uniform(hider) else "the hider's strategy"


def is_uniform(hider: Hider) -> bool:
    """Tell whether a hider hides every secret with equal chances."""
    return bool((hider.weights == hider.weights[0]).all())


def advise(game: Game, history: HistoryLike, hider: Hider, count: int = 10) -> Advice:
    """Return what is left after a history and the best guesses there, at most `count`; one of them may be the secret.

    Raises what `Game.possible_after` raises: `InconsistentHistoryError` where no secret gives all these answers, and
    `FinishedGameError` where the secret has been found.
    """
    if count < 1:
        raise SettingsError(f"{count} suggestions asked for: ask for 1 or more")
    possible = game.possible_after(history)
    asked = adviser(game, hider)
    tried = asked.candidates(possible)
    shown = tried[:count]
    may_be = set(game.guess_of_secret[possible].tolist())
    if not any(candidate.guess in may_be for candidate in shown):
        shown[-1] = next(candidate for candidate in tried if candidate.guess in may_be)
    return Advice(
        left=len(possible),
        words=tuple(game.secrets[secret] for secret in possible),
        suggestions=[_suggestion(game, candidate, possible, candidate.guess in may_be) for candidate in shown],
        oracle=asked.oracle,
        hider=hider_name(hider),
    )


def _suggestion(game: Game, candidate: Valued, possible: Indices, may_be: bool) -> Suggestion:
    """Return a guess with what each answer to it would leave."""
    replies = game.answers(np.array([candidate.guess], dtype=np.int32), possible)[0]
    counts = np.bincount(replies, minlength=len(game.labels))
    parts = {label: int(count) for label, count in zip(game.labels, counts, strict=True) if count}
    return Suggestion(game.guesses[candidate.guess], float(candidate.expected), may_be, parts)
