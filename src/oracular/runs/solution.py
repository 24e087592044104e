"""Solvers by name, and solutions: what a solver returns, or what a run's folder holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from oracular.errors import NotEnoughMemoryError, OutOfTimeError, RunError, SettingsError
from oracular.evaluation import Standing, guarantee
from oracular.games.game import Game
from oracular.games.table import TABLE_BESIDE_TOKENS, check_table_size
from oracular.objectives import Objective, mean
from oracular.planner.planner import Planner, seeking_settings, suited_settings
from oracular.problem import FullProblem, MixedStrategy, Problem, full
from oracular.runs.folder import Run
from oracular.runs.format import named_objective
from oracular.settings import (
    DOUBLE_ORACLE,
    EXPLORATION,
    PLANNER,
    RACE,
    REGRET_MATCHING,
    SETTINGS,
    Setting,
    check_settings,
)
from oracular.solvers.double_oracle import DoubleOracle
from oracular.solvers.fictitious_play import FictitiousPlay
from oracular.solvers.guessing_problems import DepthsBuilder, GreedyProblem, PlannedProblem
from oracular.solvers.openings_problem import OpeningsProblem, is_answered_by_openings
from oracular.solvers.race.solver import RaceProblem, RaceSolver
from oracular.solvers.regret_matching import RegretMatching
from oracular.solvers.solver import Solver
from oracular.strategies.greedy import CACHE, GreedyEngine, IncrementalTrees
from oracular.strategies.hider import Hider
from oracular.strategies.oracle import Mixture
from oracular.system.checking import checked
from oracular.system.control import Deadline, DeadlinePassed, seconds_of
from oracular.system.files import counted, parse_fraction, quoted, read_as
from oracular.system.memory import available_memory, check_threads, size_text

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.solvers.exact.certificate import Certificate


EXACT = "exact"
MATCHING: dict[str, type[RegretMatching]] = {kind.name: kind for kind in (RegretMatching, DoubleOracle)}
SOLVERS = (FictitiousPlay.name, *MATCHING, EXACT)
OWN_PAYOFFS = "a problem of one's own has payoffs of its own: leave the objective out"
OWN_SETTINGS = {RegretMatching.name: REGRET_MATCHING, DoubleOracle.name: (*REGRET_MATCHING, *DOUBLE_ORACLE)}
DEFAULTS: dict[str, dict[str, Any]] = {
    FictitiousPlay.name: {setting.name: setting.default for setting in SETTINGS[FictitiousPlay.name]}
}

ENGINES = ("incremental", "scratch")

PROGRAM = 340_000_000
"""Bytes for Python, its libraries and the compiled code, measured."""

LEAST_CACHE = 20_000_000
"""With fewer bytes than this for earlier trees, the incremental engine is no faster than the other."""


@checked
@dataclass(frozen=True)
class Resources:
    """What a solver may use; none of it ever changes a result.

    Attributes:
        threads: how many to use; all by default.
        cluster: workers that build the greedy trees (`oracular.cluster.connect`).
        engine: how fictitious play builds its trees: `incremental`, each from those before it (the default), or each
            from `scratch` (on a cluster always).
        memory: the most bytes that fictitious play may take; what is available, unless given.
    """

    threads: int | None = None
    cluster: Cluster | None = None
    engine: str | None = None
    memory: int | None = None


def check_solver(name: str) -> None:
    """Raise an error unless `oracular.solve` has a solver of that name."""
    if name not in SOLVERS:
        raise SettingsError(f"{quoted(name)} is not a solver: choose one of {', '.join(SOLVERS)}")


@dataclass(frozen=True)
class Needs:
    """The memory that a run needs.

    Attributes:
        engine: how trees are built: `incremental` or `scratch`.
        fixed: the bytes that it needs in any case.
        cache: the bytes that it may use for earlier trees as well; 0 from scratch.
    """

    engine: str
    fixed: int
    cache: int

    def sentence(self) -> str:
        """Return the needs as a sentence."""
        cache = f" and up to {size_text(self.cache)} for earlier trees" if self.cache else ""
        return f"{self.engine} engine: {size_text(self.fixed)}{cache}"


def make_solver(
    name: str,
    what: Game | Problem,
    settings: Mapping[str, Any],
    resources: Resources | None = None,
    needs: Needs | None = None,
    objective: Objective | None = None,
) -> Solver:
    """Return the solver of that name in its first state, for an objective: the mean, unless given.

    Besides those that `oracular.solve` has, there is the solver of the blind race.

    Settings that the solver does not have, or of a value that they may not have, are an error.
    """
    if name != RaceSolver.name:
        check_solver(name)
    resources = resources or Resources()
    threads = check_threads(resources.threads)
    if not isinstance(what, Game):
        if objective is not None:
            raise SettingsError(OWN_PAYOFFS)
        return _for_problem(name, full(what), settings, resources)
    objective = objective or mean()
    check_objective(name, objective, what)
    if name != FictitiousPlay.name and isinstance(settings.get("ties"), str):
        raise SettingsError(f"the solver {name} has no rule for ties: leave ties out")
    check_settings(name, settings, len(what.secrets))
    if name == FictitiousPlay.name:
        engine = GreedyEngine(what, {**DEFAULTS[name], **settings}["ties"], threads)
        return FictitiousPlay(GreedyProblem(engine, _builder(engine, resources.cluster, needs)))
    if resources.cluster is not None:
        raise SettingsError(
            f"the solver {name} is not spread over a cluster: leave the cluster out, or sweep over runs"
        )
    if name in MATCHING and is_answered_by_openings(what, objective, settings):
        return MATCHING[name](OpeningsProblem(what), **_chosen(OWN_SETTINGS[name], settings))
    if name in MATCHING:
        suited = suited_settings(what) if name == RegretMatching.name else seeking_settings(what)
        planner = Planner(what, **{**suited, **_chosen(PLANNER, settings)})
        problem = PlannedProblem(
            planner, GreedyEngine(what, "possible", threads), objective=objective, **_chosen(EXPLORATION, settings)
        )
        return MATCHING[name](problem, **_chosen(OWN_SETTINGS[name], settings))
    if name == RaceSolver.name:
        planner = Planner(what, **{**suited_settings(what), **_chosen(PLANNER, settings)})
        return RaceSolver(RaceProblem(planner), **_chosen(RACE, settings))
    from oracular.solvers.exact.solver import ExactSolver  # it loads the compiled search

    return ExactSolver(what, objective)


def check_objective(solver: str, objective: Objective, game: Game) -> None:
    """Raise an error where a solver cannot solve a game for an objective."""
    objective.check_is_mixed(game)
    objective.check_rows(game)
    if solver == FictitiousPlay.name and not objective.is_mean:
        raise SettingsError(
            f"the solver {solver} is the paper's, whose greedy trees are for the mean alone: choose "
            f"{RegretMatching.name} or {EXACT} for {named_objective(objective)}"
        )


def _for_problem(name: str, problem: FullProblem, settings: Mapping[str, Any], resources: Resources) -> Solver:
    """Return a solver of a custom problem."""
    if name == EXACT:
        raise SettingsError(f"the solver {name} is for guessing games: choose one of {', '.join(SOLVERS[:3])}")
    if resources.cluster is not None:
        raise SettingsError("a problem of one's own is not spread over a cluster: leave the cluster out")
    own = problem.settings
    known: tuple[Setting, ...] = OWN_SETTINGS.get(name, ())
    chosen = {key: value for key, value in settings.items() if key not in own}
    check_settings(name, chosen, problem.size, known)
    for key, value in settings.items():
        if key in own and own[key] != value:
            raise SettingsError(f"the problem has {key} {quoted(own[key])}, not {quoted(value)}: leave the setting out")
    return FictitiousPlay(problem) if name == FictitiousPlay.name else MATCHING[name](problem, **chosen)


def _chosen(declared: tuple[Setting, ...], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return those settings that are among the declared ones."""
    return {setting.name: settings[setting.name] for setting in declared if setting.name in settings}


def needs_for(solver: str, what: Game | Problem, resources: Resources) -> Needs | None:
    """Return what fictitious play on a game will need; None otherwise: nothing else has such settings."""
    engine = resources.engine
    if solver != FictitiousPlay.name or not isinstance(what, Game):
        if engine is not None or resources.memory is not None:
            raise SettingsError("engine and memory are for fictitious play on games: leave engine and memory out")
        return None
    if resources.cluster is not None and engine == "incremental":
        raise SettingsError("a cluster's workers build each tree from scratch: leave the engine or the cluster out")
    return needs_of(what, engine if resources.cluster is None else "scratch", resources.memory)


def needs_of(game: Game, engine: str | None, memory: int | None) -> Needs:
    """Return what fictitious play on a game needs, or raise an error if there is not enough memory."""
    if engine is not None and engine not in ENGINES:
        raise SettingsError(f"{quoted(engine)} is not an engine: choose one of {', '.join(ENGINES)}")
    guesses, secrets = len(game.guesses), len(game.secrets)
    with_table = game.tokens is None or guesses * secrets <= TABLE_BESIDE_TOKENS
    if game.tokens is None:
        check_table_size(game.name, guesses, secrets)
    fixed = PROGRAM + _bytes_of_game(game, with_table)
    free = available_memory()
    limit = free if memory is None else memory
    if fixed > min(limit, free):
        fewer = f"{size_text(free)} are available: free some"
        if limit < free:
            fewer = f"the memory given allows {size_text(limit)}: allow more"
        raise NotEnoughMemoryError(
            f"{game.name} with {counted(guesses, 'guess', 'guesses')} and {counted(secrets, 'secret')} needs "
            f"{size_text(fixed)} and "
            f"{fewer}, or choose a smaller game"
        )
    left = min(limit, free) - fixed
    engine = engine or ("incremental" if left >= LEAST_CACHE else "scratch")
    cache = min(left, CACHE if memory is None else left) if engine == "incremental" else 0
    return Needs(engine, fixed, cache)


def _bytes_of_game(game: Game, with_table: bool) -> int:
    """Return the bytes that a game takes, with what the kernels derive from it."""
    guesses, secrets = len(game.guesses), len(game.secrets)
    table = 2 * guesses * secrets if with_table else 0  # the table and its transpose
    if game.tokens is None:
        return table
    letters = game.tokens.shape[1]
    sets = 1 << letters if letters <= 6 else 0
    words = (guesses + secrets) * (200 + 2 * letters + 16 + 4 * sets)
    numbering = 4 * 8 * guesses * sets  # sorting the sets, which numbers them, needs copies
    return table + words + numbering


def _builder(engine: GreedyEngine, cluster: Cluster | None, needs: Needs | None) -> DepthsBuilder | None:
    """Return what builds trees in the engine's place; a cluster's workers know of the game by then."""
    if cluster is None:
        return IncrementalTrees(engine, needs.cache) if needs is not None and needs.cache else None
    from oracular.cluster.trees import DistributedEngine

    return DistributedEngine(engine, cluster)


@checked
@dataclass(frozen=True, eq=False)
class Solution:
    """A pair of strategies, with their worth as far as known, and where they come from.

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
        stopped: why it stopped: `iterations`, `epsilon`, `time`, `interrupted`, `finished` where there is nothing left
            to improve, or `full disk` where there was no room for the temporary file of a run without a folder; None
            for a run that was cut off.
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

    What else solvers write there is left out if it is no figure: it was not checked.
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


@checked
def load_run(folder: str | Path, problem: Game | Problem | None = None) -> Solution:
    """Return the solution that a run's folder holds, as of its last checkpoint.

    Args:
        folder: the run's folder.
        problem: the game or problem, if it is a custom one that no name stands for.
    """
    run = Run.open(Path(folder))
    working = restored(run, run.game() if problem is None else problem)
    return Solution.of(working, run.stopped, run.seconds, run.history)


def load_by(folder: Path, deadline: Deadline) -> tuple[Solution, Deadline]:
    """Return the solution that a run's folder holds, and the deadline put off by what the loading of code took."""
    try:
        run = Run.open(folder, deadline=deadline)
        game = run.game()
        game.prepare(deadline, identity=True)
    except DeadlinePassed:
        raise unread_in_time(folder) from None
    working = _solver_of(run, game)
    deadline = deadline.later(seconds_of(working.warm_up))
    restore_by(run, working, deadline)
    return Solution.of(working, run.stopped, run.seconds, run.history), deadline


def restored(run: Run, what: Game | Problem) -> Solver:
    """Return the solver of a run in the state of its last checkpoint."""
    working = _solver_of(run, what)
    run.restore(working)
    return working


def _solver_of(run: Run, what: Game | Problem) -> Solver:
    """Return the solver of a run that has a checkpoint, in its first state."""
    if run.solver is None:
        raise RunError(f"the run in {quoted(run.folder)} has no checkpoint yet: wait for one, or resume it")
    if run.manifest["solver"] not in SOLVERS:
        raise RunError(
            f"{quoted(run.folder)} is a run of the blind race: look at it with 'oracular race' and --show --out"
        )
    objective = None
    if isinstance(what, Game) and "objective" in run.manifest:
        run.check_game(what)
        objective = run.objective(what)
    working = make_solver(run.manifest["solver"], what, run.manifest["settings"], objective=objective)
    run.check_problem(working.problem)
    if not isinstance(what, Game) and working.problem.game is not None and "problem" not in run.manifest:
        run.check_objective(working.problem.objective, working.problem.game)
    return working


def restore_by(run: Run, solver: Solver, deadline: Deadline) -> None:
    """Give the state that a run keeps to its solver, or say that there was no time for that."""
    try:
        run.restore(solver, deadline)
        deadline.check()  # what would begin now would end at once
    except DeadlinePassed:
        raise unread_in_time(run.folder) from None


def unread_in_time(folder: Path) -> OutOfTimeError:
    """Return the error for a run that could not be read in the time given."""
    return OutOfTimeError(f"the time given was over before the run in {quoted(folder)} was read: give more time")
