"""How a duel may go on: how soon the other side finds, and which guess is worth most then.

`how_soon` gives R, how many more guesses a side needs that has to find a known secret, as a distribution: from the
shipped trees that would have made the same guesses so far, and from playouts of a noisy oracle which makes one of the
best few guesses by score. How much each of the two counts follows from how well it explains the guesses made.

For the side that makes the next guess, finding at its j-th guess from now wins where R >= j. So a guess number has
the utility P(R >= j), the same for all secrets, and the best guess is a best response to a `table` objective from the
present state (`valued_guesses`): the best of the shipped trees, put together part by part, and lookahead.
Safe play when ahead and bold play when behind follow from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oracular.errors import HistoryError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.jotto import solved_game
from oracular.play.duel_pool import TreePool, tree_pool
from oracular.play.opponent import Opponent
from oracular.responses.planned import scored_game
from oracular.responses.scores import score_of_name
from oracular.strategies.hider import Hider
from oracular.strategies.symmetric import random_symmetry
from oracular.system.caching import kept_with

if TYPE_CHECKING:
    from oracular.kernels.planning.playout import Board
    from oracular.kernels.planning.scan import ScoredGame
    from oracular.kernels.planning.stakes import Stakes

UNIT = 1 << 20
"""What stands for a chance of one in whole numbers."""

OTHERWISE = 0.05
"""How much of the weight all secrets share alike: the other side need not hide as a strategy does."""

SLIPS = 0.02
"""How likely the other side is to play no better than by chance from here on."""

SLIP_GUESSES = 12
"""How many guesses the other side then takes at most."""

LIKELY = 0.02
"""How likely a guess is that is made by somebody who follows no shipped tree."""

PLAYOUTS, FEWEST_PLAYOUTS = 24, 12
PLAYOUT_WORK = 40_000_000
"""There are as many playouts as this number holds secrets times guesses, within those limits."""

NOISY_WIDTH = 6
"""From how many guesses, the best by score, a noisy oracle chooses."""

ASIDE = 0.15
"""How likely somebody is to need a guess more than a playout, and likewise a guess less: nobody plays just like it."""

TRIED, TRIED_QUICKLY, FEWEST_TRIED = 40, 8, 4
TRIED_WORK = 15_000_000
"""As many guesses are tried as this number holds secrets times guesses; where that is too few, none is."""

CLOSER = ((5, 6, 100), (13, 24, 300))
"""How the best guesses are played out again, more closely each time: one in so many of those tried, and the oracle then
compares so many guesses at states of at most so many secrets."""

LARGE_STATE = 300
"""At a state of more secrets the last of these is left out."""

MOST_TREES = 1000
"""How many of the trees that come to a state are compared there, the likeliest first."""

HEAVIEST = 4
"""How many of the likeliest secrets are tried besides."""


@dataclass(frozen=True)
class Valued:
    """A guess by index in the game that was solved, and what it is worth: a chance to win."""

    guess: int
    worth: float


@dataclass(frozen=True)
class Soon:
    """How many more guesses a side needs.

    Attributes:
        at_least: the chance that it needs at least j guesses, for j = 1, 2, ...; falls to zero, float64 [guesses].
        playouts: from how many playouts that is.
    """

    at_least: NDArray[np.float64]
    playouts: int


@dataclass(frozen=True, eq=False)
class DuelModel:
    """One half of a duel: a game in which one side guesses, with how the secret may have been chosen."""

    game: Game
    hider: Hider
    pool: TreePool | None

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """How likely each secret is; none is impossible [secrets]."""
        return (1 - OTHERWISE) * self.hider.probabilities + OTHERWISE / len(self.game.secrets)

    @cached_property
    def _scored(self) -> ScoredGame:
        """The game as kernels read it, with a score that knows no guess numbers."""
        return scored_game(self.game, score_of_name("log", len(self.game.secrets)))

    @cached_property
    def _base(self) -> float:
        """Into how many parts of equal size the best opening would split the secrets to tell as much."""
        from oracular.kernels.planning.playout import likely_guesses

        opening = likely_guesses(self._plain_board(self.game.all_secrets), self.game.all_secrets, 1)[:1]
        counts = np.bincount(self.game.answers(opening, self.game.all_secrets)[0])
        shares = counts[counts > 0] / len(self.game.secrets)
        return max(1.5, float(2 ** -(shares * np.log2(shares)).sum()))

    def _packed(self, members: Indices) -> tuple[int, NDArray[np.int32]]:
        """Return how many bits hold a count, and weight << these bits | 1 of each member, zero elsewhere [secrets]."""
        shift = len(members).bit_length()
        room = (1 << (31 - shift)) - 1 - len(members)
        shares = self.shares[members]
        packed = np.zeros(len(self.game.secrets), dtype=np.int32)
        packed[members] = (((shares / shares.sum() * room).astype(np.int64) + 1) << shift) | 1
        return shift, packed

    def _plain_board(self, members: Indices) -> Board:
        """Return the game as kernels read it, with a score that knows no guess numbers."""
        from oracular.kernels.planning.playout import Board

        shift, packed = self._packed(members)
        return Board(self._scored._replace(shift=shift), packed, small=2, width=NOISY_WIDTH)

    def _staked(self, members: Indices, at_least: NDArray[np.float64]) -> tuple[Board, Stakes]:
        """Return the game as kernels read it, and what finding is worth by the number of guesses.

        What a part of c secrets should be worth: k guesses find N_k = 1 + b + ... + b^(k-1) secrets where b parts come
        of each guess, so they find one of c with the chance min(1, N_k / c).
        """
        from oracular.kernels.planning.playout import Board
        from oracular.kernels.planning.stakes import Stakes

        utilities = np.rint(at_least * UNIT).astype(np.int64)
        levels = len(utilities)
        sizes = np.maximum(1, np.arange(len(members) + 1))
        reach = np.minimum(1.0, np.cumsum(self._base ** np.arange(levels))[:, None] / sizes)
        found_at = np.diff(reach, axis=0, prepend=0.0)
        later = np.minimum(np.arange(levels)[:, None] + np.arange(levels) + 1, levels - 1)
        expected = utilities[later] @ found_at + utilities[-1] * (1 - reach[-1])
        shift, packed = self._packed(members)
        board = Board(self._scored._replace(shift=shift), packed, small=2, width=1)
        return board, Stakes(utilities, np.rint(utilities[0] - expected).astype(np.int64))

    def how_soon(
        self, made: Indices, possible: Indices, secret: int, rng: np.random.Generator, demand: int = FREE
    ) -> Soon:
        """Return how many more guesses a side needs for a secret after the guesses that it has made.

        In hard mode the demand says what is asked of its next guess.
        """
        counts = np.zeros(max(SLIP_GUESSES, 255) + 2)
        playouts, trees = 0, 0.0
        if self.pool is not None:
            follows = self.pool.next_guesses(secret, made) >= 0
            trees = float(self.pool.shares[follows].sum())
            playouts = int(follows.sum())
            if playouts:
                depths = self.pool.depths[follows, secret].astype(np.int64) - len(made)
                np.add.at(counts, depths, self.pool.shares[follows])
        otherwise = LIKELY ** len(made)
        if otherwise > trees / 50 or not playouts:
            depths = self._noisy(possible, secret, rng, demand)
            playouts += len(depths)
            for change, share in ((-1, ASIDE), (0, 1 - 2 * ASIDE), (1, ASIDE)):
                np.add.at(counts, np.clip(depths + change, 1, len(counts) - 1), otherwise * share / len(depths))
        counts *= (1 - SLIPS) / counts.sum()
        counts[1 : SLIP_GUESSES + 1] += SLIPS / SLIP_GUESSES
        at_least = 1 - np.concatenate([[0.0], np.cumsum(counts[1:])])
        end = int(np.flatnonzero(counts)[-1])
        return Soon(np.append(np.maximum(0.0, at_least[:end]), 0.0), playouts)

    def _noisy(self, possible: Indices, secret: int | None, rng: np.random.Generator, demand: int) -> NDArray[np.int64]:
        """Return how many guesses a noisy oracle takes in each playout: for a secret, or for twice as many drawn."""
        from oracular.kernels.planning.stakes import noisy_depths

        work = len(possible) * len(self.game.guesses)
        count = max(FEWEST_PLAYOUTS, min(PLAYOUTS, PLAYOUT_WORK // work))
        if secret is None:
            targets = rng.choice(possible, 2 * count, p=self.shares[possible] / self.shares[possible].sum())
        else:
            targets = np.full(count, secret)
            if self.game.symmetries and len(possible) == len(self.game.secrets):  # nobody knows what is guessed first
                targets = np.array([random_symmetry(self.game, rng).secrets[secret] for _ in range(count)])
        board = self._plain_board(possible)
        return noisy_depths(board, possible, targets.astype(np.int32), rng, demand).astype(np.int64)

    def sampled_worth(
        self, possible: Indices, at_least: NDArray[np.float64], rng: np.random.Generator, demand: int = FREE
    ) -> float:
        """Return what a state is worth by playouts of a noisy oracle, where it is too large for anything else."""
        return float(at_least[np.minimum(self._noisy(possible, None, rng, demand), len(at_least)) - 1].mean())

    def valued_guesses(
        self,
        made: Indices,
        possible: Indices,
        at_least: NDArray[np.float64],
        *,
        quickly: bool = False,
        demand: int = FREE,
    ) -> list[Valued]:
        """Return guesses with what they are worth, the best first, if finding at guess j is worth `at_least[j - 1]`.

        None are returned where the state is too large to try any, and no shipped tree comes to it. Quickly, fewer are
        tried and less closely. Only guesses that the game allows are returned.
        """
        if len(possible) == 1:
            return [Valued(int(self.game.guess_of_secret[possible[0]]), float(at_least[0]))]
        worths = self._worths_of_trees(made, possible, at_least)
        if worths and len(possible) == len(self.game.secrets):
            return _ranked(worths)  # nothing is known yet that the trees were not planned for
        for guess, worth in self._worths_by_lookahead(possible, at_least, worths, quickly, demand).items():
            worths[guess] = max(worth, worths.get(guess, 0.0))
        return _ranked(worths)

    def _worths_of_trees(self, made: Indices, possible: Indices, at_least: NDArray[np.float64]) -> dict[int, float]:
        """Return what the next guesses of the shipped trees are worth that made these guesses, by guess.

        After the guess each answer may be followed by another of the trees that make it: the best for that part.
        """
        if self.pool is None:
            return {}
        following = self.pool.next_guesses(int(possible[0]), made)
        numbers = np.flatnonzero(following >= 0)
        numbers = numbers[np.argsort(-self.pool.shares[numbers], kind="stable")[:MOST_TREES]]
        if not len(numbers):
            return {}
        weights = self.shares[possible] / self.shares[possible].sum()
        later = np.minimum(self.pool.depths[numbers][:, possible].astype(np.int64) - len(made), len(at_least)) - 1
        worth = at_least[later] * weights
        result: dict[int, float] = {}
        for guess in np.unique(following[numbers]):
            answers = self.game.table[guess][possible]
            of_guess = worth[following[numbers] == guess]
            parts = [of_guess[:, answers == answer].sum(axis=1).max() for answer in np.unique(answers)]
            result[int(guess)] = float(sum(parts))
        return result

    def _worths_by_lookahead(
        self, possible: Indices, at_least: NDArray[np.float64], known: dict[int, float], quickly: bool, demand: int
    ) -> dict[int, float]:
        """Return what promising guesses are worth if the state is played out, by guess."""
        from oracular.kernels.planning.stakes import promising_guesses, worth_of_each

        tried = min(TRIED_QUICKLY if quickly else TRIED, TRIED_WORK // (len(possible) * len(self.game.guesses)))
        if tried < FEWEST_TRIED:
            return {}
        board, stakes = self._staked(possible, at_least)
        heaviest = possible[np.argsort(-self.shares[possible], kind="stable")[:HEAVIEST]]
        best_known = sorted(known, key=lambda guess: (-known[guess], guess))[: tried // 3]
        guesses = np.unique(
            np.concatenate(
                [
                    promising_guesses(board, stakes, possible, tried, demand),
                    self.game.guess_of_secret[heaviest],
                    np.array(best_known, dtype=np.int32),
                ]
            )
        )
        scale = float((board.packed[possible] >> board.game.shift).sum()) * UNIT
        worths = worth_of_each(board, stakes, possible, guesses, demand)
        for share, width, small in CLOSER[:1] if quickly or len(possible) > LARGE_STATE else CLOSER:
            best = np.argsort(-worths, kind="stable")[: max(2, tried // share)]
            closer = worth_of_each(board._replace(small=small, width=width), stakes, possible, guesses[best], demand)
            worths[best] = np.maximum(worths[best], closer)
        return {int(guess): float(worth) / scale for guess, worth in zip(guesses, worths, strict=True)}


def _ranked(worths: dict[int, float]) -> list[Valued]:
    """Return guesses with what they are worth, the best first."""
    return [Valued(guess, worths[guess]) for guess in sorted(worths, key=lambda guess: (-worths[guess], guess))]


def duel_model(opponent: Opponent) -> DuelModel:
    """Return the model of one half of a duel; it is kept with the opponent."""
    return kept_with(opponent, "duel_model", lambda: _model(opponent))


def _model(opponent: Opponent) -> DuelModel:
    game = solved_game(opponent.game)
    hider = opponent.hider if game is opponent.game else Hider(game, opponent.hider.weights)
    return DuelModel(game, hider, kept_with(opponent.guesser, "tree_pool", lambda: tree_pool(opponent.guesser)))


def guesses_made(model: DuelModel, turns: tuple[tuple[str, str], ...]) -> Indices:
    """Return the guesses of some turns by index in the game that was solved; -1 where it has no such guess."""
    numbers = []
    for word, _ in turns:
        try:
            numbers.append(model.game.guess_index(word))
        except HistoryError:
            numbers.append(-1)
    return np.array(numbers, dtype=np.int32)
