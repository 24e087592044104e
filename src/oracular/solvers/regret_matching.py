"""Regret matching+ [Tammelin 2014] of the hider against planned trees of the guesser, and the best mixture of them.

At every step the guesser answers the hider's weights with the best tree its planner can find, and each secret's regret
becomes what hiding it would have gained so far, never below zero:

    R_i <- max(0, R_i + depth_i - sum_j w_j depth_j / sum_j w_j),      w_i in proportion to R_i.

The average over the steps, step t counted t times, is a mixture with a guarantee. A far better one comes of weighing
the trees anew: self-play on the matrix of their depths. Regrets and weights are whole numbers, in 2^-16 of a guess.
Sums over the steps are exact however many there are: what would not fit into 64 bits is added up in Python's numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.evaluation import Standing, standing
from oracular.games.game import Game
from oracular.responses.greedy import GreedyEngine
from oracular.responses.planned import Planner, check_array, damaged_arrays
from oracular.settings import PLANNER, REGRET_MATCHING, check_all, default_of
from oracular.solvers.reweighting import RESOLUTION, best_mixture, reweighted
from oracular.solvers.solver import Outcome
from oracular.strategies.compact_tree import CompactTree, replayed_depths
from oracular.strategies.hider import WEIGHT_LIMIT, Hider
from oracular.strategies.oracle import Mixture
from oracular.system.deadline import NEVER, Deadline

UNIT_BITS = 16
"""Regrets are counted in 2^-16 of a guess."""

SECONDS_A_DEPTH = 1.2e-9
"""A round of weighing trees anew takes about this for each of their depths, measured."""

LIMB_BITS = 62
"""A sum that does not fit into 64 bits is kept on disk in digits of this many bits."""

MOST_LIMBS = 8
"""No sum that is read has more digits than this."""


@dataclass(eq=False)
class RegretMatching:
    """The solver's state; `step` makes one iteration.

    Attributes:
        planner: what answers the hider.
        engine: what measures the guesser's epsilon, as the paper does, with the greedy response.
        iteration: the last step made, from 0, or -1.
        regrets: int64 [secrets].
        weights: the hider's weights of the next step, int64 [secrets].
        hider_totals: the weights of all steps, step t counted t times, int64, or object where that is too small
            [secrets].
        depth_totals: the depths of all trees, counted and kept likewise [secrets].
        guesses: the trees that are kept.
        depths: their depths, int16.
        mixture_weights: the weights of the kept trees in the best mixture of them, or None before `conclude`.

    All others are settings: what they mean, their defaults and their ranges are declared in `oracular.settings`.
    """

    planner: Planner
    engine: GreedyEngine
    explore_every: int = default_of(REGRET_MATCHING, "explore_every")
    most_trees: int = default_of(REGRET_MATCHING, "most_trees")
    head_start: int = default_of(REGRET_MATCHING, "head_start")
    iteration: int = -1
    guesses: list[NDArray[np.int32]] = field(default_factory=list)
    depths: list[NDArray[np.int16]] = field(default_factory=list)
    mixture_weights: NDArray[np.int64] | None = None

    name = "regret-matching"

    def __post_init__(self) -> None:
        secrets = len(self.game.secrets)
        check_all(REGRET_MATCHING, self, secrets)
        self.regrets: NDArray[Any] = np.full(secrets, self.head_start << UNIT_BITS, dtype=np.int64)
        self.hider_totals: NDArray[Any] = np.zeros(secrets, dtype=np.int64)
        self.depth_totals: NDArray[Any] = np.zeros(secrets, dtype=np.int64)
        self.weights = self.planner.rounded(np.ones(secrets, dtype=np.int64))

    @property
    def game(self) -> Game:
        """The game that is solved."""
        return self.planner.game

    @property
    def settings(self) -> dict[str, Any]:
        """What a run was begun with, as plain data."""
        planner = {setting.name: getattr(self.planner, setting.name) for setting in PLANNER}
        return planner | {setting.name: getattr(self, setting.name) for setting in REGRET_MATCHING}

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
        from oracular.games.game import game_from_function

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
        self.depth_totals = added_up(self.depth_totals, depths, count)
        self.hider_totals = added_up(self.hider_totals, self.weights, count)
        self._keep(tree.guesses, depths.astype(np.int16))
        value = (int(self.weights @ depths) << UNIT_BITS) // int(self.weights.sum())
        self.regrets = np.maximum(0, added_up(self.regrets, (depths << UNIT_BITS) - value, 1))
        self.weights = self._weights_of(self.regrets)
        standing = self._standing(self.depth_totals, count * (count + 1) // 2)
        return {"iteration": self.iteration, "response": value / (1 << UNIT_BITS), **vars(standing)}

    def _weights_of(self, regrets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the hider's weights in proportion to regrets, all alike where there are none [secrets]."""
        return self.planner.rounded(regrets if regrets.any() else np.ones(len(regrets), dtype=np.int64))

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
            "regrets": as_limbs(self.regrets),
            "weights": self.weights,
            "hider_totals": as_limbs(self.hider_totals),
            "depth_totals": as_limbs(self.depth_totals),
            "tree_guesses": np.concatenate(self.guesses),
            "tree_ends": np.cumsum([len(guesses) for guesses in self.guesses]),
            "tree_depths": np.array(self.depths),
        }

    def restore(
        self, checkpoint: dict[str, Any], arrays: dict[str, NDArray[Any]], history: list[dict[str, Any]]
    ) -> None:
        """Take up what `checkpoint` and `arrays` returned: later steps are the same bits as without the break.

        Nothing in them is believed: what no run can have come to is a `RunError`. The depths of the trees are worked
        out again from the trees.
        """
        self.planner.restore(arrays)
        check_array(arrays, "iteration", np.int64, ())
        iteration = int(arrays["iteration"])
        if iteration < 0 or (history and iteration != len(history) - 1):
            raise damaged_arrays(f"iteration {iteration} is not the last of {len(history)} records")
        self.iteration = iteration
        self._restore_trees(arrays)
        self._restore_sums(arrays)
        kept = checkpoint.get("mixture_weights", ()) if isinstance(checkpoint, dict) else ()
        if kept is not None and not self._are_weights(kept):
            raise damaged_arrays("the mixture has not one weight for each tree")
        self.mixture_weights = None if kept is None else np.array(kept, dtype=np.int64)

    def _restore_trees(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take up the trees, each played through, or say what is wrong with them."""
        secrets = len(self.game.secrets)
        trees = len(arrays["tree_ends"]) if "tree_ends" in arrays and arrays["tree_ends"].ndim == 1 else 0
        check_array(arrays, "tree_ends", np.int64, (trees,))
        ends = arrays["tree_ends"]
        if not 1 <= trees <= min(self.most_trees, self.iteration + 1):
            raise damaged_arrays(f"{trees} trees are kept after iteration {self.iteration}")
        if ends[0] < 0 or (np.diff(ends) < 0).any():
            raise damaged_arrays("the trees do not end one after the other")
        check_array(arrays, "tree_guesses", np.int32, (int(ends[-1]),))
        check_array(arrays, "tree_depths", np.int16, (trees, secrets))
        guesses = np.split(arrays["tree_guesses"], ends[:-1])
        for number, (row, depths) in enumerate(zip(guesses, arrays["tree_depths"], strict=True)):
            try:
                played = replayed_depths(self.game, row)
            except SettingsError as error:
                raise damaged_arrays(f"tree {number} is none, {error}") from None
            if not np.array_equal(played, depths):
                raise damaged_arrays(f"the depths of tree {number} are not those of its guesses")
        self.guesses, self.depths = guesses, list(arrays["tree_depths"])

    def _restore_sums(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take up regrets, weights and totals, or say what is wrong with them; the trees have been taken up."""
        secrets, count = len(self.game.secrets), self.iteration + 1
        steps = count * (count + 1) // 2
        sums = {}
        for name, least, most in (
            ("regrets", 0, (self.head_start + count * secrets) << UNIT_BITS),
            ("hider_totals", steps, steps * self.planner.most_weight),
            ("depth_totals", steps, steps * secrets),
        ):
            sums[name] = from_limbs(arrays, name, secrets)
            if sums[name].min() < least or sums[name].max() > most:
                raise damaged_arrays(f"{name} are out of range")
        check_array(arrays, "weights", np.int64, (secrets,))
        if not np.array_equal(arrays["weights"], self._weights_of(sums["regrets"])):
            raise damaged_arrays("the weights are not those of the regrets")
        if len(self.depths) == count:  # no tree has been let go: their depths must add up
            totals: NDArray[Any] = np.zeros(secrets, dtype=np.int64)
            for number, depths in enumerate(self.depths):
                totals = added_up(totals, depths.astype(np.int64), number + 1)
            if not np.array_equal(totals, sums["depth_totals"]):
                raise damaged_arrays("the depths of the trees do not add up to depth_totals")
        self.regrets, self.weights = sums["regrets"], arrays["weights"].copy()
        self.hider_totals, self.depth_totals = sums["hider_totals"], sums["depth_totals"]

    def _are_weights(self, kept: object) -> bool:
        """Tell whether these may be the weights of the kept trees in a mixture."""
        return (
            isinstance(kept, list)
            and len(kept) == len(self.guesses)
            and all(type(weight) is int and 0 <= weight <= RESOLUTION for weight in kept)
            and any(kept)
        )


def added_up(totals: NDArray[Any], more: NDArray[np.int64], times: int) -> NDArray[Any]:
    """Return totals plus so many times more, exact: as Python's whole numbers where the sum of all may pass 62 bits."""
    if totals.dtype != object:
        largest = max(int(totals.max()), -int(totals.min())) + times * max(int(more.max()), -int(more.min()))
        if largest * len(totals) < WEIGHT_LIMIT:
            return totals + times * more
    return totals.astype(object) + times * more.astype(object)


def as_limbs(totals: NDArray[Any]) -> NDArray[np.int64]:
    """Return whole numbers as they are kept: as they stand, or digits of 62 bits, lowest first [digits, secrets]."""
    if totals.dtype != object:
        return totals
    digits: list[NDArray[np.int64]] = []
    rest = totals
    while rest.any() or not digits:
        digits.append((rest & ((1 << LIMB_BITS) - 1)).astype(np.int64))
        rest = rest >> LIMB_BITS
    return np.array(digits)


def from_limbs(arrays: dict[str, NDArray[Any]], name: str, secrets: int) -> NDArray[Any]:
    """Return the numbers of that name that `as_limbs` wrote, none negative, or say that they are damaged [secrets]."""
    if name not in arrays or arrays[name].ndim != 2:
        check_array(arrays, name, np.int64, (secrets,))
        return arrays[name].copy()
    kept = arrays[name]
    check_array(arrays, name, np.int64, (min(max(len(kept), 1), MOST_LIMBS), secrets))
    if kept.min() < 0 or int(kept.max()) >> LIMB_BITS:
        raise damaged_arrays(f"{name} are out of range")
    totals = np.zeros(secrets, dtype=object)
    for place, digits in enumerate(kept):
        totals += digits.astype(object) << (LIMB_BITS * place)
    return totals
