"""The runs of the paper's Table 1, and the table's figures for any solution."""

from __future__ import annotations

import csv
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular import paper
from oracular.errors import RunError
from oracular.evaluation import exact_dot, payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.responses.greedy import guesser_gbr_uniform
from oracular.runs.drive import load_run, solve
from oracular.runs.folder import is_run
from oracular.runs.limits import Limits, Observer
from oracular.runs.make_solver import Resources
from oracular.runs.progress_line import SECONDS_ON_SCREEN, ProgressLine
from oracular.runs.solution import Solution
from oracular.runs.writer import discard
from oracular.strategies.hider import hider_uniform
from oracular.strategies.oracle import Mixture
from oracular.system.counting import counted
from oracular.system.deadline import NEVER, Deadline
from oracular.system.files import parse_json, quoted, read_as, read_bytes, write_whole
from oracular.system.memory import check_threads

MOST_WORDS_IN_FLOATS = 8000
"""With more words than this, the paper's own algorithms, in floats, would take hours."""


def paper_rows() -> dict[int, dict[str, float]]:
    """Return the paper's own Table 1, a row for each number of letters."""
    text = files("oracular.runs").joinpath("paper_table1.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    whole = {"letters", "words", "iterations"}
    return {
        int(row["letters"]): {key: int(value) if key in whole else float(value) for key, value in row.items()}
        for row in rows
    }


def is_papers_game(game: Game) -> bool:
    """Return whether the paper's own algorithms, in floats, can play the game: plain Jotto that is not too large."""
    return re.fullmatch(r"jotto-\d+", game.name) is not None and len(game.secrets) <= MOST_WORDS_IN_FLOATS


def benchmark_guesser_by(game: Game, deadline: Deadline) -> Mixture:
    """Return the benchmark's guesser, its tree played through, or raise `DeadlinePassed`."""
    oracle = guesser_gbr_uniform(game)
    return Mixture([oracle], [1], oracle.engine.depths(oracle.weights, deadline).astype(np.int64))


class _SavedBenchmark(TypedDict):
    """A benchmark as plain data, with what it was made for."""

    depths: list[Annotated[int, Meta(ge=1, le=1 << 20)]]
    self_play: float
    epsilon: float
    version: str
    words_sha256: str


@dataclass(frozen=True, eq=False)
class TableBenchmark:
    """The benchmark of a game.

    Attributes:
        depths: how many guesses its guesser needs for each secret, in exact numbers [secrets].
        self_play: its guesses against itself; in the paper's games by the paper's algorithm in floats.
        epsilon: its epsilon, worked out in the same way.
    """

    depths: NDArray[np.int64]
    self_play: float
    epsilon: float

    @classmethod
    def of(cls, game: Game, deadline: Deadline = NEVER) -> TableBenchmark:
        """Return the benchmark of a game, or raise `DeadlinePassed`."""
        depths = benchmark_guesser_by(game, deadline).depth_totals
        if is_papers_game(game):
            played = paper.benchmark(game.secrets, deadline)
            return cls(depths, played.self_play, played.epsilon)
        return cls(depths, float(depths.mean()), float(depths.max() - depths.mean()))

    @classmethod
    def saved(cls, game: Game, path: Path, *, fresh: bool = False) -> TableBenchmark:
        """Return the benchmark of a game from a file of this version; else work it out and write the file."""
        made_for = {"version": version("oracular"), "words_sha256": game.words_sha256}
        with suppress(OSError, ValueError, KeyError, TypeError):
            data: _SavedBenchmark = read_as(_SavedBenchmark, parse_json(read_bytes(path)))
            depths = np.array(data["depths"], np.int64)
            if not fresh and made_for.items() <= data.items() and len(depths) == len(game.secrets):
                return cls(depths, data["self_play"], data["epsilon"])
        found = cls.of(game)
        figures = {"depths": found.depths.tolist(), "self_play": found.self_play, "epsilon": found.epsilon}
        with suppress(OSError):  # it is worked out again the next time
            write_whole(path, json.dumps(made_for | figures).encode())
        return found


def figures(solution: Solution, deadline: Deadline = NEVER, benchmark: TableBenchmark | None = None) -> dict[str, Any]:
    """Return the figures of Table 1 for a solution, by the column names of the paper's table.

    Raises `DeadlinePassed` if there is no time to play against the benchmark.
    """
    game = solution.game
    benchmark = benchmark or TableBenchmark.of(game, deadline)
    hider_payoff = exact_dot(solution.hider.weights, benchmark.depths) / solution.hider.total
    guesser_payoff = -float(payoff(hider_uniform(game), solution.guesser))
    return {
        "letters": len(game.secrets[0]) if game.name.startswith("jotto-") else None,
        "words": len(game.secrets),
        "hider_vs_benchmark": hider_payoff,
        "guesser_vs_benchmark": guesser_payoff,
        "overall_vs_benchmark": (hider_payoff + guesser_payoff) / 2,
        "benchmark_self_play": benchmark.self_play,
        "self_play": solution.standing.self_play,
        "benchmark_epsilon": benchmark.epsilon,
        "epsilon": solution.epsilon,
        "iterations": solution.iterations,
        "minutes_per_iteration": solution.seconds_per_iteration / 60,
        "seconds_per_iteration": solution.seconds_per_iteration,
        "guarantee": float(solution.guarantee),
    }


@dataclass(frozen=True)
class PaperRun:
    """A run of the paper's method that is kept for its table."""

    letters: int
    iterations: int
    folder: Path

    @classmethod
    def below(cls, folder: Path, letters: int, iterations: int | None = None) -> PaperRun:
        """Return the run below a folder for a number of letters, by default with the paper's iterations."""
        count = int(paper_rows()[letters]["iterations"]) if iterations is None else iterations
        return cls(letters, count, folder / f"jotto-{letters}-{count}")

    @classmethod
    def of_game(cls, name: str, folder: Path) -> PaperRun | None:
        """Return the paper's run of a game below a folder, or None if the game is not in the paper's table."""
        letters = next((letters for letters in paper_rows() if name == f"jotto-{letters}"), None)
        return None if letters is None else cls.below(folder, letters)

    def finished(self) -> Solution | None:
        """Return the run that is kept, or None if it is missing, damaged or not finished."""
        try:
            solution = load_run(self.folder) if is_run(self.folder) else None
        except RunError:
            return None
        if solution is None or not solution.objective.is_mean:
            return None
        ended = solution.iterations == self.iterations and solution.stopped is not None
        return solution if ended and solution.settings.get("ties") == "first" else None

    def solve(
        self, threads: int | None = None, seconds: float | None = None, line: ProgressLine | None = None
    ) -> Solution | None:
        """Return the finished run, made now or resumed; None if the user interrupts or the time is up first."""
        line = line or ProgressLine()
        line.note("loading compiled code (the first time: compiling it)")
        game = game_of_name(f"jotto-{self.letters}")
        solution = solve(
            game,
            iterations=self.iterations,
            time_limit=seconds,
            out=self.folder,
            resume=is_run(self.folder),
            settings={"ties": "first"},
            resources=Resources(threads=threads),
            observer=Observer(step=line, pause=SECONDS_ON_SCREEN),
        )
        if solution.stopped in ("interrupted", "time"):
            return None
        if solution.iterations != self.iterations:
            raise RunError(
                f"{quoted(self.folder)} holds a run of {counted(solution.iterations, 'iteration')}, not of "
                f"{self.iterations:,}: make it again with 'oracular table --fresh', or choose another folder"
            )
        return solution


def table_row(
    run: PaperRun, fresh: bool = False, threads: int | None = None, line: ProgressLine | None = None
) -> dict[str, Any] | None:
    """Return a row of the table with the paper's own beside it, or None if the user interrupts.

    The run is made now, or resumed where it is kept. One that is kept and finished is only read: its guarantee is as
    it is recorded.
    """
    Limits(iterations=run.iterations)  # bad settings are refused before anything is removed
    check_threads(threads)
    line = line or ProgressLine()
    if fresh and is_run(run.folder):
        discard(run.folder)
    kept = is_run(run.folder)
    solution = run.finished() or run.solve(threads, line=line)
    if solution is None:
        return None
    line.note("the benchmark in floats (paper.py)")
    benchmark = TableBenchmark.saved(solution.game, run.folder.with_name(f"benchmark-{run.letters}.json"), fresh=fresh)
    row = {
        **figures(solution, benchmark=benchmark),
        "guarantee_is": "recorded" if kept else "proved",
        "paper": paper_rows()[run.letters],
    }
    line.done(f"t {solution.iterations}  ε {solution.epsilon:.3f} measured  guarantee {row['guarantee']:.3f}")
    return row
