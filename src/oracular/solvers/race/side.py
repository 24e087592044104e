"""One side of the blind race while it is being solved: its regrets for own secrets, and the trees it has played.

The own secrets are divided into groups, and at every step each group has one tree. Step t, counted from 1, counts t
times. The side's strategy is the average over the steps: the weights of the secrets, and for each group its trees, as
often as the group's secrets were drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.solvers.race.values import RaceOpponent, held_by
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, RaceMix, shared_out
from oracular.strategies.tree import Tree
from oracular.system.arrays import check_array, damaged_arrays
from oracular.system.deadline import Deadline


@dataclass
class RaceSide:
    """What one player has done so far.

    Attributes:
        group_of: the group of each own secret [secrets].
        most_trees: how many trees are kept at most.
        regrets: what always hiding a secret would have gained, never below 0, in `SECRET_UNIT`s of a chance [secrets].
        secret_totals: the weights of the own secrets, times the step, added up [secrets].
        trees: the different trees that were played.
        tree_groups: the group that played each of them [trees].
        credits: the steps at which it did, times the weight of the group's secrets then, added up [trees].
        arrivals: the credits of trees that find each secret at guess 1, 2, … [groups, secrets, guesses]. They follow
            from the trees.
    """

    game: Game
    group_of: NDArray[np.int64]
    most_trees: int
    regrets: NDArray[np.int64] = field(init=False)
    secret_totals: NDArray[np.int64] = field(init=False)
    trees: list[Tree] = field(default_factory=list, init=False)
    tree_groups: list[int] = field(default_factory=list, init=False)
    credits: list[int] = field(default_factory=list, init=False)
    arrivals: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        secrets = len(self.game.secrets)
        self.groups = int(self.group_of.max()) + 1
        self.regrets = np.full(secrets, SECRET_UNIT, dtype=np.int64)
        self.secret_totals = np.zeros(secrets, dtype=np.int64)
        self.arrivals = np.zeros((self.groups, secrets, 1), dtype=np.int64)
        self._places: dict[tuple[int, bytes], int] = {}

    def weights(self) -> NDArray[np.int64]:
        """Return how likely each own secret is at the next step: in proportion to regrets [secrets]."""
        regrets = self.regrets if self.regrets.any() else np.ones_like(self.regrets)
        return shared_out(regrets, SECRET_UNIT)

    def secrets_of(self, group: int) -> NDArray[np.int64]:
        """Return the own secrets of a group."""
        return np.flatnonzero(self.group_of == group)

    def play(self, weights: NDArray[np.int64], trees: Sequence[Tree], step: int) -> None:
        """Take note of what was played at a step: weights of the secrets, and a tree for each group."""
        self.secret_totals += step * weights
        for group, tree in enumerate(trees):
            credit = step * max(1, int(weights[self.secrets_of(group)].sum()))
            place = self._places.setdefault((group, tree.guesses.tobytes()), len(self.trees))
            if place == len(self.trees):
                self.trees.append(tree)
                self.tree_groups.append(group)
                self.credits.append(0)
            self.credits[place] += credit
            self._arrive(group, tree, credit)
        if len(self.trees) > self.most_trees:
            self._let_go()

    def _arrive(self, group: int, tree: Tree, credit: int) -> None:
        """Add a tree's credit where it finds each secret."""
        depths = tree.depths()
        missing = int(depths.max()) + 1 - self.arrivals.shape[2]
        if missing > 0:
            self.arrivals = np.pad(self.arrivals, ((0, 0), (0, 0), (0, missing)))
        self.arrivals[group, np.arange(len(depths)), depths - 1] += credit

    def _let_go(self) -> None:
        """Keep the two thirds of the trees that have most credit, and the best one of every group."""
        order = np.argsort(-np.array(self.credits), kind="stable").tolist()
        best = {self.tree_groups[place]: place for place in reversed(order)}
        kept = sorted({*order[: 2 * self.most_trees // 3], *best.values()})
        self.take_trees(
            [self.trees[i] for i in kept], [self.tree_groups[i] for i in kept], [self.credits[i] for i in kept]
        )

    def take_trees(self, trees: list[Tree], groups: list[int], credits: list[int]) -> None:
        """Have these trees, and no others."""
        self.trees, self.tree_groups, self.credits = trees, groups, credits
        self._places = {
            (group, tree.guesses.tobytes()): i for i, (group, tree) in enumerate(zip(groups, trees, strict=True))
        }
        self.arrivals = np.zeros((self.groups, len(self.game.secrets), 1), dtype=np.int64)
        for tree, group, credit in zip(trees, groups, credits, strict=True):
            self._arrive(group, tree, credit)

    def average_arrivals(self) -> NDArray[np.int64]:
        """Return the weight of trees that find each secret at each guess, on average over the steps.

        They sum to `TREE_UNIT` for every group and secret: what rounding leaves goes to the likeliest guess
        [groups, secrets, guesses].
        """
        totals = self.arrivals.sum(axis=2, keepdims=True)
        shares = np.floor(self.arrivals / totals * TREE_UNIT).astype(np.int64)
        likeliest = self.arrivals.argmax(axis=2)[..., None]
        missing = TREE_UNIT - shares.sum(axis=2, keepdims=True)
        np.put_along_axis(shares, likeliest, np.take_along_axis(shares, likeliest, axis=2) + missing, axis=2)
        return shares

    def as_opponent(
        self, weights: NDArray[np.int64], arrivals: NDArray[np.int64], *, moves_first: bool
    ) -> RaceOpponent:
        """Return what the other side has to know: weights of the secrets, and how trees arrive."""
        return RaceOpponent(weights, self.group_of, held_by(arrivals, moves_first=moves_first))

    def average_weights(self) -> NDArray[np.int64]:
        """Return how likely each own secret is on average over the steps [secrets]."""
        return shared_out(self.secret_totals, SECRET_UNIT)

    PARTS: ClassVar[tuple[str, ...]] = ("regrets", "secret_totals", "groups", "credits", "guesses", "ends")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all of it as arrays by name, to be given to `restore`."""
        return {
            "regrets": self.regrets,
            "secret_totals": self.secret_totals,
            "groups": np.array(self.tree_groups, dtype=np.int64),
            "credits": np.array(self.credits, dtype=np.int64),
            **written_trees(self.trees),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]], steps: int, deadline: Deadline) -> None:
        """Take up what `arrays` returned after so many steps; what no run can have come to is an error."""
        secrets, all_steps = len(self.game.secrets), steps * (steps + 1) // 2
        for name, most in (("regrets", (steps + 1) * SECRET_UNIT), ("secret_totals", all_steps * SECRET_UNIT)):
            check_array(arrays, name, np.int64, (secrets,))
            if arrays[name].min() < 0 or arrays[name].max() > most:
                raise damaged_arrays(f"{name} are out of range")
        if sum(arrays["secret_totals"].tolist()) != all_steps * SECRET_UNIT:
            raise damaged_arrays(f"secret_totals do not add up to {steps:,} steps")
        trees = read_trees(self.game, arrays, self.most_trees + self.groups, deadline)
        for name in ("groups", "credits"):
            check_array(arrays, name, np.int64, (len(trees),))
        groups, credits = arrays["groups"].tolist(), arrays["credits"].tolist()
        if set(groups) != set(range(self.groups)):
            raise damaged_arrays("the trees are not of all groups, or of others")
        if (
            min(credits) < 1
            or max(credits) > all_steps * SECRET_UNIT
            or sum(credits) > all_steps * (SECRET_UNIT + self.groups)
        ):
            raise damaged_arrays("credits are out of range")
        if self.groups == 1 and steps <= self.most_trees and sum(credits) != all_steps * SECRET_UNIT:
            raise damaged_arrays(f"credits do not add up to {steps:,} steps")  # no tree can have been let go
        self.regrets, self.secret_totals = arrays["regrets"].copy(), arrays["secret_totals"].copy()
        self.take_trees(trees, groups, credits)
        if len(self._places) != len(trees):
            raise damaged_arrays("a tree is kept twice")

    def mix(self, most_trees: int | None = None) -> RaceMix:
        """Return the average over the steps as a strategy, of the trees with most credit where they are many."""
        order = np.argsort(-np.array(self.credits), kind="stable").tolist()
        best = {self.tree_groups[place]: place for place in reversed(order)}
        kept = sorted({*order[:most_trees], *best.values()})
        trees, groups, credits = (
            [many[place] for place in kept] for many in (self.trees, self.tree_groups, self.credits)
        )
        return grouped_mix(self.game, self.average_weights(), self.group_of, trees, groups, credits)


def grouped_mix(
    game: Game,
    secret_weights: NDArray[np.int64],
    group_of: NDArray[np.int64],
    trees: Sequence[Tree],
    tree_groups: Sequence[int],
    credits: Sequence[int],
) -> RaceMix:
    """Return the mix in which each group plays its trees in proportion to their credits; equal trees become one."""
    places: dict[bytes, int] = {}
    for tree in trees:
        places.setdefault(tree.guesses.tobytes(), len(places))
    totals = np.zeros((int(group_of.max()) + 1, len(places)), dtype=np.int64)
    kept: list[Tree] = []
    for tree, group, credit in zip(trees, tree_groups, credits, strict=True):
        place = places[tree.guesses.tobytes()]
        if place == len(kept):
            kept.append(tree)
        totals[group, place] += credit
    weights = np.array([shared_out(row, TREE_UNIT) for row in totals])
    used = np.flatnonzero(weights.any(axis=0))
    return RaceMix(game, secret_weights, [kept[i] for i in used], group_of, np.ascontiguousarray(weights[:, used]))


def parts_of(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    """Return the two arrays of `written_trees` that were kept under a name, as far as they are there."""
    return {part: arrays[f"{name}_{part}"] for part in ("guesses", "ends") if f"{name}_{part}" in arrays}


def written_trees(trees: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    """Return trees as arrays: the guesses of all of them one after another, and where each ends."""
    return {
        "guesses": np.concatenate([np.empty(0, np.int32), *(tree.guesses for tree in trees)]),
        "ends": np.cumsum([len(tree.guesses) for tree in trees], dtype=np.int64),
    }


def read_trees(game: Game, arrays: Mapping[str, NDArray[Any]], most: int, deadline: Deadline) -> list[Tree]:
    """Return the trees that `written_trees` wrote, one or more, each played through; else they are damaged."""
    count = len(arrays["ends"]) if "ends" in arrays and arrays["ends"].ndim == 1 else 0
    check_array(arrays, "ends", np.int64, (count,))
    ends = arrays["ends"]
    if not 1 <= count <= most or ends[0] < 0 or (np.diff(ends) < 0).any():
        raise damaged_arrays("the trees do not end one after the other")
    check_array(arrays, "guesses", np.int32, (int(ends[-1]),))
    trees = []
    for number, row in enumerate(np.split(arrays["guesses"], ends[:-1])):
        deadline.check()
        try:
            tree = Tree(game, row)
            tree.depths()
        except SettingsError as error:
            raise damaged_arrays(f"tree {number} is none, {error}") from None
        trees.append(tree)
    return trees
