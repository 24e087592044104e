// Advice on the next guess: always an estimate, and only on request. The words that are left are certain.

import { aimed, aimInWords } from "./aim.js";
import { h } from "./dom.js";
import { count, thing } from "./phrases.js";
import { drawGuess, shortAnswer } from "./tokens.js";

const MOST_PARTS = 16;

/** Return a list of good guesses with what each may leave and a note; `use(guess)` writes one, where given. */
export function adviceList(game, advice, { use = null, most = 10, note = meaning(advice) } = {}) {
  const items = advice.suggestions
    .slice(0, most)
    .map((suggestion) =>
      h(
        "li",
        { class: "suggestion" },
        h(
          "details",
          {},
          h(
            "summary",
            {},
            h(
              "span",
              { class: "suggested" },
              drawGuess(game, suggestion.guess),
              suggestion.possible && h("span", { class: "tag", title: "It may be the secret itself" }, "may be it"),
            ),
            h("span", { class: "expected" }, aimed(suggestion, advice.objective)),
          ),
          parts(game, suggestion, advice.left),
        ),
        use && writeButton(suggestion.guess, use),
      ),
    );
  return h(
    "div",
    { class: "advice" },
    h("p", { class: "assumption" }, advice.assumption),
    h("p", { class: "soft" }, `${aimInWords(advice.objective)} Open a line to see what each answer would leave.`),
    h("ol", { class: "suggestions" }, items),
    h(
      "p",
      { class: "soft note" },
      `${note} `,
      h("a", { href: `/solved/${game.name}`, "data-nav": true }, "How do we know?"),
    ),
  );
}

function meaning({ exact, suggestions }) {
  if (exact) return "These figures are exact.";
  const some = suggestions.some((one) => one.exact);
  return some ? "Those with ≈ are estimates, the others exact." : "These are estimates.";
}

function writeButton(guess, use) {
  return h(
    "button",
    {
      type: "button",
      class: "quiet use",
      "data-use": guess,
      "aria-label": `write it: ${guess}`,
      onclick: () => use(guess),
    },
    "write it",
  );
}

function parts(game, suggestion, left) {
  const rows = Object.entries(suggestion.parts);
  const inOrder = ([one], [other]) => game.labels.indexOf(one) - game.labels.indexOf(other);
  const largestFirst = ([, one], [, other]) => other - one;
  rows.sort(game.family === "wordle" ? largestFirst : inOrder);
  const further = rows.length - MOST_PARTS;
  rows.splice(MOST_PARTS);
  const most = Math.max(...rows.map(([, number]) => number));
  return h(
    "ul",
    { class: "parts", "aria-label": `What each answer to ${suggestion.guess} would leave, of ${left}` },
    rows.map(([label, number]) => {
      const bar = h("span", { class: "part-bar", "aria-hidden": "true" });
      bar.style.setProperty("--share", String(number / most));
      return h(
        "li",
        {},
        h("span", { class: "part-label" }, shortAnswer(game, label)),
        bar,
        h("span", { class: "part-count" }, number.toLocaleString("en")),
      );
    }),
    further > 0 && h("li", { class: "soft" }, `and ${further} more`),
  );
}

/** Return what is still possible: how many, and the first of them; `unlisted` if none of them is ever hidden here. */
export function wordsLeft(game, { left, words, unlisted = false }) {
  const more = left - words.length;
  const without = `No ${thing(game)} of the list fits these answers. Of the others that may be guessed, `;
  const fit = left === 1 ? " does." : " do.";
  return h(
    "div",
    { class: "left" },
    unlisted
      ? h("p", {}, without, h("strong", {}, String(left)), `${fit} If it is none of these, an answer is wrong.`)
      : h("p", {}, h("strong", {}, count(left, thing(game))), left === 1 ? " is possible." : " are possible."),
    words.length > 0 &&
      h(
        "details",
        { open: left <= 12 },
        h("summary", {}, more > 0 ? `${words.length} of them` : "Which?"),
        h(
          "p",
          { class: "left-words" },
          words.map((word) => h("span", { class: "left-word" }, word)),
          more > 0 && h("span", { class: "soft" }, `and ${more.toLocaleString("en")} more`),
        ),
      ),
  );
}
