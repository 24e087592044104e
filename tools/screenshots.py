"""Take the screenshots of the page in docs/screens, from the real server with all random draws fixed by a seed."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from oracular import game
from oracular.play.wording import DEFAULT_GAME
from oracular.strategies.shipped import has_shipped

ROOT = Path(__file__).parent.parent
SCREENS = ROOT / "docs" / "screens"
SOLVED = DEFAULT_GAME if has_shipped(DEFAULT_GAME) else "jotto-5"
"""The solved game that is shown: one whose file records how its bounds converged."""

MAX_BYTES = 250_000
"""The largest size of a picture."""

sys.path.insert(0, str(ROOT / "tests"))
from chromium import Visit, missing, running_browser, running_server  # noqa: E402

DESK = {"viewport": {"width": 1120, "height": 700}}
PHONE = {
    "viewport": {"width": 390, "height": 800},
    "has_touch": True,
    "is_mobile": True,
    "color_scheme": "dark",
    "device_scale_factor": 2,
}


def start(visit: Visit) -> None:
    """Show the start page."""
    visit.page.goto(f"{visit.address}/")
    visit.page.wait_for_selector(".daily")
    visit.page.wait_for_load_state("networkidle")


def play(visit: Visit) -> None:
    """Show a game of Jotto in progress."""
    visit.begin(DEFAULT_GAME, "guess")
    for word in ("slate", "mount", "bushy"):
        visit.guess(word)
    visit.page.keyboard.type("pud")
    visit.page.wait_for_load_state("networkidle")


def duel(visit: Visit) -> None:
    """Show a duel in progress, with the chance to win."""
    visit.begin(DEFAULT_GAME, "duel", "hello")
    visit.page.get_by_label("Show my chance to win").check()
    for word in ("crane", "stoic", "mount"):
        visit.guess(word)
    visit.page.locator(".chance-place:not([aria-busy])").wait_for()
    visit.page.wait_for_load_state("networkidle")


def phone(visit: Visit) -> None:
    """Show Mastermind on a phone with the dark theme."""
    visit.begin("mastermind-4x6", "guess")
    for code in ("1123", "4152", "3345"):
        visit.guess(code)
    visit.page.get_by_label("Your guess", exact=True).fill("26")
    visit.page.evaluate("window.scrollTo(0, 0)")


def solved(visit: Visit) -> None:
    """Show everything about a solved game: bounds, hider, how the bounds converged, who beats whom."""
    visit.page.goto(f"{visit.address}/solved/{SOLVED}")
    visit.page.wait_for_selector(".chart", timeout=120_000)
    visit.page.wait_for_selector(".heat-map", timeout=120_000)


def review(visit: Visit) -> None:
    """Show the review of a game that was won with mediocre guesses."""
    played = game(DEFAULT_GAME)
    visit.begin(DEFAULT_GAME, "guess")
    history: list[tuple[str, str]] = []
    while not visit.page.locator(".outcome").is_visible():
        left = played.possible_after(history)
        guesses = played.guess_of_secret[left]
        sizes = [(np.bincount(row) ** 2).sum() for row in played.answers(guesses, left)]
        guess = played.guesses[guesses[np.argsort(sizes)[len(sizes) // 3]]]
        visit.guess(guess)
        answer = visit.page.locator(".rows .count").last.inner_text()
        history.append((guess, answer))
    visit.page.get_by_role("button", name="Review").click()
    visit.page.wait_for_selector(".review-table", timeout=60_000)
    visit.page.evaluate("window.scrollTo(0, 0)")


PICTURES: dict[str, tuple[Callable[[Visit], None], dict[str, Any]]] = {
    "start": (start, DESK),
    "play": (play, DESK),
    "duel": (duel, DESK),
    "phone": (phone, PHONE),
    "solved": (solved, DESK),
    "review": (review, DESK),
}


def main() -> int:
    """Take every picture, or those named on the command line, and return the exit code."""
    why = missing()
    if why is not None:
        print(why, file=sys.stderr)
        return 1
    SCREENS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as address, running_browser() as browser:
        for name in sys.argv[1:] or PICTURES:
            take, context = PICTURES[name]
            visit = Visit(browser, address, **{"color_scheme": "light", "reduced_motion": "reduce"} | context)
            take(visit)
            path = SCREENS / f"{name}.png"
            visit.page.screenshot(path=path, caret="initial", full_page=context is not PHONE)
            visit.close()
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)}: {size // 1000} kB")
            if size > MAX_BYTES or visit.complaints:
                print(f"{name}: too large, or the page complained: {visit.complaints}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
