"""`oracular solve`, `oracular race` and `oracular sweep`: strategies near equilibrium, kept in runs."""

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
    lists_given,
    lists_options,
    path_option,
    print_json,
    print_next,
    print_of_game,
    progress_line,
    proof_data,
    proof_option,
    proof_pairs,
    result_console,
)
from oracular.report.tables import print_sweep
from oracular.runs.folder import Run, is_run
from oracular.runs.solution import Resources, needs_for
from oracular.system.files import duration

if TYPE_CHECKING:
    from oracular.cli.output import Line
    from oracular.cluster import Cluster
    from oracular.runs.drive import Progress as Step
    from oracular.runs.race import RaceSolution
    from oracular.runs.solution import Solution
    from oracular.runs.sweep import PlannedRun
    from oracular.search.proofs import WrittenProof
    from oracular.strategies.greedy import Ties
    from oracular.strategies.race import RaceFigures, RaceMix, RaceStrategies


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
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop after this many seconds.")
@objective_option
@path_option("--out", "DIR", "The run's folder [default: runs/GAME-SOLVER, or runs/GAME-SOLVER-OBJECTIVE].")
@click.option("--resume", is_flag=True, help="Go on with the run in that folder; it ends as if never stopped.")
@click.option("--fresh", is_flag=True, help="Start over if that folder holds a run, which is removed.")
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
@proof_option
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
    proof: Path | None,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Compute strategies near equilibrium.

    The default method is the paper's SolveJotto: fictitious play between the hider and the guesser's greedy oracles.

    The run is kept in a folder as it grows. Ctrl-C stops it, and even after a power failure --resume continues it;
    --fresh starts over.

    Regret matching and the exact solver also solve for other objectives than the mean; every figure is then in the
    objective, and a run keeps it.
    """
    import oracular
    from oracular.system.memory import parse_size

    if resume and fresh:
        raise click.UsageError("--resume continues a run and --fresh starts over: give only one of them")
    if proof is not None:
        from oracular.search.proofs import check_path

        if solver != "exact":
            raise click.UsageError("only the exact solver proves both bounds: add --solver exact, or leave --proof out")
        check_path(proof)
    size = None if memory is None else parse_size(memory)
    written = None
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
        if proof is not None and solution.stopped != "interrupted":
            written = _write_proof(proof, solution, line)
    engine_used = None if needs is None else needs.engine
    _report(solution, folder, as_json, engine_used, words, cluster_of_it, (proof, written))
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
    if proof is not None and written is None:
        raise Interrupted("the run is saved, but no proof was written")
    if proof is not None:
        print_next(as_json, "verify", proof)
    else:
        print_next(as_json, "evaluate", folder)


def _write_proof(path: Path, solution: Solution, line: Line) -> WrittenProof | None:
    """Return the proof that was written of an equilibrium, or None if it was interrupted."""
    import numpy as np

    from oracular.search.proofs import write_proof
    from oracular.strategies.hider import Hider
    from oracular.system.control import Control, Stopped, interrupts

    certificate, objective = solution.certificate, solution.objective
    assert certificate is not None
    losses = sorted(objective.loss(bound) for bound in (certificate.lower, certificate.upper))
    hider = Hider(solution.game, np.array(certificate.weights, dtype=object))
    with interrupts() as interrupted:
        try:
            return write_proof(
                path, hider, objective, (losses[0], losses[1]),
                certificate.trees, certificate.shares, control=Control(cancelled=interrupted, on_report=line),
            )  # fmt: skip
        except Stopped:
            return None


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
    solution: Solution,
    folder: Path,
    as_json: bool,
    engine: str | None,
    words: tuple[str, str],
    cluster: Cluster | None,
    proof: tuple[Path | None, WrittenProof | None],
) -> None:
    """Print what was reached; `words` say what the guarantee and the hider's bound may be called."""
    path, written = proof
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
        **proof_data(written, path),
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
        **proof_pairs(written, path),
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
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop each after this many seconds.")
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
    a cluster. The same command continues what was interrupted, and leaves finished runs alone.
    """
    import oracular
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


TOP_SECRETS = 5
"""This many of the likeliest secrets of each side are shown."""

LINE = 38
"""Lists are broken into lines of this many columns, which a terminal of 60 leaves them, and only between entries."""

EXACT, NO_BOUND, QUICK = "exact", "by the best deviation found: no bound", "with these trees alone: no bound"
"""What the epsilons are: after a search of all trees, with trees that were planned to deviate with, and without any."""


@click.command(epilog="Example: oracular race jotto-5 --show")
@click.argument("game_name", metavar="GAME")
@click.option(
    "--show", is_flag=True, help="Show the strategies that come with the package, or with --out those of a run."
)
@click.option("--verify", is_flag=True, help="With --show: measure all figures again, with newly planned deviations.")
@click.option("--exact", is_flag=True, help="Solve the race of a tiny game exactly, by linear programming.")
@click.option("--iterations", type=int, metavar="T", help="Stop after step T [default: 1000 where no limit is given].")
@click.option("--epsilon", type=float, metavar="E", help="Stop when neither side gains more than E with recent trees.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop solving after this many seconds.")
@path_option("--out", "DIR", "The run's folder [default: runs/GAME-race].")
@click.option("--resume", is_flag=True, help="Go on with the run in that folder; it ends as if never stopped.")
@click.option("--fresh", is_flag=True, help="Start over if that folder holds a run, which is removed.")
@lists_options
@json_option
def race(
    game_name: str,
    show: bool,
    verify: bool,
    exact: bool,
    iterations: int | None,
    epsilon: float | None,
    seconds: float | None,
    out: Path | None,
    resume: bool,
    fresh: bool,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Solve the blind race, Jotto as two play it: the first to find the other's secret wins.

    Player 1 moves first and wins where both need as many guesses. It is blind: neither side's guesses depend on what
    the other does. A strategy is a mix over pairs of a secret and a tree.

    The run is kept in a folder as it grows; Ctrl-C stops it, and --resume continues it. In the end it is measured
    what each side would gain by the best deviation that is found, which takes a while and is no bound.
    """
    solving = {"--iterations": iterations, "--epsilon": epsilon, "--time": seconds}
    given = [name for name, value in solving.items() if value is not None]
    given += [name for name, value in (("--resume", resume), ("--fresh", fresh)) if value]
    if verify and not show:
        raise click.UsageError("--verify is for strategies that are there: add --show")
    if (show or exact) and given:
        raise click.UsageError(f"{given[0]} is for solving: leave it out, or leave out --{'show' if show else 'exact'}")
    if show and exact:
        raise click.UsageError("--show and --exact exclude each other: give only one of them")
    if resume and fresh:
        raise click.UsageError("--resume continues a run and --fresh starts over: give only one of them")
    if exact:
        _exact(game_name, as_json, lists)
    elif show:
        _show(game_name, out, verify, as_json, lists)
    else:
        _solve(game_name, solving, out, resume, fresh, as_json, lists)


def _exact(game_name: str, as_json: bool, lists: dict[str, Path | None]) -> None:
    """Print the value of a tiny game's race."""
    import oracular
    from oracular.solvers.race.measure import exact_race

    game = oracular.game(game_name, **lists)
    solved = exact_race(game)
    data = {"race": "blind", "first_mover_wins": solved.value, "trees": len(solved.depths), "exact": True}
    pairs = {
        "race": "blind",
        "first mover wins": f"{solved.value:.9f} (exact up to rounding: linear program over all pairs)",
        "trees": f"{len(solved.depths):,} that no other one dominates",
    }
    print_of_game(as_json, game, data, pairs)
    print_next(as_json, "show", game_name, *lists_given(lists))


def _show(game_name: str, out: Path | None, verify: bool, as_json: bool, lists: dict[str, Path | None]) -> None:
    """Print the figures of existing strategies."""
    import oracular
    from oracular.runs.race import check_chance, load_race_run, verify_race
    from oracular.system.control import Control

    with progress_line(game_name, "reading the strategies") as line:
        if out is None:
            if any(lists.values()):
                raise click.UsageError("with words of your own there are only strategies of runs: add --out DIR")
            race = oracular.load_race(oracular.game(game_name).name)
            check_chance(race)
        else:
            race = load_race_run(out, progress=line).strategies
            if race.game.name != oracular.game(game_name, **(lists if any(lists.values()) else {})).name:
                raise click.UsageError(f"the run in {str(out)!r} is of {race.game.name}: name that game")
        figures = verify_race(race, control=Control(on_report=line)) if verify else race.recorded
    _print(race, figures, "measured again" if verify else "recorded", as_json)
    print_next(as_json, "play", race.game.name, *lists_given(lists))


def _solve(
    game_name: str,
    solving: dict[str, Any],
    out: Path | None,
    resume: bool,
    fresh: bool,
    as_json: bool,
    lists: dict[str, Path | None],
) -> None:
    """Solve a race in a folder, and print what it came to."""
    import oracular
    from oracular.games.names import canonical_name

    folder = out or Path("runs") / f"{canonical_name(game_name)}-race"
    stored = resume and not any(lists.values()) and is_run(folder)  # a run with a user's words has them in its folder
    game = Run.open(folder, with_history=False).game() if stored else oracular.game(game_name, **lists)
    if stored and game.name != game_name:
        game = oracular.game(game_name)
    again = [word for name, value in solving.items() if value is not None for word in (name, str(value))]
    go_on = command_line("race", game_name, *again, "--out", folder, "--resume")
    with SolvingDisplay() as display:
        line = display.add(game.name)
        line("loading compiled code (the first time: compiling it)")
        try:
            solution = oracular.solve_race(
                game,
                iterations=solving["--iterations"],
                epsilon=solving["--epsilon"],
                time_limit=solving["--time"],
                out=folder,
                resume=resume,
                fresh=fresh,
                progress=line,
            )
        except KeyboardInterrupt:
            raise Interrupted(f"go on with: {go_on}") from None
    _print(solution.strategies, solution.figures, "measured", as_json, solution, folder)
    if solution.stopped == "interrupted":
        raise Interrupted(f"go on with: {go_on}")
    print_next(as_json, "race", game_name, "--show", "--out", folder, *lists_given(lists))


def _print(
    race: RaceStrategies,
    figures: RaceFigures,
    word: str,
    as_json: bool,
    solution: RaceSolution | None = None,
    folder: Path | None = None,
) -> None:
    """Print strategies for the race and what was measured of them."""
    sides = {"first": race.first, "second": race.second}
    what = f"{word}; {EXACT if figures.exact else NO_BOUND if figures.planned_secrets else QUICK}"
    data: dict[str, Any] = {
        "race": "blind",
        **vars(figures),
        "epsilons_are": what,
        "secrets": {name: _likeliest(mix) for name, mix in sides.items()},
        "trees": {name: len(mix.trees) for name, mix in sides.items()},
        "made_by": race.made_by,
    }
    pairs = {
        "race": "blind: neither side's guesses depend on the other's",
        "first mover wins": f"{figures.first_mover_wins:.4f} (exact for these strategies)",
        "player 1 could gain": f"{figures.epsilon_first:.4f} ({what})",
        "player 2 could gain": f"{figures.epsilon_second:.4f} ({what})",
        "deviations": "every tree for every secret of each side"
        if figures.exact
        else f"trees planned for {figures.planned_secrets:,} secrets of each side"
        if figures.planned_secrets
        else "no tree was planned: --show or --resume does that",
    }
    if figures.one_sided_first_mover_wins is not None:
        pairs["one-sided strategies"] = _in_lines(
            f"first mover wins {figures.one_sided_first_mover_wins:.4f}",
            f"player 1 could gain {figures.one_sided_epsilon_first:.4f}",
            f"player 2 could gain {figures.one_sided_epsilon_second:.4f}",
            f"({what})",
        )
    for name, mix in sides.items():
        shown = [f"{secret} {share:.2%}" for secret, share in _likeliest(mix).items()]
        others = len(mix.game.secrets) - len(shown)
        pairs[f"{name} mover hides"] = _in_lines(*shown, *([f"… and {others:,} more"] if others else []))
        pairs[f"{name} mover guesses"] = f"with {len(mix.trees):,} trees"
    if solution is not None:
        data |= {"iterations": solution.iterations, "stopped": solution.stopped, "seconds": solution.seconds}
        data["out"] = str(folder)
        pairs["steps"] = f"{solution.iterations + 1:,} in {duration(solution.seconds)} (stopped by: {solution.stopped})"
        pairs["run"] = f"{folder}"
    print_of_game(as_json, race.game, data, pairs)


def _in_lines(*entries: str) -> str:
    """Return a list of entries with commas, in lines that break between entries alone."""
    lines = [""]
    for number, entry in enumerate(entries, 1):
        text = entry if number == len(entries) else f"{entry},"
        if lines[-1] and len(lines[-1]) + 1 + len(text) > LINE:
            lines.append(text)
        else:
            lines[-1] = f"{lines[-1]} {text}".lstrip()
    return "\n".join(lines)


def _likeliest(mix: RaceMix) -> dict[str, float]:
    """Return the likeliest own secrets that can be shown to anybody, with their probabilities."""
    from oracular.games.offensive import is_offensive

    shares = mix.hider.probabilities
    order = (-shares).argsort(kind="stable").tolist()
    shown = [place for place in order if not is_offensive(mix.game.secrets[place])][:TOP_SECRETS]
    return {mix.game.secrets[place]: float(shares[place]) for place in shown}
