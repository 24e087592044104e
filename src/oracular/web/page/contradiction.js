// Answers that contradict each other: which single one may be the mistake, and what else may be the reason.

import { h } from "./dom.js";
import { answerInWords, isCode, thing } from "./phrases.js";
import { drawGuess, shortAnswer } from "./tokens.js";

const MOST_OFFERED = 8; // Wordle knows hundreds of answers; more than this is a choice for the pad
const MOST_NAMED = 8;

/**
 * Return a panel on a contradiction.
 *
 * `mend`, where the answers may be changed: `amend(turn, label)` changes one, `choose(turn)` asks for another one, and
 * `tell()`, where there is one, asks for the word that was hidden, since it may be one that the computer does not know.
 * `remedy` is what can be done with the lines themselves. `unlisted` are words that are never hidden here but fit.
 */
export function contradictionPanel(game, corrections, mend, unlisted = []) {
  const remedy = mend?.remedy ?? "change those that are wrong";
  const others = unlisted.length > 0;
  const head = others ? "Is it a word that is not in our list?" : "These answers cannot all be right";
  const reason = `No ${thing(game)} that the computer ${others ? "hides" : "knows"} fits all of them.`;
  const which = corrections.length === 1 ? "this one" : "one of these";
  const single = corrections.length > 0;
  return h(
    "section",
    { class: "panel alarm" },
    h("h2", { tabindex: "-1" }, head),
    others && h("p", {}, `${reason} Of the other words that may be guessed, ${some(unlisted)}.`),
    single
      ? h("p", {}, `${others ? "" : `${reason} `}If just one answer is wrong, it is ${which}:`)
      : !others && h("p", {}, `${reason} Changing one is not enough: look at each line and ${remedy}.`),
    single &&
      h(
        "ul",
        { class: "corrections" },
        corrections.map((correction) => line(game, correction, mend)),
      ),
    mend?.tell &&
      h(
        "div",
        { class: "buttons" },
        h(
          "button",
          { type: "button", "data-tell": true, onclick: () => mend.tell() },
          isCode(game) ? "They are all right: tell my code" : "My word is not in your list",
        ),
      ),
  );
}

function some(words) {
  const shown = words.slice(0, MOST_NAMED).map((word) => word.toUpperCase());
  if (words.length > MOST_NAMED) return `${shown.join(", ")} and others do`;
  return words.length === 1 ? `${shown[0]} does` : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)} do`;
}

function line(game, { turn, guess, answer, could_be: labels }, mend) {
  const key = (label) =>
    h(
      "button",
      {
        type: "button",
        "data-amend": `${turn}:${label}`,
        "aria-label": `${label.replace(".", " · ")}: change ${guess} to ${answerInWords(game, label)}`,
        onclick: () => mend.amend(turn, label),
      },
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
        "make it",
        labels.slice(0, MOST_OFFERED).map(key),
        labels.length > MOST_OFFERED && h("button", { type: "button", onclick: () => mend.choose(turn) }, "another…"),
      ),
  );
}
