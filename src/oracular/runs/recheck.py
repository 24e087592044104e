"""What a run says of itself, worked out again: a checksum shows that nothing was damaged, it proves nothing.

A guarantee is worked out from the trees. Those of fictitious play are built again from the hider's responses, one after
the other; where that takes too long, as many as there is time for, and after them some at random. The figure is then
called recorded, with how much of it was re-checked.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import OracularError, RunError
from oracular.evaluation import Standing, payoff, standing
from oracular.problem import add_answer
from oracular.responses.greedy import GreedyResponses
from oracular.responses.incremental import CACHE, IncrementalTrees
from oracular.runs.solution import Solution
from oracular.system.arrays import SUM_LIMIT
from oracular.system.deadline import NEVER, Deadline
from oracular.system.files import quoted
from oracular.system.memory import available_memory

if TYPE_CHECKING:
    pass

Told = Callable[[int, int], None]
"""Called now and then with how many entries have been re-checked, and of how many."""

SECONDS_BETWEEN_WORDS = 0.1

SAME = 1e-9
"""Floats that were worked out in another order differ by less than this."""


@dataclass(frozen=True)
class Recheck:
    """How far a figure that a file holds was worked out again.

    Attributes:
        value: the figure, in expected guesses.
        done: how many of its entries were re-checked.
        of: how many there are.
        unit: what they are: `trees`, `iterations`, `openings`, `searches`.
    """

    value: Fraction
    done: int
    of: int
    unit: str

    @property
    def proved(self) -> bool:
        """Whether all of it was worked out again."""
        return self.done == self.of

    @property
    def words(self) -> str:
        """What the figure may be called."""
        return "proved" if self.proved else f"recorded; {self.done:,} of {self.of:,} {self.unit} re-checked"

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "value": str(self.value),
            "rechecked": self.done,
            "of": self.of,
            "unit": self.unit,
            "proved": self.proved,
        }


def recheck_guarantee(
    solution: Solution,
    deadline: Deadline = NEVER,
    stop: Callable[[], bool] = lambda: False,
    told: Told | None = None,
) -> Recheck:
    """Return the guarantee of a run's guesser, worked out again from its trees so far as there is time.

    Raises an error where the trees say otherwise than the run.

    Args:
        solution: the run.
        deadline: when to end.
        stop: asked after every tree; ends it when it answers True.
        told: called ten times a second at most.
    """
    guesser = solution.guesser
    oracles, trees = guesser.oracles, len(guesser.oracles)
    if guesser.known_totals is None:  # nothing was taken from a file: the figure itself is worked out from the trees
        return Recheck(_from_trees(solution), trees, trees, "trees")
    responses = oracles if isinstance(oracles, GreedyResponses) else None
    if responses is not None:
        _check_responses(solution, responses)
        now = standing(solution.hider.weights, guesser.known_totals, guesser.total, responses[-1].depths())
        _check_same(vars(solution.standing), vars(now), "its last position")
    secrets = len(solution.game.secrets)
    totals = np.zeros(secrets, dtype=np.int64 if guesser.total * secrets < SUM_LIMIT else object)
    told_at = time.monotonic()
    done = 0
    enough = deadline if responses is None or deadline == NEVER else deadline.later(-deadline.left / 4)
    for depths, weight in _depths(solution):
        totals += weight * depths.astype(totals.dtype)
        done += 1
        if responses is not None:
            _check_record(solution, done - 1, int(totals.max()) / done)
        now_is = time.monotonic()
        if told is not None and now_is - told_at > SECONDS_BETWEEN_WORDS:
            told(done, trees)
            told_at = now_is
        if done < trees and (enough.passed or stop()):
            break
    if done == trees:
        if not (totals == guesser.known_totals).all():
            raise _contradicted("its trees need other numbers of guesses than it says")
        return Recheck(Fraction(int(totals.max()), guesser.total), trees, trees, "trees")
    if responses is not None:
        done += _recheck_at_random(solution, responses, done, deadline, stop)
    # those at random were not added up: even if they are all that was left, the sum is what the file says
    return Recheck(guesser.guarantee, min(done, trees - 1), trees, "trees" if responses is None else "iterations")


def recheck_lower(
    solution: Solution,
    deadline: Deadline = NEVER,
    stop: Callable[[], bool] = lambda: False,
) -> Recheck | None:
    """Return the lower bound of an exact run, proved again where there is time; None for a run that proves none."""
    if solution.lower is None or solution.certificate is None:
        return None
    from oracular.solvers.exact.certificate import verify_certificate

    game = solution.game
    again = verify_certificate(game, game.words_sha256, solution.certificate, deadline, stop)
    played = payoff(solution.hider, solution.guesser)
    upper, lower = solution.guarantee, solution.lower
    now = Standing(float(played), float(upper), float(upper - played), float(played - lower))
    _check_same(vars(solution.standing), vars(now), "its last step")
    return Recheck(lower, int(again), 1, "searches")


def check_order(lower: Fraction, upper: Fraction, source: str) -> None:
    """Raise an error where a lower bound is above the upper one: one of them is false then."""
    if lower > upper:
        raise RunError(
            f"{source} says that the value is at least {float(lower):.6g} and at most {float(upper):.6g}, which cannot "
            "be: restore it from a copy, or make it again"
        )


def _from_trees(solution: Solution) -> Fraction:
    try:
        return solution.guarantee
    except OracularError as error:
        raise _contradicted(str(error)) from None


def _depths(solution: Solution) -> Iterator[tuple[NDArray[np.int32], int]]:
    """Yield the depths of every tree of a run's guesser, worked out again, and its weight.

    The trees of fictitious play come one after the other, since each is made from the one before; others at random, so
    that nobody knows which are left out where the time is short.
    """
    oracles, shares = solution.guesser.oracles, solution.guesser.weights
    if isinstance(oracles, GreedyResponses):
        trees = IncrementalTrees(oracles.engine, min(CACHE, available_memory() // 4))
        weights = oracles.start.copy()
        yield trees.depths(weights), int(shares[0])
        for tied, share in zip(oracles.responses, shares[1:], strict=True):
            add_answer(weights, tied)
            yield trees.depths(weights), int(share)
        return
    order = list(range(len(oracles)))
    random.SystemRandom().shuffle(order)
    try:
        for place in order:
            yield oracles[place].depths(), int(shares[place])
    except OracularError as error:
        raise _contradicted(str(error)) from None


def _check_responses(solution: Solution, oracles: GreedyResponses) -> None:
    """Raise an error unless the hider's weights are those that its responses add up to."""
    secrets = len(solution.game.secrets)
    for tied in oracles.responses:
        if not len(tied) or tied.min() < 0 or tied.max() >= secrets or len(np.unique(tied)) != len(tied):
            raise _contradicted("a response of the hider names secrets that there are not, or one twice")
    if not (oracles.weights_at(len(oracles) - 1) == solution.hider.weights).all():
        raise _contradicted("the hider's weights are not those that its responses add up to")


def _check_record(solution: Solution, iteration: int, guarantee: float) -> None:
    """Raise an error unless the history says of an iteration what its trees give."""
    _check_same(solution.history[iteration], {"guarantee": guarantee}, f"iteration {iteration}")


def _check_same(recorded: dict[str, Any], again: dict[str, float], where: str) -> None:
    for name, value in again.items():
        theirs = recorded.get(name)
        if not isinstance(theirs, int | float) or not abs(theirs - value) < SAME:
            raise _contradicted(f"{where} says {name.replace('_', ' ')} {quoted(theirs)}, worked out again {value:.6f}")


def _recheck_at_random(
    solution: Solution, oracles: GreedyResponses, begin: int, deadline: Deadline, stop: Callable[[], bool]
) -> int:
    """Return how many iterations from `begin` on, at random, were found to say what their trees give."""
    left = list(range(begin, len(oracles)))
    random.SystemRandom().shuffle(left)
    for count, iteration in enumerate(left):
        if deadline.passed or stop():
            return count
        oracle = oracles[iteration]
        record = solution.history[iteration]
        response = int(oracle.weights @ oracle.depths().astype(oracle.weights.dtype)) / int(oracle.weights.sum())
        try:
            recorded = record["self_play"] - record["epsilon_guesser"]
        except (KeyError, TypeError):
            recorded = math.nan
        _check_same({"response": recorded}, {"response": response}, f"iteration {iteration}")
    return len(left)


def _contradicted(what: str) -> RunError:
    return RunError(f"the run contradicts itself ({what}): restore it from a copy, or solve again in another folder")
