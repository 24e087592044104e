// Bars: a list of names with a bar each, and a row of upright ones.

import { h } from "./dom.js";

/** Return a share as a percentage, with three figures or so. */
export function percent(value) {
  const figures = value < 0.01 ? 3 : value < 0.1 ? 2 : 1;
  return `${(100 * value).toFixed(figures)} %`;
}

/** Return lines of name, bar and share; `name` draws what stands before the bar, `tick` is marked on each. */
export function barList(rows, name, label, tick = null) {
  const most = Math.max(...rows.map((row) => row.share));
  return h(
    "ul",
    { class: "bars", "aria-label": label },
    rows.map((row) => {
      const bar = h("span", { class: "bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(row.share / most));
      if (tick !== null && tick < most) {
        bar.classList.add("bar-ticked");
        bar.style.setProperty("--tick", String(tick / most));
      }
      return h("li", {}, name(row), bar, h("span", { class: "bar-share" }, percent(row.share)));
    }),
  );
}

/** Return upright bars, one a symbol. */
export function barRow(shares, name, label) {
  const entries = Object.entries(shares);
  const most = Math.max(...entries.map(([, share]) => share));
  const many = entries.length > 13 ? " upright-many" : "";
  const row = h(
    "ul",
    { class: `upright${many}`, "aria-label": label },
    entries.map(([symbol, share]) => {
      const bar = h("span", { class: "upright-bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(share / most));
      return h(
        "li",
        { title: `${symbol.toUpperCase()}: ${percent(share)}` },
        h("span", { class: "upright-space", "aria-hidden": "true" }, bar),
        name(symbol),
        h("span", { class: "unseen" }, percent(share)),
      );
    }),
  );
  row.style.setProperty("--count", String(entries.length));
  return row;
}
