"""What each of the guesser's oracles needs against a uniform hider; run by `make race`.

Kept in runs/oracles.json, from which `make results` prints a table.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import oracular
from oracular.costs import Costs
from oracular.planner.planner import Planner

CONSOLE = Console(width=110, highlight=False)


def rows_of(name: str) -> list[dict[str, object]]:
    """Return the average number of guesses of each oracle, and the seconds it took."""
    game = oracular.game(name)
    ones = np.ones(len(game.secrets), dtype=np.int64)
    rows: list[dict[str, object]] = []

    def add(oracle: str, depths: np.ndarray, began: float) -> None:
        seconds = time.perf_counter() - began
        rows.append({"game": name, "oracle": oracle, "average": float(depths.mean()), "seconds": seconds})

    for ties in ("first", "possible"):
        began = time.perf_counter()
        add(f"greedy, eliminations, ties {ties}", oracular.guesser_gbr_uniform(game, ties).depths(), began)
    for score in ("eliminations", "log", "depth"):
        one = Planner(game, score_name=score, width=1, large_width=1, root_width=1, small_width=1, hope=0)
        began = time.perf_counter()
        add(f"greedy, {score}, exact to three secrets", one.respond(Costs.mean(ones), widen=False).depths(), began)
        eight = Planner(game, score_name=score, width=8, large_width=8, root_width=8, hope=0)
        began = time.perf_counter()
        add(f"lookahead over 8 guesses, {score}", eight.respond(Costs.mean(ones)).depths(), began)
    planner = Planner(game)
    began = time.perf_counter()
    best = min(
        (planner.respond(Costs.mean(ones), explorations=1).depths() for _ in range(20)), key=lambda depths: depths.sum()
    )
    add("planner, 20 responses with exploration", best, began)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/oracles.json"))
    arguments = parser.parse_args()
    oracular.solve("jotto-2", solver="regret-matching", iterations=3)  # loads the compiled code
    rows = [row for name in ("jotto-3", "jotto-4", "jotto-5") for row in rows_of(name)]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(rows) + "\n", encoding="utf-8")
    table = Table(title="Average guesses against a uniform hider", box=None, padding=(0, 2, 0, 0))
    for column in ("game", "oracle", "average", "seconds"):
        table.add_column(column, justify="left" if column in ("game", "oracle") else "right")
    for row in rows:
        table.add_row(str(row["game"]), str(row["oracle"]), f"{row['average']:.4f}", f"{row['seconds']:.2f}")
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
