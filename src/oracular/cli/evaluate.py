"""`oracular evaluate DIR`: the figures of the paper's Table 1 for a run."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.output import command_line, json_option, picture_or_guess, print_next, print_of_game, progress_line
from oracular.report.tables import duration
from oracular.system.files import quoted


@click.command(epilog="Example: oracular evaluate runs/jotto-5-fictitious-play")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--time",
    "seconds",
    type=float,
    default=60.0,
    show_default=True,
    help="How many seconds to take; what they leave is for working out the guarantee again.",
)
@json_option
def evaluate(folder: Path, seconds: float, as_json: bool) -> None:
    """Print a run's figures, as in the paper's Table 1.

    The guesser's guarantee comes on top: the expected number of guesses for the worst secret. It is worked out again
    from the run's trees; where that takes longer than the time given, it is called recorded.
    """
    import oracular
    from oracular.errors import OutOfTimeError
    from oracular.runs.drive import load_by
    from oracular.runs.limits import seconds_of
    from oracular.runs.paper_table import figures, is_papers_game
    from oracular.runs.recheck import check_order, recheck_guarantee, recheck_lower
    from oracular.system.deadline import Deadline, DeadlinePassed, check_seconds

    check_seconds(seconds)
    solution, deadline = load_by(folder, Deadline.after(seconds))
    deadline = deadline.later(seconds_of(oracular.guesser_gbr_uniform(solution.game).engine.warm_up))
    with progress_line("evaluate", "playing against the benchmark") as line:
        try:
            row = figures(solution, deadline)
        except DeadlinePassed:
            raise OutOfTimeError(
                f"the {seconds:g} seconds given were over before {quoted(folder)} had played against the benchmark: "
                "give more time"
            ) from None
        line.note("working out the guarantee from the trees")
        upper = recheck_guarantee(solution, deadline, progress=line.note)
        lower_check = recheck_lower(solution, deadline)
    if lower_check is not None:
        check_order(lower_check.value, upper.value, quoted(folder))
    data = {
        **row,
        "best_iteration": solution.best_iteration,
        "lower": None if solution.lower is None else str(solution.lower),
        "guarantee_is": upper.words,
        **({} if lower_check is None else {"lower_is": lower_check.words}),
    }
    whole = "" if upper.proved else f": {command_line('verify', folder)} works it out"
    origin = "paper.py, in floats" if is_papers_game(solution.game) else "exact"
    pairs = {
        "hider vs benchmark": f"{row['hider_vs_benchmark']:.3f}",
        "guesser vs benchmark": f"{row['guesser_vs_benchmark']:.3f}",
        "overall vs benchmark": f"{row['overall_vs_benchmark']:.3f}",
        "benchmark self-play": f"{row['benchmark_self_play']:.3f} ({origin})",
        "self-play": f"{row['self_play']:.3f}",
        "benchmark epsilon": f"{row['benchmark_epsilon']:.3f} ({origin})",
        "epsilon": f"{row['epsilon']:.3f} at t* = {solution.best_iteration} "
        + ("(measured, greedy deviation)" if lower_check is None else f"({lower_check.words})"),
        **({} if lower_check is None else {"lower bound": f"{float(lower_check.value):.6f} ({lower_check.words})"}),
        "guarantee": f"{row['guarantee']:.3f} guesses against the worst secret (upper bound, {upper.words}{whole})",
        "iterations": f"{solution.iterations:,}",
        "time per iteration": duration(row["seconds_per_iteration"]),
    }
    print_of_game(as_json, solution.game, data, pairs)
    print_next(as_json, *picture_or_guess(folder))
