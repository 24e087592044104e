"""`oracular evaluate RUN`: the figures of the paper's Table 1, or what strategies are worth in an objective."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from oracular.evaluation import GREEDY
from oracular.report.tables import duration

if TYPE_CHECKING:
    from oracular.objectives import Objective
    from oracular.runs.worth import Worth


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

    With another objective it is what the guesser guarantees in it, and what the best guesser gets against the hider,
    whatever the strategies were made for. They may also be those of a FILE, or those of a GAME that come with the
    package.
    """
    import oracular
    from oracular.runs.limits import interrupts

    with progress_line("evaluate") as line, interrupts() as interrupted:
        worth = oracular.evaluate(target, objective, time_limit=seconds, stop=interrupted, progress=line.note)
        stopped = interrupted()
    if worth.table is None:
        _print_worth(target, worth, as_json, stopped)
    else:
        _print_table(Path(target), worth, worth.table, as_json)
    if stopped:
        raise Interrupted("what was found by then holds")


def _print_worth(target: str, worth: Worth, as_json: bool, stopped: bool) -> None:
    """Print what strategies are worth in an objective."""
    from oracular.games.offensive import is_offensive
    from oracular.runs.folder import is_run

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
        return
    if is_run(Path(target)):
        print_next(as_json, *picture_or_guess(Path(target)))
    else:
        print_next(as_json, "play", worth.game.name)


def _against(objective: Objective) -> str:
    """Return whom the best guesser plays against, in words; the fewest guesses that suffice are against nobody."""
    return "" if objective.is_worst else " against the hider"


def _print_table(folder: Path, worth: Worth, row: dict[str, Any], as_json: bool) -> None:
    """Print the figures of the paper's Table 1 for a run."""
    from oracular.runs.paper_table import is_papers_game

    whole = "" if row["guarantee_is"] == "proved" else f": {command_line('verify', folder)} works it out"
    origin = "paper.py, in floats" if is_papers_game(worth.game) else "exact"
    pairs = {
        "hider vs benchmark": f"{row['hider_vs_benchmark']:.3f}",
        "guesser vs benchmark": f"{row['guesser_vs_benchmark']:.3f}",
        "overall vs benchmark": f"{row['overall_vs_benchmark']:.3f}",
        "benchmark self-play": f"{row['benchmark_self_play']:.3f} ({origin})",
        "self-play": f"{row['self_play']:.3f}",
        "benchmark epsilon": f"{row['benchmark_epsilon']:.3f} ({origin}; {GREEDY})",
        "epsilon": f"{row['epsilon']:.3f} at t* = {row['best_iteration']} ({row['epsilon_is']})",
        **({} if worth.lower is None else {"lower bound": f"{float(worth.lower):.6f} ({row['lower_is']})"}),
        "guarantee": f"{row['guarantee']:.3f} guesses against the worst secret "
        f"(upper bound, {row['guarantee_is']}{whole})",
        "iterations": f"{row['iterations']:,}",
        "time per iteration": duration(row["seconds_per_iteration"]),
    }
    print_of_game(as_json, worth.game, row, pairs)
    print_next(as_json, *picture_or_guess(folder))
