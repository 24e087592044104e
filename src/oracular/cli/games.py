"""`oracular games`: what can be played."""

from __future__ import annotations

import click
from rich.table import Table

from oracular.cli.output import json_option, print_json, print_next, result_console

RULES = {
    "jotto-N": "N letters, all different, no anagrams in the list",
    "-repeats": "letters may repeat, and count as often",
    "-anagrams": "anagrams allowed; only the word itself is found",
    "-familiar": "hides words that people know; all may be guessed",
    "wordle": "marks for letters in place, elsewhere, or not there",
    "mastermind-PxC": "P pegs of C colours; black and white pegs",
    "bulls-PxD": "P different digits out of D; bulls and cows",
}
"""What the parts of names mean."""


@click.command(epilog="Example: oracular games")
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played."""
    from oracular.games.names import EVERYDAY, EXAMPLES, game

    listed = [game(name) for name in EXAMPLES]
    if as_json:
        print_json(
            [
                {"game": g.name, "secrets": len(g.secrets), "guesses": len(g.guesses), "answers": len(g.labels)}
                for g in listed
            ]
        )
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("game", no_wrap=True)
    for column in ("secrets", "guesses", "answers"):
        table.add_column(column, justify="right")
    for g in listed:
        table.add_row(g.name, f"{len(g.secrets):,}", f"{len(g.guesses):,}", f"{len(g.labels)}")
    rules = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    rules.add_column(no_wrap=True)
    rules.add_column(style="dim")
    for part, meaning in RULES.items():
        rules.add_row(part, meaning)
    console = result_console()
    console.print(table)
    console.print()
    console.print(rules)
    console.print(
        "\nWords are those of TWL06; --words FILE (Jotto), --secrets FILE and --guesses FILE (Wordle) "
        "play with your own.",
        style="dim",
    )
    console.print(f"\nNew here? The Jotto that people know is {EVERYDAY['jotto']}.")
    print_next(as_json, "play", "jotto")
