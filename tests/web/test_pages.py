"""The start page, advice and solved pages in a real browser, used as people would."""

from __future__ import annotations

from typing import Any

from oracular import game
from oracular.play.match import answer_to
from oracular.play.opponent import matchup_by_name

from playing import STANDARD

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
EXAMPLES = """async () => {
    const { howToPlay } = await import("/page/howto.js");
    const { games } = await (await fetch("/api/games")).json();
    return games.map((game) => {
        const drawn = howToPlay(game);
        const [guess, secret] = drawn.querySelectorAll(".word, .example-secret");
        const spelled = (one) => (one?.ariaLabel ?? one?.textContent ?? "").replaceAll(" ", "").toLowerCase();
        const answer = drawn.querySelector(".count, .keys, .unseen");
        return {
            name: game.name, lines: drawn.querySelectorAll("li").length, guess: spelled(guess),
            secret: spelled(secret), answer: answer?.ariaLabel ?? answer?.textContent,
        };
    });
}"""


def began(page: Any, press: Any) -> dict[str, Any]:
    """Press something that begins a match, and return what the page asked the server for."""
    with page.expect_request(
        lambda request: request.method == "POST" and request.url.endswith("/api/matches")
    ) as asked:
        press()
    page.wait_for_selector(".match")
    return asked.value.post_data_json


def gets_focus(page: Any, selector: str) -> bool:
    """Wait until what is looked for has the focus."""
    page.wait_for_function("wanted => document.activeElement.matches(wanted)", arg=selector)
    return True


def test_one_tap_plays_and_another_plays_the_game_of_the_day(visit):
    here = visit(**PHONE)
    page = here.page
    page.goto(f"{here.address}/")
    assert began(page, page.get_by_role("button", name="Play", exact=True).tap) == {"game": STANDARD, "mode": "guess"}

    page.goto(f"{here.address}/")
    assert began(page, page.locator(".daily").tap) == {"daily": True}
    daily = page.url
    page.goto(f"{here.address}/")
    page.get_by_role("button", name="Go on with today’s word").tap()
    page.wait_for_url(daily)
    page.wait_for_selector(".match")
    assert page.evaluate(
        "async () => (await fetch(`/api${location.pathname.replace('match', 'matches')}/give-up`, {method: 'POST', "
        "headers: {'Content-Type': 'application/json'}, body: '{}'})).ok"
    )
    page.reload()
    page.wait_for_selector(".outcome")
    page.goto(f"{here.address}/")
    page.get_by_role("button", name="See today’s result").tap()
    page.wait_for_url(daily)
    page.goto(f"{here.address}/")
    page.wait_for_selector(".begun li")
    assert page.locator(".begun li").count() == 2, "the daily game is one match"
    figures = page.locator(".so-far .record-part").all_inner_texts()
    assert [text.split() for text in figures] == [["played", "1"], ["found", "0%"]]

    page.evaluate("localStorage.setItem('oracular.daily', JSON.stringify({date: '2001-01-01', id: 'x', over: true}))")
    page.reload()
    page.get_by_role("button", name="Today’s word").wait_for()


def test_another_game_is_chosen_by_what_players_know_and_remembered(visit):
    here = visit()
    page = here.page
    page.goto(f"{here.address}/")
    assert not page.locator(".new-game").is_visible(), "choices fold away"
    here.choose("jotto-4-repeats", "guess")
    facts = page.locator(".facts")
    assert f"{len(game('jotto-4-repeats').secrets):,}" in facts.inner_text()
    begin = page.get_by_role("button", name="Play this game")
    assert began(page, begin.click) == {"game": "jotto-4-repeats", "mode": "guess"}

    page.goto(f"{here.address}/")
    page.locator(".other-games summary").click()
    page.wait_for_selector(".new-game")
    assert page.locator("input[name=letters]:checked").get_attribute("value") == "4"
    assert page.locator("input[name=repeats]").is_checked() and not page.locator("input[name=anagrams]").is_checked()
    page.check("input[name=mode][value=hide]")
    assert not page.locator("input[name=familiar]").count(), "what the computer hides is no question there"
    page.check("input[name=family][value=wordle]")
    assert f"{len(game('wordle').secrets):,}" in facts.inner_text()
    assert matchup_by_name("wordle").description("hide") in facts.inner_text()
    page.check("input[name=family][value=mastermind]")
    page.check("input[name=mode][value=duel]")
    begin.click()
    assert page.locator(".error:visible").inner_text() == "Type the code that the computer is to find."
    assert gets_focus(page, "#own-word")
    for colour in "1123":
        page.get_by_role("button", name=f"Colour {colour}").click()
    assert began(page, begin.click) == {"game": "mastermind-4x6", "mode": "duel", "word": "1123"}


def test_the_start_page_serves_those_who_use_the_keyboard(visit):
    here = visit()
    page = here.page
    keys = page.keyboard
    page.goto(f"{here.address}/")
    page.wait_for_selector(".play")

    def tab_to(selector: str) -> None:
        for _ in range(30):
            keys.press("Tab")
            if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
        raise AssertionError(f"{selector} is not reached with Tab")

    tab_to(".play")
    tab_to(".other-games summary")
    keys.press("Enter")
    page.wait_for_selector(".new-game")
    tab_to("input[name=letters]")
    keys.press("ArrowRight")  # from 5 around to 2
    page.wait_for_function("() => document.querySelector('input[name=letters]:checked').value === '2'")
    assert gets_focus(page, "input[name=letters]:checked")
    tab_to("button[type=submit]")
    assert began(page, lambda: keys.press("Enter"))["game"].startswith("jotto-2")


def test_the_worked_examples_are_true(visit):
    here = visit()
    here.page.goto(f"{here.address}/")
    shown = here.page.evaluate(EXAMPLES)
    assert {one["name"].partition("-")[0] for one in shown} == {"jotto", "wordle", "mastermind", "bulls"}
    for one in shown:
        assert one["lines"] == 3
        assert one["secret"] in game(one["name"]).secrets
        family, _, rules = one["name"].partition("-")
        every_word = game(f"jotto-{rules[0]}-repeats-anagrams" if family == "jotto" else one["name"])
        label = answer_to(every_word, one["guess"], one["secret"])
        told = here.page.evaluate(
            "async ([name, label]) => { const { games } = await (await fetch('/api/games')).json();"
            "const { answerInWords } = await import('/page/phrases.js');"
            "return answerInWords(games.find((game) => game.name === name), label); }",
            [one["name"], label],
        )
        assert one["answer"] == told, one


def test_advice_by_keyboard_alone_and_answers_that_contradict_each_other(visit):
    here = visit(viewport={"width": 320, "height": 568})
    page = here.page
    page.goto(f"{here.address}/suggest?game=jotto-2&history=ox:1")
    page.wait_for_selector(".suggestion")
    field = page.get_by_label("A word that was guessed")
    assert gets_focus(page, ".word-input")
    page.keyboard.type("ad")
    page.keyboard.press("Enter")
    assert gets_focus(page, "[data-answer='0']") and page.locator(".rows > li").count() == 1, "nothing is chosen yet"
    below = page.locator(".answer-keys").bounding_box()["y"] - field.bounding_box()["y"]
    assert 0 <= below < 160, "the answers stand right under the guess"
    field.focus()
    page.keyboard.press("1")
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length === 2")
    assert gets_focus(page, ".word-input"), "ready for the next guess"
    assert "history=ox" in page.url
    page.keyboard.type("ax")
    page.keyboard.press("2")
    page.get_by_role("heading", name="The game is over").wait_for()
    assert "Found in 3 guesses" in page.locator(".results").inner_text()
    assert not page.locator(".word-input").is_visible()
    page.reload()
    page.get_by_role("heading", name="The game is over").wait_for()
    page.get_by_role("button", name="Remove ax").click()
    page.wait_for_selector(".suggestion")

    page.goto(f"{here.address}/suggest?game=jotto-2&history=ox:0 ad:0 ox:1")
    page.get_by_role("heading", name="These answers cannot all be right").wait_for()
    assert not page.locator(".results").is_visible() and not page.locator(".error:visible").count(), "it is said once"
    page.locator("[data-amend='0:1']").click()
    page.wait_for_selector(".suggestion")
    assert "ox%3A1" in page.url or "ox:1" in page.url

    page.goto(f"{here.address}/suggest?game=nope&history=ox:1 ad:none")
    shown = page.locator(".suggest > .error").inner_text()
    assert "no game “nope”" in shown and "“ad:none”" in shown
    page.locator(".fold summary").click()
    page.check("input[name=family][value=bulls]")
    page.wait_for_function("() => location.search.includes('bulls-4x10')")
    page.goto(f"{here.address}/nowhere")
    assert "no page at this address" in page.locator("main .error").inner_text()


def test_a_solved_game_says_what_is_known_and_how(visit):
    here = visit(viewport={"width": 360, "height": 740})
    page = here.page
    page.goto(f"{here.address}/solved")
    page.wait_for_selector(".bars")
    assert page.locator("h1").inner_text().startswith("Jotto")

    page.goto(f"{here.address}/solved/jotto-2")
    page.wait_for_selector(".heat-map")
    assert "5.87 guesses on average" in page.locator(".lead").inner_text()
    assert "5.8726" in page.locator(".know .bounds").inner_text()
    starts = page.locator(".bars .bar").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().left)")
    assert len(starts) > 5 and len(set(starts)) == 1, "all bars start in one line"
    drawn = page.locator(".chart").get_attribute("aria-label")
    assert "guarantee (upper bound) from 8.000 to 5.873" in drawn and "lower bound 5.8726" in drawn
    lines = page.locator(".chart polyline").evaluate_all("lines => lines.map(line => line.getAttribute('points'))")
    for line in lines:
        across = [float(point.split(",")[0]) for point in line.split()]
        assert across == sorted(set(across)), "each step has a place of its own"

    page.goto(f"{here.address}/suggest?game=jotto-2")
    page.wait_for_selector(".suggestion")
    page.locator(".suggestion summary").first.click()
    starts = page.locator(".part-bar:visible").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().left)")
    assert len(starts) > 1 and len(set(starts)) == 1
    heights = page.locator(".expected").evaluate_all("all => all.map(one => one.getClientRects().length)")
    assert set(heights) == {1}, "≈ and its number stay on one line"
