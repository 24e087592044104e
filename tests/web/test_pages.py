"""The start page, advice and solved pages in a real browser, used as people would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from oracular import game
from oracular.play.deductions import answer_to
from oracular.play.opponent import matchup_by_name
from oracular.report import picture

from barriers import PALE_CURVES, in_theme
from chromium import Visit
from playing import STANDARD, post
from walking import walk_to

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
EXAMPLES = """async () => {
    const { howToPlay } = await import("/page/howto.js");
    const { games } = await (await fetch("/api/games")).json();
    const { answerInWords } = await import("/page/phrases.js");
    const alike = Object.groupBy(games, ({ family, letters }) => `${family} ${letters}`);
    return Object.values(alike).map((same) => {
        const [game] = same;
        const drawn = howToPlay(game);
        const [guess, secret] = drawn.querySelectorAll(".word, .example-secret");
        const spelled = (one) => (one?.ariaLabel ?? one?.textContent ?? "").replaceAll(" ", "").toLowerCase();
        const answer = drawn.querySelector(".count, .keys, .unseen");
        return {
            name: game.name, lines: drawn.querySelectorAll("li").length, guess: spelled(guess),
            secret: spelled(secret), answer: answer?.ariaLabel ?? answer?.textContent,
            names: same.map(({ name }) => name),
            labels: Object.fromEntries(game.labels.map((label) => [label, answerInWords(game, label)])),
        };
    });
}"""


@pytest.fixture(scope="module")
def window(chromium: Any, address: str) -> Iterator[Visit]:
    """Give a browser that has loaded the page already."""
    visit = Visit(chromium, address)
    visit.page.goto(f"{address}/")
    yield visit
    visit.close()


@pytest.fixture
def here(window: Visit) -> Iterator[Visit]:
    """Give that browser with nothing in its storage; in the end it may not have complained."""
    window.page.evaluate("localStorage.clear()")
    window.page.set_viewport_size({"width": 1280, "height": 720})
    yield window
    window.page.unroute_all()
    complaints = window.complaints.copy()
    window.complaints.clear()
    assert complaints == []


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

    walk_to(page, "/", ".daily")
    assert began(page, page.locator(".daily").tap) == {"daily": True}
    daily = page.url
    walk_to(page, "/", ".daily")
    page.get_by_role("button", name="Go on with today’s word").tap()
    page.wait_for_url(daily)
    page.wait_for_selector(".match")
    post(page, f"/api/matches/{daily.rpartition('/')[2]}/give-up", {})
    page.reload()
    page.wait_for_selector(".outcome")
    walk_to(page, "/", ".daily")
    page.get_by_role("button", name="See today’s result").tap()
    page.wait_for_url(daily)
    walk_to(page, "/", ".daily")
    page.wait_for_selector(".begun li")
    assert page.locator(".begun li").count() == 2, "the daily game is one match"
    figures = page.locator(".so-far .record-part").all_inner_texts()
    assert [text.split() for text in figures] == [["played", "1"], ["found", "0%"]]

    page.evaluate("localStorage.setItem('oracular.daily', JSON.stringify({date: '2001-01-01', id: 'x', over: true}))")
    page.reload()
    page.get_by_role("button", name="Today’s word").wait_for()


def test_the_day_is_that_of_the_server_and_its_end_is_told_as_the_clocks_here_show_it(visit):
    here = visit(timezone_id="Asia/Kolkata")
    page = here.page
    days = ["2031-05-05"]
    page.route("**/api/daily", lambda route: route.fulfill(json={"date": days[-1]}))
    page.goto(f"{here.address}/")
    page.evaluate(
        """([key, kept]) => localStorage.setItem(key, JSON.stringify(kept))""",
        [
            "oracular.statistics",
            {
                "games": {STANDARD: {"played": 3, "found": 3, "guesses": 12, "distribution": {"4": 3}}},
                "daily": {"last": "2031-05-05", "streak": 3, "best": 3},
            },
        ],
    )
    page.evaluate("localStorage.setItem('oracular.daily', JSON.stringify({date: '2031-05-05', id: 'x', over: true}))")
    page.reload()
    page.get_by_role("button", name="See today’s result 5 May, until 05:30").wait_for()
    figures = page.locator(".so-far .record-part").all_inner_texts()
    assert ["days", "in", "a", "row", "3"] in [text.split() for text in figures]
    days.append("2031-05-06")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_role("button", name="Today’s word 6 May").wait_for()
    page.evaluate("localStorage.setItem('oracular.daily', JSON.stringify({date: '2031-05-06', id: 'x', over: true}))")
    days.append("2031-05-07")
    assert began(page, page.locator(".daily").click) == {"daily": True}, "it is a new day already"


def test_what_is_kept_in_the_browser_may_be_damaged(here):
    page = here.page
    kept = ["games", "daily", "choice", "theme", "marks.x", "statistics"]
    match = post(page, "/api/matches", {"game": "jotto-2", "mode": "guess"})
    for broken in (
        "nonsense",
        "null",
        '[null, 5, {"id": 1, "mode": "guess"}]',
        '{"date": 5, "letters": "x", "family": 7}',
    ):
        page.evaluate(
            "([names, text]) => names.forEach((name) => localStorage.setItem(`oracular.${name}`, text))",
            [[*kept, f"marks.{match['id']}"], broken],
        )
        walk_to(page, "/", ".daily")
        assert not page.locator(".begun").count()
        page.locator(".other-games summary").click()
        page.wait_for_selector(".new-game")
        for name, value in {"family": "jotto", "letters": "5", "mode": "guess"}.items():
            assert page.locator(f"input[name={name}]:checked").get_attribute("value") == value
        walk_to(page, f"/match/{match['id']}", ".match")
    walk_to(page, "/", ".daily")
    page.wait_for_selector(".begun li")


def test_trouble_is_named_for_what_it_is(here):
    page = here.page
    answered = """async () => {
        const { ask } = await import("/page/api.js");
        return await ask("/api/daily").catch((error) => error.constructor.name);
    }"""
    page.route("**/api/daily", lambda route: route.fulfill(body='{"date": "20', content_type="application/json"))
    assert page.evaluate(answered) == "ServerGone", "a reply that broke off is none"
    page.unroute("**/api/daily")
    page.wait_for_selector("#banner", state="hidden")
    page.route("**/api/daily", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    assert page.evaluate(answered) == "RequestError"

    page.route("**/api/games", lambda route: route.abort())
    page.goto(f"{here.address}/suggest")
    page.get_by_role("heading", name="No answer").wait_for()
    page.unroute("**/api/games")
    page.wait_for_selector(".suggest")
    page.route("**/api/games", lambda route: route.fulfill(json={"games": [None]}))
    page.goto(f"{here.address}/suggest")
    page.get_by_role("heading", name="Something went wrong").wait_for()
    assert page.locator("main .error").inner_text().startswith("Something went wrong on this page. Load it again")
    assert any("TypeError" in complaint for complaint in here.complaints), "who mends it is told more"
    here.complaints.clear()
    page.unroute_all()
    page.goto(f"{here.address}/")  # with what the server says


def test_another_game_is_chosen_by_what_players_know_and_remembered(here):
    page = here.page
    walk_to(page, "/", ".daily")
    assert not page.locator(".new-game").is_visible(), "choices fold away"
    here.choose("jotto-4-repeats", "guess")
    facts = page.locator(".facts")
    assert f"{len(game('jotto-4-repeats').secrets):,}" in facts.inner_text()
    begin = page.get_by_role("button", name="Play this game")
    assert began(page, begin.click) == {"game": "jotto-4-repeats", "mode": "guess"}

    walk_to(page, "/", ".daily")
    page.locator(".other-games summary").click()
    page.wait_for_selector(".new-game")
    assert page.locator("input[name=letters]:checked").get_attribute("value") == "4"
    assert page.locator("input[name=repeats]").is_checked() and not page.locator("input[name=anagrams]").is_checked()
    page.check("input[name=mode][value=hide]")
    assert not page.locator("input[name=familiar]").count(), "what the computer hides is no question there"
    page.check("input[name=family][value=wordle]")
    assert f"{len(game('wordle').secrets):,}" in facts.inner_text()
    assert matchup_by_name("wordle").description("hide") in facts.inner_text()
    page.check("input[name=rule][value=hard]")
    assert gets_focus(page, "input[name=rule]:checked") and "keeps to the rule" in facts.inner_text()
    page.check("input[name=mode][value=guess]")
    assert matchup_by_name("wordle-hard").rule in facts.inner_text()
    page.check("input[name=family][value=mastermind]")
    assert page.locator("input[name=rule]:checked").get_attribute("value") == "any", "only Wordle has a hard mode"
    page.check("input[name=mode][value=duel]")
    begin.click()
    assert page.locator(".error:visible").inner_text() == "Type the code that the computer is to find."
    assert gets_focus(page, "#own-word")
    for colour in "1123":
        page.get_by_role("button", name=f"Colour {colour}").click()
    assert began(page, begin.click) == {"game": "mastermind-4x6", "mode": "duel", "word": "1123", "begins": "you"}


def test_the_start_page_serves_those_who_use_the_keyboard(here):
    page = here.page
    keys = page.keyboard
    walk_to(page, "/", ".daily")
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


def test_the_worked_examples_are_true(here):
    shown = here.page.evaluate(EXAMPLES)
    assert {one["name"].partition("-")[0] for one in shown} == {"jotto", "wordle", "mastermind", "bulls"}
    for one in shown:
        assert one["lines"] == 3
        for name in one["names"]:  # what neither repeats nor anagrams keep out, they let in
            assert any(rule in name for rule in ("repeats", "anagrams")) or one["secret"] in game(name).secrets
        family, _, rules = one["name"].partition("-")
        every_word = game(f"jotto-{rules[0]}-repeats-anagrams" if family == "jotto" else one["name"])
        label = answer_to(every_word, one["guess"], one["secret"])
        assert one["answer"] == one["labels"][label], one


def test_advice_says_how_the_word_is_assumed_to_be_chosen(here):
    page = here.page
    page.set_viewport_size({"width": 390, "height": 844})
    walk_to(page, "/suggest?game=jotto-2&history=ox:1", ".suggestion")
    assert page.get_by_text("Assumes that all secrets are equally likely.").is_visible()
    assert page.get_by_text("Who chose the word?").is_visible(), "it is not folded away"
    page.get_by_label("Our computer").check()
    page.get_by_text("Assumes that the computer chose the secret with care").wait_for()
    assert "hider=shipped" in page.url
    walk_to(page, "/suggest?game=wordle&history=crane:--gg- guava:ggg--", ".suggestion")
    assert page.get_by_text("No word of the list fits these answers").is_visible()
    assert page.locator(".left-word").all_inner_texts() == ["guano", "guans"]
    assert "These figures are exact." in page.locator(".advice").inner_text()


def test_advice_by_keyboard_alone_and_answers_that_contradict_each_other(here):
    page = here.page
    page.set_viewport_size({"width": 320, "height": 568})
    walk_to(page, "/suggest?game=jotto-2&history=ox:1", ".suggestion")
    field = page.get_by_label("A word that was guessed")
    assert gets_focus(page, ".word-input")
    page.keyboard.type("ad")
    page.keyboard.press("Enter")
    assert gets_focus(page, "[data-answer='0']") and page.locator(".rows > li").count() == 1, "nothing is chosen yet"
    below = page.locator(".answer-keys").bounding_box()["y"] - field.bounding_box()["y"]
    assert 0 <= below < 160, "the answers stand right under the guess"
    field.focus()
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/suggest", hold)
    page.evaluate("for (const _ of [1, 2]) document.querySelector(\"[data-answer='1']\").click()")
    page.wait_for_selector("[inert]")
    while not held:  # the request may be told of later than the page shows that it waits
        page.wait_for_timeout(20)
    for route in held:
        route.continue_()
    page.unroute("**/api/suggest")
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length > 1")
    assert len(held) == 1 and page.locator(".rows > li").count() == 2, "pressed twice, it is added once"
    assert gets_focus(page, ".word-input"), "ready for the next guess"
    assert "history=ox" in page.url
    page.keyboard.type("zq")
    page.keyboard.press("2")
    assert "'zq'" in page.locator(".under .error:visible").inner_text() and gets_focus(page, ".word-input")
    assert page.locator(".rows > li").count() == 2 and "zq" not in page.url
    field.fill("ax")
    page.keyboard.press("2")
    page.get_by_role("heading", name="The game is over").wait_for()
    assert gets_focus(page, ".results h2")
    assert "Found in 3 guesses" in page.locator(".results").inner_text()
    assert not page.locator(".word-input").is_visible()
    page.reload()
    page.get_by_role("heading", name="The game is over").wait_for()
    page.get_by_role("button", name="Remove ax").click()
    page.wait_for_selector(".suggestion")

    walk_to(page, "/suggest?game=jotto-2&history=ox:0 ad:0", ".suggestion")
    page.keyboard.type("ox")
    page.keyboard.press("1")
    page.get_by_role("heading", name="These answers cannot all be right").wait_for()
    assert gets_focus(page, ".alarm h2")
    assert page.locator("#says").inner_text().strip() == page.locator(".alarm h2").inner_text()
    assert not page.locator(".results").is_visible() and not page.locator(".error:visible").count(), "it is said once"
    page.locator("[data-amend='0:1']").click()
    page.wait_for_selector(".suggestion")
    assert "ox%3A1" in page.url or "ox:1" in page.url
    assert gets_focus(page, ".word-input"), "the focus goes on where the button was that is gone"

    walk_to(page, "/suggest?game=jotto-2&history=ox:0 ox:1 ad:0 ad:1", ".alarm")
    assert page.locator(".alarm p").inner_text().endswith("remove those that are wrong, then type them again.")
    assert page.get_by_role("button", name="Remove ").count() == 4, "what it says can be done"
    page.go_back()
    page.wait_for_selector(".suggestion")
    page.locator(".top nav").get_by_role("link", name="Advice").click()
    page.wait_for_function("() => !document.querySelector('.rows > li')")
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length === 3")

    walk_to(page, "/suggest?game=jotto-2&history=ox:1 ad:0", ".suggestion")
    page.get_by_label("Within a limit").check(force=True)
    page.get_by_text("how likely it is found within 6 guesses, those made included").wait_for()
    page.get_by_label("Guesses in all").select_option("3")
    page.get_by_text("found within 3 guesses").wait_for()
    assert page.locator(".suggestion .expected strong").first.inner_text().endswith("%") and "aim=within-3" in page.url
    page.get_by_label("Guesses in all").select_option("2")
    page.get_by_text("The 2 guesses are used").wait_for()
    page.reload()
    page.get_by_text("The 2 guesses are used").wait_for()

    walk_to(page, "/suggest?game=nope&history=ox:1 ad:none&aim=far", ".suggest")
    shown = page.locator(".suggest > .error").inner_text()
    assert "no game “nope”" in shown and "“ad:none”" in shown and "“far” is no aim" in shown
    page.locator("main .fold summary").click()
    page.check("input[name=family][value=bulls]")
    page.wait_for_function("() => location.search.includes('bulls-4x10')")
    walk_to(page, "/nowhere", ".error")
    assert "no page at this address" in page.locator("main .error").inner_text()
    assert page.locator("h1").inner_text() == "Not here"


def test_a_solved_game_says_what_is_known_and_how(here):
    page = here.page
    page.set_viewport_size({"width": 360, "height": 740})
    another = f"{here.address}/api/solved/jotto-2"  # less to work out
    asked: list[str] = []

    def instead(route: Any) -> None:
        asked.append(route.request.url.rpartition("/")[2])
        route.continue_(url=another)

    page.route("**/api/solved/*", instead)
    walk_to(page, "/solved", ".bars")
    assert asked[0] in {STANDARD, "jotto-5"}
    page.wait_for_selector(".bars")
    page.unroute("**/api/solved/*")

    walk_to(page, "/solved/jotto-2#how-do-we-know", ".heat-map")
    assert gets_focus(page, ".know-head") and 0 <= page.locator(".know-head").bounding_box()["y"] < 740
    page.locator(".foot summary").click()
    assert "before your first guess" in page.locator(".foot details p").inner_text()
    page.evaluate("scrollTo(0, 300)")
    page.evaluate("document.querySelector('.brand').click()")
    page.wait_for_selector(".home")
    page.go_back()
    page.wait_for_function("() => document.querySelector('.heat-map') && scrollY === 300")
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

    colours = {"line-guarantee": picture.GUARANTEE, "level": picture.LOWER_BOUND}
    for theme in ("light", "dark"):
        in_theme(page, theme)
        assert page.evaluate(PALE_CURVES) == []
        drawn = {name: page.locator(f".{name}").evaluate("one => getComputedStyle(one).stroke") for name in colours}
        wanted = {name: f"rgb{tuple(bytes.fromhex(colour[1:]))}" for name, colour in colours.items()}
        assert (drawn == wanted) == (theme == "light"), "the colours of all pictures, where they can be seen"

    walk_to(page, "/suggest?game=jotto-2", ".suggestion")
    page.locator(".suggestion summary").first.click()
    starts = page.locator(".part-bar:visible").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().left)")
    assert len(starts) > 1 and len(set(starts)) == 1
    heights = page.locator(".expected").evaluate_all("all => all.map(one => one.getClientRects().length)")
    assert set(heights) == {1}, "≈ and its number stay on one line"
