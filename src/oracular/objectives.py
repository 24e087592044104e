"""What a guesser is worth: a function of the number of guesses that it takes to find the secret.

    mean       the expected number of guesses, as in the paper; less is better
    within-k   the chance to have found the secret in k guesses; more is better
    worst      the number of guesses that always suffices, over all secrets; less is better
    table      a utility for each number of guesses, the same for all secrets or one for each; more is better

Solvers and searches know one form of them all: the *loss* of finding a secret at guess 1, 2, …, a whole number of 0 or
more that never falls from one guess to the next, and is the same for all guesses after the last that is listed. The
small side of the game, which hides, wants the loss to be large. For the mean the loss is the number of guesses itself.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game, frozen
from oracular.system.counting import counted
from oracular.system.files import cut, parse_json, quoted, read_bytes

MOST_COLUMNS = 255
"""A table tells the utility of at most so many guesses."""

LARGEST_LOSS = 1 << 30
"""No loss is larger, so that sums over secrets and iterations fit into 64 bits."""

LARGEST_FILE = 1 << 27
"""The file of a table is no larger than this."""

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d{1,2})?|-?\d+/[1-9]\d*", flags=re.ASCII)
"""A utility as it is written."""

KINDS = "give mean, worst, within-K for a whole number K of 1 or more, or a file with a table of utilities"


@dataclass(frozen=True, eq=False)
class Objective:
    """What a guesser is worth; made by `objective("within-4", game)`, `mean()`, `within(4)`, `worst()` or `table`.

    Attributes:
        name: `mean`, `within-4`, `worst` or `table`.
        losses: what finding a secret at guess 1, 2, … loses, in whole units; one row for all secrets or one for each
            [1 or secrets, guesses]. Empty for `mean` and `worst`.
        unit: so many units are 1 in the objective.
        top: the utility where nothing is lost, in units.
    """

    name: str
    losses: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0), np.int64))
    unit: int = 1
    top: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "losses", frozen(self.losses))

    @property
    def is_mean(self) -> bool:
        """Whether this is the paper's objective."""
        return self.name == "mean"

    @property
    def is_worst(self) -> bool:
        """Whether the most guesses count, and no mix of secrets."""
        return self.name == "worst"

    @property
    def less_is_better(self) -> bool:
        """Whether the guesser wants it small: a number of guesses, not a chance or a utility."""
        return self.is_mean or self.is_worst

    @property
    def sign(self) -> int:
        """1 where less is better for the guesser, else -1: of any figure times this the hider wants more."""
        return 1 if self.less_is_better else -1

    @property
    def identity(self) -> str:
        """What tells this objective from others: its name, and for a table what is in it."""
        if self.name != "table":
            return self.name
        rows, columns = self.losses.shape
        told = f"{rows} {columns} {self.unit} {self.top} ".encode() + self.losses.astype("<i8").tobytes()
        return f"table {hashlib.sha256(told).hexdigest()}"

    def to_data(self, game: Game) -> Any:
        """Return plain data from which `objective_of_data` makes the same objective: its name, or its table."""
        if self.name != "table":
            return self.name
        rows = [[_as_data(self.value(int(loss))) for loss in row] for row in self.losses]
        return {"utilities": rows[0] if len(rows) == 1 else dict(zip(game.secrets, rows, strict=True))}

    def losses_in(self, game: Game) -> NDArray[np.int64]:
        """Return the loss of finding each secret at each guess [secrets, guesses]; the last holds for later guesses."""
        secrets = len(game.secrets)
        if self.is_mean:
            return np.tile(np.arange(1, secrets + 1, dtype=np.int64), (secrets, 1))
        if self.is_worst:
            raise SettingsError("worst counts the most guesses of a tree: it is not a loss for each secret")
        if len(self.losses) not in (1, secrets):
            raise SettingsError(
                f"the objective has {counted(len(self.losses), 'row')} of utilities, and {game.name} has "
                f"{counted(secrets, 'secret')}: give a row for each secret, or one for all"
            )
        return np.array(np.broadcast_to(self.losses, (secrets, self.losses.shape[1])))

    def payoffs(self, depths: NDArray[Any]) -> NDArray[np.int64]:
        """Return the loss of finding each secret after so many guesses [secrets]."""
        if self.is_mean:
            return depths.astype(np.int64)
        columns = np.minimum(depths.astype(np.int64), self.losses.shape[1]) - 1
        rows = 0 if len(self.losses) == 1 else np.arange(len(depths))
        return self.losses[rows, columns]

    @property
    def largest_loss(self) -> int | None:
        """The most that can be lost, or None where it is the number of guesses."""
        return int(self.losses.max()) if self.losses.size else None

    def value(self, loss: Fraction | int) -> Fraction:
        """Return the objective where the expected loss is so much."""
        return Fraction(loss) if self.less_is_better else (self.top - Fraction(loss)) / self.unit

    def loss(self, value: Fraction | int) -> Fraction:
        """Return the expected loss where the objective is so much: the reverse of `value`."""
        return Fraction(value) if self.less_is_better else self.top - Fraction(value) * self.unit

    def is_kept_by(self, secrets: NDArray[Any]) -> bool:
        """Tell whether losses are the same after secrets are exchanged, each for the one that is given [secrets]."""
        return len(self.losses) <= 1 or np.array_equal(self.losses[secrets], self.losses)

    def bounds(self, lower_loss: Fraction | int, upper_loss: Fraction | int) -> tuple[Fraction, Fraction]:
        """Return bounds on the objective, the lower first, from bounds on the expected loss."""
        ends = self.value(lower_loss), self.value(upper_loss)
        return min(ends), max(ends)

    def phrase(self) -> str:
        """Return what its numbers are, for people."""
        if self.is_mean:
            return "expected guesses"
        if self.is_worst:
            return "guesses at most"
        if self.name == "table":
            return "expected utility"
        within = int(self.name.removeprefix("within-"))
        return f"chance to find it within {within} {'guess' if within == 1 else 'guesses'}"


def _as_data(utility: Fraction) -> int | str:
    """Return a utility as JSON has it: a whole number, or the text of a fraction."""
    return utility.numerator if utility.denominator == 1 else str(utility)


def mean() -> Objective:
    """Return the paper's objective: the expected number of guesses."""
    return Objective("mean")


def worst() -> Objective:
    """Return the number of guesses that always suffices as the objective."""
    return Objective("worst")


def within(guesses: int) -> Objective:
    """Return the chance to have found the secret in so many guesses as the objective."""
    if isinstance(guesses, bool) or not isinstance(guesses, int | np.integer) or not 1 <= guesses < MOST_COLUMNS:
        raise SettingsError(f"within-{cut(guesses)} is no objective: give from 1 to {MOST_COLUMNS - 1} guesses")
    return Objective(f"within-{guesses}", np.array([[0] * int(guesses) + [1]]), unit=1, top=1)


def table(utilities: Sequence[Any] | Mapping[str, Sequence[Any]], game: Game | None = None) -> Objective:
    """Return a table of utilities as the objective.

    Args:
        utilities: the utility of finding the secret at guess 1, 2, …, none larger than the one before; the last holds
            for all later guesses. Or such a list for each secret by its name, where `others` stands for those that
            are not named.
        game: whose secrets they are; needed where secrets are named.
    """
    if isinstance(utilities, Mapping):
        if game is None:
            raise SettingsError("a table with a row for each secret needs the game: give it")
        rows = _rows_by_secret(utilities, game)
    else:
        rows = [_row(utilities, "the table of utilities")]
    columns = max(map(len, rows))
    full = [row + [row[-1]] * (columns - len(row)) for row in rows]
    top = max(row[0] for row in full)
    unit = 1
    for denominator in {utility.denominator for row in rows for utility in row}:
        if unit <= LARGEST_LOSS:  # else the numbers would grow and grow
            unit = math.lcm(unit, denominator)
    most = max(top - row[-1] for row in full) * unit
    if most > LARGEST_LOSS or unit > LARGEST_LOSS or abs(top * unit) > LARGEST_LOSS**2:
        raise SettingsError(
            "the utilities need more digits than can be worked with: give fewer decimals, or simpler fractions"
        )
    losses = np.array([[int((top - utility) * unit) for utility in row] for row in full], np.int64)
    return Objective("table", losses, unit=unit, top=int(top * unit))


def _rows_by_secret(utilities: Mapping[str, Sequence[Any]], game: Game) -> list[list[Fraction]]:
    """Return the utilities of each secret, in the game's order."""
    places = {secret: place for place, secret in enumerate(game.secrets)}
    given = {name if name in places else str(name).lower(): row for name, row in utilities.items()}
    for name in given:
        if name != "others" and name not in places:
            raise SettingsError(f"the table has a row for {quoted(name)}, which is no secret of {game.name}")
    missing = [secret for secret in game.secrets if secret not in given]
    if missing and "others" not in given:
        raise SettingsError(
            f"the table has no row for {quoted(missing[0])}: give one for every secret, or one named 'others'"
        )
    others = _row(given["others"], "the row 'others'") if "others" in given else []
    return [_row(given[secret], f"the row of {quoted(secret)}") if secret in given else others for secret in places]


def _row(utilities: object, what: str) -> list[Fraction]:
    """Return the utilities of guess 1, 2, …, or raise an error unless they are numbers that never rise."""
    if isinstance(utilities, str | bytes) or not isinstance(utilities, Sequence | np.ndarray):
        raise SettingsError(f"{what} is no list of numbers: give the utility of guess 1, 2 and so on")
    if not 1 <= len(utilities) <= MOST_COLUMNS:
        raise SettingsError(f"{what} has {len(utilities):,} numbers: give from 1 to {MOST_COLUMNS}")
    row = [_number(utility, what) for utility in utilities]
    for guess in range(1, len(row)):
        if row[guess] > row[guess - 1]:
            raise SettingsError(
                f"{what} rises from {cut(row[guess - 1])} at guess {guess} to {cut(row[guess])} at guess {guess + 1}: "
                "a utility may only fall as guesses are used"
            )
    return row


def _number(value: object, what: str) -> Fraction:
    """Return a number as a fraction: a whole number, a decimal, or a text such as 1/3."""
    if not isinstance(value, bool) and isinstance(value, int | float | str | Fraction | np.integer | np.floating):
        text = cut(value)
        if len(text) <= 40 and NUMBER.fullmatch(text):
            return Fraction(text)
    raise SettingsError(f"{quoted(value)} in {what} is no number: give whole numbers, decimals or fractions like 1/3")


def objective(given: str | Path | Objective, game: Game) -> Objective:
    """Return the objective of a name, `mean`, `worst` or `within-4`, or of a file with a table of utilities.

    The file is JSON, `{"utilities": [1, 0.5, 0]}` for all secrets alike, or `{"utilities": {"abet": [1, 0], "others":
    [1, 0.5, 0]}}`; see `table`.
    """
    if isinstance(given, Objective):
        return given
    text = str(given)
    if text in ("mean", "worst"):
        return Objective(text)
    if matched := re.fullmatch(r"within-(\d{1,9})", text, flags=re.ASCII):
        return within(int(matched[1]))
    return _read_table(Path(text), game)


def objective_of_data(data: object, game: Game) -> Objective:
    """Return the objective that `Objective.to_data` wrote; `ValueError` where it is none."""
    try:
        if isinstance(data, dict) and set(data) == {"utilities"}:
            return table(data["utilities"], game)
        if isinstance(data, str) and re.fullmatch(r"within-[1-9]\d{0,2}", data, flags=re.ASCII):
            return objective(data, game)
    except SettingsError as error:
        raise ValueError(str(error)) from None
    raise ValueError("no such objective")


def _read_table(path: Path, game: Game) -> Objective:
    """Return the table of utilities in a file."""
    try:
        data = parse_json(read_bytes(path, LARGEST_FILE))
    except FileNotFoundError:
        raise SettingsError(f"{quoted(path)} is no objective and no file: {KINDS}") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise SettingsError(f"the objective's file {quoted(path)} cannot be read ({cut(why)}): {KINDS}") from None
    if not isinstance(data, dict) or set(data) != {"utilities"}:
        raise SettingsError(f"the objective's file {quoted(path)} is not " + '{"utilities": [...]}: ' + KINDS)
    try:
        return table(data["utilities"], game)
    except SettingsError as error:
        raise SettingsError(f"in the objective's file {quoted(path)}: {error}") from None
