"""The page in a real browser before a real server: whole games, by mouse, by keyboard and on a phone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from oracular import Game, game
from oracular.play.match import answer_to, new_match
from oracular.play.opponent import matchup_by_name

from chromium import SEED

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
HIDDEN = {"jotto-2": "ox", "jotto-3": "fig"}


def next_guess(played: Game, history: list[tuple[str, str]]) -> str:
    """A word that is still possible and tells the others apart best."""
    left = played.possible_after(history)
    guesses = played.guess_of_secret[left]
    answers = played.answers(guesses, left)
    sizes = [(np.bincount(row) ** 2).sum() for row in answers]
    return played.guesses[guesses[int(np.argmin(sizes))]]


def turns(page: Any, label: str) -> list[tuple[str, str]]:
    """The lines of a sheet, as they are spoken."""
    rows = page.locator(f'ol[aria-label="{label}"] > li')
    read = "rows => rows.map(row => [row.querySelector('.word').ariaLabel, row.querySelector('.count').textContent])"
    return [(guess, answer) for guess, answer in rows.evaluate_all(read)]


def shown_sum(page: Any) -> dict[str, float]:
    """The parts of a review's sum, as they are written."""
    parts = page.locator(".sum-part")
    read = "parts => parts.map(part => [part.querySelector('dt').textContent, part.querySelector('dd').textContent])"
    return {name: float(text.replace("−", "-").replace("= ", "")) for name, text in parts.evaluate_all(read)}


def scrolls_sideways(page: Any) -> bool:
    wide = page.evaluate("document.documentElement.scrollWidth")  # the window itself grows on a phone
    return bool(wide > page.viewport_size["width"])


def has_focus(page: Any, selector: str) -> bool:
    return bool(page.evaluate("wanted => document.activeElement.matches(wanted)", selector))


def gets_focus(page: Any, selector: str) -> bool:
    """Wait until what is looked for has the focus."""
    page.wait_for_function("wanted => document.activeElement.matches(wanted)", arg=selector)
    return True


def small_targets(page: Any, least: int = 40) -> list[str]:
    """What one should be able to tap and can hardly."""
    return page.evaluate(
        """least => [...document.querySelectorAll("button, select, .choice, summary, nav a")]
            .filter(one => one.checkVisibility() && one.getBoundingClientRect().height < least)
            .map(one => one.outerHTML.slice(0, 80))""",
        least,
    )


def test_a_word_is_found_by_guessing(visit):
    jotto = game("jotto-3")
    here = visit(viewport={"width": 1180, "height": 900})
    page = here.page
    here.begin("jotto-3", "guess")
    assert "421" in page.locator(".about").inner_text()

    page.get_by_label("Your guess", exact=True).fill("qqq")
    page.keyboard.press("Enter")
    assert "qqq" in page.locator(".under .error:visible").inner_text().lower()
    assert page.evaluate("document.activeElement.value") == "qqq"

    page.get_by_role("button", name="Hint").click()
    page.locator("[data-use]").first.click()
    written = page.get_by_label("Your guess", exact=True).input_value()
    here.guess(written)

    mark = page.locator(".pad-key[data-symbol=z]")
    mark.click()
    assert mark.get_attribute("aria-label") == "Z: crossed off by you"
    page.get_by_label("Show what is provable").check()
    page.get_by_text("possible.").first.wait_for()

    page.reload()  # in mid-game: guesses and notes are still there
    page.wait_for_selector(".match")
    assert gets_focus(page, ".word-input")
    assert "letters are in common" in page.locator(".reading").inner_text()
    assert [guess for guess, _ in turns(page, "Your guesses")] == [written]
    assert mark.get_attribute("aria-label") == "Z: crossed off by you"

    page.get_by_role("button", name="Take back").dblclick()
    page.get_by_text("taken back: 1").wait_for()
    assert not page.locator(".error:visible").count()
    for _ in range(15):
        here.guess(next_guess(jotto, turns(page, "Your guesses")))
        if page.locator(".outcome").is_visible():
            break
    assert page.locator(".outcome h2").inner_text().startswith("Found in")
    assert page.evaluate("document.activeElement.textContent").startswith("Found in")
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    assert page.locator(".review-table tbody tr").count() == len(turns(page, "Your guesses"))
    assert page.locator(".review h2").inner_text() == "Review of your guesses"
    *parts, guesses = shown_sum(page).values()
    assert round(sum(parts), 2) == guesses == len(turns(page, "Your guesses"))


def test_the_computer_finds_a_word_and_a_wrong_answer_is_put_right(visit):
    jotto, secret = game("jotto-3"), HIDDEN["jotto-3"]
    here = visit(viewport={"width": 1180, "height": 900})
    page = here.page
    here.begin("jotto-3", "hide")
    page.reload()
    page.wait_for_selector(".answer-keys")
    assert gets_focus(page, "[data-answer='0']")
    page.evaluate("document.activeElement.blur()")
    lied = ""
    for turn in range(40):
        if page.locator(".alarm").is_visible():
            break
        guess = page.locator(".row-pending .word").get_attribute("aria-label")
        answer = answer_to(jotto, guess, secret)
        if turn == 0:
            lied, answer = answer, "0" if answer != "0" else "1"
        page.keyboard.press(answer)
        page.wait_for_function("made => document.querySelectorAll('.rows > li').length === made", arg=turn + 1)
    assert "cannot all be right" in page.locator(".alarm").inner_text()
    page.locator(f"[data-amend='0:{lied}']").click()
    page.locator(".alarm").wait_for(state="detached")
    while not page.locator(".outcome").is_visible():
        made = page.locator(".rows > li").count()
        guess = page.locator(".row-pending .word").get_attribute("aria-label")
        page.locator(f".answer-keys [data-answer='{answer_to(jotto, guess, secret)}']").click()
        page.wait_for_function("made => document.querySelectorAll('.rows > li').length === made", arg=made + 1)
    assert page.locator(".outcome h2").inner_text().startswith("The computer found it")
    assert page.locator(".secret .word").get_attribute("aria-label") == secret
    assert page.get_by_role("button", name="Change the answer").count() == 0, "there is nothing left to change"
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    assert page.locator(".review h2").inner_text() == "Review of the computer's guesses"
    reviewed = page.locator(".review-table tbody th .word").evaluate_all("words => words.map(word => word.ariaLabel)")
    assert reviewed == [guess for guess, _ in turns(page, "The computer's guesses")]
    assert not page.locator(".error:visible").count()


def test_a_game_that_was_given_up_is_reviewed_with_what_was_still_to_come(visit):
    here = visit(**PHONE)
    page = here.page
    here.begin("jotto-3", "guess")
    here.guess("fig")
    page.get_by_role("button", name="Give up").click()
    page.locator("[data-yes]").click()
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    *parts, guesses, to_come = shown_sum(page).values()
    assert list(shown_sum(page))[-2:] == ["guesses made", "still to come"]
    assert guesses == 1 and to_come > 1
    assert round(sum(parts), 2) == round(guesses + to_come, 2)
    assert f"{to_come:.2f} were still to come" in page.locator(".review").inner_text()
    assert not scrolls_sideways(page)
    inside = "box => box.getBoundingClientRect().right <= innerWidth && box.scrollWidth <= box.clientWidth"
    assert page.locator(".review .scroll").evaluate(inside), "nothing of it is out of sight"


def test_what_the_page_says_of_a_game_is_true_of_the_mode(visit):
    here = visit()
    page = here.page
    page.goto(f"{here.address}/")
    facts = page.locator(".facts")
    words, familiar = game("wordle"), matchup_by_name("jotto-5-familiar")
    page.check("input[name=mode][value=duel]")
    page.check("input[name=familiar]")
    assert familiar.description("duel") in facts.inner_text()
    page.get_by_role("button", name="Begin").click()
    assert page.locator(".error:visible").inner_text() == "Type the word that the computer is to find."
    assert gets_focus(page, "#own-word")
    page.check("input[name=mode][value=guess]")
    assert familiar.description("guess") in facts.inner_text()
    assert familiar.guessing.guesses not in facts.inner_text()
    page.check("input[name=family][value=wordle]")
    page.check("input[name=mode][value=hide]")
    assert f"You may hide any of {len(words.secrets):,} words" in facts.inner_text()
    here.begin("wordle", "hide")
    assert f"Any of the {len(words.secrets):,} words that may be hidden" in page.locator(".own").inner_text()
    assert f"{len(words.guesses):,}" not in page.locator(".own").inner_text()
    assert matchup_by_name("wordle").description("hide") in page.locator(".about").inner_text()


def test_a_duel_is_won_on_a_phone_in_the_dark(visit):
    jotto = game("jotto-2")
    drawn = new_match(matchup_by_name("jotto-2"), "duel", HIDDEN["jotto-2"], np.random.default_rng(SEED))
    assert drawn.secret is not None
    here = visit(**PHONE)
    page = here.page
    page.goto(f"{here.address}/")
    page.wait_for_selector("form")
    assert not scrolls_sideways(page)
    assert small_targets(page) == []
    here.begin("jotto-2", "duel", HIDDEN["jotto-2"])
    red = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert red < 60, "the system asks for dark"
    text = page.locator(".match-head").inner_text()
    assert "fewest expected guesses" in text
    assert "never reads" in text
    for word in (next_guess(jotto, []), drawn.secret):
        assert not page.locator(".outcome").is_visible()
        here.guess(word)
        assert not scrolls_sideways(page)
    assert page.locator(".outcome h2").inner_text() == "You win, in 2 guesses"
    assert page.locator(".secret").inner_text().startswith("The computer's word was")
    assert page.locator(".secret .word").get_attribute("aria-label") == drawn.secret
    its = turns(page, "The computer's guesses")
    assert len(its) == 2
    assert all(answer == answer_to(jotto, guess, HIDDEN["jotto-2"]) for guess, answer in its)
    assert small_targets(page) == []
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    assert not scrolls_sideways(page)

    page.get_by_role("button", name="Light").click()
    page.reload()
    page.wait_for_selector(".match")
    assert page.evaluate("document.documentElement.dataset.theme") == "light", "the switch is remembered"
    assert page.get_by_role("button", name="Dark").is_visible()


def test_with_the_keyboard_alone(visit):
    here = visit()
    page = here.page
    keys = page.keyboard

    def tab_to(selector: str, key: str = "Tab") -> None:
        for _ in range(60):
            keys.press(key)
            if has_focus(page, selector):
                return
        raise AssertionError(f"{selector} is not reached with {key}")

    page.goto(f"{here.address}/")
    page.wait_for_selector("form")
    tab_to("input[name=variant]")
    keys.press("Home")
    for _ in range(4):
        if page.locator("input[name=variant]:checked").get_attribute("value") == "jotto-2":
            break
        keys.press("ArrowLeft")
    tab_to("button[type=submit]")
    keys.press("Enter")
    page.wait_for_selector(".match")
    assert gets_focus(page, ".word-input")
    keys.type("ox")
    keys.press("Enter")
    page.locator(".rows > li").wait_for()
    assert gets_focus(page, ".word-input"), "ready for the next guess"
    page.wait_for_function("() => document.getElementById('says').textContent.includes('ox')")
    tab_to(".pad-key")
    keys.press("ArrowRight")
    keys.press("Space")
    keys.press("Space")
    assert page.locator(".pad-key[data-symbol=b]").get_attribute("aria-label") == "B: ringed by you"
    tab_to(".actions button:last-of-type", "Shift+Tab")
    keys.press("Enter")
    page.wait_for_selector("dialog[open]")
    keys.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    keys.press("Enter")
    page.wait_for_selector("dialog[open]")
    tab_to("[data-yes]")
    keys.press("Enter")
    page.wait_for_selector(".outcome")
    assert "Given up" in page.evaluate("document.activeElement.textContent")


def test_two_games_at_once_and_somebody_who_watches(visit):
    here = visit()
    first = here.page
    here.begin("jotto-2", "guess", page=first)
    second = here.open()
    here.begin("jotto-3", "guess", page=second)
    watcher = visit().page
    watcher.goto(first.url)
    watcher.get_by_text("You are watching").wait_for()
    here.guess("ox", page=first)
    here.guess("fig", page=second)
    watcher.locator(".rows > li").wait_for()
    assert turns(watcher, "The player's guesses") == turns(first, "Your guesses")
    assert [guess for guess, _ in turns(second, "Your guesses")] == ["fig"]
    assert not watcher.locator("form").is_visible()
    assert not watcher.get_by_role("button", name="Give up").is_visible()
    status = watcher.evaluate(
        """async () => (await fetch(`/api${location.pathname.replace("match", "matches")}/guess`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: '{"guess": "ox"}'})).status"""
    )
    assert status == 403
    second.goto(f"{here.address}/")
    second.wait_for_selector("form")
    assert second.locator(".begun li").count() == 2


def test_mastermind_bulls_and_wordle(visit):
    here = visit(**PHONE)
    page = here.page

    here.begin("mastermind-4x6", "guess")
    for colour in (1, 1, 2, 3):
        page.get_by_role("button", name=f"Colour {colour}").click()
    assert page.get_by_label("Your guess", exact=True).input_value() == "1123"
    page.get_by_role("button", name="Guess", exact=True).click()
    page.locator(".rows > li").wait_for()
    assert "in place" in (page.locator(".rows .keys").get_attribute("aria-label") or "")
    assert "one peg of the right colour in its place" in page.locator(".reading").inner_text()
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector(".suggestion")
    for width in (1200, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator(".suggestion").evaluate_all(
            """lines => lines.every(line => line.querySelector(".expected").getBoundingClientRect().right
                <= line.querySelector(".use").getBoundingClientRect().left)"""
        )
    assert not scrolls_sideways(page)
    assert small_targets(page) == []

    here.begin("bulls-4x10", "hide")
    assert not scrolls_sideways(page)
    page.get_by_role("button", name="0 bulls, 2 cows").click()
    page.locator(".rows > li").wait_for()
    page.locator("[data-answer='4.0']").click()
    page.wait_for_selector(".outcome")

    here.begin("wordle", "hide")
    tiles = page.locator(".tile-key")
    for place in range(5):
        tiles.nth(place).click()
        tiles.nth(place).click()
    assert tiles.nth(4).get_attribute("aria-label").endswith("in place")
    tiles.nth(4).click()
    tiles.nth(4).click()
    page.get_by_role("button", name="Give this answer").click()
    page.locator(".rows > li").wait_for()
    assert page.locator(".rows .tile-place").count() == 4
    assert page.locator(".rows .tile-elsewhere").count() == 1
    assert not scrolls_sideways(page)


def test_advice_the_solved_game_and_a_server_that_goes_away(visit):
    here = visit(viewport={"width": 360, "height": 740})
    page = here.page
    page.goto(f"{here.address}/suggest?game=jotto-2&history=ox:1")
    page.wait_for_selector(".suggestion")
    page.get_by_label("A word that was guessed").fill("ad")
    page.keyboard.press("Enter")
    assert gets_focus(page, "[data-answer='0']") and page.locator(".rows > li").count() == 1, "nothing is chosen yet"
    page.locator(".answer-keys [data-answer='1']").click()
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length === 2")
    page.wait_for_function("() => document.querySelector('.results').textContent.length > 20")
    assert "history=ox" in page.url
    assert not scrolls_sideways(page)
    page.get_by_label("A word that was guessed").fill("ax")
    page.locator(".answer-keys [data-answer='2']").click()
    page.get_by_role("heading", name="The game is over").wait_for()
    assert "Found in 3 guesses" in page.locator(".results").inner_text()
    assert not page.locator(".word-input").is_visible()
    page.reload()
    page.get_by_role("heading", name="The game is over").wait_for()
    page.get_by_role("button", name="Remove ax").click()
    page.wait_for_selector(".suggestion")

    page.goto(f"{here.address}/suggest?game=jotto-2&history=ox:0 ad:0 ox:1")
    page.locator("[data-amend='0:1']").click()
    page.wait_for_selector(".suggestion")
    assert "ox%3A1" in page.url or "ox:1" in page.url

    page.goto(f"{here.address}/suggest?game=nope&history=ox:1 ad:none")
    shown = page.locator(".suggest > .error").inner_text()
    assert "no game “nope”" in shown and "“ad:none”" in shown
    page.goto(f"{here.address}/nowhere")
    assert "no page at this address" in page.locator("main .error").inner_text()
    page.goto(f"{here.address}/solved")
    page.wait_for_selector(".bars")
    assert page.locator("h1").inner_text() == "Jotto, five letters: how far it is solved"

    page.goto(f"{here.address}/solved/jotto-2")
    page.wait_for_selector(".bars")
    assert page.locator("h1").inner_text() == "Jotto, two letters, solved"
    assert "5.8726" in page.locator(".bounds").inner_text()
    page.wait_for_selector(".heat-map")
    drawn = page.locator(".chart").get_attribute("aria-label")
    assert "guarantee (upper bound) from 8.000 to 5.873" in drawn and "lower bound 5.8726" in drawn
    lines = page.locator(".chart polyline").evaluate_all("lines => lines.map(line => line.getAttribute('points'))")
    for line in lines:
        across = [float(point.split(",")[0]) for point in line.split()]
        assert across == sorted(set(across)), "each step has a place of its own"
    assert not scrolls_sideways(page)

    here.begin("jotto-2", "guess")
    here.context.set_offline(True)
    page.get_by_label("Your guess", exact=True).fill("ox")
    page.keyboard.press("Enter")
    page.wait_for_selector("#banner:not([hidden])")
    page.get_by_text("The server does not answer: your move has not been counted.").wait_for()
    here.context.set_offline(False)
    page.wait_for_selector("#banner", state="hidden")
    assert not page.locator(".error:visible").count()
    here.guess("ox")

    page.route("**/guess", lambda route: route.fulfill(status=422, body=json.dumps({"error": "<img src=x> no"})))
    page.get_by_label("Your guess", exact=True).fill("ad")
    page.keyboard.press("Enter")
    page.get_by_text("<img src=x> no").wait_for()
    assert page.locator(".column img").count() == 0, "what the server says is text"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jotto-4", "jotto-5"])
def test_a_longer_game_is_found_with_hints_alone(visit, name):
    here = visit()
    page = here.page
    here.begin(name, "guess")
    for _ in range(15):
        page.get_by_role("button", name="Hint").click()
        page.locator("[data-use]").first.click()
        here.guess(page.get_by_label("Your guess", exact=True).input_value())
        if page.locator(".outcome").is_visible():
            break
    assert page.locator(".outcome h2").inner_text().startswith("Found in")
