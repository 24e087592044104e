"""Making ready: games, compiled code and opening advice, behind the first page's back.

The first page needs the list of games alone, which takes less than a second. Compiled code is loaded in seconds, or
compiled in some more when the package is new on a machine; whoever asks for something earlier waits for just that.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from oracular.play.match import new_match
from oracular.play.opponent import table_of
from oracular.web.offered import TITLES, card
from oracular.web.routes import House
from oracular.web.solved import solved

LOG = logging.getLogger("oracular.web")
FIRST = "jotto-5"


def warm_up(house: House, stopping: threading.Event, say: Callable[[str], None]) -> None:
    """Make everything ready, what is asked for most first; says so at the end."""
    names = sorted(TITLES, key=lambda name: name != FIRST)
    work: list[Callable[[], object]] = [lambda name=name: card(name) for name in names]  # type: ignore[misc]
    for name in names:
        work.append(lambda name=name: new_match(table_of(name), "hide"))  # type: ignore[misc]
        work.append(lambda name=name: house.adviser.prepare(name))  # type: ignore[misc]
    for task in work:
        if stopping.is_set():
            return
        try:
            task()
        except Exception:
            if not stopping.is_set():
                LOG.exception("a part of the games could not be made ready")
            return
    house.ready = True
    say("ready: every game is loaded")
    for name in sorted((name for name in TITLES if card(name).shipped), key=lambda name: name == FIRST):
        if stopping.is_set():
            return
        house.background.ask(("solved", name), lambda name=name: solved(name, house.settings.runs), patient=True)  # type: ignore[misc]
