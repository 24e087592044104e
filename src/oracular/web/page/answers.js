// Giving an answer by buttons: a number, a grid of black and white, or tiles that turn.

import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { answerInWords, COLOUR_WORDS } from "./phrases.js";
import { drawKeys, TILE_CLASSES } from "./tokens.js";

/** Return buttons for every answer to a guess; `give(label)` is called with the one that was chosen. */
export function answerPad(game, guess, send, { current = null } = {}) {
  // The second click of a double click would answer the next guess, whose buttons stand in the same place.
  const give = (label, event) => (event?.detail ?? 0) > 1 || send(label);
  const pads = { wordle: () => tiles(game, guess, give, current), jotto: () => numbers(game, give, current) };
  const pad = (pads[game.family] ?? (() => grid(game, give, current)))();
  pad.addEventListener("keydown", (event) => {
    if (event.repeat && event.key === "Enter") event.preventDefault(); // and so would the key, held down
  });
  return pad;
}

/** Press the button in `place` for the digit that was typed, if there is one. */
export function chosenByKey(place, event) {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!/^\d$/.test(event.key)) return;
  const key = place.querySelector(`[data-answer="${event.key}"]`);
  if (!key) return;
  event.preventDefault();
  key.click();
}

/** Return a legend: how an answer of the game is read, and how it is drawn. */
export function answerLegend(game) {
  const reading = game.reading.replace(/\b(\d)\.(\d)\b/, "$1 · $2"); // as it is shown on this page
  const sample = (drawn, meaning) => h("span", {}, drawn, ` ${meaning}`);
  const dot = (black) => drawKeys(black, 1 - black, 1);
  const tile = (kind) => h("span", { class: `cell tile ${kind}`, "aria-hidden": "true" }, "A");
  const names = { mastermind: ["black", "white"], bulls: ["bull", "cow"] }[game.family];
  const tiles = Object.entries(TILE_CLASSES).reverse();
  return h(
    "p",
    { class: "reading soft note" },
    game.family === "wordle" ? "Each letter of a guess:" : `The answer: ${reading}.`,
    names && [sample(dot(1), `filled: ${names[0]}`), sample(dot(0), `ring: ${names[1]}`)],
    game.family === "wordle" && tiles.map(([mark, kind]) => sample(tile(kind), COLOUR_WORDS[mark])),
  );
}

/**
 * Ask in a dialog for another answer to a guess; `give(label)` is called unless it is the `current` one.
 *
 * The page's `signal` takes the dialog away with the page.
 */
export function askForAnswer(game, guess, current, give, { signal = null } = {}) {
  const leave = h("button", { type: "button", onclick: () => dialog.close() }, "Leave it");
  const content = [answerPad(game, guess, chosen, { current }), h("div", { class: "dialog-buttons" }, leave)];
  const dialog = openDialog(`The answer to ${guess.toUpperCase()}`, content, { signal });

  function chosen(label) {
    dialog.close();
    if (label !== current) give(label);
  }
}

function numbers(game, give, current) {
  const keys = game.labels.map((label) =>
    h(
      "button",
      {
        type: "button",
        class: `answer-key${label === game.found ? " answer-found" : ""}`,
        "data-answer": label,
        "aria-label": label === game.found ? "That's it: my word" : answerInWords(game, label),
        "aria-current": label === current,
        onclick: (event) => give(label, event),
      },
      label === game.found ? "That's it" : label,
    ),
  );
  const label = "How many letters in common?";
  return h("div", { class: "answer-keys", role: "group", "aria-label": label, onkeydown }, keys);

  function onkeydown(event) {
    chosenByKey(event.currentTarget, event);
  }
}

function grid(game, give, current) {
  const [first, second] = game.family === "bulls" ? ["bulls", "cows"] : ["in place", "elsewhere"];
  const places = game.letters;
  const range = Array.from({ length: places + 1 }, (_, number) => number);
  const rows = range.map((black) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, h("span", { class: "unseen" }, `${first} `), String(black)),
      range.map((white) => {
        const label = `${black}.${white}`;
        if (!game.labels.includes(label)) return h("td");
        return h(
          "td",
          {},
          h(
            "button",
            {
              type: "button",
              class: `answer-key answer-dots${label === game.found ? " answer-found" : ""}`,
              "data-answer": label,
              "aria-label": label === game.found ? "That's it: my code" : answerInWords(game, label),
              "aria-current": label === current,
              onclick: (event) => give(label, event),
            },
            black + white === 0 ? "–" : drawKeys(black, white, black + white),
          ),
        );
      }),
    ),
  );
  const head = (white) => h("th", { scope: "col" }, h("span", { class: "unseen" }, `${second} `), String(white));
  const table = h(
    "table",
    { class: "answer-grid" },
    h("caption", {}, "Down: in its place (filled). Across: elsewhere (a ring)."),
    h("thead", {}, h("tr", {}, h("td"), range.map(head))),
    h("tbody", {}, rows),
  );
  table.style.setProperty("--columns", String(range.length));
  return table;
}

function tiles(game, guess, give, current) {
  const order = ["-", "y", "g"];
  const marks = [...(current ?? "-".repeat(game.letters))];
  const buttons = [...guess].map((letter, place) =>
    h(
      "button",
      {
        type: "button",
        class: "tile-key",
        onclick: () => turn(place, order[(order.indexOf(marks[place]) + 1) % order.length]),
        onkeydown: (event) => order.includes(event.key) && turn(place, event.key),
      },
      letter.toUpperCase(),
    ),
  );

  function turn(place, mark) {
    marks[place] = mark;
    draw();
  }

  function draw() {
    buttons.forEach((button, place) => {
      button.className = `tile-key tile ${TILE_CLASSES[marks[place]]}`;
      button.setAttribute("aria-label", `${guess[place].toUpperCase()}: ${COLOUR_WORDS[marks[place]]}`);
    });
  }

  draw();
  const label = "Tap each letter until its colour is right.";
  return h(
    "div",
    { class: "answer-tiles", role: "group", "aria-label": label },
    h("p", { class: "soft" }, label),
    h("div", { class: "tile-keys" }, buttons),
    h(
      "div",
      { class: "tile-give" },
      h(
        "button",
        { type: "button", class: "primary", onclick: (event) => give(marks.join(""), event) },
        "Give this answer",
      ),
      h(
        "button",
        { type: "button", "data-answer": game.found, onclick: (event) => give(game.found, event) },
        "That's it",
      ),
    ),
  );
}
