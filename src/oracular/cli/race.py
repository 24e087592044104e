"""`oracular race GAME`: the blind race, in which both players hide a secret and the first to find the other's wins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracular.cli.output import (
    Interrupted,
    SolvingDisplay,
    command_line,
    json_option,
    lists_given,
    lists_options,
    path_option,
    print_next,
    print_of_game,
    progress_line,
)
from oracular.report.tables import duration

if TYPE_CHECKING:
    from oracular.runs.race import RaceSolution
    from oracular.strategies.race import RaceFigures, RaceMix, RaceStrategies

TOP_SECRETS = 5
"""So many of the likeliest secrets of each side are shown."""

LINE = 38
"""Lists are broken into lines of so many columns, which a terminal of 60 leaves them, and only between entries."""

EXACT, NO_BOUND, QUICK = "exact", "by the best deviation found: no bound", "with these trees alone: no bound"
"""What the epsilons are: after a search of all trees, with trees that were planned to deviate with, and without any."""


@click.command(epilog="Example: oracular race jotto-5 --show")
@click.argument("game_name", metavar="GAME")
@click.option(
    "--show", is_flag=True, help="Show the strategies that come with the package, or with --out those of a run."
)
@click.option("--verify", is_flag=True, help="With --show: measure all figures again, planning every deviation anew.")
@click.option("--exact", is_flag=True, help="Solve the race of a tiny game exactly, by linear programming.")
@click.option("--iterations", type=int, metavar="T", help="Stop after step T [default: 1000 where no limit is given].")
@click.option("--epsilon", type=float, metavar="E", help="Stop when neither side gains more than E with recent trees.")
@click.option("--time", "seconds", type=float, metavar="SECONDS", help="Stop solving after so many seconds.")
@path_option("--out", "DIR", "The run's folder [default: runs/GAME-race].")
@click.option("--resume", is_flag=True, help="Go on with the run in that folder; it ends as if never stopped.")
@click.option("--fresh", is_flag=True, help="Begin anew where that folder holds a run, which is removed.")
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

    The run is kept in a folder as it grows; Ctrl-C stops it, and --resume goes on with it. In the end it is measured
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
        raise click.UsageError("--resume goes on with a run and --fresh begins anew: give only one of them")
    if exact:
        _exact(game_name, as_json, lists)
    elif show:
        _show(game_name, out, verify, as_json, lists)
    else:
        _solve(game_name, solving, out, resume, fresh, as_json, lists)


def _exact(game_name: str, as_json: bool, lists: dict[str, Path | None]) -> None:
    """Print the value of a tiny game's race."""
    import oracular
    from oracular.solvers.race.exact import exact_race

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
    """Print what is known of strategies that are there."""
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
    from oracular.runs.folder import Run, is_run

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
