"""How much faster trees have become: the incremental engine, the one from scratch, and the one before both.

Each engine plays the paper's experiment, fictitious play with ties to the first word, in a process of its own, so that
its peak memory is its own. The trees of all three are the same, which is checked. With `--sample N` the slower engines
play the first N iterations only, since each of their trees takes about as long as any other; what the whole experiment
takes them is worked out from that and marked with "~". Ratios are of the processor's time where one thread works, which
other work on the machine disturbs less, and of the clock's otherwise.

    python benchmarks/engines.py            3, 4 and 5 letters, as many iterations as the paper
    python benchmarks/engines.py --quick    fewer iterations
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import oracular
from oracular import Game
from oracular.kernels.threads import usable_threads
from oracular.memory import size_text
from oracular.report.table import paper_rows
from oracular.responses.greedy import GreedyEngine
from oracular.responses.hider import add_response, best_response_to_depths, shared_unit
from oracular.responses.incremental import IncrementalTrees

CONSOLE = Console(width=120, highlight=False)
ENGINES = ("incremental", "scratch", "earlier")
Trees = Callable[[NDArray[np.int64]], NDArray[np.int32]]


def trees_of(engine: str, game: Game, threads: int) -> Trees:
    """Return what builds the trees of an engine."""
    if engine == "incremental":
        return IncrementalTrees(GreedyEngine(game, threads=threads)).depths
    if engine == "scratch":
        return GreedyEngine(game, threads=threads).depths
    import earlier_engine

    by_secret, finder, width = game.by_secret, game.guess_of_secret, 1 << (len(game.labels) - 1).bit_length()
    threads = threads if by_secret.size >= 1 << 20 else 1  # as it did then
    return lambda weights: earlier_engine.tree_depths(by_secret, finder, weights, game.found, 0, width, threads)


def play(engine: str, letters: int, iterations: int, threads: int) -> dict[str, Any]:
    """Return what the first iterations of the experiment took: seconds by the clock and the processor, memory."""
    game = oracular.game(f"jotto-{letters}")
    trees_of(engine, game, threads)(np.ones(len(game.secrets), dtype=np.int64))  # compiled code is loaded
    trees = trees_of(engine, game, threads)
    weights = np.full(len(game.secrets), shared_unit(len(game.secrets)), dtype=np.int64)
    totals = np.zeros(len(game.secrets), dtype=np.int64)
    clock, processor, check = time.perf_counter(), time.process_time(), []
    for iteration in range(iterations + 1):
        if iteration:
            add_response(weights, best_response_to_depths(totals))
        totals += trees(weights)
        check.append(int(totals @ weights))
    return {
        "clock": time.perf_counter() - clock,
        "processor": time.process_time() - processor,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "check": check,
    }


def play_apart(engine: str, letters: int, iterations: int, threads: int) -> dict[str, Any]:
    """Return the same, from a process of its own."""
    command = [sys.executable, __file__, "--play", engine, str(letters), str(iterations), str(threads)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def experiments(quick: bool, sample: int) -> None:
    threads = usable_threads()
    for count in sorted({1, threads}):
        table = Table(title=f"\nThe paper's experiment on {count} thread(s)", box=None, padding=(0, 2, 0, 0))
        for column in ("letters", "iterations", "engine", "clock", "processor", "peak memory", "earlier / this"):
            table.add_column(column, justify="right")
        for letters in (3, 4, 5):
            whole = int(paper_rows()[letters]["iterations"])
            whole = whole // 10 if quick else whole
            made = {engine: whole if engine == "incremental" else min(whole, sample) for engine in ENGINES}
            played = {engine: play_apart(engine, letters, made[engine], count) for engine in reversed(ENGINES)}
            for engine in ENGINES:
                shared = made[engine] + 1
                assert played["incremental"]["check"][:shared] == played[engine]["check"], "the trees differ"
            by = "processor" if count == 1 else "clock"
            earlier = played["earlier"][by] / (made["earlier"] + 1)
            for engine in ENGINES:
                result, scale = played[engine], (whole + 1) / (made[engine] + 1)
                about = "~" if scale > 1 else ""
                table.add_row(
                    str(letters),
                    f"{whole:,}",
                    engine,
                    f"{about}{scale * result['clock']:.3g} s",
                    f"{about}{scale * result['processor']:.3g} s",
                    size_text(result["peak"]),
                    f"{earlier / (result[by] / (made[engine] + 1)):.1f}",
                )
        CONSOLE.print(table)


def one_tree() -> None:
    table = Table(title="\nOne tree from scratch, uneven weights", box=None, padding=(0, 2, 0, 0))
    threads = usable_threads()
    for column in (
        "letters",
        "1 thread",
        f"{threads} threads",
        "earlier, 1 thread",
        "table read once a level",
        "times",
    ):
        table.add_column(column, justify="right")
    for letters in (3, 4, 5):
        game = oracular.game(f"jotto-{letters}")
        weights = np.random.default_rng(0).integers(1, 1 << 20, len(game.secrets))
        works: dict[str, Trees] = {
            "one": trees_of("scratch", game, 1),
            "all": trees_of("scratch", game, threads),
            "earlier": trees_of("earlier", game, 1),
            "read": lambda _, game=game: game.by_secret.max(),
        }
        levels = int(works["one"](weights).max())
        times: dict[str, list[float]] = {name: [] for name in works}
        for turn in range(25):
            for name, work in works.items():
                began = time.perf_counter()
                work(weights)
                if turn >= 5:
                    times[name].append(time.perf_counter() - began)
        best = {name: min(taken) for name, taken in times.items()}
        middle = {name: statistics.median(taken) for name, taken in times.items()}
        reading = levels * best["read"]
        table.add_row(
            str(letters),
            *(f"{1e3 * best[name]:.3g} ({1e3 * middle[name]:.3g}) ms" for name in ("one", "all", "earlier")),
            f"{1e3 * reading:.3g} ms ({levels} levels)",
            f"{best['one'] / reading:.1f}",
        )
    CONSOLE.print(table)
    CONSOLE.print(
        "least time, the median in brackets; the last column is the tree on one thread / reading", style="dim"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the iterations")
    parser.add_argument("--sample", type=int, default=10**9, metavar="N", help="iterations of the slower engines")
    parser.add_argument("--play", nargs=4, metavar=("ENGINE", "LETTERS", "ITERATIONS", "THREADS"))
    given = parser.parse_args()
    if given.play:
        print(json.dumps(play(given.play[0], *map(int, given.play[1:]))))
    else:
        experiments(given.quick, given.sample)  # first: a process begins with the peak memory of the one it came from
        one_tree()
