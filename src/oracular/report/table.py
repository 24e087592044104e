"""The paper's Table 1, with the paper's figures beside ours."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from oracular.report.text import duration

TITLE = "Table 1: the paper's figures and ours"

WIDE_ENOUGH = 100
"""Terminal columns that the table needs to show all lengths side by side."""

LABELS = {
    "words": "Dictionary size",
    "hider_vs_benchmark": "Hider vs benchmark",
    "guesser_vs_benchmark": "Guesser vs benchmark",
    "overall_vs_benchmark": "Overall vs benchmark",
    "benchmark_self_play": "Benchmark self-play ¹",
    "self_play": "Self-play",
    "benchmark_epsilon": "Benchmark epsilon ¹",
    "epsilon": "Final epsilon ²",
    "guarantee": "Guarantee ³",
    "iterations": "Iterations",
    "seconds_per_iteration": "Time per iteration",
    "times_faster": "Times faster ⁴",
}

FOOTNOTES = """\
¹ From paper.py: the paper's pseudocode in 64-bit floats. All other figures of ours are from the exact engine, whose \
ties are real ties: its trajectory comes near the paper's, not onto it.
² Measured as the paper does, with the greedy response as the guesser's deviation: not a bound.
³ The worst secret's expected number of guesses: exact, an upper bound on the game's value. Not in the paper.
⁴ Than the paper's average iteration on 16 processors."""


def render(rows: list[dict[str, Any]], console: Console) -> None:
    """Print Table 1: all lengths side by side, or one below the other on a narrow terminal."""
    groups = [rows] if console.width >= WIDE_ENOUGH else [[row] for row in rows]
    for group in groups:
        table = Table(title=TITLE, title_justify="left", padding=(0, 1, 0, 0), box=None)
        table.add_column("letters", no_wrap=True)
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
    return (f"{theirs[key]:.3f}" if key in theirs else "–"), f"{row[key]:.3f}"
