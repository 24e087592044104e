"""Fictitious play over oracles: the paper's SolveJotto, one iteration a step.

At every iteration the hider adds a best response to the guesser's average so far, the guesser a greedy best response
to the hider's:

    s_h <- (1 - 1/(t+1)) s_h + 1/(t+1) HiderBR(ANG),    ANG <- (1 - 1/(t+1)) ANG + 1/(t+1) CompNumGuesses(s_h).

Kept as sums instead of averages both are whole numbers: the weights that the hider has shared out, and the depths of
all trees added up. The iteration t* with the least epsilon is remembered: play is not monotonic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.evaluation import Standing, standing
from oracular.games.game import Game, Indices
from oracular.responses.greedy import GreedyEngine, GreedyResponses
from oracular.responses.hider import add_response, best_response_to_depths, shared_unit
from oracular.solvers.solver import Outcome, standing_of
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture
from oracular.system.deadline import NEVER, Deadline
from oracular.system.files import check_list, check_object, check_whole


@dataclass(frozen=True, eq=False)
class Position:
    """Where fictitious play stands after an iteration.

    Attributes:
        iteration: t; 0 is the start, where the hider is uniform.
        weights: the hider's weights, summed over the iterations [secrets].
        depth_totals: the guesser's depths, summed over the iterations [secrets].
        standing: what each side gets and could gain.
    """

    iteration: int
    weights: NDArray[np.int64]
    depth_totals: NDArray[np.int64]
    standing: Standing

    def as_data(self) -> dict[str, Any]:
        """Return the position as plain data for a checkpoint."""
        return {
            "iteration": self.iteration,
            "weights": self.weights.tolist(),
            "depth_totals": self.depth_totals.tolist(),
            "standing": vars(self.standing),
        }

    @classmethod
    def from_data(cls, data: object, history: Sequence[Mapping[str, Any]], responses: GreedyResponses) -> Position:
        """Return the position that `as_data` wrote, or raise `ValueError` where the history leads to no such one."""
        fields = check_object(data, "a position", ("iteration", "weights", "depth_totals", "standing"))
        iteration = check_whole(fields["iteration"], "the iteration", 0, len(history) - 1)
        secrets, count = len(responses.start), iteration + 1
        weights, totals = check_list(fields["weights"], "weights"), check_list(fields["depth_totals"], "depth_totals")
        if responses.weights_at(iteration).tolist() != weights:
            raise ValueError("the weights are not those of the history")
        if len(totals) != secrets:
            raise ValueError("there is not one sum of depths for each secret")
        for total in totals:
            check_whole(total, "a sum of depths", count, count * secrets)
        standing = standing_of(fields["standing"])
        if any(history[iteration][name] != figure for name, figure in vars(standing).items()):
            raise ValueError("the figures are not those of the history")
        return cls(iteration, np.array(weights, dtype=np.int64), np.array(totals, dtype=np.int64), standing)


def _tied(numbers: object, secrets: int) -> Indices:
    """Return the tied secrets of a record: at least one, each of them one that there is, sorted."""
    tied = check_list(numbers, "the hider's response")
    for number in tied:
        check_whole(number, "a tied secret in the history", 0, secrets - 1)
    if not tied or any(one >= next_one for one, next_one in pairwise(tied)):
        raise ValueError("the tied secrets in the history are not sorted")
    return np.array(tied, dtype=np.int32)


class TreeBuilder(Protocol):
    """What builds a step's greedy tree in the engine's place, to the same bits: from the last ones, or on a cluster."""

    def warm_up(self) -> None:
        """Load or compile what a tree needs."""
        ...

    def depths(self, weights: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return how many guesses the tree against these weights takes for each secret [secrets]."""
        ...


@dataclass(eq=False)
class FictitiousPlay:
    """The solver's state; `step` makes one iteration, the first of them iteration 0.

    Attributes:
        engine: builds the guesser's greedy trees.
        position: where play stands, or None before the first step.
        best_position: the position at t*.
        responses: the secrets tied at iterations 1, 2, …
        builder: what builds the trees in the engine's place, to the same bits, if anything does.
    """

    engine: GreedyEngine
    position: Position | None = None
    best_position: Position | None = None
    responses: list[Indices] = field(default_factory=list)
    builder: TreeBuilder | None = None

    name = "fictitious-play"

    @property
    def game(self) -> Game:
        """The game that is solved."""
        return self.engine.game

    @property
    def settings(self) -> dict[str, Any]:
        """What a run was begun with."""
        return {"ties": self.engine.ties}

    @property
    def iteration(self) -> int:
        """The last iteration made, or -1."""
        return -1 if self.position is None else self.position.iteration

    @property
    def best_iteration(self) -> int:
        """The iteration t* with the least epsilon."""
        assert self.best_position is not None
        return self.best_position.iteration

    @property
    def best(self) -> Standing:
        """How the strategies of t* stand."""
        assert self.best_position is not None
        return self.best_position.standing

    @property
    def stands(self) -> Standing:
        """How the strategies of t* stand."""
        return self.best

    @property
    def finished(self) -> bool:
        """Never: play can always go on."""
        return False

    def warm_up(self) -> None:
        """Load or compile what builds the trees."""
        (self.builder or self.engine).warm_up()

    def start_weights(self) -> NDArray[np.int64]:
        """Return the hider's weights at iteration 0: uniform [secrets]."""
        secrets = len(self.game.secrets)
        return np.full(secrets, shared_unit(secrets), dtype=np.int64)

    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one iteration and return its record for the history; it is one tree, which is built to the end."""
        del deadline
        tied: Indices | None = None
        if self.position is None:
            weights = self.start_weights()
            depths_before = np.zeros(len(weights), dtype=np.int64)
        else:
            tied = best_response_to_depths(self.position.depth_totals)
            weights = self.position.weights.copy()
            add_response(weights, tied)
            depths_before = self.position.depth_totals
        depths = (self.builder or self.engine).depths(weights)
        depth_totals = depths_before + depths
        iteration = self.iteration + 1
        now = standing(weights, depth_totals, iteration + 1, depths)
        self.position = Position(iteration, weights, depth_totals, now)
        if tied is not None:
            self.responses.append(tied)
        if self.best_position is None or now.epsilon < self.best.epsilon:
            self.best_position = self.position
        return {
            "iteration": iteration,
            "hider_response": None if tied is None else tied.tolist(),
            **vars(now),
        }

    def checkpoint(self) -> dict[str, Any]:
        """Return the state as plain data; the responses are in the history."""
        assert self.position is not None and self.best_position is not None
        return {"position": self.position.as_data(), "best": self.best_position.as_data()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return nothing: all of the state is in the checkpoint and the history."""
        return {}

    @property
    def seconds_to_conclude(self) -> float:
        """None: there is nothing to conclude."""
        return 0.0

    def conclude(self) -> None:
        """Do nothing: every step leaves the best there is."""

    def restore(
        self, checkpoint: dict[str, Any], arrays: dict[str, NDArray[Any]], history: list[dict[str, Any]]
    ) -> None:
        """Take up the state that `checkpoint` returned, with the records up to it; `ValueError` where it is none."""
        del arrays  # there are none
        kept = check_object(checkpoint, "the state", ("position", "best"))
        secrets = len(self.game.secrets)
        tied = [_tied(record.get("hider_response"), secrets) for record in history[1:]]
        responses = GreedyResponses(self.engine, self.start_weights(), tied)
        position = Position.from_data(kept["position"], history, responses)
        best = Position.from_data(kept["best"], history, responses)
        if position.iteration != len(history) - 1:
            raise ValueError("the history has another number of iterations")
        self.position, self.best_position, self.responses = position, best, tied

    def outcome(self) -> Outcome:
        """Return the strategies at t*: the hider's, and the uniform mixture of the oracles of iterations 0 to t*."""
        assert self.best_position is not None
        upto = self.best_iteration
        oracles = GreedyResponses(self.engine, self.start_weights(), self.responses[:upto])
        guesser = Mixture(oracles, [1] * (upto + 1), known_totals=self.best_position.depth_totals)
        return Outcome(Hider(self.game, self.best_position.weights), guesser)
