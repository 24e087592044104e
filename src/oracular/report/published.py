"""Published results about guessing games, and ours beside them: `published.toml` has the rows, this compares them.

Each row is worked out by the public functions (`solve`, `best_response`, `whole_response`), and all comparisons are of
exact fractions. The page docs/published.md is written from the figures, which are kept in JSON beside it: no number of
ours in its tables is typed by hand.
"""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from oracular.errors import OutOfTimeError, SettingsError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.planner.start import load_planner
from oracular.runs.drive import Progress, solve
from oracular.runs.whole_response import WholeResponse, whole_response
from oracular.search.best_response import BestResponse, best_response
from oracular.strategies.hider import Hider, hider_uniform
from oracular.system.control import UNLIMITED, Control, Deadline
from oracular.system.files import (
    duration,
    parse_json,
    quoted,
    read_as,
    read_bytes,
    write_whole,
)
from oracular.system.memory import cores

DATA = tomllib.loads((files(__package__) / "published.toml").read_text(encoding="utf-8"))
"""The text of the page, the sections with their rows, and the sources; the file describes its keys."""

QUANTITIES: Mapping[str, str] = DATA["quantities"]
"""What a row can be about, and how people read it."""

SOURCES: Mapping[str, Mapping[str, str]] = {source["short"]: source for source in DATA["source"]}
"""The publications, by author and year."""

SHARE = 0.8
"""The part of a limited time for the search over all openings; the rest is for trees within a limit."""

LEAST_SECONDS = 1.0
"""The best opening's tree within a limit is searched for at least this long, however little time is left."""

MOST_BYTES = 1 << 20
"""A larger file does not hold figures of the page."""

HEAD = "| game | published | source | ours | proved | verdict | time | command |\n" + "| --- " * 8 + "|\n"


class Verdict(StrEnum):
    """What our figure says of a published one."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    WITHIN = "within our bounds"
    ALONE = "ours alone"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class Row:
    """One published result, as in `published.toml`."""

    section: str
    game: str
    quantity: str
    value: str
    source: str
    name: str = ""
    opening: str = ""
    most_guesses: int = 0
    hider: Sequence[int] = ()
    denominator: int = 0
    long: bool = False
    by_openings: bool = False
    compared: bool = True

    def __post_init__(self) -> None:
        part = f"opening-{self.opening}" if self.opening else self.quantity
        object.__setattr__(self, "name", self.name or f"{self.game}-{part}")

    @property
    def numerator(self) -> int:
        """The numerator, if only that is published, or 0."""
        return int(self.value[:-2]) if self.value.endswith("/…") else 0

    @property
    def published(self) -> Fraction | None:
        """The published figure, or None if we have not seen it."""
        text = self.value.split(" = ")[-1]
        return Fraction(text) if text[0].isdigit() and not self.numerator else None

    @property
    def out_of(self) -> int:
        """The denominator over which our fraction is shown, or 0 for its lowest terms."""
        _, _, below = self.value.split(" = ")[-1].partition("/")
        return self.denominator or (int(below) if below.isdigit() else 0)

    @property
    def worst_first(self) -> bool:
        """Whether trees are compared by their worst case first."""
        return self.quantity in ("worst", "mean-of-worst")

    @property
    def command(self) -> str:
        """The command that works out our figure alone, however long that takes."""
        if self.game.startswith("number-"):
            return f"oracular published {self.game}"
        if self.quantity == "hider" or (self.most_guesses and self.by_openings):
            return f"oracular published {self.name}"
        if self.quantity == "equilibrium":
            return f"oracular solve {self.game} --solver exact"
        opening = f" --opening {self.opening}" if self.opening else ""
        objective = " --objective worst" if self.worst_first else ""
        greedy = " --greedy" if self.quantity == "greedy" else ""
        out = f" --out runs/{self.game}" if self.by_openings else ""
        return f"oracular respond {self.game}{opening}{objective}{greedy}{out}"


ROWS = tuple(Row(section["title"], **row) for section in DATA["section"] for row in section["rows"])
"""All rows, by their sections."""


@dataclass(frozen=True)
class Figure:
    """Our figure for a row: the truth is proved to lie between the bounds.

    Attributes:
        lower, upper: the bounds; equal if the figure is proved.
        seconds: how long that took, without the loading of code.
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

    def after(self, before: Figure) -> Figure:
        """Return the better of both bounds of this figure and an earlier one, or this if they contradict each other."""
        ends = max(self.lower, before.lower), min(self.upper, before.upper)
        if ends[0] > ends[1] or ends == (self.lower, self.upper):
            return self
        if ends == (before.lower, before.upper):
            return before
        return replace(self, lower=ends[0], upper=ends[1], seconds=round(self.seconds + before.seconds, 3))


Figures = Mapping[str, Figure]
"""Figures by the names of their rows."""


def known_names() -> list[str]:
    """Return the names that pick rows: families of games, games, and rows."""
    families = [row.game.split("-")[0] for row in ROWS]
    return list(dict.fromkeys([*families, *(row.game for row in ROWS), *(row.name for row in ROWS)]))


def picked(names: Sequence[str], with_long: bool) -> list[Row]:
    """Return the rows that names stand for: a row, a game, or a family of games; without names all, or the quick ones.

    A row that is named is included however long it takes.
    """
    if not names:
        return [row for row in ROWS if with_long or not row.long]
    chosen: list[Row] = []
    for name in names:
        text = name.strip().lower()
        found = [row for row in ROWS if row.name == text] or [row for row in ROWS if row.name.startswith(f"{text}-")]
        if not found:
            near = get_close_matches(text, known_names(), n=1)
            remedy = f"did you mean {quoted(near[0])}?" if near else "'oracular published --list' shows them"
            raise SettingsError(f"{quoted(name)} is no row, and no game that has one: {remedy}")
        chosen += [row for row in found if row not in chosen]
    return chosen


def game_of_row(row: Row) -> Game:
    """Return the game of a row; `number-7` is guessing a number from 1 to 7, where the answer is higher or lower."""
    family, _, size = row.game.partition("-")
    if family != "number":
        return game_of_name(row.game)
    numbers = [str(number) for number in range(1, int(size) + 1)]

    def answer(guess: str, secret: str) -> str:
        return "yes" if guess == secret else "higher" if int(secret) > int(guess) else "lower"

    return Game.from_function(numbers, numbers, answer, name=row.game)


def verdict(row: Row, ours: Figure) -> Verdict:
    """Return what our figure says of the published one."""
    if not row.compared:
        return Verdict.NOT_COMPARED
    low, high = ours.lower, ours.upper
    if row.numerator:  # some fraction with this numerator lies between the bounds
        least, most = -(-row.numerator * high.denominator // high.numerator), row.numerator // low
        fits = low.numerator == row.numerator if ours.proved else least <= most
    else:
        published = ours.target if row.quantity == "hider" else row.published
        if published is None:
            return Verdict.ALONE
        fits = low <= published <= high
    if not fits:
        return Verdict.DISAGREES
    return Verdict.AGREES if ours.proved else Verdict.WITHIN


def compare(row: Row, seconds: float | None = None, control: Control[str] = UNLIMITED) -> Figure:
    """Return our figure for a row, worked out now, in at most this many seconds if they are given.

    Raises `OutOfTimeError` for a published hider if it is stopped before the value of the game is proved.
    """
    game = game_of_row(row)
    _warm_up(row, game)
    began = time.monotonic()
    target = None
    if row.quantity == "equilibrium":
        low, high = _value(game, seconds, control)
    elif row.by_openings:
        low, high = _by_openings(row, hider_uniform(game), seconds, control)
    else:
        hider = hider_uniform(game)
        if row.quantity == "hider":
            hider = Hider(game, np.array([row.hider[len(set(secret)) - 1] for secret in game.secrets], np.int64))
        response = _response(row, hider, seconds, control)
        low, high = response.lower, response.upper
        if row.quantity == "hider":
            target, above = _value(game, seconds, control)
            if target != above:
                raise OutOfTimeError(f"the value of {game.name}, which the hider is to guarantee, was not proved")
        elif row.quantity == "mean-of-worst":
            low, high = mean_within(response, row.most_guesses)
        elif row.quantity == "greedy":
            low = high  # the cost of a tree is known exactly
    return Figure(low, high, round(time.monotonic() - began, 3), cores(), target)


def _warm_up(row: Row, game: Game) -> None:
    """Load the code that a row needs, and compile it the first time: no row's time includes that."""
    tiny = game_of_name("mastermind-2x2")
    if row.quantity in ("equilibrium", "hider"):
        solve(tiny, solver="exact")
    if row.worst_first or row.most_guesses:
        best_response(tiny, hider_uniform(tiny), objective="worst")
    if row.quantity in ("mean", "hider", "greedy"):
        best_response(tiny, hider_uniform(tiny))
    if row.quantity != "greedy":
        load_planner(game)


def _response(row: Row, hider: Hider, seconds: float | None, control: Control[str]) -> BestResponse:
    """Return the best response to a hider of the kind that the row is about."""
    return best_response(
        hider.game,
        hider,
        objective="worst" if row.worst_first else "mean",
        opening=row.opening or None,
        exact=row.quantity != "greedy",
        time_limit=seconds,
        watcher=lambda search: control.report(f"{search.lower:.4f} ≤ best ≤ {search.upper:.4f}"),
        stop=control.cancelled,
    )


def _value(game: Game, seconds: float | None, control: Control[str]) -> tuple[Fraction, Fraction]:
    """Return the bounds on the value of a game."""

    def progress(step: Progress) -> None:
        control.report(f"value ≤ {step.best.guarantee:.4f}" if hasattr(step.best, "guarantee") else "solving")

    solution = solve(game, solver="exact", time_limit=seconds, stop=control.cancelled, progress=progress)
    return solution.bound or Fraction(1), solution.guarantee


def mean_within(response: BestResponse, most: int = 0) -> tuple[Fraction, Fraction]:
    """Return bounds on the least mean of trees that need at most `most` guesses, or (0) as few as possible at worst.

    Args:
        response: a best response for the objective `worst`, proved or not; it is about trees of up to `upper` guesses.
        most: the limit of guesses, which some tree keeps to.
    """
    assert response.mean is not None and response.mean_lower is not None
    fewest = most or response.upper
    low = response.mean_lower if fewest <= response.upper else Fraction(1)
    reached = response.upper <= (most or response.lower)
    return low, response.mean if reached else Fraction(fewest)  # no mean is above the worst case


def _by_openings(row: Row, hider: Hider, seconds: float | None, control: Control[str]) -> tuple[Fraction, Fraction]:
    """Return bounds on the best response to a hider, from a search over all openings; nothing of it is saved.

    If the row has a limit of guesses, the lower bound is of trees without it, and the upper one of a tree within it
    that begins with the best opening of trees without it, or with one that has a row of its own.
    """

    def progress(at: WholeResponse) -> None:
        control.report(
            f"{float(at.lower):.4f} ≤ best ≤ {float(at.upper):.4f}, {at.refuted:,} of {at.openings:,} openings refuted"
        )

    deadline = Deadline.after(seconds)
    share = None if seconds is None else seconds * (SHARE if row.most_guesses else 1)
    with TemporaryDirectory(prefix="oracular-") as folder:
        found = whole_response(hider, folder, time_limit=share, stop=control.cancelled, progress=progress)
    if not row.most_guesses:
        return found.lower, found.upper
    best = hider.game.guesses[found.tree.guess(hider.game.all_secrets)]
    openings = list(dict.fromkeys([best, *listed_openings(row)]))
    uppers: list[Fraction] = []
    for number, opening in enumerate(openings):
        if number and (deadline.passed or control.cancelled()):
            break
        part = None if seconds is None else deadline.left / (len(openings) - number)
        left = part if part is None or number else max(part, LEAST_SECONDS)
        limited = replace(row, quantity="mean-of-worst", opening=opening)
        uppers.append(mean_within(_response(limited, hider, left, control), row.most_guesses)[1])
    return found.lower, min(uppers)


def listed_openings(row: Row) -> list[str]:
    """Return the openings that have rows of their own, in the same game and with the same limit of guesses."""
    like = row.game, row.most_guesses
    return [other.opening for other in ROWS if other.opening and (other.game, other.most_guesses) == like]


def as_data(row: Row, ours: Figure | None) -> dict[str, Any]:
    """Return a row with our figure as plain data."""
    data: dict[str, Any] = {
        "name": row.name,
        "game": row.game,
        "quantity": QUANTITIES[row.quantity],
        "opening": row.opening or None,
        "published": None if row.published is None else str(row.published),
        "printed": row.value,
        "source": SOURCES[row.source]["full"],
        "long": row.long,
        "command": command(row, ours),
    }
    if ours is not None:
        data |= {
            "lower": str(ours.lower),
            "upper": str(ours.upper),
            "proved": ours.proved,
            "verdict": verdict(row, ours).value,
            "seconds": ours.seconds,
        }
    return data


def command(row: Row, ours: Figure | None) -> str:
    """Return the command that works out our figure alone; for as long as it took, if the search did not end."""
    return row.command if ours is None or ours.proved else f"{row.command} --time {ours.seconds:.0f}"


def read_figures(path: Path) -> dict[str, Figure]:
    """Return the figures in a file, each checked but not proved by that; without the file, an empty dictionary.

    Figures of rows that no longer exist are left out.
    """
    if not path.exists():
        return {}
    known = {row.name for row in ROWS}
    try:
        entries = read_as(dict[str, Any], parse_json(read_bytes(path, MOST_BYTES)))
        figures: dict[str, Figure] = read_as(
            dict[str, Figure], {name: entries[name] for name in entries.keys() & known}
        )
        if any(not 0 < ours.lower <= ours.upper for ours in figures.values()):
            raise ValueError("bounds that cross")
        return figures
    except (ValueError, OSError) as error:
        raise SettingsError(
            f"{quoted(path)} holds no figures of this page ({error}): remove it, or restore it"
        ) from None


def written_figures(figures: Figures) -> bytes:
    """Return figures as the content of their file, a line for each row."""
    lines = []
    for row in ROWS:
        if (ours := figures.get(row.name)) is not None:
            entry: dict[str, Any] = {"lower": str(ours.lower), "upper": str(ours.upper)}
            entry |= {"seconds": ours.seconds, "cores": ours.cores}
            entry |= {} if ours.target is None else {"target": str(ours.target)}
            lines.append(f"{json.dumps(row.name)}: {json.dumps(entry)}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def check_place(path: Path) -> None:
    """Raise an error unless the page can be written there, and the file of figures beside it is valid or missing."""
    if path.suffix != ".md" or not path.parent.is_dir() or path.is_dir():
        raise SettingsError(f"{quoted(path)} is no place for the page: give a file .md in a folder that exists")
    read_figures(path.with_suffix(".json"))


def write_page(path: Path, now: Figures) -> dict[str, Figure]:
    """Write the page and the figures beside it, and return them: of a row with an earlier figure, the better bounds."""
    check_place(path)
    beside = path.with_suffix(".json")
    before = read_figures(beside)
    together = before | {name: ours.after(before[name]) if name in before else ours for name, ours in now.items()}
    write_whole(beside, written_figures(together))
    write_whole(path, page(together).encode())
    return together


def page(figures: Figures) -> str:
    """Return the text of the page."""
    parts = [DATA["page"]["introduction"], _summary(figures), DATA["page"]["earlier_work"]]
    for section in DATA["section"]:
        lines = [_line(row, figures.get(row.name)) for row in ROWS if row.section == section["title"]]
        parts.append(f"## {section['title']}\n\n{section['note']}\n{HEAD}{''.join(lines)}")
    entries = [f"- **{name}**: {source['full']}.{_sentence(source.get('seen'))}" for name, source in SOURCES.items()]
    parts.append("## Sources\n\n" + "\n".join(entries) + "\n")
    return "\n".join(parts)


def _sentence(text: str | None) -> str:
    """Return a text as a sentence that follows another one."""
    return f" {text[0].upper()}{text[1:]}." if text else ""


def _summary(figures: Figures) -> str:
    """Return how many rows there are of each verdict, and on what machine."""
    verdicts = [verdict(row, figures[row.name]) for row in ROWS if row.name in figures]
    missing = len(ROWS) - len(verdicts)
    without = f", not run yet {missing}" if missing else ""
    numbers = sorted({ours.cores for ours in figures.values()})
    machine = f" Times are wall-clock times on {' or '.join(map(str, numbers))} cores." if numbers else ""
    return f"There are {len(ROWS)} rows: {tally(verdicts)}{without}.{machine}\n"


def tally(verdicts: Sequence[Verdict]) -> str:
    """Return how often each verdict was given, in words."""
    return ", ".join(f"{kind} {verdicts.count(kind)}" for kind in Verdict if kind in verdicts) or "none run"


def _line(row: Row, ours: Figure | None) -> str:
    """Return a row of the page's table."""
    name = f"{row.game}{f', first guess *{row.opening}*' if row.opening else ''}"
    if row.game == "wordle-hard":
        name += f", at most {row.most_guesses} guesses" if row.most_guesses else ", no limit of guesses"
    if row.quantity in ("mean-of-worst", "hider", "greedy") and not row.most_guesses:
        name += f": {QUANTITIES[row.quantity]}"
    elif row.game.startswith("bulls-") and row.quantity == "worst":
        name += ": worst case"
    cells = [name, row.value, row.source]
    if ours is None:
        cells += ["", "", "not run yet", ""]
    else:
        said = verdict(row, ours)
        proved = "yes" if ours.proved else "no"
        cells += [shown(row, ours), proved, f"**{said}**" if said == "disagrees" else said, duration(ours.seconds)]
    return f"| {' | '.join([*cells, f'`{command(row, ours)}`'])} |\n"


def shown(row: Row, ours: Figure) -> str:
    """Return our figure for people: a fraction, with decimals if the published one has some, or the bounds."""
    if ours.proved:
        decimals = f"{float(ours.lower):.3f} = " if "." in row.value else ""
        return f"{decimals}{_fraction(ours.lower, row.out_of)}"
    low, high = (_fraction(bound, row.out_of) for bound in (ours.lower, ours.upper))
    return f"{low} to {high} ({float(ours.lower):.4f} to {float(ours.upper):.4f})"


def _fraction(value: Fraction, out_of: int) -> str:
    """Return a fraction as text, over another denominator than its own if that is given and fits."""
    if out_of and (value * out_of).denominator == 1:
        return f"{value * out_of}/{out_of}"
    return str(value)
