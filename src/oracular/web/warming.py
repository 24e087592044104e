"""Making ready: games, compiled code and opening advice, behind the first page's back.

The first page needs the list of games alone, which takes less than a second. Compiled code is loaded in seconds, or
compiled in some more when the package is new on a machine; whoever asks for something earlier waits for just that.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from oracular.play.match import new_match
from oracular.play.opponent import table_of
from oracular.web.offered import TITLES, card
from oracular.web.refusals import Refusal
from oracular.web.routes import House

LOG = logging.getLogger("oracular.web")
FIRST = "jotto-5"


def warm_up(house: House, stopping: threading.Event, say: Callable[[str], None]) -> None:
    """Make everything ready, what is asked for most first, and say so; a game that fails is left to those who ask."""
    names = sorted(TITLES, key=lambda name: name != FIRST)
    steps: list[tuple[str, Callable[[], object]]] = [(name, partial(card, name)) for name in names]
    for name in names:
        steps.append((name, partial(_hide, name)))
        steps.append((name, partial(house.desk.prepare, name)))
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
    house.ready = True
    say(f"ready, but for {', '.join(failed)}" if failed else "ready: every game is loaded")
    shipped = (name for name in TITLES if name not in failed and card(name).shipped)
    for name in sorted(shipped, key=lambda name: name == FIRST):  # the longest work last
        try:
            house.board_of(name)
        except Refusal:
            return  # the server is being stopped


def _hide(name: str) -> None:
    """Have the computer make its first guess in a game, as it does in a match."""
    new_match(table_of(name), "hide")
