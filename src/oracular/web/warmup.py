"""Loading games, compiled code and opening advice in the background once the server runs.

The first page needs only the list of games, which takes less than a second. Compiled code takes seconds to load, and
minutes to compile where the package is new on a machine. A request that comes earlier waits only for what it needs.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name
from oracular.web.catalogue import TITLES, game_card
from oracular.web.errors import RequestError
from oracular.web.routes import Services

LOG = logging.getLogger("oracular.web")
FIRST = "jotto-5"
"""The game that most people ask for."""


def warm_up(services: Services, stopping: threading.Event, say: Callable[[str], None]) -> None:
    """Load every game, the most popular first; one that fails is logged and left to those who ask for it."""
    names = sorted(TITLES, key=lambda name: name != FIRST)
    steps: list[tuple[str, Callable[[], object]]] = [(name, partial(game_card, name)) for name in names]
    for name in names:
        steps.append((name, partial(_load_guesser, name)))
        steps.append((name, partial(services.advice.prepare, name)))
    failed: dict[str, None] = {}
    for name, step in steps:
        if name in failed:
            continue
        if stopping.is_set():
            return
        try:
            step()
        except Exception:
            if stopping.is_set():
                return
            LOG.exception("%s could not be made ready", name)
            failed[name] = None
    services.ready = True
    say(f"ready, but for {', '.join(failed)}" if failed else "ready: every game is loaded")
    shipped = (name for name in TITLES if name not in failed and game_card(name).shipped)
    for name in sorted(shipped, key=lambda name: name == FIRST):  # its leaderboard takes longest, so it comes last
        try:
            services.leaderboard(name)
        except RequestError:
            return  # the server is being stopped


def _load_guesser(name: str) -> None:
    """Have the computer make its first guess in a game, as it does in a match."""
    new_match(matchup_by_name(name), "hide")
