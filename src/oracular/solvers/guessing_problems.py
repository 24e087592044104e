"""Guessing games as problems for a solver: the small side hides, the large side guesses.

There is a problem for each way to answer a hider. The payoffs of a response are the depths of its tree: how many
guesses it takes to find each secret. In another objective than the mean they are what is lost by finding it then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.costs import Costs
from oracular.errors import SettingsError
from oracular.evaluation import GREEDY, exact_dot
from oracular.games.game import Game
from oracular.objectives import Objective, within
from oracular.planner.planner import Planner
from oracular.problem import FullProblem, Response, WeightsOfPlay
from oracular.search.best_response import with_greedy_fallback
from oracular.settings import PLANNER, ExplorationSettings
from oracular.strategies.greedy import GreedyEngine, GreedyOracle
from oracular.strategies.oracle import MadeWhenAsked, Mixture
from oracular.strategies.tree import Tree, tree_of
from oracular.system.checking import check_array, damaged_arrays
from oracular.system.control import NEVER, Control, Deadline
from oracular.system.files import Whole, read_as


@dataclass(frozen=True, eq=False)
class GreedyResponses(MadeWhenAsked[GreedyOracle]):
    """The greedy oracles of a fictitious play, one for the hider's weights at each iteration, made when asked for."""

    engine: GreedyEngine
    weights: WeightsOfPlay

    def __len__(self) -> int:
        return len(self.weights)

    def made(self, index: int) -> GreedyOracle:
        """Return the oracle of an iteration."""
        return GreedyOracle(self.engine, self.weights.at(index))

    def __iter__(self) -> Iterator[GreedyOracle]:
        for weights in self.weights:
            yield GreedyOracle(self.engine, weights.copy())


class GuessingProblem(FullProblem):
    """A guessing game; a subclass says how the guesser answers.

    Strategies are trees, saved as their rows of guesses.
    """

    game: Game
    exact = False

    def __init__(self, game: Game, objective: Objective | None = None) -> None:
        self.game, self.name = game, game.name
        self.size = self.largest_payoff = len(game.secrets)  # a guess that helps rules out at least one secret
        self.least_payoff = 1  # no secret is found before the first guess
        if objective is not None and not objective.is_mean:
            losses = objective.losses_in(game)
            self.objective, self.least_payoff = objective, int(losses.min())
            self.largest_payoff = self.payoff_unit = max(1, int(losses.max()))

    @property
    def identity(self) -> str:  # type: ignore[override]
        """What distinguishes this game, and this way to answer in it, from others."""
        digest = hashlib.sha256(repr(self.game.identity).encode()).hexdigest()
        told = "" if self.objective.is_mean else f", {self.objective.identity}"
        return f"{type(self).__name__} of {self.game.name}, {digest}{told}"

    def mixed(self, strategies: Sequence[Any], weights: Sequence[int], payoff_totals: NDArray[Any]) -> Mixture:
        """Return a mixed oracular strategy, whose payoffs times their weights have been added up [secrets]."""
        return Mixture(strategies, weights, known_totals=payoff_totals if self.objective.is_mean else None)

    def save(self, strategy: Any) -> list[int]:
        """Return a tree as its row of guesses."""
        return tree_of(strategy).guesses.tolist()

    def load(self, data: Any) -> Tree:
        """Return the tree that `save` wrote; `ValueError` if it is not a tree of this game."""
        guesses: list[int] = read_as(list[Whole], data)
        if max(guesses, default=0) >= len(self.game.guesses):
            raise ValueError("a tree makes a guess that there is not")
        tree = Tree(self.game, np.array(guesses, dtype=np.int32))
        try:
            tree.depths()
        except SettingsError as error:
            raise ValueError(str(error)) from None
        return tree


class DepthsBuilder(Protocol):
    """What works out the depths of greedy trees: from scratch, from the last trees, or on a cluster."""

    def warm_up(self) -> None:
        """Load or compile what a tree needs."""

    def depths(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int32]:
        """Return how many guesses the tree against these weights takes for each secret, or raise `DeadlinePassed`."""

    def play(
        self, weights: NDArray[np.int64], depth_totals: NDArray[np.int64], most: int, shared: int, deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return what `FullProblem.play` does; None where trees are built one by one."""


class GreedyProblem(GuessingProblem):
    """A guessing game in which the guesser answers with the paper's greedy tree."""

    keeps_strategies = False

    def __init__(self, engine: GreedyEngine, builder: DepthsBuilder | None = None) -> None:
        super().__init__(engine.game)
        self.engine, self.builder = engine, builder or engine

    @property
    def epsilon_is(self) -> str:
        """What an epsilon is: the guesser's gain is that of the greedy response."""
        return GREEDY

    @property
    def settings(self) -> dict[str, Any]:
        """Which of equally good guesses is made."""
        return {"ties": self.engine.ties}

    def warm_up(self) -> None:
        """Load or compile what builds the trees."""
        self.builder.warm_up()

    def respond(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> Response:
        """Return the greedy tree against these weights."""
        depths = self.builder.depths(weights, deadline)
        return Response(depths.astype(np.int64), GreedyOracle(self.engine, weights))

    def play(
        self, weights: NDArray[np.int64], payoff_totals: NDArray[np.int64], most: int, shared: int, deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return iterations of fictitious play, made in one go; None where trees are built one by one."""
        return self.builder.play(weights, payoff_totals, most, shared, deadline)

    def is_usual_for(self, solver: str) -> bool:
        """Return whether the solver is fictitious play."""
        return solver == "fictitious-play"

    def record(self, strategy: Any) -> dict[str, Any]:
        """Return nothing: a greedy oracle follows from the weights that it answers."""
        return {}

    def played(
        self, weights: WeightsOfPlay, history: Sequence[Mapping[str, Any]], deadline: Deadline = NEVER
    ) -> GreedyResponses:
        """Return the greedy oracles of a fictitious play, each made when it is asked for."""
        return GreedyResponses(self.engine, weights)


class KeptTreesProblem(GuessingProblem):
    """A guessing game whose trees are kept as arrays, by a problem that counts how often it was asked."""

    responses = 0

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Give a context after which, if it ends in an error, it is not counted what was asked in it."""
        before = self.responses
        try:
            yield
        except BaseException:
            self.responses = before
            raise

    def saved_data(self, strategies: Sequence[Any]) -> None:
        """Return nothing: trees are saved as arrays."""

    def saved_arrays(self, strategies: Sequence[Any]) -> dict[str, NDArray[Any]]:
        """Return the trees."""
        return {
            "tree_guesses": np.concatenate([tree.guesses for tree in strategies]),
            "tree_ends": np.cumsum([len(tree.guesses) for tree in strategies]),
        }

    def is_usual_for(self, solver: str) -> bool:
        """Return whether the solver is regret matching or the double oracle."""
        return solver in ("regret-matching", "double-oracle")

    def load_all(self, data: Any, arrays: Mapping[str, NDArray[Any]], deadline: Deadline = NEVER) -> list[Tree]:
        """Return the trees; nothing in the arrays is believed."""
        trees = len(arrays["tree_ends"]) if "tree_ends" in arrays and arrays["tree_ends"].ndim == 1 else 0
        check_array(arrays, "tree_ends", np.int64, (trees,))
        ends = arrays["tree_ends"]
        if trees == 0 or ends[0] < 0 or (np.diff(ends) < 0).any():
            raise damaged_arrays("the trees do not end one after the other")
        check_array(arrays, "tree_guesses", np.int32, (int(ends[-1]),))
        check_array(arrays, "iteration", np.int64, ())
        self.responses = int(arrays["iteration"]) + 1
        try:
            return [Tree(self.game, row) for row in np.split(arrays["tree_guesses"], ends[:-1])]
        except SettingsError as error:
            raise damaged_arrays(f"a tree is invalid, {error}") from None

    def check_payoffs(
        self, strategies: Sequence[Any], payoffs: Sequence[NDArray[Any]], deadline: Deadline = NEVER
    ) -> None:
        """Raise an error unless these are the payoffs of the trees, each of them played through by the deadline."""
        for number, (tree, paid) in enumerate(zip(strategies, payoffs, strict=True)):
            deadline.check()
            try:
                played = self.objective.payoffs(tree.depths())
            except SettingsError as error:
                raise damaged_arrays(f"tree {number} is invalid, {error}") from None
            if not np.array_equal(played, paid):
                raise damaged_arrays(f"the depths of tree {number} are not those of its guesses")


class PlannedProblem(KeptTreesProblem):
    """A guessing game in which a planner answers, which remembers what it ever looked at.

    Epsilons are measured with the greedy response, as the paper does. The greedy tree knows no objective but the mean,
    so for others the best tree of the planner's graph is taken instead, where that is better.
    """

    def __init__(
        self,
        planner: Planner,
        engine: GreedyEngine,
        explore_every: int = ExplorationSettings.explore_every,
        objective: Objective | None = None,
    ) -> None:
        super().__init__(planner.game, objective)
        self.planner, self.engine, self.explore_every = planner, engine, explore_every

    @property
    def settings(self) -> dict[str, Any]:
        """The planner's settings, and how often it explores."""
        planner = {setting.name: getattr(self.planner, setting.name) for setting in PLANNER}
        return planner | {"explore_every": self.explore_every}

    @property
    def epsilon_is(self) -> str:
        """What an epsilon is: the guesser's gain is that of the greedy response, where that is for the objective."""
        return GREEDY if self.objective.is_mean else super().epsilon_is

    @property
    def most_weight(self) -> int:
        """What the weights may sum to at most."""
        return self.planner.most_weight

    def warm_up(self) -> None:
        """Load or compile the kernels, on a game of a few secrets."""
        names = "abcdefgh"
        tiny = Game.from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">")
        objective = None if self.objective.is_mean else within(2)
        problem = PlannedProblem(Planner(tiny, room=1 << 10), GreedyEngine(tiny), 2, objective)
        weights = problem.planner.rounded(np.ones(len(names)))
        for _ in range(3):
            problem.respond(weights)
        problem.deviation(weights)
        problem.planner.tidy(1)
        problem.planner.restore(problem.planner.as_arrays())
        self.engine.warm_up()

    def respond(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> Response:
        """Return the best tree that the planner finds against these weights."""
        explorations = int(self.responses % self.explore_every == 0)
        costs = Costs.against(weights, self.objective)
        tree = self.planner.respond(costs, explorations=explorations, deadline=deadline)
        self.responses += 1
        return Response(self.objective.payoffs(tree.depths()), tree)

    @contextmanager
    def unchanged_on_error(self) -> Iterator[None]:
        """Give a context after which, if it ends in an error, the planner remembers nothing of it."""
        with super().unchanged_on_error(), self.planner.unchanged_on_error():
            yield

    def deviation(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the payoffs of the greedy tree, or of the planner's best tree where they are better [secrets]."""
        payoffs = self.objective.payoffs(self.engine.depths(weights, deadline))
        if self.objective.is_mean or self.responses == 0:
            return payoffs
        costs = Costs.against(weights, self.objective)
        planned = self.objective.payoffs(self.planner.respond(costs, widen=False, deadline=deadline).depths())
        return planned if exact_dot(weights, planned) < exact_dot(weights, payoffs) else payoffs

    def saved_arrays(self, strategies: Sequence[Any]) -> dict[str, NDArray[Any]]:
        """Return the planner's graph and the trees."""
        return self.planner.as_arrays() | super().saved_arrays(strategies)

    def load_all(self, data: Any, arrays: Mapping[str, NDArray[Any]], deadline: Deadline = NEVER) -> list[Tree]:
        """Take up the graph, and return the trees; nothing in the arrays is believed."""
        self.planner.restore(arrays, deadline)
        return super().load_all(data, arrays, deadline)


class ExactProblem(GuessingProblem):
    """A guessing game in which the guesser answers with a best tree, searched for and proved: for small games."""

    exact = True

    def warm_up(self) -> None:
        """Load or compile the search."""
        from oracular.search.best_response import warm_up

        warm_up()

    def respond(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> Response:
        """Return a best tree against these weights."""
        from oracular.search.trees import search

        best = search(self.game, Costs.against(weights, self.objective), control=Control(deadline))
        deadline.check()  # the search ends with the best so far
        assert best.tree is not None
        return Response(self.objective.payoffs(best.tree.depths()), with_greedy_fallback(best.tree))

    def is_usual_for(self, solver: str) -> bool:
        """Return whether the solver is the exact one."""
        return solver == "exact"
