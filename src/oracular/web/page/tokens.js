// How a guess and an answer are drawn: letters, coloured pegs, digits, tiles.

import { h } from "./dom.js";
import { answerInWords, isCode } from "./phrases.js";

/** Return a guess drawn symbol by symbol; `marks` gives what the person has noted of each, `answer` colours tiles. */
export function drawGuess(game, guess, { marks = {}, answer = null } = {}) {
  const cells = [...guess].map((symbol, place) =>
    drawSymbol(game, symbol, { mark: marks[symbol], colour: answer?.[place] }),
  );
  const label = isCode(game) ? [...guess].join(" ") : guess;
  return h("span", { class: `word word-${game.family}`, role: "img", "aria-label": label }, cells);
}

/** Return one symbol: a letter, a digit, a peg with its number, or a tile. */
export function drawSymbol(game, symbol, { mark = null, colour = null } = {}) {
  const classes = ["cell"];
  if (game.family === "mastermind") classes.push("peg", `peg-${game.symbols.indexOf(symbol) + 1}`);
  if (game.family === "wordle") classes.push("tile", TILE_CLASSES[colour] ?? "tile-blank");
  if (mark) classes.push(`mark-${mark}`);
  return h("span", { class: classes.join(" "), "data-symbol": symbol, "aria-hidden": "true" }, symbol.toUpperCase());
}

export const TILE_CLASSES = { "-": "tile-none", y: "tile-elsewhere", g: "tile-place" };

/** Return an answer drawn: a ringed number, key pegs, or nothing where tiles already say it. */
export function drawAnswer(game, answer) {
  const label = answerInWords(game, answer);
  const found = answer === game.found;
  if (game.family === "wordle") return h("span", { class: "unseen" }, label);
  if (isCode(game)) {
    const [black, white] = answer.split(".").map(Number);
    return h(
      "span",
      { class: `keys${found ? " keys-found" : ""}`, role: "img", "aria-label": label, title: label },
      drawKeys(black, white, game.letters),
      h("span", { class: "keys-text", "aria-hidden": "true" }, found ? "✓" : `${black} · ${white}`),
    );
  }
  const shown = /^\d+$/.test(answer) ? answer : "✓";
  const kind = `count${found ? " count-found" : ""}`;
  return h("span", { class: kind, role: "img", "aria-label": label, title: label }, shown);
}

/** Return the little pegs of an answer: so many black, so many white, the rest empty holes. */
export function drawKeys(black, white, places) {
  const dots = Array.from({ length: places }, (_, place) => {
    const kind = place < black ? "black" : place < black + white ? "white" : "none";
    return h("span", { class: `key key-${kind}` });
  });
  return h("span", { class: "key-dots", "aria-hidden": "true" }, dots);
}

/** Return a short form of an answer for tables: `2`, `1 · 2`, `-yg--`. */
export function shortAnswer(game, answer) {
  if (isCode(game)) return answer.replace(".", " · ");
  if (game.family === "wordle") {
    return h(
      "span",
      { class: "mini", role: "img", "aria-label": answerInWords(game, answer) },
      [...answer].map((mark) => h("span", { class: `mini-tile ${TILE_CLASSES[mark]}` })),
    );
  }
  return answer;
}
