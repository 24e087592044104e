"""Solvers by name: which there are, their settings, the responses they ask for in guessing games, and their memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oracular.errors import NotEnoughMemoryError, SettingsError
from oracular.games.game import Game
from oracular.games.table import TABLE_BESIDE_TOKENS, check_table_size
from oracular.objectives import Objective, mean
from oracular.problem import FullProblem, Problem, full
from oracular.responses.greedy import CACHE, GreedyEngine, IncrementalTrees
from oracular.responses.openings import OpeningsProblem, is_answered_by_openings
from oracular.responses.planned import Planner, seeking_settings, suited_settings
from oracular.responses.problems import DepthsBuilder, GreedyProblem, PlannedProblem
from oracular.runs.layout import named_objective
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
from oracular.solvers.race.solver import RaceProblem, RaceSolver
from oracular.solvers.regret_matching import RegretMatching
from oracular.solvers.solver import Solver
from oracular.system.checking import checked
from oracular.system.files import counted, quoted
from oracular.system.memory import available_memory, check_threads, size_text

if TYPE_CHECKING:
    from oracular.cluster import Cluster

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
    """Return a solver of a problem of one's own."""
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
