"""The guesser's responses by lookahead: the best tree in a graph of all that was looked at so far.

`Planner.respond(weights)` widens the graph where the best tree goes, then returns the best tree in it. One call on
a fresh planner is lookahead as such: at every state the best few guesses by score are played out to the end and the
cheapest is taken. Later calls reuse all earlier exploration, so they are both faster and better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.responses.scores import Score, score_of_name
from oracular.settings import PLANNER, check_all, default_of
from oracular.system.arrays import check_array, damaged_arrays

MOST_SECRETS = 20_000
"""Larger games would not fit the numbers that the graph is kept in."""

SMALL_GAME, LARGE_GAME = 800, 2000
"""Games of fewer secrets than the first are planned broadly; of more than the second, narrowly."""


def suited_settings(game: Game) -> dict[str, Any]:
    """Return the settings of a planner that did best for games of this size; the rest are its defaults."""
    secrets = len(game.secrets)
    if secrets < SMALL_GAME:
        return {"width": 32, "large_width": 32, "hope": 8}
    if secrets < LARGE_GAME:
        return {"width": 16, "root_width": 32, "patience": 100, "near": 32}
    return {"score_name": "depth", "large_width": 8, "root_width": 16, "hope": 3, "patience": 100, "near": 32}


if TYPE_CHECKING:
    from oracular.kernels.planning.graph import Graph, Scratch


@dataclass(frozen=True, eq=False)
class PlannedTree:
    """A whole tree of the guesser.

    Attributes:
        guesses: the guess at every state of two or more secrets, int32 [states]: a state comes before what follows
            from it, its parts in the order of their answers. With the game's table this is the whole tree.
        depths: how many guesses each secret takes, int32 [secrets].
    """

    guesses: NDArray[np.int32]
    depths: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Planner:
    """Finds trees for one game, and remembers what it has looked at.

    Attributes:
        game: the game.

    All others are settings: what they mean, their defaults and their ranges are declared in `oracular.settings`.
    """

    game: Game
    score_name: str = default_of(PLANNER, "score_name")
    ties: int = default_of(PLANNER, "ties")
    width: int = default_of(PLANNER, "width")
    large: int = default_of(PLANNER, "large")
    large_width: int = default_of(PLANNER, "large_width")
    root_width: int = default_of(PLANNER, "root_width")
    small: int = default_of(PLANNER, "small")
    small_width: int = default_of(PLANNER, "small_width")
    often: int = default_of(PLANNER, "often")
    hope: int = default_of(PLANNER, "hope")
    patience: int = default_of(PLANNER, "patience")
    near: int = default_of(PLANNER, "near")
    room: int = default_of(PLANNER, "room")

    def __post_init__(self) -> None:
        check_all(PLANNER, self, len(self.game.secrets))
        if len(self.game.secrets) > MOST_SECRETS or len(self.game.guesses) > 2 * MOST_SECRETS:
            raise SettingsError(
                f"{self.game.name} is too large for planning: at most {MOST_SECRETS:,} secrets can be planned for"
            )

    @cached_property
    def score(self) -> Score:
        """The score in use."""
        return score_of_name(self.score_name, len(self.game.secrets))

    @cached_property
    def shift(self) -> int:
        """The bits that hold a count beside a weight."""
        return len(self.game.secrets).bit_length()

    @property
    def most_weight(self) -> int:
        """What the weights may sum to at most."""
        return (1 << (31 - self.shift)) - 1

    @cached_property
    def graph(self) -> Graph:
        """The graph, empty at first."""
        from oracular.kernels.planning.graph import new_graph

        return new_graph(self.game.by_secret, self.game.guess_of_secret, self.room)

    @cached_property
    def scratch(self) -> Scratch:
        """Working space of the kernels."""
        from oracular.kernels.planning.graph import new_scratch

        found, score = self.game.found, self.score
        sizes = [self.small, self.small_width, self.large, self.large_width, self.root_width, self.near]
        settings = np.array([found, self.shift, score.found_value, self.ties, *sizes], dtype=np.int64)
        return new_scratch(len(self.game.secrets), len(self.game.labels), self.score.table, settings)

    @cached_property
    def _root(self) -> list[int]:
        """The node of the start, in a list since tidying renumbers it."""
        from oracular.kernels.planning.graph import node_of

        return [int(node_of(self.graph, self.game.all_secrets))]

    @property
    def root(self) -> int:
        """The node of the start."""
        return self._root[0]

    def tidy(self, patience: int) -> None:
        """Forget guesses that were not nearly best in the last `patience` responses, and sort what is left."""
        from oracular.kernels.planning.compaction import compact

        self._root[0] = int(compact(self.graph, self.root, patience))

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all that the planner remembers, to be kept by `numpy.savez` and given to `restore`."""
        from oracular.kernels.planning import graph as kernel

        graph = self.graph
        nodes, edges, children, members = (int(graph.counters[i]) for i in range(4))
        filled = {"child": children, "members": members, "edge_begin": edges + 1, "counters": len(graph.counters)}
        lengths = {name: nodes if name.startswith("node_") else edges for name in kernel.KEPT} | filled
        arrays = {name: getattr(graph, name)[: lengths[name]].copy() for name in kernel.KEPT}
        return arrays | {"root": np.array(self.root)}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take up what `as_arrays` returned: later responses are the same bits as without the break.

        Nothing in the arrays is believed. Where they are not what a planner with these settings can have remembered,
        that is a `RunError`, and nothing has been taken up.
        """
        from oracular.kernels.planning.compaction import enter_all

        kept = self._checked(arrays)
        for name, array in kept.items():
            getattr(self.graph, name)[: len(array)] = array
        enter_all(self.graph)
        self._root[0] = int(arrays["root"])

    def _checked(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays of the graph, or say what is wrong with them."""
        from oracular.kernels.planning import graph as kernel
        from oracular.kernels.planning.check import FAULTS, fault_of_graph

        check_array(arrays, "root", np.int64, ())
        check_array(arrays, "counters", np.int64, self.graph.counters.shape)
        nodes, edges, children, members = (int(arrays["counters"][i]) for i in range(4))
        filled = {"child": children, "members": members, "edge_begin": edges + 1, "counters": len(arrays["counters"])}
        kept = {}
        for name in kernel.KEPT:
            length = filled.get(name, nodes if name.startswith("node_") else edges)
            room = getattr(self.graph, name)
            check_array(arrays, name, room.dtype, (length,))
            if length > len(room):
                raise damaged_arrays(f"{name} holds {length:,} numbers, and there is room for {len(room):,}")
            kept[name] = np.array(arrays[name])  # its own, and laid out as the kernels expect it
        graph = self.graph._replace(**kept)
        fault = fault_of_graph(graph, int(arrays["root"]), self.game.found, len(self.game.labels))
        if fault:
            raise damaged_arrays(FAULTS[fault])
        return kept

    def rounded(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """Return the weights as whole numbers of the right size, none of them zero [secrets].

        They may be numbers of any kind, Python's whole numbers (dtype object) among them, whose sum fits their kind.
        """
        secrets = len(weights)
        total = weights.sum() if weights.dtype != object else sum(weights.tolist())
        share = weights.astype(np.float64) / float(total)
        return (share * (self.most_weight - secrets)).astype(np.int64) + 1

    def respond(self, weights: NDArray[np.int64], widen: bool = True, explorations: int = 0) -> PlannedTree:
        """Return the best tree against these weights, after widening the graph.

        Args:
            weights: the hider's weights, which sum to at most `most_weight` [secrets].
            widen: whether to look further; otherwise the best tree of the graph as it is comes back.
            explorations: how many trees to try first that would be best if every state never looked at closely held
                what is hoped of it: where the hope was true, the graph has become better for good.
        """
        from oracular.kernels.planning import search as kernel
        from oracular.kernels.planning.graph import NODES, SORTED

        graph, scratch, root = self.graph, self.scratch, self.root
        self.score.check_room(self.most_weight)
        if weights.shape != (len(self.game.secrets),) or weights.dtype != np.int64:
            raise SettingsError(
                f"weights {list(weights.shape)} of {weights.dtype} given: give {len(self.game.secrets)} of int64"
            )
        if sum(weights.tolist()) > self.most_weight or weights.min() < 0:
            raise SettingsError(f"weights must be none negative and sum to at most {self.most_weight}: round them")
        if graph.node_edge[root] < 0 and graph.node_size[root] > 3:
            kernel.play_out_root(graph, scratch, weights, root)
        if graph.counters[NODES] > 1.2 * graph.counters[SORTED] + 10_000:
            self.tidy(self.patience)
            root = self.root
        for _ in range(explorations if widen else 0):
            kernel.evaluate_all(graph, weights, self.hope)
            kernel.explore(graph, scratch, weights, root, self.width, self.often)
        kernel.evaluate_all(graph, weights, 0)
        if widen:
            kernel.explore(graph, scratch, weights, root, self.width, self.often)
        depths = np.zeros(len(weights), dtype=np.int32)
        guesses = np.zeros(2 * len(weights), dtype=np.int32)
        written = kernel.read_tree(graph, weights, root, self.game.found, depths, guesses)
        return PlannedTree(guesses[:written].copy(), depths)
