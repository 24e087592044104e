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

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.evaluation import RaceStanding, exact_dot
from oracular.games.game import Game
from oracular.responses.planned import Planner
from oracular.responses.problems import GuessingProblem
from oracular.settings import PLANNER, RACE, RaceSettings, check_all
from oracular.solvers.race.reweighing import Mixes, reweighed, seconds_to_reweigh
from oracular.solvers.race.side import RaceSide, parts_of, read_trees, written_trees
from oracular.solvers.race.trees import Pool, Responder
from oracular.solvers.race.values import WHOLE, RaceOpponent
from oracular.solvers.solver import Arrays, Outcome, Record, Solver
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT
from oracular.strategies.tree import Tree
from oracular.system.arrays import check_array, damaged_arrays
from oracular.system.deadline import NEVER, Deadline

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
        self.concluded = None
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

    @property
    def _weighs(self) -> bool:
        """Whether trees are weighed anew at the end: where all secrets share them, or all trees are known."""
        return self.first.groups == 1 or self.problem.responder.every is not None

    def checkpoint(self) -> dict[str, Any]:
        """Return the small part of the state: all of it is in arrays."""
        return {}

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

        Nothing in them is believed: what no run can have come to is an error.
        """
        check_array(arrays, "iteration", np.int64, ())
        iteration = int(arrays["iteration"])
        if iteration < 0 or (history and iteration != len(history) - 1):
            raise damaged_arrays(f"iteration {iteration} is not the last of {len(history)} records")
        self.problem.planner.restore(arrays, deadline)
        for name, side in self._sides():
            side.restore(
                {part: arrays[f"{name}_{part}"] for part in side.PARTS if f"{name}_{part}" in arrays},
                iteration + 1,
                deadline,
            )
        self.latest = read_trees(self.game, parts_of(arrays, "latest"), self._most_recent, deadline)
        self.pool = Pool()
        if "pool_ends" in arrays:
            for tree in read_trees(self.game, parts_of(arrays, "pool"), self.most_trees, deadline):
                self.pool.add(tree)
        self.iteration = iteration
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
