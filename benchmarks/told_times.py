"""How long runs were told to take, beside what they then took.

Each setting is solved in a process of its own, as a user would, and the forecast of its whole time is compared with
the time that it took; of a game so large that its first iteration takes long, that is compared as well. Loading and
compiling code is counted in neither: the column "ready" tells it apart. A ratio between 0.5 and 2 is a promise kept;
"-" says that nothing was told, since it was over before, or since nobody could know.

On a machine that others use too, the same work takes now this long and now that. `--processor` counts the time of the
processor in place of that of the clock, on one thread, in what is told and in what is taken alike.

    python benchmarks/told_times.py                 two to five letters, all solvers and engines, large lists
    python benchmarks/told_times.py --processor     ... by the time of the processor
    python benchmarks/told_times.py --cold          ... with nothing compiled beforehand (minutes more)
    python benchmarks/told_times.py jotto-5:fictitious-play:scratch:500
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

SETTINGS = (
    "jotto-2:fictitious-play:incremental:40000", "jotto-2:fictitious-play:scratch:40000",
    "jotto-2:regret-matching::2000", "jotto-2:exact::1000",
    "jotto-3:fictitious-play:incremental:40000", "jotto-3:fictitious-play:scratch:10000",
    "jotto-3:regret-matching::200",
    "jotto-4:fictitious-play:incremental:20000", "jotto-4:fictitious-play:scratch:3000",
    "jotto-4:regret-matching::150",
    "jotto-5:fictitious-play:incremental:3906", "jotto-5:fictitious-play:incremental:30000",
    "jotto-5:fictitious-play:scratch:1000", "jotto-5:fictitious-play:local cluster:100", "jotto-5:regret-matching::100",
    "jotto-5-repeats-anagrams:fictitious-play:incremental:1000",
    "jotto-5-repeats-anagrams:fictitious-play:scratch:100",
    "mastermind-4x6:fictitious-play:incremental:3000",
    "12000 words:fictitious-play:incremental:400", "12000 words:fictitious-play:scratch:100",
    "50000 words:fictitious-play:incremental:1",
)  # fmt: skip
"""Game, solver, engine and iterations."""

FIRST = "for the first iteration"


def made_up_words(count: int) -> list[str]:
    """Return so many made-up words of five letters."""
    consonants, vowels, random = "bcdfghjklmnprstvwz", "aeiou", Random(0)
    patterns = [[consonants if letter == "c" else vowels for letter in text] for text in ("cvcvc", "ccvcv", "cvccv")]
    words = ["".join(letters) for pattern in patterns for letters in product(*pattern)]
    random.shuffle(words)
    return sorted(words[:count])


def measure(setting: str, by_processor: bool) -> dict[str, Any]:
    """Return what was told of a run and what it took; in this process."""
    import oracular
    from oracular.cluster import connect
    from oracular.runs import drive, limits
    from oracular.runs.progress_line import SECONDS_ON_SCREEN

    name, solver, engine, iterations = setting.split(":")
    if by_processor:
        drive.time = limits.time = SimpleNamespace(monotonic=time.process_time)  # type: ignore[attr-defined]
    count = name.removesuffix(" words")
    game = (
        oracular.game(name) if count == name else oracular.game("jotto-5-repeats-anagrams", made_up_words(int(count)))
    )
    steps: list[limits.Progress] = []
    told: list[tuple[Any, int]] = []
    on_cluster = engine == "local cluster"
    with connect("local") if on_cluster else nullcontext() as cluster:
        began = time.perf_counter()
        solution = oracular.solve(
            game,
            solver=solver,
            iterations=int(iterations),
            resources=oracular.Resources(
                threads=1 if by_processor else None, cluster=cluster, engine=None if on_cluster else engine or None
            ),
            observer=oracular.Observer(
                step=steps.append,
                forecast=lambda forecast: told.append((forecast, steps[-1].iteration + 1 if steps else 0)),
                pause=SECONDS_ON_SCREEN,
            ),
        )
        wall = time.perf_counter() - began
    whole = [(forecast, made) for forecast, made in told if forecast.what != FIRST]
    return {
        "setting": setting,
        "ready": wall - solution.seconds if not by_processor else None,
        "told": whole[0][0].seconds if whole else None,
        "after": whole[0][1] if whole else None,
        "advice": whole[0][0].advice if whole else "",
        "taken": solution.seconds,
        "first_told": next((forecast.seconds for forecast, _ in told if forecast.what == FIRST), None),
        "first_taken": steps[0].seconds,
    }


def figure(seconds: float | None) -> str:
    """Return a time as text, or a dash where there is none."""
    return "-" if seconds is None else f"{seconds:.3g} s"


def ratio(told: float | None, taken: float) -> str:
    """Return how many times as long it was told to take, or a dash where nothing was told."""
    return "-" if told is None else f"{told / taken:.2f}"


def line(setting: str, *cells: str) -> str:
    """Return a line of the table."""
    return f"{setting:58}" + "".join(f"{cell:>9}" for cell in cells[:-1]) + f"  {cells[-1]}"


def main() -> None:
    """Print the table of what was told and taken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("settings", nargs="*", default=SETTINGS, metavar="GAME:SOLVER:ENGINE:ITERATIONS")
    parser.add_argument("--processor", action="store_true", help="count the time of the processor, on one thread")
    parser.add_argument("--cold", action="store_true", help="compile everything anew in each process")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.processor)))
        return
    print(line("setting", "ready", "told", "taken", "ratio", "told after"))
    for setting in options.settings:
        if options.processor and "cluster" in setting:
            continue  # its work is done by other processes
        row = measured_apart(setting, options.processor, options.cold)
        after = "" if row["after"] is None else f"{row['after']:,} iterations"
        ready, told, taken = row["ready"], row["told"], row["taken"]
        print(line(setting, figure(ready), figure(told), figure(taken), ratio(told, taken), after), flush=True)
        if row["first_told"] is not None:
            told, taken = row["first_told"], row["first_taken"]
            print(line("    its first iteration", "", figure(told), figure(taken), ratio(told, taken), ""))
        if row["advice"]:
            print(f"    {row['advice']}")


def measured_apart(setting: str, by_processor: bool, cold: bool) -> dict[str, Any]:
    """Return what `measure` gives in a process of its own; a cold one finds no compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {"NUMBA_CACHE_DIR": folder} if cold else {}
        arguments = ["--one", setting, *(["--processor"] if by_processor else [])]
        done = subprocess.run(
            [sys.executable, __file__, *arguments],
            env={**os.environ, **kept}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


if __name__ == "__main__":
    main()
