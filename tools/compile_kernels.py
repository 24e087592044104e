"""Compile all that the tests and the first commands need, once, so that it is not done by several processes at a time.

Run by `make test` when a kernel has changed; Numba keeps the result beside the sources.
"""

from __future__ import annotations

import oracular
from oracular.play.advice import advise


def main() -> None:
    """Use every kernel once, on small games."""
    for name in ("jotto-3", "mastermind-2x3", "wordle-2"):
        for engine in ("scratch", "incremental"):
            for threads in (1, None):
                oracular.solve(name, iterations=2, engine=engine, threads=threads)
    for solver in ("regret-matching", "exact"):
        oracular.solve("jotto-2", solver=solver, iterations=1)
    game = oracular.game("jotto-3")
    advise(game, "", oracular.hider_uniform(game))
    oracular.load("jotto-2").guesser.new_game().guess()


if __name__ == "__main__":
    main()
