"""Opening advice that was computed beforehand, since in large games it takes seconds and everybody wants it.

The file `strategies/data/openings.json` holds, for some games, the guesses tried at the start with their values, under
a fingerprint of the game, the hider and the settings. Where the file has no entry with the right fingerprint, the
opening is computed like any other state. `tools/make_openings.py` writes the file.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from oracular.strategies.hider import Hider

FILE = "openings.json"


def fingerprint(hider: Hider, settings: object) -> str:
    """Return a hash of the game, the hider's weights and the settings that guesses are valued with."""
    facts = [*hider.game.identity, hider.weights.tolist(), settings]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


@cache
def _entries() -> dict[str, Any]:
    """Return the entries of the file by fingerprint."""
    file = files("oracular.strategies.data").joinpath(FILE)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def stored_opening(hider: Hider, settings: object) -> list[tuple[int, Fraction]] | None:
    """Return the guesses tried at the start with their values, the best first; None where the file has no entry."""
    entry = _entries().get(fingerprint(hider, settings))
    return entry and [(guess, Fraction(value)) for guess, value in entry["tried"]]
