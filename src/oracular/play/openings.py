"""Stored openings: the guesses that advice tries at the start of a game, with their values.

In large games they take seconds to work out, and everybody wants them. `strategies/data/openings.json`, which
`tools/make_openings.py` writes, has them under a fingerprint of game, hider and settings. Where it has no entry, the
opening is computed like any other state.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from oracular.strategies.hider import Hider

FILE = "openings.json"


@dataclass(frozen=True)
class ValuedGuess:
    """A guess by index, and the expected number of guesses to the end, this one included.

    The number is exact if it is that of the best play from there on, and otherwise that of the oracle that advice uses.
    """

    guess: int
    expected: Fraction
    exact: bool = False


def fingerprint(hider: Hider, settings: object) -> str:
    """Return a hash of the game, the hider's weights and the settings that guesses are valued with."""
    facts = [*hider.game.identity.facts, hider.weights.tolist(), settings]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


@cache
def _openings() -> dict[str, Any]:
    """Return the entries of the file by fingerprint."""
    file = files("oracular.strategies.data").joinpath(FILE)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def stored_opening(hider: Hider, settings: object) -> list[ValuedGuess] | None:
    """Return the guesses tried at the start with their values, the best first; None where the file has no entry."""
    entry = _openings().get(fingerprint(hider, settings))
    if entry is None:
        return None
    proved = entry.get("exact", [])
    return [ValuedGuess(guess, Fraction(value), guess in proved) for guess, value in entry["tried"]]
