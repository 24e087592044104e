"""What is done with a run: `oracular evaluate`, `oracular plot`, and `oracular guess`."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oracular.cli.arguments import (
    HistoryCommand,
    RunOrStrategies,
    bound_names,
    described_objective,
    history_argument,
    measured,
    objective_option,
)
from oracular.cli.output import (
    Interrupted,
    command_line,
    json_option,
    path_option,
    picture_or_guess,
    print_json,
    print_next,
    print_of_game,
    print_text,
    progress_line,
)
from oracular.evaluation import GREEDY
from oracular.system.files import duration

if TYPE_CHECKING:
    from oracular.objectives import Objective
    from oracular.runs.worth import Worth


@click.command(epilog="Example: oracular plot runs/jotto-5-fictitious-play")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@path_option("--out", "FILE", "The picture: .png, .svg or .pdf [default: DIR/plot.png].")
@json_option
def plot(folder: Path, out: Path | None, as_json: bool) -> None:
    """Draw a picture of a run.

    It shows both epsilons, the guarantee and the self-play value over iterations, and where the hider's probability
    lies; of a run of the blind race what each player could gain, the first mover's chance, and what both hide.
    """
    import oracular
    from oracular.report.picture import draw
    from oracular.runs.format import PICTURE
    from oracular.runs.race import is_race, load_race_run

    race, place = load_race_run(folder) if is_race(folder) else None, folder / PICTURE if out is None else out
    picture = draw(oracular.load_run(folder) if race is None else race, place)
    if as_json:
        print_json({"picture": str(picture)})
    else:
        click.echo(picture)
    if race is None:
        print_next(as_json, "guess", folder)
    else:
        print_next(as_json, "race", race.game.name, "--show", "--out", folder)


@click.command(
    cls=HistoryCommand, epilog="Example: oracular guess runs/jotto-5-fictitious-play giant:2 pecan:3 --game-seed 7"
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@history_argument()
@click.option(
    "--game-seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Fixes which oracle plays this game: give the same one for every guess of a game [drawn, and printed].",
)
@json_option
def guess(folder: Path, history: str, game_seed: int | None, as_json: bool) -> None:
    """Draw a guess from a run's mixed strategy.

    HISTORY is the guesses so far and their answers, like giant:2 pecan:3; leave it out for the opening.
    """
    import numpy as np

    import oracular
    from oracular.errors import FinishedGameError
    from oracular.games.jotto import widened
    from oracular.games.offensive import is_offensive
    from oracular.play.opponent import presentable_guess

    solution = oracular.load_run(folder)
    game = solution.game
    seed = secrets.randbelow(10**6) if game_seed is None else game_seed
    player = solution.guesser.new_game(np.random.default_rng(seed))
    played = widened(game)
    try:
        possible = played.possible_after(history)
    except FinishedGameError as error:
        if as_json:
            print_json({"game": game.name, "history": history, "finished": True, "guess": None, "game_seed": seed})
        else:
            print_text(str(error))
        print_next(as_json, "guess", folder)
        return
    demand = played.demand_after(played.parse_history(history))
    drawn = word = game.guesses[player.guess_at(possible, demand)]
    if as_json:
        print_json(
            {
                "game": game.name,
                "objective": solution.objective.name,
                "history": history,
                "finished": False,
                "guess": word,
                "possible": len(possible),
                "game_seed": seed,
                "oracle": player.drawn,
            }
        )
        return
    if is_offensive(word):
        word = game.guesses[presentable_guess(game, solution.guesser, possible, seed, demand)]
    click.echo(word)
    if word != drawn:
        print_text("The strategy's own guess may offend, so this is another one; --json prints the strategy's own.")
    print_text(f"game seed {seed} (oracle {player.drawn} of the mixture); possible: {len(possible)}")
    counts = np.bincount(game.answers(np.array([game.guess_index(word)], dtype=np.int32), possible)[0])
    turns = [
        *played.format_history(played.parse_history(history)).split(),
        f"{word}:{game.labels[int(counts.argmax())]}",
    ]
    print_text("\nNext, add the guess with its answer, for example:")
    print_next(as_json, "guess", folder, *turns, "--game-seed", str(seed))


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
    from oracular.system.control import interrupts

    with progress_line("evaluate") as line, interrupts() as interrupted:
        worth = oracular.evaluate(target, objective, time_limit=seconds, stop=interrupted, progress=line)
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
    from oracular.runs.table import is_papers_game

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
