"""Where the time of one tree goes: how long its states take to score, by size.

The states of one greedy tree from scratch against an uneven hider are scored once more, those of a size together, on
one thread. Times are the least of several, so that other work on the machine counts little. Run by `make bench`.

    python benchmarks/scoring.py
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import oracular
from oracular.kernels.compiling import entry_point
from oracular.kernels.scoring import NO_LISTS, Scorer, new_buffers, scan, way_to_score
from oracular.strategies.greedy import GreedyEngine
from oracular.system.control import NEVER

CONSOLE = Console(width=120, highlight=False)
SIZES = (2, 3, 4, 7, 16, 32, 64, 128, 512, 10**6)
WAYS = ("pairs", "touched sums", "many at once", "sets of bits", "sums", "bits", "letter subsets")
TURNS = 15
State = NDArray[np.int32]


@entry_point
def score_all(scorer, order, bounds, lists):
    """Score every state, one after the other."""
    for state in range(len(bounds) - 1):
        scan(scorer, order[bounds[state] : bounds[state + 1]], 0, scorer.answers.guesses, lists, -1)


def states_of_tree(engine: GreedyEngine, weights: NDArray[np.int64]) -> list[State]:
    """Return the states of two or more secrets that the greedy tree goes through."""
    game, states = engine.game, [np.arange(len(weights), dtype=np.int32)]
    for state in states:  # grows as it is gone through
        guess = engine.guess(weights, state)
        replies = game.by_secret[state, guess]
        parts = (state[replies == answer] for answer in np.unique(replies) if answer != game.found)
        states.extend(part for part in parts if len(part) > 1)
    return states


def where_the_time_goes(letters: int) -> None:
    game = oracular.game(f"jotto-{letters}")
    engine, weights = GreedyEngine(game), np.random.default_rng(0).integers(1, 1 << 20, len(game.secrets))
    answers = engine.answers
    scorer = Scorer(answers, engine.objective(weights), new_buffers(answers), NEVER.flag)
    states = states_of_tree(engine, weights)
    groups = [
        [state for state in states if least < len(state) <= most]
        for least, most in zip((1, *SIZES), SIZES, strict=False)
    ]
    best = [float("inf")] * len(groups)
    whole = float("inf")
    for _ in range(TURNS):
        began = time.perf_counter()
        engine.depths(weights)
        whole = min(whole, time.perf_counter() - began)
        for place, group in enumerate(groups):
            if group:
                bounds = np.cumsum([0, *map(len, group)])
                began = time.perf_counter()
                score_all(scorer, np.concatenate(group), bounds, NO_LISTS)
                best[place] = min(best[place], time.perf_counter() - began)
    title = (
        f"\nOne tree of {letters} letters on one thread: {len(states):,} states of two or more, {1e3 * whole:.3g} ms"
    )
    table = Table(title=title, box=None, padding=(0, 2, 0, 0))
    for column in ("secrets", "states", "scored by", "a state", "a guess", "share of the tree"):
        table.add_column(column, justify="right")
    for most, group, seconds in zip(SIZES, groups, best, strict=True):
        if group:
            ways = {WAYS[way_to_score(answers, len(state))] for state in group}
            table.add_row(
                f"{min(map(len, group))} to {max(map(len, group))}" if most > 4 else str(most),
                f"{len(group):,}",
                "first that differs" if most == 2 else ", ".join(sorted(ways)),
                f"{1e6 * seconds / len(group):.3g} µs",
                f"{1e9 * seconds / len(group) / len(game.guesses):.2g} ns",
                f"{seconds / whole:.0%}",
            )
    CONSOLE.print(table)


if __name__ == "__main__":
    for length in (3, 4, 5):
        where_the_time_goes(length)
    CONSOLE.print("a scan that ends early, at a guess that tells all apart, counts as a whole one", style="dim")
