"""The page holds with any font, however wide and however large: nothing is cut off and nothing scrolls sideways."""

from __future__ import annotations

from typing import Any

import pytest

from chromium import Visit

WIDTHS = (320, 360, 390, 768, 1280)
MORE_WIDTHS = (320, 340, 360, 390, 414, 480, 540, 600, 768, 820, 1024, 1100, 1280, 1440, 1920)
WIDE_FONT = '* { font-family: "DejaVu Sans Mono", monospace !important; letter-spacing: 0.08em !important }'
LARGE_TEXT = "html { font-size: 200% !important }"
STYLES = {"as it is": "", "wide font": WIDE_FONT, "large text": LARGE_TEXT, "both": WIDE_FONT + LARGE_TEXT}
FEWER_STYLES = {"wide font": WIDE_FONT, "large text": LARGE_TEXT}

STICKS_OUT = """() => {
    const framed = ".paper, .panel, button, .button, .choice label, .dialog, .top, .sum-part, .row";
    const name = (one) => `${one.tagName.toLowerCase()}.${[...one.classList].join(".")}`;
    const style = new Map();
    const styleOf = (one) => style.get(one) ?? style.set(one, getComputedStyle(one)).get(one);
    const bounded = (one) => styleOf(one).overflowX !== "visible" || styleOf(one).clipPath !== "none";
    const found = new Set();
    const look = (one) => {
        if (!one.checkVisibility()) return;
        const box = one.getBoundingClientRect();
        if (styleOf(one).clipPath !== "none" || box.bottom < 0) return; // unseen, or the link above the page
        const frame = one.parentElement.closest(framed)?.getBoundingClientRect();
        if (box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5)) found.add(`${name(one)} of the window`);
        else if (frame && box.right > frame.right + 1) found.add(`${name(one)} of its frame`);
        else if (!bounded(one) && one.scrollWidth > one.clientWidth + 1 && one.childElementCount === 0
            && styleOf(one).display !== "inline") found.add(`the text of ${name(one)}`);
        if (!bounded(one) && one.tagName !== "svg") [...one.children].forEach(look);
    };
    [...document.body.children].forEach(look);
    return [document.scrollingElement.scrollWidth, [...found]];
}"""
"""What is to be seen further right than the window, or than the paper, panel, row or button that it stands in."""


def holds(page: Any, widths: tuple[int, ...] = WIDTHS, styles: dict[str, str] = FEWER_STYLES) -> None:
    """Assert that nothing sticks out of the page as it stands, at any width and in any style."""
    page.evaluate("scrollTo(0, 0)")
    forced = page.add_style_tag(content="/* what is forced upon the page */")
    before = page.viewport_size
    for name, style in styles.items():
        forced.evaluate("(tag, style) => { tag.textContent = style }", style)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 740})
            page.wait_for_function("width => innerWidth === width", arg=width)
            reach, sticks_out = page.evaluate(STICKS_OUT)
            assert (sticks_out, reach) == ([], width), f"{page.url} with {name}, {width} pixels wide"
    forced.evaluate("tag => tag.remove()")
    page.set_viewport_size(before)


def answer_until_it_cannot_be(page: Any, answer: str | None) -> None:
    """Give the computer one and the same answer until the answers contradict each other."""
    while not page.locator(".alarm").is_visible():
        made = page.locator(".rows > li").count()
        if answer is None:
            page.get_by_role("button", name="Give this answer").click()
        else:
            page.locator(f".answer-place [data-answer='{answer}']").click()
        page.wait_for_function("made => document.querySelectorAll('.rows > li').length === made", arg=made + 1)


def opened(visit: Any) -> Visit:
    return visit(bypass_csp=True, reduced_motion="reduce")  # the page itself allows no style but its own


def test_nothing_sticks_out_whatever_the_font(visit):
    here = opened(visit)
    page = here.page
    here.begin("mastermind-4x6", "guess")
    here.guess("1123")
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector(".suggestion")
    page.locator(".suggestion summary").first.click()
    page.get_by_label("Your guess", exact=True).fill("11")
    holds(page)
    page.get_by_role("button", name="Give up").click()
    page.locator("[data-yes]").click()
    page.get_by_role("button", name="Review this game").click()
    page.wait_for_selector(".review-table")
    holds(page)

    here.begin("jotto-2", "duel", "ox")
    page.get_by_label("Show what is provable").check()
    here.guess("ad")
    page.get_by_text("possible.").first.wait_for()
    holds(page)
    here.begin("bulls-4x10", "hide")
    answer_until_it_cannot_be(page, "0.0")
    holds(page)
    page.locator(".rows .change").first.click()
    page.wait_for_selector("dialog[open]")
    holds(page)
    here.begin("wordle", "hide")
    page.get_by_role("button", name="Give this answer").click()
    page.locator(".rows > li").wait_for()
    holds(page)

    page.goto(f"{here.address}/")
    page.check("input[name=family][value=mastermind]")
    page.check("input[name=mode][value=duel]")
    assert page.locator(".begun li").count() == 4
    holds(page)
    page.goto(f"{here.address}/suggest?game=bulls-4x10&history=0123:1.1")
    page.wait_for_selector(".suggestion")
    page.locator(".word-input").fill("0123")
    page.wait_for_selector("[data-answer]")
    holds(page)
    page.goto(f"{here.address}/solved/jotto-2")
    page.wait_for_selector(".heat-map")
    holds(page)
    page.goto(f"{here.address}/nowhere")
    page.wait_for_selector("main .error")
    holds(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words", "own", "wrong", "history"),
    [
        ("jotto-5", ("giant", "pecan"), "crypt", "0", "giant:1 pecan:2"),
        ("mastermind-4x6", ("1123", "4152"), "1234", "0.1", "1123:1.1 4152:0.2"),
        ("bulls-4x10", ("0123", "4567"), "1234", "0.1", "0123:1.1 4567:0.2"),
        ("wordle", ("crane", "slipt"), "crypt", None, "crane:-y---"),
    ],
)
def test_nothing_sticks_out_of_any_game_in_any_way_to_play(visit, name, words, own, wrong, history):
    here = opened(visit)
    page = here.page

    def all_of_it_holds() -> None:
        holds(page, MORE_WIDTHS, STYLES)

    for mode in ("guess", "duel"):
        here.begin(name, mode, own if mode == "duel" else None)
        for word in words:
            if not page.locator(".outcome").is_visible():
                here.guess(word)
        page.get_by_label("Show what is provable").check()
        page.get_by_role("button", name="Hint").click()
        page.wait_for_selector(".suggestion")
        page.locator(".suggestion summary").first.click()
        page.get_by_label("Your guess", exact=True).fill("8" * 12)
        page.keyboard.press("Enter")
        page.wait_for_selector(".under .error:visible")
        all_of_it_holds()
        page.get_by_role("button", name="Give up").click()
        page.wait_for_selector("dialog[open]")
        all_of_it_holds()
        page.locator("[data-yes]").click()
        page.get_by_role("button", name="Review this game").click()
        page.wait_for_selector(".review-table")
        all_of_it_holds()
    here.begin(name, "hide")
    all_of_it_holds()
    answer_until_it_cannot_be(page, wrong)
    all_of_it_holds()
    page.locator(".rows .change").first.click()
    page.wait_for_selector("dialog[open]")
    all_of_it_holds()
    page.goto(f"{here.address}/suggest?game={name}&history={history}")
    page.wait_for_selector(".suggestion")
    page.locator(".word-input").fill(words[0])
    page.wait_for_selector("[data-answer]")
    all_of_it_holds()
    page.goto(f"{here.address}/")
    page.check(f"input[name=family][value={name.partition('-')[0]}]")
    page.check("input[name=mode][value=duel]")
    all_of_it_holds()
    page.goto(f"{here.address}/solved/{name}")
    page.wait_for_selector(".solved")
    if name == "jotto-5":
        page.wait_for_selector(".heat-map")
    all_of_it_holds()
