"""Every page can be read and used: at any width, in any font, in large text, in light and dark; axe finds nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from barriers import AXE, LARGE_TEXT, WIDE_FONT, axe, in_theme, jargon, pale, sticks_out
from chromium import Visit
from playing import STANDARD, post
from walking import walk_to

STYLES = {"wide font": (WIDE_FONT, (320, 390, 1280)), "large text": (LARGE_TEXT, (320,))}
PHONE, LAPTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 720}
FIRST_SCREENS = [(390, 844), (320, 568), (1280, 720)]
OPENINGS = {
    "jotto": ("crane", "hello"),
    "wordle": ("crane", "slipt"),
    "mastermind": ("1123", "4152"),
    "bulls": ("0123", "4567"),
}
OWN = {"jotto-2": "ox", STANDARD: "hello", "wordle": "crypt", "mastermind-4x6": "1234", "bulls-4x10": "1234"}
NOTHING_RIGHT = {"jotto": "0", "wordle": "-----", "mastermind": "0.0", "bulls": "0.0"}

Found = dict[str, list[str]]
"""What was found, by the name of the page and its state."""


class Walk:
    """A visit that goes from state to state by plain requests, so that only what is looked at need be drawn."""

    def __init__(self, visit: Visit) -> None:
        self.page, self.address = visit.page, visit.address
        self.page.goto(f"{self.address}/")

    def see(self, path: str, there: str) -> None:
        """Go to a page as its links do, without loading all anew, and wait until something is there."""
        walk_to(self.page, path, there)

    def match(self, game: str, mode: str, guesses: int = 1, end: bool = False) -> None:
        """Begin a match, make some moves, end it perhaps, and look at it."""
        family = game.partition("-")[0]
        own = {"word": OWN[game]} if mode == "duel" else {}
        match = post(self.page, "/api/matches", {"game": game, "mode": mode, **own})
        path = f"/api/matches/{match['id']}"
        if mode == "hide":
            while match["to_move"] == "answer" and (len(match["computer"]) < guesses or guesses == 0):
                match = post(self.page, f"{path}/answer", {"answer": NOTHING_RIGHT[family]})
        else:
            for word in OPENINGS[family][:guesses]:
                if match["result"] is None:
                    match = post(self.page, f"{path}/guess", {"guess": word})
        if end and match["result"] is None:
            post(self.page, f"{path}/give-up", {})
        self.see(f"/match/{match['id']}", ".match")

    def press(self, name: str, then: str) -> None:
        """Press a button and wait until something is there."""
        self.page.get_by_role("button", name=name).first.click()
        self.page.wait_for_selector(then)

    def start_pages(self) -> Iterator[str]:
        """Go through the start page."""
        self.page.wait_for_selector(".daily")
        yield "start"
        self.page.locator(".other-games summary").click()
        self.page.wait_for_selector(".new-game")
        self.page.check("input[name=family][value=mastermind]")
        self.page.check("input[name=mode][value=duel]")
        yield "start, unfolded, own code"

    def advice_pages(self, game: str, history: str, guess: str) -> Iterator[str]:
        """Go through the page of advice: an open game, and one whose answers contradict each other."""
        self.see(f"/suggest?game={game}&history={history}", ".suggestion")
        self.page.locator(".suggestion summary").first.click()
        self.page.locator(".word-input").fill(guess)
        self.page.wait_for_selector("[data-answer]")
        self.page.locator("main .fold summary").click()
        yield f"advice on {game}, choosing another game"

    def small_form(self) -> Iterator[str]:
        """Go through each page once, and through each way to play once in some game."""
        yield from self.start_pages()
        self.match(STANDARD, "guess", 2)
        yield "jotto, guess"
        self.match("jotto-2", "duel", 0)
        self.page.get_by_label("Show my chance to win").check()
        self.page.wait_for_selector(".chance-bar")
        yield "jotto, duel with the chance to win"
        self.match(STANDARD, "duel", 1, end=True)
        self.press("Review", ".duel-review")
        yield "jotto, duel, reviewed"
        self.match("jotto-3", "hide", 1)
        yield "jotto, hide"
        self.match("wordle", "guess", 2)
        yield "wordle, guess"
        self.match("mastermind-4x6", "guess", 2)
        self.press("Hint", ".suggestion")
        self.page.locator(".suggestion summary").first.click()
        yield "mastermind, guess with a hint"
        self.match("mastermind-4x6", "guess", 1, end=True)
        self.press("Review", ".review-table")
        yield "mastermind, reviewed"
        self.match("bulls-4x10", "hide", 0)
        yield "bulls, answers that contradict each other"
        yield from self.advice_pages("bulls-4x10", "0123:1.1&aim=within-7", "0456")
        self.see("/suggest?game=jotto-2&history=ox:0 ad:0 ox:1", ".alarm")
        yield "advice on answers that contradict each other"
        self.see("/solved/jotto-2", ".heat-map")
        self.page.locator("main .fold summary").click()
        yield "solved"
        self.see("/nowhere", ".error")
        yield "nowhere"


def opened(chromium: Any, address: str) -> Visit:
    """Open the page so that styles can be forced upon it, which it does not allow itself."""
    return Visit(chromium, address, bypass_csp=True, reduced_motion="reduce", viewport=PHONE)


def barriers_found(walk: Walk, states: Iterator[str], settings: list[tuple[dict[str, int], str]]) -> dict[str, Found]:
    """Return what stands in the way in each state of a walk: by kind, then by state, screen and theme."""
    page = walk.page
    first = settings[0]
    found: dict[str, Found] = {kind: defaultdict(list) for kind in ("axe", "pale", "jargon")}
    for state in states:
        found["jargon"][state] += jargon(page)
        for screen, theme in settings:
            page.set_viewport_size(screen)
            in_theme(page, theme)
            where = f"{state}, {screen['width']} pixels, {theme}"
            found["pale"][where] += pale(page)
            if AXE.exists():
                again = ["color-contrast", "scrollable-region-focusable"]  # what screen and theme change
                found["axe"][where] += axe(page, None if (screen, theme) == first else again)
    return {kind: {where: what for where, what in by_state.items() if what} for kind, by_state in found.items()}


@pytest.fixture(scope="module")
def looked_at(chromium: Any, address: str) -> Iterator[dict[str, Found]]:
    """Give what was found on a walk through all pages, on a phone in the dark and on a laptop in the light."""
    visit = opened(chromium, address)
    walk = Walk(visit)
    sideways: Found = {}

    def looked() -> Iterator[str]:
        for state in walk.small_form():
            sideways[state] = sticks_out(walk.page, STYLES)
            yield state

    found = barriers_found(walk, looked(), [(PHONE, "dark"), (LAPTOP, "light")])
    found["sideways"] = {state: what for state, what in sideways.items() if what}
    assert len(sideways) > 10 and visit.complaints == []
    yield found
    visit.close()


def test_nothing_is_cut_or_covered_whatever_the_width_the_font_and_the_size_of_letters(looked_at):
    assert looked_at["sideways"] == {}


def test_edges_placeholders_and_rings_can_be_seen(looked_at):
    assert looked_at["pale"] == {}


def test_players_are_told_things_in_plain_words(looked_at):
    assert looked_at["jargon"] == {}


def test_axe_finds_nothing(looked_at):
    if not AXE.exists():
        pytest.skip("axe-core is missing: 'make test' gets it where there is npm and a network")
    assert looked_at["axe"] == {}


def test_all_one_needs_to_begin_is_on_the_first_screen_and_moves_only_for_those_who_like_it(visit):
    here = visit()
    page = here.page
    page.goto(f"{here.address}/")
    moves = "getComputedStyle(document.querySelector('.home')).animationName"
    page.wait_for_selector(".daily")
    assert page.evaluate(moves) == "arrive"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moves) == "none"
    for width, height in FIRST_SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        for needed in ("h1", ".lead", ".play", ".daily", ".howto-lines", ".example"):
            bottom = page.locator(needed).evaluate("one => one.getBoundingClientRect().bottom")
            assert bottom <= height, f"{needed} at {width} by {height}"
