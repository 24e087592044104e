"""Playing on the page in a real browser: beginning a match at once, tapping keys on the screen, reading them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oracular.play.opponent import Mode
from oracular.play.wording import DEFAULT_GAME

from chromium import Visit

STANDARD = DEFAULT_GAME
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}

Moves = Sequence[tuple[str, dict[str, Any]]]
"""What is done in a match: the last part of the address, and the body."""

OUTSIDE = """selectors => {
    const found = [];
    for (const selector of selectors) {
        const all = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
        if (all.length === 0) found.push(`${selector} is not there`);
        for (const one of all) {
            const { left, top, right, bottom } = one.getBoundingClientRect();
            if (left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5)
                found.push(`${selector} “${one.textContent}” ${[left, top, right, bottom].map(Math.round)}`);
        }
    }
    if (document.scrollingElement.scrollWidth > innerWidth) found.push("it scrolls sideways");
    return found;
}"""
"""Which of the elements are not wholly in the window."""


AT_REST = "() => document.getAnimations().every((one) => one.playState !== 'running')"
"""Whether the page has arrived: what is tapped while it still moves is scrolled to, wherever it is."""


def post(page: Any, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to a request that is sent as the page would."""
    told = page.evaluate(
        """async ([path, body]) => {
            const reply = await fetch(path, {
                method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
            return [reply.ok, await reply.json()];
        }""",
        [path, body],
    )
    assert told[0], told
    return dict(told[1])


def drawn_secret(here: Visit, game: str | None) -> str:
    """Return what the server of the tests hides in every match of a game (where none is named, in the daily game)."""
    begin(here, game, moves=[("give-up", {})])
    return str(here.page.locator(".secret .word").get_attribute("aria-label")).replace(" ", "")


def begin(here: Visit, game: str | None, mode: Mode = "guess", moves: Moves = ()) -> str:
    """Begin a match (the daily game where none is named), make some moves, look at it, and return its path."""
    page = here.page
    if not page.url.startswith(here.address):
        page.goto(f"{here.address}/")
    match = post(page, "/api/matches", {"daily": True} if game is None else {"game": game, "mode": mode})
    path = f"/api/matches/{match['id']}"
    for action, body in moves:
        post(page, f"{path}/{action}", body)
    page.goto(f"{here.address}/match/{match['id']}")
    page.wait_for_selector(".match")
    page.wait_for_function(AT_REST)
    return path


def tap(page: Any, *keys: str) -> None:
    """Tap keys on the screen, with a finger where there is one."""
    touch = page.evaluate("matchMedia('(pointer: coarse)').matches")
    for key in keys:
        one = page.locator(f"[data-key='{key}']")
        if touch:
            one.tap()
        else:
            one.click()


def tap_guess(page: Any, guess: str) -> None:
    """Tap a guess and send it, and wait for its answer."""
    rows = page.locator("ol[aria-label='Your guesses'] > li")
    made = rows.count()
    tap(page, *guess, "enter")
    rows.nth(made).wait_for()


def written(page: Any) -> str:
    """Return the guess as it stands."""
    return str(page.get_by_label("Your guess", exact=True).input_value())


def hold(page: Any, pattern: str) -> list[Any]:
    """Return a list in which the requests to an address are held back, until each is let go on by `continue_()`."""
    held: list[Any] = []

    def keep(route: Any) -> None:
        held.append(route)

    page.route(pattern, keep)
    return held


def gets_focus(page: Any, selector: str) -> bool:
    """Wait until what is looked for has the focus."""
    page.wait_for_function("wanted => document.activeElement.matches(wanted)", arg=selector)
    return True


def outside(page: Any, *selectors: str) -> list[str]:
    """Return which elements are not wholly in the window, and whether the page scrolls sideways."""
    return list(page.evaluate(OUTSIDE, list(selectors)))


def marks(page: Any) -> dict[str, str]:
    """Return what the keys show of each symbol of which something is known."""
    read = "keys => keys.map(key => [key.dataset.key, key.dataset.known])"
    return {key: mark for key, mark in page.locator("[data-known]").evaluate_all(read) if mark != "open"}
