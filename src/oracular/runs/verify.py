"""Runs, bounds, certificates and strategies proved again, from the table of answers alone.

Whatever a file says, its figures count as proved only so far as they are worked out again here; see docs/verify.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oracular.errors import RunError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.responses.benchmark import hider_uniform
from oracular.runs.certify import bounds_file, false_bound, lower_of, search_threads, take_over
from oracular.runs.drive import load_run
from oracular.runs.folder import Run, is_run
from oracular.runs.layout import CERTIFICATE
from oracular.runs.recheck import Recheck, check_order, recheck_guarantee, recheck_lower
from oracular.runs.solution import Solution
from oracular.strategies.file import read_head
from oracular.strategies.hider import Hider
from oracular.strategies.shipped import ENDING, Shipped, has_shipped, load, read_strategies
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed, check_seconds
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.solvers.exact.certificate import Certificate

Told = Callable[[str], None]
"""Called now and then with what is being done."""


@dataclass(frozen=True, eq=False)
class Verification:
    """What was proved again; that there is one means that nothing checked was found false.

    Attributes:
        kind: `run`, `bounds`, `certificate` or `strategies`.
        game: the game.
        upper: the guarantee of the guesser, where it has been looked at.
        lower: the best lower bound, where there is one.
        lowers: all lower bounds, by whose hider proves them.
    """

    kind: str
    game: Game
    upper: Recheck | None
    lowers: dict[str, Recheck]

    @property
    def lower(self) -> Recheck | None:
        """The best lower bound, where there is any."""
        return max(self.lowers.values(), key=lambda check: check.value, default=None)

    @property
    def checks(self) -> list[Recheck]:
        """All figures that were looked at."""
        return [*([] if self.upper is None else [self.upper]), *self.lowers.values()]

    @property
    def proved(self) -> bool:
        """Whether all that there is was proved again."""
        return all(check.proved for check in self.checks)

    @property
    def settled(self) -> bool:
        """Whether the value of the game is proved."""
        lower = self.lower
        return self.proved and lower is not None and self.upper is not None and lower.value == self.upper.value

    @property
    def conclusion(self) -> str:
        """The last word: what was proved again, or how much of what is recorded was re-checked."""
        if not self.proved:
            done, of = (sum(getattr(check, name) for check in self.checks) for name in ("done", "of"))
            return f"recorded; {done:,} of {of:,} entries re-checked"
        lower, upper = self.lower, self.upper
        if self.settled:
            return f"proved again: value = {_figure(self.checks[0].value)}"
        below = "" if lower is None else f"{_figure(lower.value)} ≤ "
        above = "" if upper is None else f" ≤ {_figure(upper.value)}"
        return f"proved again: {below}value{above}"


def _figure(value: Fraction) -> str:
    return f"{float(value):.6f}"


@dataclass(frozen=True)
class _Work:
    """How long to work, how, and who is told."""

    deadline: Deadline
    threads: int
    stop: Callable[[], bool]
    told: Told


def verify(
    target: str | Path,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
    lists: Mapping[str, Path | None] | None = None,
    stop: Callable[[], bool] = lambda: False,
    told: Told = lambda text: None,
) -> Verification:
    """Return what was proved again of a run, a file of bounds, a certificate, a strategy or a game's shipped ones.

    Raises an error where anything that was checked does not hold.

    Args:
        target: a run's folder, a file, or the name of a game whose strategies come with the package.
        time_limit: stop after so many seconds, with what was re-checked by then; otherwise all is.
        threads: how many openings to search at a time; as many as there are cores, and memory for, by default.
        lists: word lists of one's own, for a certificate or a strategy that was made with them.
        stop: asked often; ends it, with what was re-checked by then, when it answers True.
        told: called now and then with what is being done.
    """
    check_seconds(time_limit)
    work = _Work(Deadline.after(time_limit), search_threads(threads), stop, told)
    path, named = Path(target), str(target)
    own = {name: given for name, given in (lists or {}).items() if given is not None}
    if is_run(path):
        return _verify_run(path, work)
    if not path.exists() and has_shipped(named):
        return verify_strategies(load(named), work.deadline, work.threads, stop, told)
    if path.name in map(bounds_file, ("uniform", "run")):
        return _verify_bounds_file(path, work)
    if path.name.endswith(ENDING):
        head, _ = read_head(path)
        strategies = read_strategies(path, game_of_name(head["game"], **own))
        return verify_strategies(strategies, work.deadline, work.threads, stop, told)
    if path.is_dir():
        raise RunError(f"{quoted(path)} holds no run: name a run's folder, a file, or a game such as jotto-5")
    return _verify_certificate_file(path, own, work)


def verify_strategies(
    strategies: Shipped,
    deadline: Deadline = NEVER,
    threads: int = 1,
    stop: Callable[[], bool] = lambda: False,
    told: Told = lambda text: None,
) -> Verification:
    """Return what was proved again of strategies in a file: the guarantee always, the lower bound as time allows."""
    work = _Work(deadline, threads, stop, told)
    game, trees = strategies.game, len(strategies.guesser.oracles)
    told("working out the guarantee from the trees")
    upper = Recheck(strategies.guarantee, trees, trees, "trees")
    source = f"the file of the strategies of {game.name}"
    check_order(strategies.lower, upper.value, source)
    if strategies.proof:
        lower = _lower_from_openings(strategies, work)
        name = "uniform"
    else:
        hider, name = (
            (strategies.hider, "shipped") if strategies.lower_hider == "shipped" else (hider_uniform(game), "uniform")
        )
        lower = Recheck(strategies.lower, int(_proves(hider, strategies.lower, work, source)), 1, "searches")
    return Verification("strategies", game, upper, {name: lower})


def _lower_from_openings(strategies: Shipped, work: _Work) -> Recheck:
    """Return the lower bound of strategies whose proof goes opening by opening, proved again as time allows."""
    from oracular.bounds.opening import OpeningBound
    from oracular.bounds.search import Certification

    game = strategies.game
    source = f"the file of the strategies of {game.name}"
    known = {opening: OpeningBound(bound, opening, plies) for opening, bound, plies in strategies.proof}
    state = Certification(hider_uniform(game))
    try:
        if len(known) != len(strategies.proof) or strategies.lower_hider != "uniform":
            raise ValueError("an opening twice")
        state.take_over(known)
    except ValueError:
        raise RunError(f"{source} is damaged (its proof is none of this game): get it again") from None
    if state.lower < strategies.lower:
        raise RunError(
            f"{source} says that the value is at least {float(strategies.lower):.6f}, and of its openings only "
            f"{float(state.lower):.6f}: get it again"
        )
    refuted = _recheck(state, work)
    if refuted is not None:
        raise RunError(
            f"{source} claims more of the opening {game.guesses[refuted]!r} than can be proved again: get it again"
        )
    return Recheck(strategies.lower, len(state.bounds) - len(state.recorded), len(state.bounds), "openings")


def _recheck(state: Any, work: _Work) -> int | None:
    """Return an opening whose recorded bound is false, if one was found."""

    def tell(done: int, of: int) -> None:
        work.told(f"proving openings again: {done:,} of {of:,}")

    refuted = state.recheck(work.deadline, work.threads, work.stop, tell)
    return None if refuted is None else int(refuted.opening)


def _proves(hider: Hider, lower: Fraction, work: _Work, source: str) -> bool:
    """Tell whether the exact search proved in time that any guesser needs so many guesses against a hider."""
    from oracular.responses.deepening import exact_response, stopping
    from oracular.responses.exact import LARGEST_TOTAL

    game = hider.game
    if hider.total * (len(game.secrets) + 3) >= LARGEST_TOTAL:
        raise RunError(f"{source} has weights of the hider that are too large to be searched: get it again")
    work.told("the best response to the hider, by exact search")
    wanted = lower * hider.total
    try:
        response = exact_response(
            game.table,
            game.found,
            hider.weights,
            symmetries=[(symmetry.secrets, symmetry.guesses) for symmetry in game.checked_symmetries],
            target=-(-wanted.numerator // wanted.denominator),
            deadline=work.deadline,
            progress=stopping(work.stop),
        )
    except DeadlinePassed:
        return False
    if response.upper < wanted:
        raise RunError(
            f"{source} says that any guesser needs {float(lower):.6f} guesses against its hider, and a tree needs "
            f"{response.upper / hider.total:.6f}: get it again"
        )
    return response.lower >= wanted


def _verify_run(folder: Path, work: _Work) -> Verification:
    """Return what was proved again of a run: its guarantee, its certificate, and the bounds that are kept with it."""
    solution = load_run(folder)
    work.told("working out the guarantee from the trees")
    upper = recheck_guarantee(
        solution,
        work.deadline,
        work.stop,
        lambda done, of: work.told(f"building trees again: {done:,} of {of:,}"),
    )
    lowers: dict[str, Recheck] = {}
    own = recheck_lower(solution, work.deadline, work.stop)
    if own is not None:
        lowers["run"] = own
    if (folder / CERTIFICATE).exists():
        written = _read_certificate(folder / CERTIFICATE, solution.game)
        if solution.certificate is None or written[1].to_data() != solution.certificate.to_data():
            lower = _recheck_certificate(*written, solution.game, work)
            if own is None or lower.value > own.value:
                lowers["run"] = lower
    for hider in ("uniform", "run"):
        path = folder / bounds_file(hider)
        check = _recheck_bounds(path, hider, solution, work)
        if check is not None and (hider not in lowers or check.value > lowers[hider].value):
            lowers[hider] = check
    for check in lowers.values():
        check_order(check.value, upper.value, quoted(folder))
    return Verification("run", solution.game, upper, lowers)


def _verify_bounds_file(path: Path, work: _Work) -> Verification:
    """Return what was proved again of a file of bounds, which lies in its run's folder."""
    if not is_run(path.parent):
        raise RunError(f"{quoted(path)} does not lie in the folder of its run: put it there, then verify the folder")
    solution = load_run(path.parent)
    hider = "uniform" if path.name == bounds_file("uniform") else "run"
    if not path.exists():
        raise RunError(f"{quoted(path)} is not there: make it with 'oracular certify {quoted(path.parent)}'")
    check = _recheck_bounds(path, hider, solution, work)
    if check is None:
        raise RunError(f"{quoted(path)} is of an earlier state of its run: remove it to prove its bounds again")
    return Verification("bounds", solution.game, None, {hider: check})


def _recheck_bounds(path: Path, hider: str, solution: Solution, work: _Work) -> Recheck | None:
    """Return the lower bound that a file keeps, proved again as time allows; None where there is none."""
    from oracular.bounds.search import Certification

    if not path.exists():
        return None
    state = Certification(hider_uniform(solution.game) if hider == "uniform" else solution.hider)
    if not take_over(state, path):
        return None
    check_order(state.lower, solution.guarantee, quoted(path.parent))
    refuted = _recheck(state, work)
    if refuted is not None:
        raise false_bound(path, solution, refuted)
    return lower_of(state)


def _verify_certificate_file(path: Path, own: Mapping[str, Path], work: _Work) -> Verification:
    """Return what was proved again of a certificate of an equilibrium."""
    from oracular.solvers.exact.certificate import read_certificate

    name, sha256, certificate = read_certificate(path)
    in_run = is_run(path.parent) and path.name == CERTIFICATE and not own
    game = Run.open(path.parent).game() if in_run else game_of_name(name, **own)
    _check_name(path, name, game)
    lower = _recheck_certificate(sha256, certificate, game, work)
    trees = len(certificate.trees)
    return Verification("certificate", game, Recheck(certificate.upper, trees, trees, "trees"), {"run": lower})


def _read_certificate(path: Path, game: Game) -> tuple[str, Certificate]:
    """Return the hash of the words and the certificate that a file holds, which must be one of this game."""
    from oracular.solvers.exact.certificate import read_certificate

    name, sha256, certificate = read_certificate(path)
    _check_name(path, name, game)
    return sha256, certificate


def _check_name(path: Path, name: str, game: Game) -> None:
    if name != game.name:
        raise RunError(f"certificate {quoted(path)} is of {quoted(name)}, not of {game.name}: give one of this game")


def _recheck_certificate(sha256: str, certificate: Certificate, game: Game, work: _Work) -> Recheck:
    """Return the lower bound of a certificate, proved again as time allows."""
    from oracular.solvers.exact.certificate import verify_certificate

    work.told("the best response to the hider, by exact search")
    again = verify_certificate(game, sha256, certificate, work.deadline, work.stop)
    return Recheck(certificate.lower, int(again), 1, "searches")
