"""`oracular evaluate RUN`: the figures of the paper's Table 1, or what strategies are worth in an objective."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from oracular.cli.arguments import RunOrStrategies
from oracular.cli.objectives import bound_names, described_objective, measured, objective_option
from oracular.cli.output import (
    Interrupted,
    command_line,
    json_option,
    picture_or_guess,
    print_next,
    print_of_game,
    progress_line,
)
from oracular.report.tables import duration
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.objectives import Objective


@click.command(epilog="Example: oracular evaluate runs/jotto-5-fictitious-play")
@click.argument("target", metavar="RUN|FILE|GAME", type=RunOrStrategies())
@objective_option
@click.option(
    "--time",
    "seconds",
    type=float,
    default=60.0,
    metavar="SECONDS",
    help="How long to take; what is left of it is for working out the guarantee again, or for the best guesser "
    "against the hider [default: 60].",
)
@json_option
def evaluate(target: str, objective: str | None, seconds: float, as_json: bool) -> None:
    """Print what the strategies of a run are worth.

    Of a run that was solved for the mean these are the figures of the paper's Table 1. The guesser's guarantee comes on
    top: the expected number of guesses for the worst secret. It is worked out again from the run's trees; where that
    takes longer than the time given, it is called recorded.

    With an objective it is what the guesser guarantees in it, and what the best guesser gets against the hider,
    whatever the strategies were made for. They may also be those of a FILE, or those of a GAME that come with the
    package.
    """
    from oracular.runs.folder import Run, is_run

    folder = Path(target)
    if is_run(folder) and objective in (None, "mean") and "objective" not in Run.open(folder).manifest:
        _print_figures(folder, seconds, as_json)
    else:
        _print_worth(target, objective, seconds, as_json)


def _print_worth(target: str, objective: str | None, seconds: float, as_json: bool) -> None:
    """Print what strategies are worth in an objective."""
    import oracular
    from oracular.games.offensive import is_offensive
    from oracular.runs.folder import is_run
    from oracular.runs.limits import interrupts

    with progress_line("evaluate") as line, interrupts() as interrupted:
        worth = oracular.evaluate(target, objective, time_limit=seconds, stop=interrupted, progress=line.note)
        stopped = interrupted()
    chosen, bound = worth.objective, worth.bound
    _, other = bound_names(chosen)
    lower, upper = (bound, worth.guarantee) if chosen.less_is_better else (worth.guarantee, bound)
    data = {
        "objective": chosen.name,
        "guarantee": str(worth.guarantee),
        "worst_secret": worth.worst_secret,
        "self_play": str(worth.self_play),
        "hider_lower": None if worth.lower is None else str(worth.lower),
        "hider_upper": None if worth.upper is None else str(worth.upper),
        "hider_proved": worth.proved,
        "lower": None if lower is None else str(lower),
        "upper": None if upper is None else str(upper),
        "most_guesses": worth.most_guesses,
        "mean": str(worth.mean),
        "states": worth.states,
    }
    secret = "" if is_offensive(worth.worst_secret) else f", {worth.worst_secret}"
    pairs = {"objective": described_objective(chosen)}
    if chosen.is_worst:
        pairs["guesser"] = f"{measured(worth.guarantee, chosen)} at most in any of its trees{secret} (exact)"
    else:
        pairs["guesser"] = f"{measured(worth.guarantee, chosen, 6)} for the worst secret{secret} (exact)"
        pairs["self-play"] = f"{measured(worth.self_play, chosen, 6)} (exact)"
    if worth.lower is None or worth.upper is None:
        pairs["best guesser"] = "not searched for: give more time"
    elif worth.proved:
        pairs["best guesser"] = f"{measured(worth.lower, chosen, 6)}{_against(chosen)} (proved)"
    else:
        tree = worth.upper if chosen.less_is_better else worth.lower
        pairs["best guesser"] = f"{measured(tree, chosen, 6)} or better{_against(chosen)} (a tree that was found)"
        pairs[other] = f"{measured(bound or 0, chosen, 6)}, for any guesser (proved)"
    pairs["most guesses"] = f"{worth.most_guesses} in any tree"
    pairs["mean"] = f"{float(worth.mean):.6f} expected guesses against each other (exact)"
    print_of_game(as_json, worth.game, data, pairs)
    if stopped:
        raise Interrupted("what was found by then holds")
    if is_run(Path(target)):
        print_next(as_json, *picture_or_guess(Path(target)))
    else:
        print_next(as_json, "play", worth.game.name)


def _against(objective: Objective) -> str:
    """Return whom the best guesser plays against, in words; the fewest guesses that suffice are against nobody."""
    return "" if objective.is_worst else " against the hider"


def _print_figures(folder: Path, seconds: float, as_json: bool) -> None:
    """Print the figures of the paper's Table 1 for a run."""
    import oracular
    from oracular.errors import OutOfTimeError
    from oracular.runs.drive import load_by
    from oracular.runs.limits import seconds_of
    from oracular.runs.paper_table import figures, is_papers_game
    from oracular.runs.recheck import check_order, recheck_bound, recheck_guarantee
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
        lower_check = recheck_bound(solution, deadline)
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
