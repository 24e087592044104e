"""Mastermind: `mastermind-4x6` has four pegs of six colours, written 1 to 6, and any colour may repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

from oracular.errors import UnknownGameError
from oracular.games.codes import SYMBOLS, code_game
from oracular.games.game import Game, Words, check_table_size
from oracular.system.files import quoted

MOST_COLOURS = len(SYMBOLS) - 1
MOST_PEGS = 12


def mastermind(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return the Mastermind game of a variant such as `4x6`: pegs and colours."""
    del lists  # a code game has no word lists
    match = re.fullmatch(r"(\d{1,2})x(\d{1,2})", variant, flags=re.ASCII)
    if match is None:
        raise UnknownGameError(
            f"{quoted(f'mastermind-{variant}')} is not a game: write pegs x colours, like 'mastermind-4x6'"
        )
    pegs, colours = int(match[1]), int(match[2])
    name = f"mastermind-{pegs}x{colours}"
    if not 1 <= pegs <= MOST_PEGS:
        raise UnknownGameError(f"{quoted(name)} has {pegs} pegs: give 1 to {MOST_PEGS}")
    if not 2 <= colours <= MOST_COLOURS:
        raise UnknownGameError(f"{quoted(name)} has a colour count of {colours}: give 2 to {MOST_COLOURS}")
    check_table_size(name, colours**pegs, colours**pegs)
    symbols = SYMBOLS[1 : colours + 1]
    codes = tuple("".join(code) for code in product(symbols, repeat=pegs))
    return code_game(
        name,
        codes,
        symbols,
        takes=f"give {pegs} colours from {symbols[0]} to {symbols[-1]}",
        kind=f"codes of {pegs} colours, written {symbols[0]} to {symbols[-1]}",
        reading="1.2 is one peg of the right colour in its place (black) and two elsewhere (white)",
    )
