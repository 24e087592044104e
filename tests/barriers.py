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

LOOK = f"""async (tag, [style, width]) => {{
    while (innerWidth !== width) await new Promise(requestAnimationFrame);
    tag.textContent = style;
    const [reach, out] = ({STICKS_OUT})();
    return [reach, out.concat(({OVERLAPS})())];
}}"""
"""Both, in a style that is forced upon the page by a tag, once the window is as wide as it is to be."""

COLOURS = """
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
    const found = new Set();
    const faint = (value, what) => value < 3 && found.add(`${what}: ${value.toFixed(2)}`);
"""
"""How colours are compared: `faint` notes what has less than 3 : 1 of contrast to what is behind it."""

PALE = (
    "() => {"
    + COLOURS
    + """
    const name = ({ tagName, className, textContent }) =>
        `${tagName.toLowerCase()} ${className} “${textContent.slice(0, 20)}”`;
    const SIDES = ["Top", "Right", "Bottom", "Left"];
    const edgesOf = (style) => SIDES.filter((side) => parseFloat(style[`border${side}Width`]) > 0)
        .map((side) => style[`border${side}Color`]).filter((colour) => read(colour)[3] > 0);
    // What is seen of a control: of one that lies unseen over something else, that.
    const faceOf = (one) => one.querySelector(".typing-face") ?? (getComputedStyle(one).opacity !== "0" ? one
        : one.closest(".choice")?.querySelector("label") ?? one.closest(".field")?.querySelector(".entry-cell"));
    const alike = new Set(); // of many keys one is enough
    for (const one of document.querySelectorAll("input, select, textarea, button, summary, .button, a[href]")) {
        if (!one.checkVisibility() || one.disabled || one.closest(".unseen, .skip, [inert]")) continue;
        const { checked, type, ariaCurrent, parentElement: parent } = one;
        const kind = [one.tagName, type, checked, ariaCurrent, one.className, JSON.stringify(one.dataset.known),
            parent.tagName, parent.className, parent.parentElement.className].join();
        if (alike.has(kind)) continue;
        alike.add(kind);
        const face = faceOf(one);
        if (!face) {
            found.add(`nothing is seen of ${name(one)}`);
            continue;
        }
        const behind = ground(face.parentElement);
        const inside = ground(face);
        const edges = edgesOf(getComputedStyle(face)).map((edge) => ratio(over(read(edge), behind), behind));
        // The edge tells where it is, or the ground within does; of what has no edge, its text.
        const text = edges.length === 0 && face.textContent.trim() ? read(getComputedStyle(face).color) : inside;
        faint(Math.max(...edges, ratio(inside, behind), ratio(text, inside)), `the edge of ${name(one)}`);
        if (one.placeholder && !one.value) {
            const { color, opacity } = getComputedStyle(one, "::placeholder");
            const [r, g, b, alpha] = read(color);
            faint(ratio(over([r, g, b, alpha * Number(opacity)], inside), inside), `what ${name(one)} asks for`);
        }
        // With the focus something has to be drawn there that was not there before.
        const around = [...new Set([one, face, one.closest(".field")])].filter((part) => part
            && getComputedStyle(part).opacity !== "0");
        const lines = (part) => {
            const style = getComputedStyle(part);
            const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
            return [...(outlined ? [`outline ${style.outlineColor}`] : []), ...edgesOf(style)];
        };
        const before = document.activeElement;
        if (before === one) one.blur();
        const without = around.map(lines);
        one.focus({ preventScroll: true, focusVisible: true });
        const fresh = around.flatMap((part, index) => lines(part).filter((line) => !without[index].includes(line))
            .map((line) => read(line.replace("outline ", ""))).map((line) => {
                const outside = ground(part.parentElement);
                return ratio(over(line, outside), outside);
            }));
        faint(Math.max(0, ...fresh), `the ring around ${name(one)}`);
        if (before && before !== one) before.focus?.({ preventScroll: true });
    }
    return [...found];
}"""
)
"""Edges, placeholders and focus rings with less than 3 : 1 of contrast to what is behind them, or none at all."""

PALE_CURVES = (
    "() => {"
    + COLOURS
    + """
    for (const one of document.querySelectorAll(".line, .level")) {
        const behind = ground(one.closest("figure"));
        faint(ratio(over(read(getComputedStyle(one).stroke), behind), behind), one.getAttribute("class"));
    }
    return [...found];
}"""
)
"""Curves of a picture with less contrast than that."""

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


def sticks_out(page: Any, styles: dict[str, tuple[str, tuple[int, ...]]]) -> list[str]:
    """Return what is cut, lies upon each other or is out of the page: in each of the styles, at each of its widths."""
    found = []
    page.evaluate("scrollTo(0, 0)")
    forced = page.add_style_tag(content="/* what is forced upon the page */")
    before = page.viewport_size
    for name, (style, widths) in styles.items():
        for width in widths:
            page.set_viewport_size({"width": width, "height": 740})
            reach, out = forced.evaluate(LOOK, [style, width])
            if reach > width:
                out.append(f"the page is {reach} wide")
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
        """async (rules) => (await axe.run(document, {
                resultTypes: ["violations"], selectors: false, ...(rules ? { runOnly: rules } : {}) })).violations
            .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any
                .concat(node.all, node.none).map((one) => one.message).join("; ").slice(0, 200)}`))""",
        rules,
    )
    return list(told)


def in_theme(page: Any, theme: str) -> None:
    """Turn the page light or dark."""
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
