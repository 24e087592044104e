"""`oracular published`: published results about guessing games, and ours beside them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

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
from oracular.system.counting import counted

DISAGREES = 1
"""The exit code where a published figure and ours exclude each other."""

SECONDS_OF_NAMED = 60.0
"""How long a long row may take that is named, where no time is given."""


def _complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of rows and games that begin so."""
    from oracular.report.published.rows import known_names

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
    from oracular.report.published.comparing import Finding, Verdict, compare, verdict
    from oracular.report.published.figures import as_data
    from oracular.report.published.page import check_place, shown, tally, write_page
    from oracular.report.published.rows import picked
    from oracular.report.tables import duration, print_rows
    from oracular.runs.limits import interrupts
    from oracular.system.deadline import check_seconds

    check_seconds(seconds)
    rows = picked(names, with_long=listed or seconds is not None)
    if listed:
        if as_json:
            print_json([as_data(row, None) for row in rows])
        else:
            lines = [[row.name, row.printed, row.source.short, "long" if row.is_long else "quick"] for row in rows]
            print_rows(result_console(), ("row",), ("published", "source", "time"), lines)
        first = next((row for row in rows if not row.is_long), rows[0])
        print_next(as_json, "published", first.name)
        return 0
    if write is not None:
        check_place(write)
    findings: dict[str, Finding] = {}
    failure: OracularError | None = None
    with progress_line("published", "loading") as line, interrupts() as interrupted:
        for number, row in enumerate(rows, 1):
            if interrupted():
                break
            title = f"{row.name} ({number} of {len(rows)})"
            line.note(title)
            note = partial(_note, line, title)
            limit = None if not row.is_long else seconds or SECONDS_OF_NAMED
            try:
                findings[row.name] = compare(row, limit, note, interrupted)
            except OutOfTimeError as error:
                click.echo(f"note: {row.name} is left out: {error}", err=True)
            except OracularError as error:  # what was found before is shown first
                failure = error
                break
        stopped = interrupted()
    done = [row for row in rows if row.name in findings]
    verdicts = {row.name: verdict(row, findings[row.name]) for row in done}
    if as_json:
        print_json([as_data(row, findings[row.name]) for row in done])
    else:
        lines = [
            [row.name, row.printed, shown(row, findings[row.name]), verdicts[row.name].value,
             duration(findings[row.name].seconds)]
            for row in done
        ]  # fmt: skip
        print_rows(result_console(), ("row",), ("published", "ours", "verdict", "time"), lines)
        print_text(f"{counted(len(done), 'row')}; {tally(list(verdicts.values()))}.")
    if write is not None and findings:
        write_page(write, findings)
        click.echo(f"wrote {write}", err=True)
    if failure is not None:
        raise failure
    if stopped:
        raise Interrupted("what was found by then holds")
    print_next(as_json, *(("published", "--list") if names else ("published", "mastermind-4x7", "--time", "300")))
    return DISAGREES if Verdict.DISAGREES in verdicts.values() else 0


def _note(line: Line, title: str, text: str) -> None:
    """Show how a row comes along."""
    line.note(f"{title}  {text}")
