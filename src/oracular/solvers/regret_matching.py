"""Regret matching+ [Tammelin 2014] of the small side against the large side's responses, and the best mix of these.

At every step the large side (in a guessing game: the guesser) answers the small side's weights with the best strategy
it can find, and the regret of each pure strategy of the small side (the hider's secrets) becomes what playing it would
have gained so far, never below zero:

    R_i <- max(0, R_i + payoff_i - sum_j w_j payoff_j / sum_j w_j),      w_i in proportion to R_i.

The average over the steps, step t counted t times, is a mix with a guarantee. A far better one comes of weighing the
responses anew: self-play on the matrix of their payoffs. Regrets and weights are whole numbers, in 2^-16 of a payoff of
one. Sums over the steps are exact however many there are: what would not fit into 64 bits is added up in Python's
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from oracular.evaluation import Standing, exact_dot, standing
from oracular.problem import FullProblem, rounded
from oracular.settings import REGRET_MATCHING, RegretMatchingSettings, check_all
from oracular.solvers.solver import Arrays, Outcome, Record, Solver, proved_by, proved_lower
from oracular.system.checking import SUM_LIMIT, check_array, damaged_arrays
from oracular.system.control import NEVER, Deadline, DeadlinePassed
from oracular.system.files import Whole, parse_fraction, read_as

UNIT_BITS = 16
"""Regrets are counted in 2^-16 of a payoff of one."""

SECONDS_A_PAYOFF = 1.2e-9
"""A round of weighing responses anew takes about this for each of their payoffs, measured."""

LIMB_BITS = 62
"""A sum that does not fit into 64 bits is kept on disk in digits of this many bits."""

MOST_LIMBS = 8
"""No sum that is read has more digits than this."""


@dataclass(frozen=True, eq=False)
class Conclusion:
    """What is made of the kept responses at the end of a run.

    There is a weight for each of them. Where a mix of the small side was found that proves more than all steps did
    [size], it is kept with the lower bound that it proves. If the deadline cut it off, it depends on the clock.
    """

    mix: NDArray[np.int64]
    weights: NDArray[np.int64] | None = None
    lower: Fraction | None = None
    cut_off: bool = False


class _Conclusion(TypedDict):
    """What a checkpoint says was concluded."""

    mixture_weights: list[Whole] | None
    weights: NotRequired[list[Whole]]
    lower: NotRequired[str]
    cut_off: NotRequired[bool]


@dataclass(eq=False)
class RegretMatching(Solver):
    """The solver's state; `step` makes one iteration.

    Attributes:
        weights: the small side's weights of the next step, int64 [size].
        weight_totals: the weights of all steps, step t counted t times, int64, or object where that is too small
            [size].
        payoff_totals: the payoffs of all responses, counted and kept likewise [size].
        strategies: the responses that are kept, with their `payoffs`.
        lower: the best lower bound on the value that the steps prove, where responses are exact.
        lower_weights: the small side's weights that prove it [size].
        conclusion: what was made of the kept responses at the end, or None before `conclude`.
    """

    problem: FullProblem
    most_trees: int = RegretMatchingSettings.most_trees
    head_start: int = RegretMatchingSettings.head_start
    iteration: int = -1
    strategies: list[Any] = field(default_factory=list)
    payoffs: list[NDArray[Any]] = field(default_factory=list)
    lower: Fraction | None = None
    lower_weights: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    conclusion: Conclusion | None = None

    name = "regret-matching"

    def __post_init__(self) -> None:
        size = self.problem.size
        check_all(REGRET_MATCHING, self, size)
        first = np.full(size, self._first_regret, dtype=np.int64)
        self.regrets: NDArray[Any] = added_up(np.zeros(size, dtype=np.int64), first, 1 << UNIT_BITS)
        self.weight_totals: NDArray[Any] = np.zeros(size, dtype=np.int64)
        self.payoff_totals: NDArray[Any] = np.zeros(size, dtype=np.int64)
        self.weights = self._weights_of(np.zeros(size))

    @property
    def _first_regret(self) -> int:
        """The regret that every pure strategy starts with, in payoffs."""
        return self.head_start * self.problem.payoff_unit

    @property
    def settings(self) -> dict[str, Any]:
        """What a run was begun with, as plain data."""
        return self.problem.settings | {setting.name: getattr(self, setting.name) for setting in REGRET_MATCHING}

    @property
    def best(self) -> Standing:
        """How the strategies that `outcome` returns stand."""
        weights = self._mix_weights()
        return self._standing(self._small_side(), self._totals_of(weights), int(weights.sum()))

    @property
    def stands(self) -> Standing:
        """How the small side's average stands against all kept responses alike, whatever was concluded."""
        totals = np.array(self.payoffs).sum(axis=0, dtype=np.int64)
        return self._standing(self._average(), totals, len(self.payoffs))

    def warm_up(self) -> None:
        """Load or compile what responses and conclusions need."""
        self.problem.warm_up()
        reweighted(np.zeros((1, 1), dtype=self._payoff_type), iterations=1)

    @property
    def _payoff_type(self) -> type[np.integer[Any]]:
        """The smallest type that holds every payoff: thousands of responses are kept."""
        return np.int16 if self.problem.largest_payoff < 1 << 15 else np.int64

    def step(self, deadline: Deadline = NEVER) -> dict[str, Any]:
        """Make one iteration and return its record: what the response costs, and how the averages stand."""
        count = self.iteration + 2
        weights, weight_totals = self.weights, added_up(self.weight_totals, self.weights, count)
        average = rounded(weight_totals, self.problem.most_weight)
        used = self._most_used(deadline)
        deviation = self.problem.deviation(average, deadline)
        with self.problem.unchanged_on_error():  # a problem may remember that it was asked
            response = self.problem.respond(weights, deadline)
            payoffs = response.payoffs
            value = (exact_dot(weights, payoffs) << UNIT_BITS) // int(weights.sum())
            kept = [*(self.payoffs[i] for i in used), payoffs.astype(self._payoff_type)]
            regrets = np.maximum(0, added_up(self.regrets, (payoffs << UNIT_BITS) - value, 1))
            self.weights = self._next_weights(regrets, kept, used, deadline)  # the last that a deadline may cut off
        self.strategies = [*(self.strategies[i] for i in used), response.strategy]
        self.payoffs = kept
        if self.problem.exact:
            for tried, paid in ((weights, payoffs), (average, deviation)):
                proved = proved_by(tried, paid)
                if self.lower is None or proved > self.lower:
                    self.lower, self.lower_weights = proved, tried
        self.iteration, self.conclusion = self.iteration + 1, None
        self.weight_totals, self.payoff_totals = weight_totals, added_up(self.payoff_totals, payoffs, count)
        self.regrets = regrets
        now = standing(average, *self._mixed_totals(), deviation)
        record = {"iteration": self.iteration, "response": value / (1 << UNIT_BITS), **vars(now)}
        return record | ({} if self.lower is None else {"lower": str(self.lower)})

    def _next_weights(
        self, regrets: NDArray[Any], payoffs: list[NDArray[Any]], used: Sequence[int], deadline: Deadline
    ) -> NDArray[np.int64]:
        """Return the small side's weights of the next step, by its new regrets [size].

        The payoffs are those of the responses that will be kept: the used ones of those before, and the latest.
        """
        return self._weights_of(regrets)

    def _mixed_totals(self) -> tuple[NDArray[Any], int]:
        """Return the payoffs of the mix that the record of a step describes, added up [size], and of how many."""
        count = self.iteration + 1
        return self.payoff_totals, count * (count + 1) // 2

    def _weights_of(self, regrets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the small side's weights in proportion to regrets, all alike where there are none [size]."""
        return rounded(regrets if regrets.any() else np.ones(len(regrets), dtype=np.int64), self.problem.most_weight)

    def _average(self) -> NDArray[np.int64]:
        """Return the small side's average over the steps [size]."""
        return rounded(self.weight_totals, self.problem.most_weight)

    def _small_side(self) -> NDArray[np.int64]:
        """Return the small side's mix: its average, or where responses are exact the one that proves most [size]."""
        if self.lower is None:
            return self._average()
        concluded = None if self.conclusion is None else self.conclusion.weights
        return self.lower_weights if concluded is None else concluded

    def _standing(self, weights: NDArray[np.int64], payoff_totals: NDArray[Any], count: int) -> Standing:
        """Return how the small side's weights stand against a mix with these payoffs."""
        return standing(weights, payoff_totals, count, self.problem.deviation(weights))

    def _most_used(self, deadline: Deadline) -> Sequence[int]:
        """Return which responses stay when one more comes: all, or without the least used third if they are many."""
        if len(self.strategies) < self.most_trees:
            return range(len(self.strategies))
        weights = reweighted(np.array(self.payoffs), iterations=1000, deadline=deadline).weights
        deadline.check()
        weights[-self.most_trees // 5 :] = weights.max() + 1  # the newest have had no chance yet
        return np.sort(np.argsort(-weights, kind="stable")[: 2 * self.most_trees // 3]).tolist()

    @property
    def seconds_to_conclude(self) -> float:
        """About how long `conclude` would take, with the letting go of responses where the next step brings that."""
        rounds = 4000 + (1000 if len(self.strategies) == self.most_trees else 0)
        return len(self.strategies) * self.problem.size * rounds * SECONDS_A_PAYOFF

    def conclude(self, deadline: Deadline = NEVER) -> None:
        """Optimize the mix of the kept responses.

        If the deadline passes meanwhile, it is the best so far, unless the mix was better before. If responses are
        exact, the small side's best mix against the kept ones is tried as well: if it proves more than the average
        does, it is the small side's strategy.
        """
        if self.is_concluded:
            return
        before, self.conclusion = self.conclusion, None  # a finished conclusion is the same whatever was cut off before
        payoffs = np.array(self.payoffs)
        try:
            found = self._best_mix(payoffs, deadline)
            mixed = self._mix_weights()
            mix = found.weights if found.guarantee < guarantee_of(payoffs, mixed) else mixed
            self.conclusion = Conclusion(mix, cut_off=True)
            if self.lower is not None:
                tried = as_fractions(found.prices, self.problem.most_weight)
                if tried is None:
                    tried = rounded(found.prices, self.problem.most_weight)
                lower = proved_by(tried, self.problem.respond(tried, deadline).payoffs)
                if lower > self.lower:
                    self.conclusion = replace(self.conclusion, weights=tried, lower=lower)
            deadline.check()  # self-play that was cut off does not say so
            self.conclusion = replace(self.conclusion, cut_off=False)
        except DeadlinePassed:
            self.conclusion = _better(self.conclusion, before, payoffs)

    @property
    def is_concluded(self) -> bool:
        """Whether the best mix of the kept responses was found, with time enough."""
        return self.conclusion is not None and not self.conclusion.cut_off

    def _best_mix(self, payoffs: NDArray[Any], deadline: Deadline) -> Reweighted:
        """Return nearly the best mix of responses with these payoffs [strategies, size], by self-play."""
        return reweighted(payoffs, deadline=deadline)

    def outcome(self, history: Sequence[Record] = ()) -> Outcome:
        """Return the small side's mix, and the large side's."""
        weights = self._mix_weights()
        chosen = np.flatnonzero(weights)
        strategies = [self.strategies[i] for i in chosen]
        mix = self.problem.mixed(strategies, weights[chosen].tolist(), self._totals_of(weights))
        concluded = None if self.conclusion is None else self.conclusion.lower
        return Outcome(self._small_side(), mix, self.lower if concluded is None else concluded)

    def _mix_weights(self) -> NDArray[np.int64]:
        """Return a weight for each kept response: as was concluded, before that all alike."""
        return np.ones(len(self.strategies), dtype=np.int64) if self.conclusion is None else self.conclusion.mix

    def _totals_of(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the payoffs of the kept responses times these weights, added up [size]."""
        totals = np.zeros(self.problem.size, dtype=np.int64)
        for i in np.flatnonzero(weights):
            totals += weights[i] * self.payoffs[i].astype(np.int64)
        return totals

    def checkpoint(self) -> dict[str, Any]:
        """Return the small part of the state: what was concluded, and strategies that are no arrays."""
        concluded = self.conclusion
        data = self.problem.saved_data(self.strategies)
        kept = {"mixture_weights": None if concluded is None else concluded.mix.tolist()}
        if data is not None:
            kept["strategies"] = data
        if concluded is not None and concluded.weights is not None:
            kept |= {"weights": concluded.weights.tolist(), "lower": str(concluded.lower)}
        if concluded is not None and concluded.cut_off:
            kept["cut_off"] = True
        return kept

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all the rest of the state."""
        proof = {} if self.lower is None else {"lower_weights": self.lower_weights}
        return (
            self.problem.saved_arrays(self.strategies)
            | proof
            | {
                "iteration": np.array(self.iteration),
                "regrets": as_limbs(self.regrets),
                "weights": self.weights,
                "hider_totals": as_limbs(self.weight_totals),
                "depth_totals": as_limbs(self.payoff_totals),
                "tree_depths": np.array(self.payoffs),
            }
        )

    def restore(
        self, checkpoint: Record, arrays: Arrays, history: Sequence[Record], deadline: Deadline = NEVER
    ) -> None:
        """Take up what `checkpoint` and `arrays` returned: later steps are the same bits as without the break.

        Their payoffs are checked, since guarantees follow from them; of the other numbers only that no sum overflows.
        """
        strategies = self.problem.load_all(checkpoint.get("strategies"), arrays, deadline)
        check_array(arrays, "iteration", np.int64, ())
        iteration = int(arrays["iteration"])
        if iteration < 0 or (history and iteration != len(history) - 1):
            raise damaged_arrays(f"iteration {iteration} is not the last of {len(history)} records")
        if not 1 <= len(strategies) <= min(self.most_trees, iteration + 1):
            raise damaged_arrays(f"{len(strategies)} trees are kept after iteration {iteration}")
        check_array(arrays, "tree_depths", self._payoff_type, (len(strategies), self.problem.size))
        payoffs = list(arrays["tree_depths"])
        self.problem.check_payoffs(strategies, payoffs, deadline)
        check_array(arrays, "weights", np.int64, (self.problem.size,))
        names = "regrets", "hider_totals", "depth_totals"
        regrets, weight_totals, payoff_totals = (from_limbs(arrays, name, self.problem.size) for name in names)
        if regrets.min() < 0 or weight_totals.min() < 0 or not weight_totals.any():
            raise damaged_arrays("a regret or a weight is negative, or all weights are 0")
        self.conclusion = self._checked_conclusion(checkpoint, len(strategies))
        if self.problem.exact:
            check_array(arrays, "lower_weights", np.int64, (self.problem.size,))
            self.lower, self.lower_weights = proved_lower(history), arrays["lower_weights"].copy()
        self.iteration, self.strategies, self.payoffs = iteration, strategies, payoffs
        self.weights = self._restored_weights(arrays, regrets)
        self.regrets, self.weight_totals, self.payoff_totals = regrets, weight_totals, payoff_totals

    def _restored_weights(self, arrays: Arrays, regrets: NDArray[Any]) -> NDArray[np.int64]:
        """Return the small side's weights of the next step, which follow from its regrets [size]."""
        return self._weights_of(regrets)

    def _checked_conclusion(self, data: dict[str, Any], strategies: int) -> Conclusion | None:
        """Return what a checkpoint says was concluded, if anything was."""
        kept: _Conclusion = read_as(_Conclusion, data)
        mix, small, cut_off = kept["mixture_weights"], kept.get("weights"), kept.get("cut_off", False)
        if mix is None:
            return None
        if len(mix) != strategies or not any(mix) or max(mix) > RESOLUTION:
            raise damaged_arrays("the mixture has not one weight for each tree")
        if small is None:
            return Conclusion(np.array(mix, np.int64), cut_off=cut_off)
        if len(small) != self.problem.size or not any(small) or max(small) > self.problem.most_weight:
            raise damaged_arrays("the small side has not one weight for each of its strategies")
        lower = parse_fraction(kept.get("lower"))
        return Conclusion(np.array(mix, np.int64), np.array(small, np.int64), lower, cut_off)


def _better(now: Conclusion | None, before: Conclusion | None, payoffs: NDArray[Any]) -> Conclusion | None:
    """Return the best of two conclusions that were cut off, with responses of these payoffs [strategies, size]."""
    if now is None or before is None:
        return before if now is None else now
    mix = min((now.mix, before.mix), key=lambda mix: guarantee_of(payoffs, mix))
    if before.lower is not None and (now.lower is None or before.lower > now.lower):
        return replace(before, mix=mix)
    return replace(now, mix=mix)


def added_up(totals: NDArray[Any], more: NDArray[np.int64], times: int) -> NDArray[Any]:
    """Return totals plus so many times more, exact: as Python's whole numbers where the sum of all may pass 62 bits."""
    if totals.dtype != object:
        largest = max(int(totals.max()), -int(totals.min())) + times * max(int(more.max()), -int(more.min()))
        if largest * len(totals) < SUM_LIMIT:
            return totals + times * more
    return totals.astype(object) + times * more.astype(object)


def as_limbs(totals: NDArray[Any]) -> NDArray[np.int64]:
    """Return whole numbers as they are kept: as they stand, or digits of 62 bits, lowest first [digits, size]."""
    if totals.dtype != object:
        return totals
    digits: list[NDArray[np.int64]] = []
    rest = totals
    while rest.any() or not digits:
        digits.append((rest & ((1 << LIMB_BITS) - 1)).astype(np.int64))
        rest = rest >> LIMB_BITS
    return np.array(digits)


def from_limbs(arrays: Mapping[str, NDArray[Any]], name: str, size: int) -> NDArray[Any]:
    """Return the numbers of that name that `as_limbs` wrote, none negative, or say that they are damaged [size]."""
    if name not in arrays or arrays[name].ndim != 2:
        check_array(arrays, name, np.int64, (size,))
        plain = arrays[name]
        if max(int(plain.max()), -int(plain.min())) * size >= SUM_LIMIT:  # `added_up` would have kept them as digits
            raise damaged_arrays(f"{name} are too large")
        return plain.copy()
    kept = arrays[name]
    check_array(arrays, name, np.int64, (min(max(len(kept), 1), MOST_LIMBS), size))
    if kept.min() < 0 or int(kept.max()) >> LIMB_BITS:
        raise damaged_arrays(f"{name} are out of range")
    totals = np.zeros(size, dtype=object)
    for place, digits in enumerate(kept):
        totals += digits.astype(object) << (LIMB_BITS * place)
    return totals


RESOLUTION = 1 << 24
"""About what the whole-number weights of a mixture sum to."""

NEGLIGIBLE = 1e-6
"""A tree with a smaller share is left out."""

SIMPLE = 1 << 16
"""A float is read as a fraction if there is one this near with a denominator of at most this: see `as_fractions`."""


@dataclass(frozen=True, eq=False)
class Reweighted:
    """A mixture of given trees.

    There is a whole number for each tree [trees]. The guarantee is the expected number of guesses for the worst secret,
    exact; the prices are the hider's best strategy against these trees, as found in floats, which sum to one [secrets].
    """

    weights: NDArray[np.int64]
    guarantee: Fraction
    prices: NDArray[np.float64]


def guarantee_of(depths: NDArray[Any], weights: NDArray[np.int64]) -> Fraction:
    """Return the exact expected number of guesses for the worst secret of a mixture; depths are [trees, secrets]."""
    totals = np.zeros(depths.shape[1], dtype=np.int64)
    for tree in np.flatnonzero(weights):
        totals += weights[tree] * depths[tree].astype(np.int64)
    return Fraction(int(totals.max()), int(weights.sum()))


def reweighted(depths: NDArray[Any], iterations: int = 4000, deadline: Deadline = NEVER) -> Reweighted:
    """Return nearly the best mixture of these trees, by self-play on the matrix of their depths [trees, secrets].

    Where the deadline passes, it is the best so far, and depends on the clock: check the deadline where that matters.
    Raises `DeadlinePassed` where there was no time for a single iteration.
    """
    from oracular.kernels.matrix_game import solve_matrix

    return rounded_mixture(depths, *solve_matrix(depths, iterations, deadline))


def rounded_mixture(depths: NDArray[Any], shares: NDArray[np.float64], prices: NDArray[np.float64]) -> Reweighted:
    """Return the mixture in whole numbers, without its negligible trees, and what it guarantees."""
    shares = np.where(shares < NEGLIGIBLE, 0.0, shares)
    weights = np.rint(shares / shares.sum() * RESOLUTION).astype(np.int64)
    return Reweighted(weights, guarantee_of(depths, weights), prices)


def solved(depths: NDArray[Any], deadline: Deadline = NEVER) -> Reweighted:
    """Return the best mixture of these trees, by a linear program [trees, secrets].

    Its guarantee is exact if the shares are simple fractions; else it is that of the rounded shares.
    """
    _, prices, shares = matrix_game(depths.T.astype(np.float64), deadline)
    rounded = rounded_mixture(depths, shares, prices)
    weights = as_fractions(shares, RESOLUTION)
    if weights is None or (guarantee := guarantee_of(depths, weights)) > rounded.guarantee:
        return rounded
    return Reweighted(weights, guarantee, prices)


def as_fractions(shares: NDArray[np.float64], most: int) -> NDArray[np.int64] | None:
    """Return whole numbers in proportion to the simple fractions nearest to shares.

    None is returned if they would be too large, or if all shares are too small to be such fractions.

    Shares come from a linear program: if the game is small, they are simple fractions but for the last digits, and the
    strategy that these stand for is optimal without any rounding.
    """
    fractions, common = [], 1
    for share in shares.tolist():
        fractions.append(Fraction(share).limit_denominator(SIMPLE))
        common = lcm(common, fractions[-1].denominator)
        if common > most:
            return None
    return np.array([int(fraction * common) for fraction in fractions]) if any(fractions) else None


def matrix_game(
    matrix: NDArray[np.float64], deadline: Deadline = NEVER
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of a zero-sum game [rows, columns] for the row player, and both players' mixes."""
    import highspy

    from oracular.solvers.exact.flow_program import new_program, run_until

    rows, columns = matrix.shape
    largest = max(1.0, float(abs(matrix).max()))  # the program is in these, since tolerances are absolute
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = rows + 1, columns + 1
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.append(np.zeros(rows), 1.0)
    program.col_lower_ = np.append(np.zeros(rows), -np.inf)
    program.col_upper_ = np.full(rows + 1, np.inf)
    program.row_lower_ = np.append(np.zeros(columns), 1.0)
    program.row_upper_ = np.append(np.full(columns, np.inf), 1.0)
    dense = np.zeros((rows + 1, columns + 1))  # a row for each variable: the matrix is given column by column
    dense[:rows, :columns], dense[:rows, columns], dense[rows, :columns] = matrix / largest, 1.0, -1.0
    places = dense != 0.0
    shape = program.a_matrix_
    shape.format_ = highspy.MatrixFormat.kColwise
    shape.start_ = np.append(0, np.cumsum(places.sum(axis=1)))
    shape.index_ = np.nonzero(places)[1]
    shape.value_ = dense[places]
    solver = new_program(1e-9)
    solver.passModel(program)
    run_until(solver, deadline)
    solution = solver.getSolution()
    first = np.maximum(np.array(solution.col_value)[:rows], 0.0)
    second = np.maximum(-np.array(solution.row_dual)[:columns], 0.0)
    return largest * float(solver.getInfo().objective_function_value), first / first.sum(), second / second.sum()
