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
from oracular.runs.limits import Progress
from oracular.solvers.reweighting import reweighted

LAST_TREES = 400
CONSOLE = Console(width=110, highlight=False)
SOLVERS: dict[str, dict[str, Any]] = {
    "fictitious play, the paper's": {"solver": "fictitious-play", "ties": "first"},
    "fictitious play, ties to possible": {"solver": "fictitious-play", "ties": "possible"},
    "exact, stopped early": {"solver": "exact"},
    "regret matching+ over planned trees": {"solver": "regret-matching"},
}


def race(name: str, seconds: float) -> list[dict[str, Any]]:
    """Return, for each solver, the guarantee over time and at the end."""
    rows = []
    for title, settings in SOLVERS.items():
        if settings["solver"] == "exact" and name == "jotto-5":
            continue  # its linear program over moves is for small games
        points: list[tuple[float, float]] = []
        began = time.perf_counter()

        def watch(step: Progress, points: list[tuple[float, float]] = points, began: float = began) -> None:
            now = time.perf_counter() - began
            if not points or now > 1.03 * points[-1][0]:
                points.append((now, step.now.guarantee))

        solution = oracular.solve(name, time_limit=seconds, observer=oracular.Observer(step=watch), **settings)
        taken = time.perf_counter() - began
        points.append((taken, float(solution.guarantee)))
        rows.append({"solver": title, "game": name, "seconds": taken, "steps": solution.iterations, "points": points})
        if settings.get("ties") == "possible":
            trees = solution.guesser.oracles[-LAST_TREES:]
            anew = reweighted(np.array([tree.depths() for tree in trees], dtype=np.int16))
            taken = time.perf_counter() - began
            last = [(taken, float(anew.guarantee))]
            anew_title = f"{title}, its last {len(trees)} trees weighed anew"
            rows.append({"solver": anew_title, "game": name, "seconds": taken, "steps": len(trees), "points": last})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("runs/race.json"))
    arguments = parser.parse_args()
    for solver in ("fictitious-play", "regret-matching", "exact"):
        oracular.solve("mastermind-2x3", solver=solver, iterations=2)  # loads the compiled code
    rows = [row for name in ("jotto-3", "jotto-5") for row in race(name, arguments.seconds)]
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
