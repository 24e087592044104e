"""`oracular guess DIR HISTORY`: one guess from a run's mixed strategy."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from oracular.cli.arguments import HistoryCommand, history_argument
from oracular.cli.output import json_option, print_json, print_next, print_text


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
    from oracular.play.presentable import presentable_guess

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
