"""`oracular solve GAME`: strategies near equilibrium, kept in a run's folder."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracular.cli.arguments import bound_names, described_objective, measured, objective_option
from oracular.cli.output import (
    Interrupted,
    SolvingDisplay,
    cluster_options,
    command_line,
    connected,
    json_option,
    lists_options,
    path_option,
    print_json,
    print_next,
    print_of_game,
    result_console,
)
from oracular.report.tables import duration

if TYPE_CHECKING:
    from oracular.cli.output import Line
    from oracular.cluster import Cluster
    from oracular.responses.greedy import Ties
    from oracular.runs.drive import Progress as Step
    from oracular.runs.solution import Solution
    from oracular.runs.sweep import PlannedRun


RECHECK_SECONDS, RECHECK_PART = 10.0, 0.25
"""How long a resumed run is worked out again at the end, and which part of a limited time that may take at most;
'oracular verify' takes as long as it needs."""

SOLVERS = ("fictitious-play", "regret-matching", "double-oracle", "exact")


@click.command(epilog="Example: oracular solve jotto-5 --iterations 3906 --out runs/jotto-5")
@click.argument("game_name", metavar="GAME")
@click.option(
    "--solver",
    type=click.Choice(SOLVERS),
    default=SOLVERS[0],
    show_default=True,
    help="The paper's method; a far stronger one; or the exact one, which proves what it finds, for small games.",
)
@click.option(
    "--iterations", type=int, metavar="T", help="Stop after iteration T [default: 1000 where no limit is given]."
)
@click.option("--epsilon", type=float, metavar="E", help="Stop when the measured epsilon is at most E.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after so many seconds.")
@objective_option
@path_option("--out", "DIR", "The run's folder [default: runs/GAME-SOLVER, or runs/GAME-SOLVER-OBJECTIVE].")
@click.option("--resume", is_flag=True, help="Go on with the run in that folder; it ends as if never stopped.")
@click.option("--fresh", is_flag=True, help="Begin anew where that folder holds a run, which is removed.")
@click.option(
    "--ties",
    type=click.Choice(["first", "possible"]),
    help="Among equally good guesses take the first word, which is the paper's rule, or one that may be the secret "
    "[default: first].",
)
@click.option("--threads", type=int, metavar="N", help="Threads to use [default: all]; they never change the result.")
@cluster_options
@click.option(
    "--engine",
    type=click.Choice(["incremental", "scratch"]),
    help="Fictitious play: build each tree from those before it, or from scratch; the result is the same "
    "[default: incremental].",
)
@click.option(
    "--memory", metavar="SIZE", help="The most memory fictitious play may take, like 1GB [default: what is free]."
)
@lists_options
@json_option
def solve(
    game_name: str,
    solver: str,
    iterations: int | None,
    epsilon: float | None,
    seconds: float | None,
    objective: str | None,
    out: Path | None,
    resume: bool,
    fresh: bool,
    ties: Ties | None,
    threads: int | None,
    cluster: str | None,
    workers: int | None,
    engine: str | None,
    memory: str | None,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Compute strategies near equilibrium.

    The default method is the paper's SolveJotto: fictitious play between the hider and the guesser's greedy oracles.

    The run is kept in a folder as it grows. Ctrl-C stops it, and even after a power failure --resume goes on with it;
    --fresh begins anew.

    Regret matching and the exact solver also solve for other objectives than the mean; every figure is then in the
    objective, and a run keeps it.
    """
    import oracular
    from oracular.runs.folder import Run, is_run
    from oracular.runs.solution import Resources, needs_for
    from oracular.system.memory import parse_size

    if resume and fresh:
        raise click.UsageError("--resume goes on with a run and --fresh begins anew: give only one of them")
    size = None if memory is None else parse_size(memory)
    folder = out or Path("runs") / f"{game_name}-{solver}{_ending(objective)}"
    stored = resume and not any(lists.values()) and is_run(folder)  # a run with a user's words has them in its folder
    game = Run.open(folder, with_history=False).game() if stored else oracular.game(game_name, **lists)
    if stored and game.name != game_name:
        game = oracular.game(game_name)
    checking = RECHECK_SECONDS if seconds is None else min(RECHECK_SECONDS, seconds * RECHECK_PART)
    with connected(cluster, workers) as cluster_of_it, SolvingDisplay() as display:
        resources = Resources(threads, cluster_of_it, engine, size)
        needs = needs_for(solver, game, resources)
        if needs is not None:
            display.print_above(needs.sentence())
        line = display.add(game.name)
        line("loading compiled code (the first time: compiling it)")
        solution = oracular.solve(
            game,
            solver=solver,
            objective=objective,
            iterations=iterations,
            epsilon=epsilon,
            time_limit=seconds - checking if resume and seconds is not None else seconds,
            settings={} if ties is None else {"ties": ties},
            out=folder,
            resume=resume,
            fresh=fresh,
            resources=resources,
            progress=line,
        )
        called = "proved" if cluster_of_it is None or cluster_of_it.reported is None else cluster_of_it.reported
        words = (called, called)
        if resume:  # what came from disk is worked out again here
            words = (
                ("recorded", "recorded") if solution.stopped == "interrupted" else _rechecked(solution, line, checking)
            )
    _report(solution, folder, as_json, None if needs is None else needs.engine, words, cluster_of_it)
    if solution.stopped == "interrupted":
        limits = {
            "--iterations": iterations,
            "--epsilon": epsilon,
            "--time": seconds,
            "--engine": engine,
            "--memory": memory,
            "--cluster": cluster,
            "--workers": workers,
        }
        given = [word for option, value in limits.items() if value is not None for word in (option, str(value))]
        again = command_line("solve", game_name, "--solver", solver, *given, "--out", folder, "--resume")
        raise Interrupted(f"go on with: {again}")
    print_next(as_json, "evaluate", folder)


def _ending(objective: str | None) -> str:
    """Return what a run's folder is called by default behind the game and the solver, for an objective."""
    from oracular.objectives import DIGITS, LARGEST_FILE, WITHIN
    from oracular.system.files import read_bytes

    if objective is None or objective == "mean":
        return ""
    if WITHIN.fullmatch(objective):
        return f"-{objective}"
    try:
        content = read_bytes(Path(objective), LARGEST_FILE)
    except (OSError, ValueError):  # it is said later what is wrong with it
        return f"-{Path(objective).stem}"
    return f"-{Path(objective).stem}-{hashlib.sha256(content).hexdigest()[:DIGITS]}"


def _rechecked(solution: Solution, line: Line, seconds: float) -> tuple[str, str]:
    """Return what the guarantee and the hider's bound of a resumed run may be called: a part of them came from disk."""
    from oracular.runs.verify import verify_bound, verify_guarantee
    from oracular.system.control import Control, Deadline

    line("working out again what the run says of itself")
    control: Control[object] = Control(Deadline.after(seconds))
    guarantee, bound = verify_guarantee(solution, control), verify_bound(solution, control)
    return guarantee.words, "recorded" if bound is None else bound.words


def _report(
    solution: Solution, folder: Path, as_json: bool, engine: str | None, words: tuple[str, str], cluster: Cluster | None
) -> None:
    """Print what was reached; `words` say what the guarantee and the hider's bound may be called."""
    standing, objective = solution.standing, solution.objective
    guarantee_is, bound_is = words
    guaranteed, other = bound_names(objective)
    proved = solution.closed and guarantee_is == bound_is == "proved"
    reported = None if cluster is None else cluster.reported
    data = {
        **solution.settings,
        "objective": objective.name,
        **({"engine": engine} if engine else {}),
        "iterations": solution.iterations,
        "best_iteration": solution.best_iteration,
        "epsilon": solution.epsilon,
        "epsilon_is": solution.epsilon_is,
        **vars(standing),
        "lower": None if solution.lower is None else str(solution.lower),
        "upper": None if solution.upper is None else str(solution.upper),
        "proved": proved,
        "cluster": None if cluster is None else cluster.trust,
        "stopped": solution.stopped,
        "seconds": solution.seconds,
        "seconds_per_iteration": solution.seconds_per_iteration,
        "out": str(folder),
    }
    if solution.bound is None:
        bounds = {"epsilon": f"{solution.epsilon:.4f} at t* = {solution.best_iteration} ({solution.epsilon_is})"}
    elif proved:
        bounds = {
            "value": f"{solution.bound} = {measured(solution.bound, objective, 9)} (proved: see certificate.json)"
        }
    else:
        bounds = {other: f"{measured(solution.bound, objective, 6)} ({bound_is})"}
        if solution.stopped == "finished" and not solution.closed:
            bounds["open"] = (
                "this is as close as can be proved: the hider's exact weights are too large for the search, "
                "so give utilities with fewer digits"
            )
    guarantee = f"proved {guaranteed}" if guarantee_is == "proved" else f"{guaranteed}, {guarantee_is}"
    pairs = {
        "iterations": f"{solution.iterations:,} in {duration(solution.seconds)} (stopped by: {solution.stopped})",
        **({"engine": f"{engine} (never changes the result)"} if engine else {}),
        **({} if objective.is_mean else {"objective": described_objective(objective)}),
        **bounds,
        "self-play": f"{measured(standing.self_play, objective)} ({reported or 'exact for these strategies'})",
        "guarantee": f"{measured(standing.guarantee, objective)} against the worst secret ({guarantee})",
        "run": f"{folder}",
    }
    print_of_game(as_json, solution.game, data, pairs)


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
