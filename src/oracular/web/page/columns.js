// The two columns of a match: your guesses at the computer's secret, and its guesses at yours.

import { answerLegend, answerPad, askForAnswer, chosenByKey } from "./answers.js";
import { contradictionPanel } from "./contradiction.js";
import { errorPlace, fill, h } from "./dom.js";
import { wordField } from "./entry.js";
import { count, thing } from "./phrases.js";
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
  const looks = match.yours ? "You look" : "The player looks";
  const head = mode === "duel" ? `${looks} for the computer's ${thing(game)}` : `${whose} guesses`;
  const its = h("p", { class: "own" });
  const element = h(
    "section",
    { class: "paper column" },
    h("h2", {}, head),
    its,
    page.element,
    under,
    answerLegend(game),
  );

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
  const whose = match.yours ? "Your" : "The player's";
  const sought = match.yours ? "yours" : "the player's";
  const head = mode === "duel" ? `The computer looks for ${sought}` : "The computer's guesses";
  const element = h(
    "section",
    { class: "paper column" },
    h("h2", {}, head),
    own,
    trouble,
    page.element,
    h("div", { class: "under" }, pad, error.element, hides && answerLegend(game)),
  );

  async function give(send, ...values) {
    if (busy) return;
    busy = true;
    const hadFocus = element.contains(document.activeElement);
    error.clear();
    try {
      await send(...values);
      if (hadFocus) firstKey()?.focus({ preventScroll: true });
    } catch (refusal) {
      error.show(refusal);
    } finally {
      busy = false;
    }
  }

  function choose(turn) {
    const { guess, answer: given } = current.computer[turn];
    askForAnswer(game, guess, given, (label) => give(amend, turn, label));
  }

  function update(next) {
    current = next;
    const contradicts = next.to_move === "amend";
    const doubtful = next.contradiction.map((correction) => correction.turn);
    page.update(next.computer, { doubtful, over: next.result !== null });
    drawOwn(next);
    drawPending(next);
    const mend = next.yours ? { amend: (turn, label) => give(amend, turn, label), choose } : null;
    const panel = contradicts ? contradictionPanel(game, next.contradiction, mend) : null;
    const wasThere = trouble.firstChild !== null;
    fill(trouble, panel);
    if (panel && !wasThere && next.yours) panel.querySelector("h2").focus();
  }

  function drawOwn(next) {
    const word = thing(game);
    if (mode === "hide") {
      const begins = next.yours && next.result === null && next.computer.length === 0;
      const any = `Any of the ${count(game.may_hide, word)} that may be hidden will do.`;
      fill(own, begins && `Keep a ${word} in mind and answer each guess. ${any}`);
    } else if (next.own) fill(own, `${whose} ${word}: `, drawGuess(game, next.own));
    else fill(own, `The player's ${word} is shown at the end.`);
  }

  function drawPending(next) {
    const waits = next.pending !== null && next.result === null;
    fill(
      page.line,
      waits &&
        h(
          "div",
          { class: "row row-pending" },
          h("span", { class: "number", "aria-hidden": "true" }, String(next.computer.length + 1)),
          drawGuess(game, next.pending),
          h("span", { class: "asks" }, next.yours ? "answer?" : "waits"),
        ),
    );
    const asks = waits && next.yours && next.to_move === "answer";
    fill(pad, asks && answerPad(game, next.pending, (label) => give(answer, label)));
  }

  const firstKey = () => pad.querySelector("button");

  /** Choose an answer by its digit, wherever the focus is but in a field or in a window of its own. */
  function pressed(event) {
    const elsewhere = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
    if (!elsewhere) chosenByKey(pad, event);
  }

  return { element, update, firstKey, pressed };
}
