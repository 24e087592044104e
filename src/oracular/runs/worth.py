"""What a pair of strategies is worth in an objective, whichever it was made for.

The guesser's side is worked out from the trees, all of them, so nothing that a file says of it is believed. The hider's
side is what the best guesser gets against its mix, by an exact search that may end before it has proved the best.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.costs import fits_search
from oracular.errors import OutOfTimeError, RunError
from oracular.evaluation import exact_dot, losses_of, payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.objectives import Objective, mean
from oracular.objectives import objective as objective_of
from oracular.runs.drive import LEAST_SECONDS
from oracular.runs.folder import is_run
from oracular.runs.solution import Solution, load_by
from oracular.runs.table import figures
from oracular.runs.verify import check_order, in_order, verify_bound, verify_guarantee, weighed_depths
from oracular.search.best_response import best_response
from oracular.strategies.file import read_head
from oracular.strategies.greedy import guesser_gbr_uniform
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture
from oracular.strategies.shipped import ENDING, Solved, load_named, read_strategies
from oracular.system.checking import SUM_LIMIT, checked
from oracular.system.control import NEVER, Control, Deadline, DeadlinePassed, check_seconds, never, seconds_of
from oracular.system.files import quoted

USUAL_SECONDS = 60.0
"""How long an evaluation takes at most by default."""


@checked
@dataclass(frozen=True, eq=False)
class Worth:
    """What a hider and a guesser are worth in an objective; every figure is worked out by this call.

    Attributes:
        guarantee: what the guesser gets on average for the secret that is worst for it; exact. In the objective
            `worst`, the most guesses that any of its trees takes.
        worst_secret: that secret, or the first of several.
        self_play: what the guesser gets against the hider; exact. In the objective `worst` it is the guarantee.
        lower: the best guesser gets at least this against the hider's mix, or None where there was no time to search.
        upper: the best guesser gets at most this against the hider's mix, or None.
        most_guesses: the most guesses that any tree of the guesser takes; None where only Table 1's figures are given.
        mean: the expected guesses of the two against each other; exact.
        states: how many states the search for the best guesser looked at.
        table: what `oracular evaluate RUN --json` prints of a run: the figures of the paper's Table 1, and what its
            guarantee may be called. Of anything else, and in another objective, it is None.
    """

    game: Game
    objective: Objective
    guarantee: Fraction
    worst_secret: str
    self_play: Fraction
    lower: Fraction | None
    upper: Fraction | None
    most_guesses: int | None
    mean: Fraction
    states: int
    table: dict[str, Any] | None = None

    @property
    def bound(self) -> Fraction | None:
        """What no guesser can do better than against the hider, or None where there was no time to search."""
        return self.lower if self.objective.less_is_better else self.upper

    @property
    def proved(self) -> bool:
        """Whether what the hider is worth is known exactly."""
        return self.lower is not None and self.lower == self.upper


@checked
def evaluate(
    strategies: Solved | str | Path,
    objective: str | Path | Objective | None = None,
    *,
    time_limit: float | None = USUAL_SECONDS,
    stop: Callable[[], bool] = never,
    progress: Callable[[str], None] | None = None,
) -> Worth:
    """Return what strategies are worth in an objective: the figures that `oracular evaluate` prints.

    Of a run that was solved for the mean these are the figures of the paper's Table 1, unless another objective is
    asked for. The best guesser against its hider is then not searched for, and the guarantee is worked out again from
    as many trees as there is time for (`table["guarantee_is"]`).

    Args:
        strategies: a solution or shipped strategies; or a run's folder, a file of strategies, or the name of a game
            whose strategies come with the package.
        objective: `mean`, `within-4`, `worst`, a file with a table of utilities, or what `oracular.objective` returns;
            by default the one that the strategies were made for.
        time_limit: how many seconds to take; what the trees leave of it is for the search for the best guesser. None
            is for as long as that takes.
        stop: called about ten times a second; once it returns True, the search ends with what is proved by then.
        progress: called at most ten times a second; by default a line in the terminal or notebook shows it.
    """
    check_seconds(time_limit)
    deadline = Deadline.after(time_limit)
    if progress is not None:
        return _evaluated(strategies, objective, Control(deadline, stop, progress))
    with _shown("evaluating") as show:
        return _evaluated(strategies, objective, Control(deadline, stop, show))


@contextmanager
def _shown(text: str) -> Iterator[Callable[[str], None]]:
    """Yield what shows a text on one line, in a terminal or a notebook, until the work ends."""
    from rich.console import Console

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="install .ipywidgets.")  # a notebook without them shows nothing
        with Console(stderr=True).status(text) as status:
            yield status.update


def _evaluated(
    strategies: Solved | str | Path, objective: str | Path | Objective | None, control: Control[str]
) -> Worth:
    """Return what `evaluate` does."""
    source = "" if not isinstance(strategies, str | Path) else quoted(strategies)
    deadline = control.deadline
    if isinstance(strategies, str | Path):
        strategies, deadline = _loaded(strategies, deadline)
    deadline = deadline.later(seconds_of(guesser_gbr_uniform(strategies.game).engine.warm_up))
    control = control.with_deadline(deadline)
    if isinstance(strategies, Solution) and strategies.objective.is_mean and objective in (None, "mean"):
        return _of_run(strategies, source or f"the run of {strategies.game.name}", control)
    own = strategies.objective if isinstance(strategies, Solution) else "mean"
    chosen = objective_of(own if objective is None else objective, strategies.game)
    control.report("working out every tree", always=True)
    try:
        played = _played(strategies.hider, strategies.guesser, chosen, deadline)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before all trees of {strategies.game.name} were worked out: give more time"
        ) from None
    control.report("searching for the best guesser against the hider", always=True)
    lower, upper, states = _best_guesser(strategies.hider, chosen, control)
    worth = replace(played, lower=lower, upper=upper, states=states)
    if worth.bound is not None:
        source = f"a search for the best guesser of {strategies.game.name}"
        check_order(*in_order(chosen, worth.bound, worth.guarantee), source)
    return worth


def _of_run(solution: Solution, source: str, control: Control[str]) -> Worth:
    """Return the figures of the paper's Table 1 for a run that was solved for the mean."""
    game = solution.game
    control.report("playing against the benchmark", always=True)
    try:
        row = figures(solution, control.deadline)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before {source} had played against the benchmark: give more time"
        ) from None
    control.report("working out the guarantee from the trees", always=True)
    upper, lower = verify_guarantee(solution, control), verify_bound(solution, control)
    if lower is not None:
        check_order(lower.value, upper.value, source)
    played = payoff(solution.hider, solution.guesser)
    return Worth(
        game=game,
        objective=solution.objective,
        guarantee=upper.value,
        worst_secret=game.secrets[int(solution.guesser.depth_totals.argmax())],
        self_play=played,
        lower=None if lower is None else lower.value,
        upper=None,
        most_guesses=None,
        mean=played,
        states=0,
        table={
            **row,
            "epsilon_is": solution.epsilon_is if lower is None else lower.words,
            "best_iteration": solution.best_iteration,
            "lower": None if solution.lower is None else str(solution.lower),
            "guarantee_is": upper.words,
            **({} if lower is None else {"lower_is": lower.words}),
        },
    )


def _loaded(target: str | Path, deadline: Deadline) -> tuple[Solved, Deadline]:
    """Return the strategies of a run's folder, a file or a game, and the deadline put off by the loading of code."""
    path, name = Path(target), str(target)
    if is_run(path):
        return load_by(path, deadline)
    if not path.exists() and (shipped := load_named(name)) is not None:
        return shipped, deadline
    if path.name.endswith(ENDING) and path.exists():
        return read_strategies(path, game_of_name(read_head(path)[0]["game"])), deadline
    raise RunError(
        f"{quoted(target)} holds no run and no strategies: name a run's folder, a {ENDING} file, or a game such as "
        "jotto-5"
    )


def _played(hider: Hider, guesser: Mixture, objective: Objective, deadline: Deadline) -> Worth:
    """Return what the trees of a guesser are worth, from one walk through them, or raise `DeadlinePassed`."""
    game, secrets = guesser.game, len(guesser.game.secrets)
    kind = np.int64 if guesser.total * secrets < SUM_LIMIT else object
    depths_in_all: NDArray[Any] = np.zeros(secrets, dtype=kind)
    deepest = np.zeros(secrets, dtype=np.int64)

    def walked() -> Iterator[tuple[NDArray[np.int32], int]]:
        nonlocal depths_in_all, deepest
        for depths, weight in weighed_depths(guesser, deadline):
            if weight:
                depths_in_all = depths_in_all + weight * depths.astype(kind)
                deepest = np.maximum(deepest, depths)
                yield depths, weight

    found = guesser.found_totals(max(1, objective.losses.shape[1]), deadline, walked())
    whole, depths_in_all = guesser.total, guesser.averaged(depths_in_all)
    most = int(deepest.max())
    if objective.is_worst:
        worst, guarantee, played = int(deepest.argmax()), Fraction(most), Fraction(most)
    else:
        lost = depths_in_all if objective.is_mean else losses_of(found, objective)
        worst = int(lost.argmax())
        guarantee = objective.value(Fraction(int(lost[worst]), whole))
        played = objective.value(Fraction(exact_dot(hider.weights, lost), hider.total * whole))
    return Worth(
        game=game,
        objective=objective,
        guarantee=guarantee,
        worst_secret=game.secrets[worst],
        self_play=played,
        lower=None,
        upper=None,
        most_guesses=most,
        mean=Fraction(exact_dot(hider.weights, depths_in_all), hider.total * whole),
        states=0,
    )


def _best_guesser(
    hider: Hider, objective: Objective, control: Control[str]
) -> tuple[Fraction | None, Fraction | None, int]:
    """Return bounds on what the best guesser gets against a hider, if there is time, and the states searched for it.

    Weights may be too large for the search, as those of an exact equilibrium, or with large losses. The bound is then
    proved with smaller ones.
    """
    from oracular.search.exact_bounds import proved_bound

    game = hider.game
    too_large = not fits_search(hider.weights.tolist(), mean() if objective.is_worst else objective)
    if too_large and objective.is_worst:  # what always suffices does not depend on the weights
        hider, too_large = hider_uniform(game), False
    seconds = None if control.deadline == NEVER else max(control.deadline.left, LEAST_SECONDS)
    try:
        if too_large:
            bound, tree = proved_bound(hider, objective, control.deadline, stop=control.cancelled)
            ends = bound, payoff(hider, tree, objective)
            return min(ends), max(ends), 0
        response = best_response(game, hider, objective=objective, time_limit=seconds, stop=control.cancelled)
    except OutOfTimeError:
        return None, None, 0
    return response.lower, response.upper, response.states
