"""The settings of a server: where matches are kept, how many and how long, and the limits on requests."""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from oracular.errors import SettingsError
from oracular.system.files import quoted
from oracular.system.memory import usable_cores

ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?|https?://\[[0-9a-f:]+\](:[0-9]+)?", flags=re.ASCII)
"""The form of an `Origin` header: it has no path, not even a slash."""

POSITIVE = (
    "idle_seconds max_matches_per_browser max_matches_per_address max_body_bytes body_seconds threads "
    "max_waiting_per_browser max_waiting_per_address"
).split()
"""Settings that must be above 0 where they are given."""

DATABASE = Path("runs/matches.sqlite")
MAX_MATCHES = 10_000
IDLE_HOURS = 24.0


def _today() -> date:
    from oracular.play.match import today  # here, since the settings are read where nothing is played

    return today()


@dataclass(frozen=True)
class Settings:
    """The settings of a server.

    Attributes:
        database: the file that matches are kept in.
        max_matches: how many matches are kept at once.
        max_matches_per_browser: how many of them one browser may own; its oldest make room for the next.
        max_matches_per_address: how many of them may come from one address; None for a fifth, or 500 if that is more.
        idle_seconds: how long a match is kept without a move.
        hosts: the host names that a request may be addressed to; none means any.
        origins: origins besides the server's own, such as that of a proxy in front of it, whose pages may play here.
        proxies: addresses of proxies in front of the server, whose `X-Forwarded-For` is believed.
        max_body_bytes: the longest body of a request.
        body_seconds: how long a body may take to arrive.
        threads: how many pieces of advice are computed at once.
        max_waiting_per_browser: how many questions, and how many moves in duels, one browser may have waiting.
        max_waiting_per_address: how many of each all browsers of one address may have waiting.
        warm_up: whether games, compiled code and opening advice are loaded at the start.
        runs: the folder where the pages about solved games look for a run of the paper's method.
        clock: returns the time in seconds; it must never jump.
        today: returns the date whose daily game is played, in UTC.
    """

    database: Path = DATABASE
    max_matches: int = MAX_MATCHES
    max_matches_per_browser: int = 500
    max_matches_per_address: int | None = None
    idle_seconds: float = IDLE_HOURS * 3600
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    max_body_bytes: int = 16_384
    body_seconds: float = 10.0
    threads: int = field(default_factory=usable_cores)
    max_waiting_per_browser: int = 16
    max_waiting_per_address: int = 64
    warm_up: bool = True
    runs: Path = Path("runs/table")
    clock: Callable[[], float] = time.monotonic
    today: Callable[[], date] = _today

    def __post_init__(self) -> None:
        if self.max_matches < 1:
            raise SettingsError(f"{self.max_matches} matches asked for: keep room for 1 or more")
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

    @property
    def knows_addresses(self) -> bool:
        """Whether the address of a request is its sender's; behind a proxy that is not named it is the proxy's."""
        return not self.origins or bool(self.proxies)
