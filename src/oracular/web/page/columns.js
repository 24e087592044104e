// The two columns of a match: your guesses at the computer's secret, and its guesses at yours.

import { answerPad } from "./answers.js";
import { contradictionPanel } from "./contradiction.js";
import { openDialog } from "./dialog.js";
import { errorPlace, fill, h } from "./dom.js";
import { wordField } from "./entry.js";
import { thing } from "./phrases.js";
import { sheet } from "./sheet.js";
import { drawGuess } from "./tokens.js";

/** Return the column of your guesses: `element`, `field`, `update(match)`; `guess(word)` sends one. */
export function guessColumn(match, { notes, guess }) {
  const { game, mode } = match;
  const whose = match.yours ? "Your" : "The player's";
  const page = sheet(game, { label: `${whose} guesses`, notes });
  const field = wordField(game, { label: "Your guess" });
  const button = h("button", { type: "submit", class: "primary" }, "Guess");
  const number = h("span", { class: "number", "aria-hidden": "true" });
  const form = h("form", { class: "row row-entry", onsubmit: submit, novalidate: true }, number, field.element, button);
  const under = h("div", { class: "under" }, field.error.element, field.palette);
  page.line.append(form);
  const head = mode === "duel" ? `${match.yours ? "You look" : "The player looks"} for the computer's ${thing(game)}` : `${whose} guesses`;
  const its = h("p", { class: "own" });
  const element = h("section", { class: "paper column" }, h("h2", {}, head), its, page.element, under);

  async function submit(event) {
    event.preventDefault();
    if (field.value() === "") return field.input.focus();
    button.disabled = true;
    try {
      await guess(field.value());
      field.clear();
      if (!form.hidden) field.input.focus({ preventScroll: true });
    } catch (refusal) {
      field.refuse(refusal);
    } finally {
      button.disabled = false;
    }
  }

  function update(next) {
    page.update(next.guesses);
    if (mode === "duel") fill(its, `Its ${thing(game)}: `, drawGuess(game, next.secret ?? "·".repeat(game.letters)));
    number.textContent = String(next.guesses.length + 1);
    form.hidden = under.hidden = !(next.yours && next.to_move === "guess");
  }

  return { element, field, update };
}

/** Return the column of the computer's guesses; `answer(label)` and `amend(turn, label)` send yours (hide). */
export function computerColumn(match, { answer, amend }) {
  const { game, mode } = match;
  const hides = mode === "hide";
  let current = match;
  let busy = false; // an answer is on its way
  const page = sheet(game, { label: "The computer's guesses", change: hides && match.yours ? choose : null });
  const own = h("p", { class: "own" });
  const error = errorPlace();
  const pad = h("div", { class: "answer-place" });
  const trouble = h("div");
  const head = mode === "duel" ? `The computer looks for ${match.yours ? "yours" : "the player's"}` : "The computer's guesses";
  const element = h("section", { class: "paper column" }, h("h2", {}, head), own, trouble, page.element, h("div", { class: "under" }, pad, error.element));

  async function give(send, ...values) {
    if (busy) return;
    busy = true;
    const hadFocus = element.contains(document.activeElement);
    error.clear();
    try {
      await send(...values);
      if (hadFocus) pad.querySelector("button")?.focus({ preventScroll: true });
    } catch (refusal) {
      error.show(refusal);
    } finally {
      busy = false;
    }
  }

  function choose(turn) {
    const { guess, answer: given } = current.computer[turn];
    const dialog = openDialog(`Your answer to ${guess.toUpperCase()}`, [
      answerPad(game, guess, (label) => {
        dialog.close();
        if (label !== given) give(amend, turn, label);
      }, { current: given }),
      h("div", { class: "dialog-buttons" }, h("button", { type: "button", onclick: () => dialog.close() }, "Leave it")),
    ]);
  }

  function update(next) {
    current = next;
    const contradicts = next.to_move === "amend";
    page.update(next.computer, { doubtful: contradicts ? next.contradiction.map((correction) => correction.turn) : [] });
    drawOwn(next);
    drawPending(next);
    const panel = contradicts ? contradictionPanel(next, next.yours && ((turn, label) => give(amend, turn, label)), choose) : null;
    const wasThere = trouble.firstChild !== null;
    fill(trouble, panel);
    if (panel && !wasThere && next.yours) panel.querySelector("h2").focus();
  }

  function drawOwn(next) {
    if (mode === "duel") fill(own, next.own ? [`${match.yours ? "Your" : "The player's"} ${thing(game)}: `, drawGuess(game, next.own)] : `The player's ${thing(game)} is shown at the end.`);
    else fill(own, next.result || next.computer.length > 0 || !next.yours ? null : `Keep a ${thing(game)} in mind and answer each guess. Any of the ${game.guesses.toLocaleString("en")} in play will do.`);
  }

  function drawPending(next) {
    const waits = next.pending !== null && next.result === null;
    fill(page.line, waits && h("div", { class: "row row-pending" },
      h("span", { class: "number", "aria-hidden": "true" }, String(next.computer.length + 1)),
      drawGuess(game, next.pending),
      h("span", { class: "asks" }, next.yours ? "answer?" : "waits")));
    fill(pad, waits && next.yours && next.to_move === "answer" && answerPad(game, next.pending, (label) => give(answer, label)));
  }

  return { element, update };
}
