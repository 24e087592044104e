"""What each solver guarantees after so many seconds, for 3 and 5 letters, in one run; run by `make bench`.

The race is kept in runs/race.json, from which `make results` draws the guarantee over time.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import oracular
from oracular.runs.drive import Progress
from oracular.solvers.regret_matching import reweighted
from oracular.strategies.greedy import GreedyEngine

LAST_TREES = 400
CONSOLE = Console(width=110, highlight=False)
TIES_TO_POSSIBLE = "fictitious play, ties to possible"
REOPTIMIZED = "fictitious play, re-optimized"
SOLVERS: dict[str, dict[str, Any]] = {
    "fictitious play": {"solver": "fictitious-play", "settings": {"ties": "first"}},
    TIES_TO_POSSIBLE: {"solver": "fictitious-play", "settings": {"ties": "possible"}},
    "exact": {"solver": "exact"},
    "regret matching+": {"solver": "regret-matching"},
}


def race(name: str, **limits: Any) -> list[dict[str, Any]]:
    """Return, for each solver, the guarantee over time and at the end, within limits that `oracular.solve` takes.

    All begin at the same zero: the game is ready, compiled code is loaded, and what is guaranteed is what one greedy
    tree against a uniform hider guarantees. Time is that of solving alone.
    """
    game = oracular.game(name)
    start = float(GreedyEngine(game, "first").depths(np.ones(len(game.secrets), dtype=np.int64)).max())
    rows = []
    for title, how in SOLVERS.items():
        if how["solver"] == "exact" and name == "jotto-5":
            continue  # its linear program over moves is for small games
        points = [(0.0, start)]

        def watch(step: Progress, points: list[tuple[float, float]] = points) -> None:
            if step.seconds > 1.03 * points[-1][0]:
                points.append((step.seconds, step.now.guarantee))

        solution = oracular.solve(game, progress=watch, **how, **limits)
        points.append((solution.seconds, float(solution.guarantee)))
        rows.append(_row(title, name, solution.iterations, points))
        if title == TIES_TO_POSSIBLE:
            began = time.perf_counter()
            trees = solution.guesser.oracles[-LAST_TREES:]
            again = reweighted(np.array([tree.depths() for tree in trees], dtype=np.int16))
            taken = solution.seconds + time.perf_counter() - began
            rows.append(_row(REOPTIMIZED, name, len(trees), [(taken, float(again.guarantee))]))
    return rows


def _row(solver: str, game: str, steps: int, points: list[tuple[float, float]]) -> dict[str, Any]:
    """Return what is kept of one solver's race."""
    return {"solver": solver, "game": game, "seconds": points[-1][0], "steps": steps, "points": points}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("runs/race.json"))
    arguments = parser.parse_args()
    for solver in ("fictitious-play", "regret-matching", "exact"):
        oracular.solve("mastermind-2x3", solver=solver, iterations=2)  # loads the compiled code
    rows = [row for name in ("jotto-3", "jotto-5") for row in race(name, time_limit=arguments.seconds)]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(rows) + "\n", encoding="utf-8")
    table = Table(title=f"Guarantee after {arguments.seconds:.0f} seconds", box=None, padding=(0, 2, 0, 0))
    for column in ("game", "solver", "steps", "seconds", "guarantee"):
        table.add_column(column, justify="left" if column in ("game", "solver") else "right")
    for row in rows:
        final = row["points"][-1][1]
        table.add_row(row["game"], row["solver"], f"{row['steps']:,}", f"{row['seconds']:.0f}", f"{final:.4f}")
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
