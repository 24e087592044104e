"""Bulls and Cows: `bulls-4x10` has four different digits out of ten; a bull is in its place, a cow is not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from oracular.errors import UnknownGameError
from oracular.games.codes import SYMBOLS, all_different, code_game
from oracular.games.game import Game, Words, check_table_size
from oracular.system.files import quoted


def bulls_and_cows(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return the game of a variant such as `4x10`: places and digits."""
    del lists  # a code game has no word lists
    match = re.fullmatch(r"(\d{1,2})x(\d{1,2})", variant, flags=re.ASCII)
    if match is None:
        raise UnknownGameError(f"{quoted(f'bulls-{variant}')} is not a game: write places x digits, like 'bulls-4x10'")
    places, digits = int(match[1]), int(match[2])
    name = f"bulls-{places}x{digits}"
    if not 2 <= digits <= len(SYMBOLS):
        raise UnknownGameError(f"{quoted(name)} has {digits} digits: give 2 to {len(SYMBOLS)}")
    if not 1 <= places <= digits:
        raise UnknownGameError(f"{quoted(name)} has {places} places for {digits} different digits: give 1 to {digits}")
    codes = math.perm(digits, places)
    check_table_size(name, codes, codes)
    symbols = SYMBOLS[:digits]
    span = f"{places} different digits from {symbols[0]} to {symbols[-1]}"
    reading = "1.2 is one digit in its place (a bull) and two elsewhere (cows)"
    return code_game(name, all_different(symbols, places), symbols, f"give {span}", f"codes of {span}", reading)
