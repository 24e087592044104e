// The solved game: what is proved of it, where the hider's probability lies, how the bounds closed in, who beats whom.

import { ask, listOfGames } from "./api.js";
import { barList, barRow, percent } from "./bars.js";
import { fill, freshId, h } from "./dom.js";
import { heatMap } from "./heatmap.js";
import { lineChart } from "./linechart.js";
import { count, isCode, thing } from "./phrases.js";
import { drawGuess, drawSymbol } from "./tokens.js";

const FIRST_SHOWN = 16;
const STEPS = ["iteration", "step"];
const SERIES_NAMES = { guarantee: "guarantee (upper bound)", self_play: "self-play", lower: "lower bound" };

export async function solvedPage(name, { go }) {
  const [solved, games] = await Promise.all([ask(`/api/solved/${encodeURIComponent(name)}`), listOfGames()]);
  const game = games.find((one) => one.name === name) ?? solved.game;
  const nothing = !solved.bounds && !solved.hider && !solved.letters && !solved.history && !solved.leaderboard;
  const title = nothing ? game.title : `${game.title}, solved`;
  const element = h(
    "div",
    { class: "solved" },
    h("div", { class: "intro" },
      h("h1", {}, title),
      h("p", { class: "lead" }, "What a strategy that holds against anybody looks like.")),
    chooser(games, name, go),
    solved.bounds && bounds(solved.bounds),
    nothing && h("p", {}, "Nothing is proved of this game yet, and no strategy comes with it: the computer plays it well, not perfectly."),
    !nothing && h("div", { class: "solved-grid" },
      h("div", { class: "solved-column" }, solved.hider && solved.hider.length > 0 && hider(game, solved.hider)),
      h("div", { class: "solved-column" },
        solved.letters && letters(game, solved.letters),
        solved.history && solved.history.length > 1 && closing(solved.history, solved.bounds),
        solved.leaderboard && panel("Who beats whom", heatMap(solved.leaderboard), h("p", { class: "soft note" }, whoTheyAre(solved.leaderboard))))),
    h("p", {}, h("a", { class: "button primary", href: "/", "data-nav": true }, "Play against it")),
  );
  return { title, element };
}

function chooser(games, name, go) {
  const id = freshId("solved");
  return h("div", { class: "pickers" }, h("div", { class: "pick" }, h("label", { for: id }, "Game"),
    h("select", { id, onchange: (event) => go(`/solved/${event.target.value}`) }, games.filter((game) => game.shipped || game.name === name).map((game) => h("option", { value: game.name, selected: game.name === name }, game.title)))));
}

const PLAYERS = {
  benchmark: "The benchmark hides with equal chances and guesses greedily.",
  paper: "The paper's strategies come from fictitious play.",
  ours: "Ours are the strategies you play against.",
};

function whoTheyAre({ hiders, guessers }) {
  return Object.entries(PLAYERS).filter(([name]) => hiders.includes(name) || guessers.includes(name)).map(([, sentence]) => sentence).join(" ");
}

function panel(title, ...content) {
  return h("section", { class: "panel" }, h("h2", {}, title), content);
}

function bounds({ lower, upper, note }) {
  const settled = lower !== null && upper !== null && Math.abs(upper - lower) < 5e-7;
  const number = (value) => h("strong", { class: "bound" }, value.toFixed(4));
  const known = [];
  if (settled) known.push(h("div", {}, number(upper), h("span", { class: "soft" }, "the value of the game, proved")));
  else {
    if (lower !== null) known.push(h("div", {}, number(lower), h("span", { class: "soft" }, "lower bound, proved")));
    if (upper !== null) known.push(h("div", {}, number(upper), h("span", { class: "soft" }, "upper bound, proved")));
  }
  return h("section", { class: "panel bounds", "aria-label": "Bounds on the value of the game" }, h("div", { class: "bound-pair" }, known), note && h("p", { class: "soft" }, note));
}

function hider(game, words) {
  const name = (row) => (game.family === "mastermind" ? drawGuess(game, row.word) : h("span", { class: "bar-name" }, row.word));
  const rows = words.map(({ word, probability }) => ({ word, share: probability }));
  const equal = 1 / game.secrets;
  const bars = (shown) => barList(shown, name, "The likeliest secrets", equal);
  const list = h("div", {}, bars(rows.slice(0, FIRST_SHOWN)));
  const more = h("button", { type: "button", class: "quiet", onclick: () => { fill(list, bars(rows)); more.remove(); } }, `Show ${rows.length}`);
  return panel("Where the hider's probability lies",
    h("p", { class: "soft" }, `The ${count(Math.min(rows.length, FIRST_SHOWN), thing(game))} hidden most often. The tick marks equal chances for all: ${percent(equal)}.`), list, rows.length > FIRST_SHOWN && more);
}

function letters(game, shares) {
  const symbol = (name) => (game.family === "mastermind" ? drawSymbol(game, name) : h("span", { class: "upright-name" }, name.toUpperCase()));
  const noun = isCode(game) ? "symbol" : "letter";
  return panel(`Which ${noun}s it hides`, h("p", { class: "soft" }, `How likely each ${noun} is in the secret.`), barRow(shares, symbol, `How likely each ${noun} is in the secret`));
}

function closing(history, bounds) {
  const step = STEPS.find((name) => name in history[0]);
  const keys = Object.keys(history[0]).filter((key) => key !== step);
  const series = keys.map((key) => ({
    name: SERIES_NAMES[key] ?? key.replaceAll("_", " "),
    points: history.filter((row) => typeof row[key] === "number").map((row) => [row[step], row[key]]),
  })).filter((one) => one.points.length > 1);
  if (series.length === 0) return null;
  const levels = typeof bounds?.lower === "number" ? [{ name: "proved lower bound", value: bounds.lower }] : [];
  return panel("How it closed in", h("p", { class: "soft" }, "Expected guesses as the solver went on."), lineChart("How it closed in", series, levels, `${step ?? "step"}s`));
}
