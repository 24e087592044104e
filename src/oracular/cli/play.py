"""`oracular play GAME`: a match against the computer, in the terminal."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from rich.console import Console

from oracular.cli.output import familiar_option, game_of_options, json_option, lists_options, print_json, result_console

if TYPE_CHECKING:
    from oracular.play.opponent import Mode

PLAIN_WIDTH = 100  # where the output is not a terminal


@click.command(epilog="Example: oracular play jotto-5 --mode guess --familiar")
@click.argument("game_name", metavar="GAME")
@click.option(
    "--mode", type=click.Choice(["guess", "hide", "duel"]), help="You guess, you hide, or both at once [asked for]."
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Fixes what the computer draws [drawn anew].")
@familiar_option
@lists_options
@json_option
def play(
    game_name: str, mode: str | None, seed: int | None, familiar: bool, as_json: bool, **lists: Path | None
) -> None:
    """Play against the computer.

    The computer plays the strategies that come with the package where there are some. With --json the match is printed
    at the end as JSON and the conversation goes to stderr.
    """
    from oracular.cli.play_session import Session, ask_mode, begin
    from oracular.play.opponent import matchup

    console = result_console(as_json, PLAIN_WIDTH)
    game = game_of_options(game_name, familiar, lists)
    reader = Reader(console)
    session = None

    def say(line: str) -> None:
        console.print(line, markup=False)

    try:
        chosen = cast("Mode", mode) if mode else ask_mode(reader, say)
        session = Session(reader, console, begin(reader, say, matchup(game), chosen, seed))
        session.run()
    except EOFError:
        console.print()
    except KeyboardInterrupt:
        console.print()
        raise
    if as_json:
        print_json({"game": game.name} | (session.match.to_record() if session else {"result": None}))


class Reader:
    """Reads lines from a terminal, with its editing keys, or from a pipe; the lines of a pipe are echoed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        if _typed():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - gives input() its editing keys

    def __call__(self, prompt: str) -> str:
        """Return the next line; raise `EOFError` at the end."""
        if _typed() and not self._console.stderr:
            return input(prompt)
        self._console.print(prompt, end="", markup=False)
        line = "" if sys.stdin is None else sys.stdin.readline()  # it is None where it was closed from the start
        if not line:
            raise EOFError
        if not _typed():
            self._console.print(line.rstrip("\n"), markup=False)
        return line


def _typed() -> bool:
    """Tell whether a person types the input."""
    return sys.stdin is not None and sys.stdin.isatty()
