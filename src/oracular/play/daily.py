"""The daily game: one secret for everybody on one day.

It is drawn from the hider's strategy with a seed that follows from the date alone, so that it is the same wherever this
version of the package plays it.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime

import numpy as np

from oracular.play.match import Match, new_match
from oracular.play.opponent import Matchup, matchup_by_name
from oracular.play.titles import DEFAULT_GAME


def today() -> date:
    """Return the date at Greenwich, so that the daily game is the same everywhere."""
    return datetime.now(UTC).date()


def daily_match(day: date, matchup: Matchup | None = None) -> Match:
    """Return the daily game of a date, of which nothing is played yet."""
    digest = hashlib.sha256(f"the daily game of {day.isoformat()}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:16], "big"))
    return new_match(matchup or matchup_by_name(DEFAULT_GAME), "guess", rng=rng, daily=day.isoformat())
