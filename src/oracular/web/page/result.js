// The end of a match: how it went, the secret, and what can be done next.

import { ask } from "./api.js";
import { errorPlace, fill, h } from "./dom.js";
import { preset } from "./home.js";
import { outcome } from "./phrases.js";
import { reviewPanel } from "./review.js";
import { drawGuess } from "./tokens.js";

/** Return the panel of the end: `element` (hidden until then) and `update(match)`. */
export function resultPanel(id, { go }) {
  const element = h("section", { class: "result", hidden: true });
  let shown = null;

  function update(match) {
    if (match.result === null) {
      shown = null;
      element.hidden = true;
      fill(element);
      return;
    }
    if (shown === match.version) return;
    shown = match.version;
    const [head, sentence] = outcome(match);
    const secret = match.mode === "hide" && match.result === "found" ? match.computer.at(-1).guess : match.secret;
    const place = h("div");
    const error = errorPlace();
    const replay = () => playAgain(match, error);
    const again = h("button", { type: "button", class: "primary", onclick: replay }, "Play again");
    const look = h("button", { type: "button", onclick: () => review(match, place, error, look) }, "Review this game");
    element.hidden = false;
    fill(
      element,
      h(
        "div",
        { class: "panel outcome" },
        h("h2", { tabindex: "-1" }, head),
        h("p", { class: "secret" }, `${sentence} `, secret && drawGuess(match.game, secret)),
        match.undone > 0 && h("p", { class: "soft" }, `Moves taken back: ${match.undone}.`),
        h(
          "div",
          { class: "buttons" },
          match.yours && again,
          canReview(match) && look,
          h("a", { class: "button", href: "/", "data-nav": true }, "New game"),
        ),
        error.element,
      ),
      place,
    );
    if (match.yours) element.querySelector("h2").focus();
  }

  async function review(match, place, error, button) {
    button.disabled = true;
    error.clear();
    try {
      fill(place, reviewPanel(match, await ask(`/api/matches/${id}/review`)));
      button.hidden = true;
      place.querySelector("h2").focus();
    } catch (refusal) {
      error.show(refusal);
    } finally {
      button.disabled = false;
    }
  }

  async function playAgain(match, error) {
    preset(match);
    if (match.mode === "duel") return go("/"); // a duel asks for your word first
    try {
      const next = await ask("/api/matches", { game: match.game.name, mode: match.mode });
      go(`/match/${next.id}`);
    } catch (refusal) {
      error.show(refusal);
    }
    return undefined;
  }

  return { element, update };
}

function canReview(match) {
  if (match.mode === "hide") return match.result === "found";
  return match.guesses.length > 0;
}
