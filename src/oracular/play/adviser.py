"""Values of guesses at any moment of a game.

If few secrets are left, the best guess and the values of all that are compared are exact: an exact search
(`search/trees.py`) takes milliseconds there.

If more are left, the guesses that score best are each played out to the end by one oracle, against the hider's weights
on what is left. The result is how many guesses a game takes *if that oracle goes on*. It is an estimate of what the
best play would need against this hider, and an upper bound on it.

In large games that takes seconds, and everybody wants the opening. `strategies/data/openings.json`, which
`tools/make_openings.py` writes, has the guesses tried at the start with their values, under a fingerprint of game,
hider and settings. If it has no entry, the opening is computed like any other state.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from importlib.resources import files
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.costs import Costs, fits_search
from oracular.errors import SettingsError
from oracular.games.game import Game, Indices, TableRules
from oracular.games.guessing import FREE
from oracular.games.jotto import solved_game
from oracular.games.offensive import is_offensive
from oracular.games.symmetry import orbits
from oracular.objectives import mean
from oracular.planner.planner import score_of_name, scored_game, suited_settings
from oracular.play.aims import scaled_weights
from oracular.strategies.hider import Hider
from oracular.system.memory import cached_on

if TYPE_CHECKING:
    from oracular.kernels.lookahead import Board


FILE = "openings.json"


@dataclass(frozen=True)
class ValuedGuess:
    """A guess by index, and the expected number of guesses to the end, this one included.

    The number is exact if it is that of the best play from there on, and otherwise that of the oracle that advice uses.
    """

    guess: int
    expected: Fraction
    exact: bool = False


def fingerprint(hider: Hider, settings: object) -> str:
    """Return a hash of the game, the hider's weights and the settings that guesses are valued with."""
    facts = [*hider.game.identity.facts, hider.weights.tolist(), settings]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


@cache
def _openings() -> dict[str, Any]:
    """Return the entries of the file by fingerprint."""
    file = files("oracular.strategies.data").joinpath(FILE)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def stored_opening(hider: Hider, settings: object) -> list[ValuedGuess] | None:
    """Return the guesses tried at the start with their values, the best first; None where the file has no entry."""
    entry = _openings().get(fingerprint(hider, settings))
    if entry is None:
        return None
    proved = entry.get("exact", [])
    return [ValuedGuess(guess, Fraction(value), guess in proved) for guess, value in entry["tried"]]


MAX_SECRETS = 20_000
"""Advice is refused in larger games: their scores would not fit the integers that guesses are scored in."""

EXACT_SECRETS = 16
"""If at most this many secrets are left, values are exact."""

MIN_TRIED, MAX_TRIED = 10, 40
"""The fewest and the most guesses that are played out at a state."""

TRIED_SECRETS = 2000
"""Within those limits, guesses are played out until guesses times secrets left come to about this number."""

WIDTH = 3
"""How many guesses the oracle compares, by looking ahead, before it makes one."""

LARGE_STATE = 300
"""A state of more secrets than this is large: to play it out in time, the oracle looks ahead later."""

LOOKAHEAD = 60
"""When a state that is not large is played out, the oracle looks ahead once at most this many secrets are left."""

LOOKAHEAD_FROM_LARGE = 12
"""When a large state is played out, the oracle looks ahead once at most this many secrets are left."""

LOOKAHEAD_TABLE = 30_000_000
"""In games whose table of answers is larger than this the oracle never looks ahead: it would take many seconds."""

DISTINCT = 20
"""Where more secrets than this are left, only one is shown of guesses that differ only in which secret they find."""

SETTINGS = [
    MIN_TRIED, MAX_TRIED, TRIED_SECRETS, WIDTH, LARGE_STATE, LOOKAHEAD_FROM_LARGE, LOOKAHEAD, LOOKAHEAD_TABLE, DISTINCT
]  # fmt: skip
"""The numbers above. The value of a guess depends on them, besides the game, the hider and the score."""

CACHED_STATES = 512
CACHED_ADVISERS = 16


@dataclass(frozen=True, eq=False)
class Adviser:
    """Values guesses in one game against one hider, and caches the values by state.

    Where a person may guess more words than the rules let anybody hide (`games.jotto.widened`), the guesses tried are
    those of the game that was solved, and any other guess is valued when it is made.

    Where only some guesses are allowed, only those are tried, and the oracle makes no other. In hard mode a state has a
    demand beside it.

    It may be used from several threads: the work is done on the thread that calls.
    """

    game: Game
    hider: Hider
    _cache: dict[tuple[bytes, int], list[ValuedGuess]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if len(self.game.secrets) > MAX_SECRETS:
            raise SettingsError(
                f"{self.game.name} has {len(self.game.secrets):,} secrets, too many for advice: "
                f"choose a game of at most {MAX_SECRETS:,}"
            )

    @cached_property
    def solved(self) -> Game:
        """The game in which guesses are tried; it has the same secrets."""
        return solved_game(self.game)

    @cached_property
    def _solved_hider(self) -> Hider:
        return self.hider if self.solved is self.game else Hider(self.solved, self.hider.weights)

    @cached_property
    def guess_of_solved(self) -> Indices:
        """The guess of the game that each guess of the solved game is [guesses of the solved game]."""
        return np.array([self.game.guess_index(word) for word in self.solved.guesses], dtype=np.int32)

    @cached_property
    def _solved_of_guess(self) -> Indices:
        """The guess of the solved game that each guess of the game is, or -1 [guesses of the game]."""
        numbers = np.full(len(self.game.guesses), -1, dtype=np.int32)
        numbers[self.guess_of_solved] = np.arange(len(self.solved.guesses), dtype=np.int32)
        return numbers

    @cached_property
    def _board(self) -> Board:
        """The game as the kernels read it; `board` sets how far the oracle looks ahead."""
        from oracular.kernels.lookahead import Board, stakes_of_few_guesses

        scored = scored_game(self.solved, score_of_name(self._score, len(self.game.secrets)))
        shift = scored.shift
        packed = ((scaled_weights(self.hider, (1 << (31 - shift)) - 1) << shift) | 1).astype(np.int32)
        return Board(scored, packed, stakes_of_few_guesses(scored), small=2, width=WIDTH)

    @property
    def _looks_ahead(self) -> bool:
        return len(self.solved.secrets) * len(self.solved.guesses) <= LOOKAHEAD_TABLE

    def board(self, size: int) -> Board:
        """Return the board on which a state of `size` secrets is played out."""
        if not self._looks_ahead:
            return self._board
        return self._board._replace(small=LOOKAHEAD if size <= LARGE_STATE else LOOKAHEAD_FROM_LARGE)

    @property
    def settings(self) -> list[int | str]:
        """What the value of a guess depends on, besides the game, the hider and the code."""
        return [*SETTINGS, self._score]

    @property
    def _score(self) -> str:
        return suited_settings(self.game).get("score_name", "log")

    @property
    def oracle(self) -> str:
        """A description of the oracle that plays the guesses out, to be put after the word 'by'."""
        ahead = " and looks ahead where few are left" if self._looks_ahead else ""
        least = "the least expected depth" if self._score == "depth" else "the least expected logarithm of what is left"
        return f"a greedy oracle, which guesses for {least}{ahead}"

    def candidates(self, possible: Indices, demand: int = FREE) -> list[ValuedGuess]:
        """Return the guesses that are tried at a state with their values, the best first.

        Words that offend are not among them, unless no other was tried.
        """
        key = (np.ascontiguousarray(possible, dtype=np.int32).tobytes(), demand)
        cached = self._cache.get(key)
        if cached is None:
            cached = self._presentable(self._tried(possible, demand), possible, demand)
            if len(self._cache) >= CACHED_STATES:
                self._cache.clear()
            self._cache[key] = cached
        return cached

    def _tried(self, possible: Indices, demand: int) -> list[ValuedGuess]:
        """Return the guesses that are tried at a state with their values, the best first."""
        at_start = len(possible) == len(self.game.secrets) and demand == FREE
        tried = stored_opening(self._solved_hider, self.settings) if at_start else None
        if tried is None:
            likely = self.likely(possible, demand)
            exact = self._exactly_ranked(possible, self.guess_of_solved[likely], demand)
            if exact is not None:
                return exact
            tried = self._ranked(
                possible,
                likely,
                self.depths(possible, likely, demand) @ self._weights(possible),
                self.solved.guess_of_secret,
            )
        return [replace(one, guess=int(self.guess_of_solved[one.guess])) for one in tried]

    def _presentable(self, tried: list[ValuedGuess], possible: Indices, demand: int) -> list[ValuedGuess]:
        """Return the guesses tried but those that offend, and with one that may be the secret if there is any."""
        kept = [one for one in tried if not is_offensive(self.game.guesses[one.guess])]
        if len(kept) == len(tried):
            return tried
        finders = [guess for guess in self.game.guess_of_secret[possible] if not is_offensive(self.game.guesses[guess])]
        if finders and not {one.guess for one in kept} & set(finders):
            kept = self.valued(possible, np.array([*[one.guess for one in kept], finders[0]], dtype=np.int32), demand)
        return kept or tried

    def valued(self, possible: Indices, guesses: Indices, demand: int = FREE) -> list[ValuedGuess]:
        """Return these guesses with their values at a state, the best first; among equals, possible secrets first."""
        from oracular.kernels.lookahead import played_out

        exact = self._exactly_ranked(possible, guesses, demand)
        if exact is not None:
            asked = set(guesses.tolist())
            return [one for one in exact if one.guess in asked]
        columns = self._solved_of_guess[guesses]
        others = guesses[columns < 0]
        if len(others):  # guesses that were not tried before: they come behind those of the solved game
            columns = columns.copy()
            columns[columns < 0] = len(self.solved.guesses) + np.arange(len(others), dtype=np.int32)
        named = dict(zip(columns.tolist(), guesses.tolist(), strict=True))
        board = self.board(len(possible))
        if len(others):
            answers = self.game.answers(others, self.game.all_secrets).T
            by_secret = np.ascontiguousarray(np.hstack([board.game.by_secret, answers]))
            board = board._replace(game=board.game._replace(by_secret=by_secret))
        depths = played_out(board, possible, columns, demand)
        ranked = self._ranked(possible, columns, depths @ self._weights(possible), self.solved.guess_of_secret)
        return [replace(one, guess=named[one.guess]) for one in ranked]

    def _weights(self, possible: Indices) -> NDArray[np.int64]:
        """Return the weights of a state's secrets, without a common factor: each one if the hider gives them none."""
        weights = self.hider.weights[possible]
        if not weights.any():
            return np.ones(len(possible), dtype=np.int64)
        weights = weights // gcd(*weights.tolist())
        return weights.astype(object if int(weights.sum()) * len(self.game.secrets) >= 2**62 else np.int64)

    def _ranked(
        self,
        possible: Indices,
        guesses: Indices,
        totals: NDArray[np.int64],
        guess_of_secret: Indices,
        exact: bool = False,
    ) -> list[ValuedGuess]:
        """Return guesses with their values at a state, the best first.

        The totals are how many guesses all secrets take after each of them, times their weights [guesses].
        """
        weight = int(self._weights(possible).sum())
        finds = np.isin(guesses, guess_of_secret[possible])
        ranked = sorted(range(len(guesses)), key=lambda place: (totals[place], not finds[place], place))
        return [ValuedGuess(int(guesses[place]), Fraction(int(totals[place]), weight), exact) for place in ranked]

    def _exactly_ranked(self, possible: Indices, guesses: Indices, demand: int) -> list[ValuedGuess] | None:
        """Return guesses and a best one with their exact values, or None for a large state.

        All words that may be guessed are searched, not those of the solved game alone. Without a rule of guessing one
        is enough of those that split the state alike.
        """
        weights = self._weights(possible)
        if len(possible) > EXACT_SECRETS or not fits_search(weights.tolist(), mean()):
            return None
        from oracular.search.trees import exact_costs

        game = self.game
        words = np.arange(len(game.guesses), dtype=np.int32)
        table = game.answers(words, possible)
        if game.guessing.is_any:
            first = np.unique(table, axis=0, return_index=True)[1]
            words = np.unique(np.concatenate([guesses, game.guess_of_secret[possible], first])).astype(np.int32)
        state = Game(
            game.name,
            tuple(game.secrets[secret] for secret in possible),
            tuple(game.guesses[word] for word in words),
            game.labels,
            game.found,
            TableRules(np.ascontiguousarray(table[words])),
            guessing=game.guessing,
        )
        totals = exact_costs(state, Costs.mean(weights), demand, np.searchsorted(words, guesses).tolist())
        ranked = words[list(totals)]
        return self._ranked(possible, ranked, np.array(list(totals.values())), game.guess_of_secret, exact=True)

    def depths(self, possible: Indices, guesses: Indices, demand: int = FREE) -> NDArray[np.int32]:
        """Return how many guesses each secret of a state takes after some guesses of the solved game, these included.

        The shape is [guesses, possible]. The oracle that plays the game out has few guesses on average in mind.
        """
        from oracular.kernels.lookahead import played_out

        return played_out(self.board(len(possible)), possible, guesses, demand)

    def value(self, possible: Indices, guess: int, demand: int = FREE) -> ValuedGuess:
        """Return a guess with its value at a state."""
        for candidate in self.candidates(possible, demand):
            if candidate.guess == guess:
                return candidate
        return self.valued(possible, np.array([guess], dtype=np.int32), demand)[0]

    def likely(self, possible: Indices, demand: int = FREE) -> Indices:
        """Return the guesses of the solved game to try at a state, those with the best scores first."""
        from oracular.kernels.lookahead import likely_guesses

        weights, symmetries = self._solved_hider.weights, self.solved.symmetries
        alike = all((weights[symmetry.secrets] == weights).all() for symmetry in symmetries)
        if len(possible) == len(self.game.secrets) and symmetries and alike:
            moves = [symmetry.guesses for symmetry in symmetries]
            return np.unique(orbits(len(self.solved.guesses), moves))[:MAX_TRIED]
        tried = self.tries(len(possible))
        if len(possible) <= DISTINCT:
            return likely_guesses(self._board, possible, tried, demand)
        return self._distinct(likely_guesses(self._board, possible, 3 * tried, demand), possible, tried)

    @staticmethod
    def tries(size: int) -> int:
        """Return how many guesses are tried at a state of so many secrets."""
        return max(MIN_TRIED, min(MAX_TRIED, TRIED_SECRETS // size))

    def _distinct(self, guesses: Indices, possible: Indices, most: int) -> Indices:
        """Return the first guesses, at most `most`, that differ in more than which secret they find."""
        rows = self.solved.by_secret[possible][:, guesses].T
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


def adviser_for(game: Game, hider: Hider) -> Adviser:
    """Return the adviser for a game and a hider; those wanted before are kept with the game."""
    if not hider.game.is_same(game):
        raise SettingsError(f"the hider plays {hider.game!r}, not {game!r}: give one of the same game")
    weights = tuple(hider.weights.tolist())
    kept: dict[tuple[int, ...], Adviser] = cached_on(game, "advisers", dict)
    if weights not in kept and len(kept) >= CACHED_ADVISERS:
        kept.clear()
    return kept.setdefault(weights, Adviser(game, Hider(game, np.array(weights, dtype=object))))


def is_uniform(hider: Hider) -> bool:
    """Return whether a hider hides every secret with equal chances."""
    return bool((hider.weights == hider.weights[0]).all())
