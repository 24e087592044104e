"""Tables on the terminal: the paper's Table 1, a sweep, the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from oracular.objectives import Objective
from oracular.runs.table import Leaderboard
from oracular.system.files import duration

TITLE = "Table 1: the paper's figures and ours"

WIDE_ENOUGH = 100
"""Terminal columns that the table needs to show all lengths side by side."""

NOTHING = "-"
"""What stands where there is no figure."""

UNLIMITED = 10_000
"""More columns than any table has."""

LABELS = {
    "words": "Dictionary size",
    "hider_vs_benchmark": "Hider vs benchmark",
    "guesser_vs_benchmark": "Guesser vs benchmark",
    "overall_vs_benchmark": "Overall vs benchmark",
    "benchmark_self_play": "Benchmark self-play ¹",
    "self_play": "Self-play",
    "benchmark_epsilon": "Benchmark epsilon (greedy, not a bound) ¹",
    "epsilon": "Final epsilon (greedy, not a bound) ²",
    "guarantee": "Guarantee ³",
    "iterations": "Iterations",
    "seconds_per_iteration": "Time per iteration",
    "times_faster": "Times faster ⁴",
}

FOOTNOTES = """\
¹ From paper.py: the paper's pseudocode in 64-bit floats. The benchmark is saved beside the runs; '--fresh' works it \
out again. All other figures of ours are from the exact engine, whose ties are \
real ties: its trajectory comes near the paper's, not onto it.
² Measured as the paper does, with the greedy response as the guesser's deviation: not a bound.
³ The worst secret's expected number of guesses: an upper bound on the game's value, exact for trees that were built \
now. That of a run that was kept is recorded: 'oracular verify RUN' works it out again. Not in the paper.
⁴ Than the paper's average iteration on 16 processors."""

SWEEP_FOOTNOTE = (
    "Epsilon is measured, by the exact solver against its {1} bound. Self-play and the guarantee, {0} bound on "
    "the value of the game, are as the runs record them; 'oracular verify RUN' proves the guarantee again."
)


def print_paper_table(rows: list[dict[str, Any]], console: Console) -> None:
    """Print Table 1: all lengths side by side, or one below the other on a narrow terminal."""
    groups = [rows] if console.width >= WIDE_ENOUGH else [[row] for row in rows]
    for group in groups:
        table = Table(title=TITLE, title_justify="left", padding=(0, 1, 0, 0), box=None, pad_edge=False)
        table.add_column("letters")
        for row in group:
            table.add_column(f"{row['letters']}: paper", justify="right", style="dim", no_wrap=True)
            table.add_column("ours", justify="right", no_wrap=True)
        for key, label in LABELS.items():
            table.add_row(label, *(cell for row in group for cell in cells(key, row)))
        console.print(table)
    console.print(FOOTNOTES, style="dim")


def cells(key: str, row: dict[str, Any]) -> tuple[str, str]:
    """Return the paper's figure and ours for one row of the table."""
    theirs = row["paper"]
    if key == "seconds_per_iteration":
        return duration(theirs["minutes_per_iteration"] * 60), duration(row[key])
    if key == "times_faster":
        return "", f"{theirs['minutes_per_iteration'] * 60 / row['seconds_per_iteration']:,.0f}"
    if key in ("words", "iterations"):
        return f"{theirs[key]:,}", f"{row[key]:,}"
    return (f"{theirs[key]:.3f}" if key in theirs else NOTHING), f"{row[key]:.3f}"


def print_rows(
    console: Console, names: Sequence[str], figures: Sequence[str], rows: Sequence[Sequence[str]], title: str = ""
) -> None:
    """Print rows of names and figures: as a table where the console has room for it, else one below the other.

    The first columns have names, which are never cut or broken: one must be able to type them. The columns after them
    have figures, aligned on the right.
    """
    table = Table(title=title or None, title_justify="left", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=True)
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    unlimited = console.options.update(max_width=UNLIMITED)
    if console.measure(table, options=unlimited).maximum <= console.width:
        console.print(table)
        return
    if title:
        console.print(title, style="italic")
    for row in rows:
        console.print(
            Text("  ".join(name for name in row[: len(names)] if name != NOTHING), style="bold", overflow="fold")
        )
        width = max(map(len, figures))
        for name, cell in zip(figures, row[len(names) :], strict=True):
            if cell:
                console.print(Text(f"  {name:{width}}  {cell}"))


def print_sweep(rows: Sequence[Mapping[str, Any]], objective: Objective, console: Console) -> None:
    """Print a sweep's table, whose figures are in an objective."""
    bound = "lower" if objective.less_is_better else "upper"
    cells = [
        [
            row["game"],
            row["solver"],
            " ".join(f"{name}={value}" for name, value in row["settings"].items()) or NOTHING,
            f"{row['iterations']:,}",
            f"{row['epsilon']:.4f}",
            f"{row['self_play']:.4f}",
            f"{row['guarantee']:.4f}",
            NOTHING if row[bound] is None else f"{float(Fraction(row[bound])):.4f}",
            duration(row["seconds"]),
        ]
        for row in rows
    ]
    figures = ("iterations", "epsilon (measured)", "self-play", "guarantee", f"{bound} bound", "time")
    title = "" if objective.is_mean else f"{objective.name}: {objective.phrase()}"
    print_rows(console, ("game", "solver", "settings"), figures, cells, title)
    console.print(SWEEP_FOOTNOTE.format("an upper" if bound == "lower" else "a lower", bound), style="dim")


def print_leaderboard(board: Leaderboard, console: Console) -> None:
    """Print the leaderboard."""
    cells = [
        [hider, *(f"{float(value):.3f}" for value in row), f"{float(lower.value):.3f} to {float(found):.3f}"]
        for hider, row, lower, found in zip(board.hiders, board.payoffs, board.lowers, board.found, strict=True)
    ]
    cells.append(["worst case", *(f"{float(value):.3f}" for value in board.guarantees), ""])
    title = f"{board.game.name}: expected guesses, hiders against guessers"
    print_rows(console, ("hider \\ guesser",), (*board.guessers, "worst case"), cells, title)
    console.print(
        "Payoffs and guessers' worst cases are exact, unless called recorded. A hider's worst case lies between "
        "what any guesser needs and the best response found. Hiders want more, guessers less.",
        style="dim",
    )
    for sentence in [f"{phrase[0].upper()}{phrase[1:]}." for phrase in board.recorded] + [board.left_out]:
        if sentence:
            console.print(sentence, style="dim", highlight=False)
