"""The settings of every solver, each declared once: default, range, and a sentence that says what it does.

Whoever takes settings asks here before anything runs or is written: `Planner`, `RegretMatching`, `oracular.solve`,
`oracular sweep --set`, and a run that is resumed. A setting that is not declared is refused everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from oracular.errors import SettingsError
from oracular.system.files import cut, quoted

MOST = 2**31 - 1
"""The largest number that any setting may be."""

MOST_GUESSES = 256
"""The most guesses that one scan of a state may keep."""


@dataclass(frozen=True)
class Setting:
    """One thing about a solver that may be chosen.

    Attributes:
        default: what it is unless chosen; for some games another value is known to be better (`suited_settings`).
        meaning: what it does, in a sentence.
        choices: the words that it may be, where it is a word and no number.
        least_of_game: the least number by the number of the game's secrets, where it depends on that.
        recorded_only: whether it stands in a run's record and is not for anybody to choose.
    """

    name: str
    default: int | str
    meaning: str
    least: int = 1
    most: int = MOST
    choices: tuple[str, ...] = ()
    least_of_game: Callable[[int], int] | None = None
    recorded_only: bool = False

    @property
    def range(self) -> str:
        """What it may be, in words."""
        if self.choices:
            return " or ".join(self.choices)
        least = f"{self.least:,}" if self.least_of_game is None else f"{self.least_of_game(1)} for each secret"
        return f"{least} or more" if self.most == MOST else f"{least} to {self.most:,}"

    def check(self, value: object, secrets: int | None = None) -> None:
        """Raise an error unless the value is one that the setting may have, in a game of so many secrets."""
        asked = f"{self.name} {quoted(value) if isinstance(value, str) else cut(value)}"
        if self.choices:
            remedy = f"choose {' or '.join(map(repr, self.choices))}"
            if not isinstance(value, str):
                raise SettingsError(f"{asked} is not a word: {remedy}")
            if value not in self.choices:
                raise SettingsError(f"{asked} is not known: {remedy}")
            return
        least = self.least
        if secrets is not None and self.least_of_game is not None:
            least = max(least, self.least_of_game(secrets))
        if type(value) is not int or not least <= value <= self.most:
            needed = "" if least == self.least else f" for {secrets:,} secrets"
            raise SettingsError(f"{asked} asked for: give a whole number from {least:,} to {self.most:,}{needed}")


def least_room(secrets: int) -> int:
    """Return the fewest states that a planner's graph must have room for in a game of so many secrets.

    In a tree with one guess at each state there are fewer states of two or more secrets than secrets, since every guess
    finds a secret or splits a state; with the single secrets that is less than twice the secrets. One more for each
    leaves room for what the graph asks for before it takes in a guess, so that one whole tree fits in any case.
    """
    return 3 * secrets


def setting(default: int | str, meaning: str, **limits: Any) -> Any:
    """Return the field of a dataclass that is a setting; the limits are attributes of `Setting`."""
    return field(default=default, metadata={"setting": Setting("", default, meaning, **limits)})


def settings_of(declared: type) -> tuple[Setting, ...]:
    """Return the settings that are the fields of a dataclass, in order."""
    return tuple(replace(entry.metadata["setting"], name=entry.name) for entry in fields(declared))


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannerSettings:
    """The settings of a planner."""

    score_name: str = setting(
        "log",
        "The score that selects the guesses to try.",
        choices=("eliminations", "log", "depth"),
    )
    ties: int = setting(
        1,
        "Of equal scores possible secrets go first (1), or the first in the dictionary (0).",
        least=0,
        most=1,
        recorded_only=True,
    )
    width: int = setting(8, "How many guesses are tried at a state when it is first on a best tree.", most=MOST_GUESSES)
    large: int = setting(100, "A state with more secrets than this is large.", least=0)
    large_width: int = setting(16, "How many guesses are tried at a large state.", most=MOST_GUESSES)
    root_width: int = setting(64, "How many opening guesses are tried.", most=MOST_GUESSES)
    small: int = setting(12, "A new state with at most this many secrets is small.", least=0)
    small_width: int = setting(
        3, "How many guesses are tried at a new small state, each played out to the end.", most=MOST_GUESSES
    )
    often: int = setting(
        8,
        "A state on the best tree is widened at visit 1, often, often squared, and so on, to twice the width each "
        "time.",
        least=2,
    )
    again: int = setting(
        0,
        "A state on the best tree is also widened every this many visits, with the current weights; 0 for never.",
        least=0,
    )
    seek: int = setting(
        0,
        "A state in which one secret has at least 1/seek of the weight also gets guesses that find this secret "
        "early; 0 for no state.",
        least=0,
        most=1 << 10,
    )
    hope: int = setting(
        4,
        "How much exploration hopes to save at a state that was never examined closely, in 1024ths of a guess for "
        "each binary digit of its size.",
        least=0,
        most=128,  # with more the hoped-for values of long trees would not fit into 32 bits
    )
    patience: int = setting(200, "A guess that was not nearly best in this many responses is dropped.")
    near: int = setting(
        64,
        "How close to the best a guess must be to count as nearly best, in 1024ths of a guess.",
        least=0,
        most=1 << 20,
    )
    room: int = setting(
        1 << 22,
        "The most states that the graph may hold; each takes about 150 bytes.",
        most=1 << 24,  # what takes 2.5 GB and some seconds to lay out
        least_of_game=least_room,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ExplorationSettings:
    """How regret matching uses a planner."""

    explore_every: int = setting(2, "One response in this many also explores states that were not examined closely.")


@dataclass(frozen=True, eq=False, kw_only=True)
class RegretMatchingSettings:
    """The settings of regret matching itself, for any problem."""

    most_trees: int = setting(
        2000, "The most responses that are kept; beyond that, the least used are dropped.", most=1_000_000
    )
    head_start: int = setting(
        8,
        "The regret that every pure strategy starts with, in units of payoff. It keeps the first weights near uniform.",
        least=0,
        most=1 << 20,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class DoubleOracleSettings:
    """The settings of the double oracle beside those of regret matching, for any problem."""

    rounds: int = setting(
        100, "How many rounds of self-play on the kept responses precede the next response.", most=100_000
    )
    sharpness: int = setting(
        28,
        "How strongly the small side prefers, at first, what costs the kept responses most: a payoff that is "
        "lower by 1/sharpness gets about 1/e of the weight.",
        most=1 << 16,
    )
    sharper_every: int = setting(150, "The sharpness grows by its first value every this many steps.")
    sharpest: int = setting(3, "The sharpness grows to at most this many times its first value.", most=1 << 10)


@dataclass(frozen=True, eq=False, kw_only=True)
class RaceSettings:
    """The settings of the solver of the blind race."""

    groups: int = setting(
        0,
        "Into how many groups a side's own secrets are divided, each with its own tree at every step: 1, the "
        "number of secrets, or 0 to choose by the size of the game.",
        least=0,
    )
    explore_every: int = setting(2, "One tree in this many also explores states that were not examined closely.")
    most_trees: int = setting(
        20_000, "The most trees of each side that are kept; beyond that, the least used are dropped.", most=1_000_000
    )
    plans_a_step: int = setting(
        64, "How many trees each side plans at a step if every secret has its own tree; the others are reused."
    )
    most_weighed: int = setting(
        1500,
        "How many trees of each side are re-optimized at the end; the strategies contain no others.",
        most=1_000_000,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FictitiousPlaySettings:
    """The settings of fictitious play."""

    ties: str = setting(
        "first",
        "Which of equally good guesses is made: the first in the dictionary, or one that may be the secret.",
        choices=("first", "possible"),
    )


PLANNER = settings_of(PlannerSettings)
EXPLORATION = settings_of(ExplorationSettings)
REGRET_MATCHING = settings_of(RegretMatchingSettings)
DOUBLE_ORACLE = settings_of(DoubleOracleSettings)
RACE = settings_of(RaceSettings)
SETTINGS: Mapping[str, tuple[Setting, ...]] = {
    "fictitious-play": settings_of(FictitiousPlaySettings),
    "regret-matching": (*PLANNER, *EXPLORATION, *REGRET_MATCHING),
    "double-oracle": (*PLANNER, *EXPLORATION, *REGRET_MATCHING, *DOUBLE_ORACLE),
    "exact": (),
    "race": (*PLANNER, *RACE),
}
"""The settings of each solver, by its name."""


def check_all(settings: Iterable[Setting], values: object, secrets: int) -> None:
    """Raise an error unless each of some settings may have the value that the object has for it as an attribute."""
    for setting in settings:
        setting.check(getattr(values, setting.name), secrets)


def check_settings(
    solver: str, given: Mapping[str, Any], secrets: int | None = None, declared: tuple[Setting, ...] | None = None
) -> None:
    """Raise an error unless the solver has all settings that are given, and each may have its value.

    Some ranges depend on how many secrets the game has. What is declared are the settings of the solver for guessing
    games, unless given.
    """
    known = {setting.name: setting for setting in (SETTINGS[solver] if declared is None else declared)}
    for name, value in given.items():
        if name not in known:
            names = [setting.name for setting in known.values() if not setting.recorded_only]
            choice = f"choose among {', '.join(names)}" if names else "leave it out, there are none"
            raise SettingsError(f"the solver {solver} has no setting {quoted(name)}: {choice}")
        known[name].check(value, secrets)


def check_chosen(solver: str, chosen: Mapping[str, Any]) -> None:
    """Raise an error where a user chooses a setting that only stands in records."""
    for entry in SETTINGS.get(solver, ()):
        if entry.recorded_only and entry.name in chosen:
            raise SettingsError(f"the setting {entry.name} of {solver} cannot be chosen: leave {entry.name} out")


def settings_table(solver: str) -> list[tuple[str, str, str, str]]:
    """Return the settings of a solver that may be chosen, for people: name, default, range and meaning."""
    rows = [entry for entry in SETTINGS[solver] if not entry.recorded_only]
    written = [f"{entry.default:,}" if isinstance(entry.default, int) else entry.default for entry in rows]
    return [(entry.name, default, entry.range, entry.meaning) for entry, default in zip(rows, written, strict=True)]
