// The game looked back upon: what each guess cost against the best one found, and luck apart from it.

import { h, svg } from "./dom.js";
import { count, thing } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

const number = (value) => (Math.abs(value) < 0.005 ? "0.00" : value.toFixed(2));
const signed = (value) => (Math.abs(value) < 0.005 ? "0.00" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`);

/** Return the review as an element. */
export function reviewPanel(game, review) {
  return h(
    "section",
    { class: "panel review", "aria-labelledby": "review-head" },
    h("h2", { id: "review-head", tabindex: "-1" }, "Review"),
    h("p", {}, summary(game, review)),
    sum(game, review),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Guess by guess" }, table(game, review)),
    review.note && h("p", { class: "soft note" }, review.note),
  );
}

function summary(game, review) {
  const found = review.turns.at(-1)?.answer === game.found;
  const end = found ? `That makes ${count(review.guesses, "guess", "guesses")}.` : `It was not found in ${count(review.guesses, "guess", "guesses")}.`;
  const luck = Math.abs(review.luck) < 0.005 ? "the answers fell as expected" : review.luck > 0 ? `luck saved ${number(review.luck)}` : `luck took ${number(-review.luck)}`;
  const cost = review.cost < 0.005 ? "no guess cost anything against the best found" : `the guesses cost ${number(review.cost)} more than the best found`;
  return `About ${number(review.start)} guesses were to be expected at the start; ${cost}, and ${luck}. ${end}`;
}

function sum(game, review) {
  const found = review.turns.at(-1)?.answer === game.found;
  const part = (name, value, kind) => h("div", { class: `sum-part sum-${kind}` }, h("dt", {}, name), h("dd", {}, value));
  return h("dl", { class: "sum" },
    part("expected", number(review.start), "start"),
    part("cost of guesses", signed(review.cost), "cost"),
    part(review.luck >= 0 ? "good luck" : "bad luck", signed(-review.luck), "luck"),
    part(found ? "guesses" : "guesses, not found", String(review.guesses), "total"));
}

function table(game, review) {
  const reach = Math.max(0.5, ...review.turns.map((turn) => Math.max(turn.cost, Math.abs(turn.luck))));
  return h(
    "table",
    { class: "review-table" },
    h("caption", { class: "unseen" }, "Each guess with its cost against the best guess found, and its luck"),
    h("thead", {}, h("tr", {}, ["guess", "answer", `${thing(game)}s left`, "cost", "luck", "", "best found"].map((head) => h("th", { scope: "col" }, head || h("span", { class: "unseen" }, "picture"))))),
    h("tbody", {}, review.turns.map((turn) =>
      h("tr", {},
        h("th", { scope: "row" }, drawGuess(game, turn.guess, { answer: turn.answer })),
        h("td", {}, drawAnswer(game, turn.answer)),
        h("td", { class: "figure" }, `${turn.left_before.toLocaleString("en")} → ${turn.left_after.toLocaleString("en")}`),
        h("td", { class: "figure" }, number(turn.cost)),
        h("td", { class: "figure" }, signed(turn.luck)),
        h("td", {}, picture(turn, reach)),
        h("td", { class: "best" }, turn.cost < 0.005 ? "this one" : drawGuess(game, turn.best)))),
    ),
  );
}

/** Return a small picture: the cost above the line, luck below it, to the right where it helped. */
function picture(turn, reach) {
  const half = 60;
  const scale = (half - 2) / reach;
  const luck = Math.abs(turn.luck) * scale;
  return svg("svg", { class: "luck", viewBox: `0 0 ${2 * half} 24`, width: 2 * half, height: 24, role: "img", "aria-label": `cost ${number(turn.cost)}, luck ${signed(turn.luck)}` },
    svg("line", { x1: half, x2: half, y1: 1, y2: 23, class: "axis" }),
    svg("rect", { x: half - turn.cost * scale, y: 3, width: turn.cost * scale, height: 7, rx: 1, class: "bar-cost" }),
    svg("rect", { x: turn.luck >= 0 ? half : half - luck, y: 13, width: luck, height: 7, rx: 1, class: "bar-luck" }));
}
