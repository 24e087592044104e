// Who beats whom: a table whose cells are shaded by the expected number of guesses.

import { h } from "./dom.js";

/** Return the table: hiders from top to bottom, guessers from left to right. */
export function heatMap({ hiders, guessers, payoffs }) {
  const low = Math.min(...payoffs.flat());
  const high = Math.max(...payoffs.flat());
  const cell = (value) => {
    const element = h("td", { class: "heat" }, value.toFixed(3));
    element.style.setProperty("--heat", String((value - low) / (high - low || 1)));
    return element;
  };
  const column = (name) => h("th", { scope: "col" }, name);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Who beats whom" },
    h(
      "table",
      { class: "heat-map" },
      h("caption", {}, "Expected guesses. A hider wants many (stronger colour), a guesser few."),
      h("thead", {}, h("tr", {}, column("hider ↓  guesser →"), guessers.map(column))),
      h(
        "tbody",
        {},
        hiders.map((name, row) => h("tr", {}, h("th", { scope: "row" }, name), payoffs[row].map(cell))),
      ),
    ),
  );
}
