"""`oracular certify RUN`: proved bounds on the value of the game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
@click.option("--time", "seconds", type=float, default=600.0, show_default=True, help="How many seconds to search.")
@click.option(
    "--hider",
    type=click.Choice(["uniform", "run"]),
    default="uniform",
    show_default=True,
    help="Whose strategy gives the lower bound.",
)
@click.option("--threads", type=int, metavar="N", help="Openings searched at a time [as many as cores and memory].")
@cluster_options
@json_option
def certify(
    folder: Path,
    seconds: float,
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
    """
    from oracular.bounds.opening import PROVED
    from oracular.runs.certify import certify as prove

    with connected(cluster, workers) as connection, progress_line("certify") as line:

        def progress(bounds: Bounds) -> None:
            line.note(
                f"{float(bounds.lower):.4f} ≤ value ≤ {float(bounds.upper):.4f}; weakest: {bounds.opening}, "
                f"{counted(bounds.plies, 'guess', 'guesses')} deep"
            )

        bounds = prove(folder, hider=hider, threads=threads, cluster=connection, time_limit=seconds, progress=progress)
    reported = None if connection is None else connection.reported
    lower_is, upper_is = reported or bounds.lower_check.words, bounds.upper_check.words
    gap = float(bounds.upper - bounds.lower)
    depth = "to the end" if bounds.plies == PROVED else f"{counted(bounds.plies, 'guess', 'guesses')} deep"
    data = {
        "lower": str(bounds.lower),
        "upper": str(bounds.upper),
        "proved": bounds.proved and reported is None,
        "cluster": None if connection is None else connection.trust,
        "gap": gap,
        "hider": bounds.hider,
        "weakest_opening": bounds.opening,
        "plies": bounds.plies,
        "seconds": bounds.seconds,
        "lower_is": lower_is,
        "upper_is": upper_is,
        "stopped": bounds.stopped,
    }
    pairs = {
        "lower bound": f"{float(bounds.lower):.6f} guesses against the {bounds.hider} hider ({lower_is})",
        "upper bound": f"{float(bounds.upper):.6f} guesses, the guesser's guarantee ({upper_is})",
        "gap": f"{gap:.6f}",
        "weakest": f"{bounds.opening}, searched {depth}",
    }
    print_of_game(as_json, bounds.game, data, pairs)
    given = [] if hider == "uniform" else ["--hider", hider]
    if bounds.stopped == "interrupted":
        raise Interrupted(f"what is proved is kept, go on with: {command_line('certify', folder, *given)}")
    if bounds.proved:
        print_next(as_json, "verify", folder)
    else:
        print_next(as_json, "certify", folder, "--time", f"{seconds:g}", *given)  # goes on from here
