// The two columns of a match: your guesses at the computer's secret, and its guesses at yours.

import { answerLegend, answerPad, askForAnswer, chosenByKey } from "./answers.js";
import { contradictionPanel } from "./contradiction.js";
import { errorPlace, fill, h } from "./dom.js";
import { wordField } from "./entry.js";
import { keyboard } from "./keyboard.js";
import { count, duelRule, isCode, reordered, thing } from "./phrases.js";
import { sheet } from "./sheet.js";
import { drawAnswer, drawGuess } from "./tokens.js";

/**
 * Return the column of your guesses: `element`, `field`, `keys` (the keyboard), `update(match)`, `noted()` after a
 * change of the notes, `prove(proofs)` (what is certain of each symbol, or null), `waits(sentence)`.
 *
 * `guess(word)` sends one, and `help()` tells how to play.
 */
export function guessColumn(match, { notes, guess, help }) {
  const { game, mode } = match;
  const whose = match.yours ? "Your" : "The player's";
  const page = sheet(game, { label: `${whose} guesses`, notes, lines: mode === "guess" ? game.rows : null });
  const field = wordField(game, { label: "Your guess", onScreen: true, changed });
  const keys = keyboard(game, { field, enter: send, later, notes });
  const number = h("span", { class: "number", "aria-hidden": "true" });
  const form = h("form", { class: "row row-entry", onsubmit: submit, novalidate: true }, number, field.element);
  const waiting = h("p", { class: "waiting", role: "status" });
  const opening = h("p", { class: "opening" });
  page.line.append(form);
  const order = h("p", { class: "order" });
  page.below.append(field.error.element, waiting, order, opening);
  const looks = match.yours ? "You look" : "The player looks";
  const head = mode === "duel" ? `${looks} for the computer's ${thing(game)}` : `${whose} guesses`;
  const its = h("p", { class: "own" });
  const element = h(
    "section",
    { class: "paper column column-mine" },
    h("h2", { class: mode === "duel" ? null : "unseen" }, head),
    its,
    page.element,
    keys.element,
  );
  let current = match;
  let proved = null;
  let typed = null; // while a guess is on its way: the keys that were pressed meanwhile

  function changed() {
    keys.ready(field.value().length === game.letters);
  }

  function submit(event) {
    event.preventDefault();
    send();
  }

  /** Keep a key for the next line while the last guess is still on its way; return whether it is. */
  function later(name) {
    typed?.push(name);
    return typed !== null;
  }

  async function send() {
    if (later("enter")) return;
    const short = missing(game, field.value());
    if (short) {
      field.refuse(short);
      return;
    }
    let meanwhile = []; // what was typed after a guess that is refused is dropped
    typed = [];
    field.input.readOnly = true;
    try {
      await guess(field.value());
      field.clear();
      meanwhile = typed;
    } catch (refusal) {
      field.refuse(refusal);
    } finally {
      typed = null;
      field.input.readOnly = false;
    }
    if (current.to_move === "guess") for (const name of meanwhile) again(name);
  }

  /** Play a key that was kept; Enter twice sends one guess. */
  function again(name) {
    if (name !== "enter" || typed !== null || field.value() !== "") keys.play(name);
  }

  function update(next) {
    current = next;
    const writing = next.yours && next.to_move === "guess";
    page.update(next.guesses, { writing, over: next.result !== null });
    keys.update(next.guesses, proved);
    if (mode === "duel") fill(its, itsLine(next));
    number.textContent = String(next.guesses.length + 1);
    form.hidden = page.below.hidden = keys.element.hidden = !writing;
    order.textContent = reordered(game, next.guesses.at(-1)?.answer) ?? "";
    order.hidden = order.textContent === "";
    opening.hidden = !writing || next.guesses.length > 0;
    fill(opening, opening.hidden ? [] : firstWords(next, help));
  }

  function prove(proofs) {
    proved = proofs;
    keys.update(current.guesses, proved);
  }

  function noted() {
    page.noted();
    keys.update(current.guesses, proved);
  }

  function waits(sentence) {
    waiting.textContent = sentence ?? "";
  }

  return { element, field, keys, update, noted, prove, waits };
}

/** Return how far the computer is in a duel, or its secret in the end. */
function itsLine({ game, computer, secret }) {
  if (secret) return [`Its ${thing(game)}: `, drawGuess(game, secret)];
  const last = computer.at(-1);
  return last && ["It guessed ", drawGuess(game, last.guess, last), drawAnswer(game, last.answer)];
}

/** Return what a guess still lacks, in a sentence, or null where it is complete. */
function missing(game, written) {
  const noun = game.family === "mastermind" ? "colour" : isCode(game) ? "digit" : "letter";
  const lacks = game.letters - written.length;
  if (lacks === 0) return null;
  if (written === "") return `Write a ${thing(game)} of ${count(game.letters, noun)} first.`;
  return `“${written.toUpperCase()}” is too short: write ${lacks} more.`;
}

/** Return what to do at the start, and what the answer will mean. */
function firstWords({ game, mode, starter }, help) {
  const noun = game.family === "mastermind" ? "colours" : isCode(game) ? "digits" : "letters";
  const goal = `Write any ${thing(game)} of ${game.letters} ${noun}. `;
  const jotto = "You will see how many of its letters are in the computer's word, wherever they stand. ";
  const begins = starter === "computer" ? "The computer began." : "You begin.";
  return [
    mode === "duel" && `${begins} ${duelRule(game)} `,
    goal,
    mode !== "duel" && game.family === "jotto" && jotto,
    h("button", { type: "button", class: "quiet", onclick: help }, "How to play"),
  ];
}

/**
 * Return the column of the computer's guesses: `element`, `update(match)`, `firstKey()`, `pressed(event)`, `waits(…)`.
 *
 * Where you hide, `answer(label)` and `amend(turn, label)` send your answers, and `tell()` asks for your word. Dialogs
 * close with the page's `signal`.
 */
export function computerColumn(match, { answer, amend, tell, signal }) {
  const { game, mode } = match;
  const hides = mode === "hide";
  let current = match;
  let busy = false; // an answer is on its way
  const page = sheet(game, { label: "The computer's guesses", change: hides && match.yours ? choose : null });
  const own = h("p", { class: "own" });
  const error = errorPlace();
  const pad = h("div", { class: "answer-place" });
  const trouble = h("div", { class: "trouble" });
  const waiting = h("p", { class: "waiting", role: "status" });
  const whose = match.yours ? "Your" : "The player's";
  const sought = match.yours ? "yours" : "the player's";
  const head = mode === "duel" ? `The computer looks for ${sought}` : "The computer's guesses";
  page.below.append(error.element, waiting, pad);
  const element = h(
    "section",
    { class: "paper column column-its" },
    h("h2", { class: hides ? "unseen" : null }, head),
    own,
    page.element,
    trouble,
  );

  async function give(send, ...values) {
    if (busy) return;
    busy = true;
    const hadFocus = element.contains(document.activeElement);
    error.clear();
    try {
      await send(...values);
      if (hadFocus) (firstKey() ?? trouble.querySelector("h2"))?.focus({ preventScroll: true });
    } catch (refusal) {
      error.show(refusal);
    } finally {
      busy = false;
    }
  }

  function choose(turn) {
    const { guess, answer: given } = current.computer[turn];
    askForAnswer(game, guess, given, (label) => give(amend, turn, label), { signal });
  }

  function update(next) {
    current = next;
    const contradicts = next.to_move === "amend";
    const doubtful = next.contradiction.map((correction) => correction.turn);
    page.update(next.computer, { doubtful, over: next.result !== null });
    drawOwn(next);
    drawPending(next);
    const mend = next.yours ? { amend: (turn, label) => give(amend, turn, label), choose, tell } : null;
    const panel = contradicts ? contradictionPanel(game, next.contradiction, mend, next.unlisted) : null;
    const wasThere = trouble.firstChild !== null;
    fill(trouble, panel);
    element.classList.toggle("column-doubtful", contradicts);
    if (panel && !wasThere && next.yours) panel.querySelector("h2").focus();
  }

  function drawOwn(next) {
    const word = thing(game);
    if (mode === "hide") {
      const begins = next.yours && next.result === null && next.computer.length === 0;
      fill(own, begins && `Keep a ${word} in mind. The computer guesses, and you answer.`);
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
    fill(
      pad,
      asks && [
        answerPad(game, next.pending, (label) => give(answer, label)),
        next.computer.length === 0 && answerLegend(game),
      ],
    );
  }

  function waits(sentence) {
    waiting.textContent = sentence ?? "";
  }

  const firstKey = () => pad.querySelector("button");

  /** Choose an answer by its digit, wherever the focus is but in a field or in a window of its own. */
  function pressed(event) {
    const elsewhere = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
    if (!elsewhere) chosenByKey(pad, event);
  }

  return { element, update, firstKey, pressed, waits };
}
