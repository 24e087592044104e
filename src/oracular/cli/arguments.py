"""What the arguments of commands take: names of games however they are written, folders of runs, exact numbers.

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
    TextType: TypeAlias = click.ParamType[str]
    NumberType: TypeAlias = click.ParamType[Fraction]
else:  # before click 8.4 it takes no parameters
    TextType = NumberType = click.ParamType

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
        """Return the number, or end with the reason why it is none."""
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
