"""The guesser's responses by lookahead: the best tree in a graph of all that was looked at so far.

`Planner.respond(weights)` widens the graph where the best tree goes, then returns the best tree in it. One call on
a fresh planner is lookahead as such: at every state the best few guesses by score are played out to the end and the
cheapest is taken. Later calls reuse all earlier exploration, so they are both faster and better.

A guess is scored by what its parts will cost: the weight of a part times a number that depends on how many secrets are
in it. All numbers are whole, so that equal scores are equal on every machine.

For objectives other than the mean the worth of a guess is any function of the guess number. The graph is the same: what
was looked at for one objective is there for all others. Only its values differ, one for each guess number
(`kernels.planning.layers`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.table import MANY_ANSWERS
from oracular.problem import rounded
from oracular.responses.greedy import GreedyEngine
from oracular.settings import PLANNER, PlannerSettings, check_all
from oracular.strategies.tree import Tree
from oracular.system.checking import check_array, damaged_arrays
from oracular.system.control import NEVER, Deadline, DeadlinePassed
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.kernels.planning.layers import Layers
    from oracular.kernels.planning.scan import ScoredGame
    from oracular.kernels.planning.tables import Graph, PlanningSpace

MOST_SECRETS = 20_000
"""Larger games would not fit the numbers that the graph is kept in."""

SMALL_GAME, LARGE_GAME = 800, 2000
"""Games of fewer secrets than the first are planned broadly; of more than the second, narrowly."""


FIXED_POINT = 1 << 12
"""What stands for one in a table of fractions."""

GUESSES_PER_BIT = 0.487
"""How many guesses one binary digit of the number of secrets costs in Jotto; five letters need 6.58 for 11.47."""


@dataclass(frozen=True, eq=False)
class Score:
    """A rule to compare guesses: least is best.

    Attributes:
        table: what a unit of weight costs in a part, by the number of secrets in it [secrets + 1].
        found_value: what a unit of weight costs that the guess finds at once.
    """

    name: str
    table: NDArray[np.int64]
    found_value: int

    def check_room(self, total_weight: int) -> None:
        """Raise an error where twice a score could pass 62 bits."""
        if 2 * total_weight * int(self.table.max()) >= 2**62:
            raise SettingsError(f"weights that sum to {total_weight} are too large for score {quoted(self.name)}")


LOGARITHMS = {"log": (0.0, 1.0), "depth": (1.0, GUESSES_PER_BIT)}
"""Start and slope of the scores that grow with the binary logarithm of the secrets in a part.

`log` is the expected logarithm of what remains, `depth` the guesses still expected.
"""

SCORES = ("eliminations", *LOGARITHMS)
"""The scores by name; `eliminations` is the paper's, the expected number of secrets that remain.

Powers between (c^0.25 to c^0.75) were measured and picked worse guesses than these.
"""


def score_of_name(name: str, secrets: int) -> Score:
    """Return the score of that name for a game of so many secrets; logarithms are in fixed point."""
    if name not in SCORES:
        raise SettingsError(f"score {quoted(name)} is not known: choose one of {', '.join(SCORES)}")
    if name == "eliminations":
        return Score(name, np.arange(secrets + 1, dtype=np.int64), 1)
    start, slope = LOGARITHMS[name]
    table = [round(FIXED_POINT * (start + slope * math.log2(max(1, count)))) for count in range(secrets + 1)]
    return Score(name, np.array(table, dtype=np.int64), 0)


LARGEST_COST = 1 << 61
"""No cost is further from zero, so that a difference of two fits into 64 bits."""

MORE_PARTS = 1.1
"""A planned tree splits states in so many times more parts than the greedy tree, about."""

MANY = 1e9
"""More secrets than any game has."""

FEW = 3
"""States of up to so many secrets are played in closed form."""

USUAL_BYTES = 1 << 30
"""The values of all states that a graph has room for may take up to this; where they would take more, of fewer."""


class ScaledCosts(NamedTuple):
    """Costs as the kernels take them: what they rise by, in 32 bits.

    Attributes:
        state: whose costs they are, sorted secrets.
        rises: the cost of each of these at each guess, less its cost at the first, int32 [state, columns].
        shift: so many binary digits were left off.
        base: what the secrets cost at the first guess, in all.
    """

    state: Indices
    rises: NDArray[np.int32]
    shift: int
    base: int

    def total(self, value: int) -> int:
        """Return what a value of the kernels stands for."""
        return self.base + (value << self.shift)

    def write(self, costs: NDArray[np.int32]) -> None:
        """Write the costs into the array that the kernels read, which may have more columns; others cost nothing."""
        given = self.rises.shape[1]
        costs[:] = 0
        costs[self.state, :given] = self.rises
        costs[self.state, given:] = self.rises[:, -1:]


def scaled(costs: NDArray[np.int64], state: Indices) -> ScaledCosts:
    """Return the costs of some secrets as the kernels take them, or raise an error where they are none.

    Columns at the end that repeat the one before are left out. Binary digits are left off only where all costs together
    would not fit into 31.
    """
    if costs.ndim != 2 or costs.shape[1] < 1 or costs.dtype != np.int64:
        raise SettingsError(f"costs {list(costs.shape)} of {costs.dtype} given: give a row of int64 for each secret")
    if len(costs) <= state[-1]:
        raise SettingsError(f"{len(costs):,} rows of costs given: give one for each secret of the game")
    mine = costs[state]
    if max(int(mine.max()), -int(mine.min())) >= LARGEST_COST:
        raise SettingsError(f"a cost is not below {LARGEST_COST}: divide them all by a number")
    if (mine[:, 1:] < mine[:, :-1]).any():
        row = state[int(np.flatnonzero((mine[:, 1:] < mine[:, :-1]).any(axis=1))[0])]
        raise SettingsError(f"the costs of secret {row} fall from one guess to the next: they may only rise")
    rises = mine - mine[:, :1]
    changes = np.flatnonzero((rises[:, 1:] != rises[:, :-1]).any(axis=0))
    rises = rises[:, : int(changes[-1]) + 2 if len(changes) else 1]
    shift = max(0, sum(rises[:, -1].tolist()).bit_length() - 31)
    return ScaledCosts(state, (rises >> shift).astype(np.int32), shift, sum(mine[:, 0].tolist()))


def branching(game: Game) -> float:
    """Return in how many parts a guess of this game splits a state, about: what explains the greedy tree's depths."""
    secrets = len(game.secrets)
    depth = float(GreedyEngine(game, "possible").depths(np.ones(secrets, dtype=np.int64)).mean())
    low, high = 1.0, float(secrets)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _expected_depth(middle, secrets) > depth else (low, middle)
    return round(low, 4)


def _expected_depth(parts: float, secrets: int) -> float:
    """Return the mean depth of a tree that finds 1, b, b², … secrets at its levels."""
    depth, missing, level = 0.0, float(secrets), 1.0
    while missing > 0 and depth < secrets:
        depth += missing / secrets
        missing -= level
        level *= parts
    return depth


def missed_shares(parts: float, secrets: int, columns: int) -> NDArray[np.int32]:
    """Return the share of a state that is not found with so many guesses, in 4096ths [columns + 1, secrets + 1].

    A tree that splits each state in b finds n = 1 + b + … + b^(r-1) secrets with r guesses, the share x = n / c of c.
    Real trees split small states worse: of more than three secrets x / (1 + x³)^(1/3) is taken, which is nearly x where
    that is small and nearly one where it is large. Measured, that picked better guesses than min(1, x) by one to three
    in a hundred secrets found in time, and a larger b than the greedy tree's better ones, too.
    """
    from oracular.kernels.planning.layers import UNIT

    sizes = np.maximum(np.arange(secrets + 1), 1)
    shares = np.empty((columns + 1, secrets + 1), np.int32)
    found_by_then, level = 0.0, 1.0
    for guesses in range(columns + 1):
        share = found_by_then / sizes
        soft = np.minimum(share, 1) if guesses < 2 else share / (1 + share**3) ** (1 / 3)
        shares[guesses] = np.rint(UNIT * (1 - np.where(sizes <= FEW, np.minimum(share, 1), soft)))
        found_by_then, level = min(found_by_then + level, MANY), min(level * parts * MORE_PARTS, MANY)
    return shares


def room_for(columns: int, nodes: int, room: int) -> int:
    """Return for how many states values are kept in a graph that has so many now, and room for so many in all."""
    return min(room, max(USUAL_BYTES // (4 * columns), nodes + nodes // 2 + (1 << 16)))


def suited_settings(game: Game) -> dict[str, Any]:
    """Return the settings of a planner that did best for games of this size; the rest are its defaults."""
    secrets = len(game.secrets)
    if secrets < SMALL_GAME:
        return {"width": 32, "large_width": 32, "hope": 8}
    if secrets < LARGE_GAME:
        return {"width": 16, "root_width": 32, "patience": 100, "near": 32}
    return {"score_name": "depth", "large_width": 8, "root_width": 16, "hope": 3, "patience": 100, "near": 32}


def seeking_settings(game: Game) -> dict[str, Any]:
    """Return the settings of a planner that looks for trees in which single heavy secrets are found early.

    In a game of many answers (Wordle) a few guesses find any secret, so a few hard secrets decide its value. Against a
    hider who prefers them other openings are best than by score, and guesses that a score does not see.
    """
    if len(game.labels) <= MANY_ANSWERS:
        return suited_settings(game)
    return {
        "score_name": "depth", "width": 16, "large_width": 24, "root_width": 128, "hope": 8, "patience": 300,
        "near": 96, "again": 64, "seek": 16,
    }  # fmt: skip


def scored_game(game: Game, score: Score, ties: int = 1) -> ScoredGame:
    """Return a game and a score as the kernels read them; of equal scores possible secrets go first (1) or not (0)."""
    from oracular.kernels.guessing import guessing_table
    from oracular.kernels.planning.scan import ScoredGame

    return ScoredGame(
        by_secret=np.require(game.by_secret, requirements="W"),  # the kernels are compiled for writable arrays
        guess_of_secret=game.guess_of_secret,
        found=game.found,
        answers=len(game.labels),
        shift=len(game.secrets).bit_length(),
        table=score.table,
        found_value=score.found_value,
        ties=ties,
        guessing=guessing_table(game),
    )


@dataclass(eq=False)
class _Remembered:
    """What a planner has looked at: the graph and the node of the start in it; and space for values by guess number."""

    graph: Graph
    root: int
    layers: Layers | None = None


@dataclass(frozen=True, eq=False)
class Planner(PlannerSettings):
    """Finds trees for one game, and remembers what it has looked at."""

    game: Game

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

    @property
    def most_weight(self) -> int:
        """What the weights may sum to at most."""
        return (1 << (31 - len(self.game.secrets).bit_length())) - 1

    @cached_property
    def _remembered(self) -> _Remembered:
        from oracular.kernels.planning.graph import node_of

        graph = self._new_graph()
        return _Remembered(graph, int(node_of(graph, self.game.all_secrets, FREE)))

    def _new_graph(self) -> Graph:
        from oracular.kernels.guessing import guessing_table
        from oracular.kernels.planning.tables import new_graph

        by_secret = np.require(self.game.by_secret, requirements="W")  # one kind of array is compiled for
        return new_graph(by_secret, self.game.guess_of_secret, guessing_table(self.game), self.room)

    @property
    def graph(self) -> Graph:
        """The graph of all that was looked at."""
        return self._remembered.graph

    @property
    def root(self) -> int:
        """The node of the start."""
        return self._remembered.root

    @cached_property
    def space(self) -> PlanningSpace:
        """What the kernels need beside the graph."""
        from oracular.kernels.planning.scan import new_scan_space
        from oracular.kernels.planning.tables import PlanSettings, new_planning_space

        scored = scored_game(self.game, self.score, self.ties)
        settings = PlanSettings(**{name: getattr(self, name) for name in PlanSettings._fields})
        return new_planning_space(scored, settings, new_scan_space(scored.answers), self.room)

    def tidy(self, patience: int, deadline: Deadline = NEVER) -> None:
        """Forget guesses that were not nearly best in the last `patience` responses, and sort what is left.

        Where the deadline passes first, `DeadlinePassed` is raised and nothing has changed.
        """
        from oracular.kernels.planning.compaction import compact

        tidied = self._new_graph()
        root = int(compact(self.graph, tidied, self.root, patience, deadline.flag))
        if deadline.flag[0]:
            raise DeadlinePassed
        self._remembered.graph, self._remembered.root = tidied, root

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all that the planner remembers, to be kept by `numpy.savez` and given to `restore`."""
        from oracular.kernels.planning.tables import OFTEN_ZERO, lengths_of

        lengths = lengths_of(self.graph.counters)
        arrays = {name: getattr(self.graph, name)[:length].copy() for name, length in lengths.items()}
        for name in OFTEN_ZERO:  # where nothing but the mean was asked for, and in all games but hard ones
            if not arrays[name].any():
                del arrays[name]
        return arrays | {"root": np.array(self.root)}

    def restore(self, arrays: Mapping[str, NDArray[Any]], deadline: Deadline = NEVER) -> None:
        """Take up what `as_arrays` returned: later responses are the same bits as without the break.

        Nothing in the arrays is believed. Where they are not what a planner with these settings can have remembered,
        that is a `RunError`, where the deadline passes first `DeadlinePassed`, and nothing has been taken up.
        """
        from oracular.kernels.planning.check import FAULTS, fault_of_graph
        from oracular.kernels.planning.compaction import enter_all, enter_found
        from oracular.kernels.planning.tables import OFTEN_ZERO, lengths_of

        check_array(arrays, "root", np.int64, ())
        check_array(arrays, "counters", np.int64, self.graph.counters.shape)
        kept: dict[str, Any] = {}
        for name, length in lengths_of(arrays["counters"]).items():
            room = getattr(self.graph, name)
            if name in OFTEN_ZERO and name not in arrays and 0 <= length <= len(room):
                kept[name] = np.zeros(length, room.dtype)
                continue
            check_array(arrays, name, room.dtype, (length,))
            if length > len(room):
                raise damaged_arrays(f"{name} holds {length:,} numbers, and there is room for {len(room):,}")
            kept[name] = np.array(arrays[name])  # its own, and laid out as the kernels expect it
        kept["node_kind"] &= 7  # earlier versions kept a fourth bit, which decided nothing
        root = int(arrays["root"])
        fault = fault_of_graph(self.graph._replace(**kept), root, self.game.found, len(self.game.labels))
        if fault:
            raise damaged_arrays(FAULTS[fault])
        graph = self._new_graph()
        for name, array in kept.items():
            deadline.check()
            getattr(graph, name)[: len(array)] = array
        enter_all(graph, deadline.flag)
        enter_found(graph, self.game.found, deadline.flag)
        if deadline.flag[0]:
            raise DeadlinePassed
        self._remembered.graph, self._remembered.root = graph, root

    def rounded(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """Return weights as whole numbers that the planner takes, none of them zero [secrets]."""
        return rounded(weights, self.most_weight)

    def respond(
        self, weights: NDArray[np.int64], widen: bool = True, explorations: int = 0, deadline: Deadline = NEVER
    ) -> Tree:
        """Return the best tree against these weights, after widening the graph.

        Args:
            weights: the hider's weights, which sum to at most `most_weight` [secrets].
            widen: whether to look further; otherwise the best tree of the graph as it is comes back.
            explorations: how many trees to try first that would be best if every state never looked at closely held
                what is hoped of it: where the hope was true, the graph has become better for good.
            deadline: where it passes first, `DeadlinePassed` is raised, and the planner is as it was before.
        """
        from oracular.kernels.planning.graph import put_back
        from oracular.kernels.planning.search import play_out

        self.score.check_room(self.most_weight)
        if weights.shape != (len(self.game.secrets),) or weights.dtype != np.int64:
            raise SettingsError(
                f"weights {list(weights.shape)} of {weights.dtype} given: give {len(self.game.secrets)} of int64"
            )
        if sum(weights.tolist()) > self.most_weight or weights.min() < 0:
            raise SettingsError(f"weights must be none negative and sum to at most {self.most_weight}: round them")
        with self.unchanged_on_error() as before:
            graph, root = self.graph, self.root
            if graph.node_edge[root] < 0 and graph.node_size[root] > 3:
                space = self.space_by(deadline)
                if not play_out(graph, space, weights, root, self.small):
                    # several guesses at the small states do not fit: every state gets one, see `settings.least_room`
                    put_back(graph, before)
                    play_out(graph, space, weights, root, 0)
            return self._respond(weights, explorations if widen else 0, widen, deadline)

    @contextmanager
    def unchanged_on_error(self) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Make the graph what it was where the work with it is cut off, by a deadline or Ctrl-C between two kernels."""
        from oracular.kernels.planning.graph import put_back, snapshot

        graph, root = self.graph, self.root
        before = snapshot(graph)
        try:
            yield before
        except BaseException:
            put_back(graph, before)
            self._remembered.graph, self._remembered.root = graph, root
            raise

    def space_by(self, deadline: Deadline) -> PlanningSpace:
        """Return what the kernels need beside the graph, with a flag that stops them at the deadline."""
        return self.space._replace(scan=self.space.scan._replace(stop=deadline.flag))

    def _respond(self, weights: NDArray[np.int64], explorations: int, widen: bool, deadline: Deadline) -> Tree:
        """Return the best tree, or raise `DeadlinePassed` and leave the graph half made."""
        from oracular.kernels.planning.search import explore, read_tree
        from oracular.kernels.planning.values import evaluate_all

        space = self.space_by(deadline)
        self._tidy_in_time(deadline)
        graph, root = self.graph, self.root
        for _ in range(explorations):
            evaluate_all(graph, space, weights, self.hope)
            explore(graph, space, weights, root)
        evaluate_all(graph, space, weights, 0)
        if widen:
            explore(graph, space, weights, root)
        guesses, depths = read_tree(graph, space, weights, self.game.table)
        if deadline.flag[0]:
            raise DeadlinePassed
        return Tree.with_depths(self.game, guesses, depths)

    def _tidy_in_time(self, deadline: Deadline) -> None:
        """Tidy the graph where it has grown much since it was last sorted."""
        from oracular.kernels.planning.tables import NODES, SORTED

        if self.graph.counters[NODES] > 1.2 * self.graph.counters[SORTED] + 10_000:
            self.tidy(self.patience, deadline)

    def respond_to(
        self, costs: NDArray[np.int64], *, widen: bool = True, explorations: int = 0, deadline: Deadline = NEVER
    ) -> Tree:
        """Return the best tree for any objective, after widening the graph.

        Args:
            costs: what it costs to find each secret at guess 1, 2, …, int64 [secrets, guesses]. No row falls, and the
                last column holds for all later guesses. Where they are so large that their sum needs more than 31
                binary digits, the lowest are left off.
            widen: as for `respond`.
            explorations: likewise.
            deadline: likewise.
        """
        from oracular.kernels.planning import layered_search as kernel
        from oracular.kernels.planning.graph import put_back
        from oracular.kernels.planning.layers import value_all

        asked = scaled(costs, self.game.all_secrets)
        with self.unchanged_on_error() as before:
            space = self.space_by(deadline)
            (layers, graph), root = self.layers_for(asked), self.root
            if graph.node_edge[root] < 0 and graph.node_size[root] > 3:
                layers.level[root] = 0
                if not kernel.play_out_layers(graph, space, layers, root, self.small):
                    put_back(graph, before)
                    kernel.play_out_layers(graph, space, layers, root, 0)
            if widen:
                self._tidy_in_time(deadline)
            (layers, graph), root = self.layers_for(asked), self.root
            for _ in range(explorations if widen else 0):
                value_all(graph, space, layers, self.hope)
                kernel.explore_layers(graph, space, layers, root)
            value_all(graph, space, layers, 0)
            if widen:
                kernel.explore_layers(graph, space, layers, root)
            guesses, depths = kernel.read_layers(graph, space, layers, self.game.table)
            if deadline.flag[0]:
                raise DeadlinePassed
            return Tree.with_depths(self.game, guesses, depths)

    def layers_for(self, asked: ScaledCosts) -> tuple[Layers, Graph]:
        """Return space to value the graph for each guess number, with these costs in it.

        The graph comes with it, with room for no more states than are to have values: all else is the same arrays.
        """
        from oracular.kernels.planning.layers import new_layers, padded
        from oracular.kernels.planning.tables import NODES

        secrets, columns = len(self.game.secrets), padded(asked.rises.shape[1])
        room = room_for(columns, int(self.graph.counters[NODES]), self.room)
        layers = self._remembered.layers
        if layers is None or layers.values.shape[1] != columns or len(layers.values) < room:
            layers = new_layers(secrets, columns, room, missed_shares(self._branching, secrets, columns))
            self._remembered.layers = layers
        asked.write(layers.costs)
        return layers, self.graph._replace(node_size=self.graph.node_size[:room])

    @cached_property
    def _branching(self) -> float:
        """In how many parts a guess splits a state, about."""
        return branching(self.game)
