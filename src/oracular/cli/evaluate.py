"""`oracular evaluate DIR`: the figures of the paper's Table 1 for a run."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.output import json_option, print_json, print_pairs
from oracular.report.text import duration


@click.command(epilog="Example: oracular evaluate runs/jotto-5-fictitious-play")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def evaluate(folder: Path, as_json: bool) -> None:
    """Print a run's figures, as in the paper's Table 1.

    The guesser's guarantee comes on top: the expected number of guesses for the worst secret.
    """
    import oracular
    from oracular.report.table import figures, is_papers_game

    solution = oracular.load_run(folder)
    row = figures(solution)
    lower = None if solution.lower is None else str(solution.lower)
    if as_json:
        print_json({"game": solution.game.name, **row, "best_iteration": solution.best_iteration, "lower": lower})
        return
    origin = "paper.py, in floats" if is_papers_game(solution.game) else "exact"
    print_pairs(
        {
            "game": f"{solution.game.name}, {len(solution.game.secrets):,} secrets",
            "hider vs benchmark": f"{row['hider_vs_benchmark']:.3f}",
            "guesser vs benchmark": f"{row['guesser_vs_benchmark']:.3f}",
            "overall vs benchmark": f"{row['overall_vs_benchmark']:.3f}",
            "benchmark self-play": f"{row['benchmark_self_play']:.3f} ({origin})",
            "self-play": f"{row['self_play']:.3f}",
            "benchmark epsilon": f"{row['benchmark_epsilon']:.3f} ({origin})",
            "epsilon": f"{row['epsilon']:.3f} at t* = {solution.best_iteration} "
            + ("(measured, greedy deviation)" if lower is None else "(proved)"),
            **({} if lower is None else {"lower bound": f"{float(solution.lower or 0):.6f} (proved)"}),
            "guarantee": f"{row['guarantee']:.3f} guesses against the worst secret (proved upper bound)",
            "iterations": f"{solution.iterations:,}",
            "time per iteration": duration(row["seconds_per_iteration"]),
        }
    )
