// Answers that contradict each other, and which single one of them may be the mistake.

import { h } from "./dom.js";
import { answerInWords, thing } from "./phrases.js";
import { drawGuess, shortAnswer } from "./tokens.js";

const MOST_OFFERED = 8; // Wordle knows hundreds of answers; more than this is a choice for the pad

/**
 * Return a panel on a contradiction.
 *
 * `mend`, where the answers may be changed: `amend(turn, label)` changes one, `choose(turn)` asks for another one.
 */
export function contradictionPanel(game, corrections, mend) {
  const head = h("h2", { tabindex: "-1" }, "These answers cannot all be right");
  const reason = `No ${thing(game)} of the list agrees with all of them.`;
  if (corrections.length === 0) {
    const remedy = "look at each line again and change those that are wrong, or take answers back.";
    return h("section", { class: "panel alarm" }, head, h("p", {}, `${reason} No single change mends it: ${remedy}`));
  }
  const which = corrections.length === 1 ? "this one" : "one of these";
  return h(
    "section",
    { class: "panel alarm" },
    head,
    h("p", {}, `${reason} If just one is wrong, it is ${which}:`),
    h(
      "ul",
      { class: "corrections" },
      corrections.map((correction) => line(game, correction, mend)),
    ),
  );
}

function line(game, { turn, guess, answer, could_be: labels }, mend) {
  const key = (label) =>
    h(
      "button",
      {
        type: "button",
        "data-amend": `${turn}:${label}`,
        "aria-label": `Change ${guess} to ${answerInWords(game, label)}`,
        onclick: () => mend.amend(turn, label),
      },
      "make it ",
      shortAnswer(game, label),
    );
  return h(
    "li",
    {},
    h("span", { class: "correction-turn" }, `${turn + 1}.`),
    drawGuess(game, guess, { answer }),
    h("span", {}, `now ${answerInWords(game, answer)}`),
    mend &&
      h(
        "span",
        { class: "correction-keys" },
        labels.slice(0, MOST_OFFERED).map(key),
        labels.length > MOST_OFFERED && h("button", { type: "button", onclick: () => mend.choose(turn) }, "another…"),
      ),
  );
}
