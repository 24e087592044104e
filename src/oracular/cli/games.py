"""`oracular games`: what can be played."""

from __future__ import annotations

import click
from rich.table import Table

from oracular.cli.output import json_option, print_json, result_console


@click.command(epilog="Example: oracular games")
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played."""
    from oracular.games.names import EXAMPLES, game

    listed = [game(name) for name in EXAMPLES]
    if as_json:
        print_json(
            [
                {"game": g.name, "secrets": len(g.secrets), "guesses": len(g.guesses), "answers": len(g.labels)}
                for g in listed
            ]
        )
        return
    table = Table(box=None, padding=(0, 3, 0, 0))
    table.add_column("game")
    for column in ("secrets", "guesses", "answers"):
        table.add_column(column, justify="right")
    table.add_column("")
    for g, note in zip(listed, EXAMPLES.values(), strict=True):
        table.add_row(g.name, f"{len(g.secrets):,}", f"{len(g.guesses):,}", f"{len(g.labels)}", note)
    console = result_console()
    console.print(table)
    console.print(
        "\nOther numbers of letters, pegs, colours and digits may be given. Words are those of TWL06;\n"
        "--words FILE (Jotto), --secrets FILE and --guesses FILE (Wordle) play with your own.",
        style="dim",
    )
