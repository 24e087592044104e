"""Greedy trees whose parts are built by the workers of a cluster.

The states near the root are few and large: a worker finds the guess for each of them, and the state is split here.
Smaller states are sent out in batches of about equal work, and the depths below them come back. A state travels as its
secrets and their weights, since nothing else matters below it. The sums are exact, so the tree is the same bit for bit,
whoever builds which part of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oracular.cluster.connection import Cluster, Jobs
from oracular.cluster.worker import Place
from oracular.games.game import Indices
from oracular.games.guessing import FREE
from oracular.strategies.greedy import GreedyEngine, Ties
from oracular.system.control import NEVER, Deadline

BATCHES_A_WORKER = 8
"""Batches for each worker: enough to even out errors in the estimate of the work."""

LEAST_LOOKUPS = 1 << 22
"""A batch with fewer answers to look up takes less time than sending it."""


@dataclass(frozen=True, eq=False)
class State:
    """A state of the tree that is being built: its secrets, how many guesses were made above it, and its demand."""

    possible: Indices
    above: int
    demand: int = FREE

    @property
    def work(self) -> float:
        """About how much work the tree below it is, in secrets times levels."""
        return len(self.possible) * math.log2(len(self.possible) + 1)


def build_trees(
    place: Place,
    ties: Ties,
    secrets: Indices,
    weights: NDArray[np.int64],
    ends: Indices,
    demands: list[int],
    only_guess: bool,
) -> int | NDArray[np.int32]:
    """Return the depths of the trees below some states, one state after the other, or the guess; runs on a worker.

    Args:
        place: the game on the worker.
        ties: the rule for equally good guesses.
        secrets: those of the states, one state after the other [secrets sent].
        weights: their weights [secrets sent].
        ends: where each state ends [states].
        demands: those of the states.
        only_guess: whether only the guess for the one state is wanted.
    """
    engine = _engine_at(place, ties)
    all_weights = np.zeros(len(engine.game.secrets), dtype=np.int64)
    all_weights[secrets] = weights
    if only_guess:
        return engine.guess(all_weights, secrets, demand=demands[0])
    return _depths(engine, all_weights, np.split(secrets, ends[:-1]), demands)


def warm_up_worker(place: Place, ties: Ties) -> None:
    """Build the game and load compiled code; runs on a worker."""
    _engine_at(place, ties).warm_up()


def _engine_at(place: Place, ties: Ties) -> GreedyEngine:
    """Return the engine of a worker's thread."""
    engine: GreedyEngine | None = getattr(place.kept, "engine", None)
    if engine is None or engine.ties != ties:
        engine = place.kept.engine = GreedyEngine(place.game, ties)
    return engine


def _depths(
    engine: GreedyEngine, weights: NDArray[np.int64], states: list[Indices], demands: list[int]
) -> NDArray[np.int32]:
    """Return the depths below each of some states, one state after the other."""
    return np.concatenate(
        [engine.depths_from(weights, possible, demand=asked) for possible, asked in zip(states, demands, strict=True)]
    )


_Label: TypeAlias = tuple[list[State], bool]
"""The states of a job, and whether only the guess is wanted."""


class DistributedEngine:
    """Builds greedy trees for one game on a cluster."""

    def __init__(self, engine: GreedyEngine, cluster: Cluster) -> None:
        self.engine, self.cluster = engine, cluster
        cluster.announce(engine.game)  # workers with other words are refused before anything is written

    def warm_up(self) -> None:
        """Have every worker build the game and load its compiled code."""
        with Jobs[int, None](self.cluster, lambda label, answer: None) as jobs:
            for number in range(self.cluster.workers):
                jobs.send(number, self.engine.game, warm_up_worker, self.engine.ties)
            while len(jobs):
                jobs.next()

    def play(
        self, weights: NDArray[np.int64], depth_totals: NDArray[np.int64], most: int, shared: int, deadline: Deadline
    ) -> None:
        """Return nothing: the workers build one tree after the other."""

    def depths(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

        Raises `DeadlinePassed` if that takes too long.
        """
        game = self.engine.game
        root = State(game.all_secrets, 0)
        grain = max(root.work / (self.cluster.workers * BATCHES_A_WORKER), LEAST_LOOKUPS / max(len(game.guesses), 1))
        depths = np.zeros(len(game.secrets), dtype=np.int32)
        new, small = [root], list[State]()
        scoring = 0
        with self._jobs(weights) as jobs:
            while new or small or len(jobs):
                for state in new:
                    if state.work > grain:
                        self._send(jobs, [state], weights, guess=True)
                        scoring += 1
                    else:
                        small.append(state)
                new = []
                if small and (scoring == 0 or sum(state.work for state in small) >= grain):
                    for batch in balanced(small, grain):
                        self._send(jobs, batch, weights)
                    small = []
                deadline.check()
                ready = jobs.next(timeout=0.1)
                if ready is None:
                    continue
                (states, guess), answer = ready
                if guess:
                    scoring -= 1
                    new = self._parts(states[0], answer, depths)
                else:
                    above = np.concatenate([np.full(len(state.possible), state.above, np.int32) for state in states])
                    depths[np.concatenate([state.possible for state in states])] = above + answer
        return depths

    def _jobs(self, weights: NDArray[np.int64]) -> Jobs[_Label, Any]:
        """Return the jobs of one tree."""

        def again(label: _Label, answer: Any) -> bool:
            states, guess = label
            possible, demands = [state.possible for state in states], [state.demand for state in states]
            if guess:
                return answer == self.engine.guess(weights, possible[0], demand=demands[0])
            return np.array_equal(answer, _depths(self.engine, weights, possible, demands))

        return Jobs(self.cluster, self._checked, again)

    def _send(
        self, jobs: Jobs[_Label, Any], states: list[State], weights: NDArray[np.int64], *, guess: bool = False
    ) -> None:
        everything = np.concatenate([state.possible for state in states])
        ends = np.cumsum([len(state.possible) for state in states]).astype(np.int32)
        demands = [state.demand for state in states]
        job = self.engine.ties, everything, weights[everything], ends, demands, guess
        jobs.send((states, guess), self.engine.game, build_trees, *job)

    def _checked(self, label: _Label, answer: Any) -> Any:
        """Return a worker's guess or depths, or raise an error if they are impossible.

        In a state of n secrets the first guess finds at most one, and each guess leaves fewer, so none takes more than
        n guesses.
        """
        states, guess = label
        wrong = self.cluster.false_answer
        if guess:
            game, state = self.engine.game, states[0]
            if type(answer) is not int or not 0 <= answer < len(game.guesses):
                raise wrong("its guess is none of the game's")
            row = game.answers(np.array([answer], dtype=np.int32), state.possible)[0]
            if (row == row[0]).all():  # a greedy guess always splits its state
                raise wrong("its guess eliminates nothing")
            if not game.allows(answer, state.possible, state.demand):
                raise wrong("its guess is not allowed")
            return answer
        sizes = np.array([len(state.possible) for state in states])
        if not (isinstance(answer, np.ndarray) and answer.dtype == np.int32 and answer.shape == (sizes.sum(),)):
            raise wrong("it does not give a whole number for each secret")
        begins = np.cumsum(sizes) - sizes
        if (
            (answer < 1).any()
            or (np.maximum.reduceat(answer, begins) > sizes).any()
            or (np.add.reduceat(answer == 1, begins, dtype=np.int64) > 1).any()
        ):
            raise wrong("no tree has the depths that it gives")
        return answer

    def _parts(self, state: State, guess: int, depths: NDArray[np.int32]) -> list[State]:
        """Return the states that a guess leaves; a secret that it finds gets its depth."""
        game = self.engine.game
        row = game.answers(np.array([guess], dtype=np.int32), state.possible)[0]
        depths[state.possible[row == game.found]] = state.above + 1
        after = game.guessing.demand_after
        return [
            State(state.possible[row == answer], state.above + 1, after(state.demand, guess, answer))
            for answer in np.unique(row).tolist()
            if answer != game.found
        ]


def balanced(states: list[State], grain: float) -> list[list[State]]:
    """Return the states in batches of about equal work, none above the grain by more than a state: largest first."""
    count = max(1, round(sum(state.work for state in states) / grain))
    batches: list[list[State]] = [[] for _ in range(count)]
    loads = [0.0] * count
    for state in sorted(states, key=lambda state: -state.work):
        least = loads.index(min(loads))
        batches[least].append(state)
        loads[least] += state.work
    return [batch for batch in batches if batch]
