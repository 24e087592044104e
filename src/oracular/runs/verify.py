"""Runs, searches, bounds, certificates and strategies proved again, from the table of answers alone.

A figure in a file counts as proved only as far as it is worked out again here; see docs/verify.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from oracular.errors import OutOfTimeError, RunError
from oracular.evaluation import payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.objectives import Objective, mean
from oracular.responses.limits import fits_search, search_threads
from oracular.runs.certify import counted_bound
from oracular.runs.drive import load_by
from oracular.runs.folder import Run, is_run
from oracular.runs.kept_bounds import false_bound, false_bound_in
from oracular.runs.kept_search import BOUNDS, HIDER, TREE, another_hider, is_search, read_hider, read_tree
from oracular.runs.layout import CERTIFICATE, bounds_file
from oracular.runs.recheck import (
    Recheck,
    check_order,
    checked_openings,
    in_order,
    recheck_bound,
    recheck_guarantee,
    recheck_shipped_guarantee,
)
from oracular.runs.solution import Solution
from oracular.strategies.file import read_head
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.shipped import ENDING, HiderBound, Shipped, load, load_named, read_strategies
from oracular.system.counting import counted
from oracular.system.deadline import Deadline, DeadlinePassed, check_seconds
from oracular.system.files import quoted
from oracular.system.progress import ShouldStop, ShowProgress, never_stop, show_nothing

if TYPE_CHECKING:
    from oracular.bounds.lower_bound import LowerBound
    from oracular.solvers.exact.certificate import Certificate, WrittenCertificate

SEARCHING = "the best response to the hider, by exact search"


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
        """The best of the bounds, or None if there is none."""
        return max(self.bounds.values(), key=lambda check: self.objective.sign * check.value, default=None)

    @property
    def lower(self) -> Recheck | None:
        """The best lower bound on the value, or None if there is none."""
        return self.bound if self.objective.less_is_better else self.guarantee

    @property
    def upper(self) -> Recheck | None:
        """The best upper bound on the value, or None if there is none."""
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


@dataclass(frozen=True)
class VerifyControl:
    """How long to work, on how many threads, and the callbacks."""

    threads: int
    deadline: Deadline
    stop: ShouldStop = never_stop
    progress: ShowProgress = show_nothing


def verify(
    target: str | Path,
    *,
    lists: Mapping[str, Path | None] | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    stop: ShouldStop = never_stop,
    progress: ShowProgress = show_nothing,
) -> Verification:
    """Return what was proved again of a run, a search, a file of bounds, a certificate, or strategies.

    Raises an error if anything that was checked is false.

    Args:
        target: the folder of a run or of a search over all openings, a file, or the name of a game whose strategies
            come with the package.
        lists: word lists of one's own, for a certificate or a strategy file that was made with them.
        threads: how many openings to search at a time; by default as many as there are cores, and memory for.
        time_limit: stop after so many seconds, with what was re-checked by then; by default all is re-checked.
        stop: asked ten times a second; once it returns True, the call ends with what was re-checked by then.
        progress: called a few times a second.
    """
    check_seconds(time_limit)
    warm_up_for_shipped()
    control = VerifyControl(search_threads(threads), Deadline.after(time_limit), stop, progress)
    path, named = Path(target), str(target)
    own = {name: given for name, given in (lists or {}).items() if given is not None}
    if is_run(path):
        _check_no_lists(own, path)
        return _verify_run(path, control)
    search = path.parent if path.name in (HIDER, TREE, BOUNDS) else path
    if is_search(search):
        _check_no_lists(own, search)
        return _verify_search(search, control)
    if not path.exists() and (strategies := load_named(named, own)) is not None:
        return verify_strategies(strategies, control)
    if path.name in map(bounds_file, ("uniform", "run")):
        _check_no_lists(own, path)
        return _verify_bounds_file(path, control)
    if path.name.endswith(ENDING):
        head, _ = read_head(path)
        return verify_strategies(read_strategies(path, game_of_name(head["game"], **own)), control)
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
    from oracular.bounds import uniform
    from oracular.responses import deepening

    uniform.warm_up()
    deepening.warm_up()
    load("jotto-2").guesser.oracles[0].depths()  # unpacks a tree


def verify_strategies(strategies: Shipped, control: VerifyControl) -> Verification:
    """Return what was proved again of strategies, as far as there is time; the best lower bound comes first."""
    game = strategies.game
    control.progress("working out the guarantee from the trees")
    upper = recheck_shipped_guarantee(strategies, control.deadline)
    check_order(strategies.lower, upper.value, f"the file of the strategies of {game.name}")
    best_first = sorted(strategies.lower_bounds, key=lambda bound: -bound.value)
    bounds: dict[str, Recheck] = {bound.hider: _verify_bound(strategies, bound, control) for bound in best_first}
    return Verification("strategies", game, upper, bounds)


def _verify_bound(strategies: Shipped, recorded: HiderBound, control: VerifyControl) -> Recheck:
    """Return a lower bound that strategies record, as far as it is proved again.

    If its proof is a bound for each opening, those are proved one by one. Otherwise it is searched for: all openings at
    once in a game with symmetries, which that search makes the most of, else one by one.
    """
    from oracular.bounds.lower_bound import LowerBound
    from oracular.bounds.opening import OpeningBound

    game, hider = strategies.game, strategies.hider_of(recorded)
    source = f"the file of the strategies of {game.name}"
    if not fits_search(hider.total, len(game.secrets)):
        raise RunError(f"{source} has weights of the hider that are too large to be searched: get it again")
    known = {opening: OpeningBound(total, opening, plies) for opening, total, plies in recorded.proof}
    if not known and game.symmetries:
        return Recheck(recorded.value, int(_proves(hider, recorded.value, source, control)), 1, "searches")
    try:
        bound = LowerBound(hider, control.deadline, sharing=not known)
    except DeadlinePassed:
        return Recheck(recorded.value, 0, max(1, len(known)), "openings")
    if not known:
        return _searched_again(bound, recorded.value, source, control)
    try:
        if len(known) != len(recorded.proof):
            raise ValueError("an opening is listed twice")
        bound.add_recorded(known)
    except ValueError:
        raise RunError(f"{source} is damaged (its proof is none of this game): get it again") from None
    if bound.value < recorded.value:
        raise RunError(
            f"{source} says that the value is at least {float(recorded.value):.6f}, and of its openings only "
            f"{float(bound.value):.6f}: get it again"
        )
    refuted = bound.recheck(control.threads, control.deadline, control.stop, control.progress)
    if refuted is not None:
        raise false_bound(source, game, refuted.opening, "get it again")
    return replace(checked_openings(bound), value=recorded.value)


def _proves(hider: Hider, lower: Fraction, source: str, control: VerifyControl) -> bool:
    """Return whether one search of all openings proved in time that any guesser needs this many guesses."""
    from oracular.responses.deepening import exact_response
    from oracular.responses.exact_search import WeightedGame
    from oracular.responses.limits import SearchLimits, stopping

    control.progress(SEARCHING)
    wanted = lower * hider.total
    try:
        response = exact_response(
            WeightedGame.of(hider),
            SearchLimits(control.deadline, target=-(-wanted.numerator // wanted.denominator)),
            progress=stopping(control.stop),
        )
    except DeadlinePassed:
        return False
    if response.upper < wanted:
        raise RunError(
            f"{source} says that any guesser needs {float(lower):.6f} guesses against its hider, and a tree needs "
            f"{response.upper / hider.total:.6f}: get it again"
        )
    return response.lower >= wanted


def _searched_again(bound: LowerBound, value: Fraction, source: str, control: VerifyControl) -> Recheck:
    """Return a lower bound of which only the value is recorded, with how many openings were shown to need as much."""
    from oracular.bounds.opening import PROVED
    from oracular.bounds.search import ThreadSearcher

    bound.target = math.ceil(value * bound.hider.total)

    def reached() -> int:
        return sum(known.bound >= bound.target for known in bound.openings.values())

    def progress(_: LowerBound) -> None:
        control.progress(f"proving openings again: {reached():,} of {len(bound.openings):,}")

    searcher = ThreadSearcher(bound.hider, control.threads, sharing=True)
    bound.improve(searcher, control.deadline, control.stop, progress)
    if bound.weakest.plies == PROVED and bound.lower < bound.target:
        raise RunError(
            f"{source} says that any guesser needs {float(value):.6f} guesses against its hider, and a tree needs "
            f"{float(bound.value):.6f}: get it again"
        )
    return Recheck(value, reached(), len(bound.openings), "openings")


def _verify_run(folder: Path, control: VerifyControl) -> Verification:
    """Return what was proved again of a run: its guarantee, its certificate, and the bounds in its folder."""
    solution, deadline = load_by(folder, control.deadline)
    control = replace(control, deadline=deadline)
    control.progress("working out the guarantee from the trees")
    guarantee = recheck_guarantee(solution, control.deadline, control.stop, control.progress)
    objective = solution.objective
    bounds: dict[str, Recheck] = {}
    own = recheck_bound(solution, control.deadline, control.stop)
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
        check = _recheck_bounds(folder / bounds_file(hider), hider, solution, control)
        if check is not None and (hider not in bounds or check.value > bounds[hider].value):
            bounds[hider] = check
    for check in bounds.values():
        check_order(*in_order(objective, check.value, guarantee.value), quoted(folder))
    return Verification("run", solution.game, guarantee, bounds, objective)


def _verify_search(folder: Path, control: VerifyControl) -> Verification:
    """Return what was proved again of a search over all openings: its tree's total, and the bound of every opening."""
    hider, path = read_hider(folder), folder / BOUNDS
    kept = read_tree(folder, hider)
    if kept is None or not path.exists():
        raise RunError(f"the search in {quoted(folder)} was stopped before it kept anything: go on with it first")
    upper = Recheck(payoff(hider, kept.tree), 1, 1, "trees")
    lower = _recheck_openings(path, hider, upper.value, control, sharing=True)
    if lower is None:
        raise another_hider(folder)
    whose = "uniform" if (hider.weights == hider.weights[0]).all() else "given"
    return Verification("search", hider.game, upper, {whose: lower})


def _verify_bounds_file(path: Path, control: VerifyControl) -> Verification:
    """Return what was proved again of a file of bounds, which must lie in its run's folder."""
    if not is_run(path.parent):
        raise RunError(f"{quoted(path)} does not lie in the folder of its run: put it there, then verify the folder")
    solution, deadline = load_by(path.parent, control.deadline)
    control = replace(control, deadline=deadline)
    hider = "uniform" if path.name == bounds_file("uniform") else "run"
    if not path.exists():
        raise RunError(f"{quoted(path)} is not there: make it with 'oracular certify {quoted(path.parent)}'")
    check = _recheck_bounds(path, hider, solution, control)
    if check is None:
        raise RunError(f"{quoted(path)} is of an earlier state of its run: remove it to prove its bounds again")
    return Verification("bounds", solution.game, None, {hider: check})


def _recheck_bounds(path: Path, hider: str, solution: Solution, control: VerifyControl) -> Recheck | None:
    """Return the lower bound that a file keeps, as far as it is proved again, or None if there is no such file."""
    if not path.exists():
        return None
    if not solution.objective.is_mean:
        raise RunError(
            f"{quoted(path)} has bounds on expected guesses, and its run is for another objective: remove the file"
        )
    hiding = hider_uniform(solution.game) if hider == "uniform" else solution.hider
    return _recheck_openings(path, hiding, solution.guarantee, control)


def _recheck_openings(
    path: Path, hider: Hider, upper: Fraction, control: VerifyControl, *, sharing: bool = False
) -> Recheck | None:
    """Return the lower bound that the openings in a file come to, as far as these are proved again in time.

    Returns None where the file holds no openings against this hider.

    Args:
        path: the file.
        hider: the hider.
        upper: an upper bound, which the lower one must not exceed.
        control: how long to work, and so on.
        sharing: whether the bounds were proved with a memo that openings share.
    """
    from oracular.bounds.file import add_from_file, read_bounds

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
    refuted = bound.recheck(control.threads, control.deadline, control.stop, control.progress)
    if refuted is not None:
        raise false_bound_in(path, bound.game, refuted.opening)
    return checked_openings(bound)


def _verify_certificate_file(path: Path, own: Mapping[str, Path], control: VerifyControl) -> Verification:
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


def _read(written: WrittenCertificate, game: Game, control: VerifyControl) -> Certificate:
    """Return the certificate that a file holds, or say that there was no time to read its trees."""
    try:
        return written.of(game, control.deadline)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before the trees of {quoted(written.path)} were read: give more time"
        ) from None


def _recheck_certificate(certificate: Certificate, game: Game, control: VerifyControl) -> Recheck:
    """Return the bound that a certificate's weights prove, proved again if there is time."""
    from oracular.solvers.exact.certificate import verify_certificate

    control.progress(SEARCHING)
    again = verify_certificate(game, certificate, control.deadline, control.stop)
    return Recheck(certificate.bound, int(again), 1, "searches")
