"""What an iteration of fictitious play takes with all that a run does: many made in one go, beside one at a time.

Both make the same run in a folder, as `oracular solve --out` does, with the incremental engine on one thread. The two
take turns in one process, and their histories are compared byte by byte. The time is that of the processor, the
shortest of several runs. Making the folder is counted, loading compiled code is not.

    python benchmarks/iterations.py             2, 3, 4 and 5 letters
    python benchmarks/iterations.py --quick     a tenth of the iterations
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

import oracular
from oracular import Game, Resources
from oracular.runs import drive
from oracular.runs.format import HISTORY

CONSOLE = Console(width=120, highlight=False)
ITERATIONS = {2: 10_000, 3: 10_000, 4: 1_500, 5: 400}
"""How many iterations are made with each number of letters."""
TURNS = 5

ONE, MANY = "one at a time", "many in one go"
SECONDS_AT_ONCE = {ONE: 0.0, MANY: drive.SECONDS_AT_ONCE}
"""How long the iterations of one compiled call may take."""


def run(game: Game, iterations: int, way: str, folder: Path) -> tuple[float, bytes]:
    """Return the seconds that a run takes the processor, and its history."""
    drive.SECONDS_AT_ONCE = SECONDS_AT_ONCE[way]
    began = time.process_time()
    oracular.solve(game, iterations=iterations, out=folder, resources=Resources(threads=1))
    return time.process_time() - began, (folder / HISTORY).read_bytes()


def compare(letters: int, iterations: int) -> dict[str, float]:
    """Return the microseconds that an iteration takes one at a time, and with many in one go."""
    game = oracular.game(f"jotto-{letters}")
    least = dict.fromkeys(SECONDS_AT_ONCE, float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        for way in SECONDS_AT_ONCE:
            run(game, 10, way, Path(tempfile.mkdtemp(dir=scratch)) / "run")  # compiled code is loaded
        for _ in range(TURNS):
            histories = set()
            for way in SECONDS_AT_ONCE:
                seconds, history = run(game, iterations, way, Path(tempfile.mkdtemp(dir=scratch)) / "run")
                histories.add(history)
                least[way] = min(least[way], 1e6 * seconds / (iterations + 1))
            assert len(histories) == 1, "the histories differ"
    return least


def microseconds(taken: float) -> str:
    """Return a time as text, in three figures or to the microsecond."""
    return f"{taken:.3g} µs" if taken < 100 else f"{taken:,.0f} µs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the iterations")
    tenth = parser.parse_args().quick
    table = Table(title="\nAn iteration of fictitious play, with the driver", box=None, padding=(0, 2, 0, 0))
    for column in ("letters", "iterations", *SECONDS_AT_ONCE, "one / many"):
        table.add_column(column, justify="right")
    for letters, whole in ITERATIONS.items():
        iterations = whole // 10 if tenth else whole
        taken = compare(letters, iterations)
        times = (microseconds(taken[way]) for way in SECONDS_AT_ONCE)
        table.add_row(str(letters), f"{iterations:,}", *times, f"{taken[ONE] / taken[MANY]:.2f}")
    CONSOLE.print(table)
    CONSOLE.print("processor time on one thread, history and checkpoints written; the histories are equal", style="dim")


if __name__ == "__main__":
    main()
