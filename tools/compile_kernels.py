"""Compile all that the tests and the first commands need, once, so that it is not done by several processes at a time.

Run by `make test` when a kernel has changed; Numba saves the result in the cache folder of the user.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from pathlib import Path

import numpy as np

import oracular
from oracular.costs import Costs
from oracular.planner import start as planned_start
from oracular.planner.planner import Planner, choices
from oracular.play.advice import advise
from oracular.play.duel_review import winning_chance
from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name
from oracular.runs.verify import verify
from oracular.search import best_response, letters, two_guesses
from oracular.solvers.openings_problem import OpeningsProblem
from oracular.strategies.greedy import GreedyEngine, IncrementalTrees


def compile_greedy() -> None:
    """Build greedy trees, from scratch and from earlier ones, advise on an opening, and play a duel."""
    game = oracular.game("jotto-3")
    GreedyEngine(oracular.game("jotto-5"), threads=2).warm_up()
    trees = IncrementalTrees(GreedyEngine(game), memory=10_000)
    for _ in range(2):  # the second has to make room in so little memory
        trees.depths(np.ones(len(game.secrets), dtype=np.int64))
    advise(game, "", oracular.hider_uniform(game))
    pair = matchup_by_name("jotto-2")
    duel = new_match(pair, "duel", own=pair.game.secrets[0], begins="computer")
    winning_chance(duel.guess(next(word for word in pair.game.secrets if word != duel.secret)))


def compile_searches() -> None:
    """Plan a response and search for a best one, for the mean and for other costs; tidy what was planned."""
    game = oracular.game("jotto-3")
    planner = Planner(game)
    planner.respond(Costs.mean(planner.rounded(np.ones(len(game.secrets)))))
    costs = Costs.of_table(np.tile(np.arange(4), (len(game.secrets), 1)), np.ones(len(game.secrets), np.int64))
    planner.respond(costs)
    choices(Planner(game), game.all_secrets[::9], costs)
    planner.tidy(1)
    ruled = oracular.game("wordle-2-hard")
    GreedyEngine(ruled).warm_up()
    best_response.warm_up()
    letters.warm_up()
    planned_start.warm_up()
    two_guesses.warm_up()
    OpeningsProblem(game).warm_up()


def compile_play() -> None:
    """Aim at a number of guesses, and let the computer make a move in a duel."""
    advise("jotto-2", "ox:1", objective="within-4")
    winning_chance(new_match(matchup_by_name("jotto-2"), "duel", "of", begins="computer"))


def main() -> None:
    """Use every kernel once, on small games, on two cores where there are two."""
    other = multiprocessing.get_context("spawn").Process(target=compile_searches)
    other.start()
    compile_greedy()
    other.join()
    if other.exitcode:
        sys.exit("the kernels of the searches could not be compiled")
    compile_play()
    with tempfile.TemporaryDirectory() as folder:  # what is left over
        for solver in ("regret-matching", "exact"):
            oracular.solve("jotto-2", solver=solver, iterations=1, out=Path(folder) / solver)
            verify(Path(folder) / solver, time_limit=20.0)  # a machine may have much else to do
    oracular.load("jotto-2").guesser.new_game().guess()


if __name__ == "__main__":
    main()
