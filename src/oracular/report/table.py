"""The paper's Table 1: its figures for a solution, and the whole table beside the paper's own."""

from __future__ import annotations

import csv
import re
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from oracular import paper
from oracular.errors import RunError
from oracular.evaluation import payoff
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.report.text import duration
from oracular.responses.benchmark import guesser_gbr_uniform, hider_uniform
from oracular.responses.greedy import check_threads
from oracular.runs.drive import load_run, solve
from oracular.runs.folder import is_run
from oracular.runs.limits import Limits, Observer, Progress
from oracular.runs.make_solver import Resources
from oracular.runs.recheck import recheck_guarantee
from oracular.runs.solution import Solution
from oracular.runs.writer import discard
from oracular.strategies.oracle import pure
from oracular.system.files import quoted

TITLE = "Table 1: the paper's figures and ours"

WIDE_ENOUGH = 100
"""Terminal columns that the table needs to set all lengths side by side."""

LABELS = {
    "words": "Dictionary size",
    "hider_vs_benchmark": "Hider vs benchmark",
    "guesser_vs_benchmark": "Guesser vs benchmark",
    "overall_vs_benchmark": "Overall vs benchmark",
    "benchmark_self_play": "Benchmark self-play ¹",
    "self_play": "Self-play",
    "benchmark_epsilon": "Benchmark epsilon ¹",
    "epsilon": "Final epsilon ²",
    "guarantee": "Guarantee ³",
    "iterations": "Iterations",
    "seconds_per_iteration": "Time per iteration",
    "times_faster": "Times faster ⁴",
}

FOOTNOTES = """\
¹ From paper.py: the paper's pseudocode in 64-bit floats. All other figures of ours are from the exact engine, whose \
ties are real ties: its trajectory comes near the paper's, not onto it.
² Measured as the paper does, with the greedy response as the guesser's deviation: not a bound.
³ The worst secret's expected number of guesses: exact, an upper bound on the game's value. Not in the paper.
⁴ Than the paper's average iteration on 16 processors."""


MOST_WORDS_IN_FLOATS = 8000
"""With more words the paper's own algorithms, in floats, would take hours."""


class SolvingLine(Protocol):
    """Where progress is shown: a line of a display."""

    def __call__(self, step: Progress) -> None:
        """Show where solving stands."""
        ...

    def note(self, text: str) -> None:
        """Show what is going on."""
        ...

    def done(self, text: str) -> None:
        """Show that the work is finished."""
        ...


def paper_rows() -> dict[int, dict[str, float]]:
    """Return the paper's own Table 1, a row for each number of letters."""
    text = files("oracular.report").joinpath("paper_table1.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    whole = {"letters", "words", "iterations"}
    return {
        int(row["letters"]): {key: int(value) if key in whole else float(value) for key, value in row.items()}
        for row in rows
    }


def is_papers_game(game: Game) -> bool:
    """Tell whether the game is one that the paper's own algorithms, in floats, can play: plain Jotto, not too large."""
    return re.fullmatch(r"jotto-\d+", game.name) is not None and len(game.secrets) <= MOST_WORDS_IN_FLOATS


def figures(solution: Solution) -> dict[str, Any]:
    """Return the figures of Table 1 for a solution, by the column names of the paper's table."""
    game = solution.game
    benchmark_guesser = pure(guesser_gbr_uniform(game))  # so that its tree is built once
    if is_papers_game(game):
        benchmark = paper.benchmark(game.secrets)
        benchmark_self_play, benchmark_epsilon = benchmark.self_play, benchmark.epsilon
    else:
        benchmark_self_play = float(payoff(hider_uniform(game), benchmark_guesser))
        benchmark_epsilon = float(benchmark_guesser.guarantee) - benchmark_self_play
    hider_payoff = float(payoff(solution.hider, benchmark_guesser))
    guesser_payoff = -float(payoff(hider_uniform(game), solution.guesser))
    return {
        "letters": len(game.secrets[0]) if game.name.startswith("jotto-") else None,
        "words": len(game.secrets),
        "hider_vs_benchmark": hider_payoff,
        "guesser_vs_benchmark": guesser_payoff,
        "overall_vs_benchmark": (hider_payoff + guesser_payoff) / 2,
        "benchmark_self_play": benchmark_self_play,
        "self_play": solution.standing.self_play,
        "benchmark_epsilon": benchmark_epsilon,
        "epsilon": solution.epsilon,
        "iterations": solution.iterations,
        "minutes_per_iteration": solution.seconds_per_iteration / 60,
        "seconds_per_iteration": solution.seconds_per_iteration,
        "guarantee": float(solution.guarantee),
    }


def solve_row(
    letters: int,
    iterations: int,
    folder: Path,
    fresh: bool,
    threads: int | None,
    line: SolvingLine,
    seconds: float | None = None,
) -> dict[str, Any] | None:
    """Return the row of one length, solving it or going on with its kept run.

    None where the user interrupts, or the seconds are over. What a kept run says is worked out again from its trees.
    """
    Limits(iterations=iterations, seconds=seconds)  # settings that will not do are refused before anything is removed
    check_threads(threads)
    game = game_of_name(f"jotto-{letters}")
    run = folder / f"{game.name}-{iterations}"
    if fresh and is_run(run):
        discard(run)
    line.note("loading compiled code (the first time: compiling it)")
    kept = is_run(run)
    solution = solve(
        game,
        iterations=iterations,
        time_limit=seconds,
        settings={"ties": "first"},
        out=run,
        resume=kept,
        resources=Resources(threads=threads),
        observer=Observer(step=line),
    )
    if solution.stopped in ("interrupted", "time"):
        return None
    if solution.iterations != iterations:
        raise RunError(f"{quoted(run)} holds a run of {solution.iterations} iterations: remove it with --fresh")
    solution = load_run(run)
    if kept and seconds is None:
        recheck_guarantee(solution, told=lambda done, of: line.note(f"building the trees again: {done:,} of {of:,}"))
    line.note("the benchmark in floats (paper.py)")
    row = {**figures(solution), "paper": paper_rows()[letters]}
    line.done(f"t {solution.iterations}  ε {solution.epsilon:.3f}  guarantee {row['guarantee']:.3f}")
    return row


def render(rows: list[dict[str, Any]], console: Console) -> None:
    """Print Table 1 with the paper's figures beside ours: all lengths side by side, or below each other if narrow."""
    groups = [rows] if console.width >= WIDE_ENOUGH else [[row] for row in rows]
    for group in groups:
        table = Table(title=TITLE, title_justify="left", padding=(0, 1, 0, 0), box=None)
        table.add_column("letters", no_wrap=True)
        for row in group:
            table.add_column(f"{row['letters']}: paper", justify="right", style="dim", no_wrap=True)
            table.add_column("ours", justify="right", no_wrap=True)
        for key, label in LABELS.items():
            table.add_row(label, *(cell for row in group for cell in cells(key, row)))
        console.print(table)
    console.print(FOOTNOTES, style="dim")


def cells(key: str, row: dict[str, Any]) -> tuple[str, str]:
    """Return the paper's figure and ours for one row of the table."""
    theirs = row["paper"]
    if key == "seconds_per_iteration":
        return duration(theirs["minutes_per_iteration"] * 60), duration(row[key])
    if key == "times_faster":
        return "", f"{theirs['minutes_per_iteration'] * 60 / row['seconds_per_iteration']:,.0f}"
    if key in ("words", "iterations"):
        return f"{theirs[key]:,}", f"{row[key]:,}"
    return (f"{theirs[key]:.3f}" if key in theirs else "–"), f"{row[key]:.3f}"
