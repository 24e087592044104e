"""The games that can be played on the server, and how each is presented.

The list is fixed, so that a name in a request never makes the server build a game of arbitrary size.
"""

from __future__ import annotations

from functools import cache

from oracular.play.deductions import symbols_of
from oracular.play.opponent import FAMILIAR, MODES, Matchup, matchup_by_name
from oracular.web.errors import RequestError
from oracular.web.schemas import GameCard

TITLES = {
    "jotto-2": "Jotto, two letters",
    "jotto-3": "Jotto, three letters",
    "jotto-4": "Jotto, four letters",
    "jotto-5": "Jotto, five letters",
    "jotto-3-familiar": "Jotto, three letters, familiar words",
    "jotto-4-familiar": "Jotto, four letters, familiar words",
    "jotto-5-familiar": "Jotto, five letters, familiar words",
    "jotto-5-repeats": "Jotto, five letters that may repeat",
    "mastermind-4x6": "Mastermind, four pegs of six colours",
    "bulls-4x10": "Bulls and Cows, four digits of ten",
    "wordle": "Wordle",
}


def listed_matchup(name: str) -> Matchup:
    """Return the matchup of a game in the list; raise a 404 error where there is none of this name."""
    if name not in TITLES:
        raise RequestError(404, "there is no game of this name here: choose one of those at /api/games")
    return matchup_by_name(name)


@cache
def game_card(name: str) -> GameCard:
    """Return the description of a game in the list."""
    matchup = listed_matchup(name)
    game = matchup.game
    familiar = name + FAMILIAR
    return GameCard(
        name=name,
        title=TITLES[name],
        family=name.partition("-")[0],
        letters=len(game.guesses[0]),
        symbols=symbols_of(game),
        labels=list(game.labels),
        found=game.labels[game.found],
        secrets=len(game.secrets),
        guesses=len(game.guesses),
        may_hide=len(matchup.guessing.game.secrets),
        lists=matchup.lists,
        reading=game.reading,
        strategy={mode: matchup.description(mode) for mode in MODES},
        shipped=matchup.hiding.shipped,
        familiar=familiar if familiar in TITLES else None,
    )
