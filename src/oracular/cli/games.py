"""`oracular games`: what can be played."""

from __future__ import annotations

import click
from rich.table import Table

from oracular.cli.output import json_option, print_json, result_console


@click.command(epilog="Example: oracular games")
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played."""
    from oracular.games import EXAMPLES, game

    listed = [game(name) for name in EXAMPLES]
    if as_json:
        print_json([{"game": g.name, "secrets": len(g.secrets), "guesses": len(g.guesses)} for g in listed])
        return
    table = Table(box=None, padding=(0, 3, 0, 0))
    for column in ("game", "secrets", "guesses", "answers"):
        table.add_column(column, justify="left" if column in ("game", "answers") else "right")
    for g in listed:
        table.add_row(g.name, f"{len(g.secrets):,}", f"{len(g.guesses):,}", " ".join(g.labels))
    console = result_console()
    console.print(table)
    console.print("\njotto-N plays with the N-letter words of TWL06; --words FILE plays with your own.", style="dim")
