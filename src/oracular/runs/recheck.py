"""The figures that a run records, worked out again.

A checksum shows that a file was not damaged, but proves none of its figures. So a guarantee is worked out from the
trees. Those of fictitious play are built again from the hider's responses, one after another. If there is no time for
all of them, the first ones are built, and then some of the others at random. The figure is then called recorded, with
how much of it was re-checked.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import OracularError, RunError
from oracular.evaluation import Standing, payoff, standing
from oracular.objectives import Objective
from oracular.problem import add_best_responses
from oracular.responses.greedy import CACHE, GreedyResponses, IncrementalTrees
from oracular.runs.solution import Solution
from oracular.strategies.oracle import Mixture
from oracular.strategies.shipped import Shipped
from oracular.system.arrays import SUM_LIMIT
from oracular.system.counting import counted
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed
from oracular.system.files import quoted
from oracular.system.memory import available_memory
from oracular.system.progress import ShouldStop, ShowProgress, never_stop, show_nothing

if TYPE_CHECKING:
    from oracular.bounds.lower_bound import LowerBound

SAME = 1e-9
"""Floats that differ by less than this are the same figure, worked out in another order; see `_tolerance`."""

MOST_AT_RANDOM = 100_000
"""Of the iterations that there was no time for in order, at most so many are chosen at random."""

SINGULAR = {"trees": "tree", "iterations": "iteration", "openings": "opening", "searches": "search"}
"""What one entry of each kind is called."""


@dataclass(frozen=True)
class Recheck:
    """A figure that a file records, and how much of it was worked out again.

    Attributes:
        done: how many of its entries were re-checked.
        of: how many entries there are.
        unit: what the entries are: `trees`, `iterations`, `openings` or `searches`.
    """

    value: Fraction
    done: int
    of: int
    unit: str

    @property
    def proved(self) -> bool:
        """Whether every entry was re-checked."""
        return self.done == self.of

    @property
    def words(self) -> str:
        """Whether the figure is proved or recorded, in words."""
        return (
            "proved"
            if self.proved
            else f"recorded; {self.done:,} of {counted(self.of, SINGULAR[self.unit], self.unit)} re-checked"
        )

    def as_data(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "value": str(self.value),
            "rechecked": self.done,
            "of": self.of,
            "unit": self.unit,
            "proved": self.proved,
        }


def recheck_guarantee(
    solution: Solution, deadline: Deadline = NEVER, stop: ShouldStop = never_stop, progress: ShowProgress = show_nothing
) -> Recheck:
    """Return the guarantee of a run's guesser, worked out again from as many trees as there is time for.

    Raises an error if the trees contradict the run.
    """
    guesser = solution.guesser
    oracles, trees = guesser.oracles, len(guesser.oracles)
    if guesser.known_totals is None:  # no sum comes from a file: the guarantee is worked out from the trees anyway
        try:
            return Recheck(solution.guarantee, trees, trees, "trees")
        except OracularError as error:
            raise _contradicted(str(error)) from None
    responses = oracles if isinstance(oracles, GreedyResponses) else None
    secrets = len(solution.game.secrets)
    totals = np.zeros(secrets, dtype=np.int64 if guesser.total * secrets < SUM_LIMIT else object)
    done = 0
    # of fictitious play, the last quarter of the time is for iterations at random
    in_order = deadline if responses is None or deadline == NEVER else deadline.later(-deadline.left / 4)
    followed = responses is None
    with suppress(DeadlinePassed):
        if responses is not None:  # a long history is not read to its end at the cost of all trees
            _check_last_position(solution, responses, in_order.or_after(in_order.left / 3))
            followed = True
    with suppress(DeadlinePassed):
        for depths, weight in weighed_depths(guesser, in_order):
            totals += weight * depths.astype(totals.dtype)
            done += 1
            if responses is not None:
                guarantee = {"guarantee": int(totals.max()) / done}
                _check_same(solution.history[done - 1], guarantee, f"iteration {done - 1}")
            progress(f"building trees again: {done:,} of {trees:,}")
            if stop():
                break
    if done == trees and not (totals == guesser.known_totals).all():
        raise _contradicted("its trees need other numbers of guesses than it says")
    if done == trees and followed:
        return Recheck(Fraction(int(totals.max()), guesser.total), trees, trees, "trees")
    if responses is not None and followed:
        done += _recheck_at_random(solution, responses, done, deadline, stop)
    # trees built at random are not in the sum: even if none is left out, the sum is the file's
    return Recheck(guesser.guarantee, min(done, trees - 1), trees, "trees" if responses is None else "iterations")


def recheck_shipped_guarantee(strategies: Shipped, deadline: Deadline = NEVER) -> Recheck:
    """Return the guarantee of shipped strategies, worked out from all of their trees if there is time."""
    trees = len(strategies.guesser.oracles)
    try:
        strategies.game.prepare(deadline)  # symmetries under which the trees are played are checked, too
        strategies.guesser.added_up(deadline)
    except DeadlinePassed:
        return Recheck(strategies.recorded_guarantee, 0, trees, "trees")
    return Recheck(strategies.guarantee, trees, trees, "trees")


def recheck_bound(solution: Solution, deadline: Deadline = NEVER, stop: ShouldStop = never_stop) -> Recheck | None:
    """Return the bound of an exact run's hider, proved again if there is time, or None for a run that proves none.

    It is the lower bound on the value, or the upper bound in an objective of which more is better.
    """
    if solution.bound is None or solution.certificate is None:
        return None
    from oracular.solvers.exact.certificate import verify_certificate

    game = solution.game
    again = verify_certificate(game, solution.certificate, deadline, stop)
    played, sign = payoff(solution.hider, solution.guesser, solution.objective), solution.objective.sign
    guarantee, bound = solution.guarantee, solution.bound
    gains = float(sign * (guarantee - played)), float(sign * (played - bound))
    again_standing = vars(Standing(float(played), float(guarantee), *gains))
    _check_same(vars(solution.standing), again_standing, "its last step", _tolerance(solution.objective))
    return Recheck(bound, int(again), 1, "searches")


def checked_openings(bound: LowerBound) -> Recheck:
    """Return a lower bound, and for how many of its openings it is proved."""
    openings = len(bound.openings)
    return Recheck(bound.value, openings - len(bound.recorded), openings, "openings")


def in_order(objective: Objective, bound: Fraction, guarantee: Fraction) -> tuple[Fraction, Fraction]:
    """Return the lower and the upper bound on the value that the hider's bound and the guesser's guarantee are."""
    return (bound, guarantee) if objective.less_is_better else (guarantee, bound)


def check_order(lower: Fraction, upper: Fraction, source: str) -> None:
    """Raise an error if a lower bound is above the upper bound, so that one of them must be false."""
    if lower > upper:
        raise RunError(
            f"{source} says that the value is at least {float(lower):.6g} and at most {float(upper):.6g}, which cannot "
            "be: restore it from a copy, or make it again"
        )


def weighed_depths(guesser: Mixture, deadline: Deadline) -> Iterator[tuple[NDArray[np.int32], int]]:
    """Yield the depths of every tree of a run's guesser, worked out again, with the tree's weight, until a deadline.

    The trees of fictitious play come in order, since each is built from the one before. Others come in random order,
    so that nobody can foresee which ones are left out when time is short.
    """
    oracles, shares = guesser.oracles, guesser.weights
    if isinstance(oracles, GreedyResponses):
        trees = IncrementalTrees(oracles.engine, min(CACHE, available_memory() // 4))
        weights = oracles.start.copy()
        deadline.check()
        yield trees.depths(weights, deadline), int(shares[0])
        for tied, share in zip(oracles.responses(), shares[1:], strict=True):
            deadline.check()
            add_best_responses(weights, tied)
            yield trees.depths(weights, deadline), int(share)
        return
    order = list(range(len(oracles)))
    random.SystemRandom().shuffle(order)
    try:
        for place in order:
            deadline.check()
            yield oracles[place].depths(), int(shares[place])
    except OracularError as error:
        raise _contradicted(str(error)) from None


def _check_last_position(solution: Solution, oracles: GreedyResponses, deadline: Deadline) -> None:
    """Raise an error unless the hider's responses add up to its weights, and its figures are those of its last tree."""
    guesser = solution.guesser
    assert guesser.known_totals is not None
    weights = oracles.weights_at(len(oracles) - 1, deadline)
    if not (weights == solution.hider.weights).all():
        raise _contradicted("the hider's weights are not those that its responses add up to")
    last = oracles.engine.depths(weights, deadline)
    now = standing(solution.hider.weights, guesser.known_totals, guesser.total, last)
    _check_same(vars(solution.standing), vars(now), "its last position")


def _tolerance(objective: Objective) -> float:
    """Return how much floats of one figure in an objective may differ: as much larger as its numbers are."""
    largest = objective.largest_loss
    if largest is None:
        return SAME
    return float((SAME * largest + 4 * sys.float_info.epsilon * abs(objective.top)) / objective.unit) or SAME


def _check_same(recorded: dict[str, Any], again: dict[str, float], where: str, same: float = SAME) -> None:
    """Raise an error unless the figures that were recorded are those that were worked out again."""
    for name, value in again.items():
        theirs = recorded.get(name)
        if not isinstance(theirs, int | float) or not abs(theirs - value) < same:
            raise _contradicted(f"{where} says {name.replace('_', ' ')} {quoted(theirs)}, worked out again {value:.6f}")


def _recheck_at_random(
    solution: Solution, oracles: GreedyResponses, begin: int, deadline: Deadline, stop: ShouldStop
) -> int:
    """Return how many iterations from `begin` on, in random order, were compared with their trees in time."""
    left = range(begin, len(oracles))
    chosen = random.SystemRandom().sample(left, min(len(left), MOST_AT_RANDOM))
    for count, iteration in enumerate(chosen):
        if deadline.passed or stop():
            return count
        try:
            weights = oracles.weights_at(iteration, deadline)
            depths = oracles.engine.depths(weights, deadline)
        except DeadlinePassed:
            return count
        record = solution.history[iteration]
        response = int(weights @ depths.astype(weights.dtype)) / int(weights.sum())
        try:
            recorded = record["self_play"] - record["epsilon_guesser"]
        except (KeyError, TypeError):
            recorded = math.nan
        _check_same({"response": recorded}, {"response": response}, f"iteration {iteration}")
    return len(chosen)


def _contradicted(what: str) -> RunError:
    return RunError(f"the run contradicts itself ({what}): restore it from a copy, or solve again in another folder")
