// One match: shows it as the server has it, sends what the person does, and follows along where another plays.

import { ask, server } from "./api.js";
import { computerColumn, guessColumn } from "./columns.js";
import { confirm } from "./dialog.js";
import { errorPlace, h, say } from "./dom.js";
import { notes as notesOf } from "./marks.js";
import { inPlay, MODES, spokenTurn, thing } from "./phrases.js";
import { forget, remember } from "./recent.js";
import { resultPanel } from "./result.js";
import { shareButton } from "./share.js";
import { side as sideOf } from "./side.js";

const EVERY = 2500; // how often a watcher asks, in milliseconds

export async function matchPage(id, { go, signal }) {
  let match;
  try {
    match = await ask(`/api/matches/${encodeURIComponent(id)}`);
  } catch (refusal) {
    if (refusal.status === 404) forget(id);
    throw refusal;
  }
  const { game, mode } = match;
  const path = `/api/matches/${encodeURIComponent(id)}`;
  const notes = notesOf(id, () => {
    side.marksChanged();
    for (const column of columns) column.update(match);
  });
  async function send(action, body = {}) {
    try {
      accept(await ask(`${path}/${action}`, { ...body, version: match.version }));
    } catch (refusal) {
      if (refusal.status === 409) refresh(); // another move came first, perhaps from another window
      throw refusal;
    }
  }

  const mine = mode === "hide" ? null : guessColumn(match, { notes, guess: (guess) => send("guess", { guess }) });
  const its =
    mode === "guess"
      ? null
      : computerColumn(match, {
          answer: (answer) => send("answer", { answer }),
          amend: (turn, answer) => send("amend", { turn, answer }),
        });
  const columns = [mine, its].filter(Boolean);
  const side = sideOf(match, { notes, use: match.yours && mine ? write : null });
  const result = resultPanel(id, { go });
  const watching = h(
    "p",
    { class: "watching" },
    "You are watching. The one who began this game makes the moves; this page follows along.",
  );
  const actions = actionBar();
  const element = h(
    "div",
    { class: `match match-${mode}` },
    heading(match),
    watching,
    result.element,
    h(
      "div",
      { class: "board" },
      columns.map((column) => column.element),
      side.element,
    ),
    about(match),
  );
  columns[0].element.append(actions.element);

  function write(guess) {
    mine.field.set(guess);
    mine.field.input.focus();
  }

  function accept(next) {
    const before = match;
    match = next;
    draw();
    announce(before, next);
    if (next.version !== before.version) side.update();
    remember(next);
  }

  function draw() {
    for (const column of columns) column.update(match);
    watching.hidden = match.yours || match.result !== null;
    actions.update();
    result.update(match);
  }

  function actionBar() {
    const error = errorPlace();
    const hint = h("button", { type: "button", onclick: () => side.hint() }, "Hint");
    const undo = h("button", { type: "button", onclick: takeBack }, "Take back");
    const end = h("button", { type: "button", onclick: giveUp }, mode === "hide" ? "End the game" : "Give up");
    const undone = h("span", { class: "soft" });
    const bar = h("div", { class: "actions" }, mine && hint, undo, end, undone, error.element);
    let busy = false;

    async function attempt(action) {
      if (busy) return;
      busy = true;
      error.clear();
      try {
        await send(action);
      } catch (refusal) {
        error.show(refusal);
      } finally {
        busy = false;
      }
    }

    function takeBack(event) {
      if (event.detail < 2) attempt("undo"); // a double click takes one move back
    }

    async function giveUp() {
      const question = mode === "hide" ? "End this game?" : `Give up and see the ${thing(game)}?`;
      if (await confirm(question, mode === "hide" ? "End it" : "Give up", "Play on")) await attempt("give-up");
    }

    function update() {
      bar.hidden = !match.yours || match.result !== null;
      undo.disabled = (mode === "hide" ? match.computer : match.guesses).length === 0;
      undone.textContent = match.undone > 0 ? `taken back: ${match.undone}` : "";
    }

    return { element: bar, update };
  }

  async function refresh() {
    try {
      const next = await ask(path);
      if (!signal.aborted && next.version !== match.version) accept(next);
    } catch {
      // the banner tells that the server is gone, and it is asked again later
    }
  }

  function follow() {
    if (signal.aborted) return;
    setTimeout(async () => {
      if (signal.aborted || match.result !== null) return;
      if (!document.hidden) await refresh();
      follow();
    }, EVERY);
  }

  server.addEventListener("back", refresh, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || refresh(), { signal });
  if (!match.yours) follow();
  draw();
  remember(match);
  if (its) document.addEventListener("keydown", its.pressed, { signal });
  return { title: game.title, element, focus };

  function focus() {
    const moves = { guess: mine?.field.input, answer: its?.firstKey(), amend: its?.element.querySelector(".alarm h2") };
    return match.yours ? moves[match.to_move] : null;
  }

  function announce(before, next) {
    const spoken = (who, turns, old) => turns.slice(old.length).map((turn) => spokenTurn(game, who, turn));
    const fresh = spoken(next.yours ? "You" : "The player", next.guesses, before.guesses);
    if (mode === "duel") fresh.push(...spoken("The computer", next.computer, before.computer));
    if (next.pending && next.pending !== before.pending) fresh.push(`The computer guesses ${next.pending}.`);
    if (next.to_move === "amend") fresh.push("These answers cannot all be right.");
    if (fresh.length > 0) say(fresh.join(" "));
  }
}

function heading(match) {
  const { game, mode } = match;
  const word = thing(game);
  const [player, whose] = match.yours ? ["You", "your"] : ["The player", "the player's"];
  const starter = match.starter === "computer" ? "The computer starts" : `${player} start${match.yours ? "" : "s"}`;
  const text = {
    guess: match.yours ? `Find the computer's ${word}.` : `The player looks for the computer's ${word}.`,
    hide: `The computer looks for ${whose} ${word}.`,
    duel:
      `${starter}. Equal turns for both, so it may end in a draw. The computer plays for the fewest expected ` +
      `guesses; it never reads ${whose} ${word}.`,
  };
  return h(
    "div",
    { class: "match-head" },
    h(
      "div",
      {},
      h("h1", {}, game.title, h("span", { class: "mode" }, MODES[mode][0])),
      h("p", { class: "soft" }, text[mode]),
    ),
    shareButton(),
  );
}

function about({ game, mode }) {
  return h("p", { class: "about soft" }, `${inPlay(game, mode)} ${game.strategy[mode]}`);
}
