"""Compile all that the tests and the first commands need, once, so that it is not done by several processes at a time.

Run by `make test` when a kernel has changed; Numba keeps the result beside the sources.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import oracular
from oracular.play.advice import advise
from oracular.responses.greedy import GreedyEngine
from oracular.responses.incremental import IncrementalTrees
from oracular.responses.planned import Planner
from oracular.runs.verify import verify


def main() -> None:
    """Use every kernel once, on small games."""
    game = oracular.game("jotto-3")
    GreedyEngine(oracular.game("jotto-5"), threads=2).warm_up()
    trees = IncrementalTrees(GreedyEngine(game), memory=10_000)
    for _ in range(2):  # the second has to make room in so little memory
        trees.depths(np.ones(len(game.secrets), dtype=np.int64))
    with tempfile.TemporaryDirectory() as folder:
        for solver in ("regret-matching", "exact"):
            oracular.solve("jotto-2", solver=solver, iterations=1, out=Path(folder) / solver)
            verify(Path(folder) / solver, time_limit=1.0)
    advise(game, "", oracular.hider_uniform(game))
    oracular.load("jotto-2").guesser.new_game().guess()
    planner = Planner(game)
    planner.respond(planner.rounded(np.ones(len(game.secrets))))
    planner.tidy(1)


if __name__ == "__main__":
    main()
