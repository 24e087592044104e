"""What solving gives: a pair of strategies, with what is known of their worth."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.evaluation import Standing
from oracular.games.game import Game
from oracular.problem import FullProblem, MixedStrategy
from oracular.solvers.solver import Solver
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.solvers.exact.certificate import Certificate


@dataclass(frozen=True, eq=False)
class Solution:
    """A pair of strategies, with what is known of their worth and where they come from.

    Attributes:
        problem: what was solved.
        weights: the small side's mix, whole numbers [size].
        mix: the large side's mix of pure strategies.
        lower: a lower bound on the value of the game that the solver has proved, by this call or as the run's files
            say, or None where the solver proves none.
        certificate: what proves the bounds (`solvers/exact/certificate.py`), where the solver makes one.
        standing: payoffs and epsilons of these strategies.
        iterations: how many iterations were made after the start.
        best_iteration: t*, the iteration that the strategies are those of.
        stopped: why it stopped: `iterations`, `epsilon`, `time`, `interrupted`, or `finished` where there is nothing
            left to improve; None for a run that was cut off.
        seconds: how long solving took, in all.
        history: a record for every iteration: what both sides did, and the standing.
        settings: the solver and its settings.
    """

    problem: FullProblem
    weights: NDArray[Any]
    mix: MixedStrategy | Mixture
    lower: Fraction | None
    certificate: Certificate | None
    standing: Standing
    iterations: int
    best_iteration: int
    stopped: str | None
    seconds: float
    history: list[dict[str, Any]]
    settings: dict[str, Any]

    @classmethod
    def of(cls, solver: Solver, stopped: str | None, seconds: float, history: list[dict[str, Any]]) -> Solution:
        """Return a solver's best strategies, with all that is known of them."""
        outcome = solver.outcome()
        if outcome.lower is not None and outcome.lower > outcome.mix.guarantee:
            raise SettingsError(
                f"the lower bound {float(outcome.lower):.6g} of {quoted(solver.problem.name)} is above the upper bound "
                f"{float(outcome.mix.guarantee):.6g}: its responses are no best ones, so `exact` must be False"
            )
        return cls(
            problem=solver.problem,
            weights=outcome.weights,
            mix=outcome.mix,
            lower=outcome.lower,
            certificate=outcome.certificate,
            standing=solver.best,
            iterations=solver.iteration,
            best_iteration=solver.best_iteration,
            stopped=stopped,
            seconds=seconds,
            history=history,
            settings={"solver": solver.name, **solver.settings},
        )

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
        greedy response; the exact solver measures it with a proved bound.
        """
        return self.standing.epsilon

    @property
    def guarantee(self) -> Fraction:
        """The most that the small side can get on average: exact, and an upper bound on the value of the game.

        In a guessing game that is the worst secret's expected number of guesses.
        """
        return self.mix.guarantee

    @property
    def upper(self) -> Fraction:
        """An upper bound on the value: the guarantee; of a run read from disk it is what the run's files say."""
        return self.guarantee

    @property
    def closed(self) -> bool:
        """Whether the lower bound is the guarantee: then the strategies are an equilibrium.

        Of a run that was read from disk this is what its files say; `oracular.runs.recheck` works it out again.
        """
        return self.lower == self.guarantee

    @property
    def seconds_per_iteration(self) -> float:
        """The average time of one iteration."""
        return self.seconds / (self.iterations + 1)

    def __repr__(self) -> str:
        what = self.problem.game or self.problem.name
        return (
            f"Solution({what!r}, epsilon {self.epsilon:.3f} at iteration {self.best_iteration} of "
            f"{self.iterations}, guarantee {float(self.guarantee):.3f})"
        )
