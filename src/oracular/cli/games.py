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
    "wordle-twl06": "with words of TWL06, the commonest hidden; so is wordle-N",
    "mastermind-PxC": "P pegs of C colours; black and white pegs",
    "bulls-PxD": "P different digits out of D; bulls and cows",
    "-possible": "behind any name: only what may be the secret is guessed",
    "-hard": "behind wordle: what was revealed must be used (hard mode)",
}
"""What the parts of names mean."""


@click.command(epilog="Example: oracular games")
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played."""
    from oracular.games.names import EVERYDAY, EXAMPLES, game
    from oracular.report.tables import print_rows

    listed = [game(name) for name in EXAMPLES]
    if as_json:
        print_json(
            [
                {"game": g.name, "secrets": len(g.secrets), "guesses": len(g.guesses), "answers": len(g.labels)}
                for g in listed
            ]
        )
        return
    cells = [[g.name, f"{len(g.secrets):,}", f"{len(g.guesses):,}", f"{len(g.labels)}"] for g in listed]
    rules = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    rules.add_column(no_wrap=True)
    rules.add_column(style="dim")
    for part, meaning in RULES.items():
        rules.add_row(part, meaning)
    console = result_console()
    print_rows(console, ("game",), ("secrets", "guesses", "answers"), cells)
    console.print()
    console.print(rules)
    console.print(
        "\nJotto has the words of TWL06, Wordle the lists of the original game; --words FILE (Jotto), --secrets FILE "
        "and --guesses FILE (Wordle) play with your own.",
        style="dim",
    )
    console.print(f"\nNew here? The Jotto that people know is {EVERYDAY['jotto']}.")
    print_next(as_json, "play", "jotto")
