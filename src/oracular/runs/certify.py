"""Bounds on the value of a run's game: the guesser's guarantee above, a proved lower bound below.

The upper bound is the guarantee of the run's mixture, worked out again from its trees. The lower bound is on what any
guesser needs against one hider, the uniform one or the run's own. Any hider will do, since the value is at least what
one hider can secure. The bounds of openings are kept in the run's folder, and only ever rise. A bound that an earlier
call kept is called recorded until it is proved again.

In an objective other than the mean openings are not searched one by one: the bound is that of an exact best response
to the hider, searched for until the time is up, and nothing is kept. Where more is better, the guarantee is the lower
bound and the response gives the upper one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from oracular.errors import ClusterError, FalseAnswerError, OutOfTimeError, RunError, SettingsError
from oracular.evaluation import exact_dot, payoff
from oracular.games.game import Game
from oracular.objectives import Objective, mean
from oracular.runs.folder import locked_folder
from oracular.runs.format import CERTIFYING, bounds_file
from oracular.runs.solution import Solution, load_by
from oracular.runs.verify import (
    Recheck,
    check_order,
    checked_openings,
    counted_bound,
    false_bound_in,
    verify_bound,
    verify_guarantee,
)
from oracular.search.trees import search_threads
from oracular.strategies.hider import Hider, hider_uniform
from oracular.system.checking import checked
from oracular.system.control import Control, Deadline, check_seconds, ignored, interrupts, never, seconds_of
from oracular.system.files import cut, quoted
from oracular.system.memory import usable_cores

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.search.lower_bound import LowerBound, OpeningSearcher

WhichHider: TypeAlias = Literal["uniform", "run"]

SECONDS_BETWEEN_SAVES = 2.0
"""How often what is proved is written while the work goes on."""

LEAST_RECHECK = 2.0
"""Seconds that working out the upper bound again may take at least, since compiled code has to be loaded for it."""


@checked
@dataclass(frozen=True)
class Bounds:
    """Bounds on the value of a game.

    Attributes:
        hider: whose strategy gives the bound on what any guesser can do: `uniform`, or the `run`'s.
        opening: the opening with the weakest bound; in another objective than the mean, that of the best tree found.
        plies: in how many steps that opening was searched (`search/openings.py`): against a uniform hider that many
            guesses deep; 127 if to the end; None in another objective.
        lower_check: how much of the lower bound this call proved.
        upper_check: how much of the upper bound this call worked out again.
        stopped: why it stopped: `time`, `interrupted`, `target`, or `finished` if the lower bound cannot be raised
            further.
    """

    game: Game
    hider: WhichHider
    opening: str
    plies: int | None
    seconds: float
    lower_check: Recheck
    upper_check: Recheck
    stopped: str
    objective: Objective = field(default_factory=mean)

    @property
    def lower(self) -> Fraction:
        """The value is at least this: no guesser can hold the best hider below it, where less is better."""
        return self.lower_check.value

    @property
    def upper(self) -> Fraction:
        """The value is at most this: no hider can make the run's guesser need more, where less is better."""
        return self.upper_check.value

    @property
    def proved(self) -> bool:
        """Whether this call proved the value of the game."""
        return self.lower == self.upper and self.lower_check.proved and self.upper_check.proved

    @property
    def bound_check(self) -> Recheck:
        """The bound that comes from the hider's strategy."""
        return self.lower_check if self.objective.less_is_better else self.upper_check

    @property
    def guarantee_check(self) -> Recheck:
        """The bound that is the guesser's guarantee."""
        return self.upper_check if self.objective.less_is_better else self.lower_check


@checked
def certify(
    folder: str | Path,
    *,
    hider: WhichHider = "uniform",
    threads: int | None = None,
    cluster: Cluster | None = None,
    time_limit: float = 600.0,
    target: float | Fraction | None = None,
    stop: Callable[[], bool] = never,
    progress: Callable[[Bounds], None] = ignored,
) -> Bounds:
    """Return bounds on the value of a run's game, with a lower bound that is raised until the time is up.

    A fifth of the time, at least two seconds, may go into working out the upper bound again, and a fifth into proving
    again what an earlier call kept. Ctrl-C ends it cleanly.

    Args:
        folder: the run's folder, where the bounds of openings are kept for the next call.
        hider: whose strategy gives the lower bound: `uniform`, or the `run`'s.
        threads: how many openings to search at a time; by default as many as there are cores, and memory for.
        cluster: workers that search the openings instead of threads (`oracular.cluster.connect`).
        time_limit: how many seconds to take in all, the compiling not counted.
        target: the lower bound at which to end, in guesses; of each opening only this is asked then, which is cheaper
            than to raise it step by step, but until all reach it the bound hardly rises.
        stop: called ten times a second; once it returns True, the call ends as after Ctrl-C.
        progress: called at most ten times a second with the bounds so far.
    """
    began = time.monotonic()
    check_seconds(time_limit)
    if hider not in get_args(WhichHider):
        raise SettingsError(f"hider {quoted(hider)} is not one: choose uniform or run")
    asked, threads = threads, search_threads(threads)
    from oracular.search.lower_bound import add_from_file
    from oracular.search.openings import warm_up

    solution, deadline = load_by(Path(folder), Deadline(began + time_limit))
    strategy = hider_uniform(solution.game) if hider == "uniform" else solution.hider
    deadline = deadline.later(seconds_of(partial(warm_up, strategy)))
    if not solution.objective.is_mean:
        if cluster is not None:
            raise SettingsError(
                f"a cluster proves bounds on the mean alone, and the run is for {solution.objective.name}: leave the "
                "cluster out"
            )
        if target is not None:
            raise SettingsError(
                f"a target is for bounds on the mean, and the run is for {solution.objective.name}: leave it out"
            )
    with interrupts() as pressed:
        control = Control(deadline, lambda: pressed() or stop(), progress)
        if not solution.objective.is_mean:
            return _by_response(solution, strategy, hider, began, control, time_limit, asked)
        path = Path(folder) / bounds_file(hider)
        busy = f"the bounds of the run in {quoted(folder)} are being proved by another process"
        with locked_folder(Path(folder), CERTIFYING, "certification-", busy):
            bound = counted_bound(strategy, deadline)
            add_from_file(bound, path)
            upper, own_lower = _verified_run(solution, control, time_limit)
            part = control.with_deadline(deadline.or_after(time_limit / 5))
            bound.add_tree(_known_total(strategy, part))
            proof = _Proof(bound, hider, path, upper, own_lower, began)
            refuted = bound.recheck(threads, deadline.or_after(time_limit / 5), control.cancelled)
            if refuted is not None:
                raise false_bound_in(path, solution.game, refuted.opening)
            check_order(bound.value, upper.value, quoted(folder))
            if target is not None:
                bound.target = _target_total(target, strategy, upper)
            proof.improve(searcher_of(strategy, threads, cluster), control)
            check_order(bound.value, upper.value, quoted(folder))
            proof.save()
            if bound.finished:  # it is the optimum against its hider
                return proof.bounds("finished")
            reached = bound.lower >= bound.target
            return proof.bounds("target" if reached else "interrupted" if control.cancelled() else "time")


def _verified_run(solution: Solution, control: Control[Bounds], time_limit: float) -> tuple[Recheck, Recheck | None]:
    """Return a run's guarantee and the bound that it has proved by itself, worked out again in a part of the time."""
    part = control.silent().with_deadline(control.deadline.or_after(max(time_limit / 5, LEAST_RECHECK)))
    return verify_guarantee(solution, part), verify_bound(solution, part)


def _target_total(target: float | Fraction, hider: Hider, upper: Recheck) -> int:
    """Return the total of weight times guesses that a target in guesses stands for."""
    if not 0 < target <= upper.value:
        raise SettingsError(
            f"a target of {cut(target)} guesses asked for: give a number above 0, and no more than the guarantee "
            f"{float(upper.value):.4f}"
        )
    return math.ceil(Fraction(str(target)) * hider.total)  # the decimal that was written, not the float beside it


def _by_response(
    solution: Solution,
    strategy: Hider,
    hider: WhichHider,
    began: float,
    control: Control[Bounds],
    time_limit: float,
    threads: int | None,
) -> Bounds:
    """Return bounds on the value in a run's objective, one of them by an exact best response to a hider."""
    from oracular.search.exact_bounds import proved_bound

    game, objective = solution.game, solution.objective
    guarantee, own = _verified_run(solution, control, time_limit)
    bound, tree = proved_bound(strategy, objective, control.deadline, threads=threads, stop=control.cancelled)
    found = Recheck(bound, 1, 1, "searches")
    opening = game.guesses[tree.guess(game.all_secrets)]
    stopped = "interrupted" if control.cancelled() else "time"
    if payoff(strategy, tree, objective) == bound:
        stopped = "finished"
    if own is not None and objective.sign * own.value > objective.sign * found.value:
        found, hider = own, "run"
    lower, upper = (found, guarantee) if objective.less_is_better else (guarantee, found)
    check_order(lower.value, upper.value, "the run")
    return Bounds(game, hider, opening, None, time.monotonic() - began, lower, upper, stopped, objective)


@dataclass
class _Proof:
    """A lower bound that is being raised, with the rest that is known of the game's value.

    `own_lower` is the lower bound that an exact run has proved by itself, if any.
    """

    bound: LowerBound
    hider: WhichHider
    path: Path
    upper: Recheck
    own_lower: Recheck | None
    began: float
    saved: float = field(default_factory=time.monotonic)

    def bounds(self, stopped: str) -> Bounds:
        """Return the bounds so far."""
        lower, hider = checked_openings(self.bound), self.hider
        game, weakest = self.bound.game, self.bound.weakest
        if self.own_lower is not None and self.own_lower.value > lower.value:
            lower, hider = self.own_lower, "run"
        seconds, opening = time.monotonic() - self.began, game.guesses[weakest.opening]
        return Bounds(game, hider, opening, weakest.plies, seconds, lower, self.upper, stopped)

    def improve(self, searcher: OpeningSearcher, control: Control[Bounds]) -> None:
        """Raise the lower bound, saving it now and then, and if it ends in an error."""

        def on_progress(_: LowerBound) -> None:
            if time.monotonic() - self.saved >= SECONDS_BETWEEN_SAVES:
                self.save()
            control.report(self.bounds("time"))

        threads = min(searcher.workers, usable_cores())
        self.bound.by_two_guesses(None, threads, control.deadline, control.cancelled, on_progress)
        with save_valid_bounds_on_error(self.bound, self.path, self.save):
            self.bound.improve(searcher, control.deadline, control.cancelled, on_progress)

    def save(self) -> None:
        """Write the bounds of all openings, keeping what is better in the file by now."""
        from oracular.search.lower_bound import add_from_file, write_bounds

        with suppress(RunError):  # a file that was damaged in the meantime is replaced
            add_from_file(self.bound, self.path)
        write_bounds(self.path, self.bound.hider, self.bound.openings)
        self.saved = time.monotonic()


def _known_total(hider: Hider, control: Control[Bounds]) -> int:
    """Return the total of a good tree against a hider: no opening is searched beyond it."""
    from oracular.costs import NO_BOUND
    from oracular.planner.start import load_planner
    from oracular.search.best_response import start_for_mean

    deadline = control.deadline.later(seconds_of(partial(load_planner, hider.game)))
    try:
        tree = start_for_mean(hider, control.with_deadline(deadline).silent())
    except OutOfTimeError:
        return NO_BOUND
    return exact_dot(hider.weights, tree.depths())


def searcher_of(hider: Hider, threads: int, cluster: Cluster | None, *, sharing: bool = False) -> OpeningSearcher:
    """Return what searches the openings: threads of this process, or the workers of a cluster."""
    if cluster is not None:
        from oracular.cluster.searches import ClusterSearcher

        return ClusterSearcher(hider, cluster, exact=sharing)
    from oracular.search.lower_bound import ThreadSearcher

    return ThreadSearcher(hider, threads, sharing=sharing)


@contextmanager
def save_valid_bounds_on_error(bound: LowerBound, path: Path, save: Callable[[], None]) -> Iterator[None]:
    """Return a context in which bounds are raised; after an error the file has the valid ones.

    What was proved before a cluster was lost is saved. If a cluster gave a false answer, nothing that it reported is
    saved. If a bound that the file recorded is false, the error says so.
    """
    from oracular.search.lower_bound import RefutedBoundError, write_bounds

    before = dict(bound.openings)
    try:
        yield
    except ClusterError:
        save()
        raise
    except FalseAnswerError:
        write_bounds(path, bound.hider, before)
        raise
    except RefutedBoundError as error:
        raise false_bound_in(path, bound.game, error.opening) from None
