// Beside the sheet: hints on request, what the answers tell, how to take notes, and what is played.

import { answerLegend } from "./answers.js";
import { ask } from "./api.js";
import { errorPlace, fill, freshId, h, say } from "./dom.js";
import { adviceList, wordsLeft } from "./hints.js";
import { isCode, summaryOf, thing } from "./phrases.js";
import { fingerprint } from "./result.js";
import { shareAddress } from "./share.js";
import { wordCheck } from "./telling.js";

const KEY = "oracular.certain"; // whether the keys show what is certain

/**
 * Return the side: `element`, `update(match)` after a move, `noted()` after a change of the notes, `hint()`.
 *
 * `use(guess)` writes a guess, `prove(proofs)` shows what is certain of each symbol on the keys (null takes it away),
 * and `help()` tells how to play. `chance`, where given, switches the chance to win on. Nothing is said or focused
 * once the page's `signal` tells that it was left.
 */
export function side(match, { notes, use, prove, help, chance, signal }) {
  const { game, mode } = match;
  const guesses = mode !== "hide";
  const provable = guesses && match.yours && game.family !== "wordle"; // its colours say all that the keys show
  const error = errorPlace();
  const left = h("div");
  const lists = h("dl", { class: "certain" });
  const hints = h("section", { class: "panel hints", hidden: true, "aria-label": "Hints" });
  const id = freshId("certain");
  const shown = h("input", { type: "checkbox", role: "switch", id, checked: wanted(), onchange: turned });
  const symbols = game.family === "mastermind" ? "colours" : isCode(game) ? "digits" : "letters";
  const possible = h(
    "details",
    { class: "possible", ontoggle: () => possible.open && refresh({ aloud: true }) },
    h("summary", {}, `How many ${thing(game)}s are left?`),
    left,
    !guesses && lists,
  );
  let over = match.result !== null;
  let made = match.guesses;
  let asked = 0; // so that a slow reply never covers a newer one
  let hinted = 0; // nor a hint a later position

  const clear = h("button", { type: "button", class: "quiet", onclick: () => notes.clear() }, "Clear notes");
  const certain = h(
    "div",
    { class: "switch-line" },
    shown,
    h(
      "label",
      { for: id },
      h("strong", {}, "Mark what is certain"),
      h("span", { class: "soft" }, ` on the keys: which ${symbols} must be in it, and which cannot.`),
    ),
  );
  const noting = h(
    "div",
    { class: "notes-help" },
    h(
      "p",
      { class: "soft" },
      `Your own notes: hold a key, or click it with the right button, to cross it off; again to ring it. `,
      "The pencil does the same by a tap.",
    ),
    clear,
  );
  const tells = h(
    "section",
    { class: "panel tells" },
    h("h2", {}, "What the answers tell"),
    answerLegend(game),
    provable && certain,
    chance,
    possible,
    error.element,
    guesses && match.yours && noting,
  );
  const promise = fingerprint({ ...match, opening: null }) ?? h("span");
  const watch = match.yours ? shareAddress() : h("span");
  const check =
    mode === "hide" && match.yours && !isCode(game) ? h("section", { class: "panel" }, wordCheck(game)) : null;
  const element = h(
    "aside",
    { class: "side", "aria-label": "Help" },
    hints,
    check,
    tells,
    about(match, watch, help, promise),
  );

  const proves = () => provable && shown.checked && !over;

  function turned() {
    try {
      localStorage.setItem(KEY, shown.checked ? "on" : "off");
    } catch {
      // it holds for as long as the page is open
    }
    if (!shown.checked) prove(null);
    refresh();
  }

  /** Ask what the answers prove, where somebody looks at it; after a move its answer is what is read aloud. */
  async function refresh({ aloud = false } = {}) {
    asked += 1;
    const mine = asked;
    error.clear();
    if (over || (!proves() && !possible.open)) return;
    try {
      const state = await ask(`/api/matches/${match.id}/sheet`);
      if (mine !== asked || signal.aborted) return;
      if (proves()) prove(state.symbols);
      fill(left, wordsLeft(game, state));
      fill(lists, certainties(state.symbols));
      if (aloud) say(`${state.left} possible.`);
    } catch (refusal) {
      if (mine !== asked) return;
      prove(null);
      fill(left);
      fill(lists);
      if (possible.open) error.show(refusal);
    }
  }

  function noted() {
    clear.hidden = Object.keys(notes.all()).length === 0;
  }

  async function hint() {
    hinted += 1;
    const mine = hinted;
    const calm = untouched(signal);
    hints.hidden = false;
    fill(hints, h("h2", {}, "Hint"), h("p", { class: "soft" }, "Thinking…"));
    const head = h("h2", { tabindex: "-1" }, "Hint");
    const hide = h("button", { type: "button", class: "quiet", onclick: closeHint }, "Hide");
    const top = h("div", { class: "panel-head" }, head, hide);
    try {
      const advice = await ask(`/api/matches/${match.id}/hint`);
      if (mine !== hinted) return;
      const note = match.mode === "duel" ? advice.note : undefined; // it says what it aims at
      fill(hints, top, wordsLeft(game, advice), adviceList(game, advice, { use, most: 6, note }));
    } catch (refusal) {
      if (mine !== hinted) return;
      const place = errorPlace();
      place.show(refusal);
      fill(hints, top, place.element);
    }
    if (signal.aborted) return;
    if (calm()) head.focus();
    else say("The hint is there."); // whoever types meanwhile goes on typing
  }

  function closeHint() {
    hinted += 1;
    hints.hidden = true;
    fill(hints);
  }

  function update(next) {
    over = next.result !== null;
    const follows = made.every(({ guess }, turn) => guess === next.guesses[turn]?.guess);
    if (!follows) prove(null); // something was taken back: what it told is no longer certain
    made = next.guesses;
    closeHint();
    refresh();
    if (check) check.hidden = over;
    tells.hidden = watch.hidden = promise.hidden = over;
  }

  noted();
  update(match);
  return { element, update, noted, hint };
}

/** Return a function that tells whether no key and no pointer has been pressed since now. */
function untouched(signal) {
  let calm = true;
  const pressed = () => {
    calm = false;
  };
  for (const kind of ["keydown", "pointerdown"]) document.addEventListener(kind, pressed, { once: true, signal });
  return () => calm;
}

function wanted() {
  try {
    return localStorage.getItem(KEY) === "on"; // late in a game it gives much away: only for those who want it
  } catch {
    return false;
  }
}

function certainties(symbols) {
  const of = (wantedMark) => Object.keys(symbols).filter((symbol) => symbols[symbol] === wantedMark);
  const part = (name, found) =>
    found.length > 0 && [h("dt", {}, name), h("dd", {}, found.map((symbol) => symbol.toUpperCase()).join(" "))];
  return [part("certainly in it", of("in")), part("certainly not", of("out")), part("open", of("open"))];
}

function about({ game, mode }, watch, help, promise) {
  return h(
    "section",
    { class: "panel about" },
    h("h2", {}, "This game"),
    h("p", {}, summaryOf(game, mode)),
    h(
      "p",
      { class: "soft" },
      game.strategy[mode],
      " ",
      h("a", { href: `/solved/${game.name}`, "data-nav": true }, "How do we know?"),
    ),
    promise,
    h(
      "div",
      { class: "buttons" },
      h("button", { type: "button", class: "quiet", onclick: help }, "How to play"),
      watch,
    ),
  );
}
