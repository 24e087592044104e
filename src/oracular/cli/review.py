"""`oracular review GAME HISTORY --secret WORD`: a look back at a game."""

from __future__ import annotations

from pathlib import Path

import click

from oracular.cli.arguments import HistoryCommand, history_argument
from oracular.cli.hiders import hider_option
from oracular.cli.output import (
    familiar_option,
    game_of_options,
    json_option,
    lists_given,
    lists_options,
    print_json,
    print_next,
    result_console,
)


@click.command(
    cls=HistoryCommand, epilog="Example: oracular review jotto-5 giant:2 pecan:2 doyen:2 vixen:5 --secret vixen"
)
@click.argument("game_name", metavar="GAME")
@history_argument(required=True)
@click.option("--secret", required=True, metavar="WORD", help="The secret that was to be found.")
@hider_option
@familiar_option
@lists_options
@json_option
def review(
    game_name: str, history: str, secret: str, hider: str, familiar: bool, as_json: bool, **lists: Path | None
) -> None:
    """Review a game: what each guess cost, and what was luck.

    HISTORY is the guesses and their answers, like giant:2 pecan:2; the game need not be finished. All figures are
    estimates of the number of guesses to the end.
    """
    from oracular.cli.advice_tables import check_consistency, print_review
    from oracular.cli.hiders import assumed_hider
    from oracular.games.jotto import widened
    from oracular.play.review import review as review_game

    solved = game_of_options(game_name, familiar, lists)
    game = widened(solved)
    check_consistency(game, history)
    result = review_game(game, history, secret, assumed_hider(solved, hider))
    if as_json:
        print_json({"game": game.name, "history": history} | result.to_record())
        return
    print_review(result_console(), result)
    print_next(as_json, "play", game.name, *lists_given(lists))
