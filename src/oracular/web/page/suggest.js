// Advice for a game that is played elsewhere: guesses and answers go in, good next guesses come out.

import { answerPad } from "./answers.js";
import { ask, listOfGames } from "./api.js";
import { errorPlace, fill, freshId, h } from "./dom.js";
import { wordField } from "./entry.js";
import { adviceList, wordsLeft } from "./hints.js";
import { answerInWords, thing } from "./phrases.js";
import { drawAnswer, drawGuess, shortAnswer } from "./tokens.js";

export async function suggestPage({ signal }) {
  const games = await listOfGames();
  const state = read(games);
  const error = errorPlace();
  const lines = h("div");
  const entry = h("div");
  const under = h("div", { class: "under" });
  const results = h("div", { class: "panel results", "aria-live": "polite" });
  let asked = 0;

  const gameOf = () => games.find((game) => game.name === state.game);
  const hider = picker("The secret was hidden", [["shipped", "by a strong player (the computer's strategy)"], ["uniform", "at random, all alike"]], state.hider, (value) => {
    state.hider = value;
    refresh();
  });
  const chooser = picker("Game", games.map((game) => [game.name, game.title]), state.game, (value) => {
    state.game = value;
    state.history = [];
    draw();
  });

  function draw() {
    hider.hidden = !gameOf().shipped;
    drawLines();
    drawEntry();
    refresh();
  }

  function drawLines() {
    const game = gameOf();
    fill(lines, h("ol", { class: "rows", "aria-label": "Guesses so far" }, state.history.map((turn, index) =>
      h("li", { class: "row" },
        h("span", { class: "number", "aria-hidden": "true" }, String(index + 1)),
        drawGuess(game, turn.guess, { answer: turn.answer }),
        h("button", { type: "button", class: "quiet change", "aria-label": `Remove ${turn.guess}`, onclick: () => remove(index) }, "remove"),
        drawAnswer(game, turn.answer)))));
  }

  function drawEntry(focus = false) {
    const game = gameOf();
    const place = h("div", { class: "answer-place" });
    const field = wordField(game, { label: `A ${thing(game)} that was guessed`, changed: offer });
    fill(entry,
      h("div", { class: "row row-entry" }, h("span", { class: "number", "aria-hidden": "true" }, String(state.history.length + 1)), field.element));
    fill(under, field.error.element, field.palette, place);
    field.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") place.querySelector("button")?.focus();
    });
    if (focus) field.input.focus({ preventScroll: true });
    offer();

    function offer() {
      const guess = field.value();
      const ready = guess.length === game.letters;
      fill(place, ready ? [h("p", { class: "soft" }, "And the answer was"), answerPad(game, guess, (answer) => add({ guess, answer }, field))]
        : h("p", { class: "soft" }, `Write a ${thing(game)} that was guessed, then choose its answer.`));
    }
  }

  async function add(turn, field) {
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
    const mine = (asked += 1);
    const game = gameOf();
    write(state);
    error.clear();
    results.classList.add("busy");
    try {
      const advice = await ask("/api/suggest", { game: state.game, history: spelled(state.history), hider: game.shipped ? state.hider : "uniform" });
      if (mine !== asked || signal.aborted) return "late";
      const over = state.history.at(-1)?.answer === game.found;
      fill(results, h("h2", {}, "What is left"), wordsLeft(game, advice.left, advice.words), !over && [h("h2", {}, "Good next guesses"), adviceList(game, advice)]);
      return "fine";
    } catch (refusal) {
      if (mine !== asked || signal.aborted) return "late";
      error.show(refusal);
      const corrections = refusal.reply?.corrections;
      fill(results, corrections && disagreement(game, corrections));
      return corrections || refusal.status !== 422 ? "contradiction" : "refused";
    } finally {
      results.classList.remove("busy");
    }
  }

  function disagreement(game, corrections) {
    return h("section", { class: "panel alarm" },
      h("h2", {}, "These answers cannot all be right"),
      corrections.length === 0 ? h("p", {}, "No single change mends them.") : h("ul", { class: "corrections" }, corrections.map((correction) =>
        h("li", {},
          h("span", { class: "correction-turn" }, `${correction.turn + 1}.`),
          drawGuess(game, correction.guess, { answer: correction.answer }),
          h("span", {}, `now ${answerInWords(game, correction.answer)}`),
          h("span", { class: "correction-keys" }, correction.could_be.slice(0, 8).map((label) =>
            h("button", { type: "button", "aria-label": `Change ${correction.guess} to ${answerInWords(game, label)}`, onclick: () => change(correction.turn, label) }, "make it ", shortAnswer(game, label))))))));
  }

  function change(turn, label) {
    state.history[turn].answer = label;
    drawLines();
    refresh();
  }

  draw();
  const element = h("div", { class: "suggest" },
    h("div", { class: "intro" }, h("h1", {}, "Advice for a game elsewhere"), h("p", { class: "lead" }, "Write down what was guessed and how it was answered. Estimates only; the words left are certain.")),
    h("div", { class: "pickers" }, chooser, hider),
    h("div", { class: "board board-two" },
      h("section", { class: "paper column" }, h("h2", {}, "Guesses so far"), h("div", { class: "ruled" }, lines, entry), under, error.element),
      results));
  return { title: "Advice", element };
}

function picker(label, options, value, chosen) {
  const id = freshId("pick");
  return h("div", { class: "pick" }, h("label", { for: id }, label),
    h("select", { id, onchange: (event) => chosen(event.target.value) }, options.map(([name, text]) => h("option", { value: name, selected: name === value }, text))));
}

const spelled = (history) => history.map((turn) => `${turn.guess}:${turn.answer}`).join(" ");

// What was written is kept in the address, so that a reload or a bookmark brings it back.
function read(games) {
  const given = new URLSearchParams(location.search);
  const game = games.find((one) => one.name === given.get("game")) ?? games.find((one) => one.name === "jotto-5") ?? games[0];
  const history = (given.get("history") ?? "").split(" ").filter(Boolean).map((turn) => {
    const [guess, answer] = turn.split(":");
    return { guess, answer };
  }).filter((turn) => turn.guess && game.labels.includes(turn.answer));
  return { game: game.name, history, hider: given.get("hider") === "uniform" ? "uniform" : "shipped" };
}

function write(state) {
  const query = new URLSearchParams({ game: state.game });
  if (state.history.length > 0) query.set("history", spelled(state.history));
  if (state.hider !== "shipped") query.set("hider", state.hider);
  history.replaceState(null, "", `/suggest?${query}`);
}
