"""`oracular table`, the paper's Table 1 reproduced, and `oracular leaderboard`, hiders against guessers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oracular.cli.output import (
    Interrupted,
    SolvingDisplay,
    command_line,
    json_option,
    path_option,
    picture_or_guess,
    print_json,
    print_next,
    progress_line,
    result_console,
)


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
    help="Stop making the paper's run, and proving again what files record, after so many seconds.",
)
@json_option
def leaderboard(game_name: str, runs: Path, seconds: float | None, as_json: bool) -> None:
    """Show who beats whom: the benchmark, the paper's strategies and ours.

    Every payoff is exact. The paper's strategies are those of `oracular table`.
    """
    from oracular.report.tables import print_leaderboard
    from oracular.runs.table import leaderboard as board_of

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
    from oracular.report.tables import print_paper_table
    from oracular.runs.table import PaperRun, table_row

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
