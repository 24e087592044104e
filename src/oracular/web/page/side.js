// Beside the sheet: the pad of letters, what is proved, and hints on request.

import { ask } from "./api.js";
import { errorPlace, fill, freshId, h, say } from "./dom.js";
import { adviceList, wordsLeft } from "./hints.js";
import { letterPad } from "./letters.js";
import { isCode } from "./phrases.js";

/** Return the side: `element`, `update()` after a move, `marksChanged()`, `hint()`; `use(guess)` writes a guess. */
export function side(match, { notes, use }) {
  const { game, mode } = match;
  const own = mode !== "hide";
  const pad = letterPad(game, notes, { own });
  const error = errorPlace();
  const left = h("div");
  const hints = h("section", { class: "panel hints", hidden: true, "aria-label": "Hints" });
  const id = freshId("proofs");
  const shown = h("input", { type: "checkbox", role: "switch", id, onchange: refreshProofs });
  let proved = null;
  let asked = 0; // so that a slow reply never covers a newer one

  const clear = h("button", { type: "button", class: "quiet", onclick: () => notes.clear() }, "Clear notes");
  const symbols = game.family === "mastermind" ? "colours" : isCode(game) ? "digits" : "letters";
  const padPanel = h(
    "section",
    { class: "panel" },
    h("div", { class: "panel-head" }, h("h2", {}, own ? `Your ${symbols}` : "What the answers tell"), own && clear),
    own && h("p", { class: "soft" }, `Press once to cross off, again to ring, again to clear.`),
    pad.element,
    h(
      "div",
      { class: "switch-line" },
      shown,
      h(
        "label",
        { for: id },
        h("strong", {}, "Show what is provable"),
        h("span", { class: "soft" }, " worked out from the answers"),
      ),
    ),
    h(
      "p",
      { class: "legend soft", "aria-hidden": "true" },
      h("span", { class: "legend-in" }, "proved in"),
      h("span", { class: "legend-out" }, "proved out"),
    ),
    left,
    error.element,
  );
  const element = h("aside", { class: "side" }, hints, padPanel);

  async function refreshProofs() {
    asked += 1;
    const mine = asked;
    padPanel.classList.toggle("with-proofs", shown.checked);
    error.clear();
    if (!shown.checked) {
      proved = null;
      fill(left);
      return draw();
    }
    try {
      const state = await ask(`/api/matches/${match.id}/sheet`);
      if (mine !== asked || !shown.checked) return undefined;
      proved = state.symbols;
      fill(left, wordsLeft(game, state.left, state.words));
      say(`${state.left} possible.`);
    } catch (refusal) {
      error.show(refusal);
    }
    return draw();
  }

  function draw() {
    pad.update(proved);
    pad.element.hidden = !own && !shown.checked;
    clear.hidden = Object.keys(notes.all()).length === 0;
  }

  async function hint() {
    hints.hidden = false;
    fill(hints, h("h2", {}, "Hint"), h("p", { class: "soft" }, "Thinking…"));
    const head = h("h2", { tabindex: "-1" }, "Hint");
    const hide = h("button", { type: "button", class: "quiet", onclick: closeHint }, "Hide");
    const top = h("div", { class: "panel-head" }, head, hide);
    try {
      const advice = await ask(`/api/matches/${match.id}/hint`);
      fill(hints, top, wordsLeft(game, advice.left, advice.words), adviceList(game, advice, { use, most: 6 }));
    } catch (refusal) {
      const place = errorPlace();
      place.show(refusal);
      fill(hints, top, place.element);
    }
    head.focus();
  }

  function closeHint() {
    hints.hidden = true;
    fill(hints);
  }

  function update() {
    closeHint();
    if (shown.checked) refreshProofs();
    draw();
  }

  draw();
  return { element, update, marksChanged: draw, hint };
}
