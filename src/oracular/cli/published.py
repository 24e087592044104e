"""`oracular published`: published results about guessing games, and ours beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oracular.cli.output import (
    Interrupted,
    Line,
    json_option,
    path_option,
    print_json,
    print_next,
    print_text,
    progress_line,
    result_console,
)
from oracular.errors import OracularError, OutOfTimeError
from oracular.system.files import counted

if TYPE_CHECKING:
    from oracular.report.published import Figure, Row

DISAGREES = 1
"""The exit code where a published figure and ours exclude each other."""

SECONDS_OF_NAMED = 60.0
"""How long a long row may take that is named, where no time is given."""


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of rows and games that begin so."""
    from oracular.report.published import known_names

    return [name for name in known_names() if name.startswith(incomplete.lower())]


@click.command(epilog="Example: oracular published mastermind-4x6 --json")
@click.argument("names", nargs=-1, metavar="[ROW|GAME]...", shell_complete=_complete)
@click.option(
    "--time",
    "seconds",
    type=float,
    metavar="SECONDS",
    help="Run the long rows too, each for at most so many seconds [default: none; 60 for one that is named].",
)
@click.option("--list", "listed", is_flag=True, help="Show the rows and their sources, and run none.")
@path_option("--write", "PAGE", "Write the page, docs/published.md, and the figures beside it, with what was found.")
@json_option
def published(names: tuple[str, ...], seconds: float | None, listed: bool, write: Path | None, as_json: bool) -> int:
    """Compare published results with ours.

    Runs the quick rows, or those of the names given, and says of each published figure whether it agrees with ours,
    lies within our bounds, or disagrees; if any disagrees, the exit code is 1. Stopped with Ctrl-C, it shows what is
    there so far.
    """
    from oracular.report.published import Verdict, check_place, picked, verdict, write_page
    from oracular.system.control import check_seconds, interrupts

    check_seconds(seconds)
    if listed and (write is not None or seconds is not None):
        raise click.UsageError(f"--list runs no row: leave out --list or {'--time' if write is None else '--write'}")
    rows = picked(names, with_long=listed or seconds is not None)
    if listed:
        _print_list(rows, as_json)
        return 0
    if write is not None:
        check_place(write)
    figures: dict[str, Figure] = {}
    with interrupts() as interrupted:
        failure = _run(rows, seconds, figures, interrupted)
        stopped = interrupted()
    verdicts = {row.name: verdict(row, figures[row.name]) for row in rows if row.name in figures}
    _print_figures(rows, figures, as_json)
    if write is not None and figures:
        write_page(write, figures)
        click.echo(f"wrote {write}", err=True)
    if failure is not None:
        raise failure
    if stopped:
        raise Interrupted("what was found by then holds")
    print_next(as_json, *(("published", "--list") if names else ("published", "mastermind-4x7", "--time", "300")))
    return DISAGREES if Verdict.DISAGREES in verdicts.values() else 0


def _run(
    rows: list[Row], seconds: float | None, figures: dict[str, Figure], interrupted: Callable[[], bool]
) -> OracularError | None:
    """Run rows one by one, and put what is found where it is kept; return the error that ended it, if one did."""
    from oracular.report.published import compare

    with progress_line("published", "loading") as line:
        for number, row in enumerate(rows, 1):
            if interrupted():
                break
            title = f"{row.name} ({number} of {len(rows)})"
            line(title)
            limit = None if not row.long else seconds or SECONDS_OF_NAMED
            try:
                figures[row.name] = compare(row, limit, partial(_note, line, title), interrupted)
            except OutOfTimeError as error:
                click.echo(f"note: {row.name} is left out: {error}", err=True)
            except OracularError as error:  # what was found before is shown first
                return error
    return None


def _note(line: Line, title: str, text: str) -> None:
    """Show how a row comes along."""
    line(f"{title}  {text}")


def _print_list(rows: list[Row], as_json: bool) -> None:
    """Print rows with what was published, and none of ours."""
    from oracular.report.published import as_data
    from oracular.report.tables import print_rows

    if as_json:
        print_json([as_data(row, None) for row in rows])
        return
    lines = [[row.name, row.value, row.source, "long" if row.long else "quick"] for row in rows]
    print_rows(result_console(), ("row",), ("published", "source", "time"), lines)
    first = next((row for row in rows if not row.long), rows[0])
    print_next(as_json, "published", first.name)


def _print_figures(rows: list[Row], figures: dict[str, Figure], as_json: bool) -> None:
    """Print the rows that were run, with what was found."""
    from oracular.report.published import as_data, shown, tally, verdict
    from oracular.report.tables import duration, print_rows

    done = [(row, figures[row.name]) for row in rows if row.name in figures]
    if as_json:
        print_json([as_data(row, found) for row, found in done])
        return
    verdicts = [verdict(row, found) for row, found in done]
    lines = [
        [row.name, row.value, shown(row, found), said, duration(found.seconds)]
        for (row, found), said in zip(done, verdicts, strict=True)
    ]
    print_rows(result_console(), ("row",), ("published", "ours", "verdict", "time"), lines)
    print_text(f"{counted(len(done), 'row')}; {tally(verdicts)}.")
