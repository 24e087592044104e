"""What the arguments of commands take: games however they are written, runs, hiders, objectives, exact numbers.

A type both reads its argument and completes it in a shell, so every command that takes a game takes near names of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from oracular.games.game import Game
    from oracular.objectives import Objective
    from oracular.strategies.hider import Hider

    TextType: TypeAlias = click.ParamType[str]
    NumberType: TypeAlias = click.ParamType[Fraction]
else:  # before click 8.4 it takes no parameters
    TextType = NumberType = click.ParamType


objective_option = click.option(
    "--objective",
    metavar="mean|within-K|worst|FILE",
    help="What the guesser is worth: its expected guesses, its chance to find the secret within K guesses, the guesses "
    "that always suffice, or a table of utilities in a file [default: mean].",
)


def unit_of(objective: Objective) -> str:
    """Return what figures in an objective are, behind a number."""
    return "guesses" if objective.less_is_better else objective.phrase()


def measured(value: Fraction | float, objective: Objective, digits: int = 4) -> str:
    """Return a figure in an objective with its unit; numbers of guesses that always suffice are whole."""
    figure = f"{float(value):.{digits}f}"
    return f"{value} {unit_of(objective)}" if objective.is_worst else f"{figure} {unit_of(objective)}"


def described_objective(objective: Objective) -> str:
    """Return an objective in a few words."""
    return f"{objective.name}: {objective.phrase()}, {'less' if objective.less_is_better else 'more'} is better"


def bound_names(objective: Objective) -> tuple[str, str]:
    """Return what the guesser's guarantee, and the bound that a hider proves, are on the value of the game."""
    return ("upper bound", "lower bound") if objective.less_is_better else ("lower bound", "upper bound")


UNIFORM, COMPUTER = "uniform", "computer"
"""The hider that is assumed of a game that was played elsewhere, and the one that a person plays against."""

MAX_BYTES = 1 << 26

hider_option = click.option(
    "--hider",
    default=UNIFORM,
    metavar="uniform|computer|FILE|RUN",
    help="How the secret was chosen: all equally likely, by the computer's strategy, by a file with one whole number a "
    "secret, or by a run's hider [uniform].",
)


def named_hider(game: Game, named: str) -> Hider:
    """Return the hider of a name: `uniform`, `computer`, the folder of a run, or a file of weights."""
    import numpy as np

    import oracular
    from oracular.errors import SettingsError
    from oracular.runs.folder import is_run
    from oracular.system.files import quoted, read_bytes

    if named == UNIFORM:
        return oracular.hider_uniform(game)
    if named == COMPUTER:
        from oracular.play.opponent import opponent

        return opponent(game).hider
    path = Path(named)
    if is_run(path):
        solution = oracular.load_run(path)
        if not solution.game.is_same(game):
            raise SettingsError(
                f"the run in {quoted(named)} is of {solution.game.name}, not of this {game.name}: name another"
            )
        return solution.hider
    try:
        words = read_bytes(path, MAX_BYTES).decode().split()
        weights = [int(word) for word in words]
        if not all(word.isascii() and word.removeprefix("-").isdigit() for word in words):
            raise ValueError("digits of another script, or with lines between them")
    except OSError as error:
        raise SettingsError(
            f"hider {quoted(named)} cannot be read ({error.strerror}): give uniform, a file or a run"
        ) from None
    except ValueError:
        raise SettingsError(
            f"hider file {quoted(named)} holds something else than whole numbers: give one for each secret"
        ) from None
    return oracular.Hider(game, np.array(weights, dtype=object))


Command = TypeVar("Command", bound=Callable[..., Any])

MARKS_ALONE = re.compile(r"-[-_.ygbx0-2]+(?<!^--)", flags=re.IGNORECASE)
"""An answer of Wordle that a shell's user may take for an option; `--` alone is the end of the options."""


def history_argument(required: bool = False) -> Callable[[Command], Command]:
    """Return the argument `history` of a command: the guesses and their answers, as one text, quoted or not."""
    return click.argument(
        "history",
        nargs=-1,
        required=required,
        metavar="HISTORY..." if required else "[HISTORY]...",
        callback=lambda ctx, param, words: " ".join(words),
    )


class HistoryCommand(click.Command):
    """A command with a history, in which an answer of Wordle may stand by itself although it begins with a hyphen."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, after a guess and the marks behind it are joined: `crane -y--g` is `crane:-y--g`."""
        joined: list[str] = []
        for word in args:
            if joined and MARKS_ALONE.fullmatch(word) and not joined[-1].startswith("-"):
                guess = joined.pop().rstrip(":=")
                joined.append(f"{guess}:{word}")
            else:
                joined.append(word)
        return super().parse_args(ctx, joined)


class ExactNumber(NumberType):
    """A number, exactly as it was typed: `6.33` or `2665/421`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Return the number, or end with the reason why it is invalid."""
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a number such as 6.33 or 2665/421", param, ctx)


class GameText(TextType):
    """A game's name as it was typed; it is completed, and left to the command to read."""

    name = "game"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the games whose names begin so."""
        from oracular.games.names import known_names

        return [CompletionItem(name) for name in known_names() if name.startswith(incomplete.lower())]


class GameName(GameText):
    """A game's name, read as games write it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as games write it, or raise `UnknownGameError`."""
        from oracular.games.names import canonical_name

        return canonical_name(value)


class RunFolder(click.Path):
    """The folder of a run."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the runs whose paths begin so, and other folders with a slash, since runs may be below them."""
        from oracular.runs.folder import is_run

        above, start = os.path.split(incomplete)
        try:
            folders = sorted(path for path in Path(above or ".").iterdir() if path.is_dir())
        except OSError:
            return []
        found = []
        for folder in folders:
            if folder.name.startswith(start) and (start.startswith(".") or not folder.name.startswith(".")):
                written = f"{incomplete.removesuffix(start)}{folder.name}"
                found.append(CompletionItem(written if is_run(folder) else f"{written}{os.sep}"))
        return found


class RunFileOrGame(GameText):
    """A run's folder, a file, or a game's name, whichever there is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return a path as it is; a name as games write it, where it is one."""
        from oracular.errors import UnknownGameError
        from oracular.games.names import canonical_name

        try:
            return str(value) if Path(value).exists() else canonical_name(value)
        except (UnknownGameError, OSError, ValueError):  # what is neither is for the command to say
            return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the games whose names begin so, and let the shell add its files."""
        return [*super().shell_complete(ctx, param, incomplete), CompletionItem(incomplete, type="file")]


class RunOrStrategies(RunFileOrGame):
    """A run's folder, a file of strategies, or the name of a game whose strategies come with the package."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the runs and folders whose paths begin so, and the games whose names do."""
        from oracular.strategies.shipped import FAMILIAR_GAMES, SHIPPED_GAMES

        games = [name for name in (*SHIPPED_GAMES, *FAMILIAR_GAMES) if name.startswith(incomplete.lower())]
        return [*RunFolder().shell_complete(ctx, param, incomplete), *map(CompletionItem, games)]


_TYPES: dict[str, type[click.ParamType[Any]]] = {
    "GAME": GameName,
    "GAME...": GameName,
    "DIR": RunFolder,
    "RUN": RunFolder,
    "RUN|FILE|GAME": RunFileOrGame,
}
"""The type of an argument, by how the help calls it."""


def set_types(command: click.Command) -> None:
    """Give each argument of a command that has no type of its own the type of what it is called."""
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and not isinstance(parameter.type, GameText):
            chosen = _TYPES.get(parameter.metavar or "")
            if chosen is not None:
                parameter.type = chosen()
