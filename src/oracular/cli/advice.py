"""Advice on a game that is played anywhere: `oracular suggest`, and `oracular review` once it is over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from oracular.cli.arguments import UNIFORM, HistoryCommand, hider_option, history_argument
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

if TYPE_CHECKING:
    from oracular.play.match import Side


@click.command(
    cls=HistoryCommand, epilog="Example: oracular review jotto-5 giant:2 pecan:2 doyen:2 vixen:5 --secret vixen"
)
@click.argument("game_name", metavar="GAME")
@history_argument(required=True)
@click.option("--secret", required=True, metavar="WORD", help="The secret that was to be found.")
@click.option("--own", metavar="WORD", help="In a duel: the secret that you hid.")
@click.option("--theirs", metavar="HISTORY", help="In a duel: the other side's guesses and answers, in quotes.")
@click.option(
    "--begins", type=click.Choice(["you", "computer"]), help="In a duel: who began [as the numbers of guesses tell]."
)
@hider_option
@familiar_option
@lists_options
@json_option
def review(
    game_name: str,
    history: str,
    secret: str,
    own: str | None,
    theirs: str | None,
    begins: Side | None,
    hider: str,
    familiar: bool,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Review a game: what each guess cost, and what was luck.

    HISTORY is the guesses and their answers, like giant:2 pecan:2; the game need not be finished. All figures are
    estimates of the number of guesses to the end. With --own and --theirs it is a duel, and your chance to win is
    estimated before and after each guess.
    """
    from oracular.cli.advice_tables import print_duel_review, print_review
    from oracular.cli.arguments import COMPUTER, named_hider
    from oracular.errors import SettingsError
    from oracular.games.jotto import widened
    from oracular.play.duel_review import duel_review_of, recorded_duel
    from oracular.play.opponent import matchup
    from oracular.play.review import review as review_game

    if (own is None) != (theirs is None) or (begins and own is None):
        raise SettingsError("a duel has two sides: give --own and --theirs, or leave --own, --theirs and --begins out")
    solved = game_of_options(game_name, familiar, lists)
    game = widened(solved)
    duel, assumed = None, named_hider(solved, hider)
    if own is not None and theirs is not None:
        match = recorded_duel(matchup(solved), history, theirs, secret, own, begins)
        duel = duel_review_of(match)
        assumed = match.main_half[0].hider if hider == COMPUTER else assumed
    result = review_game(game, history, secret, assumed)
    if as_json:
        told = {} if duel is None else {"duel": duel.to_record()}
        print_json({"game": game.name, "history": history} | result.to_record() | told)
        return
    if duel is not None:
        print_duel_review(result_console(), duel)
    print_review(result_console(), result)
    print_next(as_json, "play", game.name, *lists_given(lists))


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
    from oracular.cli.arguments import named_hider
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
