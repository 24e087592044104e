// How well a game can be played: what the computer hides, in plain words; and under one heading, how that is known.

import { ask, listOfGames } from "./api.js";
import { barList, barRow, percent } from "./bars.js";
import { fold } from "./choices.js";
import { fill, h } from "./dom.js";
import { heatMap } from "./heatmap.js";
import { lineChart } from "./linechart.js";
import { count, isCode, STANDARD, thing } from "./phrases.js";
import { drawGuess, drawSymbol } from "./tokens.js";

const FIRST = [STANDARD.name, "jotto-5"]; // which of them is shown where the address names no game
const FIRST_SHOWN = 12;
const SERIES = {
  guarantee: ["guarantee", "the guesser's guarantee (upper bound)"],
  lower: ["lower", "lower bound"],
  best_response_found: ["hider", "best response found to the hider"],
};
const PLAYERS = {
  benchmark: "The benchmark hides with equal chances and guesses greedily.",
  paper: "The paper's strategies come from fictitious play.",
  ours: "Ours are the strategies you play against.",
};
const FIRST_WAIT = 500; // milliseconds until who beats whom is asked for again; each wait is longer than the one before
const LONGEST_WAIT = 8000;

/** The page at the address that names no game. */
export async function anySolvedPage(context) {
  const games = await listOfGames();
  const known = FIRST.map((name) => games.find((game) => game.name === name && game.shipped)).find(Boolean);
  return solvedPage((known ?? games[0]).name, context);
}

export async function solvedPage(name, { signal }) {
  const path = `/api/solved/${encodeURIComponent(name)}`;
  const [solved, games] = await Promise.all([ask(path), listOfGames()]);
  const { game } = solved;
  const element = h(
    "div",
    { class: "solved" },
    h(
      "div",
      { class: "intro" },
      heading(game.title),
      h("p", { class: "lead" }, game.shipped ? inShort(solved.bounds, thing(game)) : NOTHING_KNOWN),
    ),
    h(
      "div",
      { class: "buttons" },
      h("a", { class: "button primary", href: "/", "data-nav": true }, "Play against it"),
      game.shipped && h("a", { class: "button", href: "#how-do-we-know" }, "How do we know?"),
    ),
    otherGames(games, name),
    game.shipped && findings(solved, path, signal),
  );
  return { title: `${game.title}: how well it can be played`, element };
}

function heading(title) {
  const [name, ...rules] = title.split(", ");
  return h("h1", {}, name, rules.length > 0 && h("span", { class: "rules" }, ` ${rules.join(", ")}`));
}

const NOTHING_KNOWN = "Nobody has worked this game out here yet. The computer plays it well, not perfectly.";

const settled = ({ lower, upper }) => Math.abs(upper - lower) < 5e-7;
const short = (value) => value.toFixed(2);

function inShort({ lower, upper }, what) {
  if (settled({ lower, upper })) {
    return (
      `When both sides play as well as can be, the ${what} is found in ${short(upper)} guesses on average. The ` +
      "computer plays like that, whether it hides or guesses."
    );
  }
  return (
    `The computer finds any ${what} in at most ${short(upper)} guesses on average. The best player there can be ` +
    `would need at least ${short(lower)} against one who hides well.`
  );
}

function otherGames(games, name) {
  const links = games
    .filter((game) => game.shipped && game.name !== name)
    .map((game) =>
      h("li", {}, h("a", { class: "button", href: `/solved/${game.name}`, "data-nav": true }, game.title)),
    );
  return links.length > 0 && fold("Look at another game", h("ul", { class: "links" }, links));
}

function findings(solved, path, signal) {
  const { game } = solved;
  return [
    h(
      "div",
      { class: "solved-grid" },
      solved.equally_likely === null
        ? [hider(game, solved.hider), letters(game, solved.letters)]
        : equalHider(game, solved.equally_likely),
    ),
    solved.race && race(solved.race),
    h(
      "section",
      { class: "know", id: "how-do-we-know", "aria-labelledby": "know-head" },
      h("h2", { class: "know-head", id: "know-head" }, "How do we know?"),
      bounds(solved.bounds),
      solved.race && proof("The race", h("p", { class: "soft" }, solved.race.note)),
      h(
        "div",
        { class: "solved-grid" },
        solved.history?.length > 2 && closing(solved.history, solved.bounds),
        whoBeatsWhom(solved, path, signal),
      ),
    ),
  ];
}

function panel(title, ...content) {
  return h("section", { class: "panel" }, h("h2", {}, title), content);
}

function proof(title, ...content) {
  return h("section", { class: "panel" }, h("h3", {}, title), content);
}

function bounds({ lower, upper, note }) {
  const number = (value, text) =>
    h("div", {}, h("strong", { class: "bound" }, value.toFixed(4)), h("span", { class: "soft" }, text));
  return h(
    "div",
    { class: "panel bounds" },
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
  const bars = (shown) => barList(shown, name, `The ${thing(game)}s hidden most often`, equal);
  const list = h("div", {}, bars(rows.slice(0, FIRST_SHOWN)));
  const more = h("button", { type: "button", class: "quiet", onclick: showAll }, `Show ${rows.length}`);
  const shown = count(Math.min(rows.length, FIRST_SHOWN), thing(game));

  function showAll() {
    fill(list, bars(rows));
    more.remove();
  }

  return panel(
    "What the computer hides most often",
    h(
      "p",
      { class: "soft" },
      `It draws its ${thing(game)} by chance; these ${shown} come up most. The red mark is where all would be if they `,
      `were equally likely: ${percent(equal)}.`,
    ),
    list,
    rows.length > FIRST_SHOWN && more,
  );
}

/** Return what there is to say of a hider whose secrets are all equally likely. */
function equalHider(game, hidden) {
  const never = game.secrets - hidden;
  const rest = never > 0 ? `, and never one of the other ${never}` : "";
  return panel(
    "What the computer hides",
    h("p", {}, `Any of ${count(hidden, thing(game))}, each with the same chance${rest}.`),
  );
}

function letters(game, shares) {
  const symbol = (name) =>
    game.family === "mastermind" ? drawSymbol(game, name) : h("span", { class: "upright-name" }, name.toUpperCase());
  const noun = isCode(game) ? (game.family === "bulls" ? "digit" : "colour") : "letter";
  const what = `How often each ${noun} is in what it hides`;
  return panel(`Its favourite ${noun}s`, h("p", { class: "soft" }, `${what}.`), barRow(shares, symbol, what));
}

/** Return what is known of a duel in which both play their best without watching each other. */
function race(told) {
  const more = (share) => `${Math.max(0, 100 * share).toFixed(1)} more`;
  const { one_sided_epsilon_first: first, one_sided_epsilon_second: second } = told;
  return panel(
    "If both race",
    h("p", {}, h("strong", { class: "bound" }, `${(100 * told.first_mover_wins).toFixed(1)}%`)),
    h(
      "p",
      {},
      "So often whoever begins wins a duel, where both hide and guess to be first and neither watches the other. ",
      `The best other way to play that was found wins ${more(told.epsilon_first)} games in a hundred for whoever `,
      `begins, and ${more(told.epsilon_second)} for the other. `,
      first !== null &&
        second !== null &&
        `Against a side that plays for few guesses on average it would be ${more(first)} and ${more(second)}. `,
      h("a", { href: "#how-do-we-know" }, "How do we know?"),
    ),
  );
}

function closing(history, { lower }) {
  const steps = history.filter((row) => row.iteration > 0); // the start has no place on a logarithmic axis
  const series = Object.keys(history[0])
    .filter((key) => key !== "iteration")
    .map((key) => {
      const [kind, name] = SERIES[key];
      return { kind, name, points: steps.map((row) => [row.iteration, row[key]]) };
    });
  return proof(
    "How the bounds closed in",
    h("p", { class: "soft" }, "Expected guesses as the solver went on."),
    lineChart("How the bounds closed in", series, [{ kind: "lower", name: "lower bound", value: lower }], "iterations"),
  );
}

function whoBeatsWhom(solved, path, signal) {
  const place = h("div", { "aria-live": "polite" });
  const element = proof("Who beats whom", place);
  draw(solved);
  return element;

  function draw({ leaderboard, pending, trouble }) {
    const waiting = "Every hider is being played against every guesser. One moment…";
    if (leaderboard) fill(place, heatMap(leaderboard), h("p", { class: "soft note" }, whoTheyAre(leaderboard)));
    else fill(place, h("p", { class: "soft" }, trouble ?? waiting));
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
