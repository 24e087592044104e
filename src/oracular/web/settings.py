"""How a server is set up: where matches are kept, how many, how long, and what requests may be like."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from oracular.errors import SettingsError

ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?", flags=re.ASCII)
"""What a browser says of where a page comes from: no path, not even a slash."""

DATABASE = Path("runs/matches.sqlite")
MOST_MATCHES = 10_000
HOURS_OF_REST = 24.0


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """What a server is made with.

    Attributes:
        database: the file that matches are kept in.
        most_matches: how many matches are kept at once.
        rest: after so many seconds without a move a match is over and forgotten.
        hosts: the names that a request may address the server by; any where none is given.
        origins: addresses besides its own that pages which play here may come from, such as a proxy's in front of it.
        most_bytes: the longest body of a request.
        seconds_for_a_body: how long a body may take to arrive.
        threads: how many pieces of advice are worked out at once.
        most_waiting: how many requests for advice may wait; more are turned away.
        warm_up: whether games, compiled code and opening advice are made ready at the start.
        runs: where a run of the paper's method may lie that the pages about solved games show.
        clock: what tells the time, in seconds.
    """

    database: Path = DATABASE
    most_matches: int = MOST_MATCHES
    rest: float = HOURS_OF_REST * 3600
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    most_bytes: int = 16_384
    seconds_for_a_body: float = 10.0
    threads: int = field(default_factory=usable_cores)
    most_waiting: int = 64
    warm_up: bool = True
    runs: Path = Path("runs/table")
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        if self.most_matches < 1:
            raise SettingsError(f"{self.most_matches} matches asked for: keep room for 1 or more")
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin):
                raise SettingsError(
                    f"{origin!r} is not an address that pages come from: write it like https://a.example"
                )
        if not self.rest > 0:
            raise SettingsError(f"a rest of {self.rest} seconds asked for: give a time above 0")
