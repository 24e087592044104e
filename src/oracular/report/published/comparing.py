"""Our figure for a row, with proof or bounds, and what it says of the published one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from tempfile import TemporaryDirectory

import numpy as np

from oracular.errors import OutOfTimeError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.report.published.rows import Quantity, Row, listed_openings
from oracular.responses.exact import BestResponse, best_response
from oracular.responses.limits import SearchProgress
from oracular.responses.planned_start import load_planner
from oracular.runs.drive import solve
from oracular.runs.limits import Observer, Progress
from oracular.runs.whole_response import WholeResponse, whole_response
from oracular.strategies.hider import Hider, hider_uniform
from oracular.system.deadline import Deadline
from oracular.system.memory import cores

SHARE = 0.8
"""The part of a limited time for the search over all openings; the rest is for trees within a limit."""

LEAST_SECONDS = 1.0
"""The best opening's tree within a limit is searched for at least so long, however little time is left."""

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

    def after(self, before: Finding) -> Finding:
        """Return what is known with an earlier finding: the better of both bounds, or this where they contradict it."""
        ends = max(self.lower, before.lower), min(self.upper, before.upper)
        if ends[0] > ends[1] or ends == (self.lower, self.upper):
            return self
        if ends == (before.lower, before.upper):
            return before
        return replace(self, lower=ends[0], upper=ends[1], seconds=round(self.seconds + before.seconds, 3))


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
    """Return our figure for a row, worked out now, within so many seconds where they are given.

    Raises `OutOfTimeError` for a published hider where it is stopped before the value of the game is proved.
    """
    game = game_of_row(row)
    warm_up(row, game)
    began = time.monotonic()
    if row.quantity is Quantity.VALUE:
        low, high = _value(game, seconds, note, stop)
        return Finding(low, high, _since(began), cores())
    if row.quantity is Quantity.HIDER:
        weights = np.array([row.hider[len(set(secret)) - 1] for secret in game.secrets], dtype=np.int64)
        response = _response(row, Hider(game, weights), seconds, note, stop)
        low, high = _value(game, seconds, note, stop)
        if low != high:
            raise OutOfTimeError(f"the value of {game.name}, which the hider is to guarantee, was not proved")
        return Finding(response.lower, response.upper, _since(began), cores(), low)
    if row.by_openings:
        low, high = _by_openings(row, hider_uniform(game), seconds, note, stop)
        return Finding(low, high, _since(began), cores())
    response = _response(row, hider_uniform(game), seconds, note, stop)
    low, high = response.lower, response.upper
    if row.quantity is Quantity.MEAN_OF_WORST:
        low, high = mean_within(response, row.most_guesses)
    elif row.quantity is Quantity.GREEDY:
        low = high  # what a tree needs is known exactly
    return Finding(low, high, _since(began), cores())


def _since(began: float) -> float:
    """Return the seconds since a moment, rounded as they are kept."""
    return round(time.monotonic() - began, 3)


def game_of_row(row: Row) -> Game:
    """Return the game of a row; `number-7` is guessing a number from 1 to 7, where the answer is higher or lower."""
    family, _, size = row.game.partition("-")
    if family != "number":
        return game_of_name(row.game)
    numbers = [str(number) for number in range(1, int(size) + 1)]

    def answer(guess: str, secret: str) -> str:
        return "yes" if guess == secret else "higher" if int(secret) > int(guess) else "lower"

    return Game.from_function(numbers, numbers, answer, name=row.game)


def warm_up(row: Row, game: Game) -> None:
    """Load the code that a row needs, and compile it the first time: that is counted in no row's time."""
    tiny = game_of_name("mastermind-2x2")
    if row.quantity in (Quantity.VALUE, Quantity.HIDER):
        solve(tiny, solver="exact")
    if row.quantity in (Quantity.WORST, Quantity.MEAN_OF_WORST) or row.most_guesses:
        best_response(tiny, hider_uniform(tiny), objective="worst")
    if row.quantity in (Quantity.MEAN, Quantity.HIDER, Quantity.GREEDY):
        best_response(tiny, hider_uniform(tiny))
    if row.quantity is not Quantity.GREEDY:
        load_planner(game)


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


def mean_within(response: BestResponse, most: int = 0) -> tuple[Fraction, Fraction]:
    """Return bounds on the least mean of trees that need at most so many guesses, or (0) as few as can be at worst.

    Args:
        response: a best response for the objective `worst`, proved or not; it is about trees of up to `upper` guesses.
        most: the limit of guesses, which some tree keeps to.
    """
    assert response.mean is not None and response.mean_lower is not None
    fewest = most or response.upper
    low = response.mean_lower if fewest <= response.upper else Fraction(1)
    reached = response.upper <= (most or response.lower)
    return low, response.mean if reached else Fraction(fewest)  # no mean is above the worst case


def _by_openings(row: Row, hider: Hider, seconds: float | None, note: Note, stop: Stop) -> tuple[Fraction, Fraction]:
    """Return bounds on the best response to a hider, from a search over all openings; nothing of it is kept.

    Where the row has a limit of guesses, the lower bound is of trees without it, and the upper one of a tree within it.
    That begins with the best opening of trees without it, or with one that has a row of its own.
    """

    def watch(at: WholeResponse) -> None:
        note(
            f"{float(at.lower):.4f} ≤ best ≤ {float(at.upper):.4f}, {at.refuted:,} of {at.openings:,} openings refuted"
        )

    deadline = Deadline.after(seconds)
    share = None if seconds is None else seconds * (SHARE if row.most_guesses else 1)
    with TemporaryDirectory(prefix="oracular-") as folder:
        found = whole_response(hider, folder, time_limit=share, stop=stop, progress=watch)
    if not row.most_guesses:
        return found.lower, found.upper
    best = hider.game.guesses[found.tree.guess(hider.game.all_secrets)]
    openings = list(dict.fromkeys([best, *listed_openings(row)]))
    uppers: list[Fraction] = []
    for number, opening in enumerate(openings):
        if number and (deadline.passed or stop()):
            break
        part = None if seconds is None else deadline.left / (len(openings) - number)
        left = part if part is None or number else max(part, LEAST_SECONDS)
        limited = replace(row, quantity=Quantity.MEAN_OF_WORST, opening=opening)
        uppers.append(mean_within(_response(limited, hider, left, note, stop), row.most_guesses)[1])
    return found.lower, min(uppers)


def _value(game: Game, seconds: float | None, note: Note, stop: Stop) -> tuple[Fraction, Fraction]:
    """Return the bounds on the value of a game."""

    def watch(step: Progress) -> None:
        note(f"value ≤ {step.best.guarantee:.4f}" if hasattr(step.best, "guarantee") else "solving")

    solution = solve(game, solver="exact", time_limit=seconds, observer=Observer(step=watch, stop=stop))
    return solution.bound or Fraction(1), solution.guarantee
