"""The daily game: one secret for everybody on one day, which does not come again within a year.

Secrets are drawn from the hider's strategy, with a seed that follows from the date alone, so the daily game is the same
wherever this version of the package plays it. Years are counted as 366 days from day 1 of the calendar. The secrets are
dealt into two halves, which take turns year by year, and a year's secrets are drawn from its half without putting any
back: so it takes more than a year until a secret can come again, and nothing of earlier years has to be remembered. If
a game has too few secrets for that, all of them come in turn, always in the same order.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from functools import lru_cache

import numpy as np

from oracular.games.offensive import is_offensive
from oracular.play.match import Match
from oracular.play.opponent import Matchup, matchup_by_name
from oracular.play.titles import DEFAULT_GAME
from oracular.strategies.hider import Hider, draw_index

YEAR = 366
"""How many days have different secrets, at least, in a game that has as many."""


def today() -> date:
    """Return the date at Greenwich, so that the daily game is the same everywhere."""
    return datetime.now(UTC).date()


def daily_match(day: date, matchup: Matchup | None = None) -> Match:
    """Return the daily game of a date, of which nothing is played yet."""
    matchup = matchup or matchup_by_name(DEFAULT_GAME)
    salt = hashlib.sha256(f"the salt of the daily game of {day.isoformat()}".encode()).hexdigest()[:32]
    return Match(matchup, "guess", secret=_secret_of(matchup.hiding.hider, day), daily=day.isoformat(), salt=salt)


def _secret_of(hider: Hider, day: date) -> str:
    """Return the daily secret of a date."""
    weighted = [place for place, weight in enumerate(hider.weights) if weight]
    places = [place for place in weighted if not is_offensive(hider.game.secrets[place])] or weighted
    chances = tuple((hider.game.secrets[place], int(hider.weights[place])) for place in places)
    if len(places) < 2 * YEAR:
        return _drawn(chances, len(places), 0)[day.toordinal() % len(places)]
    year, number = divmod(day.toordinal(), YEAR)
    return _drawn(chances[year % 2 :: 2], YEAR, year)[number]


@lru_cache(maxsize=8)
def _drawn(chances: tuple[tuple[str, int], ...], count: int, year: int) -> list[str]:
    """Return the secrets of a year in order, drawn by weight and without repeats."""
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"the daily games of {year}".encode()).digest()[:16]))
    left, weights = [word for word, _ in chances], [weight for _, weight in chances]
    secrets = []
    for _ in range(count):
        drawn = draw_index(weights, rng)
        weights.pop(drawn)
        secrets.append(left.pop(drawn))
    return secrets
