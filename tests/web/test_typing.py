"""Whole games on the page by the keyboard on the screen, and by a real one wherever the focus is."""

from __future__ import annotations

from collections import Counter
from typing import Any

from oracular import game

from barriers import WIDE_FONT
from playing import PHONE, STANDARD, begin, drawn_secret, hold, marks, outside, tap, tap_guess, written

WINDOWS = [(320, 568), (360, 640), (390, 844), (768, 1024), (1280, 720)]
SHRUNKEN = [(320, 315), (360, 380), (390, 508), (640, 360)]
"""What a phone's own keyboard leaves of its window, and a phone on its side."""


COMPOSED = """() => {
    const input = document.querySelector(".word-input");
    const shown = () => [...document.querySelectorAll(".entry-filled")].map((one) => one.textContent).join("");
    input.value = "c4R";
    input.dispatchEvent(new InputEvent("input", {bubbles: true, isComposing: true}));
    const [meanwhile, drawn] = [input.value, shown().toLowerCase()];
    input.dispatchEvent(new CompositionEvent("compositionend", {bubbles: true}));
    return [meanwhile, drawn, input.value];
}"""
"""What is in the field while a phone's keyboard composes a word, what is seen of it, and what is left in the end."""

THUMBS = """moves => {
    for (const [pointerId, kind, key] of moves)
        document.querySelector(`[data-key=${key}]`).dispatchEvent(
            new PointerEvent(`pointer${kind}`, {pointerId, bubbles: true, cancelable: true, pointerType: "touch"}));
}"""
"""What several fingers do on the keys at once: which one, what, and where."""


def colours(guess: str, secret: str) -> list[str]:
    """What the colours of a guess in Wordle say of its letters."""
    others = Counter(letter for letter, right in zip(secret, guess, strict=True) if letter != right)
    marks = []
    for letter, right in zip(guess, secret, strict=True):
        if letter == right:
            marks.append("place")
        elif others[letter] > 0:
            others[letter] -= 1
            marks.append("elsewhere")
        else:
            marks.append("out")
    return marks


def test_jotto_is_played_to_the_end_by_tapping(visit):
    here = visit(**PHONE)
    page = here.page
    secret = drawn_secret(here, STANDARD)
    begin(here, STANDARD)
    assert page.locator(".word-input").get_attribute("inputmode") == "none", "the phone's own keyboard stays away"
    assert page.locator("h1").inner_text().startswith("Jotto")

    tap(page, "c", "r", "a")
    tap(page, "enter")
    refusal = page.locator(".below .error")
    assert refusal.inner_text() == "“CRA” is too short: write 2 more."
    assert outside(page, ".below .error", ".entry-cell", "[data-key]") == []
    tap(page, "erase", "erase")
    assert written(page) == "c" and not refusal.is_visible()
    page.evaluate(THUMBS, [[1, "down", "r"], [2, "down", "a"], [1, "over", "r"], [1, "up", "r"], [1, "down", "n"]])
    assert written(page) == "cra", "the letter of a thumb comes when the other one is put down"
    page.evaluate(THUMBS, [[2, "up", "a"], [2, "down", "x"], [2, "over", "z"], [2, "up", "z"], [1, "up", "n"]])
    assert written(page) == "cran", "a finger that slides off writes nothing, and takes nothing from the other"
    tap(page, *"es")
    assert written(page) == "crane", "a guess has five letters and no more"
    tap(page, "erase", *"q", "enter")
    refusal.wait_for()
    assert "cranq" in refusal.inner_text().lower() and written(page) == "cranq"
    tap(page, "erase", "e")
    tap(page, "enter")
    page.locator(".rows > li").wait_for()
    assert written(page) == ""

    none = next(word for word in ("jumbo", "fluff", "pygmy", "kitty", "waxed") if not set(word) & set(secret))
    tap_guess(page, none)
    assert "not in it" in page.locator(f"[data-key={none[0]}]").get_attribute("aria-label")
    plain = [word for word in ("crane", none) if not set(word) & set(secret)]
    assert marks(page) == dict.fromkeys("".join(plain), "out"), "no more than a line says plainly, unless one asks"
    page.get_by_label("Mark what is certain").check()
    proved = page.evaluate(
        "async () => (await fetch(`/api${location.pathname.replace('match', 'matches')}/sheet`)).json()"
    )
    page.wait_for_function(
        "count => document.querySelectorAll('[data-known]:not([data-known=open])').length === count",
        arg=sum(mark != "open" for mark in proved["symbols"].values()),
    )
    assert marks(page) == {letter: mark for letter, mark in proved["symbols"].items() if mark != "open"}
    page.get_by_label("Mark what is certain").uncheck()
    assert marks(page) == dict.fromkeys("".join(plain), "out")

    tap_guess(page, secret)
    assert page.locator(".outcome h2").inner_text() == "You found it in 3 guesses!"
    assert page.locator(".secret .word").get_attribute("aria-label") == secret
    assert "Find the computer's word" not in page.locator("main").inner_text()
    assert not page.locator(".typing").is_visible()
    page.evaluate("localStorage.removeItem('oracular.choice')")  # the first page has kept it if it was drawn in time
    before, begun = page.url, []
    page.on("request", lambda request: begun.append(request.url) if request.url.endswith("/matches") else None)
    page.get_by_role("button", name="Play again").evaluate("one => { one.click(); one.click(); }")
    page.wait_for_url(lambda url: url != before)
    page.locator(".typing").wait_for()
    assert len(begun) == 1, "a double tap begins one match"
    assert page.evaluate("localStorage.getItem('oracular.choice')") is None, "and chooses nothing on the first page"


def test_wordle_has_six_rows_and_colours_on_its_keys(visit):
    here = visit(**PHONE)
    page = here.page
    secret = drawn_secret(here, "wordle")
    wrong = [word for word in ("crane", "moist", "fudge", "blimp", "vivid", "hello", "waltz") if word != secret][:6]
    begin(here, "wordle")
    assert page.locator(".row-blank").count() == 5, "and the one that is written"
    known: dict[str, str] = {}
    for word in wrong[:5]:
        tap_guess(page, word)
        for letter, mark in zip(word, colours(word, secret), strict=True):
            known[letter] = max(mark, known.get(letter, "out"), key=["out", "elsewhere", "place"].index)
        assert marks(page) == known
    assert page.locator(".rows > li").count() == 5 and page.locator(".row-blank").count() == 0
    tap(page, *wrong[5], "enter")
    page.wait_for_selector(".outcome")
    assert page.locator(".outcome h2").inner_text() == "Not found in 6 guesses"
    assert page.locator(".secret .word").get_attribute("aria-label") == secret
    assert page.locator(".record").inner_text().split("\n") == ["played", "2", "found", "0%"], "one was given up"

    page.get_by_role("button", name="Play again").tap()
    page.locator(".typing").wait_for()
    assert marks(page) == {}
    tap_guess(page, wrong[0])
    tap_guess(page, secret)
    assert page.locator(".outcome h2").inner_text() == "You found it in 2 guesses!"
    assert page.locator(".rows > li").nth(1).locator(".tile-place").count() == 5
    assert page.locator(".spread-mine").inner_text().split() == ["2", "1"]


def test_a_guess_that_the_rule_forbids_is_refused_with_the_reason_and_costs_nothing(visit):
    here = visit(**PHONE)
    page = here.page
    secret = drawn_secret(here, "wordle-hard")
    first = next(word for word in game("wordle").secrets if word != secret and colours(word, secret)[0] == "place")
    other = next(word for word in game("wordle").secrets if word[0] != first[0])
    begin(here, "wordle-hard")
    tap_guess(page, first)
    tap(page, *other, "enter")
    refusal = page.locator(".below .error")
    refusal.wait_for()
    assert f"letter 1 must be {first[0].upper()}" in refusal.inner_text() and written(page) == other
    assert page.locator(".rows > li").count() == 1
    for _ in other:
        tap(page, "erase")
    tap_guess(page, secret)
    assert page.locator(".outcome h2").inner_text() == "You found it in 2 guesses!"


def test_mastermind_is_played_by_tapping_pegs(visit):
    here = visit(**PHONE)
    page = here.page
    secret = drawn_secret(here, "mastermind-4x6")
    begin(here, "mastermind-4x6")
    page.get_by_role("button", name="Colour 6").tap()
    assert written(page) == "6" and page.locator(".entry-filled .peg-6").count() == 1
    tap(page, "erase", *"112345")
    assert written(page) == "1123"
    tap(page, "enter")
    page.locator(".rows > li").wait_for()
    assert "in place" in (page.locator(".rows .keys").get_attribute("aria-label") or "")
    tap_guess(page, secret)
    assert page.locator(".outcome h2").inner_text() == "You found it in 2 guesses!"


PASTED = """text => {
    const input = document.querySelector(".word-input");
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", text);
    input.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
    return input.value;
}"""
"""What is in the field after a text was pasted."""


def typed_ahead(page: Any) -> None:
    """Assert that keys pressed while a guess is on its way write the next line, where it is not refused."""
    keys, held = page.keyboard, hold(page, "**/guess")
    reads = "text => { const input = document.querySelector('.word-input'); return input.value === text && %s }"
    for word, ahead in (("slimy", "worl"), ("zzzzz", "crane")):
        keys.type(word)
        keys.press("Enter")
        page.wait_for_function(reads % "input.readOnly", arg=word)
        keys.press("Enter")
        keys.type(ahead)
        if word == "slimy":
            keys.press("Backspace")
            page.evaluate("document.activeElement.blur()")
            tap(page, "l")
            keys.type("d")
        tap(page, "enter")
        keys.type("fu")
        assert written(page) == word
        let_go(page, held)
        if word == "slimy":
            page.wait_for_function(reads % "input.readOnly", arg="world")
            let_go(page, held)
            page.wait_for_function(reads % "!input.readOnly", arg="fu")
            keys.press("Backspace")
            keys.press("Backspace")
    page.locator(".below .error").wait_for()
    assert written(page) == "zzzzz", "what is refused stays, and nothing is written over it"
    guesses = page.locator(".rows .word").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert guesses == ["crank", "moist", "slimy", "world"]
    page.unroute("**/guess")
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in "Crane")
    assert [page.evaluate(PASTED, text) for text in ("naïve", wide, "12")] == ["naive", "crane", ""]


def let_go(page: Any, held: list[Any]) -> None:
    """Let the one request that is held back go on, when it is there."""
    while not held:
        page.evaluate("0")
    held.pop().continue_()


def test_keys_of_a_real_keyboard_go_to_the_guess_wherever_the_focus_is(visit):
    here = visit(viewport={"width": 1280, "height": 720})
    page, keys = here.page, here.page.keyboard
    begin(here, STANDARD, moves=[("guess", {"guess": "gummy"})])
    page.wait_for_function("() => document.activeElement.matches('.word-input')")
    page.get_by_label("Mark what is certain").check()
    page.wait_for_selector("[data-known=out]")
    keys.type("cr4 an-é12e.")
    assert written(page) == "crane", "letters of the game alone, and five of them"
    keys.press("ArrowLeft")
    keys.press("ArrowLeft")
    assert page.locator(".entry-next").inner_text() == "N", "the caret can be seen"
    keys.press("Backspace")
    keys.type("o")
    tap(page, "erase", "a")
    assert written(page) == "crane" and page.locator(".entry-next").inner_text() == "N", "and keys write where it is"
    keys.press("End")
    swallowed = """keys => keys.map((how) => !document.querySelector(".word-input").dispatchEvent(
        new KeyboardEvent("keydown", {bubbles: true, cancelable: true, ...how})))"""
    moves = [{"key": "ArrowLeft", "altKey": True}, {"key": "ArrowLeft", "metaKey": True}, {"key": "Home"}]
    assert page.evaluate(swallowed, moves) == [False, False, False], "Alt and the arrow go back a page"
    ring = page.locator(".column .field").evaluate("one => getComputedStyle(one).outlineStyle")
    assert ring == "solid", "the field shows that it has the focus"
    composed = page.evaluate(COMPOSED)
    assert composed == ["c4R", "cr", "cr"], "while a keyboard composes its text stays as it is"
    keys.type("ane")
    keys.press("Backspace")
    page.get_by_label("Mark what is certain").focus()
    keys.type("K")
    assert written(page) == "crank"
    page.get_by_role("button", name="Take back").click()
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length === 0")
    assert written(page) == "crank"
    assert marks(page) == {}, "what a move told is taken back with it"
    assert page.locator("#says").text_content() == "Taken back."
    keys.type("z")
    keys.press("Enter")
    page.locator(".rows > li").wait_for()
    assert page.locator(".rows .word").get_attribute("aria-label") == "crank", "Enter does not press the button again"
    page.evaluate("document.activeElement.blur()")
    keys.type("moist")
    page.evaluate("document.activeElement.blur()")
    keys.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length === 2")
    typed_ahead(page)

    def answer_all(route: Any) -> None:
        reply = route.fetch()
        match = reply.json()
        match["guesses"][-1]["answer"] = "5"
        route.fulfill(response=reply, json=match)

    page.route("**/guess", answer_all)
    assert not page.locator(".order").is_visible()
    keys.type("pudgy")
    keys.press("Enter")
    page.locator(".order").wait_for()
    assert page.locator(".order").inner_text() == "All 5 letters, in another order."
    assert "All 5 letters, in another order." in page.locator("#says").text_content()
    page.unroute("**/guess")
    tap(page, "a")
    assert not page.evaluate("document.activeElement.matches('[data-key]')"), "a click leaves the focus where it was"
    page.get_by_role("button", name="Give up").click()
    keys.type("bc")
    keys.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert written(page) == "a", "a dialog keeps what is typed"
    page.locator(".possible > summary").click()
    page.get_by_text("possible.").first.wait_for()
    keys.type("b")
    assert written(page) == "ab"

    def tab_to(selector: str, key: str = "Tab") -> None:
        for _ in range(30):
            keys.press(key)
            if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
        raise AssertionError(f"{selector} is not reached with {key}")

    tab_to("[data-key]")
    tab_to(".tool[title='Give up']", "Shift+Tab")
    keys.press("Enter")
    page.wait_for_selector("dialog[open]")
    tab_to("[data-yes]")
    keys.press("Enter")
    page.wait_for_selector(".outcome")
    assert page.evaluate("() => document.activeElement.textContent") == "You gave up"
    page.wait_for_function("() => document.getElementById('says').textContent.includes('You gave up')")


def test_notes_are_taken_on_the_keys(visit):
    here = visit(viewport={"width": 1280, "height": 720})
    page, keys = here.page, here.page.keyboard
    begin(here, STANDARD)
    z = page.locator("[data-key=z]")
    z.click(button="right")
    assert z.get_attribute("aria-label") == "Z: crossed off by you" and written(page) == ""
    z.hover()
    page.mouse.down()
    page.wait_for_function("() => document.querySelector('[data-key=z]').dataset.noted === 'in'")
    page.mouse.up()
    assert z.get_attribute("aria-label") == "Z: ringed by you" and written(page) == "", "a long press writes nothing"
    page.locator("[data-key=q]").focus()
    keys.press("ArrowRight")
    keys.press("ArrowDown")
    keys.press("Shift+Enter")
    assert page.evaluate("document.activeElement.dataset.key") == "s"
    assert page.locator("[data-key=s]").get_attribute("aria-label") == "S: crossed off by you"
    keys.press("Space")
    assert written(page) == "s"
    page.get_by_role("button", name="Notes", exact=True).click()
    tap(page, "s", "s", "k")
    assert written(page) == "s", "while the pencil is taken up, keys note"
    page.reload()
    page.wait_for_selector(".match")
    noted = page.locator("[data-noted]:not([data-noted=''])").evaluate_all("all => all.map(one => one.dataset.key)")
    assert sorted(noted) == ["k", "z"]
    page.get_by_role("button", name="Clear notes").click()
    assert page.locator("[data-noted]:not([data-noted=''])").count() == 0


def in_one_window(page: Any, windows: list[tuple[int, int]], *also: str) -> None:
    """Assert that lines, the guess, its refusal and all keys are in the window together, none upon another."""
    needed = (".rows > li:last-child .word", ".entry-cell", ".below .error", "[data-key]", *also)
    for width, height in windows:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            "([width, height]) => innerWidth === width && innerHeight === height", arg=[width, height]
        )
        page.wait_for_function(  # what is above has been measured again, and in a low window scrolled away
            "() => ['.typing', '.rows > li:last-child .word'].every((selector) =>"
            " document.querySelector(selector).getBoundingClientRect().bottom <= innerHeight + 0.5)"
        )
        assert outside(page, *needed) == [], f"{width} by {height}"
        apart = """() => {
            const box = (selector) => document.querySelector(selector).getBoundingClientRect();
            const [entry, error, keys] = [".field", ".below .error", ".typing"].map(box);
            const beside = keys.left >= entry.right;
            return error.top - entry.bottom < 400 && (beside || error.bottom <= keys.top + 1);
        }"""
        assert page.evaluate(apart), f"{width} by {height}: the refusal is at the guess, and covers no key"


def numbers_and_tools_keep_their_lines(page: Any) -> None:
    """Assert that on a phone each number is on one line, and that taking a move back leaves the tools in place."""
    page.set_viewport_size({"width": 390, "height": 844})
    lines = """all => all.map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return [one.textContent, range.getClientRects().length, one.scrollWidth <= one.clientWidth];
    })"""
    numbers = page.locator(".row > .number").evaluate_all(lines)
    assert numbers == [[str(place), 1, True] for place in range(1, 12)]
    tools = "all => all.map((one) => { const { x, y } = one.getBoundingClientRect(); return [x, y]; })"
    before = page.locator(".tool").evaluate_all(tools)
    page.get_by_role("button", name="Take back").tap()
    page.wait_for_function("() => document.querySelectorAll('.rows > li').length === 10 - 1")
    assert page.locator(".undone").text_content() == "taken back: 1"
    assert page.locator(".tool").evaluate_all(tools) == before


def test_lines_guess_refusal_and_keyboard_are_in_the_window_together(visit):
    here = visit(bypass_csp=True, reduced_motion="reduce", **PHONE)
    page = here.page
    many = ["crane", "moist", "hello", "gummy", "fluff", "world", "pudgy", "waltz", "vixen", "brick"]
    for name, words in ((STANDARD, many), ("wordle", ["crane"])):
        begin(here, name, moves=[("guess", {"guess": word}) for word in words])
        tap(page, *"zzzzz", "enter")
        page.locator(".below .error").wait_for()
        in_one_window(page, WINDOWS + SHRUNKEN)
        page.add_style_tag(content=WIDE_FONT)
        in_one_window(page, WINDOWS + SHRUNKEN)
        if name == STANDARD:
            numbers_and_tools_keep_their_lines(page)
    page.set_viewport_size({"width": 320, "height": 180})  # a laptop at 400 %: not all fits, and all can be scrolled to
    page.wait_for_function("() => innerHeight === 180 && scrollY > 0")
    for needed in ("[data-key=p]", "[data-key=enter]", ".top nav a[href='/suggest']"):
        page.locator(needed).scroll_into_view_if_needed()
        assert outside(page, needed) == []
    page.set_viewport_size({"width": 320, "height": 568})
    size = "keys => keys.map(key => key.getBoundingClientRect()).map(({width, height}) => [width, height])"
    sizes = page.locator(".typing-row").first.locator("[data-key]").evaluate_all(size)
    assert len(sizes) == 10 and all(width > 28 and height > 40 for width, height in sizes)


MOVED = """() => {
    window.moved = [];
    addEventListener("animationstart", (event) => moved.push(event.animationName));
}"""
"""Keeps the names of what has moved, however short it was."""


def test_motion_is_gentle_and_none_for_those_who_want_none(visit):
    for wanted in ("no-preference", "reduce"):
        here = visit(reduced_motion=wanted)
        page = here.page
        moves = wanted == "no-preference"
        begin(here, STANDARD)
        page.get_by_label("Mark what is certain").check()
        page.evaluate(MOVED)
        page.keyboard.type("ab")
        page.keyboard.press("Enter")
        page.locator(".below .error").wait_for()
        if moves:
            page.wait_for_function("() => moved.includes('shake')")
        page.keyboard.type("out")
        with page.expect_response("**/sheet"):
            page.keyboard.press("Enter")
        page.locator("[data-key=b]").click(button="right")
        assert page.locator(".row-fresh .mark-out").count() == 1, "neither a proof nor a note draws the line again"
        turning = page.locator(".row-fresh > .count").evaluate("one => getComputedStyle(one).animationName")
        assert turning == ("turn" if moves else "none")
        assert moves or page.evaluate("() => moved") == []
        page.reload()
        page.wait_for_selector(".rows > li")
        assert page.locator(".row-fresh").count() == 0, "what was there before does not turn"
