"""The page in a real browser before a real server: whole games, by mouse, by keyboard and on a phone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from oracular import Game, game
from oracular.play.deductions import answer_to
from oracular.play.match import new_match
from oracular.play.opponent import matchup_by_name

from chromium import SEED
from playing import PHONE, gets_focus, hold, outside

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
    page, described = here.page, []
    page.on("request", lambda request: described.append(1) if request.url.endswith("/game") else None)
    here.begin("jotto-3", "guess")
    assert "421" in page.locator(".about").inner_text()

    page.get_by_label("Your guess", exact=True).fill("qqq")
    page.keyboard.press("Enter")
    assert "qqq" in page.locator(".below .error:visible").inner_text().lower()
    assert page.evaluate("document.activeElement.value") == "qqq"

    held = hold(page, "**/hint")
    with page.expect_request("**/hint"):
        page.get_by_role("button", name="Hint").click()
    page.keyboard.press("Backspace")
    held[0].continue_()
    page.locator("[data-use]").first.wait_for()
    assert page.evaluate("document.activeElement.value") == "qq", "a hint that comes late lets one go on typing"
    page.locator("[data-use]").first.click()
    written = page.get_by_label("Your guess", exact=True).input_value()
    here.guess(written)

    page.locator(".possible > summary").click()
    page.get_by_text("possible.").first.wait_for()

    page.reload()  # in mid-game: the guesses are still there
    page.wait_for_selector(".match")
    assert gets_focus(page, ".word-input")
    assert "letters are in common" in page.locator(".reading").first.inner_text()
    assert [guess for guess, _ in turns(page, "Your guesses")] == [written]

    page.get_by_role("button", name="Take back").dblclick()
    page.get_by_text("taken back: 1").wait_for()
    assert not page.locator(".error:visible").count()
    for _ in range(15):
        here.guess(next_guess(jotto, turns(page, "Your guesses")))
        if page.locator(".outcome").is_visible():
            break
    assert page.locator(".outcome h2").inner_text().startswith("You found it in")
    assert page.evaluate("document.activeElement.textContent").startswith("You found it in")
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    assert page.locator(".review-table tbody tr").count() == len(turns(page, "Your guesses"))
    assert page.locator(".review h2").inner_text() == "Review of your guesses"
    *parts, guesses = shown_sum(page).values()
    assert round(sum(parts), 2) == guesses == len(turns(page, "Your guesses"))
    assert len(described) == 2, "the game is described once for each time that the page is loaded"


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
    page.go_back()
    page.wait_for_selector(".home")
    assert page.locator("dialog").count() == 0, "a dialog goes with its page"
    page.go_forward()
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


def test_a_duel_is_won_on_a_phone_in_the_dark(visit):
    jotto = game("jotto-2")
    draw = partial(new_match, matchup_by_name("jotto-2"), "duel", HIDDEN["jotto-2"])
    drawn = draw(np.random.default_rng(SEED), begins="you")
    assert drawn.secret is not None
    here = visit(color_scheme="dark", **PHONE)
    page = here.page
    page.goto(f"{here.address}/")
    here.choose("jotto-2", "duel")
    assert page.locator(".duel-rule").inner_text().startswith("You begin, and next time the computer. Whoever finds")
    here.begin("jotto-2", "duel", HIDDEN["jotto-2"])
    red = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    assert red < 60, "the system asks for dark"
    text = page.locator(".match-head").inner_text()
    assert "never reads" in text
    assert "first wins at once" in page.locator(".opening").inner_text(), "the rule is to be seen on a phone too"
    assert not page.locator(".chance-bar").is_visible(), "it is for those who switch it on"
    page.get_by_label("Show my chance to win").check()
    meter = page.get_by_role("meter", name="Your chance to win")
    meter.wait_for()
    assert "if both guess well" in page.locator(".switch-line", has_text="Show my chance").inner_text()
    page.get_by_role("button", name="Hint").click()
    page.get_by_text("They aim at few guesses").wait_for()
    for word in (next_guess(jotto, []), drawn.secret):
        assert not page.locator(".outcome").is_visible()
        here.guess(word)
        assert not scrolls_sideways(page)
    assert page.locator(".outcome h2").inner_text() == "You win, in 2 guesses"
    assert page.locator(".secret").inner_text().startswith("The computer's word was")
    assert page.locator(".secret .word").get_attribute("aria-label") == drawn.secret
    its = turns(page, "The computer's guesses")
    assert len(its) == 1, "it has no last reply"
    assert all(answer == answer_to(jotto, guess, HIDDEN["jotto-2"]) for guess, answer in its)
    assert small_targets(page) == []
    assert not meter.is_visible()
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    assert not scrolls_sideways(page)
    chances = page.locator(".chances-row")
    assert [line.split()[0] for line in chances.all_inner_texts()] == ["You", "Computer", "You"]
    assert chances.last.inner_text().find("→ 100%") > 0
    assert "The turning point was" in page.locator(".duel-review").inner_text()

    page.get_by_role("button", name="Play again").click()
    assert "The computer begins this time" in page.locator(".duel-rule").inner_text()
    page.wait_for_function("scrollY > 0")
    assert outside(page, ".secret-card") == [], "all that the next duel lacks is a word"
    page.fill("#own-word", HIDDEN["jotto-2"])
    page.get_by_role("button", name="Play this game").click()
    page.get_by_text("The computer began").first.wait_for()
    meter.wait_for()  # it is remembered
    assert len(turns(page, "The computer's guesses")) == 1
    page.get_by_role("button", name="Light").click()
    page.reload()
    page.wait_for_selector(".match")
    assert page.evaluate("document.documentElement.dataset.theme") == "light", "the switch is remembered"
    assert page.get_by_role("button", name="Dark").is_visible()


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
    assert watcher.get_by_label("Mark what is certain").count() == 0
    status = watcher.evaluate(
        """async () => (await fetch(`/api${location.pathname.replace("match", "matches")}/guess`, {
            method: "POST", headers: {"Content-Type": "application/json"}, body: '{"guess": "ox"}'})).status"""
    )
    assert status == 403
    first.get_by_role("button", name="Give up").click()
    first.locator("[data-yes]").click()
    watcher.get_by_role("heading", name="The player gave up").wait_for()
    assert watcher.get_by_role("button", name="Share").count() == 0, "it is not the watcher's result"
    assert first.get_by_role("button", name="Share").count() == 1
    second.goto(f"{here.address}/")
    second.wait_for_selector(".begun")
    assert second.locator(".begun li").count() == 2


def test_mastermind_bulls_and_wordle(visit):
    here = visit(**PHONE)
    page = here.page

    here.begin("mastermind-4x6", "guess")
    here.guess("1123")
    assert "one peg of the right colour in its place" in page.locator(".reading").inner_text()
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector(".suggestion")
    for width in (1200, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.locator(".suggestion").evaluate_all(
            """lines => lines.every(line => {
                const box = (selector) => line.querySelector(selector).getBoundingClientRect();
                const [whole, number, use] = [line.getBoundingClientRect(), box(".expected"), box(".use")];
                return number.right <= use.left && number.bottom <= whole.bottom && number.height < 40;
            })"""
        ), "the number stands in one line beside its word, above the rule"
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
