"""Fictitious play over oracles: the paper's SolveJotto, one iteration a step, for any problem.

At every iteration the small side (in the paper: the hider) adds a best response to the large side's average so far,
and the large side (the guesser) a response to the small side's:

    s_h <- (1 - 1/(t+1)) s_h + 1/(t+1) HiderBR(ANG),    ANG <- (1 - 1/(t+1)) ANG + 1/(t+1) CompNumGuesses(s_h).

Kept as sums instead of averages both are whole numbers: the weights that the small side has shared out, and the payoffs
of all responses added up. The iteration t* with the least epsilon is remembered: play is not monotonic.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular.errors import RunError
from oracular.evaluation import Standing, exact_dot, standing, standings
from oracular.problem import FullProblem
from oracular.solvers.solver import Arrays, Outcome, Record, Solver, proved_by, proved_lower, standing_of
from oracular.system.control import NEVER, Deadline
from oracular.system.files import Whole, parse_fraction, read_as

UNIT = 1 << 20
"""The weight that one iteration shares out among the small side's best responses."""

FOLLOWED = 5_000
"""The weights of a run of at most so many iterations are compared with its history when it is loaded."""


def best_responses(payoff_totals: NDArray[Any]) -> NDArray[np.int32]:
    """Return the small side's best responses [tied], sorted: all that are worth most (Algorithm HiderBR).

    Any mix of them is a best response. Each of the k tied ones gets floor(2^20 / k): whole numbers, so that every later
    sum is exact and ties are real ties.
    """
    return np.flatnonzero(payoff_totals == payoff_totals.max()).astype(np.int32)


def add_best_responses(weights: NDArray[np.int64], tied: NDArray[np.int32]) -> None:
    """Add one iteration's best responses to the small side's weights [size], in place."""
    weights[tied] += UNIT // len(tied)


def _best_responses_to_each(payoff_totals: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    """Return the best responses to each row of payoffs that are summed up [rows, size]."""
    rows, size = payoff_totals.shape
    places = np.flatnonzero(payoff_totals == payoff_totals.max(axis=1, keepdims=True))
    ends = np.searchsorted(places, np.arange(0, rows * size + 1, size)).tolist()
    tied = (places % size).astype(np.int32)
    return [tied[start:end] for start, end in pairwise(ends)]


def _answers(records: Iterable[Mapping[str, Any]], size: int) -> Iterator[NDArray[np.int32]]:
    """Yield the small side's best responses [tied] in the records of a fictitious play, or raise `ValueError`.

    Each has at least one number, all are of pure strategies that there are, and they are sorted.
    """
    for record in records:
        tied: list[int] = read_as(list[Whole], record.get("hider_response"))
        if not tied or tied[-1] >= size or any(one >= next_one for one, next_one in pairwise(tied)):
            raise ValueError("the tied secrets in the history are not sorted numbers of secrets")
        yield np.array(tied, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class HiderWeights:
    """The small side's weights at iterations of a fictitious play, which follow from its best responses.

    Only the best responses are saved (the paper's StrategyFile at a fraction of its size): the weights at iteration t
    are the uniform ones of the start with the responses 1 to t added.

    Attributes:
        size: how many pure strategies the small side has.
        history: the records of the iterations, which have the strategies tied at each but the first.
        iterations: how many there are; the history may have more.
    """

    size: int
    history: Sequence[Mapping[str, Any]]
    iterations: int

    def __len__(self) -> int:
        return self.iterations

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        weights = self._start()
        yield weights
        for tied in self._responses():
            add_best_responses(weights, tied)
            yield weights

    def at(self, iteration: int, deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the weights at an iteration [size], or raise `DeadlinePassed`.

        The first call for a later iteration than 0 reads the whole history, and keeps a few bytes of each iteration.
        """
        weights = self._start()
        if iteration:
            tied, ends = self._read(deadline)
            before = ends[: iteration + 1]
            sizes = np.diff(before)
            np.add.at(weights, tied[: before[-1]], np.repeat(UNIT // sizes, sizes))
        return weights

    def _start(self) -> NDArray[np.int64]:
        """Return the weights at iteration 0: uniform."""
        return np.full(self.size, UNIT // self.size, dtype=np.int64)

    def _responses(self) -> Iterator[NDArray[np.int32]]:
        """Yield the strategies tied at iterations 1, 2, …, as they are read from the history."""
        try:
            yield from _answers(islice(self.history, 1, self.iterations), self.size)
        except ValueError as error:
            raise RunError(
                f"the history of the run is damaged or was edited ({error}): restore it from a copy, or solve again in "
                "another folder"
            ) from None

    def _read(self, deadline: Deadline) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the tied strategies of all iterations, one after the other, and where those of each end."""
        if "_compact" not in vars(self):
            tied, ends = array("i"), array("q", [0])
            for number, response in enumerate(self._responses()):
                if number % 256 == 0:
                    deadline.check()
                tied.extend(response.tolist())
                ends.append(len(tied))
            vars(self)["_compact"] = np.array(tied, dtype=np.int32), np.array(ends, dtype=np.int64)
        return vars(self)["_compact"]


class _Position(TypedDict):
    """A position as plain data."""

    iteration: Whole
    weights: list[Whole]
    depth_totals: list[Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]]
    standing: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Position:
    """Where fictitious play stands after an iteration; 0 is the start, where the small side is uniform.

    The small side's weights and the payoffs of the large side's responses are summed over the iterations [size].
    """

    iteration: int
    weights: NDArray[np.int64]
    payoff_totals: NDArray[np.int64]
    standing: Standing

    def as_data(self) -> dict[str, Any]:
        """Return the position as plain data for a checkpoint."""
        return {
            "iteration": self.iteration,
            "weights": self.weights.tolist(),
            "depth_totals": self.payoff_totals.tolist(),
            "standing": vars(self.standing),
        }

    @classmethod
    def from_data(cls, data: object, history: Sequence[Mapping[str, Any]], problem: FullProblem) -> Position:
        """Return the position that `as_data` wrote, or raise `ValueError` where the figures are not the history's.

        The weights are left to be compared with those that the history leads to.
        """
        kept: _Position = read_as(_Position, data)
        iteration, totals, size = kept["iteration"], np.array(kept["depth_totals"], dtype=np.int64), problem.size
        if len(kept["weights"]) != size or len(totals) != size:
            raise ValueError("there is not a weight and a sum for each pure strategy of the small side")
        if iteration >= len(history):
            raise ValueError("the history ends before the position")
        if (
            totals.min() < (iteration + 1) * problem.least_payoff
            or totals.max() > (iteration + 1) * problem.largest_payoff
        ):
            raise ValueError("a sum of payoffs is out of range")
        standing = standing_of(kept["standing"], history[iteration])
        return cls(iteration, np.array(kept["weights"], dtype=np.int64), totals, standing)


def _record(iteration: int, tied: NDArray[np.int32] | None, now: Standing) -> Record:
    """Return what the history keeps of an iteration of any problem."""
    return {"iteration": iteration, "hider_response": None if tied is None else tied.tolist(), **vars(now)}


@dataclass(eq=False)
class FictitiousPlay(Solver):
    """The solver's state; `step` makes one iteration, the first of them iteration 0.

    Attributes:
        best_position: the position at t*.
        strategies: the large side's responses, where the problem keeps them.
        lower: the best lower bound on the value, where responses are exact.
        lower_weights: the small side's weights that prove it [size].
    """

    problem: FullProblem
    position: Position | None = None
    best_position: Position | None = None
    strategies: list[Any] = field(default_factory=list)
    lower: Fraction | None = None
    lower_weights: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    name = "fictitious-play"

    @property
    def iteration(self) -> int:  # type: ignore[override]
        """The last iteration made, or -1."""
        return -1 if self.position is None else self.position.iteration

    @property
    def best_iteration(self) -> int:
        """The iteration t* with the least epsilon."""
        assert self.best_position is not None
        return self.best_position.iteration

    @property
    def best(self) -> Standing:
        """How the strategies that `outcome` returns stand."""
        best = self.best_position
        assert best is not None
        if self.lower is None:
            return best.standing
        count, weights = best.iteration + 1, self.lower_weights
        played = Fraction(exact_dot(weights, best.payoff_totals), int(weights.sum()) * count)
        upper = Fraction(int(best.payoff_totals.max()), count)
        return Standing(float(played), float(upper), float(upper - played), float(played - self.lower))

    @property
    def finished(self) -> bool:
        """Whether the lower bound has met the upper one; without exact responses play can always go on."""
        best = self.best_position
        upper = None if best is None else Fraction(int(best.payoff_totals.max()), best.iteration + 1)
        return upper is not None and upper == self.lower

    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one iteration and return its record for the history."""
        tied, weights, totals_before = self._answered()
        response = self.problem.respond(weights, deadline)
        payoff_totals = totals_before + response.payoffs
        iteration = self.iteration + 1
        now = standing(weights, payoff_totals, iteration + 1, response.payoffs)
        record = {**_record(iteration, tied, now), **self.problem.record(response.strategy)}
        if self.problem.exact:
            value = proved_by(weights, response.payoffs)
            if self.lower is None or value > self.lower:
                self.lower, self.lower_weights = value, weights
            record["lower"] = str(self.lower)
        if self.problem.keeps_strategies:
            self.strategies.append(response.strategy)
        position = Position(iteration, weights, payoff_totals, now)
        self._go_on(position, position)
        return record

    def _answered(self) -> tuple[NDArray[np.int32] | None, NDArray[np.int64], NDArray[np.int64]]:
        """Return the small side's answer to the iterations so far, its weights then, and the payoffs summed so far."""
        if self.position is None:
            size = self.problem.size
            return None, HiderWeights(size, (), 1).at(0), np.zeros(size, dtype=np.int64)
        tied = best_responses(self.position.payoff_totals)
        weights = self.position.weights.copy()
        add_best_responses(weights, tied)
        return tied, weights, self.position.payoff_totals

    def steps(self, most: int, small_enough: float = -math.inf, deadline: Deadline = NEVER) -> list[Record]:
        """Make up to so many iterations, many in one go where the problem can, and return their records."""
        if most > 1:
            tied, weights, totals = self._answered()
            play = self.problem.play(weights, totals, most, UNIT, deadline)
            if play is not None:
                return self._take(*play, tied, small_enough)
        return [self.step(deadline)]

    def _take(
        self,
        weights: NDArray[np.int64],
        totals: NDArray[np.int64],
        tied: NDArray[np.int32] | None,
        small_enough: float,
    ) -> list[Record]:
        """Go on by iterations that were made in one go, to the first whose epsilon is small enough.

        The small side's answer at the first of them is given; at the others it follows from the payoffs before.
        """
        first = self.iteration + 1
        stand = standings(weights, totals[1:], first + 1, np.diff(totals, axis=0))
        epsilons = [now.epsilon for now in stand]
        made = next((made for made, epsilon in enumerate(epsilons, 1) if epsilon <= small_enough), len(stand))
        answers = [tied, *_best_responses_to_each(totals[1:made])]
        records = [_record(first + number, answers[number], stand[number]) for number in range(made)]
        best = min(range(made), key=epsilons.__getitem__)  # the first of several
        last, best_of_them = (
            Position(first + number, weights[number].copy(), totals[number + 1].copy(), stand[number])
            for number in (made - 1, best)
        )
        self._go_on(last, best_of_them)
        return records

    def _go_on(self, last: Position, best: Position) -> None:
        """Take note of the last position of some iterations and of the best of them."""
        self.position = last
        if self.best_position is None or best.standing.epsilon < self.best_position.standing.epsilon:
            self.best_position = best

    def checkpoint(self) -> dict[str, Any]:
        """Return the state as plain data; the responses are in the history."""
        assert self.position is not None and self.best_position is not None
        return {"position": self.position.as_data(), "best": self.best_position.as_data()}

    def restore(
        self, checkpoint: Record, arrays: Arrays, history: Sequence[Record], deadline: Deadline = NEVER
    ) -> None:
        """Take up the state that `checkpoint` returned, with the records up to it; `ValueError` where it is none.

        All of it is in the checkpoint. The weights are compared with a history that is not long; those of a long one
        are left to `oracular.runs.verify`, which takes the time.
        """
        problem = self.problem
        positions = [Position.from_data(checkpoint.get(name), history, problem) for name in ("position", "best")]
        position, best = positions
        if position.iteration != len(history) - 1:
            raise ValueError("the history has another number of iterations")
        if len(history) <= FOLLOWED:
            self._follow(positions, history)
        if problem.keeps_strategies:
            self.strategies = list(problem.played(HiderWeights(problem.size, history, len(history)), history, deadline))
        if problem.exact:
            self.lower = proved_lower(history)
            steps = range(len(history))  # the bound never falls
            proving = bisect_left(steps, self.lower, key=lambda t: parse_fraction(history[t].get("lower")))
            answers = _answers(deadline.within(islice(history, 1, proving + 1)), problem.size)
            self.lower_weights = HiderWeights(problem.size, (), 1).at(0)
            for tied in answers:
                add_best_responses(self.lower_weights, tied)
        self.position, self.best_position = position, best

    def _follow(self, positions: Sequence[Position], history: Sequence[Record]) -> None:
        """Raise `ValueError` unless the weights of some positions are those that a history leads to."""
        size = self.problem.size
        followed = HiderWeights(size, (), 1).at(0)
        reached = {0: followed.copy()}
        for iteration, tied in enumerate(_answers(islice(history, 1, None), size), 1):
            add_best_responses(followed, tied)
            if any(position.iteration == iteration for position in positions):
                reached[iteration] = followed.copy()
        for position in positions:
            if not np.array_equal(position.weights, reached[position.iteration]):
                raise ValueError("the weights are not those of the history")

    def outcome(self, history: Sequence[Record]) -> Outcome:
        """Return the strategies at t*: the small side's, and the uniform mix of the responses of iterations 0 to t*.

        Where responses are exact, the small side's is the one that proves the lower bound.
        """
        assert self.best_position is not None
        count = self.best_iteration + 1
        if self.problem.keeps_strategies:
            strategies: Sequence[Any] = self.strategies[:count]
        else:
            strategies = self.problem.played(HiderWeights(self.problem.size, history, count), history)
        mix = self.problem.mixed(strategies, bytes([1]) * count, self.best_position.payoff_totals)
        weights = self.best_position.weights if self.lower is None else self.lower_weights
        return Outcome(weights, mix, self.lower)
