"""What a solver knows of a game: one side is small, the other too large to list.

The small side has `size` pure strategies and picks one of them to make the payoff large. The large side has so many
that nobody writes them down; a solver only asks for one that answers a mix of the small side, and what it is worth
against each of the small side's strategies. That is the paper's oracular form, and all that fictitious play and regret
matching need. A guessing game is such a problem (`oracular.solvers.guessing_problems`): the small side hides, the large
side guesses, the payoff is the number of guesses. So is any class with the members of `Problem`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.objectives import Objective, mean
from oracular.strategies.hider import draw_index
from oracular.system.checking import checked, damaged_arrays, frozen
from oracular.system.control import NEVER, Deadline
from oracular.system.files import cut, quoted, read_as

LARGEST_PAYOFF = 1 << 32
"""No payoff may be larger, so that sums over many iterations fit into 64 bits."""

LARGEST_SIZE = 1 << 24
"""The small side is small."""


@checked
@dataclass(frozen=True, eq=False)
class Response:
    """A pure strategy of the large side, and what it is worth.

    The payoffs are whole numbers, one for each pure strategy of the small side [size]. The strategy is anything that
    can be saved, loaded and played.
    """

    payoffs: NDArray[np.int64]
    strategy: Any


class WeightsOfPlay(Protocol):
    """The small side's weights [size] at the iterations of a fictitious play, which its solver keeps."""

    def __len__(self) -> int:
        """Return how many iterations there are."""

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """Yield the weights at each of them; they may be changed when the next are yielded."""

    def at(self, iteration: int, deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the weights at one of them, or raise `DeadlinePassed`."""


NO_BOUND = "measured with the best response known, not a bound"
"""What an epsilon is where responses are neither exact nor greedy."""


def rounded(weights: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Return weights as whole numbers that sum to at most a given number, none of them zero [size].

    They may be numbers of any type, Python's whole numbers (dtype object) among them, whose sum fits their type.
    """
    total = weights.sum() if weights.dtype != object else sum(weights.tolist())
    share = weights.astype(np.float64) / float(total)
    return (share * (most - len(weights))).astype(np.int64) + 1


class Problem(Protocol):
    """A zero-sum game that is small on one side and too large to list on the other."""

    @property
    def size(self) -> int:
        """How many pure strategies the small side has."""

    @property
    def identity(self) -> str:
        """What distinguishes this problem from others: a run on disk is tied to it."""

    @property
    def largest_payoff(self) -> int:
        """No payoff is further from zero than this."""

    @property
    def exact(self) -> bool:
        """Whether `respond` gives a true best response: only then is there a lower bound on the value."""

    def respond(self, weights: NDArray[np.int64]) -> Response:
        """Return a strategy of the large side that keeps the payoff small against a mix of the small side.

        The mix is whole numbers of 0 or more, not all of them 0 [size].
        """

    def save(self, strategy: Any) -> Any:
        """Return a strategy as plain data: numbers, texts, lists, and dictionaries of them."""

    def load(self, data: Any) -> Any:
        """Return the strategy that `save` wrote; raise `ValueError` where it wrote no such thing."""


def check_problem(problem: object) -> None:
    """Raise an error unless an object has all that a solver needs of a problem, with values that will do."""
    missing = [name for name in dir(Problem) if not name.startswith("_") and not hasattr(problem, name)]
    if missing:
        raise SettingsError(
            f"{cut(type(problem).__name__)} is neither a game nor a problem: it has no {', '.join(missing)}"
        )
    for name, most in (("size", LARGEST_SIZE), ("largest_payoff", LARGEST_PAYOFF)):
        value = getattr(problem, name)
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= most:
            raise SettingsError(
                f"{name} {cut(repr(value))} of the problem will not do: give a whole number from 1 to {most:,}"
            )
    exact = getattr(problem, "exact", None)
    if not isinstance(exact, bool | np.bool_):
        raise SettingsError(f"exact {cut(repr(exact))} of the problem is neither True nor False: give one of them")
    identity = getattr(problem, "identity", None)
    if not isinstance(identity, str) or not 0 < len(identity) <= 1000:
        raise SettingsError(f"the problem's identity {quoted(identity)} is not a text of 1 to 1000 characters")


@checked
@dataclass(frozen=True, eq=False)
class MixedStrategy:
    """A mix of the large side: one of its strategies is drawn, in proportion to whole-number weights.

    Their payoffs times their weights, added up, are the `payoff_totals` [size].
    """

    strategies: Sequence[Any]
    weights: Sequence[int]
    payoff_totals: NDArray[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "payoff_totals", frozen(self.payoff_totals))

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(map(int, self.weights))

    @property
    def guarantee(self) -> Fraction:
        """The most that the small side can get on average: exact, an upper bound on the value."""
        return Fraction(int(self.payoff_totals.max()), self.total)

    def draw(self, rng: np.random.Generator | None = None) -> Any:
        """Return a strategy drawn from the mix."""
        return self.strategies[draw_index(self.weights, rng or np.random.default_rng())]


class FullProblem:
    """A problem with everything a solver can use; whatever a problem may leave out has a default here.

    Guessing games override the defaults (`oracular.solvers.guessing_problems`). This class wraps any other problem.
    """

    game: Game | None = None

    objective: Objective = mean()
    """What the large side is worth, if it guesses: payoffs are losses in it. Any other payoff counts as it is."""

    payoff_unit = 1
    """How much counts as one if a setting is given in payoffs."""

    @property
    def epsilon_is(self) -> str:
        """What the epsilon of a solution is, in the words that stand beside it."""
        return "with exact best responses: neither side can gain more" if self.exact else NO_BOUND

    keeps_strategies = True
    """Whether fictitious play keeps every response; if not, `played` makes them again from the weights."""

    def __init__(self, problem: Problem) -> None:
        check_problem(problem)
        self._wrapped = problem
        self.size, self.identity = int(problem.size), problem.identity
        self.largest_payoff, self.exact = int(problem.largest_payoff), bool(problem.exact)
        self.name, self.least_payoff = cut(problem.identity), -problem.largest_payoff

    @property
    def settings(self) -> dict[str, Any]:
        """What a run of it was begun with and must be continued with, as plain data."""
        return {}

    @property
    def most_weight(self) -> int:
        """What the weights sum to at most that regret matching asks a response for.

        Times any payoff it fits into 64 bits, so that a problem can work out the payoff of a mix in them.
        """
        return max(min(1 << 40, (2**63 - 1) // self.largest_payoff), 16 * self.size)

    def warm_up(self) -> None:
        """Load or compile what responses need."""

    def respond(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> Response:
        """Return the response to a mix of the small side, checked.

        Raise `DeadlinePassed` once the deadline has passed; the problem is then as if it had not been asked.
        """
        deadline.check()
        response = self._wrapped.respond(weights.copy())
        if not hasattr(response, "payoffs") or not hasattr(response, "strategy"):
            raise SettingsError(f"respond gives {cut(repr(response))}: give oracular.Response(payoffs, strategy)")
        payoffs = np.asarray(response.payoffs)
        if payoffs.shape != (self.size,) or payoffs.dtype.kind not in "biu":
            raise SettingsError(
                f"the payoffs of a response are {payoffs.dtype} {list(payoffs.shape)}: give {self.size} whole numbers"
            )
        payoffs = payoffs.astype(np.int64)
        largest = max(int(payoffs.max()), -int(payoffs.min()))
        if largest > self.largest_payoff:
            raise SettingsError(
                f"a response pays {cut(largest)}, and largest_payoff is {self.largest_payoff}: fix one of them"
            )
        return Response(payoffs, response.strategy)

    def play(
        self, weights: NDArray[np.int64], payoff_totals: NDArray[np.int64], most: int, shared: int, deadline: Deadline
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return iterations of fictitious play that were made in one go, or None if this problem cannot do that.

        They are the small side's weights at each of them [iterations, size], and the payoffs of all responses summed up
        before the first of them and up to each of them [iterations + 1, size]. If the deadline passes, those that were
        finished are returned; `DeadlinePassed` is raised if there are none. Problems whose responses are exact or saved
        return None.

        Args:
            weights: the small side's weights at the first of these iterations [size].
            payoff_totals: the payoffs of all responses before it, summed up [size].
            most: how many iterations to make at most.
            shared: the weight that each iteration shares out among the small side's best responses.
            deadline: when to end.
        """
        return None

    def unchanged_on_error(self) -> AbstractContextManager[None]:
        """Return a context after which, if it ends in an error, the problem is as if it had not been asked in it."""
        return nullcontext()

    def save(self, strategy: Any) -> Any:
        """Return a strategy as plain data."""
        data = self._wrapped.save(strategy)
        try:
            json.dumps(data, allow_nan=False)
            plain = _keys_are_texts(data)
        except (TypeError, ValueError, RecursionError):
            plain = False
        if not plain:
            raise SettingsError(
                f"save gives {cut(data)}, which no file can hold: give finite numbers, texts, lists and dictionaries "
                "with texts as keys"
            )
        return data

    def load(self, data: Any) -> Any:
        """Return the strategy that `save` wrote, or raise `ValueError`."""
        try:
            return self._wrapped.load(data)
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(f"a strategy cannot be loaded ({cut(error)})") from None

    def is_usual_for(self, solver: str) -> bool:
        """Return whether a solver takes this problem if given only the game; then a run names the game alone."""
        return self.game is not None

    def deviation(self, weights: NDArray[np.int64], deadline: Deadline = NEVER) -> NDArray[np.int64]:
        """Return the payoffs of the response that epsilons are measured with [size]."""
        return self.respond(weights, deadline).payoffs

    def mixed(self, strategies: Sequence[Any], weights: Sequence[int], payoff_totals: NDArray[Any]) -> Any:
        """Return a mix of the large side, whose payoffs times their weights have been added up [size]."""
        return MixedStrategy(strategies, weights, payoff_totals)

    def record(self, strategy: Any) -> dict[str, Any]:
        """Return what the history of a run keeps of a strategy."""
        return {"strategy": self.save(strategy)}

    def played(
        self, weights: WeightsOfPlay, history: Sequence[Mapping[str, Any]], deadline: Deadline = NEVER
    ) -> Sequence[Any]:
        """Return the large side's strategies in the first iterations of a fictitious play, one for each weights.

        The history has what is saved of each iteration; `ValueError` if that is not what `record` wrote.
        """
        return [self.load(record.get("strategy")) for record in deadline.within(islice(history, len(weights)))]

    def saved_data(self, strategies: Sequence[Any]) -> Any:
        """Return strategies as plain data, or None where `saved_arrays` has them."""
        return [self.save(strategy) for strategy in strategies]

    def saved_arrays(self, strategies: Sequence[Any]) -> dict[str, NDArray[Any]]:
        """Return what the problem remembers, by name, and strategies that are arrays."""
        return {}

    def load_all(self, data: Any, arrays: Mapping[str, NDArray[Any]], deadline: Deadline = NEVER) -> list[Any]:
        """Take up what was saved, and return the strategies; `ValueError` where no such thing was saved.

        Raise `DeadlinePassed` once the deadline has passed.
        """
        strategies = []
        for entry in read_as(list[Any], data):
            deadline.check()
            strategies.append(self.load(entry))
        return strategies

    def check_payoffs(
        self, strategies: Sequence[Any], payoffs: Sequence[NDArray[Any]], deadline: Deadline = NEVER
    ) -> None:
        """Raise an error unless these may be the payoffs of the strategies, one row each [size]."""
        if any(row.min() < self.least_payoff or row.max() > self.largest_payoff for row in payoffs):
            raise damaged_arrays("a payoff is out of range")


def full(problem: Problem) -> FullProblem:
    """Return a problem with all that is optional filled in."""
    return problem if isinstance(problem, FullProblem) else FullProblem(problem)


def _keys_are_texts(data: Any) -> bool:
    """Return whether all keys in some data are texts: other keys come back from a file as texts."""
    if isinstance(data, dict):
        return all(isinstance(key, str) and _keys_are_texts(value) for key, value in data.items())
    return not isinstance(data, list | tuple) or all(map(_keys_are_texts, data))
