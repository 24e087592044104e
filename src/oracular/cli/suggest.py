"""`oracular suggest GAME HISTORY`: what is left, and the best guesses there."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.arguments import HistoryCommand, history_argument
from oracular.cli.hiders import UNIFORM, hider_option
from oracular.cli.output import (
    familiar_option,
    game_of_options,
    json_option,
    lists_given,
    lists_options,
    print_json,
    print_next,
    print_text,
    result_console,
)


@click.command(cls=HistoryCommand, epilog="Example: oracular suggest jotto-5 giant:2 pecan:3")
@click.argument("game_name", metavar="GAME")
@history_argument()
@hider_option
@click.option(
    "--objective",
    default="mean",
    metavar="mean|within-K|FILE",
    help="What the guesses are for: few of them on average, to find it within K guesses in all, those of the history "
    "counting, or a table of utilities in a file [mean].",
)
@click.option("--count", type=click.IntRange(min=1), default=10, metavar="N", help="Show at most N guesses [10].")
@familiar_option
@lists_options
@json_option
def suggest(
    game_name: str,
    history: str,
    hider: str,
    objective: str,
    count: int,
    familiar: bool,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Suggest guesses for a game that is played elsewhere.

    HISTORY is the guesses so far and their answers, like giant:2 pecan:3; leave it out for the opening.
    """
    from oracular.cli.advice_tables import check_consistency, print_advice
    from oracular.cli.hiders import named_hider
    from oracular.errors import FinishedGameError, InconsistentHistoryError
    from oracular.games.jotto import widened
    from oracular.objectives import objective as objective_of
    from oracular.play.advice import advise

    options = [*lists_given(lists), *(["--hider", hider] if hider != UNIFORM else [])]
    aim = ["--objective", objective] if objective != "mean" else []
    solved = game_of_options(game_name, familiar, lists)
    game = widened(solved)
    try:
        advice = advise(game, history, named_hider(solved, hider), count, objective)
    except InconsistentHistoryError:
        check_consistency(game, history)
        raise
    except FinishedGameError as error:
        if as_json:
            named = objective_of(objective, game).name
            print_json({"game": game.name, "history": history, "finished": True, "objective": named, "suggestions": []})
        else:
            print_text(str(error))
            turns = game.format_history(game.parse_history(history)).split()
            found = turns[-1].partition(":")[0]
            if found in game.secrets:
                print_next(as_json, "review", game.name, *turns, "--secret", found, *options)
        return
    if as_json:
        print_json({"game": game.name, "history": history, "finished": False} | advice.to_record())
        return
    print_advice(result_console(), game, history, advice)
    best = advice.suggestions[0]
    answer = max(best.parts, key=lambda label: best.parts[label])
    turns = [*game.format_history(game.parse_history(history)).split(), f"{best.guess}:{answer}"]
    if advice.left == 1 and not advice.unlisted:
        print_next(as_json, "review", game.name, *turns, "--secret", best.guess, *options)
        return
    print_text("\nNext, add your guess with its answer, for example:")
    print_next(as_json, "suggest", game.name, *turns, *options, *aim)
