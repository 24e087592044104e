"""Solvers by name: which there are, their settings, and the responses they ask for in guessing games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.objectives import Objective, mean
from oracular.problem import FullProblem, Problem, full
from oracular.responses.greedy import GreedyEngine
from oracular.responses.incremental import IncrementalTrees
from oracular.responses.openings import OpeningsProblem, is_answered_by_openings
from oracular.responses.planned import Planner, seeking_settings, suited_settings
from oracular.responses.problems import DepthsBuilder, GreedyProblem, PlannedProblem
from oracular.runs.kept_objective import named
from oracular.runs.needs import Needs, needs_of
from oracular.settings import DOUBLE_ORACLE, EXPLORATION, PLANNER, REGRET_MATCHING, SETTINGS, Setting, check_settings
from oracular.solvers.double_oracle import DoubleOracle
from oracular.solvers.fictitious_play import FictitiousPlay
from oracular.solvers.regret_matching import RegretMatching
from oracular.solvers.solver import Solver
from oracular.system.checking import checked
from oracular.system.files import quoted
from oracular.system.memory import check_threads

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


def make_solver(
    name: str,
    what: Game | Problem,
    settings: Mapping[str, Any],
    resources: Resources | None = None,
    needs: Needs | None = None,
    objective: Objective | None = None,
) -> Solver:
    """Return the solver of that name in its first state, for an objective: the mean, unless given.

    Settings that the solver does not have, or of a value that they may not have, are an error.
    """
    if name not in SOLVERS:
        raise SettingsError(f"{quoted(name)} is not a solver: choose one of {', '.join(SOLVERS)}")
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
    from oracular.solvers.exact.solver import ExactSolver  # it loads the compiled search

    return ExactSolver(what, objective)


def check_objective(solver: str, objective: Objective, game: Game) -> None:
    """Raise an error where a solver cannot solve a game for an objective."""
    objective.check_is_mixed(game)
    objective.check_rows(game)
    if solver == FictitiousPlay.name and not objective.is_mean:
        raise SettingsError(
            f"the solver {solver} is the paper's, whose greedy trees are for the mean alone: choose "
            f"{RegretMatching.name} or {EXACT} for {named(objective)}"
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


def _builder(engine: GreedyEngine, cluster: Cluster | None, needs: Needs | None) -> DepthsBuilder | None:
    """Return what builds trees in the engine's place; a cluster's workers know of the game by then."""
    if cluster is None:
        return IncrementalTrees(engine, needs.cache) if needs is not None and needs.cache else None
    from oracular.cluster.trees import DistributedEngine

    builder = DistributedEngine(engine, cluster)
    _ = builder.ticket  # so that workers with other words are found out before anything is written
    return builder
