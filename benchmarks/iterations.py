"""What an iteration of fictitious play takes with all that a run does: many made in one go, beside one by one.

Both ways make the same run with the incremental engine on one thread, history and checkpoints written to a folder, as
`oracular solve` does, in turns in one process; the histories are compared byte by byte. Somebody who wants to hear of
every step has each made by itself. The time is that of the processor, the shortest of several runs; loading compiled
code is not counted, making the folder is.

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
from oracular import Game, Observer, Resources
from oracular.runs.layout import HISTORY
from oracular.runs.progress_line import SECONDS_ON_SCREEN

CONSOLE = Console(width=120, highlight=False)
ITERATIONS = {2: 10_000, 3: 10_000, 4: 1_500, 5: 400}
TURNS = 5


def ignore(_: object) -> None:
    """Take no notice of a step."""


WAYS = {"one by one": Observer(step=ignore), "many in one go": Observer(step=ignore, pause=SECONDS_ON_SCREEN)}
"""Who watches a run: somebody who hears of every step, or a line on the screen."""


def run(game: Game, iterations: int, observer: Observer, folder: Path) -> tuple[float, bytes]:
    """Return the seconds that a run takes the processor, and its history."""
    began = time.process_time()
    oracular.solve(game, iterations=iterations, out=folder, resources=Resources(threads=1), observer=observer)
    return time.process_time() - began, (folder / HISTORY).read_bytes()


def compare(letters: int, iterations: int) -> dict[str, float]:
    """Return for each way the microseconds that an iteration takes."""
    game = oracular.game(f"jotto-{letters}")
    least = dict.fromkeys(WAYS, float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(TURNS + 1):
            histories = set()
            for number, (way, observer) in enumerate(WAYS.items()):
                count = iterations if turn else 10  # the first turn loads compiled code
                seconds, history = run(game, count, observer, Path(scratch) / f"{turn}-{number}")
                histories.add(history)
                if turn:
                    least[way] = min(least[way], 1e6 * seconds / (count + 1))
            assert len(histories) == 1, "the histories differ"
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the iterations")
    tenth = parser.parse_args().quick
    table = Table(title="\nAn iteration of fictitious play, with the driver", box=None, padding=(0, 2, 0, 0))
    for column in ("letters", "iterations", *WAYS, "one by one / many"):
        table.add_column(column, justify="right")
    for letters, whole in ITERATIONS.items():
        iterations = whole // 10 if tenth else whole
        taken = compare(letters, iterations)
        ratio = taken["one by one"] / taken["many in one go"]
        table.add_row(str(letters), f"{iterations:,}", *(f"{taken[way]:.3g} µs" for way in WAYS), f"{ratio:.2f}")
    CONSOLE.print(table)
    CONSOLE.print("processor time on one thread, history and checkpoints written; the histories are equal", style="dim")


if __name__ == "__main__":
    main()
