"""The games that the server offers, and what it says of each.

The list is fixed: a name in an address never makes the server build a game of any size that someone thinks of.
"""

from __future__ import annotations

from functools import cache

from oracular.play.opponent import FAMILIAR, MODES, Table, table_of
from oracular.play.sheet import symbols_of
from oracular.web.refusals import Refusal
from oracular.web.schemas import GameCard, Strategies

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


def offered_table(name: str) -> Table:
    """Return the table of an offered game, or say that there is none of this name."""
    if name not in TITLES:
        raise Refusal(404, "there is no game of this name here: choose one of those at /api/games")
    return table_of(name)


@cache
def card(name: str) -> GameCard:
    """Return what people are told of an offered game."""
    table = offered_table(name)
    game = table.game
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
        may_hide=len(table.guessing.game.secrets),
        lists=table.lists,
        reading=game.reading,
        strategy=Strategies(**{mode: table.description(mode) for mode in MODES}),
        shipped=table.hiding.shipped,
        familiar=familiar if familiar in TITLES else None,
    )
