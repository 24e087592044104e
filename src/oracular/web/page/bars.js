// Bars: a list of names with a bar each, and a row of upright ones.

import { h } from "./dom.js";

const percent = (value) => `${(100 * value).toFixed(value < 0.1 ? 2 : 1)} %`;

/** Return lines of name, bar and share; `name` draws what stands before the bar. */
export function barList(rows, name, label) {
  const most = Math.max(...rows.map((row) => row.share));
  return h("ul", { class: "bars", "aria-label": label }, rows.map((row) => {
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(row.share / most));
    return h("li", {}, name(row), bar, h("span", { class: "bar-share" }, percent(row.share)));
  }));
}

/** Return upright bars, one a symbol. */
export function barRow(shares, name, label) {
  const entries = Object.entries(shares);
  const most = Math.max(...entries.map(([, share]) => share));
  return h("ul", { class: "upright", "aria-label": label }, entries.map(([symbol, share]) => {
    const bar = h("span", { class: "upright-bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(share / most));
    return h("li", { title: `${symbol.toUpperCase()}: ${percent(share)}` }, h("span", { class: "upright-space", "aria-hidden": "true" }, bar), name(symbol), h("span", { class: "unseen" }, percent(share)));
  }));
}
