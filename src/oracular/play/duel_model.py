"""One model of both sides of a duel: how soon each finds, and which guess is worth most then.

Both sides see all guesses and answers, and what happens next depends on these alone. So a `Seeker`, one side as anybody
sees it, knows no secret, and neither do the guesses that follow from it. Its `pace` is how many more guesses it needs
for each secret that fits its answers, in a number of trees: shipped trees that would have made the same guesses so far
(a `TreePool`), and trees drawn at random, which make one of the best guesses by score at every state. How much each of
the two counts follows from how well it explains the guesses made.

For the side that makes the next guess, finding at its j-th guess from now wins if the other side needs j guesses or
more. So a guess number has a utility, the same for all secrets, and the score is what a part should be worth at the
guess number at which it is reached: play is safe when ahead and bold when behind. The paces of the sides depend on each
other. First both are drawn for the fewest guesses, then each against the first pace of the other. A chance to win
compares the two final paces, with one's own secret on one side and all that the other may hide on the other. So on
average over both secrets the chances of the two sides sum to one.

The computer's own guess is a best response to a `table` objective from the present state (`valued_guesses`), against
the other side's pace for all secrets that it may be looking for: the best of the shipped trees, put together part by
part, and lookahead.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.errors import HistoryError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.jotto import solved_game
from oracular.planner.planner import score_of_name, scored_game
from oracular.play.opponent import Opponent
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture, SymmetricMixture, random_symmetry
from oracular.strategies.tree import Tree
from oracular.system.memory import cached_on

if TYPE_CHECKING:
    from oracular.kernels.lookahead import Board
    from oracular.kernels.scoring import ScoredGame


MOST_ENTRIES = 16_000_000
"""Trees times secrets that a pool may have; where there are more, the trees of least weight are left out."""


@dataclass(frozen=True, eq=False)
class TreePool:
    """Trees of one game.

    Attributes:
        shares: how likely each tree is to be drawn, float64 [trees].
        depths: how many guesses each takes for each secret, uint8 [trees, secrets].
        rows: the guesses of all trees, one tree after the other, int32.
        ends: where the guesses below each of them end, counted from the tree's first, int32.
        starts: where each tree begins in `rows`, and where the last ends, int64 [trees + 1].
    """

    game: Game
    shares: NDArray[np.float64]
    depths: NDArray[np.uint8]
    rows: NDArray[np.int32]
    ends: NDArray[np.int32]
    starts: NDArray[np.int64]

    def next_guesses(self, secret: int, made: Indices) -> Indices:
        """Return what each tree guesses after these guesses if that is the secret; -1 where it made others [trees]."""
        from oracular.kernels.trees import next_guesses

        game = self.game
        return next_guesses(
            game.table, game.found, game.guess_of_secret, self.rows, self.ends, self.starts, secret, made
        )


def tree_pool(guesser: Mixture) -> TreePool | None:
    """Return the trees of a mixture as a pool; None where they are not played as they are written out."""
    from oracular.kernels.trees import measured

    if isinstance(guesser, SymmetricMixture):
        return None
    game = guesser.game
    most = max(1, MOST_ENTRIES // len(game.secrets))
    heaviest = sorted(range(len(guesser.weights)), key=lambda number: -int(guesser.weights[number]))[:most]
    kept = [(int(guesser.weights[number]), guesser.oracles[number]) for number in sorted(heaviest)]
    if len(kept) < 2 or not all(isinstance(oracle, Tree) for _, oracle in kept):
        return None
    depths, rows, ends = [], [], []
    for _, tree in kept:
        assert isinstance(tree, Tree)
        depth, end, whole = measured(game.table, game.found, tree.guesses)
        if not whole or depth.max() > 255:
            return None
        depths.append(depth.astype(np.uint8))
        rows.append(tree.guesses)
        ends.append(end)
    total = sum(weight for weight, _ in kept)
    return TreePool(
        game,
        np.array([weight / total for weight, _ in kept]),
        np.array(depths),
        np.concatenate(rows),
        np.concatenate(ends),
        np.cumsum([0, *map(len, rows)]),
    )


UNIT = 1 << 20
"""The whole number that stands for a chance of one."""

OTHERWISE = 0.05
"""The share of the weight that is spread evenly over all secrets: the other side need not hide as a strategy does."""

EVENLY = np.maximum(0.0, 1 - np.arange(13) / 12)
"""What finding is worth, guess by guess, to somebody who guesses for the fewest guesses."""

SLIPS = 0.02
"""The share of this in what finding is worth against another side: so that in a lost position, too, one guess is better
than another."""

LIKELY = 0.7
"""How likely somebody who follows no shipped tree is to make a guess that one makes. Before the second guess both are
equally likely."""

TREES, FEW_TREES, FEWEST_TREES = 64, 6, 2
TREE_WORK = 40_000_000
"""How many trees are drawn for a chance, for what a side guesses for, and at least. No more than 64 are drawn than this
number holds secrets times guesses, and proportionally fewer of the others."""

CERTAIN = 0.99
"""Nothing is drawn for somebody who is more likely than this to follow a shipped tree."""

PATHS = 800
"""How often one known secret is played out."""

WIDTH = 6
"""From how many guesses, the best by score, a noisy oracle chooses."""

INDIFFERENCE = 50
"""A noisy oracle makes a guess half as often as the best if it seems to lose one in this many of what is at stake."""

TRIED, FEWEST_TRIED = 40, 4
TRIED_WORK = 15_000_000
"""As many guesses are tried as this number holds secrets times guesses; if that is too few, no guess is."""

CLOSER = ((5, 6, 100), (13, 24, 300))
"""How the best guesses are played out again, more closely each time: one in so many of those tried, and the oracle then
compares so many guesses at states of at most so many secrets."""

LARGE_STATE = 300
"""At a state of more secrets the last of these is left out."""

MOST_TREES = 1000
"""How many of the trees that come to a state are compared there, the likeliest first."""

HEAVIEST = 4
"""How many of the likeliest secrets are tried besides."""


Turns: TypeAlias = tuple[tuple[str, str], ...]
"""Guesses with the labels of their answers."""


@dataclass(frozen=True)
class Valued:
    """A guess by index in the game that was solved, and what it is worth: a chance to win."""

    guess: int
    worth: float


@dataclass(frozen=True, eq=False)
class GuessesLeft:
    """How many more guesses a side needs, in some trees.

    Attributes:
        guesses: how many guesses each tree takes for each secret, int64 [trees, secrets].
        shares: how likely each tree is; they sum to 1 [trees].
        weights: how likely each secret is; they sum to 1 [secrets].
        drawn: how many of the trees were drawn at random, the last ones.
    """

    guesses: NDArray[np.int64]
    shares: NDArray[np.float64]
    weights: NDArray[np.float64]
    drawn: int

    @cached_property
    def at_least(self) -> NDArray[np.float64]:
        """The chance that at least j guesses are needed, for j = 1, 2, ...; the last is zero [guesses]."""
        counts = np.bincount(self.guesses.ravel(), weights=np.outer(self.shares, self.weights).ravel())
        return np.maximum(0.0, 1 - np.cumsum(counts)) * (np.arange(len(counts)) < len(counts) - 1)

    def worth(self, utilities: NDArray[np.float64]) -> tuple[float, float]:
        """Return what finding is worth on average if at guess j it is worth `utilities[j - 1]`.

        With it comes the variance of that average, since some of the trees are a random sample.
        """
        of_tree = utilities[np.minimum(self.guesses, len(utilities)) - 1] @ self.weights
        sample = of_tree[len(of_tree) - self.drawn :]
        variance = float(self.shares[-1]) ** 2 * self.drawn * float(sample.var()) if self.drawn else 0.0
        return float(self.shares @ of_tree), variance


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
        from oracular.kernels.lookahead import Board, likely_guesses, stakes_of_few_guesses

        shift, packed = self._packed(self.game.all_secrets)
        stakes = stakes_of_few_guesses(self._scored)
        board = Board(self._scored._replace(shift=shift), packed, stakes, small=2, width=1)
        opening = likely_guesses(board, self.game.all_secrets, 1)[:1]
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

    def staked(self, members: Indices, at_least: NDArray[np.float64], width: int = 1) -> Board:
        """Return the game as kernels read it, with what finding is worth by the number of guesses.

        What a part of c secrets should be worth: k guesses find N_k = 1 + b + ... + b^(k-1) secrets where b parts come
        of each guess, so they find one of c with the chance min(1, N_k / c).
        """
        from oracular.kernels.lookahead import Board, Stakes

        utilities = np.rint(at_least * UNIT).astype(np.int64)
        levels = len(utilities)
        sizes = np.maximum(1, np.arange(len(members) + 1))
        reach = np.minimum(1.0, np.cumsum(self._base ** np.arange(levels))[:, None] / sizes)
        found_at = np.diff(reach, axis=0, prepend=0.0)
        later = np.minimum(np.arange(levels)[:, None] + np.arange(levels) + 1, levels - 1)
        expected = utilities[later] @ found_at + utilities[-1] * (1 - reach[-1])
        shift, packed = self._packed(members)
        lost = utilities[0] - utilities
        stakes = Stakes(lost, 0, np.rint(utilities[0] - expected).astype(np.int64), lost)
        return Board(self._scored._replace(shift=shift), packed, stakes, small=2, width=width)

    def valued_guesses(
        self, made: Indices, possible: Indices, at_least: NDArray[np.float64], demand: int = FREE
    ) -> list[Valued]:
        """Return guesses with what they are worth, the best first, if finding at guess j is worth `at_least[j - 1]`.

        None are returned where the state is too large to try any, and no shipped tree comes to it. Only guesses that
        the game allows are returned.
        """
        if len(possible) == 1:
            return [Valued(int(self.game.guess_of_secret[possible[0]]), float(at_least[0]))]
        worths = self._worths_of_trees(made, possible, at_least)
        if worths and len(possible) == len(self.game.secrets):
            return _ranked(worths)  # nothing is known yet that the trees were not planned for
        for guess, worth in self._worths_by_lookahead(possible, at_least, worths, demand).items():
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
        self, possible: Indices, at_least: NDArray[np.float64], known: dict[int, float], demand: int
    ) -> dict[int, float]:
        """Return what promising guesses are worth if the state is played out, by guess."""
        from oracular.kernels.lookahead import likely_guesses, played_out

        tried = min(TRIED, TRIED_WORK // (len(possible) * len(self.game.guesses)))
        if tried < FEWEST_TRIED:
            return {}
        board = self.staked(possible, at_least)
        heaviest = possible[np.argsort(-self.shares[possible], kind="stable")[:HEAVIEST]]
        best_known = sorted(known, key=lambda guess: (-known[guess], guess))[: tried // 3]
        guesses = np.unique(
            np.concatenate(
                [
                    likely_guesses(board, possible, tried, demand, with_possible=False),
                    self.game.guess_of_secret[heaviest],
                    np.array(best_known, dtype=np.int32),
                ]
            )
        )
        weights, spent = (board.packed[possible] >> board.game.shift).astype(np.int64), board.stakes.spent
        scale, most = float(weights.sum()) * UNIT, int(np.rint(at_least[0] * UNIT))

        def worths_on(board: Board, guesses: Indices) -> NDArray[np.int64]:
            depths = played_out(board, possible, guesses, demand)
            return np.asarray((most - spent[np.minimum(depths, len(spent)) - 1]) @ weights)

        worths = worths_on(board, guesses)
        for share, width, small in CLOSER[:1] if len(possible) > LARGE_STATE else CLOSER:
            best = np.argsort(-worths, kind="stable")[: max(2, tried // share)]
            closer = worths_on(board._replace(small=small, width=width), guesses[best])
            worths[best] = np.maximum(worths[best], closer)
        return {int(guess): float(worth) / scale for guess, worth in zip(guesses, worths, strict=True)}


@dataclass(frozen=True, eq=False)
class Seeker:
    """One side of a duel as it guesses: all of it is known to both sides.

    Attributes:
        seeking: the game it guesses in, and how the secret may have been chosen.
        turns: its guesses and their answers.
        others: the other side's guesses and their answers.
        salt: another one makes other random draws.
    """

    seeking: Opponent
    turns: Turns
    others: Turns
    salt: str = ""

    @property
    def model(self) -> DuelModel:
        """The game as it was solved."""
        return duel_model(self.seeking)

    @cached_property
    def possible(self) -> Indices:
        """The secrets that it may be looking for."""
        return self.seeking.game.possible_after(self.turns, only_allowed=False)

    @cached_property
    def demand(self) -> int:
        """The constraint of hard mode on its next guess."""
        return self.seeking.game.demand_after(self.seeking.game.parse_history(self.turns))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How likely each of the possible secrets is; they sum to 1 [possible]."""
        shares = self.model.shares[self.possible]
        return shares / shares.sum()

    @cached_property
    def made(self) -> Indices:
        """Its guesses by index in the game that was solved; -1 for a word that is no guess there."""
        return guesses_made(self.model, self.turns)

    @cached_property
    def _following(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The shipped trees that would have made its guesses, and how likely it is to follow each of them."""
        pool = self.model.pool
        if pool is None or -1 in self.made:
            return np.empty(0, np.intp), np.empty(0)
        secret = int(self.possible[0])
        trees = np.flatnonzero(pool.next_guesses(secret, self.made) >= 0)
        trees = trees[np.argsort(-pool.shares[trees], kind="stable")[:MOST_TREES]]
        shares = pool.shares[trees]
        if len(self.made):
            begun = pool.next_guesses(secret, self.made[:1]) >= 0
            otherwise = float(pool.shares[begun].sum()) * LIKELY ** (len(self.made) - 1)
        else:
            otherwise = 0.0
        return trees, shares / (shares.sum() + otherwise)

    def pace(self, utilities: NDArray[np.float64], *, secret: int | None = None, trees: int = TREES) -> GuessesLeft:
        """Return how many more guesses it needs if finding at its j-th guess from now is worth `utilities[j - 1]`.

        Args:
            utilities: what it guesses for [guesses].
            secret: a secret that is known, by index; otherwise every secret that is possible is found.
            trees: how many trees are drawn at most.
        """
        game, alike = self.model.game, self.possible
        if secret is not None:
            alike = np.array([secret], dtype=np.int32)
            if game.symmetries and len(self.possible) == len(game.secrets):  # nobody knows what is guessed first
                rng = np.random.default_rng(PATHS)
                every = self.pace(utilities, trees=trees)
                images = [random_symmetry(game, rng).secrets[secret] for _ in range(PATHS)]
                guesses = every.guesses[np.arange(PATHS) % len(every.guesses), images]
                return GuessesLeft(guesses[:, None], np.full(PATHS, 1 / PATHS), np.ones(1), PATHS)
        following, shares = self._following
        rows, otherwise, count = [], 1 - shares.sum(), 0
        if len(following):
            assert self.model.pool is not None
            rows.append(self.model.pool.depths[following][:, alike].astype(np.int64) - len(self.made))
        if not len(following) or otherwise > 1 - CERTAIN:
            room = TREE_WORK // (len(self.possible) * len(game.guesses))
            count = PATHS if secret is not None else max(FEWEST_TREES, min(trees, room * trees // TREES))
            rows.append(self._drawn(utilities, count, secret))
            shares = np.append(shares, np.full(count, otherwise / count))
        weights = self.weights if secret is None else np.ones(1)
        return GuessesLeft(np.concatenate(rows), shares / shares.sum(), weights, count)

    def _drawn(self, utilities: NDArray[np.float64], trees: int, secret: int | None) -> NDArray[np.int64]:
        """Return how many guesses trees of a noisy oracle take [trees, possible], or for one secret only [trees, 1]."""
        from oracular.kernels.lookahead import noisy_depths

        text = repr((self.model.game.name, self.turns, self.others, self.salt))
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little"))
        board = self.model.staked(self.possible, utilities, WIDTH)
        seeds = rng.integers(1, 2**63, size=trees, dtype=np.uint64)
        target = -1 if secret is None else secret
        depths = noisy_depths(board, self.possible, seeds, INDIFFERENCE, target=target, demand=self.demand)
        return (depths if secret is None else depths[:, self.possible == secret]).astype(np.int64)


def worth_of_finding(pace: GuessesLeft, *, is_next: bool, slips: float = SLIPS) -> NDArray[np.float64]:
    """Return the chance to win by finding at the next guess, the one after it, and so on, at the other side's pace.

    At a side's own turn, finding at guess j wins if the other side needs j guesses or more. Otherwise the other side
    comes first, so that it must need more than j. The last is zero.
    """
    levels = max(len(pace.at_least), len(EVENLY)) + 2
    result = slips * np.resize(np.append(EVENLY, np.zeros(levels)), levels)
    result[: len(pace.at_least)] += (1 - slips) * pace.at_least
    return result if is_next else result[1:]


@dataclass(frozen=True, eq=False)
class Duel:
    """Where a duel stands, as both sides see it.

    Attributes:
        seeker: the side whose chances are worked out.
        other: the other side.
        is_next: whether the seeker makes the next guess.
    """

    seeker: Seeker
    other: Seeker
    is_next: bool

    @cached_property
    def utilities(self) -> NDArray[np.float64]:
        """What the seeker guesses for: its chance to win by finding at its next guess, the one after it, ... ."""
        return self._against(self.other, self.is_next)

    @cached_property
    def others_utilities(self) -> NDArray[np.float64]:
        """What the other side guesses for."""
        return self._against(self.seeker, not self.is_next)

    def _against(self, other: Seeker, is_next: bool) -> NDArray[np.float64]:
        """Return what one side guesses for against another that guesses for the fewest guesses."""
        return worth_of_finding(other.pace(EVENLY, trees=FEW_TREES), is_next=is_next)

    def valued_guesses(self) -> list[Valued]:
        """Return the seeker's guesses with its chance to win after them, the best first."""
        seeker, others = self.seeker, self.other.pace(self.others_utilities, trees=FEW_TREES)
        worth = worth_of_finding(others, is_next=self.is_next)
        return seeker.model.valued_guesses(seeker.made, seeker.possible, worth, seeker.demand)

    def chance(self, secret: int) -> tuple[float, float]:
        """Return the chance of the seeker, whose own secret this is, and the standard error of that estimate."""
        mine = self.seeker.pace(self.utilities)
        others = self.other.pace(self.others_utilities, secret=secret)
        chance, variance = mine.worth(worth_of_finding(others, is_next=self.is_next, slips=0))
        _, others_variance = others.worth(worth_of_finding(mine, is_next=not self.is_next, slips=0))
        return chance, math.sqrt(variance + others_variance)


def _ranked(worths: dict[int, float]) -> list[Valued]:
    """Return guesses with what they are worth, the best first."""
    return [Valued(guess, worths[guess]) for guess in sorted(worths, key=lambda guess: (-worths[guess], guess))]


def duel_model(opponent: Opponent) -> DuelModel:
    """Return the model of one half of a duel; it is kept with the opponent."""
    return cached_on(opponent, "duel_model", lambda: _model(opponent))


def _model(opponent: Opponent) -> DuelModel:
    game = solved_game(opponent.game)
    hider = opponent.hider if game is opponent.game else Hider(game, opponent.hider.weights)
    return DuelModel(game, hider, cached_on(opponent.guesser, "tree_pool", lambda: tree_pool(opponent.guesser)))


def guesses_made(model: DuelModel, turns: tuple[tuple[str, str], ...]) -> Indices:
    """Return the guesses of some turns by index in the game that was solved; -1 where it has no such guess."""
    numbers = []
    for word, _ in turns:
        try:
            numbers.append(model.game.guess_index(word))
        except HistoryError:
            numbers.append(-1)
    return np.array(numbers, dtype=np.int32)
