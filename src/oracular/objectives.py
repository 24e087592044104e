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
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.system.checking import checked, frozen
from oracular.system.files import counted, cut, parse_json, quoted, read_bytes

MOST_COLUMNS = 255
"""A table has the utilities of at most this many guesses."""

LARGEST_LOSS = 1 << 30
"""No loss is larger, so that sums over secrets and iterations fit into 64 bits."""

LARGEST_TOP = 1 << 40
"""No utility is further from zero in units, so that floats still distinguish parts of a unit."""

LARGEST_FILE = 1 << 27
"""The file of a table is no larger than this."""

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d{1,2})?|-?\d+/[1-9]\d*", flags=re.ASCII)
"""A utility as it is written."""

WITHIN = re.compile(r"within-(0|[1-9]\d{0,8})", flags=re.ASCII)
"""The name of a chance to find the secret within that many guesses, which may still be too few or too many."""

DIGITS = 6
"""This many digits of a hash distinguish tables of utilities in the names of folders."""

KINDS = "give mean, worst, within-K for a whole number K of 1 or more, or a file with a table of utilities"


@checked
@dataclass(frozen=True, eq=False)
class Objective:
    """What a guesser is worth; made by `objective("within-4", game)`, `mean()`, `within(4)`, `worst()` or `table`.

    Attributes:
        name: `mean`, `within-4`, `worst` or `table`.
        losses: what finding a secret at guess 1, 2, … loses, in whole units; one row for all secrets or one for each
            [1 or secrets, guesses]. Empty for `mean` and `worst`.
        unit: this many units are 1 in the objective.
        top: the utility where nothing is lost, in units.
        secrets: whose rows they are, where there is one for each secret.
    """

    name: str
    losses: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 0), np.int64))
    unit: Fraction = Fraction(1)
    top: Fraction = Fraction(0)
    secrets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        losses = np.asarray(self.losses, np.int64)
        if self.less_is_better != (losses.size == 0) or not (
            self.less_is_better or self.name == "table" or self._within
        ):
            raise SettingsError(f"{quoted(self.name)} with {counted(losses.size, 'loss', 'losses')} is no objective")
        if (
            losses.ndim != 2
            or (losses < 0).any()
            or (losses > LARGEST_LOSS).any()
            or (np.diff(losses, axis=1) < 0).any()
        ):
            raise SettingsError(
                f"losses are from 0 to {LARGEST_LOSS:,} and never fall from one guess to the next: make an objective "
                "with oracular.objectives.table"
            )
        object.__setattr__(self, "losses", frozen(losses))

    @property
    def is_mean(self) -> bool:
        """Whether this is the paper's objective."""
        return self.name == "mean"

    @property
    def is_worst(self) -> bool:
        """Whether the most guesses count, and no mix of secrets."""
        return self.name == "worst"

    @property
    def _within(self) -> int:
        """Within how many guesses the secret must be found; 0 for other objectives."""
        matched = WITHIN.fullmatch(self.name)
        return int(matched[1]) if matched else 0

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
        """What distinguishes this objective from others: its name, and for a table what is in it."""
        if self.name != "table":
            return self.name
        rows, columns = self.losses.shape
        told = f"{rows} {columns} {self.unit} {self.top} ".encode() + self.losses.astype("<i8").tobytes()
        return f"table {hashlib.sha256(told).hexdigest()}"

    @property
    def short_name(self) -> str:
        """Its name, for a table with a few digits of a hash."""
        return self.identity.replace(" ", "-")[: len("table-") + DIGITS] if self.name == "table" else self.name

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
        self.check_is_mixed(game)
        self.check_rows(game)
        return np.array(np.broadcast_to(self.losses, (secrets, self.losses.shape[1])))

    def check_is_mixed(self, game: Game) -> None:
        """Raise an error for `worst`, which is no expected loss."""
        if self.is_worst:
            raise SettingsError(
                "worst is the most guesses of a tree and no game between two sides: ask for a tree with 'oracular "
                f"respond {game.name} --objective worst', or solve for mean, within-K or a table"
            )

    def check_rows(self, game: Game) -> None:
        """Raise an error where a row for each secret is given, and the secrets are not those of the game."""
        if len(self.losses) > 1 and len(self.losses) != len(game.secrets):
            raise SettingsError(
                f"the objective has {counted(len(self.losses), 'row')} of utilities, and {game.name} has "
                f"{counted(len(game.secrets), 'secret')}: give a row for each secret, or one for all"
            )
        if self.secrets and self.secrets != game.secrets:
            raise SettingsError(f"the table of utilities is for other secrets than those of {game.name}: make it anew")

    def payoffs(self, depths: NDArray[Any]) -> NDArray[np.int64]:
        """Return the loss of finding each secret after that many guesses [secrets]."""
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
        """Return the objective for an expected loss."""
        return Fraction(loss) if self.less_is_better else (self.top - Fraction(loss)) / self.unit

    def loss(self, value: Fraction | int) -> Fraction:
        """Return the expected loss for a value of the objective: the reverse of `value`."""
        return Fraction(value) if self.less_is_better else self.top - Fraction(value) * self.unit

    def is_kept_by(self, secrets: NDArray[Any]) -> bool:
        """Return whether losses are the same after secrets are exchanged, each for the one that is given [secrets]."""
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
        return f"chance to find it within {counted(self._within, 'guess', 'guesses')}"


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
    """Return the chance to have found the secret within that many guesses as the objective."""
    if isinstance(guesses, bool) or not isinstance(guesses, int | np.integer) or not 1 <= guesses < MOST_COLUMNS:
        raise SettingsError(f"within-{cut(guesses)} is no objective: give from 1 to {MOST_COLUMNS - 1} guesses")
    return Objective(f"within-{guesses}", np.array([[0] * int(guesses) + [1]]), top=Fraction(1))


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
    if most > LARGEST_LOSS or unit > LARGEST_LOSS or abs(top * unit) > LARGEST_TOP:
        raise SettingsError(
            "the utilities need more digits than can be worked with: give fewer decimals, or simpler fractions"
        )
    losses = np.array([[int((top - utility) * unit) for utility in row] for row in full], np.int64)
    common = max(1, int(np.gcd.reduce(losses, axis=None)))  # small numbers leave the exact search room for weights
    secrets = game.secrets if len(losses) > 1 and game is not None else ()
    return Objective("table", losses // common, Fraction(unit, common), top * unit / common, secrets)


def _rows_by_secret(utilities: Mapping[str, Sequence[Any]], game: Game) -> list[list[Fraction]]:
    """Return the utilities of each secret, in the game's order."""
    places = {secret: place for place, secret in enumerate(game.secrets)}
    given: dict[str, Sequence[Any]] = {}
    for name, row in utilities.items():
        secret = name if name in places else str(name).lower()
        if secret in given:
            raise SettingsError(f"the table has two rows for {quoted(secret)}: leave one out")
        if secret != "others" and secret not in places:
            raise SettingsError(f"the table has a row for {quoted(secret)}, which is no secret of {game.name}")
        given[secret] = row
    missing = [secret for secret in game.secrets if secret not in given]
    has_others = "others" in given and "others" not in places
    if missing and not has_others:
        remedy = "since 'others' is one itself" if "others" in places else "or one named 'others'"
        raise SettingsError(f"the table has no row for {quoted(missing[0])}: give one for every secret, {remedy}")
    others = _row(given["others"], "the row 'others'") if has_others else []
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


@checked
def objective(given: str | Path | Objective, game: Game) -> Objective:
    """Return the objective of a name, `mean`, `worst` or `within-4`, or of a file with a table of utilities.

    The file is JSON, `{"utilities": [1, 0.5, 0]}` for all secrets alike, or `{"utilities": {"abet": [1, 0], "others":
    [1, 0.5, 0]}}`; see `table`.
    """
    if isinstance(given, Objective):
        given.check_rows(game)
        return given
    text = str(given)
    if text in ("mean", "worst"):
        return Objective(text)
    if matched := WITHIN.fullmatch(text):
        return within(int(matched[1]))
    return _read_table(Path(text), game)


def objective_of_data(data: object, game: Game) -> Objective:
    """Return the objective that `Objective.to_data` wrote; `ValueError` if it is invalid."""
    try:
        if isinstance(data, dict) and set(data) == {"utilities"}:
            return table(data["utilities"], game)
        if isinstance(data, str) and WITHIN.fullmatch(data):
            return objective(data, game)
    except SettingsError as error:
        raise ValueError(str(error)) from None
    raise ValueError("no such objective")


def parse_table(content: bytes) -> Any:
    """Return the data of a table's file, decimals as they are written; `ValueError` where a name is there twice."""
    return parse_json(content, parse_float=str.lower, object_pairs_hook=_once_each)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, in which no name is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ValueError(f"{quoted(twice)} is there twice")
    return found


def _read_table(path: Path, game: Game) -> Objective:
    """Return the table of utilities in a file."""
    try:
        data = parse_table(read_bytes(path, LARGEST_FILE))
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
