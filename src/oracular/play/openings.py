"""Openings that were valued beforehand: in large games working them out takes seconds, and everybody asks for them.

The file `data/openings.json` holds, for some games, the guesses tried at the start with their values, and a
fingerprint of the game, the hider and the settings. Where the fingerprint is another, the opening is worked out as
any state is. `tools/make_openings.py` writes the file.
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
def _kept() -> dict[str, Any]:
    """Return what the file holds, by fingerprint."""
    file = files("oracular.strategies.data").joinpath(FILE)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def ready_opening(hider: Hider, settings: object) -> list[tuple[int, Fraction]] | None:
    """Return the guesses tried at the start and their values, the best first, where they were worked out beforehand."""
    entry = _kept().get(fingerprint(hider, settings))
    return entry and [(guess, Fraction(value)) for guess, value in entry["tried"]]
