// The review of a game: what each guess cost compared with the best one found, and what was luck.

import { h, svg } from "./dom.js";
import { count, thing } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

const number = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2));
const signed = (value) => `${value < -0.004 ? "−" : value > 0.004 ? "+" : ""}${number(Math.abs(value))}`;

/** Return the review of a match as an element: of the computer's guesses where the person hid. */
export function reviewPanel(match, review) {
  const whose = match.mode === "hide" ? "the computer's" : match.yours ? "your" : "the player's";
  const parts = rounded(review);
  return h(
    "section",
    { class: "panel review", "aria-labelledby": "review-head" },
    h("h2", { id: "review-head", tabindex: "-1" }, `Review of ${whose} guesses`),
    h("p", {}, summary(parts, whose)),
    h("p", { class: "assumption" }, review.assumption),
    sum(parts),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Guess by guess" },
      table(match.game, review),
    ),
    h(
      "p",
      { class: "soft note" },
      exactness(review),
      " In the lines, + is luck that ",
      "helped; it saved guesses, so the sum takes it off. ",
      h("a", { href: `/solved/${match.game.name}`, "data-nav": true }, "How do we know?"),
    ),
  );
}

function exactness({ turns }) {
  const exact = turns.filter((turn) => turn.exact).length;
  if (exact === turns.length) return "All these figures are exact.";
  const estimates = "These are estimates: the best found is the best of the guesses that were tried.";
  if (exact === 0) return estimates;
  return `${estimates} Those of the last ${count(exact, "guess", "guesses")} are exact.`;
}

/** Return the parts of the sum in hundredths that add up as shown: start + cost - luck = guesses + to come. */
function rounded({ start, cost, guesses, finished, to_come: toCome }) {
  const cents = (value) => Math.round(100 * value);
  const [first, price, rest] = [start, cost, toCome].map(cents);
  const luck = first + price - 100 * guesses - rest;
  return { start: first / 100, cost: price / 100, luck: luck / 100, guesses, finished, toCome: rest / 100 };
}

function summary({ start, cost, luck, guesses, finished, toCome }, whose) {
  const made = count(guesses, "guess", "guesses");
  const end = finished
    ? `That makes ${made}.`
    : `It was not found in ${made}: about ${number(toCome)} were still to come.`;
  const price =
    cost === 0
      ? `none of ${whose} guesses cost anything against the best found`
      : `${whose} guesses cost ${number(cost)} more than the best found`;
  const fell =
    luck === 0
      ? "the answers fell as expected"
      : luck > 0
        ? `luck saved ${number(luck)}`
        : `luck took ${number(-luck)}`;
  return `About ${number(start)} guesses were to be expected at the start; ${price}, and ${fell}. ${end}`;
}

function sum({ start, cost, luck, guesses, finished, toCome }) {
  const part = (name, value, kind) =>
    h("div", { class: `sum-part sum-${kind}` }, h("dt", {}, name), h("dd", {}, value));
  return h(
    "dl",
    { class: "sum" },
    part("expected", number(start), "start"),
    part("cost of guesses", signed(cost), "cost"),
    part(luck >= 0 ? "good luck" : "bad luck", signed(-luck), "luck"),
    part(finished ? "guesses" : "guesses made", `= ${guesses}`, "total"),
    !finished && part("still to come", signed(toCome), "to-come"),
  );
}

function table(game, review) {
  const reach = Math.max(0.5, ...review.turns.map((turn) => Math.max(turn.cost, Math.abs(turn.luck))));
  const heads = [
    "guess",
    "answer",
    `${thing(game)}s left`,
    "cost",
    "luck",
    h("span", { class: "unseen" }, "picture"),
    "best found",
  ];
  return h(
    "table",
    { class: "review-table", role: "table" }, // said outright, since on a phone it is laid out as lines
    h("caption", { class: "unseen" }, "Each guess with its cost against the best guess found, and its luck"),
    h(
      "thead",
      { role: "rowgroup" },
      h(
        "tr",
        { role: "row" },
        heads.map((head) => h("th", { scope: "col", role: "columnheader" }, head)),
      ),
    ),
    h(
      "tbody",
      { role: "rowgroup" },
      review.turns.map((turn) => row(game, turn, reach)),
    ),
  );
}

function row(game, turn, reach) {
  const [before, after] = [turn.left_before, turn.left_after].map((left) => left.toLocaleString("en"));
  const figure = (head, text) => h("td", { class: "figure", role: "cell", "data-head": head }, text);
  return h(
    "tr",
    { role: "row" },
    h("th", { scope: "row", role: "rowheader" }, drawGuess(game, turn.guess, { answer: turn.answer })),
    h("td", { role: "cell" }, drawAnswer(game, turn.answer)),
    figure(`${thing(game)}s left`, `${before} → ${after}`),
    figure("cost", number(turn.cost)),
    figure("luck", signed(turn.luck)),
    h("td", { role: "cell" }, picture(turn, reach)),
    h(
      "td",
      { class: "best", role: "cell", "data-head": "best found" },
      turn.cost < 0.005 ? "this one" : drawGuess(game, turn.best),
    ),
  );
}

/** Return a small picture: the cost above the line, luck below it, to the right where it helped. */
function picture(turn, reach) {
  const half = 60;
  const scale = (half - 2) / reach;
  const luck = Math.abs(turn.luck) * scale;
  const bar = (kind, x, y, width) => svg("rect", { x, y, width, height: 7, rx: 1, class: kind });
  const label = `cost ${number(turn.cost)}, luck ${signed(turn.luck)}`;
  const size = { viewBox: `0 0 ${2 * half} 24`, width: 2 * half, height: 24 };
  return svg(
    "svg",
    { class: "luck", ...size, role: "img", "aria-label": label },
    svg("line", { x1: half, x2: half, y1: 1, y2: 23, class: "axis" }),
    bar("bar-cost", half - turn.cost * scale, 3, turn.cost * scale),
    bar("bar-luck", turn.luck >= 0 ? half : half - luck, 13, luck),
  );
}
