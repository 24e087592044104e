"""Regret matching+ [Tammelin 2014] of the hider against planned trees of the guesser, and the best mixture of them.

At every step the guesser answers the hider's weights with the best tree its planner can find, and each secret's regret
becomes what hiding it would have gained so far, never below zero:

    R_i <- max(0, R_i + depth_i - sum_j w_j depth_j / sum_j w_j),      w_i in proportion to R_i.

The average over the steps, step t counted t times, is a mixture with a guarantee. A far better one comes of weighing
the trees anew: self-play on the matrix of their depths. Regrets and weights are whole numbers, in 2^-16 of a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.compact_tree import CompactTree
from oracular.deadline import NEVER, Deadline
from oracular.evaluation import Standing, standing
from oracular.game import Game
from oracular.responses.greedy import GreedyEngine
from oracular.responses.planning import Planner
from oracular.solvers.reweighting import best_mixture, reweighted
from oracular.solvers.solver import Outcome
from oracular.strategy import Hider, Mixture

UNIT_BITS = 16
"""Regrets are counted in 2^-16 of a guess."""

SECONDS_A_DEPTH = 1.2e-9
"""A round of weighing trees anew takes about this for each of their depths, measured."""


PLANNER_SETTINGS = tuple(entry.name for entry in fields(Planner) if entry.name != "game")
"""What of a planner is a matter of choice."""

OWN_SETTINGS = ("explore_every", "most_trees", "head_start")


@dataclass(eq=False)
class RegretMatching:
    """The solver's state; `step` makes one iteration.

    Attributes:
        planner: what answers the hider.
        engine: what measures the guesser's epsilon, as the paper does, with the greedy response.
        explore_every: at every so many steps the planner also looks where it only hopes for better.
        head_start: the regret, in guesses, that every secret begins with: it keeps the first weights near uniform.
        most_trees: how many trees are kept; when there are more, the ones of least use go.
        iteration: the last step made, from 0, or -1.
        regrets: int64 [secrets].
        weights: the hider's weights of the next step, int64 [secrets].
        hider_totals: the weights of all steps, step t counted t times, int64 [secrets].
        depth_totals: the depths of all trees, counted likewise, int64 [secrets].
        guesses: the trees that are kept.
        depths: their depths, int16.
        mixture_weights: the weights of the kept trees in the best mixture of them, or None before `conclude`.
    """

    planner: Planner
    engine: GreedyEngine
    explore_every: int = 2
    most_trees: int = 2000
    head_start: int = 8
    iteration: int = -1
    guesses: list[NDArray[np.int32]] = field(default_factory=list)
    depths: list[NDArray[np.int16]] = field(default_factory=list)
    mixture_weights: NDArray[np.int64] | None = None

    name = "regret-matching"

    def __post_init__(self) -> None:
        secrets = len(self.game.secrets)
        self.regrets = np.full(secrets, self.head_start << UNIT_BITS, dtype=np.int64)
        self.hider_totals = np.zeros(secrets, dtype=np.int64)
        self.depth_totals = np.zeros(secrets, dtype=np.int64)
        self.weights = self.planner.rounded(np.ones(secrets, dtype=np.int64))

    @property
    def game(self) -> Game:
        """The game that is solved."""
        return self.planner.game

    @property
    def settings(self) -> dict[str, Any]:
        """What a run was begun with, as plain data."""
        planner = {name: getattr(self.planner, name) for name in PLANNER_SETTINGS}
        return planner | {name: getattr(self, name) for name in OWN_SETTINGS}

    @property
    def best_iteration(self) -> int:
        """The last iteration: the mixture is one of all of them."""
        return self.iteration

    @property
    def best(self) -> Standing:
        """How the strategies that `outcome` returns stand."""
        outcome = self.outcome()
        return self._standing(outcome.guesser.depth_totals, outcome.guesser.total)

    @property
    def stands(self) -> Standing:
        """How the hider's average stands against all kept trees alike, whether or not a mixture was concluded."""
        totals = np.array(self.depths).sum(axis=0, dtype=np.int64)
        return self._standing(totals, len(self.depths))

    @property
    def finished(self) -> bool:
        """Never: the planner can always look further."""
        return False

    def warm_up(self) -> None:
        """Load or compile the kernels, on a game of a few secrets."""
        from oracular.game import game_from_function

        names = tuple("abcdefgh")
        tiny = game_from_function(names, names, lambda g, s: "=" if g == s else "<" if g < s else ">", "tiny", ())
        solver = RegretMatching(Planner(tiny, room=1 << 10), GreedyEngine(tiny))
        for _ in range(3):
            solver.step()
        solver.conclude()
        self.engine.warm_up()

    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one iteration and return its record: what the response costs, and how the averages stand.

        The planner's graph grows in place, so a step that was begun is made to the end.
        """
        del deadline
        self.iteration += 1
        self.mixture_weights = None
        explorations = int(self.iteration % self.explore_every == 0)
        tree = self.planner.respond(self.weights, explorations=explorations)
        depths = tree.depths.astype(np.int64)
        count = self.iteration + 1
        self.depth_totals += count * depths
        self.hider_totals += count * self.weights
        self._keep(tree.guesses, depths.astype(np.int16))
        value = (int(self.weights @ depths) << UNIT_BITS) // int(self.weights.sum())
        self.regrets = np.maximum(0, self.regrets + (depths << UNIT_BITS) - value)
        self.weights = self.planner.rounded(self.regrets if self.regrets.any() else np.ones_like(self.regrets))
        standing = self._standing(self.depth_totals, count * (count + 1) // 2)
        return {"iteration": self.iteration, "response": value / (1 << UNIT_BITS), **vars(standing)}

    def _standing(self, depth_totals: NDArray[Any], count: int) -> Standing:
        """Return how the hider's average stands against a mixture with these depths."""
        hider = self.planner.rounded(self.hider_totals)
        return standing(hider, depth_totals, count, self.engine.depths(hider))

    def _keep(self, guesses: NDArray[np.int32], depths: NDArray[np.int16]) -> None:
        """Take in a tree, and let the least used third go where there are too many."""
        if len(self.guesses) == self.most_trees:
            weights = reweighted(np.array(self.depths), iterations=1000).weights
            weights[-self.most_trees // 5 :] = weights.max() + 1  # the newest have had no chance yet
            best = np.sort(np.argsort(-weights, kind="stable")[: 2 * self.most_trees // 3])
            self.guesses = [self.guesses[i] for i in best]
            self.depths = [self.depths[i] for i in best]
        self.guesses.append(guesses)
        self.depths.append(depths)

    @property
    def seconds_to_conclude(self) -> float:
        """About how long `conclude` would take, with the letting go of trees where the next step brings that."""
        rounds = 4000 + (1000 if len(self.guesses) == self.most_trees else 0)
        return len(self.guesses) * len(self.game.secrets) * rounds * SECONDS_A_DEPTH

    def conclude(self, exactly: bool = False) -> None:
        """Weigh the kept trees anew: by self-play on the matrix of their depths, or exactly, by linear programming."""
        depths = np.array(self.depths)
        self.mixture_weights = (best_mixture(depths) if exactly else reweighted(depths)).weights

    def outcome(self) -> Outcome:
        """Return the hider's average strategy and the concluded mixture of trees (before that: all trees alike)."""
        weights = self.mixture_weights
        if weights is None:
            weights = np.ones(len(self.guesses), dtype=np.int64)
        chosen = np.flatnonzero(weights)
        trees = [CompactTree(self.game, self.guesses[i]) for i in chosen]
        totals = np.zeros(len(self.game.secrets), dtype=np.int64)
        for i in chosen:
            totals += weights[i] * self.depths[i].astype(np.int64)
        guesser = Mixture(trees, weights[chosen].tolist(), known_totals=totals)
        return Outcome(Hider(self.game, self.planner.rounded(self.hider_totals)), guesser)

    def checkpoint(self) -> dict[str, Any]:
        """Return the small part of the state: the mixture, where it has been concluded."""
        return {"mixture_weights": None if self.mixture_weights is None else self.mixture_weights.tolist()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all the rest of the state."""
        return self.planner.as_arrays() | {
            "iteration": np.array(self.iteration),
            "regrets": self.regrets,
            "weights": self.weights,
            "hider_totals": self.hider_totals,
            "depth_totals": self.depth_totals,
            "tree_guesses": np.concatenate(self.guesses),
            "tree_ends": np.cumsum([len(guesses) for guesses in self.guesses]),
            "tree_depths": np.array(self.depths),
        }

    def restore(
        self, checkpoint: dict[str, Any], arrays: dict[str, NDArray[Any]], history: list[dict[str, Any]]
    ) -> None:
        """Take up what `checkpoint` and `arrays` returned: later steps are the same bits as without the break."""
        del history  # the arrays have all that is needed
        self.planner.restore(arrays)
        self.iteration = int(arrays["iteration"])
        self.regrets, self.weights = arrays["regrets"], arrays["weights"]
        self.hider_totals, self.depth_totals = arrays["hider_totals"].copy(), arrays["depth_totals"].copy()
        self.guesses = np.split(arrays["tree_guesses"], arrays["tree_ends"][:-1])
        self.depths = list(arrays["tree_depths"].astype(np.int16))
        kept = checkpoint["mixture_weights"]
        self.mixture_weights = None if kept is None else np.array(kept, dtype=np.int64)
