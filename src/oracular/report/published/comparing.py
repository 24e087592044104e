"""Our figure for a row, with proof or bounds, and what it says of the published one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from tempfile import TemporaryDirectory

import numpy as np

from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.report.published.limited import limited_totals
from oracular.report.published.rows import Quantity, Row
from oracular.responses.exact import BestResponse, best_response
from oracular.responses.limits import SearchProgress
from oracular.runs.drive import solve
from oracular.runs.limits import Observer, Progress
from oracular.runs.whole_response import WholeResponse, whole_response
from oracular.strategies.hider import Hider, hider_uniform
from oracular.system.deadline import Deadline

Note = Callable[[str], None]
Stop = Callable[[], bool]


class Verdict(Enum):
    """What our figure says of a published one."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    WITHIN = "within our bounds"
    ALONE = "ours alone"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class Finding:
    """Our figure for a row: the truth is proved to lie between the bounds.

    Attributes:
        lower, upper: the bounds; equal where the figure is proved.
        seconds: how long that took, the loading of code left out.
        cores: how many cores the process might use.
        target: for a hider, the value of the game, which it is to guarantee.
    """

    lower: Fraction
    upper: Fraction
    seconds: float
    cores: int
    target: Fraction | None = None

    @property
    def proved(self) -> bool:
        """Whether the figure is proved."""
        return self.lower == self.upper

    def says_more_than(self, other: Finding) -> bool:
        """Return whether these bounds are narrower than others, and inside them."""
        inside = other.lower <= self.lower and self.upper <= other.upper
        return inside and (self.lower, self.upper) != (other.lower, other.upper)


def verdict(row: Row, found: Finding) -> Verdict:
    """Return what our figure says of the published one."""
    if row.differs:
        return Verdict.NOT_COMPARED
    low, high = found.lower, found.upper
    if row.numerator:  # some fraction with this numerator lies between the bounds
        least, most = -(-row.numerator * high.denominator // high.numerator), row.numerator // low
        fits = low.numerator == row.numerator if found.proved else least <= most
    else:
        published = found.target if row.quantity is Quantity.HIDER else row.published
        if published is None:
            return Verdict.ALONE
        fits = low <= published <= high
    if not fits:
        return Verdict.DISAGREES
    return Verdict.AGREES if found.proved else Verdict.WITHIN


def _quiet(_: str) -> None:
    """Ignore a note."""


def compare(row: Row, seconds: float | None = None, note: Note = _quiet, stop: Stop = lambda: False) -> Finding:
    """Return our figure for a row, worked out now, within so many seconds where they are given."""
    game = game_of_row(row)
    warm_up(row)
    began = time.monotonic()
    if row.quantity is Quantity.VALUE:
        low, high = _value(game, seconds, note, stop)
        return Finding(low, high, _since(began), cores())
    if row.quantity is Quantity.HIDER:
        weights = np.array([row.hider[len(set(secret)) - 1] for secret in game.secrets], dtype=np.int64)
        response = _response(row, Hider(game, weights), seconds, note, stop)
        target = _value(game, seconds, note, stop)
        assert target[0] == target[1]  # such rows are of small games
        return Finding(response.lower, response.upper, _since(began), cores(), target[0])
    if row.by_openings or row.most_guesses:
        low, high = _limited(row, hider_uniform(game), seconds, note, stop)
        return Finding(low, high, _since(began), cores())
    response = _response(row, hider_uniform(game), seconds, note, stop)
    low, high = response.lower, response.upper
    if row.quantity is Quantity.MEAN_OF_WORST:
        assert response.mean is not None and response.mean_lower is not None
        low, high = response.mean_lower, response.mean
    elif row.quantity is Quantity.GREEDY:
        low = high  # what a tree needs is known exactly
    return Finding(low, high, _since(began), cores())


def _since(began: float) -> float:
    """Return the seconds since a moment, rounded as they are kept."""
    return round(time.monotonic() - began, 3)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def game_of_row(row: Row) -> Game:
    """Return the game of a row; `number-7` is guessing a number from 1 to 7, where the answer is higher or lower."""
    family, _, size = row.game.partition("-")
    if family != "number":
        return game_of_name(row.game)
    numbers = [str(number) for number in range(1, int(size) + 1)]

    def answer(guess: str, secret: str) -> str:
        return "yes" if guess == secret else "higher" if int(secret) > int(guess) else "lower"

    return Game.from_function(numbers, numbers, answer, name=row.game)


def warm_up(row: Row) -> None:
    """Load the code that a row needs, and compile it the first time: that is counted in no row's time."""
    tiny = game_of_name("mastermind-2x2")
    if row.quantity is Quantity.VALUE:
        solve(tiny, solver="exact")
    elif row.quantity in (Quantity.WORST, Quantity.MEAN_OF_WORST):
        best_response(tiny, hider_uniform(tiny), objective="worst")
    else:
        best_response(tiny, hider_uniform(tiny))


def _response(row: Row, hider: Hider, seconds: float | None, note: Note, stop: Stop) -> BestResponse:
    """Return the best response to a hider, as the row asks for it."""

    def watch(search: SearchProgress) -> None:
        note(f"{search.lower:.4f} ≤ best ≤ {search.upper:.4f}")

    worst = row.quantity in (Quantity.WORST, Quantity.MEAN_OF_WORST)
    return best_response(
        hider.game,
        hider,
        objective="worst" if worst else "mean",
        opening=row.opening or None,
        exact=row.quantity is not Quantity.GREEDY,
        time_limit=seconds,
        watcher=watch,
        stop=stop,
    )


def _limited(row: Row, hider: Hider, seconds: float | None, note: Note, stop: Stop) -> tuple[Fraction, Fraction]:
    """Return the bounds on the best response to a uniform hider, with the limit of guesses that the row may have."""
    deadline = Deadline.after(seconds)
    searched = (
        _by_openings(hider, seconds, note, stop) if row.by_openings else _response(row, hider, seconds, note, stop)
    )
    if not row.most_guesses or stop():
        return searched.lower, searched.upper if not row.most_guesses else Fraction(len(hider.game.secrets))
    note(f"with at most {row.most_guesses} guesses")
    ends = limited_totals(hider.game, searched.tree, row.most_guesses, int(searched.lower * hider.total), deadline)
    low = searched.lower if row.by_openings else Fraction(ends[0], hider.total)  # other openings have no such limit yet
    return low, Fraction(ends[1], hider.total)


def _by_openings(hider: Hider, seconds: float | None, note: Note, stop: Stop) -> WholeResponse:
    """Return the best response to a hider, from a search over all openings; nothing of it is kept."""

    def watch(at: WholeResponse) -> None:
        note(
            f"{float(at.lower):.4f} ≤ best ≤ {float(at.upper):.4f}, {at.refuted:,} of {at.openings:,} openings refuted"
        )

    with TemporaryDirectory(prefix="oracular-") as folder:
        return whole_response(hider, folder, time_limit=seconds, stop=stop, progress=watch)


def _value(game: Game, seconds: float | None, note: Note, stop: Stop) -> tuple[Fraction, Fraction]:
    """Return the bounds on the value of a game."""

    def watch(step: Progress) -> None:
        note(f"value ≤ {step.best.guarantee:.4f}" if hasattr(step.best, "guarantee") else "solving")

    solution = solve(game, solver="exact", time_limit=seconds, observer=Observer(step=watch, stop=stop))
    return solution.bound or Fraction(1), solution.guarantee
