"""A real browser before a real server: what the tests of the page and the pictures of it share."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000
"""How long to wait for something to appear, in milliseconds: long, since new code has to be compiled at first."""

SIZE = {"width": 1280, "height": 720}
MEDIA = ("color_scheme", "reduced_motion")
"""What a window of a browser can be given after it was opened."""

SEED = 7
"""What play draws follows from it: every match of a kind is drawn alike."""

TODAY = "2026-11-16"
"""The day whose daily game is played, so that no test depends on the calendar."""

SERVE = """
import sys
from pathlib import Path
from datetime import date
import numpy
drawn = numpy.random.default_rng
numpy.random.default_rng = lambda seed=None: drawn(int(sys.argv[2]) if seed is None else seed)
from oracular.web.app import bound_socket, allowed_hosts, serve
from oracular.web.settings import Settings
folder = Path(sys.argv[1])
database, runs = folder / "matches.sqlite", folder / "none"
listener = bound_socket("127.0.0.1", 0)
hosts, day = allowed_hosts(listener, "127.0.0.1"), date.fromisoformat(sys.argv[3])
settings = Settings(database=database, runs=runs, hosts=hosts, warm_up=False, today=lambda: day)
serve(settings, listener, lambda address: print(address, flush=True), lambda text: None)
"""
"""The real server in a process of its own: draws follow from a seed and a date, and nothing is prepared in advance."""


def missing() -> str | None:
    """Return what there is no browser for, and how to get one; or None where all is there."""
    if importlib.util.find_spec("playwright") is None:
        return "no Playwright found: pip install playwright"
    if executable() is None:
        return "no Chromium found: apt-get install chromium, or name one in ORACULAR_CHROMIUM"
    return None


def executable() -> str | None:
    """Return where a Chromium is."""
    named = os.environ.get("ORACULAR_CHROMIUM")
    if named:
        return named if Path(named).is_file() else None
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


@contextmanager
def running_server(folder: Path, seed: int = SEED) -> Iterator[str]:
    """Give the address of a server that keeps its matches in a folder, without the slash at its end."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(folder), str(seed), TODAY],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("http://"), f"the server said {line!r}"
        yield line.strip().rstrip("/")
    finally:
        process.terminate()
        process.stdout.close()
        process.wait(PATIENCE / 1000)


@contextmanager
def running_browser() -> Iterator[Any]:
    """Give a browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """One browser with cookies of its own, on the page; keeps what the console complains of.

    Most of the time of a first visit goes into loading the page for the first time. So a context may be taken over
    from a visit that was left: it has forgotten everything but the files of the page, about whose age it asks.
    """

    def __init__(self, browser: Any, address: str, *, left: Any = None, **context: Any) -> None:
        self.address = address
        self.media = {name: context.pop(name) for name in MEDIA if name in context}
        self.size = context.pop("viewport", SIZE)
        self.context = left or browser.new_context(**context)
        self.context.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.page = self.open()

    def open(self) -> Any:
        """Return another window of the same browser."""
        page = self.context.new_page()
        page.set_viewport_size(self.size)
        if self.media:
            page.emulate_media(**self.media)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        return page

    def _hear(self, message: Any) -> None:
        # A refused move is told as "Failed to load resource", whatever the page makes of it.
        if message.type in {"error", "warning"} and not message.text.startswith("Failed to load resource"):
            self.complaints.append(f"{message.type}: {message.text}")

    def close(self) -> None:
        """Close all windows."""
        self.context.close()

    def leave(self) -> Any:
        """Close all windows, forget what the page has kept, and return the context for another visit."""
        forgetting = self.context.new_cdp_session(self.page)
        forgetting.send("Storage.clearDataForOrigin", {"origin": self.address, "storageTypes": "all"})
        self.context.clear_cookies()
        for page in self.context.pages:
            page.close()
        return self.context

    def begin(self, game: str, mode: str, word: str | None = None, page: Any = None) -> None:
        """Begin a game as a person would who unfolds the choices."""
        page = page or self.page
        page.goto(f"{self.address}/")
        self.choose(game, mode, page)
        if word is not None:
            page.fill("#own-word", word)
        page.get_by_role("button", name="Play this game").click()
        page.wait_for_selector(".match")

    def choose(self, game: str, mode: str, page: Any = None) -> None:
        """Unfold the choices of the start page and choose a game there, and a way to play."""
        page = page or self.page
        if page.locator(".other-games:not([open])").count():
            page.locator(".other-games summary").click()
        page.wait_for_selector(".new-game")
        family, *rules = game.split("-")
        page.check(f"input[name=mode][value={mode}]")
        page.check(f"input[name=family][value={family}]")
        page.check(f"input[name=rule][value={next((rule for rule in ('possible', 'hard') if rule in rules), 'any')}]")
        if family != "jotto":
            return
        page.check(f"input[name=letters][value='{rules[0]}']")
        for switch in ("familiar", "repeats", "anagrams"):
            if page.locator(f"input[name={switch}]").count():
                page.set_checked(f"input[name={switch}]", switch in rules)

    def guess(self, word: str, page: Any = None) -> str:
        """Write a guess, send it, and return the answer's spoken form."""
        page = page or self.page
        rows = page.locator("ol[aria-label='Your guesses'] > li")
        before = rows.count()
        page.get_by_label("Your guess", exact=True).fill(word)
        page.keyboard.press("Enter")
        rows.nth(before).wait_for()
        return str(rows.nth(before).locator(".count, .keys, .unseen").last.get_attribute("aria-label") or "")
