// The sheet as on paper: numbered lines with guesses and their answers, and the line that is being written.

import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { answerInWords } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

/**
 * Return a sheet: `element`, `line` (being written), `below` (right under it), `update(turns, options)`, `noted()`
 * after a change of the notes.
 *
 * `notes` marks letters in the guesses as the person marked them; a click on a letter marks it, as on the keyboard.
 * `change(turn)`, where given, offers to change a line's answer, until the match is `over`. Where there are only so
 * many lines (`lines`), those still empty are drawn too.
 */
export function sheet(game, { label, notes = null, change = null, lines = null }) {
  const rows = h("ol", { class: "rows", "aria-label": label });
  const scroller = h("div", { class: "rows-scroll" }, rows);
  const line = h("div", { class: "line-now" });
  const below = h("div", { class: "below" });
  const empty = h("div", { class: "rows-empty", "aria-hidden": "true" });
  const element = h(
    "div",
    { class: `ruled ruled-${game.family}${lines ? " ruled-lines" : ""}` },
    scroller,
    line,
    lines ? [empty, below] : below,
  );
  let shown = null; // how many lines there were
  const resized = new ResizeObserver(settle); // of the place, or of the lines in it
  for (const part of [scroller, rows]) resized.observe(part);
  if (notes) {
    rows.addEventListener("click", (event) => {
      const symbol = event.target.closest?.("[data-symbol]")?.dataset.symbol;
      if (symbol) notes.turn(symbol);
    });
  }

  function update(turns, { doubtful = [], over = false, writing = false } = {}) {
    const marks = notes?.all() ?? {};
    const fresh = shown !== null && turns.length > shown ? turns.length - 1 : -1;
    const moved = turns.length !== shown;
    shown = turns.length;
    fill(
      rows,
      turns.map((turn, index) => row(turn, index, marks, doubtful.includes(index), change && !over, index === fresh)),
    );
    scroller.hidden = turns.length === 0;
    const left = lines ? lines - turns.length - (writing ? 1 : 0) : 0;
    fill(
      empty,
      Array.from({ length: Math.max(0, left) }, (_, index) => blank(turns.length + (writing ? 2 : 1) + index)),
    );
    if (moved) settle();
  }

  /** Mark the letters as they are noted now; the lines stay as they are, with what moves in them. */
  function noted() {
    for (const cell of rows.querySelectorAll("[data-symbol]"))
      for (const note of ["out", "in"]) cell.classList.toggle(`mark-${note}`, notes.of(cell.dataset.symbol) === note);
  }

  /** Show the last line, and let a list that is longer than its place be scrolled by the keyboard too. */
  function settle() {
    scroller.scrollTop = scroller.scrollHeight;
    if (scroller.scrollHeight > scroller.clientHeight + 1) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
  }

  function row(turn, index, marks, isDoubtful, changeable, isFresh) {
    const classes = ["row"];
    if (isDoubtful) classes.push("row-doubtful");
    if (isFresh) classes.push("row-fresh");
    if (turn.answer === game.found) classes.push("row-found");
    return h(
      "li",
      { class: classes.join(" ") },
      number(index + 1),
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
          icon("pencil"),
          h("span", { class: "change-word" }, "change"),
        ),
      drawAnswer(game, turn.answer),
    );
  }

  function blank(index) {
    const cells = Array.from({ length: game.letters }, () => h("span", { class: "entry-cell" }));
    return h("div", { class: "row row-blank" }, number(index), h("span", { class: "entry-cells" }, cells));
  }

  update([]);
  shown = null; // what was played before the page was opened does not turn
  return { element, line, below, update, noted };
}

const number = (index) => h("span", { class: "number", "aria-hidden": "true" }, String(index));
