"""The leaderboard as a table on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from oracular.runs.leaderboard import Leaderboard


def render(board: Leaderboard, console: Console) -> None:
    """Print the leaderboard."""
    table = Table(title=f"{board.game.name}: expected guesses, hiders against guessers", title_justify="left", box=None)
    table.add_column("hider \\ guesser", no_wrap=True)
    for guesser in board.guessers:
        table.add_column(guesser, justify="right")
    table.add_column("worst case", justify="right", no_wrap=True)
    for hider, row, lower, found in zip(board.hiders, board.payoffs, board.lowers, board.found, strict=True):
        worst = f"{float(lower.value):.3f} to {float(found):.3f}"
        table.add_row(hider, *(f"{float(value):.3f}" for value in row), worst)
    table.add_row("worst case", *(f"{float(value):.3f}" for value in board.guarantees), "", style="bold")
    console.print(table)
    console.print(
        "Payoffs and guessers' worst cases are exact, unless called recorded. A hider's worst case lies between\n"
        "what any guesser needs and the best response found. Hiders want more, guessers less.",
        style="dim",
    )
    for sentence in [f"{phrase[0].upper()}{phrase[1:]}." for phrase in board.recorded] + [board.left_out]:
        if sentence:
            console.print(sentence, style="dim", highlight=False)
