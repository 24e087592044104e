// How to play, in three lines with a worked example; as a part of a page, or as a dialog over it.

import { openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { duelRule, thing } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

// Secret, guess, answer: a secret that every rule set of Jotto allows, with common letters in other places.
const JOTTO_EXAMPLES = {
  2: ["go", "on", "1"],
  3: ["cup", "pub", "2"],
  4: ["milk", "lake", "2"],
  5: ["money", "crane", "2"],
};
const COMMON_TWICE = "A letter counts twice only if both words have it twice.";

/** Return three lines and a worked example of a game; `details` adds what only some will ask. */
export function howToPlay(game, { details = false } = {}) {
  const { lines, example, more } = (GAMES[game.family] ?? GAMES.jotto)(game);
  return h(
    "div",
    { class: "howto" },
    h(
      "ol",
      { class: "howto-lines" },
      lines.map((line) => h("li", {}, line)),
    ),
    game.rule_note && h("p", { class: "rule-note" }, game.rule_note),
    example && exampleOf(game, example),
    details && more && h("p", { class: "soft note" }, more),
  );
}

/** Open a dialog that says how a game is played, and in a duel how it is won; return it. */
export function showHowToPlay(game, mode = "guess") {
  const close = h("button", { type: "button", class: "primary", autofocus: true }, "Got it");
  const dialog = openDialog("How to play", [
    howToPlay(game, { details: true }),
    mode === "duel" &&
      h("p", { class: "duel-rule" }, h("strong", {}, "A duel: "), `both hide and guess, by turns. ${duelRule(game)}`),
    h("div", { class: "dialog-buttons" }, close),
  ]);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}

function exampleOf(game, { secret, guess, answer, marks, because }) {
  return h(
    "figure",
    { class: "example" },
    h("div", { class: "example-line" }, drawGuess(game, guess, { marks, answer }), drawAnswer(game, answer)),
    h("figcaption", {}, `If the ${thing(game)} is `, secretOf(game, secret), `: ${because}`),
  );
}

function secretOf(game, secret) {
  if (game.family === "mastermind") return drawGuess(game, secret);
  return h("strong", { class: "example-secret" }, secret.toUpperCase());
}

const GAMES = { jotto, wordle, mastermind: codes, bulls: codes };

function jotto(game) {
  const [secret, guess, answer] = JOTTO_EXAMPLES[game.letters] ?? [];
  const common = [...(guess ?? "")].filter((letter) => secret.includes(letter));
  const named = common.map((letter) => letter.toUpperCase()).join(" and ");
  return {
    lines: [
      `Guess ${game.rule === "possible" ? "a" : "any"} ${NUMBERS[game.letters] ?? game.letters}-letter word.`,
      "You learn how many of its letters are in the hidden word, in any place.",
      "You are not told which. Find the word in as few guesses as you can.",
    ],
    example: guess && {
      secret,
      guess,
      answer,
      marks: Object.fromEntries(common.map((letter) => [letter, "in"])),
      because: `${answer}, for ${named}.`,
    },
    more: COMMON_TWICE,
  };
}

function wordle() {
  return {
    lines: [
      "Guess the five-letter word in six tries.",
      "Green, with a bar: the letter is in its place. Yellow, with a dot: it is elsewhere in the word.",
      "Grey: it is not in the word.",
    ],
    example: {
      secret: "angle",
      guess: "crane",
      answer: "--yyg",
      because: "E is in its place, A and N are elsewhere.",
    },
    more: "The keyboard takes on the colours of what you know.",
  };
}

function codes(game) {
  const pegs = game.family === "mastermind";
  const places = NUMBERS[game.letters] ?? game.letters;
  const [secret, guess] = ["1234", "1356"];
  const lines = pegs
    ? [
        `Guess a code of ${places} colours; a colour may come more than once.`,
        "A filled dot: a right colour in its place. A ring: a right colour elsewhere.",
      ]
    : [
        `Guess a code of ${places} different digits.`,
        "A filled dot (a bull): a right digit in its place. A ring (a cow): a right digit elsewhere.",
      ];
  const fits =
    game.letters === secret.length && (!game.symbols || [...guess].every((one) => game.symbols.includes(one)));
  return {
    lines: [...lines, "The dots do not say which ones. Compare your guesses and find the code."],
    example: fits && { secret, guess, answer: "1.1", because: "1 is in its place, 3 is elsewhere." },
    more: null,
  };
}
