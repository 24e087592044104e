"""`oracular certify RUN`: proved bounds on the value of the game."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oracular.cli.arguments import ExactNumber
from oracular.cli.objectives import bound_names, described_objective, measured
from oracular.cli.output import (
    Interrupted,
    cluster_options,
    command_line,
    connected,
    json_option,
    print_next,
    print_of_game,
    progress_line,
)
from oracular.system.counting import counted

if TYPE_CHECKING:
    from oracular.runs.certify import Bounds, WhichHider


@click.command(epilog="Example: oracular certify runs/mine --time 600")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--time", "seconds", type=float, default=600.0, metavar="SECONDS", help="How long to search [default: 600]."
)
@click.option(
    "--target",
    type=ExactNumber(),
    metavar="GUESSES",
    help="End once the lower bound is so high; no opening is asked for more.",
)
@click.option(
    "--hider",
    type=click.Choice(["uniform", "run"]),
    default="uniform",
    show_default=True,
    help="Whose strategy gives the lower bound.",
)
@click.option(
    "--threads",
    type=int,
    metavar="N",
    help="Openings searched at a time [default: as many as there are cores and memory for].",
)
@cluster_options
@json_option
def certify(
    folder: Path,
    seconds: float,
    target: Fraction | None,
    hider: WhichHider,
    threads: int | None,
    cluster: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Prove bounds on the value of a run's game.

    The upper bound is the guarantee of the run's guesser. The lower bound is on what any guesser needs against a
    hider, proved by branch and bound. What is proved is kept in the run's folder: the next call goes on from there, and
    the bound only rises.

    A sample of what an earlier call kept is proved again, and the rest is called recorded; 'oracular verify RUN' proves
    all of it again.

    Of a run for another objective than the mean, the bound against the hider is that of one exact search, in that
    objective, and nothing of it is kept.
    """
    from oracular.bounds.opening import PROVED
    from oracular.runs.certify import certify as prove

    with connected(cluster, workers) as connection, progress_line("certify") as line:

        def progress(bounds: Bounds) -> None:
            line.note(
                f"{float(bounds.lower):.4f} ≤ value ≤ {float(bounds.upper):.4f}; weakest: {bounds.opening}, "
                f"{counted(bounds.plies or 0, 'guess', 'guesses')} deep"
            )

        bounds = prove(
            folder,
            hider=hider,
            threads=threads,
            cluster=connection,
            time_limit=seconds,
            target=target,
            progress=progress,
        )
    reported = None if connection is None else connection.reported
    bound_is, guarantee_is = reported or bounds.bound_check.words, bounds.guarantee_check.words
    objective = bounds.objective
    guaranteed, other = bound_names(objective)
    lower_is, upper_is = (bound_is, guarantee_is) if objective.less_is_better else (guarantee_is, bound_is)
    gap = float(bounds.upper - bounds.lower)
    data = {
        "objective": objective.name,
        "lower": str(bounds.lower),
        "upper": str(bounds.upper),
        "proved": bounds.proved and reported is None,
        "cluster": None if connection is None else connection.trust,
        "gap": gap,
        "hider": bounds.hider,
        "weakest_opening": bounds.opening if objective.is_mean else None,
        "plies": bounds.plies,
        "seconds": bounds.seconds,
        "lower_is": lower_is,
        "upper_is": upper_is,
        "stopped": bounds.stopped,
    }
    against = f"{measured(bounds.bound_check.value, objective, 6)} against the {bounds.hider} hider ({bound_is})"
    guarantee = f"{measured(bounds.guarantee_check.value, objective, 6)}, the guesser's guarantee ({guarantee_is})"
    pairs = {other: against, guaranteed: guarantee, "gap": f"{gap:.6f}"}
    if objective.is_mean:
        depth = "to the end" if bounds.plies == PROVED else f"{counted(bounds.plies or 0, 'guess', 'guesses')} deep"
        pairs["weakest"] = f"{bounds.opening}, searched {depth}"
    else:
        opening = {} if bounds.opening is None else {"opening": f"{bounds.opening}, of the best tree"}
        pairs = {"objective": described_objective(objective), **pairs, **opening}
    if target is not None:
        pairs["target"] = f"{float(target):.6f}, {'reached' if bounds.lower >= target else 'not reached'}"
    print_of_game(as_json, bounds.game, data, pairs)
    given = [] if hider == "uniform" else ["--hider", hider]
    if bounds.stopped == "interrupted":
        again = command_line("certify", folder, *given)
        raise Interrupted(f"{'what is proved is kept, go on' if objective.is_mean else 'begin again'} with: {again}")
    if bounds.proved or bounds.stopped in ("finished", "target"):
        print_next(as_json, "verify", folder)
    else:
        print_next(as_json, "certify", folder, "--time", f"{seconds:g}", *given)  # goes on from here
