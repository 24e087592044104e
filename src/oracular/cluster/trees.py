"""Greedy trees whose parts are built by the workers of a cluster.

The states near the root are few and large: a worker finds the guess for each of them, and the state is split here.
Smaller states are sent out in batches of about equal work, and the depths below them come back. A state travels as its
secrets and their weights, since nothing else matters below it. The sums are exact, so the tree is the same bit for bit,
whoever builds which part of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oracular.cluster.connection import Cluster
from oracular.cluster.rechecks import checked_depths, checked_guess
from oracular.cluster.tasks import Tasks
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.responses.greedy import GreedyEngine, Ties
from oracular.system.deadline import NEVER, Deadline

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


@dataclass(frozen=True, eq=False)
class Batch:
    """States as they travel, their secrets one state after the other; `ends` says where each ends.

    In hard mode each has its demand [states]; in other games there are none.
    """

    secrets: Indices
    ends: Indices
    weights: NDArray[np.int64]
    demands: NDArray[np.int64]

    @classmethod
    def of(cls, states: list[State], weights: NDArray[np.int64]) -> Batch:
        """Return the batch of these states."""
        secrets = np.concatenate([state.possible for state in states])
        ends = np.cumsum([len(state.possible) for state in states]).astype(np.int32)
        demands = np.array([state.demand for state in states], dtype=np.int64)
        return cls(secrets, ends, weights[secrets], demands if demands.any() else demands[:0])

    def states(self) -> list[tuple[Indices, int]]:
        """Return the secrets of each state, with its demand."""
        demands = self.demands.tolist() or [FREE] * len(self.ends)
        return list(zip(np.split(self.secrets, self.ends[:-1]), demands, strict=True))

    def all_weights(self, game: Game) -> NDArray[np.int64]:
        """Return the weights as the engine takes them, zero outside these states [secrets]."""
        everything = np.zeros(len(game.secrets), dtype=np.int64)
        everything[self.secrets] = self.weights
        return everything


@dataclass(frozen=True, eq=False)
class DistributedEngine:
    """Builds greedy trees for one game on a cluster."""

    engine: GreedyEngine
    cluster: Cluster
    least_lookups: int = LEAST_LOOKUPS

    @cached_property
    def ticket(self) -> str:
        """What the workers know the game by."""
        return self.cluster.announce(self.engine.game)

    def warm_up(self) -> None:
        """Have every worker build the game and load its compiled code."""
        game = self.engine.game
        one = State(game.all_secrets[:2], 0)
        with self.cluster.tasks() as tasks:
            for _ in range(self.cluster.workers):
                self._send([one], np.ones(len(game.secrets), dtype=np.int64), tasks)
            while len(tasks):
                tasks.next()

    def play(
        self, weights: NDArray[np.int64], depth_totals: NDArray[np.int64], most: int, deadline: Deadline = NEVER
    ) -> None:
        """Return nothing: the workers build one tree after the other."""

    def depths(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int32]:
        """Return how many guesses the greedy tree against these weights takes for each secret [secrets].

        Raises `DeadlinePassed` where that takes too long.
        """
        game = self.engine.game
        root = State(game.all_secrets, 0)
        grain = max(
            root.work / (self.cluster.workers * BATCHES_A_WORKER), self.least_lookups / max(len(game.guesses), 1)
        )
        depths = np.zeros(len(game.secrets), dtype=np.int32)
        small: list[State] = []
        scoring = 0
        with self.cluster.tasks() as tasks:

            def deal(states: list[State]) -> None:
                """Send out the large states by themselves, and the small ones as soon as they fill a batch."""
                nonlocal small, scoring
                for state in states:
                    if state.work > grain:
                        batch = Batch.of([state], weights)
                        tasks.add(state, worker_guess, self.ticket, self.engine.ties, batch)
                        scoring += 1
                    else:
                        small.append(state)
                full = sum(state.work for state in small) >= grain
                if small and (full or scoring == 0):
                    for states_of_batch in balanced(small, grain):
                        self._send(states_of_batch, weights, tasks)
                    small = []

            deal([root])
            while len(tasks):
                deadline.check()
                ready = tasks.next(timeout=0.1)
                if ready is None:
                    continue
                label, result = ready
                if isinstance(label, State):
                    scoring -= 1
                    deal(self._parts(label, self._true_guess(label, result, weights), depths))
                else:
                    above = np.concatenate([np.full(len(s.possible), s.above, np.int32) for s in label])
                    below = self._true_depths(label, result, weights)
                    depths[np.concatenate([s.possible for s in label])] = above + below
        return depths

    def _send(self, states: list[State], weights: NDArray[np.int64], tasks: Tasks[State | list[State]]) -> None:
        tasks.add(states, worker_depths, self.ticket, self.engine.ties, Batch.of(states, weights))

    def _true_guess(self, state: State, answer: object, weights: NDArray[np.int64]) -> int:
        """Return a worker's guess, checked, and for a sample worked out here as well."""
        guess = checked_guess(self.cluster, self.engine.game, answer)
        if self.cluster.to_be_rechecked("guess"):
            if guess != self.engine.guess(weights, state.possible, demand=state.demand):
                raise self.cluster.false_answer("its guess is not the greedy one")
            self.cluster.rechecked += 1
        return guess

    def _true_depths(self, states: list[State], answer: object, weights: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return a worker's depths, checked, and for a sample worked out here as well."""
        depths = checked_depths(self.cluster, [state.possible for state in states], answer)
        if self.cluster.to_be_rechecked("depths"):
            ours = np.concatenate(
                [self.engine.depths_from(weights, state.possible, demand=state.demand) for state in states]
            )
            if not np.array_equal(depths, ours):
                raise self.cluster.false_answer("its depths are not those of the greedy tree")
            self.cluster.rechecked += 1
        return depths

    def _parts(self, state: State, guess: int, depths: NDArray[np.int32]) -> list[State]:
        """Return the states that a guess leaves; a secret that it finds gets its depth."""
        game = self.engine.game
        row = game.answers(np.array([guess], dtype=np.int32), state.possible)[0]
        if (row == row[0]).all():  # a greedy guess always splits its state
            raise self.cluster.false_answer("its guess eliminates nothing")
        if not game.allows(guess, state.possible, state.demand):
            raise self.cluster.false_answer("its guess is not allowed")
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


def _engine_for(ticket: str, ties: Ties) -> GreedyEngine:
    """Return this thread's engine for a game."""
    from oracular.cluster.work import game_for, workplace

    game, place = game_for(ticket), workplace(ticket)
    kept: GreedyEngine | None = place.get("engine")
    if kept is None or kept.game is not game or kept.ties != ties:
        kept = place["engine"] = GreedyEngine(game, ties)
    return kept


def worker_guess(ticket: str, ties: Ties, batch: Batch) -> int:
    """Return the guess at the one state of a batch; runs on a worker."""
    engine = _engine_for(ticket, ties)
    ((possible, demand),) = batch.states()
    return engine.guess(batch.all_weights(engine.game), possible, demand=demand)


def worker_depths(ticket: str, ties: Ties, batch: Batch) -> NDArray[np.int32]:
    """Return the depths below each state of a batch, one state after the other; runs on a worker."""
    engine = _engine_for(ticket, ties)
    weights = batch.all_weights(engine.game)
    return np.concatenate([engine.depths_from(weights, possible, demand=asked) for possible, asked in batch.states()])
