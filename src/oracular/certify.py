"""Proved bounds on the value of a game from a run: the guesser's guarantee above, a hider's proved worth below.

The upper bound is the guarantee of the run's mixture, exact. The lower bound is a proved bound on what any guesser
needs against a hider: the run's own, or the uniform one, whichever is asked for; any hider's will do, since the value
is at least what one hider can make sure of. What is proved is kept in the run's folder, opening by opening, and only
ever rises.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from oracular.errors import ClusterError, RunError, SettingsError
from oracular.responses.benchmark import hider_uniform
from oracular.solve import Solution, interrupts, load_run
from oracular.strategy import Hider

if TYPE_CHECKING:
    from oracular.cluster import Cluster
    from oracular.responses.certification import Certification, OpeningBound

WhichHider: TypeAlias = Literal["uniform", "run"]


@dataclass(frozen=True)
class Bounds:
    """What is proved of a game's value.

    Attributes:
        lower: no guesser can hold the best hider below this.
        upper: no hider can make the run's guesser need more than this.
        hider: which hider proves the lower bound: `uniform`, or the `run`'s.
        opening: the opening whose bound is the weakest.
        plies: how many guesses deep it was searched.
        seconds: how long this call searched.
    """

    lower: Fraction
    upper: Fraction
    hider: WhichHider
    opening: str
    plies: int
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether the value itself is proved."""
        return self.lower == self.upper


def certify(
    folder: str | Path,
    *,
    time_limit: float = 600.0,
    hider: WhichHider = "uniform",
    threads: int | None = None,
    cluster: Cluster | None = None,
    watcher: Callable[[Bounds], None] | None = None,
) -> Bounds:
    """Return proved bounds on the value of a run's game, raising the lower one for so many seconds.

    Args:
        folder: the run's folder; what is proved is kept there and gone on with.
        time_limit: how many seconds to search.
        hider: whose strategy is to prove the lower bound: the `uniform` one or the `run`'s.
        threads: how many openings to search at a time; as many as there are cores by default.
        cluster: workers that search the openings instead of threads (`oracular.cluster.connect`).
        watcher: called a few times a second.
    """
    from oracular.responses.certification import Certification

    if not 0 < time_limit < float("inf"):
        raise SettingsError(f"a time of {time_limit} seconds asked for: give a number above 0")
    solution = load_run(folder)
    strategy = hider_uniform(solution.game) if hider == "uniform" else solution.hider
    path = Path(folder) / f"certification-{hider}.json"
    certification = Certification(strategy, _read(path, strategy))
    workers = threads or os.cpu_count() or 1
    saved = 0.0

    def tell(state: Certification, seconds: float) -> None:
        nonlocal saved
        if seconds - saved >= 2:
            _write(path, state)
            saved = seconds
        if watcher is not None:
            watcher(_bounds(state, solution, hider, seconds))

    searches = None
    if cluster is not None:
        from oracular.cluster.searches import ClusterSearches

        searches = ClusterSearches(strategy, cluster)
    with interrupts() as interrupted:
        try:
            seconds = certification.run(time_limit, workers, tell, interrupted, searches)
        except ClusterError:
            _write(path, certification)  # what was proved before the cluster was lost is proved
            raise
    _write(path, certification)
    return _bounds(certification, solution, hider, seconds)


def _bounds(state: Certification, solution: Solution, hider: WhichHider, seconds: float) -> Bounds:
    weakest = state.weakest
    opening = solution.game.guesses[weakest.opening]
    if solution.lower is not None and solution.lower > state.lower:  # an exact run has proved more by itself
        return Bounds(solution.lower, solution.guarantee, "run", opening, weakest.plies, seconds)
    return Bounds(state.lower, solution.guarantee, hider, opening, weakest.plies, seconds)


def weights_sha256(hider: Hider) -> str:
    """Return the hash of a hider's weights and game."""
    game = hider.game
    text = f"{game.name} {game.words_sha256} {game.answers_sha256} {' '.join(map(str, hider.weights.tolist()))}"
    return hashlib.sha256(text.encode()).hexdigest()


def _write(path: Path, state: Certification) -> None:
    """Keep what is proved, replacing the file at once."""
    rows = [[bound.opening, bound.bound, bound.plies] for bound in state.bounds.values()]
    body = json.dumps({"weights_sha256": weights_sha256(state.hider), "openings": rows})
    beside = path.with_name(path.name + ".tmp")
    try:
        beside.write_text(f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise RunError(f"{str(path)!r} cannot be written ({error.strerror}): mend that, then certify again") from None


def _read(path: Path, hider: Hider) -> dict[int, OpeningBound]:
    """Return what was proved before, or nothing; a file that is damaged, or of other weights, is an error."""
    from oracular.responses.certification import OpeningBound

    if not path.exists():
        return {}
    try:
        digest, body, _ = path.read_text(encoding="utf-8").split("\n")
        data = json.loads(body)
        if hashlib.sha256(body.encode()).hexdigest() != digest:
            raise ValueError
    except (OSError, ValueError):
        raise RunError(f"{str(path)!r} is damaged or was edited: remove it to prove its bounds again") from None
    if data["weights_sha256"] != weights_sha256(hider):
        return {}  # the run has gone on, and its hider with it
    return {opening: OpeningBound(bound, opening, plies) for opening, bound, plies in data["openings"]}
