// One match: shows it as the server has it, sends what the person does, and follows along where another plays.

import { ask, server } from "./api.js";
import { winningChance } from "./chance.js";
import { computerColumn, guessColumn } from "./columns.js";
import { closeWith, confirm } from "./dialog.js";
import { errorPlace, h, say } from "./dom.js";
import { showHowToPlay } from "./howto.js";
import { iconButton } from "./icons.js";
import { notes as notesOf } from "./marks.js";
import { dayInWords, duelRule, MODES, spokenTurn, thing } from "./phrases.js";
import { forget, remember } from "./recent.js";
import { outcome, resultPanel } from "./result.js";
import { sendMove, TRYING } from "./sending.js";
import { side as sideOf } from "./side.js";
import { countMatch } from "./statistics.js";
import { askForWord } from "./telling.js";

const EVERY = 2500; // how often a watcher asks, in milliseconds

export async function matchPage(id, { go, signal }) {
  const path = `/api/matches/${encodeURIComponent(id)}`;
  let match;
  try {
    const [now, card] = await Promise.all([ask(path), ask(`${path}/game`)]);
    match = { ...now, game: card };
  } catch (refusal) {
    if (refusal.status === 404) forget(id);
    throw refusal;
  }
  if (signal.aborted) return { element: null }; // it was left meanwhile
  const { game, mode } = match;
  const notes = notesOf(id, () => {
    side.noted();
    mine?.noted();
  });
  const help = () => closeWith(signal, showHowToPlay(game, mode));

  async function send(action, body = {}) {
    const waits = (on) => columns[0].waits(on ? TRYING : null);
    accept(await sendMove(path, action, body, match, { signal, waits, overtaken: accept }));
  }

  const mine = mode === "hide" ? null : guessColumn(match, { notes, guess: (guess) => send("guess", { guess }), help });
  const its =
    mode === "guess"
      ? null
      : computerColumn(match, {
          answer: (answer) => send("answer", { answer }),
          amend: (turn, answer) => send("amend", { turn, answer }),
          tell: tellUnknown,
          signal,
        });
  const columns = [mine, its].filter(Boolean);
  const chance = mode === "duel" && match.yours ? winningChance(match, { signal }) : null;
  const side = sideOf(match, {
    notes,
    use: match.yours && mine ? write : null,
    prove: (proofs) => mine?.prove(proofs),
    help,
    chance: chance?.control,
    signal,
  });
  const result = resultPanel(id, { go, signal });
  const watching = h(
    "p",
    { class: "watching" },
    "You are watching. The one who began this game makes the moves; this page follows along.",
  );
  const tools = toolBar();
  const head = heading(match, tools.element);
  const stage = h(
    "div",
    { class: "stage" },
    columns.map((column) => column.element),
  );
  side.element.prepend(result.record);
  const element = h(
    "div",
    { class: `match match-${mode}` },
    head.element,
    tools.error.element,
    watching,
    result.element,
    chance?.element,
    h("div", { class: "board" }, stage, side.element),
  );

  function write(guess) {
    mine.field.set(guess);
    window.scrollTo({ top: away() });
    mine.field.input.focus({ preventScroll: true });
  }

  /** Show the match as the server has it; a reply that comes late is ignored. */
  function accept(next) {
    if (next.version < match.version) return;
    const before = match;
    match = { ...next, game };
    keep();
    if (signal.aborted) return;
    draw();
    announce(before, match);
    if (next.version !== before.version) side.update(match);
    if (next.result !== null && before.result === null) window.scrollTo({ top: 0 });
  }

  /** Keep in this browser how the match stands. */
  function keep() {
    remember(match);
    countMatch(match);
  }

  function draw() {
    for (const column of columns) column.update(match);
    watching.hidden = match.yours || match.result !== null;
    element.classList.toggle("match-open", match.result === null);
    tools.update();
    head.update(match);
    chance?.update(match);
    result.update(match);
  }

  function tellUnknown() {
    askForWord(game, {
      heading: `Which ${thing(game)} was it?`,
      text: "The game ends with it, and each answer is looked at once more.",
      tell: (word) => send("tell", { word }),
      signal,
    });
  }

  function toolBar() {
    const error = errorPlace();
    const hint = iconButton("bulb", "Hint", () => side.hint());
    const pencil = iconButton("pencil", "Notes", noteByTap, { "aria-pressed": "false" });
    const undo = iconButton("back", "Take back", takeBack);
    const end = iconButton("flag", mode === "hide" ? "End" : "Give up", giveUp);
    const undone = h("span", { class: "undone soft note" });
    const bar = h("div", { class: "actions" }, undone, mine && [pencil, hint], undo, end);
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

    function noteByTap() {
      const on = pencil.getAttribute("aria-pressed") !== "true";
      pencil.setAttribute("aria-pressed", String(on));
      mine.keys.setNoting(on);
      say(on ? "The keys now take notes." : "The keys write again.");
    }

    function takeBack(event) {
      if (event.detail < 2) attempt("undo"); // a double click takes one move back
    }

    async function giveUp() {
      if (mode === "hide") return endHiding();
      if (await confirm(`Give up and see the ${thing(game)}?`, "Give up", "Play on", { signal }))
        await attempt("give-up");
      return undefined;
    }

    function endHiding() {
      const text = `Tell your ${thing(game)} if you like: then you see whether each answer was right.`;
      const ways = { tell: (word) => send("tell", { word }), end: () => send("give-up"), signal };
      askForWord(game, { heading: "End this game?", text, ...ways });
    }

    function update() {
      bar.hidden = !match.yours || match.result !== null;
      undo.hidden = match.may_undo === false;
      undo.disabled = (mode === "hide" ? match.computer : match.guesses).length === 0;
      undone.textContent = match.undone > 0 ? `taken back: ${match.undone}` : "";
      if (match.undone > 0) undo.dataset.undone = match.undone; // in a narrow window it stands on the button
    }

    return { element: bar, error, update };
  }

  async function refresh() {
    try {
      const next = await ask(path);
      if (!signal.aborted && next.version !== match.version) accept(next);
    } catch {
      // the banner shows it, and the server is asked again later
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

  /** Return how much of the page is scrolled away while a match is played: in a low window, its header. */
  function away() {
    return low.matches && match.result === null ? header.offsetHeight : 0;
  }

  /** Let the stage fill what the window has left below the lines above it. */
  function fit() {
    let above = 0; // as laid out, whatever moves
    for (let one = stage; one; one = one.offsetParent) above += one.offsetTop;
    element.style.setProperty("--above", `${above - away()}px`);
  }

  /** Begin below the header where the window is low: it is there for whoever scrolls up. */
  function settle() {
    fit();
    const looksAtStage = stage.getBoundingClientRect().bottom > window.innerHeight / 2;
    if (match.result === null && looksAtStage) window.scrollTo({ top: away() });
  }

  const header = document.querySelector(".top");
  const low = window.matchMedia("(max-height: 28rem) and (max-width: 36rem)");
  low.addEventListener("change", settle, { signal });
  const above = new ResizeObserver(fit);
  for (const one of [header, document.getElementById("banner"), head.element]) above.observe(one);
  for (const one of [tools.error.element, watching, chance?.element]) if (one) above.observe(one);
  signal.addEventListener("abort", () => above.disconnect());
  server.addEventListener("back", refresh, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || refresh(), { signal });
  if (!match.yours) follow();
  keep();
  draw();
  document.addEventListener("keydown", pressed, { signal });
  if (low.matches) requestAnimationFrame(() => signal.aborted || settle()); // when it is laid out
  return { title: game.title, element, focus };

  function pressed(event) {
    if (match.yours && match.to_move === "guess") mine.keys.pressed(event);
    else its?.pressed(event);
  }

  function focus() {
    const touch = window.matchMedia("(pointer: coarse)").matches; // nobody types there
    const moves = { guess: mine?.field.input, answer: its?.firstKey(), amend: its?.element.querySelector(".alarm h2") };
    return match.yours && !touch ? moves[match.to_move] : null;
  }

  function announce(before, next) {
    const spoken = (who, turns, old) => turns.slice(old.length).map((turn) => spokenTurn(game, who, turn));
    const fresh = next.undone > before.undone ? ["Taken back."] : [];
    fresh.push(...spoken(next.yours ? "You" : "The player", next.guesses, before.guesses));
    if (mode === "duel") fresh.push(...spoken("The computer", next.computer, before.computer));
    if (next.pending && next.pending !== before.pending) fresh.push(`The computer guesses ${next.pending}.`);
    if (next.to_move === "amend") fresh.push("These answers cannot all be right.");
    if (next.result !== null && before.result === null) fresh.push(`${outcome(next)[0]}.`);
    if (fresh.length > 0) say(fresh.join(" "));
  }
}

function heading(match, tools) {
  const { game, mode, daily } = match;
  const task = h("p", { class: "task soft" });
  const [name, ...rules] = game.title.split(", ");
  const kind = daily ? [`Today’s word, ${dayInWords(daily)}`] : [...rules, MODES[mode][0].toLowerCase()];
  const element = h(
    "div",
    { class: "match-head" },
    h("div", {}, h("h1", {}, name, " ", h("span", { class: "mode" }, kind.join(", "))), task),
    tools,
  );

  function update(next) {
    task.hidden = next.result !== null;
    if (!task.hidden) task.textContent = sentence(next);
  }

  return { element, update };
}

/** Return what is to be done, while the match is open. */
function sentence({ game, mode, yours, starter, guesses }) {
  const word = thing(game);
  const [player, whose] = yours ? ["You", "your"] : ["The player", "the player's"];
  if (mode === "guess") return yours ? `Find the computer's ${word}.` : `The player looks for the computer's ${word}.`;
  if (mode === "hide") return `The computer looks for ${whose} ${word}.`;
  const begun = guesses.length > 0 ? "began" : yours ? "begin" : "begins";
  const first = starter === "computer" ? "The computer began" : `${player} ${begun}`;
  return `${first}. ${duelRule(game)} The computer never reads ${whose} ${word}.`;
}
