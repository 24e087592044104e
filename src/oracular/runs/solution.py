"""What solving gives: a pair of strategies, with what is known of their worth."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.evaluation import Standing, guarantee
from oracular.games.game import Game
from oracular.objectives import Objective
from oracular.problem import FullProblem, MixedStrategy
from oracular.solvers.solver import Solver
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture
from oracular.system.checking import checked
from oracular.system.files import parse_fraction, quoted, read_as

if TYPE_CHECKING:
    from oracular.solvers.exact.certificate import Certificate


@checked
@dataclass(frozen=True, eq=False)
class Solution:
    """A pair of strategies, with what is known of their worth and where they come from.

    Attributes:
        problem: what was solved.
        weights: the small side's mix, whole numbers [size].
        mix: the large side's mix of pure strategies.
        bound: what the solver has proved that the large side cannot do better than on average, by this call or as the
            run's files say, or None where the solver proves nothing: the lower bound on the value of the game, or the
            upper bound in an objective of which more is better.
        certificate: what proves the bounds (`solvers/exact/certificate.py`), where the solver makes one.
        standing: payoffs and epsilons of these strategies, in the objective.
        iterations: how many iterations were made after the start.
        best_iteration: t*, the iteration that the strategies are those of.
        stopped: why it stopped: `iterations`, `epsilon`, `time`, `interrupted`, or `finished` where there is nothing
            left to improve; None for a run that was cut off.
        seconds: how long solving took, in all.
        history: a record for every iteration: what both sides did, and the standing, in the objective. Those of a long
            run are read from a file when they are asked for.
        settings: the solver and its settings.
    """

    problem: FullProblem
    weights: NDArray[Any]
    mix: MixedStrategy | Mixture
    bound: Fraction | None
    certificate: Certificate | None
    standing: Standing
    iterations: int
    best_iteration: int
    stopped: str | None
    seconds: float
    history: Sequence[dict[str, Any]]
    settings: dict[str, Any]

    @classmethod
    def of(cls, solver: Solver, stopped: str | None, seconds: float, history: Sequence[dict[str, Any]]) -> Solution:
        """Return a solver's best strategies, with all that is known of them."""
        outcome, objective, best = solver.outcome(history), solver.problem.objective, solver.best
        assert isinstance(best, Standing)
        solution = cls(
            problem=solver.problem,
            weights=outcome.weights,
            mix=outcome.mix,
            bound=None if outcome.lower is None else objective.value(outcome.lower),
            certificate=outcome.certificate,
            standing=best.in_objective(objective),
            iterations=solver.iteration,
            best_iteration=solver.best_iteration,
            stopped=stopped,
            seconds=seconds,
            history=history if objective.is_mean else [_record_in(record, objective) for record in history],
            settings={"solver": solver.name, **solver.settings},
        )
        lower, upper = solution.lower, solution.upper
        if lower is not None and upper is not None and lower > upper:
            raise SettingsError(
                f"the lower bound {float(lower):.6g} of {quoted(solver.problem.name)} is above the upper bound "
                f"{float(upper):.6g}: its responses are no best ones, so `exact` must be False"
            )
        return solution

    @property
    def objective(self) -> Objective:
        """What the guesser is worth: every figure here is in it."""
        return self.problem.objective

    @property
    def game(self) -> Game:
        """The guessing game that was solved."""
        if self.problem.game is None:
            raise SettingsError(f"{quoted(self.problem.name)} is no guessing game: look at weights and mix instead")
        return self.problem.game

    @cached_property
    def hider(self) -> Hider:
        """The hider's strategy, in a guessing game."""
        return Hider(self.game, self.weights)

    @property
    def guesser(self) -> Mixture:
        """The guesser's strategy, in a guessing game: a mixture of oracles."""
        _ = self.game  # says so where there is no guesser
        assert isinstance(self.mix, Mixture)
        return self.mix

    @property
    def epsilon(self) -> float:
        """The larger gain of the two players at t*.

        In guessing games fictitious play and regret matching measure the guesser's gain as the paper does, with the
        greedy response, in other objectives with the planner's best tree where that is better; the exact solver
        measures it with a proved bound.
        """
        return self.standing.epsilon

    @property
    def epsilon_is(self) -> str:
        """What the epsilon is: a bound on what either side can gain, or how it was measured."""
        return self.problem.epsilon_is

    @cached_property
    def guarantee(self) -> Fraction:
        """What the large side gets on average at worst: exact, and an upper bound on the value of the game.

        In a guessing game that is the worst secret's expected number of guesses. In an objective of which more is
        better it is a lower bound on the value: the worst secret's chance to be found, say.
        """
        return self.mix.guarantee if self.objective.is_mean else guarantee(self.guesser, self.objective)

    @property
    def lower(self) -> Fraction | None:
        """A lower bound on the value in the objective, or None where the solver proves none.

        Of a run that was read from disk this is what its files say; `oracular.runs.verify` works it out again.
        """
        return self.bound if self.objective.less_is_better else self.guarantee

    @property
    def upper(self) -> Fraction | None:
        """An upper bound on the value in the objective, or None where the solver proves none.

        Of a run that was read from disk this is what its files say; `oracular.runs.verify` works it out again.
        """
        return self.guarantee if self.objective.less_is_better else self.bound

    @property
    def closed(self) -> bool:
        """Whether the bounds are equal: then the strategies are an equilibrium.

        Of a run that was read from disk this is what its files say; `oracular.runs.verify` works it out again.
        """
        return self.bound == self.guarantee

    @property
    def seconds_per_iteration(self) -> float:
        """The average time of one iteration."""
        return self.seconds / (self.iterations + 1)

    def __repr__(self) -> str:
        what = self.problem.game or self.problem.name
        solved_for = "" if self.objective.is_mean else f", {self.objective.name}"
        return (
            f"Solution({what!r}{solved_for}, epsilon {self.epsilon:.3f} ({self.epsilon_is}) at iteration "
            f"{self.best_iteration} of {self.iterations}, guarantee {float(self.guarantee):.3f})"
        )


def _record_in(record: dict[str, Any], objective: Objective) -> dict[str, Any]:
    """Return a record of a history in an objective; a run keeps it in losses.

    What else solvers write there is left out if it is no figure: nobody has checked it.
    """
    figures = Standing(**{entry.name: float(record[entry.name]) for entry in fields(Standing)})
    turned = {name: value for name, value in record.items() if name not in ("lower", "upper", "response")}
    turned |= vars(figures.in_objective(objective))
    for name, other in (("lower", "upper"), ("upper", "lower")):
        with suppress(ValueError):
            turned[name] = str(objective.value(parse_fraction(record.get(other))))
    with suppress(ValueError):
        turned["response"] = (objective.top - read_as(float, record.get("response"))) / objective.unit
    return turned
