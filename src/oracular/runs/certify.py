"""Bounds on the value of a game from a run: the guesser's guarantee above, a hider's proved worth below.

The upper bound is the guarantee of the run's mixture, worked out again from its trees. The lower bound is a proved
bound on what any guesser needs against a hider: the run's own, or the uniform one, whichever is asked for; any hider's
will do, since the value is at least what one hider can make sure of. What is proved is kept in the run's folder,
opening by opening, and only ever rises. What was kept by an earlier call is believed only so far as it is proved again;
the rest is called recorded.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from oracular.errors import ClusterError, FalseAnswerError, RunError, SettingsError
from oracular.games.game import Game
from oracular.responses.benchmark import hider_uniform
from oracular.runs.drive import load_run
from oracular.runs.limits import interrupts
from oracular.runs.recheck import Recheck, check_order, recheck_guarantee, recheck_lower
from oracular.runs.solution import Solution
from oracular.strategies.hider import Hider
from oracular.system import files
from oracular.system.deadline import Deadline, check_seconds
from oracular.system.files import quoted
from oracular.system.memory import available_memory, usable_cores

if TYPE_CHECKING:
    from oracular.bounds.opening import OpeningBound
    from oracular.bounds.search import Certification, Searches
    from oracular.cluster import Cluster

WhichHider: TypeAlias = Literal["uniform", "run"]

LOCK = "certification.lock"
"""The file whose lock a certification holds while it writes into a run's folder."""

MOST_BYTES = 1 << 28
"""A file of bounds is no larger than this."""

MOST_THREADS = 256
LEAST_RECHECK = 2.0
"""How many seconds working out the upper bound again may take at least: compiled code has to be loaded for it."""

SECONDS_BETWEEN_SAVES = 2.0


@dataclass(frozen=True)
class Bounds:
    """What is known of a game's value.

    Attributes:
        game: the game.
        lower: no guesser can hold the best hider below this.
        upper: no hider can make the run's guesser need more than this.
        hider: which hider proves the lower bound: `uniform`, or the `run`'s.
        opening: the opening whose bound is the weakest.
        plies: how many guesses deep it was searched; 127 where to the end.
        seconds: how long this call took.
        lower_check: how far the lower bound was proved, or proved again, by this call.
        upper_check: how far the upper bound was worked out again.
        stopped: why it stopped: `time`, `interrupted`, or `finished` where nothing is left to raise.
    """

    game: Game
    lower: Fraction
    upper: Fraction
    hider: WhichHider
    opening: str
    plies: int
    seconds: float
    lower_check: Recheck
    upper_check: Recheck
    stopped: str

    @property
    def proved(self) -> bool:
        """Whether the value itself is proved, by this call."""
        return self.lower == self.upper and self.lower_check.proved and self.upper_check.proved


def certify(
    folder: str | Path,
    *,
    time_limit: float = 600.0,
    hider: WhichHider = "uniform",
    threads: int | None = None,
    cluster: Cluster | None = None,
    watcher: Callable[[Bounds], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Bounds:
    """Return bounds on the value of a run's game, raising the lower one for so many seconds.

    A fifth of the time, or two seconds where that is more, goes into working out the upper bound again, and a fifth
    into proving again what an earlier call kept.

    Args:
        folder: the run's folder; what is proved is kept there and gone on with.
        time_limit: how many seconds to take, in all.
        hider: whose strategy is to prove the lower bound: the `uniform` one or the `run`'s.
        threads: how many openings to search at a time; as many as there are cores, and memory for, by default.
        cluster: workers that search the openings instead of threads (`oracular.cluster.connect`).
        watcher: called a few times a second.
        stop: asked as often; when it answers True, it ends as after Ctrl-C.
    """
    began = time.monotonic()
    check_seconds(time_limit)
    if hider not in get_args(WhichHider):
        raise SettingsError(f"hider {quoted(hider)} is not one: choose uniform or run")
    workers = search_threads(threads)
    from oracular.bounds.opening import PROVED
    from oracular.bounds.search import Certification, RefutedBoundError

    solution = load_run(folder)
    strategy = hider_uniform(solution.game) if hider == "uniform" else solution.hider
    path = Path(folder) / bounds_file(hider)
    deadline = Deadline(began + time_limit)
    with _lock(Path(folder)), interrupts() as pressed:

        def interrupted() -> bool:
            return pressed() or (stop is not None and stop())

        certification = Certification(strategy)
        take_over(certification, path)
        rechecking = deadline.or_after(max(time_limit / 5, LEAST_RECHECK))
        upper = recheck_guarantee(solution, rechecking, interrupted)
        own_lower = recheck_lower(solution, rechecking, interrupted)
        refuted = certification.recheck(Deadline.after(time_limit / 5), workers, interrupted)
        if refuted is not None:
            raise false_bound(path, solution, refuted.opening)
        known = dict(certification.bounds)
        saved = time.monotonic()

        def bounds(stopped: str) -> Bounds:
            return _bounds(certification, (own_lower, upper), solution, hider, time.monotonic() - began, stopped)

        def tell(state: Certification, _seconds: float) -> None:
            nonlocal saved
            if time.monotonic() - saved >= SECONDS_BETWEEN_SAVES:
                _write(path, state)
                saved = time.monotonic()
            if watcher is not None:
                watcher(bounds("time"))

        check_order(certification.lower, upper.value, quoted(folder))
        searches = _searches_on(cluster, strategy)
        try:
            certification.run(deadline, workers, tell, interrupted, searches)
        except ClusterError:
            _write(path, certification)  # what was proved before the cluster was lost is proved
            raise
        except RefutedBoundError as error:
            raise false_bound(path, solution, error.opening) from None
        except FalseAnswerError:
            _write(path, Certification(strategy, known), with_file=False)  # nothing that the cluster told is kept
            raise
        check_order(certification.lower, upper.value, quoted(folder))
        _write(path, certification)
        finished = certification.weakest.plies == PROVED
        return bounds("finished" if finished else "interrupted" if interrupted() else "time")


def _searches_on(cluster: Cluster | None, hider: Hider) -> Searches | None:
    """Return the searches of a cluster's workers, or None where threads of this process are to search."""
    if cluster is None:
        return None
    from oracular.cluster.searches import ClusterSearches

    return ClusterSearches(hider, cluster)


def bounds_file(hider: str) -> str:
    """Return the name of the file in a run's folder that keeps what is proved of a hider."""
    return f"certification-{hider}.json"


def search_threads(threads: int | None) -> int:
    """Return how many openings to search at a time, as many as there are cores and memory for unless told otherwise."""
    if threads is None:
        from oracular.bounds.search import SEARCH_BYTES

        return max(1, min(usable_cores(), available_memory() // SEARCH_BYTES))
    if type(threads) is not int or not 1 <= threads <= MOST_THREADS:
        raise SettingsError(f"{quoted(threads)} threads asked for: give 1 to {MOST_THREADS}")
    return threads


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Keep all other certifications out of a run's folder meanwhile, or say that one is at work there."""
    try:
        descriptor = files.open_to_write(folder / LOCK, make=True)
    except OSError as error:
        raise _not_written(folder / LOCK, error) from None
    try:
        with files.locked(descriptor) as ours:
            if not ours:
                raise RunError(
                    f"the bounds of the run in {quoted(folder)} are being proved by another process: wait for it"
                )
            try:
                files.sweep_temporary(folder, lambda name: name.startswith("certification-"))
            except OSError as error:
                raise _not_written(folder, error) from None
            yield
    finally:
        files.close(descriptor)


def _bounds(
    state: Certification,
    checks: tuple[Recheck | None, Recheck],
    solution: Solution,
    hider: WhichHider,
    seconds: float,
    stopped: str,
) -> Bounds:
    weakest, (own_lower, upper) = state.weakest, checks
    opening = solution.game.guesses[weakest.opening]
    check = lower_of(state)
    if own_lower is not None and own_lower.value > state.lower:  # an exact run has proved more by itself
        check, hider = own_lower, "run"
    game = solution.game
    return Bounds(game, check.value, upper.value, hider, opening, weakest.plies, seconds, check, upper, stopped)


def lower_of(state: Certification) -> Recheck:
    """Return the lower bound of all openings, and of how many of them it is proved."""
    openings = len(state.bounds)
    return Recheck(state.lower, openings - len(state.recorded), openings, "openings")


def take_over(certification: Certification, path: Path) -> bool:
    """Tell whether a file held bounds of this hider; the certification has taken them over as recorded."""
    known = _read(path, certification.hider)
    try:
        certification.take_over(known)
    except ValueError:
        raise _damaged(path) from None
    return bool(known)


def false_bound(path: Path, solution: Solution, opening: int) -> RunError:
    """Return the error that says that a recorded bound is false."""
    return RunError(
        f"{quoted(path)} claims more of the opening {solution.game.guesses[opening]!r} than can be proved again: "
        "remove it to prove its bounds again"
    )


def weights_sha256(hider: Hider) -> str:
    """Return the hash of a hider's weights and game."""
    game = hider.game
    text = f"{game.name} {game.words_sha256} {game.answers_sha256} {' '.join(map(str, hider.weights.tolist()))}"
    return hashlib.sha256(text.encode()).hexdigest()


def _write(path: Path, state: Certification, with_file: bool = True) -> None:
    """Keep what is proved, unless told otherwise with whatever more the file holds by now, replacing it at once."""
    if with_file:
        with suppress(RunError):  # damaged meanwhile: what is known here replaces it
            take_over(state, path)
    rows = [[bound.opening, bound.bound, bound.plies] for bound in state.bounds.values()]
    body = json.dumps({"weights_sha256": weights_sha256(state.hider), "openings": rows})
    data = f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n".encode()
    try:
        try:
            files.write_whole(path, data)
        except FileNotFoundError:  # a solver that goes on in the folder may have swept the temporary file away
            files.write_whole(path, data)
    except OSError as error:
        raise _not_written(path, error) from None


def _read(path: Path, hider: Hider) -> dict[int, OpeningBound]:
    """Return what a file says of the openings, or nothing; one that is damaged is an error, one of other weights not.

    Nothing in it is proved by its checksum: that only tells whether it was damaged.
    """
    from oracular.bounds.opening import OpeningBound

    try:
        digest, body, rest = files.read_bytes(path, MOST_BYTES).decode().split("\n")
        data = files.parse_json(body)
        if rest or hashlib.sha256(body.encode()).hexdigest() != digest:
            raise ValueError
        rows = _checked_rows(data)
        sha256 = data["weights_sha256"]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RunError(f"{quoted(path)} cannot be read ({error.strerror}): mend that, then try again") from None
    except (ValueError, KeyError, TypeError):
        raise _damaged(path) from None
    if sha256 != weights_sha256(hider):
        return {}  # the run has gone on, and its hider with it
    return {opening: OpeningBound(bound, opening, plies) for opening, bound, plies in rows}


def _checked_rows(data: dict[str, Any]) -> list[list[int]]:
    """Return the rows of a file of bounds, or raise `ValueError` where they are none or an opening is there twice."""
    rows: list[list[int]] = data["openings"]
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or not all(type(number) is int for number in row):
            raise ValueError("no row of a bound")
    if len({opening for opening, _, _ in rows}) != len(rows):
        raise ValueError("an opening twice")
    return rows


def _damaged(path: Path) -> RunError:
    return RunError(f"{quoted(path)} is damaged or was edited: remove it to prove its bounds again")


def _not_written(path: Path, error: OSError) -> RunError:
    return RunError(f"{quoted(path)} cannot be written ({error.strerror}): mend that, then certify again")
