"""The table of a sweep, with a line for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Console
from rich.table import Table

from oracular.report.text import duration

FOOTNOTE = (
    "Epsilon is measured, by the exact solver against its lower bound. Self-play and the guarantee, an upper bound on "
    "the value of the game, are as the runs record them; 'oracular verify RUN' proves the guarantee again."
)


def render(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print a sweep's table."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("game", "solver", "settings"):
        table.add_column(name, overflow="fold")
    for name in ("iterations", "epsilon", "self-play", "guarantee", "lower bound", "time"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row["game"],
            row["solver"],
            " ".join(f"{name}={value}" for name, value in row["settings"].items()) or "–",
            f"{row['iterations']:,}",
            f"{row['epsilon']:.4f}",
            f"{row['self_play']:.4f}",
            f"{row['guarantee']:.4f}",
            "–" if row["lower"] is None else f"{float(Fraction(row['lower'])):.4f}",
            duration(row["seconds"]),
        )
    console.print(table)
    console.print(FOOTNOTE, style="dim")
