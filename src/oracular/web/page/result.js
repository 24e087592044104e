// The end of a match: how it went, the secret, the result to share, and what can be done next.

import { ask } from "./api.js";
import { begin } from "./begin.js";
import { fold } from "./choices.js";
import { errorPlace, fill, h } from "./dom.js";
import { duelReview } from "./duelreview.js";
import { preset } from "./home.js";
import { answerInWords, count, thing } from "./phrases.js";
import { distribution, nextDaily, recordLine } from "./record.js";
import { reviewPanel } from "./review.js";
import { shareResult } from "./share.js";
import { drawGuess } from "./tokens.js";

/** Return the headline of a finished match, and the words before its secret. */
export function outcome(match) {
  const { game, mode, result, yours, told } = match;
  const name = thing(game);
  const mine = count(match.guesses.length, "guess", "guesses");
  const its = count(match.computer.length, "guess", "guesses");
  const whose = yours ? "Your" : "The player's";
  if (result === "told") return [toldHead(told, name), `${whose} ${name} was`];
  if (result === "lost") return [`Not found in ${mine}`, `The ${name} was`];
  if (mode === "hide") {
    if (result === "given up") return ["The game was ended", `The computer had made ${its}.`];
    return [`The computer found it in ${its}`, `${whose} ${name} was`];
  }
  if (result === "given up") return [yours ? "You gave up" : "The player gave up", `The ${name} was`];
  if (mode === "guess") return [yours ? `You found it in ${mine}!` : `Found in ${mine}`, `The ${name} was`];
  const heads = {
    you: `${yours ? "You win" : "The player wins"}, in ${mine}`,
    computer: `The computer wins, in ${its}`,
  };
  return [heads[result], `The computer's ${name} was`];
}

function toldHead({ in_list: known, mistakes }, name) {
  if (mistakes.length > 0) return mistakes.length === 1 ? "One answer was wrong" : "Some answers were wrong";
  return known ? "The computer had not found it yet" : `The computer does not know this ${name}`;
}

function secretOf({ mode, result, computer, secret, own }) {
  if (result === "told") return own;
  return mode === "hide" && result === "found" ? computer.at(-1).guess : secret;
}

/** Return the end: `element` (hidden until then), `record` (the statistics, to stand beside), `update(match)`. */
export function resultPanel(id, { go, signal }) {
  const element = h("section", { class: "result", hidden: true, "aria-label": "The end of the game" });
  const record = h("div", { class: "record-place", hidden: true });
  let shown = null;

  function update(match) {
    if (match.result === null) {
      shown = null;
      element.hidden = record.hidden = true;
      fill(element);
      return;
    }
    if (shown === match.version) return;
    shown = match.version;
    const [head, sentence] = outcome(match);
    const secret = secretOf(match);
    const place = h("div", { class: "review-place" });
    const error = errorPlace();
    const kind = (first) => (first ? "primary" : "");
    const replay = { type: "button", class: kind(!match.daily), onclick: () => playAgain(match, error, again) };
    const again = h("button", replay, match.daily ? "Play another" : "Play again");
    const shared = match.yours && match.share && shareResult(match, kind(match.daily));
    const look = h("button", { type: "button", onclick: () => review(match, place, error, look) }, "Review this game");
    element.hidden = false;
    fill(
      element,
      h(
        "div",
        { class: `panel outcome outcome-${match.result.replace(" ", "-")}` },
        h("h2", { tabindex: "-1" }, head),
        h("p", { class: "secret" }, `${sentence} `, secret && drawGuess(match.game, secret)),
        match.told && toldLines(match),
        match.yours && recordLine(match),
        match.undone > 0 && h("p", { class: "soft" }, takenBack(match)),
        match.daily && nextDaily(signal),
        fingerprint(match),
        h(
          "div",
          { class: "buttons" },
          match.daily && shared,
          match.yours && again,
          !match.daily && shared,
          canReview(match) && look,
          h("a", { class: "button", href: "/", "data-nav": true }, "Other games"),
        ),
        error.element,
      ),
      place,
    );
    fill(record, match.yours && distribution(match));
    record.hidden = record.childElementCount === 0;
    if (match.yours) element.querySelector("h2").focus({ preventScroll: true });
  }

  async function review(match, place, error, button) {
    button.disabled = true;
    error.clear();
    try {
      const told = await ask(`/api/matches/${id}/review`);
      fill(place, told.duel && duelReview(match, told.duel), reviewPanel(match, told));
      button.hidden = true;
      place.querySelector("h2").focus();
    } catch (refusal) {
      error.show(refusal);
    } finally {
      button.disabled = false;
    }
  }

  function playAgain(match, error, button) {
    error.clear();
    if (match.mode !== "duel") {
      begin({ game: match.game.name, mode: match.mode }, { go, button, refused: error.show });
      return;
    }
    preset(match);
    go("/"); // a duel asks for your word first
  }

  return { element, record, update };
}

/** Return what came out when the person told the word: which answers were wrong, or that it is unknown here. */
function toldLines({ game, told, yours }) {
  const said = yours ? "you said" : "the player said";
  const lines = told.mistakes.map(({ turn, guess, given, right }) =>
    h(
      "li",
      {},
      h("span", { class: "correction-turn" }, `${turn + 1}.`),
      drawGuess(game, guess),
      h("span", {}, `${said} ${answerInWords(game, given)}, right is ${answerInWords(game, right)}`),
    ),
  );
  return [h("p", {}, told.note), lines.length > 0 && h("ul", { class: "corrections told-mistakes" }, lines)];
}

function takenBack({ mode, undone, yours, result }) {
  const counts = yours && mode === "guess" && result === "found";
  return `Moves taken back: ${undone}.${counts ? " They count as guesses in your results." : ""}`;
}

/** Return the fingerprint of the computer's secret, and at the end how to check it; null if a match has none. */
export function fingerprint({ commitment, opening, game }) {
  if (!commitment) return null;
  const name = thing(game);
  const text =
    opening === null
      ? `The ${name} is stored. This is the SHA-256 hash of a random text and the ${name}, both shown at the end.`
      : `A random text and the ${name}, their SHA-256 hash as shown from the start, and a command that computes it.`;
  const shown = opening === null ? [commitment] : [opening, commitment, `printf %s "${opening}" | sha256sum`];
  const lines = shown.map((line) => h("p", {}, h("code", {}, line)));
  const head = opening === null ? "It does not peek" : `Check that the ${name} did not change`;
  return fold(head, [h("p", { class: "soft" }, text), lines], { kind: "fingerprint" });
}

function canReview(match) {
  if (match.mode === "hide") return match.result === "found";
  return match.guesses.length > 0;
}
