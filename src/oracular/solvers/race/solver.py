"""The blind race solved by regret matching+ over own secrets, and planned trees.

Each player hides and guesses. For hiding there are as many choices as secrets, so regrets can be kept for all of them:
regret matching+ [Tammelin 2014], as for the hider of the one-sided game. For guessing there are far too many trees.
So at every step each player's tree is planned against the other's present secrets: finding secret s at guess c costs
the chance that the other, whose trees are taken as they were on average so far, is faster. That is a `table` objective
(`RaceOpponent.costs`). A player's strategy is the average over the steps, step t counted t times.

Where there are few secrets, each has its own tree at a step, the best of those planned so far for the case that it is
the own secret; trees are planned for some of the secrets in turn. Where there are many, all share one tree that is
planned anew: what the own secret tells of the best tree is then little, and planning takes long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.evaluation import RaceStanding, exact_dot
from oracular.games.game import Game
from oracular.planner.planner import Planner
from oracular.settings import PLANNER, RACE, RaceSettings, check_all
from oracular.solvers.guessing_problems import GuessingProblem
from oracular.solvers.race.values import WHOLE, Pool, RaceOpponent, Responder, different_trees, held_by
from oracular.solvers.solver import Arrays, Outcome, Record, Solver
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, RaceMix, product_mix, shared_out
from oracular.strategies.tree import Tree
from oracular.system.checking import check_array, damaged_arrays
from oracular.system.control import NEVER, Deadline, DeadlinePassed
from oracular.system.files import read_as

FEW_SECRETS = 64
"""With at most so many secrets each has a tree of its own."""

RECENT_TREES = 32
"""The figures of a step are measured with so many of the latest trees of both sides, or all of the latest step."""

FIRST_TABLE = 12
"""How many guesses the table of the very first trees tells apart: they keep the mean small."""


class RaceProblem(GuessingProblem):
    """The blind race of a guessing game, in which both sides guess with planned trees."""

    def __init__(self, planner: Planner) -> None:
        super().__init__(planner.game)
        self.planner = planner

    @cached_property
    def responder(self) -> Responder:
        """What answers tables of costs with trees."""
        return Responder.with_planner(self.planner)

    @property
    def settings(self) -> dict[str, Any]:
        """The planner's settings."""
        return {setting.name: getattr(self.planner, setting.name) for setting in PLANNER}

    def warm_up(self) -> None:
        """Load or compile the kernels, also those that weigh trees at the end, on games of a few secrets."""
        for names, groups in (("ab", 2), ("abcdefgh", 1)):  # pairs and trees are weighed by matrices of another layout
            few = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
            solver = RaceSolver(RaceProblem(Planner(few, room=1 << 10)), groups=groups)
            for _ in range(3):
                solver.step()
            solver.conclude()
        solver.problem.planner.tidy(1)
        solver.problem.planner.restore(solver.problem.planner.as_arrays())

    def is_usual_for(self, solver: str) -> bool:
        """Tell whether the solver is that of the race."""
        return solver == RaceSolver.name


class _RaceCheckpoint(TypedDict):
    """What a checkpoint says beside the arrays."""

    cut_off: NotRequired[bool]


class RaceSolver(Solver):
    """Regret matching+ for both players of the blind race."""

    name: ClassVar[str] = "race"
    problem: RaceProblem

    def __init__(
        self,
        problem: RaceProblem,
        groups: int = RaceSettings.groups,
        explore_every: int = RaceSettings.explore_every,
        most_trees: int = RaceSettings.most_trees,
        most_weighed: int = RaceSettings.most_weighed,
        plans_a_step: int = RaceSettings.plans_a_step,
    ) -> None:
        self.problem, self.game = problem, problem.game
        self.groups, self.explore_every = groups, explore_every
        self.most_trees, self.most_weighed, self.plans_a_step = most_trees, most_weighed, plans_a_step
        secrets = len(self.game.secrets)
        check_all(RACE, self, secrets)
        number = groups or (secrets if secrets <= FEW_SECRETS else 1)
        if number not in (1, secrets):
            raise SettingsError(f"groups {groups} asked for: give 1, or {secrets:,} for a group a secret, or 0")
        group_of = np.arange(secrets, dtype=np.int64) if number > 1 else np.zeros(secrets, dtype=np.int64)
        self.first, self.second = RaceSide(self.game, group_of, most_trees), RaceSide(self.game, group_of, most_trees)
        self.iteration, self.latest = -1, list[Tree]()
        self._stands = RaceStanding(0.0, 0.0, 0.0)
        self.concluded: Mixes | None = None
        self.cut_off = False
        self.pool = Pool()

    @property
    def settings(self) -> dict[str, Any]:
        """What a run was begun with, as plain data."""
        return self.problem.settings | {setting.name: getattr(self, setting.name) for setting in RACE}

    @property
    def best(self) -> RaceStanding:
        """How the averages over the steps stand."""
        return self._stands

    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one step and return its record: how the averages over the steps stand."""
        number = self.iteration + 2
        weights = self.first.weights(), self.second.weights()
        pool = self.pool.copy()
        with self.problem.planner.unchanged_on_error():
            seen = self._as_seen(self.second, weights[1], False), self._as_seen(self.first, weights[0], True)
            first = self._trees(self.first, weights[0], seen[0], 0, pool, deadline)
            second = self._trees(self.second, weights[1], seen[1], 1, pool, deadline)
        self.pool = pool.within(self.most_trees)
        gains = _gains(self.first.group_of, weights, first, second)
        played = zip((self.first, self.second), weights, (first, second), gains, strict=True)
        for side, own, trees, gained in played:
            value = exact_dot(own, gained) // SECRET_UNIT
            side.regrets = np.maximum(0, side.regrets + gained - value)
            side.play(own, trees, number)
        self.concluded, self.cut_off = None, False
        self.iteration, self.latest = self.iteration + 1, [*first, *second, *self.latest][: self._most_recent]
        self._stands = self._standing()
        return {"iteration": self.iteration, **vars(self._stands)}

    @property
    def _most_recent(self) -> int:
        """With how many of the latest trees the figures of a step are measured: never fewer than a step makes."""
        return max(RECENT_TREES, 2 * self.first.groups)

    def _as_seen(self, side: RaceSide, weights: NDArray[np.int64], moves_first: bool) -> RaceOpponent:
        """Return a side's present secrets with its average trees, as the other sees them."""
        if side.trees:
            return side.as_opponent(weights, side.average_arrivals(), moves_first=moves_first)
        linear = np.arange(FIRST_TABLE - 1, -1, -1) * (TREE_UNIT // FIRST_TABLE)  # nothing is known yet: keep it short
        held = np.tile(linear, (side.groups, len(weights), 1))
        return RaceOpponent(weights, side.group_of, held)

    def _trees(
        self, side: RaceSide, weights: NDArray[np.int64], other: RaceOpponent, turn: int, pool: Pool, deadline: Deadline
    ) -> list[Tree]:
        """Return a tree for each group of a side's secrets: planned now, or the best of those planned before."""
        costs = []
        for group in range(side.groups):
            inside = side.group_of == group
            own = np.where(inside, weights, 0)
            costs.append(other.costs(own if own.any() else inside.astype(np.int64)))
        responder = self.problem.responder
        if responder.every is not None or self.plans_a_step >= side.groups:
            first = self.iteration + 1 + turn
            return [
                responder.respond(table, int((first + group) % self.explore_every == 0), deadline)
                for group, table in enumerate(costs)
            ]
        begin = (self.iteration + 1) * self.plans_a_step
        for number in range(min(self.plans_a_step, side.groups)):
            explorations = int((self.iteration + 1 + turn + number) % self.explore_every == 0)
            tree = responder.respond(costs[(begin + number) % side.groups], explorations, deadline)
            pool.add(tree)
        return [pool.best(table) for table in costs]

    def _standing(self) -> RaceStanding:
        """Return how the averages stand: what each side could gain with any secret and one of the latest trees."""
        sides = self.first, self.second
        weights = [side.average_weights() for side in sides]
        arrivals = [side.average_arrivals() for side in sides]
        seen = [
            side.as_opponent(own, arrived, moves_first=side is self.first)
            for side, own, arrived in zip(sides, weights, arrivals, strict=True)
        ]
        chance = seen[1].chance_with(weights[0], self.first.group_of, arrivals[0])
        depths = np.array([tree.depths() for tree in self.latest])
        best_first, best_second = (Fraction(int(other.values(depths).max()), WHOLE) for other in reversed(seen))
        return RaceStanding(float(chance), float(best_first - chance), float(best_second - (1 - chance)))

    def outcome(self, history: Sequence[Record] = ()) -> Outcome:
        """Return both players' strategies as the mix."""
        mixes = self.concluded or (self.first.mix(), self.second.mix())
        return Outcome(mixes[0].secret_weights, mixes)

    @property
    def seconds_to_conclude(self) -> float:
        """About how long `conclude` would take."""
        if not self._weighs:
            return 0.0
        trees = min(len(self.first.trees) + len(self.second.trees), 2 * self.most_weighed)
        return seconds_to_reweigh(trees, len(self.game.secrets), self.first.groups)

    def conclude(self, deadline: Deadline = NEVER) -> None:
        """Weigh the trees that were played most anew, so that the best pair among them gains less."""
        if self._weighs:
            mixes = self.first.mix(self.most_weighed), self.second.mix(self.most_weighed)
            self.concluded = reweighed(mixes, deadline)
            self.cut_off = deadline.passed

    @property
    def is_concluded(self) -> bool:
        """Whether the deadline did not cut `conclude` off: what it found is not saved, since it can be found again."""
        return not self.cut_off

    @property
    def _weighs(self) -> bool:
        """Whether trees are weighed anew at the end: where all secrets share them, or all trees are known."""
        return self.first.groups == 1 or self.problem.responder.every is not None

    def checkpoint(self) -> dict[str, Any]:
        """Return the small part of the state: whether its conclusion was cut off. All the rest is in arrays."""
        return {"cut_off": True} if self.cut_off else {}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state."""
        kept = {"iteration": np.array(self.iteration), **self.problem.planner.as_arrays()}
        for name, side in self._sides():
            kept |= {f"{name}_{part}": array for part, array in side.arrays().items()}
        kept |= {f"latest_{part}": array for part, array in written_trees(self.latest).items()}
        return kept | {
            f"pool_{part}": array for part, array in written_trees(self.pool.trees).items() if self.pool.trees
        }

    def _sides(self) -> tuple[tuple[str, RaceSide], tuple[str, RaceSide]]:
        return ("first", self.first), ("second", self.second)

    def restore(
        self, checkpoint: Record, arrays: Arrays, history: Sequence[Record], deadline: Deadline = NEVER
    ) -> None:
        """Take up what `arrays` returned: later steps are the same bits as without the break.

        The figures that follow from them must be those of the history.
        """
        check_array(arrays, "iteration", np.int64, ())
        iteration = int(arrays["iteration"])
        if iteration < 0 or (history and iteration != len(history) - 1):
            raise damaged_arrays(f"iteration {iteration} is not the last of {len(history)} records")
        self.problem.planner.restore(arrays, deadline)
        for name, side in self._sides():
            side.restore(
                {part: arrays[f"{name}_{part}"] for part in side.PARTS if f"{name}_{part}" in arrays}, deadline
            )
        self.latest = read_trees(self.game, parts_of(arrays, "latest"), self._most_recent, deadline)
        pool = parts_of(arrays, "pool")
        self.pool = Pool(read_trees(self.game, pool, self.most_trees, deadline) if pool else ())
        self.iteration, self.concluded = iteration, None
        saved: _RaceCheckpoint = read_as(_RaceCheckpoint, checkpoint)
        self.cut_off = saved.get("cut_off", False)
        self._stands = self._standing()
        if history and any(history[-1][name] != figure for name, figure in vars(self._stands).items()):
            raise ValueError("the figures are not those of the history")


def _gains(
    group_of: NDArray[np.int64],
    weights: tuple[NDArray[np.int64], NDArray[np.int64]],
    first: Sequence[Tree],
    second: Sequence[Tree],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the chance to win of each own secret of player 1, and of player 2, with these trees [secrets] each."""
    secrets = len(group_of)
    gains = np.zeros(secrets, dtype=np.int64), np.zeros(secrets, dtype=np.int64)
    depths = [tree.depths() for tree in first], [tree.depths() for tree in second]
    members = [np.flatnonzero(group_of == group) for group in range(len(first))]
    for one, mine in enumerate(members):
        for two, theirs in enumerate(members):
            finds, found = depths[0][one][theirs], depths[1][two][mine]  # d1 for their secrets, d2 for mine
            columns = int(max(finds.max(), found.max())) + 1
            gains[0][mine] += _within(finds, weights[1][theirs], columns)[found]
            gains[1][theirs] += _within(found, weights[0][mine], columns)[finds - 1]
    return gains


def _within(depths: NDArray[np.int32], weights: NDArray[np.int64], columns: int) -> NDArray[np.int64]:
    """Return the weight of what is found within 0, 1, 2, … guesses [guesses]."""
    found = np.zeros(columns, dtype=np.int64)
    np.add.at(found, depths, weights)
    return np.cumsum(found)


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

    def restore(self, arrays: Mapping[str, NDArray[Any]], deadline: Deadline) -> None:
        """Take up what `arrays` returned; what cannot be gone on with is an error."""
        for name in ("regrets", "secret_totals"):
            check_array(arrays, name, np.int64, (len(self.game.secrets),))
            if arrays[name].min() < 0:
                raise damaged_arrays(f"{name} are negative")
        trees = read_trees(self.game, arrays, self.most_trees + self.groups, deadline)
        for name in ("groups", "credits"):
            check_array(arrays, name, np.int64, (len(trees),))
        groups, credits = arrays["groups"].tolist(), arrays["credits"].tolist()
        if set(groups) != set(range(self.groups)) or min(credits) < 1:
            raise damaged_arrays("the trees are not of all groups, or without credit")
        self.regrets, self.secret_totals = arrays["regrets"].copy(), arrays["secret_totals"].copy()
        self.take_trees(trees, groups, credits)

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


Mixes = tuple[RaceMix, RaceMix]
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Own secrets, and trees by index, of some pairs."""

ROUNDS, ITERATIONS = 4, 600
"""How often the trees of both sides are weighed anew, and how long each matrix game is played."""

PAIR_ROUNDS, PAIR_ITERATIONS, PAIRS_A_ROUND, MOST_PAIRS = 40, 600, 60, 2500
"""How often pairs are added, how long each game of them is played, how many come at a time, how many there may be."""

CLOSE = 5e-4
"""Where both sides together lose no more than this to the best pairs, there is nothing left to weigh."""

SCALE = 10_000
"""A chance of 1, as a payoff of a matrix game."""

NEGLIGIBLE = 1e-3
"""A tree or pair with less than this part of an equal share is left out."""

SECONDS_A_PAYOFF = 1.5e-9
"""About how long one payoff takes in one iteration of self-play."""


def reweighed(mixes: Mixes, deadline: Deadline = NEVER) -> Mixes:
    """Return mixes of the same trees, of both sides together, that lose less to the best pair among them.

    Where the deadline passes, they are the best so far.
    """
    trees = different_trees([*mixes[0].trees, *mixes[1].trees])
    shared = len(mixes[0].tree_weights) == 1
    depths = np.array([tree.depths() for tree in trees])
    best = mixes
    with suppress(DeadlinePassed):
        for now in (_by_trees if shared else _by_pairs)(mixes, trees, depths, deadline):
            lost = lost_to(now, depths)
            if lost < lost_to(best, depths):
                best = now
            if lost - WHOLE < CLOSE * WHOLE:
                break
    return best


def seen_by(mixes: Mixes) -> tuple[RaceOpponent, RaceOpponent]:
    """Return what player 1 sees of player 2, and player 2 of player 1."""
    return RaceOpponent.of(mixes[1], moves_first=False), RaceOpponent.of(mixes[0], moves_first=True)


def lost_to(mixes: Mixes, depths: NDArray[np.int32]) -> int:
    """Return what the best pairs with these trees win against both mixes together."""
    return sum(int(other.values(depths).max()) for other in seen_by(mixes))


def _by_trees(mixes: Mixes, trees: list[Tree], depths: NDArray[np.int32], deadline: Deadline) -> Iterator[Mixes]:
    """Yield mixes in which all secrets share their trees, round by round."""
    columns: tuple[list[NDArray[np.int16]], list[NDArray[np.int16]]] = ([], [])
    for _ in range(ROUNDS):
        weighed = []
        for player, other in enumerate(reversed(seen_by(mixes))):  # what player 1 plays is seen by player 2
            deadline.check()
            worst = depths[int(other.values(depths).max(axis=0).argmax())]  # the tree of the other's best pair
            wins = _wins_of(worst, mixes[player].secret_weights, int(depths.max()), moves_first=player == 1)
            columns[player].append(wins[depths])
            weighed.append(_shares(np.concatenate(columns[player], axis=1), ITERATIONS, deadline)[0])
        mixes = _product(mixes[0], trees, weighed[0]), _product(mixes[1], trees, weighed[1])
        yield mixes


def _wins_of(
    depths: NDArray[np.int32], weights: NDArray[np.int64], deepest: int, *, moves_first: bool
) -> NDArray[np.int16]:
    """Return how often a tree with these depths wins against secrets by weights, if the other needs c guesses [c].

    Where the tree's player moves first, it wins with up to c guesses, else with fewer.
    """
    found = np.zeros(deepest + 1, dtype=np.int64)
    np.add.at(found, depths, weights)
    within = np.cumsum(found) * SCALE // SECRET_UNIT
    return (within if moves_first else np.append(0, within[:-1])).astype(np.int16)


def _product(mix: RaceMix, trees: list[Tree], shares: NDArray[np.float64]) -> RaceMix:
    """Return the mix with other trees, the negligible ones left out."""
    kept = np.flatnonzero(shares > NEGLIGIBLE / len(shares)).tolist()
    return product_mix(mix.game, mix.secret_weights, [trees[i] for i in kept], shares[kept])


def _shares(
    payoffs: NDArray[np.int16], iterations: int, deadline: Deadline
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nearly optimal shares of the rows, which want little, and of the columns, which want much."""
    from oracular.kernels.matrix_game import solve_matrix

    shares = solve_matrix(payoffs, iterations, deadline)
    deadline.check()
    return shares


def _by_pairs(mixes: Mixes, trees: list[Tree], depths: NDArray[np.int32], deadline: Deadline) -> Iterator[Mixes]:
    """Yield mixes of any pairs: round by round the best pairs against the last mixes come to the game."""
    places = {tree.depths().tobytes(): place for place, tree in enumerate(trees)}
    pairs = [
        _joined(_likeliest_pairs(mix, places), _best_pairs(other.values(depths)))
        for mix, other in zip(mixes, seen_by(mixes), strict=True)
    ]
    for _ in range(PAIR_ROUNDS):
        (first_secrets, first_trees), (second_secrets, second_trees) = pairs
        wins = depths[first_trees][:, second_secrets] <= depths[second_trees][:, first_secrets].T
        second, first = _shares(wins.T.astype(np.int16), PAIR_ITERATIONS, deadline)
        mixes = pair_mix(mixes[0].game, pairs[0], first, trees), pair_mix(mixes[1].game, pairs[1], second, trees)
        yield mixes
        for player, (other, shares) in enumerate(zip(seen_by(mixes), (first, second), strict=True)):
            kept = np.arange(len(shares))
            if len(kept) > MOST_PAIRS - PAIRS_A_ROUND:
                kept = np.argsort(-shares, kind="stable")[: 2 * MOST_PAIRS // 3]
            pairs[player] = _joined([part[kept] for part in pairs[player]], _best_pairs(other.values(depths)))


def _likeliest_pairs(mix: RaceMix, places: Mapping[bytes, int]) -> Pairs:
    """Return the pairs that a mix plays most, their trees by the place that trees of such depths have."""
    joint = mix.secret_weights[:, None] * mix.tree_weights[mix.group_of]
    chosen = np.argsort(-joint, axis=None, kind="stable")[: min(MOST_PAIRS // 2, int(np.count_nonzero(joint)))]
    secrets, trees = np.unravel_index(chosen, joint.shape)
    number = np.array([places[tree.depths().tobytes()] for tree in mix.trees])
    return secrets, number[trees]


def _best_pairs(values: NDArray[np.int64]) -> Pairs:
    """Return the best tree for each of the best own secrets, by the values of all pairs [secrets, trees]."""
    secrets = np.argsort(-values.max(axis=1), kind="stable")[:PAIRS_A_ROUND]
    return secrets, values[secrets].argmax(axis=1)


def _joined(some: Sequence[NDArray[np.int64]], more: Pairs) -> Pairs:
    """Return both lists of pairs as one, each pair once."""
    rows = np.unique(np.concatenate([np.stack(some, axis=1), np.stack(more, axis=1)]), axis=0)
    return rows[:, 0], rows[:, 1]


def pair_mix(game: Game, pairs: Pairs, shares: NDArray[np.float64], trees: Sequence[Tree]) -> RaceMix:
    """Return the mix of pairs with these shares; a secret that is never hidden plays the first of the trees."""
    secrets = len(game.secrets)
    used = np.where(shares > NEGLIGIBLE / len(shares), shares, 0.0)
    joint = np.zeros((secrets, len(trees)))
    np.add.at(joint, pairs, used)
    totals = joint.sum(axis=1)
    kept = np.flatnonzero(joint.any(axis=0)).tolist()
    weights = np.zeros((secrets, len(kept)), dtype=np.int64)
    weights[:, 0] = TREE_UNIT
    for secret in np.flatnonzero(totals):
        weights[secret] = shared_out(joint[secret, kept], TREE_UNIT)
    groups = np.arange(secrets, dtype=np.int64)
    return RaceMix(game, shared_out(totals, SECRET_UNIT), [trees[i] for i in kept], groups, weights)


def seconds_to_reweigh(mixes_trees: int, secrets: int, groups: int) -> float:
    """Return about how long `reweighed` takes for so many trees of both sides together."""
    if groups == 1:
        return 2 * ITERATIONS * ROUNDS * (ROUNDS + 1) / 2 * mixes_trees * secrets * 2 * SECONDS_A_PAYOFF
    pairs = min(MOST_PAIRS, secrets * mixes_trees, min(secrets, PAIRS_A_ROUND) * PAIR_ROUNDS)
    return PAIR_ROUNDS * PAIR_ITERATIONS * pairs * pairs * 2 / 3 * SECONDS_A_PAYOFF
