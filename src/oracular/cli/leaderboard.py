"""`oracular leaderboard GAME`: hiders against guessers."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.output import (
    Interrupted,
    command_line,
    json_option,
    path_option,
    print_json,
    print_next,
    progress_line,
    result_console,
)


@click.command(epilog="Example: oracular leaderboard jotto-2")
@click.argument("game_name", metavar="GAME")
@path_option("--runs", "DIR", "Where the paper's run is, or is made if it is missing [runs/table].", Path("runs/table"))
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
    from oracular.runs.leaderboard import leaderboard as board_of

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
