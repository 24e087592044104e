"""How fast lower bounds rise against a uniform hider: states scored a second, and the bound after so many seconds.

Run by `make bench`; `--seconds 600` shows what ten minutes give.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.table import Table

from oracular.games.names import game
from oracular.search.best_response import start_for_mean
from oracular.search.letters import LetterSearch, warm_up
from oracular.search.lower_bound import LowerBound, ThreadSearcher
from oracular.search.trees import search_threads
from oracular.strategies.hider import Hider, hider_uniform
from oracular.system.control import UNLIMITED, Deadline

CONSOLE = Console(width=110, highlight=False)
GAMES = {"jotto-3": (5, 2750), "jotto-4": (4, 8650), "jotto-5": (4, 17600)}
"""To how many plies, and to which total, openings are searched to count states."""

OPENINGS = 16
MARKS = (1, 10, 60, 600, 3600)
"""After so many seconds the bound is noted, and at the end."""


def states_a_second(hider: Hider, plies: int, ceiling: int, threads: int) -> float:
    """Return how many states so many threads score in a second, which share the same openings out among them."""
    guesses = len(hider.game.guesses)

    def search(thread: int) -> int:
        searching = LetterSearch(hider)
        for number in range(thread, OPENINGS, threads):
            searching.opening_bound(number * guesses // OPENINGS, plies, ceiling, lambda: None)
        return searching.scored

    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        states = sum(pool.map(search, range(threads)))
        return states / (time.perf_counter() - began)


def bounds_at_marks(hider: Hider, threads: int, marks: list[int]) -> dict[int, str]:
    """Return the bound after each mark, in seconds; a tree to be compared with is planned before."""
    total = int(hider.weights @ start_for_mean(hider, UNLIMITED).depths())
    began, deadline = time.perf_counter(), Deadline.after(marks[-1])
    bound = LowerBound(hider)
    bound.add_tree(total)
    reached: dict[int, str] = {}

    def note(bound: LowerBound) -> None:
        for mark in marks:
            if mark not in reached and time.perf_counter() - began >= mark:
                reached[mark] = f"{bound.lower:,}/{hider.total:,} = {float(bound.value):.4f}"

    bound.improve(ThreadSearcher(hider, threads), deadline, progress=note)
    note(bound)
    return reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="how long each bound is raised [10]")
    seconds = parser.parse_args().seconds
    cores = search_threads(None)
    hiders = {name: hider_uniform(game(name)) for name in GAMES}
    warm_up()
    table = Table(title="States scored a second", box=None, padding=(0, 2, 0, 0))
    for column in ("game", "plies", "total asked", "one core", f"{cores} cores", "ratio"):
        table.add_column(column, justify="left" if column == "game" else "right")
    for name, (plies, ceiling) in GAMES.items():
        alone, together = (states_a_second(hiders[name], plies, ceiling, threads) for threads in (1, cores))
        table.add_row(name, f"{plies}", f"{ceiling:,}", f"{alone:,.0f}", f"{together:,.0f}", f"{together / alone:.2f}")
    CONSOLE.print(table)
    marks = [*(mark for mark in MARKS if mark < seconds), seconds]
    table = Table(title=f"Proved lower bound, {cores} cores", box=None, padding=(0, 2, 0, 0))
    for column in ("game", *(f"after {mark:,} s" for mark in marks)):
        table.add_column(column, justify="left" if column == "game" else "right")
    for name in GAMES:
        reached = bounds_at_marks(hiders[name], cores, marks)
        table.add_row(name, *(reached.get(mark, "") for mark in marks))
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
