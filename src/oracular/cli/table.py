"""`oracular table`, the paper's Table 1 reproduced, and `oracular leaderboard`, hiders against guessers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracular.cli.output import (
    Interrupted,
    Line,
    SolvingDisplay,
    command_line,
    json_option,
    path_option,
    picture_or_guess,
    print_json,
    print_next,
    print_text,
    progress_line,
    result_console,
)
from oracular.errors import OracularError, OutOfTimeError
from oracular.report.tables import print_leaderboard, print_paper_table, print_rows
from oracular.runs.table import PaperRun, table_row
from oracular.runs.table import leaderboard as board_of
from oracular.system.files import counted, duration

if TYPE_CHECKING:
    from oracular.report.published import Figure, Row


@click.command(epilog="Example: oracular leaderboard jotto-2")
@click.argument("game_name", metavar="GAME")
@path_option(
    "--runs", "DIR", "Where the paper's run is, or is made if it is missing [default: runs/table].", Path("runs/table")
)
@click.option(
    "--time",
    "seconds",
    type=float,
    metavar="SECONDS",
    help="Stop making the paper's run, and proving again what files record, after this many seconds.",
)
@json_option
def leaderboard(game_name: str, runs: Path, seconds: float | None, as_json: bool) -> None:
    """Show who beats whom: the benchmark, the paper's strategies and ours.

    Every payoff is exact. The paper's strategies are those of `oracular table`.
    """
    with progress_line(game_name, "loading") as line:
        try:
            board = board_of(game_name, runs, line, time_limit=seconds)
        except KeyboardInterrupt:
            again = command_line("leaderboard", game_name, "--runs", runs)
            raise Interrupted(f"go on with: {again}") from None
    if as_json:
        print_json(board.as_data())
    else:
        print_leaderboard(board, result_console())
    print_next(as_json, "play", game_name)


class ManyValued(click.Command):
    """A command whose option --letters takes several values in a row: `--letters 2 3`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option in front of every value that follows it."""
        repeated: list[str] = []
        inside = False
        for argument in args:
            if argument == "--letters":
                inside = True
                continue
            inside = inside and not argument.startswith("-")
            repeated += ["--letters", argument] if inside else [argument]
        if args and args[-1] == "--letters":
            repeated.append("--letters")  # without a value: let the parser say so
        return super().parse_args(ctx, repeated)


@click.command(cls=ManyValued, epilog="Example: oracular table --letters 2 3 --iterations 500")
@click.option(
    "--letters",
    type=click.IntRange(2, 5),
    multiple=True,
    metavar="N...",
    default=(2, 3, 4, 5),
    help="Word lengths, 2 to 5 [default: 2 3 4 5].",
)
@click.option(
    "--iterations", type=int, metavar="T", help="Iterations for every length [default: the paper's own counts]."
)
@path_option(
    "--out",
    "DIR",
    "Where the runs are kept; unfinished ones are picked up again [default: runs/table].",
    Path("runs/table"),
)
@click.option("--fresh", is_flag=True, help="Solve again even where a finished run is kept.")
@click.option("--threads", type=int, metavar="N", help="Threads to use [default: all]; they never change the result.")
@json_option
def table(
    letters: tuple[int, ...], iterations: int | None, out: Path, fresh: bool, threads: int | None, as_json: bool
) -> None:
    """Reproduce the paper's Table 1.

    Solves the games of 2 to 5 letters and prints the paper's figures beside ours.
    """
    rows: list[dict[str, Any]] = []
    with SolvingDisplay() as display:
        lines = {length: display.add(f"jotto-{length}", "waiting") for length in sorted(set(letters))}
        for length, line in lines.items():
            row = table_row(PaperRun.below(out, length, iterations), fresh, threads, line)
            if row is None:
                break
            line.done(f"t {row['iterations']}  ε {row['epsilon']:.3f} measured  guarantee {row['guarantee']:.3f}")
            rows.append(row)
    if len(rows) < len(lines):
        raise Interrupted("the same command goes on from here")
    if as_json:
        print_json(rows)
    else:
        print_paper_table(rows, result_console())
    print_next(as_json, *picture_or_guess(PaperRun.below(out, max(letters), iterations).folder))


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
    help="Run the long rows too, each for at most this many seconds [default: none; 60 for one that is named].",
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
    from oracular.system.control import Control

    with progress_line("published", "loading") as line:
        for number, row in enumerate(rows, 1):
            if interrupted():
                break
            title = f"{row.name} ({number} of {len(rows)})"
            line(title)
            limit = None if not row.long else seconds or SECONDS_OF_NAMED
            try:
                control = Control(cancelled=interrupted, on_report=partial(_show, line, title))
                figures[row.name] = compare(row, limit, control)
            except OutOfTimeError as error:
                click.echo(f"note: {row.name} is left out: {error}", err=True)
            except OracularError as error:  # what was found before is shown first
                return error
    return None


def _show(line: Line, title: str, text: str) -> None:
    """Show how a row comes along."""
    line(f"{title}  {text}")


def _print_list(rows: list[Row], as_json: bool) -> None:
    """Print rows with what was published, and none of ours."""
    from oracular.report.published import as_data

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
