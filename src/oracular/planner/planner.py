"""The guesser's responses by lookahead: the best tree in a graph of all that was looked at so far.

`Planner.respond(costs)` widens the graph where the best tree goes, then returns the best tree in it. One call on
a fresh planner is lookahead as such: at every state the best few guesses by score are played out to the end and the
cheapest is taken. Later calls reuse all earlier exploration, so they are both faster and better.

A guess is scored by what its parts will cost: the weight of a part times a number that depends on how many secrets are
in it. All numbers are whole, so that equal scores are equal on every machine.

The planner sees an objective as costs (`oracular.costs`). The graph is the same for all of them: what was looked at for
one objective is there for all others. Only its values differ, one for each guess number (`kernels.planner_values`).
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

from oracular.costs import Costs
from oracular.errors import SettingsError
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.table import MANY_ANSWERS
from oracular.problem import rounded
from oracular.settings import PLANNER, PlannerSettings, check_all
from oracular.strategies.greedy import GreedyEngine
from oracular.strategies.tree import Tree
from oracular.system.checking import check_array, damaged_arrays
from oracular.system.control import NEVER, Deadline, DeadlinePassed
from oracular.system.files import cut, quoted

if TYPE_CHECKING:
    from oracular.kernels.planner_graph import Graph, PlanningSpace
    from oracular.kernels.planner_values import Values
    from oracular.kernels.scoring import ScoredGame

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
    """Return the score of that name for a game of this many secrets; logarithms are in fixed point."""
    if name not in SCORES:
        raise SettingsError(f"score {quoted(name)} is not known: choose one of {', '.join(SCORES)}")
    if name == "eliminations":
        return Score(name, np.arange(secrets + 1, dtype=np.int64), 1)
    start, slope = LOGARITHMS[name]
    table = [round(FIXED_POINT * (start + slope * math.log2(max(1, count)))) for count in range(secrets + 1)]
    return Score(name, np.array(table, dtype=np.int64), 0)


MORE_PARTS = 1.1
"""A planned tree splits states into about this many times more parts than the greedy tree."""

MANY = 1e9
"""More secrets than any game has."""

FEW = 3
"""States of up to this many secrets are played in closed form."""

USUAL_BYTES = 1 << 30
"""The values of all states that a graph has room for may take up to this; where they would take more, of fewer."""


class Choice(NamedTuple):
    """A guess at a state, and what its secrets cost in all if it is made next and the best found is played on."""

    guess: int
    value: int


def shift_of(costs: Costs) -> int:
    """Return how many of the lowest binary digits the planner ignores, so that what costs rise by fits into 32 bits."""
    return max(0, sum((costs.found_at[-1] - costs.found_at[0]).tolist()).bit_length() - 31)


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
    """Return the share of a state that is not found with that many guesses, in 4096ths [columns + 1, secrets + 1].

    A tree that splits each state in b finds n = 1 + b + … + b^(r-1) secrets with r guesses, the share x = n / c of c.
    Real trees split small states worse: of more than three secrets x / (1 + x³)^(1/3) is taken, which is nearly x where
    that is small and nearly one where it is large. Measured, that picked better guesses than min(1, x) by one to three
    in a hundred secrets found in time, and a larger b than the greedy tree's better ones, too.
    """
    from oracular.kernels.planner_values import UNIT

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
    """Return for how many states values are kept in a graph with this many states now, and this much room."""
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
    from oracular.kernels.scoring import ScoredGame

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
    values: Values | None = None


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
        self.score.check_room(self.most_weight)

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
        from oracular.kernels.planner_graph import node_of

        graph = self._new_graph()
        return _Remembered(graph, int(node_of(graph, self.game.all_secrets, FREE)))

    def _new_graph(self) -> Graph:
        from oracular.kernels.guessing import guessing_table
        from oracular.kernels.planner_graph import new_graph

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
        from oracular.kernels.planner_graph import PlanSettings, new_planning_space
        from oracular.kernels.scoring import new_scan_space

        scored = scored_game(self.game, self.score, self.ties)
        settings = PlanSettings(**{name: getattr(self, name) for name in PlanSettings._fields})
        return new_planning_space(scored, settings, new_scan_space(scored.answers), self.room)

    def tidy(self, patience: int, deadline: Deadline = NEVER) -> None:
        """Forget guesses that were not nearly best in the last `patience` responses, and sort the rest.

        Where the deadline passes first, `DeadlinePassed` is raised and nothing has changed.
        """
        from oracular.kernels.planner_tidying import compact

        tidied = self._new_graph()
        root = int(compact(self.graph, tidied, self.root, patience, deadline.flag))
        if deadline.flag[0]:
            raise DeadlinePassed
        self._remembered.graph, self._remembered.root = tidied, root

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all that the planner remembers, to be saved by `numpy.savez` and given to `restore`."""
        from oracular.kernels.planner_graph import KEPT, OFTEN_ZERO, lengths_of

        lengths = lengths_of(self.graph.counters)
        arrays = {name: getattr(self.graph, name)[: lengths[name]].copy() for name in KEPT}
        for name in OFTEN_ZERO:  # as for the mean, and in all games but hard ones
            if not arrays[name].any():
                del arrays[name]
        return arrays | {"root": np.array(self.root)}

    def restore(self, arrays: Mapping[str, NDArray[Any]], deadline: Deadline = NEVER) -> None:
        """Take up what `as_arrays` returned: later responses are the same bits as without the break.

        Nothing in the arrays is believed. If they are not what a planner with these settings can have remembered, that
        is a `RunError`; if the deadline passes first, `DeadlinePassed`; and nothing has been taken up.
        """
        from oracular.kernels.planner_graph import KEPT, OFTEN_ZERO, lengths_of, within_room
        from oracular.kernels.planner_tidying import restore

        check_array(arrays, "root", np.int64, ())
        check_array(arrays, "counters", np.int64, self.graph.counters.shape)
        lengths = lengths_of(arrays["counters"])
        kept: dict[str, Any] = {}
        for name in KEPT:
            room = getattr(within_room(self.graph, self.room), name)
            if not 0 <= lengths[name] <= len(room):
                raise damaged_arrays(f"{name} holds {lengths[name]:,} numbers, and there is room for {len(room):,}")
            if name in OFTEN_ZERO and name not in arrays:
                kept[name] = np.zeros(lengths[name], room.dtype)
            else:
                check_array(arrays, name, room.dtype, (lengths[name],))
                kept[name] = np.array(arrays[name])  # its own, and laid out as the kernels expect it
        graph, root = self._new_graph(), int(arrays["root"])
        sound = restore(self.graph._replace(**kept), graph, self.space_by(deadline), root)
        deadline.check_flag()
        if not sound:
            raise damaged_arrays("the planner's states and guesses are not those of a search in this game")
        self._remembered.graph, self._remembered.root = graph, root

    def rounded(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """Return weights as whole numbers that the planner takes, none of them zero [secrets]."""
        return rounded(weights, self.most_weight)

    def respond(self, costs: Costs, *, widen: bool = True, explorations: int = 0, deadline: Deadline = NEVER) -> Tree:
        """Return the best tree for these costs, after widening the graph.

        Args:
            costs: what finding each secret costs. For the mean the weights sum to at most `most_weight`; if other costs
                are so large that their sum needs more than 31 binary digits, the lowest digits are ignored.
            widen: whether to look further; otherwise the best tree of the graph as it is is returned.
            explorations: how many trees to try first that would be best if every state never looked at closely held
                what is hoped of it: if the hope was true, the graph has become better for good.
            deadline: if it passes first, `DeadlinePassed` is raised, and the planner is as it was before.
        """
        from oracular.kernels.planner import explore, read_tree
        from oracular.kernels.planner_values import value_all

        with self.unchanged_on_error():
            self.begin(costs, deadline)
            if widen:
                self._tidy_in_time(deadline)
            (values, graph), root, space = self.values_for(costs), self.root, self.space_by(deadline)
            for _ in range(explorations if widen else 0):
                value_all(graph, space, values, self.hope)
                explore(graph, space, values, root)
            value_all(graph, space, values, 0)
            if widen:
                explore(graph, space, values, root)
            guesses, depths = read_tree(graph, space, values, self.game.table)
            if deadline.flag[0]:
                raise DeadlinePassed
            return Tree.with_depths(self.game, guesses, depths)

    def begin(
        self, costs: Costs, deadline: Deadline = NEVER, *, node: int | None = None, opening: int | None = None
    ) -> None:
        """Play out a state that no guess was tried at yet, the start unless another is given.

        With an opening, that will be the only guess at the start. It must distinguish some secrets.
        """
        from oracular.kernels.planner import begin_with, play_out
        from oracular.kernels.planner_graph import put_back, snapshot

        node = self.root if node is None else node
        (values, graph), space = self.values_for(costs), self.space_by(deadline)
        if graph.node_edge[node] >= 0 or graph.node_size[node] <= FEW:
            return
        values.level[node] = 0
        before = snapshot(graph)
        for small in (self.small, 0):  # if there is no room, every state gets one guess: see `settings.least_room`
            if opening is None:
                fits = play_out(graph, space, values, node, small)
            else:
                fits = begin_with(graph, space, values, node, opening, small)
            deadline.check_flag()
            if fits:
                return
            put_back(graph, before)

    @contextmanager
    def unchanged_on_error(self) -> Iterator[dict[str, NDArray[np.generic]]]:
        """Make the graph what it was where the work with it is cut off, by a deadline or Ctrl-C between two kernels."""
        from oracular.kernels.planner_graph import put_back, snapshot

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

    def _tidy_in_time(self, deadline: Deadline) -> None:
        """Tidy the graph where it has grown much since it was last sorted."""
        from oracular.kernels.planner_graph import NODES, SORTED

        if self.graph.counters[NODES] > 1.2 * self.graph.counters[SORTED] + 10_000:
            self.tidy(self.patience, deadline)

    def values_for(self, costs: Costs) -> tuple[Values, Graph]:
        """Return space to value the graph for each guess number, with these costs in it.

        The graph comes with it, with room for no more states than are to have values: all else is the same arrays.
        """
        from oracular.kernels.planner_graph import NODES, within_room
        from oracular.kernels.planner_values import FAR, new_values, padded

        secrets = len(self.game.secrets)
        if costs.rise.shape[1] != secrets:
            raise SettingsError(f"costs of {costs.rise.shape[1]:,} secrets given: give those of {secrets:,}")
        found = costs.found_at - costs.found_at[0]
        if costs.columns > 1:
            if costs.rise[-1].any():
                raise SettingsError("costs that go on rising after the last column are planned for the mean alone")
            found = found[:-1] >> shift_of(costs)
        elif int(costs.rise.sum()) > self.most_weight:
            raise SettingsError(f"weights must sum to at most {self.most_weight}: round them")
        columns = padded(len(found))
        room = room_for(columns, int(self.graph.counters[NODES]), self.room)
        values = self._remembered.values
        if values is None or values.costs.shape[1] != columns + FAR or len(values.level) < room:
            missed = missed_shares(self._branching if columns > 1 else 1.0, secrets, columns)
            values = new_values(secrets, columns, room, missed)
            self._remembered.values = values
        if columns == 1:  # kept with the graph: a run goes on with them
            values = values._replace(values=self.graph.node_value.reshape(-1, 1))
        values.weights[:] = costs.rise[-1]
        values.costs[:secrets, : len(found)] = found.T
        beyond = np.arange(1, columns + FAR - len(found) + 1)
        values.costs[:secrets, len(found) :] = found[-1][:, None] + costs.rise[-1][:, None] * beyond
        return values, within_room(self.graph, room)

    @cached_property
    def _branching(self) -> float:
        """In how many parts a guess splits a state, about."""
        return branching(self.game)


def choices(
    planner: Planner,
    state: Indices,
    costs: Costs,
    count: int = 1,
    demand: int = FREE,
) -> list[Choice]:
    """Return the best guesses at a state, best first, with what its secrets cost after each.

    Args:
        planner: one that has looked at nothing: what it knew would decide which guesses it finds.
        state: the secrets that are still possible, sorted.
        costs: with the next guess in the first column; other secrets do not count.
        count: how many guesses to return at most.
        demand: what hard mode requires of the guesses at this state.
    """
    from oracular.kernels.planner import explore, guesses_from, try_few
    from oracular.kernels.planner_graph import NODES, node_of
    from oracular.kernels.planner_values import value_all

    secrets = len(planner.game.secrets)
    if state.ndim != 1 or not len(state) or state.dtype.kind not in "iu":
        raise SettingsError(f"a state {list(state.shape)} of {state.dtype} given: give the possible secrets by number")
    if state[0] < 0 or state[-1] >= secrets or (np.diff(state) <= 0).any():
        raise SettingsError(f"the state {cut(state.tolist())} is not sorted, or has others than {secrets:,} secrets")
    if planner.graph.counters[NODES] > secrets + 1:
        raise ValueError("the planner has looked at other states")
    rise = np.zeros_like(costs.rise)
    rise[:, state] = costs.rise[:, state]
    costs = Costs(rise, costs.weights)
    node = int(node_of(planner.graph, state.astype(np.int32), demand))
    planner.begin(costs, node=node)
    (values, graph), space = planner.values_for(costs), planner.space
    if len(state) <= FEW:
        try_few(graph, space, node)
    value_all(graph, space, values, 0)
    explore(graph, space, values, node)
    value_all(graph, space, values, 0)
    guesses, totals = guesses_from(graph, values, node)
    order = np.argsort(totals, kind="stable")[:count]
    base, shift = int(costs.rise[0].sum()), shift_of(costs)
    return [Choice(int(guesses[i]), base + (int(totals[i]) << shift)) for i in order]
