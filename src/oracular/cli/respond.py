"""`oracular respond GAME`: the guesser's best response to a hider, proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from oracular.cli.hiders import named_hider
from oracular.cli.output import (
    Interrupted,
    cluster_options,
    connected,
    json_option,
    lists_given,
    lists_options,
    print_next,
    print_of_game,
    progress_line,
)
from oracular.system.counting import counted

if TYPE_CHECKING:
    from oracular.responses.limits import SearchProgress


@click.command(epilog="Example: oracular respond mastermind-4x6 --hider uniform --exact --time 60")
@click.argument("game_name", metavar="GAME")
@click.option(
    "--hider",
    default="uniform",
    metavar="uniform|FILE|RUN",
    help="Whom to respond to: the uniform hider, a file with one whole number a secret, or a run's hider [uniform].",
)
@click.option("--exact/--greedy", default=True, help="Search for the best tree (default), or take the greedy one.")
@click.option(
    "--time", "seconds", type=float, metavar="SECONDS", help="Stop after so many seconds [when it is proved]."
)
@click.option("--states", type=int, metavar="N", help="Stop after so many states: the same result every time.")
@cluster_options
@lists_options
@json_option
def respond(
    game_name: str,
    hider: str,
    exact: bool,
    seconds: float | None,
    states: int | None,
    cluster: str | None,
    workers: int | None,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Find the guesser's best response, with proof.

    Stopped early, it gives the best tree found and a proved lower bound on what any tree needs.
    """
    import oracular
    from oracular.runs.folder import is_run
    from oracular.runs.limits import interrupts

    if cluster is not None and (states is not None or not exact):
        raise click.UsageError(
            "a cluster searches exactly, and until it is proved or the time is up: leave out "
            f"{'--states' if states is not None else '--greedy'}"
        )
    game = oracular.game(game_name, **lists)
    weights = named_hider(game, hider)
    with connected(cluster, workers) as connection, progress_line(game.name) as line, interrupts() as interrupted:

        def progress(search: SearchProgress) -> None:
            line.note(
                f"{search.lower:.4f} ≤ least ≤ {search.upper:.4f}, "
                f"{counted(search.plies, 'guess', 'guesses')} deep, {counted(search.states, 'state')}"
            )

        if connection is None:
            response = oracular.best_response(
                game, weights, exact=exact, time_limit=seconds, node_limit=states, watcher=progress, stop=interrupted
            )
        else:
            from oracular.cluster.searches import distributed_best_response

            response = distributed_best_response(
                game, weights, connection, time_limit=seconds, stop=interrupted, progress=progress
            )
        stopped = interrupted()
    opening = game.guesses[response.tree.guess(game.all_secrets)]
    reported = None if connection is None else connection.reported
    total = response.hider.total
    verdict = "yes: the tree is a best response" if reported is None else f"not here: a best response {reported}"
    data = {
        "hider": hider,
        "lower": str(response.lower),
        "upper": str(response.upper),
        "proved": response.proved and reported is None,
        "cluster": None if connection is None else connection.trust,
        "opening": opening,
        "states": response.states,
        "total_weight": total,
    }
    pairs = {
        "hider": f"{hider}, weights that add up to {total:,}",
        "lower bound": f"{float(response.lower):.6f} expected guesses = {response.lower * total} in all "
        f"({reported or 'proved'})",
        "best tree": f"{float(response.upper):.6f} expected guesses = {response.upper * total} in all (exact)",
        "proved": verdict if response.proved else "no: the truth lies between",
        "opening": opening,
        "states searched": f"{response.states:,}",
    }
    print_of_game(as_json, game, data, pairs)
    if stopped:
        raise Interrupted("what was found by then holds")
    own = ["--hider", hider, *lists_given(lists)]
    if not exact:
        print_next(as_json, "respond", game_name, *own, "--exact", "--time", "60")
    elif hider == "uniform" or not is_run(Path(hider)):
        print_next(as_json, "play", game_name, *lists_given(lists))
    else:
        print_next(as_json, "evaluate", hider)
