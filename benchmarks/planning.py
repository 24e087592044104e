"""The planner's graph: what it costs to value it for each guess number instead of once, and how it grows.

A few responses to uneven hiders make one graph. Its values are then computed for the mean and for costs of several
numbers of columns, on the same graph in the same process; times are the least of several. Whole responses follow, each
on a graph of its own, and last the growth of a graph. Run by `make bench`.

    python benchmarks/planning.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import oracular
from oracular.costs import Costs
from oracular.kernels.planner_graph import NODES
from oracular.kernels.planner_values import value_all
from oracular.objectives import within
from oracular.planner.planner import Planner, suited_settings

CONSOLE = Console(width=120, highlight=False)
COLUMNS = (1, 4, 8, 12, 16, 32)
GROWTH = (1, 4, 8, 20)
TURNS = 15
RESPONSES = 4


def least_seconds(work: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least time that each of some things takes, done in turn."""
    best = dict.fromkeys(work, float("inf"))
    for _ in range(TURNS):
        for name, do in work.items():
            began = time.thread_time()
            do()
            best[name] = min(best[name], time.thread_time() - began)
    return best


def values(planner: Planner) -> None:
    """Print how long it takes to value a graph, for the mean and in columns."""
    weights = planner.rounded(np.ones(len(planner.game.secrets)))
    graph, space, work = planner.graph, planner.space, {}
    for columns in COLUMNS:
        table = weights[:, None] * np.arange(1, columns + 1)
        asked = Costs.mean(weights) if columns == 1 else Costs.of_table(table, weights)
        planner._remembered.values = None  # each has its own, to be measured in turn
        of_nodes, cut = planner.values_for(asked)
        name = "mean" if columns == 1 else f"{columns} columns"
        work[name] = lambda of_nodes=of_nodes, cut=cut: value_all(cut, space, of_nodes, 0)
    taken = least_seconds(work)
    title = f"\nValuing {graph.counters[NODES]:,} states of {planner.game.name}"
    table = Table(title=title, box=None, padding=(0, 2, 0, 0))
    for column in ("values", "time", "by mean"):
        table.add_column(column, justify="right")
    for name, seconds in taken.items():
        table.add_row(name, f"{1e3 * seconds:.3g} ms", f"{seconds / taken['mean']:.1f}")
    CONSOLE.print(table)


def growth(game: oracular.Game) -> None:
    """Print how the graph grows with responses to the uniform hider, and the best tree found in it."""
    table = Table(title=f"\nThe graph of {game.name}, uniform hider", box=None, padding=(0, 2, 0, 0))
    for column in ("responses", "states", "best tree"):
        table.add_column(column, justify="right")
    planner = Planner(game, **suited_settings(game))
    weights = planner.rounded(np.ones(len(game.secrets)))
    for count in range(1, max(GROWTH) + 1):
        tree = planner.respond(Costs.mean(weights), explorations=1 - count % 2)
        if count in GROWTH:
            states = f"{planner.graph.counters[NODES]:,}"
            table.add_row(str(count), states, f"{tree.depths().sum()}/{len(game.secrets)}")
    CONSOLE.print(table)


def responses(game: oracular.Game, guesses: int) -> None:
    """Print how long whole responses take, the first of a planner and later ones."""
    table = Table(title=f"\nResponses in {game.name}, uneven hiders", box=None, padding=(0, 2, 0, 0))
    for column in ("objective", "the first", "later, each", "states"):
        table.add_column(column, justify="right")
    for name in ("mean", f"within-{guesses}"):
        planner, rng, taken = Planner(game, **suited_settings(game)), np.random.default_rng(0), []
        for _ in range(RESPONSES):
            weights = planner.rounded(rng.random(len(game.secrets)) + 0.2)
            began = time.thread_time()
            planner.respond(Costs.mean(weights) if name == "mean" else Costs.against(weights, within(guesses)))
            taken.append(time.thread_time() - began)
        states = f"{planner.graph.counters[NODES]:,}"
        table.add_row(name, f"{taken[0]:.3g} s", f"{np.mean(taken[1:]):.3g} s", states)
    CONSOLE.print(table)


def main() -> None:
    """Measure three and five letters."""
    for letters in (3, 5):
        game = oracular.game(f"jotto-{letters}")
        planner, rng = Planner(game, **suited_settings(game)), np.random.default_rng(0)
        planner.respond(Costs.against(np.ones(len(game.secrets), np.int64), within(2)))  # compiles what is not yet
        for number in range(RESPONSES):
            planner.respond(Costs.mean(planner.rounded(rng.random(len(game.secrets)) + 0.2)), explorations=number % 2)
        planner.tidy(planner.patience)
        values(planner)
        responses(game, 6)
        growth(game)


if __name__ == "__main__":
    main()
