"""Solvers by name: which there are, their settings, and what builds the trees of fictitious play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.responses.greedy import GreedyEngine
from oracular.responses.incremental import IncrementalTrees
from oracular.responses.planned import Planner, suited_settings
from oracular.runs.needs import Needs, needs_of
from oracular.settings import PLANNER, REGRET_MATCHING, SETTINGS, check_settings
from oracular.solvers.fictitious_play import FictitiousPlay, TreeBuilder
from oracular.solvers.regret_matching import RegretMatching
from oracular.solvers.solver import Solver
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.cluster import Cluster

EXACT = "exact"
SOLVERS = (FictitiousPlay.name, RegretMatching.name, EXACT)
DEFAULTS: dict[str, dict[str, Any]] = {
    FictitiousPlay.name: {setting.name: setting.default for setting in SETTINGS[FictitiousPlay.name]}
}


def make_solver(
    name: str,
    game: Game,
    settings: dict[str, Any],
    threads: int,
    cluster: Cluster | None = None,
    needs: Needs | None = None,
) -> Solver:
    """Return the solver of that name in its first state; `needs` tells fictitious play which engine to use.

    Settings that the solver does not have, or of a value that they may not have, are an error.
    """
    if name not in SOLVERS:
        raise SettingsError(f"{quoted(name)} is not a solver: choose one of {', '.join(SOLVERS)}")
    if name in (EXACT, RegretMatching.name) and isinstance(settings.get("ties"), str):
        raise SettingsError(f"the solver {name} has no rule for ties: leave ties out")
    check_settings(name, settings, len(game.secrets))
    if name == FictitiousPlay.name:
        engine = GreedyEngine(game, {**DEFAULTS[name], **settings}["ties"], threads)
        return FictitiousPlay(engine, builder=_builder(engine, cluster, needs))
    if cluster is not None:
        raise SettingsError(
            f"the solver {name} is not spread over a cluster: leave the cluster out, or sweep over runs"
        )
    if name == RegretMatching.name:
        given = {setting.name: settings[setting.name] for setting in PLANNER if setting.name in settings}
        planner = Planner(game, **{**suited_settings(game), **given})
        own = {setting.name: settings[setting.name] for setting in REGRET_MATCHING if setting.name in settings}
        return RegretMatching(planner, GreedyEngine(game, "possible", threads), **own)
    from oracular.solvers.exact.solver import ExactSolver  # it loads the compiled search

    return ExactSolver(game)


def needs_for(solver: str, game: Game, engine: str | None, memory: int | None, cluster: Cluster | None) -> Needs | None:
    """Return what fictitious play will need; None for the other solvers, which have no such settings."""
    if solver != FictitiousPlay.name:
        if engine is not None or memory is not None:
            raise SettingsError(
                f"the solver {solver} has one engine and no limit of memory: leave engine and memory out"
            )
        return None
    if cluster is not None and engine == "incremental":
        raise SettingsError("a cluster's workers build each tree from scratch: leave the engine or the cluster out")
    return needs_of(game, engine if cluster is None else "scratch", memory)


def _builder(engine: GreedyEngine, cluster: Cluster | None, needs: Needs | None) -> TreeBuilder | None:
    """Return what builds trees in the engine's place; a cluster's workers have then been told of the game."""
    if cluster is None:
        return IncrementalTrees(engine, needs.cache) if needs is not None and needs.cache else None
    from oracular.cluster.trees import DistributedEngine

    builder = DistributedEngine(engine, cluster)
    _ = builder.ticket  # so that workers with other words are found out before anything is written
    return builder
