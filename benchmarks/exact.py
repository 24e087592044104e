"""How fast exact results are proved: states searched a second, two-letter Jotto settled, Mastermind 4x6 proved.

Run by `make bench`.
"""

from __future__ import annotations

import time

import numpy as np
from rich.console import Console
from rich.table import Table

import oracular

CONSOLE = Console(width=110, highlight=False)


def main() -> None:
    table = Table(title="Exact results", box=None, padding=(0, 2, 0, 0))
    for column in ("what", "result", "states", "seconds", "states a second"):
        table.add_column(column, justify="left" if column == "what" else "right")
    oracular.best_response(oracular.game("mastermind-2x3"), np.ones(9, dtype=np.int64))  # loads the compiled search
    for name in ("jotto-2", "mastermind-3x6", "mastermind-4x6", "bulls-4x7"):
        game = oracular.game(name)
        began = time.perf_counter()
        response = oracular.best_response(game, np.ones(len(game.secrets), dtype=np.int64))
        seconds = time.perf_counter() - began
        total = response.upper * len(game.secrets)
        table.add_row(
            f"best response to a uniform hider, {name}",
            f"{total}/{len(game.secrets)}" + ("" if response.proved else " (not proved)"),
            f"{response.states:,}",
            f"{seconds:.2f}",
            f"{response.states / seconds:,.0f}",
        )
    for name in ("mastermind-4x4", "mastermind-4x6", "jotto-2"):
        solution = oracular.solve(name, solver="exact")
        states = solution.history[-1]["states_searched"]
        table.add_row(
            f"equilibrium of {name}",
            f"{solution.lower}" + ("" if solution.closed else " (not proved)"),
            f"{states:,}",
            f"{solution.seconds:.2f}",
            f"{states / solution.seconds:,.0f}",
        )
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
