"""Runs, searches, bounds, certificates and strategies proved again, from the table of answers alone.

A figure in a file counts as proved only as far as it is worked out again here; see docs/verify.md.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oracular.costs import Costs, fits_search
from oracular.errors import OracularError, OutOfTimeError, RunError
from oracular.evaluation import Standing, payoff, standing
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.objectives import Objective, mean
from oracular.runs.folder import Run, is_run
from oracular.runs.format import CERTIFICATE, bounds_file
from oracular.runs.kept_search import BOUNDS, HIDER, TREE, another_hider, is_search, read_hider, read_tree
from oracular.runs.solution import Solution, load_by
from oracular.search.trees import search, search_threads
from oracular.solvers.guessing_problems import GreedyResponses
from oracular.strategies.file import read_head
from oracular.strategies.greedy import CACHE, IncrementalTrees
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.oracle import Mixture
from oracular.strategies.shipped import ENDING, HiderBound, Shipped, load, load_named, read_strategies
from oracular.system.checking import SUM_LIMIT
from oracular.system.control import (
    NEVER,
    UNLIMITED,
    Control,
    Deadline,
    DeadlinePassed,
    Stopped,
    check_seconds,
    ignored,
    never,
)
from oracular.system.files import counted, quoted
from oracular.system.memory import available_memory

if TYPE_CHECKING:
    from oracular.search.lower_bound import LowerBound
    from oracular.solvers.exact.certificate import Certificate, WrittenCertificate

SEARCHING = "the best response to the hider, by exact search"

SAME = 1e-9
"""Floats that differ by less than this are the same figure, worked out in another order; see `_tolerance`."""

MOST_AT_RANDOM = 100_000
"""Of the iterations that there was no time for in order, at most this many are chosen at random."""

SINGULAR = {"trees": "tree", "iterations": "iteration", "openings": "opening", "searches": "search"}
"""What one entry of each kind is called."""


@dataclass(frozen=True)
class Recheck:
    """A figure that a file records, and how much of it was worked out again.

    Attributes:
        done: how many of its entries were re-checked.
        of: how many entries there are.
        unit: what the entries are: `trees`, `iterations`, `openings` or `searches`.
    """

    value: Fraction
    done: int
    of: int
    unit: str

    @property
    def proved(self) -> bool:
        """Whether every entry was re-checked."""
        return self.done == self.of

    @property
    def words(self) -> str:
        """Whether the figure is proved or recorded, in words."""
        return (
            "proved"
            if self.proved
            else f"recorded; {self.done:,} of {counted(self.of, SINGULAR[self.unit], self.unit)} re-checked"
        )

    def as_data(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "value": str(self.value),
            "rechecked": self.done,
            "of": self.of,
            "unit": self.unit,
            "proved": self.proved,
        }


@dataclass(frozen=True, eq=False)
class Verification:
    """What was proved again. Whatever was checked holds: a false figure is an error.

    Attributes:
        kind: `run`, `search`, `bounds`, `certificate` or `strategies`.
        guarantee: the guesser's guarantee, or None if the target has none; of a search what its tree needs against its
            hider.
        bounds: what no guesser can do better than, by the hider whose strategy proves it: `uniform`, `run`, `shipped`,
            or `given` in a search against another than the uniform one.
        objective: what the guesser is worth; every figure is in it.
    """

    kind: str
    game: Game
    guarantee: Recheck | None
    bounds: dict[str, Recheck]
    objective: Objective = field(default_factory=mean)

    @property
    def bound(self) -> Recheck | None:
        """The best of the bounds, or None without any."""
        return max(self.bounds.values(), key=lambda check: self.objective.sign * check.value, default=None)

    @property
    def lower(self) -> Recheck | None:
        """The best lower bound on the value, or None without one."""
        return self.bound if self.objective.less_is_better else self.guarantee

    @property
    def upper(self) -> Recheck | None:
        """The best upper bound on the value, or None without one."""
        return self.guarantee if self.objective.less_is_better else self.bound

    @property
    def checks(self) -> list[Recheck]:
        """All figures that were checked."""
        return [*([] if self.guarantee is None else [self.guarantee]), *self.bounds.values()]

    @property
    def proved(self) -> bool:
        """Whether every figure was proved again."""
        return all(check.proved for check in self.checks)

    @property
    def settled(self) -> bool:
        """Whether the value of the game is proved, or of a search the best response."""
        bound, guarantee = self.bound, self.guarantee
        return self.proved and bound is not None and guarantee is not None and bound.value == guarantee.value

    @property
    def conclusion(self) -> str:
        """What was proved again, or how much of what is recorded was re-checked, in one line."""
        if not self.proved:
            done, of = (sum(getattr(check, name) for check in self.checks) for name in ("done", "of"))
            return f"recorded; {done:,} of {counted(of, 'entry', 'entries')} re-checked"
        value = "value" if self.objective.is_mean else self.objective.phrase()
        if self.kind == "search":
            value = "best response"
        if self.settled:
            return f"proved again: {value} = {float(self.checks[0].value):.6f}"
        below = "" if self.lower is None else f"{float(self.lower.value):.6f} ≤ "
        above = "" if self.upper is None else f" ≤ {float(self.upper.value):.6f}"
        return f"proved again: {below}{value}{above}"


def verify(
    target: str | Path,
    *,
    lists: Mapping[str, Path | None] | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    stop: Callable[[], bool] = never,
    progress: Callable[[str], None] = ignored,
) -> Verification:
    """Return what was proved again of a run, a search, a file of bounds, a certificate, or strategies.

    Raises an error if anything that was checked is false.

    Args:
        target: the folder of a run or of a search over all openings, a file, or the name of a game whose strategies
            come with the package.
        lists: custom word lists, for a certificate or a strategy file that was made with them.
        threads: how many openings to search at a time; by default as many as there are cores, and memory for.
        time_limit: stop after this many seconds, with what was re-checked by then; by default all is re-checked.
        stop: called ten times a second; once it returns True, the call ends with what was re-checked by then.
        progress: called at most ten times a second, with a few words on what is being done.
    """
    check_seconds(time_limit)
    warm_up_for_shipped()
    threads, control = search_threads(threads), Control(Deadline.after(time_limit), stop, progress)
    path, named = Path(target), str(target)
    own = {name: given for name, given in (lists or {}).items() if given is not None}
    if is_run(path):
        _check_no_lists(own, path)
        return _verify_run(path, threads, control)
    search = path.parent if path.name in (HIDER, TREE, BOUNDS) else path
    if is_search(search):
        _check_no_lists(own, search)
        return _verify_search(search, threads, control)
    if not path.exists() and (strategies := load_named(named, own)) is not None:
        return verify_strategies(strategies, threads, control)
    if path.name in map(bounds_file, ("uniform", "run")):
        _check_no_lists(own, path)
        return _verify_bounds_file(path, threads, control)
    if path.name.endswith(ENDING):
        head, _ = read_head(path)
        return verify_strategies(read_strategies(path, game_of_name(head["game"], **own)), threads, control)
    if path.is_dir():
        raise RunError(
            f"{quoted(path)} holds no run and no search: name the folder of one, a file, or a game such as jotto-5"
        )
    return _verify_certificate_file(path, own, control)


def _check_no_lists(own: Mapping[str, Path], path: Path) -> None:
    """Raise an error where word lists are given for what keeps its words itself."""
    if own:
        options = " and ".join(f"--{name}" for name in own)
        raise RunError(f"{quoted(path)} goes with the words that its folder keeps: leave {options} out")


def warm_up_for_shipped() -> None:
    """Load or compile what proving shipped strategies again needs: that is not counted as time."""
    from oracular.search import best_response, letters

    letters.warm_up()
    best_response.warm_up()
    load("jotto-2").guesser.oracles[0].depths()  # unpacks a tree


def verify_strategies(strategies: Shipped, threads: int, control: Control[str]) -> Verification:
    """Return what was proved again of strategies, as far as there is time; the best lower bound comes first."""
    game = strategies.game
    control.report("working out the guarantee from the trees", always=True)
    trees = len(strategies.guesser.oracles)
    try:
        game.prepare(control.deadline)  # symmetries under which the trees are played are checked, too
        strategies.guesser.added_up(control.deadline)
        upper = Recheck(strategies.guarantee, trees, trees, "trees")
    except DeadlinePassed:
        upper = Recheck(strategies.recorded_guarantee, 0, trees, "trees")
    check_order(strategies.lower, upper.value, f"the file of the strategies of {game.name}")
    best_first = sorted(strategies.lower_bounds, key=lambda bound: -bound.value)
    bounds: dict[str, Recheck] = {
        bound.hider: _verify_bound(strategies, bound, threads, control) for bound in best_first
    }
    return Verification("strategies", game, upper, bounds)


def _verify_bound(strategies: Shipped, recorded: HiderBound, threads: int, control: Control[str]) -> Recheck:
    """Return a lower bound that strategies record, as far as it is proved again.

    If its proof is a bound for each opening, those are proved one by one. Otherwise it is searched for: all openings at
    once in a game with symmetries, which that search makes the most of, else one by one.
    """
    from oracular.search.lower_bound import LowerBound
    from oracular.search.openings import OpeningBound

    game, hider = strategies.game, strategies.hider_of(recorded)
    source = f"the file of the strategies of {game.name}"
    if not fits_search(hider.weights.tolist(), mean()):
        raise RunError(f"{source} has weights of the hider that are too large to be searched: get it again")
    known = {opening: OpeningBound(total, opening, plies) for opening, total, plies in recorded.proof}
    if not known and game.symmetries:
        return Recheck(recorded.value, int(_proves(hider, recorded.value, source, control)), 1, "searches")
    try:
        bound = LowerBound(hider, control.deadline, sharing=not known)
    except DeadlinePassed:
        return Recheck(recorded.value, 0, max(1, len(known)), "openings")
    if not known:
        return _searched_again(bound, recorded.value, source, threads, control)
    try:
        if len(known) != len(recorded.proof):
            raise ValueError("an opening is listed twice")
        bound.add_recorded(known)
    except ValueError:
        raise RunError(f"{source} is damaged (its proof belongs to another game): get it again") from None
    if bound.value < recorded.value:
        raise RunError(
            f"{source} says that the value is at least {float(recorded.value):.6f}, and of its openings only "
            f"{float(bound.value):.6f}: get it again"
        )
    refuted = bound.recheck(threads, control.deadline, control.cancelled, control.report)
    if refuted is not None:
        raise false_bound(source, game, refuted.opening, "get it again")
    return replace(checked_openings(bound), value=recorded.value)


def _proves(hider: Hider, lower: Fraction, source: str, control: Control[str]) -> bool:
    """Return whether one search of all openings proved in time that any guesser needs this many guesses."""
    control.report(SEARCHING, always=True)
    wanted = lower * hider.total
    target = -(-wanted.numerator // wanted.denominator)
    response = search(hider.game, Costs.mean(hider.weights), target=target, control=control.silent())
    if response.upper < wanted:
        raise RunError(
            f"{source} says that any guesser needs {float(lower):.6f} guesses against its hider, and a tree needs "
            f"{response.upper / hider.total:.6f}: get it again"
        )
    return response.lower >= wanted


def _searched_again(bound: LowerBound, value: Fraction, source: str, threads: int, control: Control[str]) -> Recheck:
    """Return a lower bound of which only the value is recorded, with how many openings were shown to need as much."""
    from oracular.search.lower_bound import ThreadSearcher
    from oracular.search.openings import PROVED

    bound.target = math.ceil(value * bound.hider.total)

    def reached() -> int:
        return sum(known.bound >= bound.target for known in bound.openings.values())

    def on_progress(_: LowerBound) -> None:
        control.report(f"proving openings again: {reached():,} of {len(bound.openings):,}")

    searcher = ThreadSearcher(bound.hider, threads, sharing=True)
    bound.improve(searcher, control.deadline, control.cancelled, on_progress)
    if bound.weakest.plies == PROVED and bound.lower < bound.target:
        raise RunError(
            f"{source} says that any guesser needs {float(value):.6f} guesses against its hider, and a tree needs "
            f"{float(bound.value):.6f}: get it again"
        )
    return Recheck(value, reached(), len(bound.openings), "openings")


def _verify_run(folder: Path, threads: int, control: Control[str]) -> Verification:
    """Return what was proved again of a run: its guarantee, its certificate, and the bounds in its folder."""
    solution, deadline = load_by(folder, control.deadline)
    control = control.with_deadline(deadline)
    control.report("working out the guarantee from the trees", always=True)
    guarantee = verify_guarantee(solution, control)
    objective = solution.objective
    bounds: dict[str, Recheck] = {}
    own = verify_bound(solution, control)
    if own is not None:
        bounds["run"] = own
    if (folder / CERTIFICATE).exists():
        from oracular.solvers.exact.certificate import read_certificate

        written = _read(read_certificate(folder / CERTIFICATE), solution.game, control)
        if written.objective.identity != objective.identity:
            raise RunError(f"{quoted(folder / CERTIFICATE)} is for another objective than its run: remove the file")
        if solution.certificate is None or written.to_data() != solution.certificate.to_data():
            bound = _recheck_certificate(written, solution.game, control)
            if own is None or objective.sign * bound.value > objective.sign * own.value:
                bounds["run"] = bound
    for hider in ("uniform", "run"):
        check = _recheck_bounds(folder / bounds_file(hider), hider, solution, threads, control)
        if check is not None and (hider not in bounds or check.value > bounds[hider].value):
            bounds[hider] = check
    for check in bounds.values():
        check_order(*in_order(objective, check.value, guarantee.value), quoted(folder))
    return Verification("run", solution.game, guarantee, bounds, objective)


def _verify_search(folder: Path, threads: int, control: Control[str]) -> Verification:
    """Return what was proved again of a search over all openings: its tree's total, and the bound of every opening."""
    hider, path = read_hider(folder), folder / BOUNDS
    kept = read_tree(folder, hider)
    if kept is None or not path.exists():
        raise RunError(f"the search in {quoted(folder)} was stopped before it kept anything: go on with it first")
    upper = Recheck(payoff(hider, kept.tree), 1, 1, "trees")
    lower = _recheck_openings(path, hider, upper.value, threads, control, sharing=True)
    if lower is None:
        raise another_hider(folder)
    whose = "uniform" if (hider.weights == hider.weights[0]).all() else "given"
    return Verification("search", hider.game, upper, {whose: lower})


def _verify_bounds_file(path: Path, threads: int, control: Control[str]) -> Verification:
    """Return what was proved again of a file of bounds, which must lie in its run's folder."""
    if not is_run(path.parent):
        raise RunError(f"{quoted(path)} does not lie in the folder of its run: put it there, then verify the folder")
    solution, deadline = load_by(path.parent, control.deadline)
    control = control.with_deadline(deadline)
    hider = "uniform" if path.name == bounds_file("uniform") else "run"
    if not path.exists():
        raise RunError(f"{quoted(path)} is not there: make it with 'oracular certify {quoted(path.parent)}'")
    check = _recheck_bounds(path, hider, solution, threads, control)
    if check is None:
        raise RunError(f"{quoted(path)} is of an earlier state of its run: remove it to prove its bounds again")
    return Verification("bounds", solution.game, None, {hider: check})


def _recheck_bounds(path: Path, hider: str, solution: Solution, threads: int, control: Control[str]) -> Recheck | None:
    """Return the lower bound that a file keeps, as far as it is proved again, or None if there is no such file."""
    if not path.exists():
        return None
    if not solution.objective.is_mean:
        raise RunError(
            f"{quoted(path)} has bounds on expected guesses, and its run is for another objective: remove the file"
        )
    hiding = hider_uniform(solution.game) if hider == "uniform" else solution.hider
    return _recheck_openings(path, hiding, solution.guarantee, threads, control)


def _recheck_openings(
    path: Path, hider: Hider, upper: Fraction, threads: int, control: Control[str], *, sharing: bool = False
) -> Recheck | None:
    """Return the lower bound that the openings in a file come to, as far as these are proved again in time.

    Returns None where the file holds no openings against this hider.

    Args:
        path: the file.
        hider: the hider.
        upper: an upper bound, which the lower one must not exceed.
        threads: how many openings to search at a time.
        control: when to end.
        sharing: whether the bounds were proved with a memo that openings share.
    """
    from oracular.search.lower_bound import add_from_file, read_bounds

    try:
        bound = counted_bound(hider, control.deadline, sharing=sharing)
    except OutOfTimeError:  # nothing is proved again, and what is recorded is called so
        known = read_bounds(path, hider)
        if not known:
            return None
        recorded = Fraction(min(known.values()).bound, hider.total)
        check_order(recorded, upper, quoted(path.parent))
        return Recheck(recorded, 0, len(known), "openings")
    if not add_from_file(bound, path):
        return None
    check_order(bound.value, upper, quoted(path.parent))
    refuted = bound.recheck(threads, control.deadline, control.cancelled, control.report)
    if refuted is not None:
        raise false_bound_in(path, bound.game, refuted.opening)
    return checked_openings(bound)


def _verify_certificate_file(path: Path, own: Mapping[str, Path], control: Control[str]) -> Verification:
    """Return what was proved again of a certificate of an equilibrium."""
    from oracular.solvers.exact.certificate import read_certificate

    written = read_certificate(path)
    in_run = is_run(path.parent) and path.name == CERTIFICATE and not own
    game = Run.open(path.parent, with_history=False).game() if in_run else game_of_name(written.game, **own)
    certificate = _read(written, game, control)
    bound = _recheck_certificate(certificate, game, control)
    trees = len(certificate.trees)
    guarantee = Recheck(certificate.guarantee, trees, trees, "trees")
    return Verification("certificate", game, guarantee, {"run": bound}, certificate.objective)


def _read(written: WrittenCertificate, game: Game, control: Control[str]) -> Certificate:
    """Return the certificate that a file holds, or say that there was no time to read its trees."""
    try:
        return written.of(game, control.deadline)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before the trees of {quoted(written.path)} were read: give more time"
        ) from None


def _recheck_certificate(certificate: Certificate, game: Game, control: Control[str]) -> Recheck:
    """Return the bound that a certificate's weights prove, proved again if there is time."""
    from oracular.solvers.exact.certificate import verify_certificate

    control.report(SEARCHING, always=True)
    again = verify_certificate(game, certificate, control)
    return Recheck(certificate.bound, int(again), 1, "searches")


def verify_guarantee(solution: Solution, control: Control[str] = UNLIMITED) -> Recheck:
    """Return the guarantee of a run's guesser, worked out again from as many trees as there is time for.

    Raises an error if the trees contradict the run.
    """
    guesser = solution.guesser
    oracles, trees = guesser.oracles, len(guesser.oracles)
    if guesser.known_totals is None:  # no sum comes from a file: the guarantee is worked out from the trees anyway
        try:
            return Recheck(solution.guarantee, trees, trees, "trees")
        except OracularError as error:
            raise _contradicted(str(error)) from None
    responses = oracles if isinstance(oracles, GreedyResponses) else None
    secrets = len(solution.game.secrets)
    totals = np.zeros(secrets, dtype=np.int64 if guesser.total * secrets < SUM_LIMIT else object)
    done = 0
    # of fictitious play, the last quarter of the time is for iterations at random
    deadline = control.deadline
    in_order = deadline if responses is None or deadline == NEVER else deadline.later(-deadline.left / 4)
    followed = responses is None
    with suppress(DeadlinePassed):
        if responses is not None:  # a long history is not read to its end at the cost of all trees
            _check_last_position(solution, responses, in_order.or_after(in_order.left / 3))
            followed = True
    with suppress(DeadlinePassed):
        for depths, weight in weighed_depths(guesser, in_order):
            totals += weight * depths.astype(totals.dtype)
            done += 1
            if responses is not None:
                guarantee = {"guarantee": int(totals.max()) / done}
                _check_same(solution.history[done - 1], guarantee, f"iteration {done - 1}")
            control.report(f"building trees again: {done:,} of {trees:,}")
            if control.cancelled():
                break
    if done == trees and not (totals == guesser.known_totals).all():
        raise _contradicted("its trees need other numbers of guesses than it says")
    if done == trees and followed:
        return Recheck(Fraction(int(totals.max()), guesser.total), trees, trees, "trees")
    if responses is not None and followed:
        done += _recheck_at_random(solution, responses, done, control)
    # trees built at random are not in the sum: even if none is left out, the sum is the file's
    return Recheck(guesser.guarantee, min(done, trees - 1), trees, "trees" if responses is None else "iterations")


def verify_bound(solution: Solution, control: Control[str] = UNLIMITED) -> Recheck | None:
    """Return the bound of an exact run's hider, proved again if there is time, or None for a run that proves none.

    It is the lower bound on the value, or the upper bound in an objective of which more is better.
    """
    if solution.bound is None or solution.certificate is None:
        return None
    from oracular.solvers.exact.certificate import verify_certificate

    game = solution.game
    again = verify_certificate(game, solution.certificate, control)
    played, sign = payoff(solution.hider, solution.guesser, solution.objective), solution.objective.sign
    guarantee, bound = solution.guarantee, solution.bound
    gains = float(sign * (guarantee - played)), float(sign * (played - bound))
    again_standing = vars(Standing(float(played), float(guarantee), *gains))
    _check_same(vars(solution.standing), again_standing, "its last step", _tolerance(solution.objective))
    return Recheck(bound, int(again), 1, "searches")


def checked_openings(bound: LowerBound) -> Recheck:
    """Return a lower bound, and for how many of its openings it is proved."""
    openings = len(bound.openings)
    return Recheck(bound.value, openings - len(bound.recorded), openings, "openings")


def in_order(objective: Objective, bound: Fraction, guarantee: Fraction) -> tuple[Fraction, Fraction]:
    """Return the lower and the upper bound on the value that the hider's bound and the guesser's guarantee are."""
    return (bound, guarantee) if objective.less_is_better else (guarantee, bound)


def check_order(lower: Fraction, upper: Fraction, source: str) -> None:
    """Raise an error if a lower bound is above the upper bound, so that one of them must be false."""
    if lower > upper:
        raise RunError(
            f"{source} says that the value is at least {float(lower):.6g} and at most {float(upper):.6g}, which cannot "
            "be: restore it from a copy, or make it again"
        )


def weighed_depths(guesser: Mixture, deadline: Deadline) -> Iterator[tuple[NDArray[np.int32], int]]:
    """Yield the depths of every tree of a run's guesser, worked out again, with the tree's weight, until a deadline.

    The trees of fictitious play come in order, since each is built from the one before. Others come in random order,
    so that it can't be foreseen which ones are left out when time is short.
    """
    oracles, shares = guesser.oracles, guesser.weights
    if isinstance(oracles, GreedyResponses):
        trees = IncrementalTrees(oracles.engine, min(CACHE, available_memory() // 4))
        for weights, share in zip(oracles.weights, shares, strict=True):
            deadline.check()
            yield trees.depths(weights, deadline), int(share)
        return
    order = list(range(len(oracles)))
    random.SystemRandom().shuffle(order)
    try:
        for place in order:
            deadline.check()
            yield oracles[place].depths(), int(shares[place])
    except OracularError as error:
        raise _contradicted(str(error)) from None


def _check_last_position(solution: Solution, oracles: GreedyResponses, deadline: Deadline) -> None:
    """Raise an error unless the hider's responses add up to its weights, and its figures are those of its last tree."""
    guesser = solution.guesser
    assert guesser.known_totals is not None
    weights = oracles.weights.at(len(oracles) - 1, deadline)
    if not (weights == solution.hider.weights).all():
        raise _contradicted("the hider's weights are not those that its responses add up to")
    last = oracles.engine.depths(weights, deadline)
    now = standing(solution.hider.weights, guesser.known_totals, guesser.total, last)
    _check_same(vars(solution.standing), vars(now), "its last position")


def _tolerance(objective: Objective) -> float:
    """Return how much floats of one figure in an objective may differ: as much larger as its numbers are."""
    largest = objective.largest_loss
    if largest is None:
        return SAME
    return float((SAME * largest + 4 * sys.float_info.epsilon * abs(objective.top)) / objective.unit) or SAME


def _check_same(recorded: dict[str, Any], again: dict[str, float], where: str, same: float = SAME) -> None:
    """Raise an error unless the figures that were recorded are those that were worked out again."""
    for name, value in again.items():
        theirs = recorded.get(name)
        if not isinstance(theirs, int | float) or not abs(theirs - value) < same:
            raise _contradicted(f"{where} says {name.replace('_', ' ')} {quoted(theirs)}, worked out again {value:.6f}")


def _recheck_at_random(solution: Solution, oracles: GreedyResponses, begin: int, control: Control[str]) -> int:
    """Return how many iterations from `begin` on, in random order, were compared with their trees in time."""
    left = range(begin, len(oracles))
    chosen = random.SystemRandom().sample(left, min(len(left), MOST_AT_RANDOM))
    for count, iteration in enumerate(chosen):
        try:
            control.check()
            weights = oracles.weights.at(iteration, control.deadline)
            depths = oracles.engine.depths(weights, control.deadline)
        except Stopped:
            return count
        record = solution.history[iteration]
        response = int(weights @ depths.astype(weights.dtype)) / int(weights.sum())
        try:
            recorded = record["self_play"] - record["epsilon_guesser"]
        except (KeyError, TypeError):
            recorded = math.nan
        _check_same({"response": recorded}, {"response": response}, f"iteration {iteration}")
    return len(chosen)


def _contradicted(what: str) -> RunError:
    return RunError(f"the run contradicts itself ({what}): restore it from a copy, or solve again in another folder")


def counted_bound(hider: Hider, deadline: Deadline, *, sharing: bool = False) -> LowerBound:
    """Return the lower bound against a hider that counting gives, or raise an error that says that time was short."""
    from oracular.search.lower_bound import LowerBound

    try:
        return LowerBound(hider, deadline, sharing=sharing)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before every opening of {hider.game.name} had a first bound: give more time"
        ) from None


def false_bound_in(path: Path, game: Game, opening: int) -> RunError:
    """Return the error for a bound in a file that is false."""
    return false_bound(quoted(path), game, opening, "remove it to prove its bounds again")


def false_bound(source: str, game: Game, opening: int, remedy: str) -> RunError:
    """Return the error for a recorded bound that is false."""
    return RunError(f"{source} claims more of the opening {game.guesses[opening]!r} than can be proved again: {remedy}")
