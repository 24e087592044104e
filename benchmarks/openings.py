"""How long the best tree with an opening of Wordle takes as a whole command, beside another program if there is one.

    python benchmarks/openings.py
    python benchmarks/openings.py --peer ./wordle --peer-lists FOLDER

Processor time of one thread, start-up included, with compiled code in the cache; the least of three runs. The other
program is alex1770/wordle, built from its own sources; FOLDER has its `wordlist_orig_all` and `wordlist_orig_hidden`.
Prints a table in Markdown, as docs/performance.md has it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

OPENINGS = [
    ("wordle", "salet"), ("wordle", "reast"), ("wordle", "crate"), ("wordle", "trace"),
    ("wordle-hard", "salet"), ("wordle-hard", "least"), ("wordle-hard", "reast"),
]  # fmt: skip
WITHIN_SIX = {"utilities": [6, 5, 4, 3, 2, 1, -20000]}
"""The expected number of guesses, with more than six guesses worse than anything."""

RUNS = 3


def seconds_of(command: list[str]) -> float:
    """Return the processor time of a command, the least of a few runs."""
    least = float("inf")
    for _ in range(RUNS):
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = getrusage(RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main() -> None:
    """Measure all openings and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, help="the other program")
    parser.add_argument("--peer-lists", type=Path, help="the folder of its word lists")
    asked = parser.parse_args()
    if (asked.peer is None) != (asked.peer_lists is None):
        parser.error("give both --peer and --peer-lists, or neither")
    sums = [0.0, 0.0]
    print("| game | opening | oracular | peer | ratio |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        six = Path(folder) / "six.json"
        six.write_text(json.dumps(WITHIN_SIX), encoding="utf-8")
        for game, opening in OPENINGS:
            hard = game.endswith("hard")
            command = [sys.executable, "-m", "oracular", "respond", game, "--opening", opening, "--threads", "1"]
            ours = seconds_of([*command, *(["--objective", str(six)] if hard else [])])
            name = "wordle, hard mode within six guesses" if hard else game
            if asked.peer is None:
                print(f"| {name} | {opening} | {ours:.2f} s | | |", flush=True)
                continue
            lists = [str(asked.peer_lists / f"wordlist_orig_{which}") for which in ("all", "hidden")]
            peer = [str(asked.peer), "-a", lists[0], "-h", lists[1], "-w", opening, *(["-H", "-g6"] if hard else [])]
            theirs = seconds_of(peer)
            sums = [sums[0] + ours, sums[1] + theirs]
            print(f"| {name} | {opening} | {ours:.2f} s | {theirs:.2f} s | {ours / theirs:.2f} |", flush=True)
    if sums[1]:
        print(f"| all seven | | {sums[0]:.2f} s | {sums[1]:.2f} s | {sums[0] / sums[1]:.2f} |")


if __name__ == "__main__":
    main()
