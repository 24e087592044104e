"""How much faster a tree is built by 1 and by 2 Dask workers than by one thread here, and what each process holds.

    python benchmarks/cluster.py [--words 50000] [--workers 1 2] [--trees 3]

The words are a seeded random subset of the 65,780 sets of five letters. Wall times are the median over some trees;
the processor time of the busiest process is the least that they could come to if nobody else wanted the cores. Every
tree is compared with the one that is built here, bit by bit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from oracular import Game, game
from oracular.cluster import connect
from oracular.cluster.trees import DistributedEngine
from oracular.strategies.greedy import GreedyEngine

from letter_sets import peak_memory, random_words, uneven_weights

CONSOLE = Console(width=110, highlight=False)


Builder = GreedyEngine | DistributedEngine
Clocks = Callable[[], list[float]]


def timed_trees(builder: Builder, trees: int, clocks: Clocks) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Return the depths of some trees, the median time of one, and the processor time each process gave to one."""
    size = len(builder.game.secrets) if isinstance(builder, GreedyEngine) else len(builder.engine.game.secrets)
    found, times, before = [], [], clocks()
    for seed in range(trees):
        weights = uneven_weights(size, seed)
        began = time.perf_counter()
        found.append(builder.depths(weights))
        times.append(time.perf_counter() - began)
    cpu = [(after - start) / trees for after, start in zip(clocks(), before, strict=True)]
    return found, {"seconds": statistics.median(times), "cpu": cpu}


def here(of: Game, trees: int) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Return the trees that one thread of this process builds, and how long and how large it was."""
    engine = GreedyEngine(of, threads=1)
    engine.warm_up()
    engine.depths(uneven_weights(len(of.secrets)))  # builds whatever the engine keeps
    depths, times = timed_trees(engine, trees, lambda: [time.process_time()])
    return depths, {"workers": 0, **times, "peak_memory": [peak_memory()]}


def there(of: Game, workers: int, trees: int, expected: list[np.ndarray]) -> dict[str, Any]:
    """Return the same for so many workers of a local cluster, whose trees must be the expected ones."""
    with connect("local", workers) as cluster:
        builder = DistributedEngine(GreedyEngine(of), cluster)
        began = time.perf_counter()
        builder.warm_up()
        start = time.perf_counter() - began
        depths, times = timed_trees(builder, trees, lambda: list(cluster.client.run(time.process_time).values()))
        assert all(np.array_equal(one, other) for one, other in zip(depths, expected, strict=True))
        return {
            "workers": workers,
            **times,
            "start": start,
            "peak_memory": list(cluster.client.run(peak_memory).values()),
        }


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
    for column in ("built by", "wall time", "speed-up", "busiest process", "at best", "memory of a process"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            f"{row['workers']} workers" if row["workers"] else "one thread here",
            f"{row['seconds']:.3f} s",
            f"{alone['seconds'] / row['seconds']:.2f}",
            f"{max(row['cpu']):.3f} s",
            f"{max(alone['cpu']) / max(row['cpu']):.2f}",
            f"{max(row['peak_memory']) / 2**20:,.0f} MiB",
        )
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
