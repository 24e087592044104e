// Advice for a game that is played elsewhere: guesses and answers go in, good next guesses come out.

import { answerLegend, answerPad, askForAnswer } from "./answers.js";
import { ask, listOfGames, server } from "./api.js";
import { contradictionPanel } from "./contradiction.js";
import { errorPlace, fill, h } from "./dom.js";
import { wordField } from "./entry.js";
import { adviceList, wordsLeft } from "./hints.js";
import { count, thing } from "./phrases.js";
import { picker } from "./picker.js";
import { drawAnswer, drawGuess } from "./tokens.js";

const FIRST = "jotto-5"; // where the address names no game
const HIDERS = [
  ["shipped", "by a strong player (the computer's strategy)"],
  ["uniform", "at random, all alike"],
];

export async function suggestPage({ signal }) {
  const games = await listOfGames();
  const { state, unread } = read(games);
  const error = errorPlace();
  const notice = errorPlace(); // on what stands in the address
  const lines = h("div");
  const entry = h("div");
  const under = h("div", { class: "under" });
  const results = h("div", { class: "panel results", "aria-live": "polite" });
  let asked = 0;

  const gameOf = () => games.find((game) => game.name === state.game);
  const isOver = () => state.history.at(-1)?.answer === gameOf().found;
  const hider = picker("The secret was hidden", HIDERS, state.hider, (value) => {
    state.hider = value;
    refresh();
  });
  const chooser = picker(
    "Game",
    games.map((game) => [game.name, game.title]),
    state.game,
    (value) => {
      state.game = value;
      state.history = [];
      notice.clear();
      draw();
    },
  );

  function draw() {
    hider.hidden = !gameOf().shipped;
    drawLines();
    drawEntry();
    refresh();
  }

  function drawLines() {
    const game = gameOf();
    const removal = (guess, index) => {
      const label = `Remove ${guess}`;
      return h(
        "button",
        { type: "button", class: "quiet change", "aria-label": label, onclick: () => remove(index) },
        "remove",
      );
    };
    const row = ({ guess, answer }, index) =>
      h(
        "li",
        { class: "row" },
        number(index),
        drawGuess(game, guess, { answer }),
        removal(guess, index),
        drawAnswer(game, answer),
      );
    fill(lines, h("ol", { class: "rows", "aria-label": "Guesses so far" }, state.history.map(row)));
  }

  function drawEntry(focus = false) {
    const game = gameOf();
    if (isOver()) {
      fill(entry);
      fill(under, h("p", { class: "soft" }, "The game is over. Remove a line to go back."));
      return;
    }
    const place = h("div", { class: "answer-place" });
    const field = wordField(game, { label: `A ${thing(game)} that was guessed`, changed: offer });
    fill(entry, h("div", { class: "row row-entry" }, number(state.history.length), field.element));
    fill(under, field.error.element, field.palette, place, answerLegend(game));
    field.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // or the same press would choose the answer that it moves to
      place.querySelector("button")?.focus();
    });
    if (focus) field.input.focus({ preventScroll: true });
    offer();

    function offer() {
      const guess = field.value();
      const ready = guess.length === game.letters;
      const text = ready ? "And the answer was" : `Write a ${thing(game)} that was guessed, then choose its answer.`;
      fill(
        place,
        h("p", { class: "soft" }, text),
        ready && answerPad(game, guess, (answer) => add({ guess, answer }, field)),
      );
    }
  }

  async function add(turn, field) {
    notice.clear();
    state.history.push(turn);
    const fine = await refresh();
    if (fine === "refused") {
      state.history.pop();
      field.refuse(error.element.textContent);
      error.clear();
      write(state);
      return;
    }
    drawLines();
    drawEntry(true);
  }

  function remove(index) {
    state.history.splice(index, 1);
    drawLines();
    drawEntry(true);
    refresh();
  }

  async function refresh() {
    asked += 1;
    const mine = asked;
    const game = gameOf();
    write(state);
    error.clear();
    results.classList.add("busy");
    try {
      const advice = await ask("/api/suggest", {
        game: state.game,
        history: spelled(state.history),
        hider: game.shipped ? state.hider : "uniform",
      });
      if (mine !== asked || signal.aborted) return "late";
      fill(results, advice.finished ? theEnd(game) : good(game, advice));
      return "fine";
    } catch (refusal) {
      if (mine !== asked || signal.aborted) return "late";
      error.show(refusal);
      const corrections = refusal.reply?.corrections;
      fill(results, corrections && contradictionPanel(game, corrections, { amend: change, choose }));
      return corrections || refusal.status !== 422 ? "contradiction" : "refused";
    } finally {
      results.classList.remove("busy");
    }
  }

  function theEnd(game) {
    const made = count(state.history.length, "guess", "guesses");
    const { guess, answer } = state.history.at(-1);
    return [
      h("h2", {}, "The game is over"),
      h("p", {}, `Found in ${made}. The ${thing(game)} was `, drawGuess(game, guess, { answer })),
    ];
  }

  function change(turn, label) {
    state.history[turn].answer = label;
    drawLines();
    drawEntry();
    refresh();
  }

  function choose(turn) {
    const { guess, answer } = state.history[turn];
    askForAnswer(gameOf(), guess, answer, (label) => change(turn, label));
  }

  draw();
  if (unread.length > 0) notice.show(`In the address: ${unread.join("; ")}.`);
  server.addEventListener("back", refresh, { signal });
  const element = h(
    "div",
    { class: "suggest" },
    h(
      "div",
      { class: "intro" },
      h("h1", {}, "Advice for a game elsewhere"),
      h(
        "p",
        { class: "lead" },
        "Write down what was guessed and how it was answered. Estimates only; the words left are certain.",
      ),
    ),
    notice.element,
    h("div", { class: "pickers" }, chooser, hider),
    h(
      "div",
      { class: "board board-two" },
      h(
        "section",
        { class: "paper column" },
        h("h2", {}, "Guesses so far"),
        h("div", { class: "ruled" }, lines, entry),
        under,
        error.element,
      ),
      results,
    ),
  );
  return { title: "Advice", element };
}

const number = (index) => h("span", { class: "number", "aria-hidden": "true" }, String(index + 1));

function good(game, advice) {
  return [
    h("h2", {}, "What is left"),
    wordsLeft(game, advice.left, advice.words),
    h("h2", {}, "Good next guesses"),
    adviceList(game, advice),
  ];
}

const spelled = (history) => history.map((turn) => `${turn.guess}:${turn.answer}`).join(" ");

// What was written is kept in the address, so that a reload or a bookmark brings it back.
// What cannot be read in it is shown as an error.
function read(games) {
  const given = new URLSearchParams(location.search);
  const unread = [];
  const named = (name) => games.find((one) => one.name === name);
  const wanted = given.get("game");
  const game = named(wanted) ?? named(FIRST);
  const hider = given.get("hider") ?? "shipped";
  const known = wanted === null || wanted === game.name;
  if (!known) unread.push(`there is no game “${wanted}” here, so this is ${game.title}`);
  if (!HIDERS.some(([name]) => name === hider)) unread.push(`“${hider}” is no way to hide that is known here`);
  const history = [];
  for (const turn of (given.get("history") ?? "").split(" ").filter(Boolean)) {
    const [guess, answer, ...more] = turn.split(":");
    if (guess && game.labels.includes(answer) && more.length === 0) history.push({ guess, answer });
    else unread.push(`“${turn}” is no guess with an answer of this game, and was left out`);
  }
  return { state: { game: game.name, history, hider: hider === "uniform" ? hider : "shipped" }, unread };
}

function write(state) {
  const query = new URLSearchParams({ game: state.game });
  if (state.history.length > 0) query.set("history", spelled(state.history));
  if (state.hider !== "shipped") query.set("hider", state.hider);
  history.replaceState(null, "", `/suggest?${query}`);
}
