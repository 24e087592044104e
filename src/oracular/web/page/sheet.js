// The sheet as on paper: numbered lines with guesses and their answers.

import { fill, h } from "./dom.js";
import { answerInWords } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

/**
 * Return a sheet: `element`, `line` (the line that is being written), and `update(turns, options)`.
 *
 * `notes` marks letters in the guesses as the person marked them; a click on a letter marks it, as on the pad.
 * `change(turn)`, where given, offers to change a line's answer, until the match is `over`.
 */
export function sheet(game, { label, notes = null, change = null }) {
  const rows = h("ol", { class: "rows", "aria-label": label });
  const line = h("div", { class: "line-now" });
  const element = h("div", { class: `ruled ruled-${game.family}` }, rows, line);
  if (notes) {
    rows.addEventListener("click", (event) => {
      const symbol = event.target.closest?.("[data-symbol]")?.dataset.symbol;
      if (symbol) notes.turn(symbol);
    });
  }

  function update(turns, { doubtful = [], over = false } = {}) {
    const marks = notes?.all() ?? {};
    fill(
      rows,
      turns.map((turn, index) => row(turn, index, marks, doubtful.includes(index), change && !over)),
    );
    line.dataset.number = String(turns.length + 1);
  }

  function row(turn, index, marks, isDoubtful, changeable) {
    const classes = ["row"];
    if (isDoubtful) classes.push("row-doubtful");
    if (turn.answer === game.found) classes.push("row-found");
    return h(
      "li",
      { class: classes.join(" ") },
      h("span", { class: "number", "aria-hidden": "true" }, String(index + 1)),
      drawGuess(game, turn.guess, { marks, answer: turn.answer }),
      changeable &&
        h(
          "button",
          {
            type: "button",
            class: "quiet change",
            "aria-label": `Change the answer to ${turn.guess}, now ${answerInWords(game, turn.answer)}`,
            onclick: () => change(index),
          },
          "change",
        ),
      drawAnswer(game, turn.answer),
    );
  }

  update([]);
  return { element, line, update };
}
