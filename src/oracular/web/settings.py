"""How a server is set up: where matches are kept, how many, how long, and what requests may be like."""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from oracular.errors import SettingsError
from oracular.system.files import quoted
from oracular.system.memory import usable_cores

ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?", flags=re.ASCII)
"""What a browser says of where a page comes from: no path, not even a slash."""

POSITIVE = (
    "most_matches_a_browser most_matches_an_address most_connections most_connections_an_address most_head_bytes "
    "seconds_for_a_head seconds_at_rest seconds_to_take most_bytes seconds_for_a_body threads most_waiting_a_browser"
).split()
"""Settings that must be above 0 where they are given."""

DATABASE = Path("runs/matches.sqlite")
MOST_MATCHES = 10_000
HOURS_OF_REST = 24.0


@dataclass(frozen=True)
class Settings:
    """What a server is made with.

    Attributes:
        database: the file that matches are kept in.
        most_matches: how many matches are kept at once.
        most_matches_a_browser: how many of them one browser may have; its oldest give way to the next.
        most_matches_an_address: how many of them may come from one address; None for a fifth, or 500 if that is more.
        rest: after so many seconds without a move a match is over and forgotten.
        hosts: the names that a request may address the server by; any where none is given.
        origins: addresses besides its own that pages which play here may come from, such as a proxy's in front of it.
        proxies: addresses of proxies in front of the server, which are believed where they say for whom they ask.
        most_connections: how many connections are held at once; None for as many as there may be open files.
        most_connections_an_address: how many of them one address may have; None for a quarter of all.
        most_head_bytes: the longest head of a request.
        seconds_for_a_head: how long a head may take to arrive.
        seconds_at_rest: how long a connection may lie idle.
        seconds_to_take: how long a client may leave a reply lying before it is dropped.
        most_bytes: the longest body of a request.
        seconds_for_a_body: how long a body may take to arrive.
        threads: how many pieces of advice are worked out at once.
        most_waiting: how many requests for advice may wait; beyond that the longest line is cut.
        most_waiting_a_browser: how many of them one browser may have waiting.
        warm_up: whether games, compiled code and opening advice are made ready at the start.
        runs: where a run of the paper's method may lie that the pages about solved games show.
        clock: what tells how time passes, in seconds; it must never jump.
    """

    database: Path = DATABASE
    most_matches: int = MOST_MATCHES
    most_matches_a_browser: int = 500
    most_matches_an_address: int | None = None
    rest: float = HOURS_OF_REST * 3600
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    most_connections: int | None = None
    most_connections_an_address: int | None = None
    most_head_bytes: int = 16_384
    seconds_for_a_head: float = 10.0
    seconds_at_rest: float = 5.0
    seconds_to_take: float = 30.0
    most_bytes: int = 16_384
    seconds_for_a_body: float = 10.0
    threads: int = field(default_factory=usable_cores)
    most_waiting: int = 64
    most_waiting_a_browser: int = 16
    warm_up: bool = True
    runs: Path = Path("runs/table")
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if self.most_matches < 1:
            raise SettingsError(f"{self.most_matches} matches asked for: keep room for 1 or more")
        for name in POSITIVE:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SettingsError(f"{name} of {quoted(value)} asked for: give a number above 0")
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin):
                raise SettingsError(
                    f"{quoted(origin)} is not an address that pages come from: write it like https://a.example"
                )
        for proxy in self.proxies:
            try:
                ipaddress.ip_address(proxy)
            except ValueError:
                raise SettingsError(f"{quoted(proxy)} is not the address of a proxy: write it like 127.0.0.1") from None
        if not self.rest > 0:
            raise SettingsError(f"a rest of {self.rest} seconds asked for: give a time above 0")

    @property
    def tells_addresses(self) -> bool:
        """Whether the address of a request says who asks: not behind a proxy that nothing is known of."""
        return not self.origins or bool(self.proxies)
