"""How a match ends on the page: results to share, statistics, the daily game, telling one's word; and lost replies."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

from playing import PHONE, STANDARD, begin, drawn_secret, hold, outside, post, tap_guess, written

KEY = "oracular.statistics"
UNKNOWN = "zzzap"


def kept(page: Any) -> dict[str, Any]:
    """What the browser keeps of the games played in it."""
    return json.loads(page.evaluate("key => localStorage.getItem(key) ?? '{}'", KEY))


def keep(page: Any, text: str) -> None:
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])


def common(guess: str, secret: str) -> str:
    """How many letters two words have in common."""
    return str(sum(min(guess.count(letter), secret.count(letter)) for letter in set(guess)))


def test_the_daily_game_counts_once_and_is_shared_with_letters_hidden(visit):
    here = visit(permissions=["clipboard-read", "clipboard-write"], viewport={"width": 1280, "height": 720})
    page = here.page
    secret = drawn_secret(here, None)
    day = page.evaluate("async () => (await (await fetch('/api/daily')).json()).date")
    before = str(date.fromisoformat(day) - timedelta(days=1))
    assert kept(page)["daily"]["streak"] == 0, "it was given up"
    keep(page, json.dumps({"daily": {"last": before, "streak": 3, "best": 3}}))
    begin(here, None, moves=[("guess", {"guess": "hello"})])
    assert "Today’s word" in page.locator("h1").inner_text()
    tap_guess(page, secret)
    page.wait_for_selector(".outcome")
    assert page.locator(".outcome h2").inner_text() == "You found it in 2 guesses!"
    figures = page.locator(".record").inner_text().split("\n")
    shown = dict(zip(figures[::2], figures[1::2], strict=True))
    assert shown == {
        "played": "1",
        "found": "100%",
        "guesses on average": "2.0",
        "days in a row": "4",
        "most days in a row": "4",
    }
    assert "The next word comes in" in page.locator(".outcome").inner_text()
    once = kept(page)
    assert once["games"][STANDARD] == {"played": 1, "found": 1, "guesses": 2, "distribution": {"2": 1}}

    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copied").wait_for()
    text = page.evaluate("() => navigator.clipboard.readText()")
    title, *lines, address = text.split("\n")
    assert title.endswith("found in 2") and address == f"{here.address}/"
    assert [line.count("●") for line in lines] == [int(common("hello", secret)), 5]
    assert secret not in text.lower() and "hello" not in text.lower()

    page.reload()
    page.wait_for_selector(".outcome")
    begin(here, None, moves=[("guess", {"guess": secret})])
    page.wait_for_selector(".outcome")
    assert kept(page) == once, "a match counts once, and so does a day"
    page.get_by_role("button", name="Play another").click()
    page.locator(".typing").wait_for()
    assert "Today" not in page.locator("h1").inner_text()


def test_a_result_is_shared_by_the_phone_or_shown_to_be_copied(visit):
    here = visit(**PHONE)
    page = here.page
    page.add_init_script("navigator.share = async (what) => { window.given = what.text; };")
    page.goto(f"{here.address}/")
    begin(here, "jotto-2", moves=[("guess", {"guess": "ox"}), ("give-up", {})])
    assert page.locator(".outcome h2").inner_text() == "You gave up"
    page.get_by_role("button", name="Share").tap()
    page.wait_for_function("() => window.given?.startsWith('Jotto (2 letters)')")
    page.evaluate(
        "() => { navigator.share = undefined; navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }"
    )
    page.get_by_role("button", name="Share").tap()
    assert page.locator(".share-text:visible").input_value() == page.evaluate("() => window.given")


STREAKS = """async () => {
    const { countMatch, statistics, streakOn, untilNextDay } = await import("/page/statistics.js");
    localStorage.clear();
    const play = (id, daily, result = "found", undone = 0) => countMatch(
        { id, daily, result, undone, mode: "guess", yours: true, game: { name: "g" }, guesses: [{}, {}, {}] });
    const streaks = [];
    for (const [day, result] of [["01", "found"], ["02", "found"], ["02", "given up"], ["03", "lost"], ["04", "found"],
                                 ["05", "found"], ["07", "found"], ["06", "found"]]) {
        play(`${day}${result}`, `2026-11-${day}`, result);
        streaks.push(statistics().daily.streak);
    }
    const broken = [];
    for (const text of ["{{{", "null", "[]", "7",
                        '{"games":{"g":{"played":"x","distribution":[9]}},"daily":{"last":5}}',
                        '{"games":7,"daily":{"days":{"x":1,"2026-01-01":null}},"counted":{"a":1}}']) {
        localStorage.setItem("oracular.statistics", text);
        const counted = [play("another", null), play("another", null)];
        const { played, distribution } = statistics().games.g;
        broken.push([...counted, played, distribution[3]]);
    }
    localStorage.clear();
    play("one", "2026-11-05");
    const until = [untilNextDay(Date.UTC(2026, 0, 1, 18, 48)), untilNextDay(Date.UTC(2026, 0, 1, 23, 59, 30))];
    const on = ["05", "06", "07"].map((day) => streakOn(`2026-11-${day}`));
    localStorage.clear();
    play("undone", null, "found", 2);
    const undone = statistics().games.g;
    const { distribution } = await import("/page/record.js");
    const bars = [{ 13: 4, 15: 3, 16: 2, 40: 1 }, { 20: 1 }, {}].map((times) => {
        const games = { g: { found: 7, distribution: times } };
        localStorage.setItem("oracular.statistics", JSON.stringify({ games }));
        const match = { game: { name: "g" }, mode: "guess", result: "found", guesses: Array(20) };
        return [...(distribution(match)?.querySelectorAll("li") ?? [])].map((row) => [
            ...[...row.querySelectorAll(".spread-made, .spread-often")].map((one) => one.textContent),
            Number(row.querySelector(".spread-bar").style.getPropertyValue("--share")).toFixed(2),
            row.classList.contains("spread-mine"),
        ]);
    });
    return { streaks, broken, until, undone, bars, on };
}"""


def test_statistics_survive_whatever_is_in_the_storage(visit):
    here = visit()
    here.page.goto(f"{here.address}/")
    found = here.page.evaluate(STREAKS)
    assert found["streaks"] == [1, 2, 2, 0, 1, 2, 1, 1], (
        "a day that is missed or lost ends it; an older one changes nothing"
    )
    assert found["broken"] == [[True, False, 1, 1]] * 6
    assert found["until"] == ["5 h 12 min", "1 min"]
    assert found["on"] == [1, 1, 0], "it holds until the next day is over"
    assert found["undone"] == {"played": 1, "found": 1, "guesses": 5, "distribution": {"5": 1}}, (
        "taken back, and counted"
    )
    assert found["bars"] == [
        [["13", "4", "0.67", False], ["14", "0", "0.00", False], ["15+", "6", "1.00", True]],
        [["15+", "1", "1.00", True]],
        [],
    ]


def test_a_lost_reply_is_looked_up_before_anything_is_said(visit):
    here = visit()
    page = here.page
    begin(here, "jotto-3")
    lost = []

    def lose_the_reply(route: Any) -> None:
        if len(lost) < 2:
            if not lost:
                route.fetch()  # the server counts it
            lost.append(route.request.post_data_json["guess"])
            route.abort()
        else:
            route.continue_()

    page.route("**/guess", lose_the_reply)
    rows = page.locator(".rows > li")
    for made, word in enumerate(("fig", "box")):
        page.keyboard.type(word)
        page.keyboard.press("Enter")
        page.get_by_text("Could not reach the server. Nothing is lost: trying again").wait_for()
        assert written(page) == word
        rows.nth(made).wait_for()
        page.wait_for_function("() => document.querySelector('.word-input').value === ''")
        assert not page.locator(".error:visible, .waiting:visible").count()
    assert lost == ["fig", "box"] and rows.count() == 2, "each of them counts once"
    page.unroute("**/guess")

    page.route("**/guess", lambda route: route.fulfill(status=422, body=json.dumps({"error": "<img src=x> no"})))
    page.keyboard.type("dog")
    page.keyboard.press("Enter")
    page.get_by_text("<img src=x> no").wait_for()
    assert page.locator(".column img").count() == 0, "what the server says is text"
    page.unroute("**/guess")
    path = page.url.replace("/match/", "/api/matches/").removeprefix(here.address)
    post(page, f"{path}/guess", {"guess": "cat"})  # as another window would
    page.keyboard.press("Enter")
    page.get_by_text("Another move came first, perhaps from another window.").wait_for()
    rows.nth(2).wait_for()
    assert written(page) == "dog"


def test_a_reply_that_comes_late_changes_nothing(visit):
    here = visit()
    page = here.page
    path = begin(here, "jotto-3", moves=[("guess", {"guess": "fig"})])
    rows = page.locator(".rows > li")
    early = page.evaluate("async (path) => (await fetch(path)).json()", path)
    post(page, f"{path}/guess", {"guess": "box"})  # as another window would
    page.get_by_role("button", name="Take back").click()
    page.get_by_text("Another move came first, perhaps from another window.").wait_for()
    assert rows.count() == 2 and not page.get_by_text("taken back").is_visible()

    page.route(f"**{path}", lambda route: route.fulfill(json=early))
    with page.expect_response(f"**{path}"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    here.guess("dog")
    assert rows.count() == 3, "an older state does not replace a newer one"
    page.unroute(f"**{path}")

    held = hold(page, "**/guess")
    page.keyboard.type("cat")
    with page.expect_request("**/guess"):
        page.keyboard.press("Enter")
    page.get_by_role("link", name="Advice").click()
    page.wait_for_selector(".suggest")
    said = page.locator("#says").text_content()
    with page.expect_response("**/guess"):
        held[0].continue_()
    page.wait_for_function("() => JSON.parse(localStorage.getItem('oracular.games'))[0].turns === 4")
    assert page.locator("#says").text_content() == said, "it is kept, and nothing is said on another page"

    page.route(f"**{path}", lambda route: route.fulfill(json={**early, "may_undo": False}))
    page.go_back()
    page.wait_for_selector(".match")
    assert not page.get_by_role("button", name="Take back").is_visible(), "where the server takes nothing back"


def test_a_word_that_the_computer_does_not_know_is_told(visit):
    here = visit(**PHONE)
    page = here.page
    begin(here, STANDARD, "hide")
    gap = """() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        return box(".answer-place").top - box(".row-pending").bottom;
    }"""
    assert 0 <= page.evaluate(gap) < 40, "the answers are right below the guess"
    assert outside(page, ".row-pending", "[data-answer]") == []
    check = page.get_by_label("Is my word in the list?")
    for word, told in (("hello", "✓ HELLO is in the list."), (UNKNOWN, "✗ ZZZAP is not in the dictionary")):
        check.fill(word)
        page.get_by_role("button", name="Look it up").tap()
        page.get_by_text(told).wait_for()
    while not page.locator(".alarm").is_visible():
        made = page.locator(".rows > li").count()
        guess = str(page.locator(".row-pending .word").get_attribute("aria-label"))
        page.locator(f".answer-place [data-answer='{common(guess, UNKNOWN)}']").click()
        page.wait_for_function("made => document.querySelectorAll('.rows > li').length === made", arg=made + 1)
    page.get_by_role("button", name="My word is not in your list").tap()
    page.locator("dialog .word-input").fill(UNKNOWN)
    page.get_by_role("button", name="Tell my word").tap()
    page.wait_for_selector(".outcome")
    assert page.locator(".outcome h2").inner_text() == "The computer does not know this word"
    assert page.locator(".secret .word").get_attribute("aria-label") == UNKNOWN
    assert "ZZZAP is not among" in page.locator(".outcome").inner_text()
    assert not page.locator(".told-mistakes").count()

    begin(here, "jotto-3", "hide")
    guess = str(page.locator(".row-pending .word").get_attribute("aria-label"))
    right = common(guess, "fig")
    wrong = "2" if right != "2" else "1"
    page.locator(f".answer-place [data-answer='{wrong}']").click()
    page.locator(".rows > li").wait_for()
    page.get_by_role("button", name="End", exact=True).tap()
    page.locator("dialog .word-input").fill("fig")
    page.keyboard.press("Enter")
    page.wait_for_selector(".outcome")
    assert page.locator(".outcome h2").inner_text() == "One answer was wrong"
    told = page.locator(".told-mistakes").inner_text()
    assert f"you said {wrong}" in told and f"right is {right}" in told

    page.get_by_role("button", name="Play again").tap()
    page.locator(".answer-place").wait_for()
    page.get_by_role("button", name="End", exact=True).tap()
    page.get_by_role("button", name="End without telling").tap()
    page.wait_for_selector(".outcome")
    assert page.locator(".outcome h2").inner_text() == "The game was ended"
