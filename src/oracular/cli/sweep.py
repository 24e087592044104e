"""`oracular sweep GAME...`: many runs, and one table of what came out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracular.cli.arguments import objective_option
from oracular.cli.output import (
    Interrupted,
    SolvingDisplay,
    cluster_options,
    connected,
    json_option,
    lists_options,
    path_option,
    print_json,
    print_next,
    result_console,
)
from oracular.cli.solve import SOLVERS

if TYPE_CHECKING:
    from oracular.runs.drive import Progress as Step
    from oracular.runs.sweep import PlannedRun


@click.command(
    epilog="Example: oracular sweep jotto-3 jotto-4 --solver fictitious-play --solver regret-matching "
    "--set ties=first,possible --iterations 200 --out runs/sweep --cluster local"
)
@click.argument("game_names", metavar="GAME...", nargs=-1, required=True)
@click.option(
    "--solver",
    "solvers",
    type=click.Choice(SOLVERS),
    multiple=True,
    default=SOLVERS[:1],
    help="A solver to try; may be given more than once [default: fictitious-play].",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=A,B",
    help="A setting and what to try for it, with the solvers that have it; may be given more than once.",
)
@click.option(
    "--iterations", type=int, metavar="T", help="Stop each after iteration T [default: 1000 where no limit is given]."
)
@click.option("--epsilon", type=float, metavar="E", help="Stop each when its measured epsilon is at most E.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop each after so many seconds.")
@objective_option
@path_option("--out", "DIR", "Where the runs are kept, a folder each [default: runs/sweep].", Path("runs/sweep"))
@click.option("--threads", type=int, metavar="N", help="Without a cluster: threads to use [default: all].")
@cluster_options
@lists_options
@json_option
def sweep(
    game_names: tuple[str, ...],
    solvers: tuple[str, ...],
    settings: tuple[str, ...],
    iterations: int | None,
    epsilon: float | None,
    seconds: float | None,
    objective: str | None,
    out: Path,
    threads: int | None,
    cluster: str | None,
    workers: int | None,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Solve games with several solvers and settings.

    Every game is solved by every solver with every choice of its settings, one run after another, or on the workers of
    a cluster. The same command goes on with what was interrupted and leaves alone what is finished.
    """
    import oracular
    from oracular.report.tables import print_sweep
    from oracular.runs.sweep import parse_settings, plan
    from oracular.runs.sweep import sweep as run_all
    from oracular.system.memory import check_threads

    games = [oracular.game(name, **lists) for name in dict.fromkeys(game_names)]
    check_threads(threads)
    runs = plan(
        games,
        solvers,
        parse_settings(settings),
        out,
        iterations=iterations,
        epsilon=epsilon,
        time_limit=seconds,
        objective="mean" if objective is None else objective,
    )
    with connected(cluster, workers) as connection, SolvingDisplay() as display:
        lines = {run.folder: display.add(run.folder.name, "waiting") for run in runs}

        def show(run: PlannedRun, at: Step | str | dict[str, Any]) -> None:
            line, sign = lines[run.folder], "≤" if run.objective.less_is_better else "≥"
            if isinstance(at, dict):
                line.done(f"t {at['iterations']}  ε {at['epsilon']:.3f} measured  {sign} {at['guarantee']:.3f}")
            else:
                line(at)

        rows = run_all(runs, cluster=connection, threads=threads, progress=show)
    if rows is None:
        raise Interrupted("the same command goes on from here")
    if connection is not None and connection.reported is not None:
        click.echo(f"note: the figures of runs that were made just now are {connection.reported}", err=True)
    if as_json:
        print_json(rows)
    else:
        print_sweep(rows, runs[0].objective, result_console())
    sign = runs[0].objective.sign
    print_next(as_json, "evaluate", min(rows, key=lambda row: sign * row["guarantee"])["out"])
