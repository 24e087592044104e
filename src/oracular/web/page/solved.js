// A solved game: its value, what the hider does, how the bounds converged, who beats whom.

import { ask, listOfGames } from "./api.js";
import { barList, barRow, percent } from "./bars.js";
import { fill, h } from "./dom.js";
import { heatMap } from "./heatmap.js";
import { lineChart } from "./linechart.js";
import { count, isCode, thing } from "./phrases.js";
import { picker } from "./picker.js";
import { drawGuess, drawSymbol } from "./tokens.js";

const FIRST_SHOWN = 16;
const SERIES_NAMES = {
  guarantee: "the guesser's guarantee (upper bound)",
  lower: "lower bound",
  best_response_found: "best response found to the hider",
};
const PLAYERS = {
  benchmark: "The benchmark hides with equal chances and guesses greedily.",
  paper: "The paper's strategies come from fictitious play.",
  ours: "Ours are the strategies you play against.",
};
const FIRST_WAIT = 500; // milliseconds until who beats whom is asked for again; each wait is longer than the one before
const LONGEST_WAIT = 8000;

export async function solvedPage(name, { go, signal }) {
  const path = `/api/solved/${encodeURIComponent(name)}`;
  const [solved, games] = await Promise.all([ask(path), listOfGames()]);
  const { game } = solved;
  const known = game.shipped;
  const title = known ? `${game.title}${settled(solved.bounds) ? ", solved" : ": how far it is solved"}` : game.title;
  const choices = games.filter((one) => one.shipped || one.name === name).map((one) => [one.name, one.title]);
  const element = h(
    "div",
    { class: "solved" },
    h(
      "div",
      { class: "intro" },
      h("h1", {}, title),
      h("p", { class: "lead" }, "What a strategy that holds against anybody looks like."),
    ),
    h(
      "div",
      { class: "pickers" },
      picker("Game", choices, name, (chosen) => go(`/solved/${chosen}`)),
    ),
    known
      ? findings(solved, path, signal)
      : h(
          "p",
          {},
          "Nothing is proved of this game yet, and no strategy comes with it: ",
          "the computer plays it well, not perfectly.",
        ),
    h("p", {}, h("a", { class: "button primary", href: "/", "data-nav": true }, "Play against it")),
  );
  return { title, element };
}

function findings(solved, path, signal) {
  const { game } = solved;
  return [
    bounds(solved.bounds),
    h(
      "div",
      { class: "solved-grid" },
      h("div", { class: "solved-column" }, hider(game, solved.hider)),
      h(
        "div",
        { class: "solved-column" },
        letters(game, solved.letters),
        solved.history && closing(solved.history, solved.bounds),
        whoBeatsWhom(solved, path, signal),
      ),
    ),
  ];
}

function panel(title, ...content) {
  return h("section", { class: "panel" }, h("h2", {}, title), content);
}

const settled = ({ lower, upper }) => Math.abs(upper - lower) < 5e-7;

function bounds({ lower, upper, note }) {
  const number = (value, text) =>
    h("div", {}, h("strong", { class: "bound" }, value.toFixed(4)), h("span", { class: "soft" }, text));
  return h(
    "section",
    { class: "panel bounds", "aria-label": "Bounds on the value of the game" },
    h(
      "div",
      { class: "bound-pair" },
      settled({ lower, upper })
        ? number(upper, "the value of the game")
        : [number(lower, "lower bound"), number(upper, "upper bound")],
    ),
    h("p", { class: "soft" }, note),
  );
}

function hider(game, words) {
  const name = ({ word }) =>
    game.family === "mastermind" ? drawGuess(game, word) : h("span", { class: "bar-name" }, word);
  const rows = words.map(({ word, probability }) => ({ word, share: probability }));
  const equal = 1 / game.secrets;
  const bars = (shown) => barList(shown, name, "The likeliest secrets", equal);
  const list = h("div", {}, bars(rows.slice(0, FIRST_SHOWN)));
  const more = h("button", { type: "button", class: "quiet", onclick: showAll }, `Show ${rows.length}`);
  const shown = count(Math.min(rows.length, FIRST_SHOWN), thing(game));

  function showAll() {
    fill(list, bars(rows));
    more.remove();
  }

  return panel(
    "Where the hider's probability lies",
    h(
      "p",
      { class: "soft" },
      `The ${shown} hidden most often. The tick marks equal chances for all: ${percent(equal)}.`,
    ),
    list,
    rows.length > FIRST_SHOWN && more,
  );
}

function letters(game, shares) {
  const symbol = (name) =>
    game.family === "mastermind" ? drawSymbol(game, name) : h("span", { class: "upright-name" }, name.toUpperCase());
  const noun = isCode(game) ? "symbol" : "letter";
  const what = `How likely each ${noun} is in the secret`;
  return panel(`Which ${noun}s it hides`, h("p", { class: "soft" }, `${what}.`), barRow(shares, symbol, what));
}

function closing(history, { lower }) {
  const steps = history.filter((row) => row.iteration > 0); // the start has no place on a logarithmic axis
  const series = Object.keys(history[0])
    .filter((key) => key !== "iteration")
    .map((key) => ({
      name: SERIES_NAMES[key],
      points: steps.map((row) => [row.iteration, row[key]]),
    }));
  return panel(
    "How the bounds closed in",
    h("p", { class: "soft" }, "Expected guesses as the solver went on."),
    lineChart("How the bounds closed in", series, [{ name: "lower bound", value: lower }], "iterations"),
  );
}

function whoBeatsWhom(solved, path, signal) {
  const place = h("div", { "aria-live": "polite" });
  const element = panel("Who beats whom", place);
  draw(solved);
  return element;

  function draw({ leaderboard, pending }) {
    if (leaderboard) fill(place, heatMap(leaderboard), h("p", { class: "soft note" }, whoTheyAre(leaderboard)));
    else fill(place, h("p", { class: "soft" }, "Every hider is being played against every guesser. One moment…"));
    if (pending) askAgain(FIRST_WAIT);
  }

  function askAgain(wait) {
    setTimeout(async () => {
      if (signal.aborted) return;
      const next = await ask(path).catch(() => ({ pending: true })); // it may be back in a moment
      if (signal.aborted) return;
      if (next.pending) askAgain(Math.min(wait * 1.5, LONGEST_WAIT));
      else draw(next);
    }, wait);
  }
}

function whoTheyAre({ hiders, guessers }) {
  const there = Object.keys(PLAYERS).filter((name) => hiders.includes(name) || guessers.includes(name));
  return there.map((name) => PLAYERS[name]).join(" ");
}
