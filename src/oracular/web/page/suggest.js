// Advice for a game that is played elsewhere: guesses and answers go in, good next guesses come out.

import { aimAfter, aimChooser, isAim, usedUp } from "./aim.js";
import { answerLegend, answerPad, askForAnswer, chosenByKey } from "./answers.js";
import { ask, listOfGames, server } from "./api.js";
import { choiceOf, fold, gameChooser, gameOf, radios } from "./choices.js";
import { contradictionPanel } from "./contradiction.js";
import { errorPlace, fill, h, say } from "./dom.js";
import { wordField } from "./entry.js";
import { adviceList, wordsLeft } from "./hints.js";
import { count, isCode, STANDARD, thing } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

const HIDERS = {
  uniform: ["Chance", ""],
  shipped: ["Our computer", ""],
};

export async function suggestPage({ rename, signal }) {
  const games = await listOfGames();
  const { state, unread } = read(games);
  const [error, notice] = [errorPlace(), errorPlace()]; // the notice is on what stands in the address
  const lines = h("div");
  const entry = h("div");
  const under = h("div", { class: "under" });
  const trouble = h("div");
  const results = h("div", { class: "panel results", "aria-live": "polite" });
  const title = h("strong");
  const choice = choiceOf(game());
  const chooser = gameChooser(games, choice, { changed: otherGame });
  const hider = radios("Who chose the word?", "hider", Object.keys(HIDERS), {
    small: true,
    checked: state.hider,
    words: (name) => HIDERS[name],
    chosen(name) {
      state.hider = name;
      refresh();
    },
  });
  const aim = aimChooser(state, () => refresh());
  aim.prepend(hider);
  const mend = { amend: change, choose, remedy: "remove those that are wrong, then type them again" };
  let asked = 0;
  let busy = false; // an answer is being looked at

  function game() {
    return games.find((one) => one.name === state.game);
  }

  function otherGame() {
    state.game = gameOf(games, choice).name;
    state.history = [];
    notice.clear();
    draw();
  }

  function draw() {
    title.textContent = game().title;
    hider.hidden = !game().shipped; // otherwise the computer, too, leaves it to chance
    hider.querySelector("legend").textContent = `Who chose the ${thing(game())}?`;
    drawLines();
    drawEntry();
    refresh();
  }

  function drawLines() {
    const removal = (guess, index) => {
      const label = `Remove ${guess}`;
      const pressed = () => remove(index);
      return h("button", { type: "button", class: "quiet change", "aria-label": label, onclick: pressed }, "remove");
    };
    const row = ({ guess, answer }, index) =>
      h(
        "li",
        { class: "row" },
        number(index),
        drawGuess(game(), guess, { answer }),
        removal(guess, index),
        drawAnswer(game(), answer),
      );
    fill(lines, h("ol", { class: "rows", "aria-label": "Guesses so far" }, state.history.map(row)));
  }

  function drawEntry(focus = false) {
    if (state.history.at(-1)?.answer === game().found) {
      fill(entry);
      fill(under, h("p", { class: "soft" }, "The game is over. Remove a line to go back."));
      return;
    }
    const what = thing(game());
    const place = h("div", { class: "answer-place" });
    const field = wordField(game(), { label: `A ${what} that was guessed`, changed: offer });
    fill(entry, h("div", { class: "row row-entry" }, number(state.history.length), field.element));
    fill(under, field.error.element, field.palette, place, answerLegend(game()));
    field.input.addEventListener("keydown", (event) => {
      if (!isCode(game())) chosenByKey(place, event); // a digit is an answer where it cannot be a part of the guess
      if (event.key !== "Enter") return;
      event.preventDefault(); // or the same press would choose the answer that it moves to
      place.querySelector("button")?.focus();
    });
    if (focus) field.input.focus({ preventScroll: true });
    offer();

    function offer() {
      const guess = field.value();
      if (guess.length !== game().letters) {
        fill(place, h("p", { class: "soft" }, `Type a ${what} that was guessed, then choose its answer.`));
        return;
      }
      const pad = answerPad(game(), guess, (answer) => add({ guess, answer }, field, place));
      fill(place, h("p", { class: "soft" }, `And the answer to ${guess.toUpperCase()}?`), pad);
    }
  }

  /** Add a guess with its answer, once the server has taken it; meanwhile no other one is. */
  async function add(turn, field, place) {
    if (busy) return;
    wait(true);
    notice.clear();
    const outcome = await refresh(turn);
    wait(false);
    if (outcome === "refused") {
      field.refuse(error.element.textContent);
      error.clear();
    } else if (outcome === "taken") goOn();
    else if (outcome === "gone") field.input.focus({ preventScroll: true });

    function wait(on) {
      busy = on;
      place.inert = on;
      field.input.readOnly = on;
    }
  }

  async function remove(index) {
    state.history.splice(index, 1);
    drawLines();
    drawEntry(true);
    if ((await refresh()) === "taken") focusHeading();
  }

  async function change(turn, label) {
    state.history[turn].answer = label;
    drawLines();
    drawEntry(true);
    if ((await refresh()) === "taken") focusHeading();
  }

  /** Show the lines as they are now, and bring the focus to where one goes on. */
  function goOn() {
    drawLines();
    drawEntry(true);
    focusHeading();
  }

  /** Focus what has to be read first: a contradiction or the end; otherwise the next guess keeps the focus. */
  function focusHeading() {
    const over = state.history.at(-1)?.answer === game().found;
    (trouble.querySelector("h2") ?? (over ? results.querySelector("h2") : null))?.focus();
  }

  /**
   * Ask for advice, with one more `turn` perhaps, and show it; return how that went.
   *
   * "taken", also where the answers contradict each other; "refused", where the turn is none of this game; "gone",
   * where there is no reply; "late", where something else was asked for meanwhile.
   */
  async function refresh(turn = null) {
    asked += 1;
    const mine = asked;
    const played = game();
    const history = turn === null ? state.history : [...state.history, turn];
    if (turn === null) write();
    error.clear();
    results.setAttribute("aria-busy", "true");
    try {
      const assumed = played.shipped ? state.hider : "uniform";
      const wanted = {
        game: played.name,
        history: spelled(history),
        hider: assumed,
        objective: aimAfter(state.aim, history),
      };
      const advice = await ask("/api/suggest", wanted);
      if (mine !== asked || signal.aborted) return "late";
      if (advice.finished) history.at(-1).answer = played.found; // as all letters in common may be meant
      take(history);
      fill(trouble);
      results.hidden = false;
      fill(results, advice.finished ? theEnd(played) : good(played, advice, usedUp(state.aim, history)));
      return "taken";
    } catch (refusal) {
      if (mine !== asked || signal.aborted) return "late";
      const corrections = refusal.reply?.corrections;
      if (corrections) take(history);
      else error.show(refusal); // a panel says it better
      if (turn !== null && !corrections) return refusal.status === 422 ? "refused" : "gone";
      fill(trouble, corrections && contradictionPanel(played, corrections, mend));
      results.hidden = true;
      if (corrections) say(trouble.querySelector("h2").textContent);
      return corrections ? "taken" : "refused";
    } finally {
      if (mine === asked) results.removeAttribute("aria-busy");
    }
  }

  function take(history) {
    state.history = history;
    write();
  }

  const write = () => rename(addressOf(state));

  function theEnd(played) {
    const made = count(state.history.length, "guess", "guesses");
    const { guess, answer } = state.history.at(-1);
    return [
      h("h2", { tabindex: "-1" }, "The game is over"),
      h("p", {}, `Found in ${made}. The ${thing(played)} was `, drawGuess(played, guess, { answer })),
    ];
  }

  function choose(turn) {
    const { guess, answer } = state.history[turn];
    askForAnswer(game(), guess, answer, (label) => change(turn, label));
  }

  draw();
  if (unread.length > 0) notice.show(`In the address: ${unread.join("; ")}.`);
  server.addEventListener("back", () => refresh(), { signal });
  const element = h(
    "div",
    { class: "suggest" },
    h(
      "div",
      { class: "intro" },
      h("h1", {}, "Stuck in a game?"),
      h("p", { class: "lead" }, "Type what was guessed and how it was answered, and see what to guess next."),
    ),
    notice.element,
    h(
      "div",
      { class: "board board-two" },
      h(
        "section",
        { class: "paper" },
        h("p", { class: "advised" }, title),
        fold("Another game", h("div", { class: "chooser" }, chooser.element)),
        aim,
        h("div", { class: "ruled" }, lines, entry),
        under,
        error.element,
      ),
      h("div", { class: "side" }, trouble, results),
    ),
  );
  return { title: "Advice", element, focus: () => element.querySelector(".word-input") };
}

const number = (index) => h("span", { class: "number", "aria-hidden": "true" }, String(index + 1));

function good(game, advice, missed) {
  const head = h("h2", {}, "Good next guesses");
  return [head, missed && h("p", {}, missed), wordsLeft(game, advice), adviceList(game, advice)];
}

const spelled = (history) => history.map((turn) => `${turn.guess}:${turn.answer}`).join(" ");

// What was written is kept in the address, so that a reload or a bookmark brings it back.
// What cannot be read in it is shown as an error.
function read(games) {
  const given = new URLSearchParams(location.search);
  const unread = [];
  const named = (name) => games.find((one) => one.name === name);
  const wanted = given.get("game");
  const game = named(wanted) ?? named(STANDARD.name) ?? games[0];
  const hider = given.get("hider") ?? "uniform";
  const aim = given.get("aim") ?? "mean";
  const known = wanted === null || wanted === game.name;
  if (!known) unread.push(`there is no game “${wanted}” here, so this is ${game.title}`);
  if (!Object.hasOwn(HIDERS, hider)) unread.push(`“${hider}” is no way to hide that is known here`);
  if (!isAim(aim)) unread.push(`“${aim}” is no aim that is known here`);
  const history = [];
  for (const turn of (given.get("history") ?? "").split(" ").filter(Boolean)) {
    const [guess, answer, ...more] = turn.split(":");
    if (guess && game.labels.includes(answer) && more.length === 0) history.push({ guess, answer });
    else unread.push(`“${turn}” is no guess with an answer of this game, and was left out`);
  }
  const [assumed, wished] = [hider === "shipped" ? hider : "uniform", isAim(aim) ? aim : "mean"];
  return { state: { game: game.name, history, hider: assumed, aim: wished }, unread };
}

function addressOf(state) {
  const query = new URLSearchParams({ game: state.game });
  if (state.history.length > 0) query.set("history", spelled(state.history));
  if (state.hider !== "uniform") query.set("hider", state.hider);
  if (state.aim !== "mean") query.set("aim", state.aim);
  return `/suggest?${query}`;
}
