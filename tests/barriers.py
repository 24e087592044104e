"""What keeps people from reading or using a page: looked for in a real browser, on the page as it stands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

AXE = Path(sys.prefix) / "axe.min.js"
"""Where `make test` puts axe-core, which it gets from npm."""

WIDE_FONT = '* { font-family: "DejaVu Sans Mono", monospace !important; letter-spacing: 0.08em !important }'
LARGE_TEXT = "html { font-size: 200% !important }"

STICKS_OUT = """() => {
    const framed = ".paper, .panel, button, .button, .choice label, .dialog, .top, .sum-part, .row, .new-game";
    const name = (one) => `${one.tagName.toLowerCase()}.${[...one.classList].join(".")}`;
    const style = new Map();
    const styleOf = (one) => style.get(one) ?? style.set(one, getComputedStyle(one)).get(one);
    const bounded = (one) => styleOf(one).overflowX !== "visible" || styleOf(one).clipPath !== "none";
    const pen = document.createElement("canvas").getContext("2d");
    const cut = (one) => {
        if (one.tagName === "SELECT") {
            const { font, letterSpacing } = styleOf(one);
            pen.font = font;
            pen.letterSpacing = letterSpacing;
            return pen.measureText(one.selectedOptions[0]?.text ?? "").width + 24 > one.clientWidth;
        }
        if (one.tagName === "INPUT") return one.type === "text" && one.scrollWidth > one.clientWidth + 1;
        const hides = ["hidden", "clip"].includes(styleOf(one).overflowX);
        return hides && one.textContent.trim() !== "" && one.scrollWidth > one.clientWidth + 1;
    };
    const text = document.createRange();
    const found = new Set();
    const look = (one) => {
        if (!one.checkVisibility()) return;
        const box = one.getBoundingClientRect();
        if (styleOf(one).clipPath !== "none" || box.bottom < 0) return; // unseen, or the link above the page
        const frame = one.parentElement.closest(framed)?.getBoundingClientRect();
        if (box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5)) found.add(`${name(one)} of the window`);
        else if (frame && box.right > frame.right + 1) found.add(`${name(one)} of its frame`);
        else if (!bounded(one) && one.childElementCount === 0 && styleOf(one).display !== "inline") {
            text.selectNodeContents(one);
            if (text.getBoundingClientRect().width > box.width + 1) found.add(`the text of ${name(one)}`);
        }
        if (cut(one)) found.add(`${name(one)}: its text is cut`);
        if (!bounded(one) && one.tagName !== "svg") [...one.children].forEach(look);
    };
    [...document.body.children].forEach(look);
    return [document.scrollingElement.scrollWidth, [...found]];
}"""
"""What is to be seen further right than the window, or than the paper, panel, row or button that it stands in."""

OVERLAPS = """() => {
    const lines = [];
    const seen = new Map();
    const clipped = (one) => seen.get(one) ?? seen.set(one, one !== null
        && (getComputedStyle(one).clipPath !== "none" || clipped(one.parentElement))).get(one);
    const windows = new Map(); // what is scrolled out of sight covers nothing
    const scrolls = (one) =>
        windows.get(one) ?? windows.set(one, getComputedStyle(one).overflowY !== "visible").get(one);
    const inSight = ({ top, right, bottom, left }, within) => {
        for (let at = within; at !== document.body; at = at.parentElement) {
            if (!scrolls(at)) continue;
            const box = at.getBoundingClientRect();
            [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
            [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        }
        return { top, right, bottom, left };
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
        const text = walker.currentNode;
        const within = text.parentElement;
        if (!text.data.trim() || !within.checkVisibility()) continue;
        if (within.closest(".skip, dialog, svg") || clipped(within)) continue;
        range.selectNodeContents(text);
        for (const box of range.getClientRects()) {
            const shown = inSight(box, within);
            if (shown.right - shown.left < 1 || shown.bottom - shown.top < 1) continue;
            lines.push([shown, within, text.data.trim()]);
        }
    }
    lines.sort(([one], [other]) => one.top - other.top);
    const found = [];
    lines.forEach(([one, within, text], index) => {
        for (const [other, elsewhere, words] of lines.slice(index + 1)) {
            if (other.top >= one.bottom) break;
            const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const down = Math.min(one.bottom, other.bottom) - other.top;
            const least = Math.min(one.bottom - one.top, other.bottom - other.top) * 0.4; // two lines touch a little
            if (across > 1.5 && down > least && within !== elsewhere) found.push(`“${text}” and “${words}”`);
        }
    });
    return found;
}"""
"""Texts that lie upon each other; what a dialog covers is meant to be covered."""

PALE = """() => {
    const number = (text) => text.match(/[\\d.e-]+/g).map(Number);
    const channels = (colour) => { // whatever the browser calls it, as red, green, blue and how much it covers
        const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
        return [red, green, blue, alpha / 255];
    };
    const seen = new Map();
    const read = (colour) => seen.get(colour) ?? seen.set(colour, channels(colour)).get(colour);
    const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
    const light = (colour) => {
        const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        const [r, g, b] = colour.map((part) => linear(part / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const ratio = (one, other) => {
        const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
        return high / low;
    };
    const ground = (one) => {
        const upwards = [];
        for (let at = one; at; at = at.parentElement) upwards.unshift(read(getComputedStyle(at).backgroundColor));
        return upwards.reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
    };
    const name = ({ tagName, className, textContent }) =>
        `${tagName.toLowerCase()} ${className} “${textContent.slice(0, 20)}”`;
    const found = new Set();
    const faint = (value, what) => value < 3 && found.add(`${what}: ${value.toFixed(2)}`);
    for (const one of document.querySelectorAll("input, select, button, .button, .choice label")) {
        if (!one.checkVisibility({ opacityProperty: true }) || one.disabled || one.closest(".unseen, .skip")) continue;
        const style = getComputedStyle(one);
        const behind = ground(one.parentElement);
        const inside = ground(one);
        const sides = ["Top", "Right", "Bottom", "Left"].filter((side) => parseFloat(style[`border${side}Width`]) > 0);
        const edges = sides.map((side) => read(style[`border${side}Color`])).filter(([, , , alpha]) => alpha > 0);
        // The edge tells where it is, or the ground within does.
        const best = Math.max(...edges.map((edge) => ratio(over(edge, behind), behind)), ratio(inside, behind));
        if (edges.length > 0) faint(best, `the edge of ${name(one)}`);
        if (one.placeholder && !one.value) {
            const written = getComputedStyle(one, "::placeholder");
            const [r, g, b, alpha] = read(written.color);
            const pale = over([r, g, b, alpha * number(written.opacity)[0]], inside);
            faint(ratio(pale, inside), `what ${name(one)} asks for`);
        }
        const before = document.activeElement;
        one.focus({ preventScroll: true, focusVisible: true });
        const focused = one.closest(".choice")?.querySelector("label") ?? one;
        const ring = getComputedStyle(focused);
        const line = ring.outlineStyle === "none" ? ring.borderBottomColor : ring.outlineColor;
        faint(ratio(over(read(line), behind), behind), `the ring around ${name(one)}`);
        before?.focus?.({ preventScroll: true });
    }
    return [...found];
}"""
"""Edges, placeholders and focus rings with less than 3 : 1 of contrast to what is behind them."""

JARGON = """words => {
    const found = [];
    const look = (node) => {
        if (node.nodeType === Node.TEXT_NODE) {
            const text = node.data.toLowerCase();
            found.push(...words.filter((word) => text.includes(word)).map((word) => `${word}: ${node.data.trim()}`));
        } else if (node.nodeType === Node.ELEMENT_NODE && !node.matches(".know, script, noscript")) {
            for (const said of [node.title, node.ariaLabel]) {
                found.push(...words.filter((word) => said?.toLowerCase().includes(word)));
            }
            [...node.childNodes].forEach(look);
        }
    };
    look(document.body);
    return found;
}"""
JARGON_WORDS = ["oracle", "equilibrium", "greedy", "played out", "plays out"]
"""What only those understand who know the theory; under “How do we know?” it may stand."""


def sticks_out(page: Any, widths: tuple[int, ...], styles: dict[str, str]) -> list[str]:
    """Return what is cut, lies upon each other or is out of the page, at any of the widths and in any style."""
    found = []
    page.evaluate("scrollTo(0, 0)")
    forced = page.add_style_tag(content="/* what is forced upon the page */")
    before = page.viewport_size
    for name, style in styles.items():
        forced.evaluate("(tag, style) => { tag.textContent = style }", style)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 740})
            page.wait_for_function("width => innerWidth === width", arg=width)
            reach, out = page.evaluate(STICKS_OUT)
            if reach > width:
                out.append(f"the page is {reach} wide")
            out += page.evaluate(OVERLAPS)
            found += [f"{name}, {width} pixels: {one}" for one in out]
    forced.evaluate("tag => tag.remove()")
    page.set_viewport_size(before)
    return found


def pale(page: Any) -> list[str]:
    """Return edges, placeholders and focus rings that are too pale."""
    return list(page.evaluate(PALE))


def jargon(page: Any) -> list[str]:
    """Return where the page speaks as only experts do."""
    return list(page.evaluate(JARGON, JARGON_WORDS))


def axe(page: Any, rules: list[str] | None = None) -> list[str]:
    """Return what axe-core objects to, each with its place: by all of its rules, or by some."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    told = page.evaluate(
        """async (rules) => (await axe.run(document, rules ? { runOnly: rules } : {})).violations
            .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any
                .concat(node.all, node.none).map((one) => one.message).join("; ").slice(0, 200)}`))""",
        rules,
    )
    return list(told)


def in_theme(page: Any, theme: str) -> None:
    """Turn the page light or dark."""
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
