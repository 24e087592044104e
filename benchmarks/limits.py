"""How far each command overruns its `--time` on large games, in one run.

Every command is run twice in this process: on a small game first, which loads its compiled code, then on a large one.
What counts is the second. `python benchmarks/limits.py solve` runs only the rows whose command line has that word.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import string
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from oracular.cli.main import main as oracular_command

CONSOLE = Console(width=120, highlight=False)
COMMANDS = {
    "solve {game} --out {new}": "large random huge",
    "solve {game} --solver regret-matching --out {new}": "large random",
    "solve {game} --solver exact --out {new}": "large codes",
    "respond {game}": "large random",
    "respond {game} --greedy": "large random",
    "certify {run}": "large random",
    "verify {run}": "large random",
    "verify {name}": "paper",
    "evaluate {run}": "large random paper",
    "leaderboard {name} --runs {new}": "large paper",
}
"""The commands, and the games that each is run on."""


def random_words(path: Path, count: int) -> Path:
    """Write a list of so many different words of five letters, always the same ones."""
    draw = random.Random(2012)
    words: set[str] = set()
    while len(words) < count:
        words.add("".join(draw.choices(string.ascii_lowercase, k=5)))
    path.write_text("\n".join(sorted(words)), encoding="utf-8")
    return path


def quietly(command: str) -> tuple[int, float, str]:
    """Run a command and return its exit code, the seconds it took, and the last line of its errors."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        began = time.perf_counter()
        code = oracular_command(command.split())
        taken = time.perf_counter() - began
    return code, taken, (errors.getvalue().strip().splitlines() or [""])[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("words", nargs="*", help="run only the command lines with all of these words")
    arguments = parser.parse_args()
    table = Table(title=f"Seconds beyond --time {arguments.seconds:g}", box=None, padding=(0, 2, 0, 0))
    for column in ("command", "beyond", "ended"):
        table.add_column(column, justify="right" if column == "beyond" else "left")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        lists = "jotto-5-repeats-anagrams --words {}"
        games = {
            "tiny": "jotto-2",
            "large": "jotto-5-repeats-anagrams",
            "random": lists.format(random_words(folder / "12000", 12_000)),
            "huge": lists.format(random_words(folder / "50000", 50_000)),
            "codes": "mastermind-4x6",
            "paper": "jotto-5",
        }
        for command, chosen in COMMANDS.items():
            for size in ("tiny", *chosen.split()):
                if size != "tiny" and not all(word in f"{command} {size}".split() for word in arguments.words):
                    continue
                run = folder / f"run-{size}"
                if "{run}" in command and not run.exists():
                    quietly(f"solve {games[size]} --iterations 2 --out {run}")
                new = folder / f"new-{len(table.rows)}-{size}-{time.monotonic_ns()}"
                filled = command.format(game=games[size], name=games[size].split()[0], run=run, new=new)
                code, taken, last = quietly(f"{filled} --time {arguments.seconds if size != 'tiny' else 1}")
                if size != "tiny":
                    shown = command.format(game=size, name=size, run=f"a run of {size}", new="a new folder")
                    table.add_row(shown, f"{taken - arguments.seconds:+.2f}", last[:40] if code else "")
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
