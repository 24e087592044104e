"""How much faster trees are built from earlier ones: the incremental engine beside the one from scratch.

The paper's experiment, fictitious play with ties to the first word, is played with the incremental engine. Along the
way, at iterations spread evenly over the run, the tree is built from scratch as well and compared: the same tree,
moments apart on the same machine, so that whatever else the machine does bears on both alike. What the whole experiment
takes from scratch is worked out from those trees and marked with "~".

Peak memory is that of a process in which an engine works alone.

    python benchmarks/engines.py                3, 4 and 5 letters, as many iterations as the paper
    python benchmarks/engines.py --quick        a tenth of the iterations
    python benchmarks/engines.py --every        every tree is built from scratch too
    python benchmarks/engines.py --letters 5 --threads 2 --repeat 5     one experiment, several times
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import oracular
from oracular import Game
from oracular.runs.table import paper_rows
from oracular.solvers.fictitious_play import UNIT, add_best_responses, best_responses
from oracular.strategies.greedy import GreedyEngine, IncrementalTrees
from oracular.system.memory import size_text, usable_cores

CONSOLE = Console(width=120, highlight=False)
ENGINES = ("incremental", "scratch")
SAMPLE = 150
"""How many trees are built from scratch as well."""
Trees = Callable[[NDArray[np.int64]], NDArray[np.int32]]


def trees_of(engine: str, game: Game, threads: int) -> Trees:
    """Return what builds the trees of an engine."""
    scratch = GreedyEngine(game, threads=threads)
    return IncrementalTrees(scratch).depths if engine == "incremental" else scratch.depths


def weights_of_play(game: Game, iterations: int, trees: Trees) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Give each iteration of fictitious play and the hider's weights at it, going on with what `trees` gives."""
    weights = np.full(len(game.secrets), UNIT // len(game.secrets), dtype=np.int64)
    totals = np.zeros(len(game.secrets), dtype=np.int64)
    for iteration in range(iterations + 1):
        if iteration:
            add_best_responses(weights, best_responses(totals))
        yield iteration, weights
        totals += trees(weights)


def compare(letters: int, iterations: int, sample: int, threads: int) -> dict[str, dict[str, float]]:
    """Return for each engine the seconds that the experiment takes, by the clock and the processor."""
    game = oracular.game(f"jotto-{letters}")
    ones = np.ones(len(game.secrets), dtype=np.int64)
    engines = {}
    for engine in ENGINES:
        trees_of(engine, game, threads)(ones)  # compiled code is loaded
        engines[engine] = trees_of(engine, game, threads)
    clock, processor, made = dict.fromkeys(ENGINES, 0.0), dict.fromkeys(ENGINES, 0.0), dict.fromkeys(ENGINES, 0)
    depths: dict[str, NDArray[np.int32]] = {}
    every = max(1, (iterations + 1) // sample)
    for iteration, weights in weights_of_play(game, iterations, lambda _: depths["incremental"]):
        for engine in ENGINES if iteration % every == every // 2 else ENGINES[:1]:
            began, worked = time.perf_counter(), time.process_time()
            depths[engine] = engines[engine](weights)
            clock[engine] += time.perf_counter() - began
            processor[engine] += time.process_time() - worked
            made[engine] += 1
            assert np.array_equal(depths[engine], depths["incremental"]), "the trees differ"
    return {
        engine: {
            "clock": clock[engine] / made[engine] * (iterations + 1),
            "processor": processor[engine] / made[engine] * (iterations + 1),
            "made": made[engine],
        }
        for engine in ENGINES
    }


def peak(engine: str, letters: int, iterations: int, threads: int) -> int:
    """Return the bytes that this process has taken at most, after so many iterations of one engine."""
    game = oracular.game(f"jotto-{letters}")
    for _ in weights_of_play(game, iterations, trees_of(engine, game, threads)):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def apart(what: str, *given: object) -> Any:
    """Return what `compare` or `peak` gives, from a process of its own."""
    command = [sys.executable, __file__, "--apart", what, *map(str, given)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def experiments(letters: list[int], threads: list[int], tenth: bool, sample: int, repeat: int) -> None:
    for count in threads:
        table = Table(title=f"\nThe paper's experiment on {count} thread(s)", box=None, padding=(0, 2, 0, 0))
        for column in ("letters", "iterations", "engine", "clock", "processor", "peak memory"):
            table.add_column(column, justify="right")
        table.add_column("times as long as the incremental engine:\nclock", justify="right")
        table.add_column("processor", justify="right")
        for length in letters:
            whole = int(paper_rows()[length]["iterations"]) // (10 if tenth else 1)
            few = min(whole, 20)
            results = [apart("compare", length, whole, sample, count) for _ in range(repeat)]
            peaks = {e: apart("peak", e, length, whole if e == "incremental" else few, count) for e in ENGINES}
            for result in results:
                for engine in ENGINES:
                    this = result[engine]
                    about = "~" if this["made"] <= whole else ""
                    table.add_row(
                        str(length),
                        f"{whole:,}",
                        engine,
                        *(f"{about}{this[by]:.3g} s" for by in ("clock", "processor")),
                        size_text(peaks[engine]),
                        *(f"{this[by] / result['incremental'][by]:.1f}" for by in ("clock", "processor")),
                    )
        CONSOLE.print(table)


def one_tree() -> None:
    table = Table(title="\nOne tree from scratch, uneven weights", box=None, padding=(0, 2, 0, 0))
    threads = usable_cores()
    for column in (
        "letters",
        "1 thread",
        f"{threads} threads",
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
            *(f"{1e3 * best[name]:.3g} ({1e3 * middle[name]:.3g}) ms" for name in ("one", "all")),
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
    parser.add_argument("--every", action="store_true", help="build every tree from scratch too")
    parser.add_argument("--letters", type=int, choices=(3, 4, 5), help="only this experiment")
    parser.add_argument("--threads", type=int, help="only with so many threads")
    parser.add_argument("--repeat", type=int, default=1, help="how often to play each experiment")
    parser.add_argument("--apart", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.apart and given.apart[0] == "compare":
        print(json.dumps(compare(*map(int, given.apart[1:]))))
    elif given.apart:
        print(json.dumps(peak(given.apart[1], *map(int, given.apart[2:]))))
    else:
        experiments(  # first: a process begins with the peak memory of the one it came from
            [given.letters] if given.letters else [3, 4, 5],
            [given.threads] if given.threads else sorted({1, usable_cores()}),
            given.quick,
            10**9 if given.every else SAMPLE,
            given.repeat,
        )
        if not given.letters:
            one_tree()
