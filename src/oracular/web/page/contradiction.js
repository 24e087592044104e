// Answers that cannot all be right: which single one, if changed, would make them agree.

import { h } from "./dom.js";
import { answerInWords, thing } from "./phrases.js";
import { drawGuess, shortAnswer } from "./tokens.js";

const MOST_OFFERED = 8; // Wordle knows hundreds of answers; more than this is a choice for the pad

/** Return a panel on a contradiction; `amend(turn, label)` changes an answer, `choose(turn)` asks for another one. */
export function contradictionPanel(match, amend, choose) {
  const { game, contradiction } = match;
  const head = h("h2", { tabindex: "-1" }, "These answers cannot all be right");
  const reason = `No ${thing(game)} of the list agrees with all of them.`;
  if (contradiction.length === 0) {
    return h("section", { class: "panel alarm" }, head, h("p", {}, `${reason} No single change mends it: look at each line again and change those that are wrong, or take answers back.`));
  }
  return h(
    "section",
    { class: "panel alarm" },
    head,
    h("p", {}, `${reason} If just one is wrong, it is ${contradiction.length === 1 ? "this one" : "one of these"}:`),
    h("ul", { class: "corrections" }, contradiction.map(line)),
  );

  function line(correction) {
    const offered = correction.could_be.slice(0, MOST_OFFERED);
    return h(
      "li",
      {},
      h("span", { class: "correction-turn" }, `${correction.turn + 1}.`),
      drawGuess(game, correction.guess, { answer: correction.answer }),
      h("span", {}, `you said ${answerInWords(game, correction.answer)}`),
      amend && h("span", { class: "correction-keys" },
        offered.map((label) =>
          h("button", { type: "button", "data-amend": `${correction.turn}:${label}`, "aria-label": `Change ${correction.guess} to ${answerInWords(game, label)}`, onclick: () => amend(correction.turn, label) },
            "make it ", shortAnswer(game, label))),
        correction.could_be.length > offered.length &&
          h("button", { type: "button", onclick: () => choose(correction.turn) }, "another…")),
    );
  }
}
