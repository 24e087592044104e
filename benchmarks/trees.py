"""How fast trees are built: against the paper, against paper.py in the same run, and as the word list grows.

Run by `make bench`. Times are the median of several runs on the machine at hand; the ratios are what counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from oracular import Game, game, paper
from oracular.runs.table import paper_rows
from oracular.strategies.greedy import GreedyEngine
from oracular.system.memory import usable_cores

CONSOLE = Console(width=110, highlight=False)
SUBSETS = (350, 700, 1400, 2833)


def median_seconds(work: Callable[[], object], least_runs: int = 7, least_seconds: float = 0.5) -> float:
    """Return the median time of the work, over several runs."""
    work()
    times: list[float] = []
    while len(times) < least_runs or sum(times) < least_seconds:
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def tree_times(of: Game) -> dict[int, float]:
    """Return the time of one full tree against an uneven hider, by number of threads."""
    weights = np.random.default_rng(0).integers(1, 1 << 20, len(of.secrets))
    times = {}
    for threads in sorted({1, usable_cores()}):
        engine = GreedyEngine(of, threads=threads)
        engine.warm_up()
        times[threads] = median_seconds(lambda engine=engine: engine.depths(weights))
    return times


def against_the_paper() -> None:
    table = Table(title="One full tree (depths of all words) from scratch", box=None, padding=(0, 2, 0, 0))
    threads = usable_cores()
    for column in ("letters", "words", "1 thread", f"{threads} threads", "speed-up", "paper, 16 CPUs", "times faster"):
        table.add_column(column, justify="right")
    for letters, row in paper_rows().items():
        times = tree_times(game(f"jotto-{letters}"))
        theirs = row["minutes_per_iteration"] * 60
        table.add_row(
            str(letters),
            f"{row['words']:,.0f}",
            f"{1e3 * times[1]:.3g} ms",
            f"{1e3 * times[threads]:.3g} ms",
            f"{times[1] / times[threads]:.2f}",
            f"{theirs:.3g} s",
            f"{theirs / min(times.values()):,.0f}",
        )
    CONSOLE.print(table)


def against_the_slow_twin() -> None:
    table = Table(title="\nThe same tree by paper.py, in this run", box=None, padding=(0, 2, 0, 0))
    for column in ("letters", "paper.py", "fast engine", "ratio"):
        table.add_column(column, justify="right")
    for letters in (2, 3):
        small = game(f"jotto-{letters}")
        dictionary = paper.Dictionary.of(small.secrets)
        uniform, ones = dictionary.uniform(), np.ones(len(small.secrets), dtype=np.int64)
        engine = GreedyEngine(small)
        slow = median_seconds(lambda d=dictionary, u=uniform: paper.comp_num_guesses(d, u), least_runs=3)
        fast = median_seconds(lambda e=engine, w=ones: e.depths(w))
        table.add_row(str(letters), f"{1e3 * slow:.3g} ms", f"{1e3 * fast:.3g} ms", f"{slow / fast:,.0f}")
    CONSOLE.print(table)


def growth() -> None:
    table = Table(title="\nHow one tree grows with the words (subsets of five letters)", box=None, padding=(0, 2, 0, 0))
    for column in ("words", "1 thread", "per word", "to the row above"):
        table.add_column(column, justify="right")
    words = np.array(game("jotto-5").secrets)
    before = None
    for size in SUBSETS:
        subset = np.random.default_rng(size).choice(words, size, replace=False)
        engine = GreedyEngine(game("jotto-5", subset.tolist()))
        ones = np.ones(size, dtype=np.int64)
        seconds = median_seconds(lambda e=engine, w=ones: e.depths(w))
        ratio = "" if before is None else f"× {seconds / before:.2f}"
        table.add_row(f"{size:,}", f"{1e3 * seconds:.3g} ms", f"{1e6 * seconds / size:.3g} µs", ratio)
        before = seconds
    CONSOLE.print(table)


if __name__ == "__main__":
    against_the_paper()
    against_the_slow_twin()
    growth()
