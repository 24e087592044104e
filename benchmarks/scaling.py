"""How time and memory grow with words, letters and workers: docs/scaling.json, the page beside it, and its pictures.

    python benchmarks/scaling.py [--most-words 50000] [--most-seconds 120] [--workers 1 2] [--spread-words 12000]
    python benchmarks/scaling.py --page      # the page and the pictures again, from the figures as they are

Run by `make scaling`. Each measurement is made by a process of its own, so that its peak memory is its own. Words are
seeded random sets of letters, all playable; a size whose tree would take too long, or that the engine refuses, is left
out and named.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from oracular import game
from oracular.errors import GameTooLargeError
from oracular.strategies.greedy import GreedyEngine

from letter_sets import peak_memory, random_words, uneven_weights
from scaling_page import write_page

DOCS = Path(__file__).parent.parent / "docs"
FIGURES = DOCS / "scaling.json"
CONSOLE = Console(stderr=True, highlight=False)

WORDS = (1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 24_000, 32_000, 50_000)
LETTERS = (3, 4, 5, 6, 7, 8)
WORDS_FOR_LETTERS = 2_000
REPEATS = 5


def measure_tree(words: int | None, letters: int, seconds: float) -> dict[str, Any]:
    """Return how long one thread takes for a tree, and what the process holds.

    Processor time is what counts: it is the same whether or not other processes want the cores. Without a number of
    words, the dictionary's own are taken.
    """
    of = game(f"jotto-{letters}", None if words is None else random_words(words, letters))
    size = len(of.secrets)
    engine = GreedyEngine(of, threads=1)
    engine.warm_up()
    before = peak_memory()
    began = time.process_time()
    engine.depths(uneven_weights(size))
    first = time.process_time() - began
    trees, openings = [], []
    while len(trees) < REPEATS and sum(trees) + first < seconds:
        weights = uneven_weights(size, len(trees) + 1)
        began = time.process_time()
        engine.depths(weights)
        trees.append(time.process_time() - began)
        began = time.process_time()
        engine.guess(weights, of.all_secrets)
        openings.append(time.process_time() - began)
    return {
        "words": size,
        "letters": letters,
        "dictionary": words is None,
        "first_seconds": first,
        "seconds": statistics.median(trees or [first]),
        "opening_seconds": statistics.median(openings) if openings else None,
        "trees": len(trees),
        "memory": peak_memory(),
        "memory_before": before,
    }


def in_a_process_of_its_own(task: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a measurement gives, or None where the engine refuses the game."""
    command = [sys.executable, __file__, "--task", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout)
    CONSOLE.print(f"{figures['words']:,} words of {figures['letters']} letters: {figures['seconds']:.3g} s a tree")
    return figures


def growth_with_words(most_words: int, most_seconds: float) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a row for each size up to the most words, and what was left out."""
    rows: list[dict[str, Any]] = []
    left_out = []
    for words in (size for size in WORDS if size <= most_words):
        if rows and (expected := rows[-1]["seconds"] * (words / rows[-1]["words"]) ** 2) > most_seconds:
            left_out.append(f"{words:,} words, which would take about {expected:.0f} s a tree")
            continue
        row = in_a_process_of_its_own({"words": words, "letters": 5, "seconds": most_seconds})
        if row is None:
            left_out.append(f"{words:,} words, which the engine refuses for their size")
        else:
            rows.append(row)
    return rows, left_out


def growth_with_letters(most_seconds: float) -> list[dict[str, Any]]:
    """Return a row for each number of letters: as many random words, and the dictionary's own."""
    tasks: list[dict[str, Any]] = [
        {"words": words, "letters": letters, "seconds": most_seconds / 4}
        for words in (WORDS_FOR_LETTERS, None)
        for letters in LETTERS
    ]
    return [row for task in tasks if (row := in_a_process_of_its_own(task)) is not None]


def growth_with_workers(words: int, workers: list[int]) -> dict[str, Any]:
    """Return what the benchmark of the cluster gives."""
    counts = list(map(str, workers))
    script = str(Path(__file__).with_name("cluster.py"))
    command = [sys.executable, script, "--json", "--words", str(words), "--workers", *counts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system(), "load": busy}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-words", type=int, default=50_000, help="the largest list [50000]")
    parser.add_argument("--most-seconds", type=float, default=120, help="no measurement takes much longer [120]")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers [1 2]")
    parser.add_argument("--spread-words", type=int, default=50_000, help="words of the game for the workers [50000]")
    parser.add_argument("--page", action="store_true", help="write page and pictures from the figures as they are")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        try:
            print(json.dumps(measure_tree(**json.loads(given.task))))
        except GameTooLargeError:
            sys.exit(3)
        return
    if not given.page:
        here = machine()
        words, left_out = growth_with_words(given.most_words, given.most_seconds)
        figures = {
            "machine": here,
            "words": words,
            "left_out": left_out,
            "letters": growth_with_letters(given.most_seconds),
            "workers": growth_with_workers(min(given.spread_words, words[-1]["words"]), given.workers),
        }
        FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    write_page(json.loads(FIGURES.read_text(encoding="utf-8")), DOCS)


if __name__ == "__main__":
    main()
