"""What own pairs of a secret and a tree are worth in the blind race against a mix of the other side.

Say my own secret is s0 and I find the other's secret s at guess c. I have not lost by then where the other's tree T
needs d = D[T, s0] guesses for mine with c <= d if I move first, or c < d if I move second. So all that matters of a mix
are the weights of its secrets, and for each of its groups, own secret s0 and guess c the weight of its trees that are
not faster: `held[group, s0, c - 1]`. Everything is counted in whole numbers: of the chance to win, 1 is `WHOLE`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.costs import LARGEST_TOTAL, Costs
from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.planner.planner import Planner, suited_settings
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, RaceMix
from oracular.strategies.tree import Tree, tree_by
from oracular.system.control import NEVER, Deadline

WHOLE = SECRET_UNIT * TREE_UNIT
"""A chance of 1."""


@dataclass(frozen=True, eq=False)
class RaceOpponent:
    """What a player of the race needs to know of the other side's mix.

    Attributes:
        secret_weights: how likely each of the other's secrets is; they sum to `SECRET_UNIT` [secrets].
        group_of: the group that each of them belongs to [secrets].
        held: the weight of the other's trees in a group that find my secret too late if I find theirs at guess c; the
            last column, for all later guesses, is 0 [groups, my secrets, guesses].
    """

    secret_weights: NDArray[np.int64]
    group_of: NDArray[np.int64]
    held: NDArray[np.int64]

    @classmethod
    def of(cls, mix: RaceMix, *, moves_first: bool) -> RaceOpponent:
        """Return a mix as the other player sees it; `moves_first` says whether the mix is that of player 1."""
        arrivals = arrivals_of(mix.depths, mix.tree_weights)
        return cls(mix.secret_weights, mix.group_of, held_by(arrivals, moves_first=moves_first))

    def by_group(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the secrets of each group, and what its trees leave [my secrets, guesses]."""
        return [(np.flatnonzero(self.group_of == group), held) for group, held in enumerate(self.held)]

    def values(self, depths: NDArray[Any]) -> NDArray[np.int64]:
        """Return my chance to win with each own secret and each tree of these depths [my secrets, trees]."""
        trees, columns = len(depths), self.held.shape[2]
        totals = np.zeros((self.held.shape[1], trees), dtype=np.int64)
        guesses = np.minimum(depths, columns).astype(np.int64) - 1
        steps = guesses + columns * np.arange(trees)[:, None]
        for secrets, held in self.by_group():
            if len(secrets) == 1:
                if self.secret_weights[secrets[0]]:
                    totals += self.secret_weights[secrets[0]] * held[:, guesses[:, secrets[0]]]
                continue
            found = np.zeros(trees * columns, dtype=np.int64)  # the weight of secrets that a tree finds at each guess
            for secret in secrets[self.secret_weights[secrets] > 0]:
                found[steps[:, secret]] += self.secret_weights[secret]
            totals += held @ found.reshape(trees, columns).T
        return totals

    def costs(self, own_weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what I lose by finding each secret at each guess, my own secret being drawn by weights.

        This is the table objective that my best tree minimises. A secret that the other never hides counts as the
        least likely one, so that a planner has a reason to look for it as well [secrets, guesses].
        """
        lost = int(own_weights.sum()) * TREE_UNIT - self.held_for(own_weights)
        return np.maximum(self.secret_weights, 1)[:, None] * lost

    def held_for(self, own_weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the weight of the other's trees that are too late for each of its secrets [secrets, guesses]."""
        return np.asarray(np.tensordot(self.held, own_weights, axes=(1, 0))[self.group_of])

    def chance_of(self, mix: RaceMix) -> Fraction:
        """Return my chance to win with a mix of my own, exact."""
        arrivals = arrivals_of(mix.depths, mix.tree_weights, self.held.shape[2])
        return self.chance_with(mix.secret_weights, mix.group_of, arrivals)

    def chance_with(
        self, weights: NDArray[np.int64], group_of: NDArray[np.int64], arrivals: NDArray[np.int64]
    ) -> Fraction:
        """Return my chance to win, exact, with own secrets by weights and trees that arrive like this."""
        columns = self.held.shape[2]
        total = 0
        for group, found in enumerate(arrivals):  # my trees of this group find the other's secrets
            mine = np.where(group_of == group, weights, 0)
            for secrets, held in self.by_group():
                finds = self.secret_weights[secrets] @ found[secrets]  # what is found after the last column is lost
                left = mine @ held
                total += sum(int(a) * int(b) for a, b in zip(finds[:columns], left, strict=False))
        return Fraction(total, WHOLE * WHOLE)


def arrivals_of(depths: NDArray[Any], tree_weights: NDArray[np.int64], columns: int | None = None) -> NDArray[np.int64]:
    """Return the weight of trees that find each secret at guess 1, 2, …, by group [groups, secrets, guesses].

    The last column counts all later guesses as well; by default nothing is found so late.
    """
    columns = int(depths.max()) + 1 if columns is None else columns
    secrets = np.arange(depths.shape[1])
    arrivals = np.zeros((len(tree_weights), len(secrets), columns), dtype=np.int64)
    for tree, row in enumerate(np.minimum(depths, columns) - 1):
        for group in np.flatnonzero(tree_weights[:, tree]):
            arrivals[group, secrets, row] += tree_weights[group, tree]
    return arrivals


def held_by(arrivals: NDArray[np.int64], *, moves_first: bool) -> NDArray[np.int64]:
    """Return the weight of trees that are too late for a player who finds at guess c, by arrivals of the same shape.

    Where the trees' player moves first, they are too late only at a guess after c; else at c as well.
    """
    from_here = np.cumsum(arrivals[..., ::-1], axis=-1)[..., ::-1]
    later = np.concatenate([from_here[..., 1:], np.zeros_like(from_here[..., :1])], axis=-1)
    return np.ascontiguousarray(later if moves_first else from_here)


TINY = 6
"""With at most so many secrets all trees are listed."""

MOST_LISTS, MOST_PARTS = 5_000, 300_000
"""Where a state has trees of more different depths than the first, or more trees are put together from parts than the
second says, they are not listed."""


class Pool:
    """Different trees in the order in which they came, their depths [trees, secrets], and the best of them."""

    def __init__(self, trees: Sequence[Tree] = ()) -> None:
        self.trees = different_trees(trees)
        self.depths: NDArray[np.int32] = np.array([tree.depths() for tree in self.trees], dtype=np.int32)
        self._known = {row.tobytes() for row in self.depths}

    def copy(self) -> Pool:
        """Return a pool of the same trees, which can be added to by itself."""
        other = Pool()
        other.trees, other.depths, other._known = list(self.trees), self.depths, set(self._known)
        return other

    def add(self, tree: Tree) -> None:
        """Add a tree, unless one of the same depths is there."""
        depths = tree.depths()
        if depths.tobytes() not in self._known:
            self._known.add(depths.tobytes())
            self.trees.append(tree)
            self.depths = np.concatenate([self.depths.reshape(-1, len(depths)), depths[None, :]])

    def within(self, most: int) -> Pool:
        """Return the pool, or if it has more trees than that, one of the latest half of them."""
        return self if len(self.trees) <= most else Pool(self.trees[-(most // 2) :])

    def best(self, costs: NDArray[np.int64]) -> Tree:
        """Return the cheapest tree, the first of equal ones, for costs [secrets, guesses]."""
        columns = np.minimum(self.depths, costs.shape[1]) - 1
        return self.trees[int(costs[np.arange(len(costs)), columns].sum(axis=1).argmin())]


def all_trees(game: Game) -> Pool:
    """Return the trees of a tiny game that no other one dominates; if there are too many, that is a `SettingsError`."""
    return Pool([tree_with(game, guesses) for _, guesses in sorted(listed_depths(game).items())])


@dataclass(frozen=True, eq=False)
class Responder:
    """Answers tables of costs with trees: from the list of all, or by a planner."""

    planner: Planner
    every: Pool | None

    @classmethod
    def fresh(cls, game: Game) -> Responder:
        """Return one whose planner has looked at nothing yet, with the settings that suit the game."""
        return cls.with_planner(Planner(game, **suited_settings(game)))

    @classmethod
    def with_planner(cls, planner: Planner) -> Responder:
        """Return one with this planner; where all trees can be listed, they are."""
        every = None
        if len(planner.game.secrets) <= TINY:
            with suppress(SettingsError):
                every = all_trees(planner.game)
        return cls(planner, every)

    def respond(self, costs: NDArray[np.int64], explorations: int = 0, deadline: Deadline = NEVER) -> Tree:
        """Return a tree that keeps the costs small [secrets, guesses]."""
        if self.every is not None:
            deadline.check()
            return self.every.best(costs)
        rises = costs - costs[:, :1]
        spare = LARGEST_TOTAL.bit_length() - 1 - sum(rises[:, -1].tolist()).bit_length()
        rises >>= max(0, -spare)  # the planner ignores these digits anyway
        asked = Costs.of_table(rises, np.ones(len(rises), np.int64))
        return self.planner.respond(asked, explorations=explorations, deadline=deadline)


Depths = tuple[int, ...]
Choices = dict[tuple[bytes, int], int]
"""The guess at each state of a tree, by the bytes of its secrets and its demand."""


def listed_depths(game: Game) -> dict[Depths, Choices]:
    """Return the depths that trees of a tiny game can have, undominated, each with the guesses of one such tree.

    Where there are too many to list them, that is a `SettingsError`.
    """
    known: dict[tuple[bytes, int], dict[Depths, Choices]] = {}
    together = 0

    def at(state: Indices, demand: int) -> dict[Depths, Choices]:
        key = state.tobytes(), demand
        if key not in known:
            found: dict[Depths, Choices] = {}
            seen: set[tuple[Depths, Depths]] = set()
            allowed = game.allowed(state, demand)
            for guess, row in zip(allowed.tolist(), game.table[np.ix_(allowed, state)].tolist(), strict=True):
                # two guesses that tell the same secrets apart, and ask the same of later guesses, are one: each answer
                # by the first place that has it
                split = tuple(-1 if answer == game.found else row.index(answer) for answer in row)
                asked = tuple(game.guessing.demand_after(demand, guess, answer) for answer in row)
                if (split, asked) not in seen and (len(set(row)) > 1 or row[0] == game.found):
                    seen.add((split, asked))
                    for depths, below in after(state, np.array(row), asked):
                        found.setdefault(depths, {**below, key: guess})
                    check(len(found) <= MOST_LISTS)
            known[key] = {depths: found[depths] for depths in undominated(found)}
        return known[key]

    def after(state: Indices, answers: NDArray[np.int64], asked: Depths) -> list[tuple[Depths, Choices]]:
        parts = [np.flatnonzero(answers == answer) for answer in np.unique(answers) if answer != game.found]
        nonlocal together
        below_parts = [at(state[part], asked[part[0]]) for part in parts]
        together += math.prod(map(len, below_parts))
        check(together <= MOST_PARTS)
        found = []
        for chosen in product(*(trees.items() for trees in below_parts)):
            row, guesses = np.ones(len(state), dtype=np.int64), Choices()
            for part, (below, theirs) in zip(parts, chosen, strict=True):
                row[part] += below
                guesses |= theirs
            found.append((tuple(row.tolist()), guesses))
        return found

    def check(few: bool) -> None:
        if not few:
            raise SettingsError(f"{game.name} has too many different trees to list them: solve its race in steps")

    return at(game.all_secrets, FREE)


def undominated(rows: dict[Depths, Choices]) -> list[Depths]:
    """Return the depths that no others are nowhere above, in order."""
    array = np.array(sorted(rows))
    better = [((array <= row).all(axis=1) & (array < row).any(axis=1)).any() for row in array]
    return [tuple(row.tolist()) for row, worse in zip(array, better, strict=True) if not worse]


def different_trees(trees: Sequence[Tree]) -> list[Tree]:
    """Return trees of different depths, the first of equal ones."""
    return list({tree.depths().tobytes(): tree for tree in reversed(trees)}.values())[::-1]


def tree_with(game: Game, guesses: Choices) -> Tree:
    """Return the tree with these guesses."""
    return tree_by(game, lambda state, demand: guesses[np.ascontiguousarray(state).tobytes(), demand])
