"""How much faster a tree is built by 1 and by 2 Dask workers than by one thread here, and what each process holds.

    python benchmarks/cluster.py [--words 50000] [--workers 1 2] [--trees 3]

The words are a seeded random subset of the 65,780 sets of five letters. Times are the median over some trees; every
tree is compared with the one that is built here, bit by bit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from letter_sets import peak_memory, random_words, uneven_weights
from oracular import Game, game
from oracular.cluster import connect
from oracular.cluster.trees import DistributedEngine
from oracular.responses.greedy import GreedyEngine

CONSOLE = Console(width=110, highlight=False)


def timed_trees(builder: GreedyEngine | DistributedEngine, trees: int) -> tuple[list[np.ndarray], float]:
    """Return the depths of some trees, and the median time of one."""
    size = len(builder.game.secrets) if isinstance(builder, GreedyEngine) else len(builder.engine.game.secrets)
    found, times = [], []
    for seed in range(trees):
        weights = uneven_weights(size, seed)
        began = time.perf_counter()
        found.append(builder.depths(weights))
        times.append(time.perf_counter() - began)
    return found, statistics.median(times)


def here(of: Game, trees: int) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Return the trees that one thread of this process builds, and how long and how large it was."""
    engine = GreedyEngine(of, threads=1)
    engine.warm_up()
    engine.depths(uneven_weights(len(of.secrets)))  # builds whatever the engine keeps
    depths, seconds = timed_trees(engine, trees)
    return depths, {"workers": 0, "seconds": seconds, "peak_memory": [peak_memory()]}


def there(of: Game, workers: int, trees: int, expected: list[np.ndarray]) -> dict[str, Any]:
    """Return the same for so many workers of a local cluster, whose trees must be the expected ones."""
    with connect("local", workers) as cluster:
        builder = DistributedEngine(GreedyEngine(of), cluster)
        began = time.perf_counter()
        builder.warm_up()
        start = time.perf_counter() - began
        depths, seconds = timed_trees(builder, trees)
        assert all(np.array_equal(one, other) for one, other in zip(depths, expected, strict=True))
        return {"workers": workers, "seconds": seconds, "start": start, "peak_memory": cluster.on_each(peak_memory)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=50_000, help="how many words [50000]")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers [1 2]")
    parser.add_argument("--trees", type=int, default=3, help="trees to take the median of [3]")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    of = game("jotto-5", random_words(given.words))
    expected, alone = here(of, given.trees)
    rows = [alone, *(there(of, workers, given.trees, expected) for workers in given.workers)]
    if given.json:
        print(json.dumps({"words": given.words, "rows": rows}))
        return
    table = Table(title=f"One full tree of {given.words:,} words", box=None, padding=(0, 2, 0, 0))
    for column in ("built by", "time", "speed-up", "to one worker", "peak memory of a process"):
        table.add_column(column, justify="right")
    one = next((row for row in rows if row["workers"] == 1), alone)
    for row in rows:
        table.add_row(
            f"{row['workers']} workers" if row["workers"] else "one thread here",
            f"{row['seconds']:.3f} s",
            f"{alone['seconds'] / row['seconds']:.2f}",
            f"{one['seconds'] / row['seconds']:.2f}" if row["workers"] else "",
            f"{max(row['peak_memory']) / 2**20:,.0f} MiB",
        )
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
