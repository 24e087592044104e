// The review of a duel: the chance to win before and after each guess of both sides, and where it turned.

import { chanceBar, chanceInWords } from "./chance.js";
import { h } from "./dom.js";
import { count } from "./phrases.js";
import { drawAnswer, drawGuess } from "./tokens.js";

/** Return the chances of a duel as an element. */
export function duelReview(match, review) {
  const { turns, turning_point: turningPoint, margin } = review;
  const made = { you: 0, computer: 0 };
  const lines = turns.map((turn, index) => {
    made[turn.side] += 1;
    return { ...turn, number: made[turn.side], turning: index === turningPoint };
  });
  const [whose, who] = match.yours ? ["Your", "you"] : ["The player's", "the player"];
  const points = count(Math.max(1, Math.ceil(100 * margin)), "percentage point");
  return h(
    "section",
    { class: "panel duel-review", "aria-labelledby": "chances-head" },
    h("h2", { id: "chances-head", tabindex: "-1" }, `${whose} chance to win, guess by guess`),
    h("p", {}, match.yours ? review.turning_sentence : turned(lines)),
    h(
      "ol",
      { class: "chances" },
      lines.map((line) => row(match, line)),
    ),
    h(
      "p",
      { class: "soft note" },
      `These are estimates by what ${who} could know at each moment, if both guess well from there on. Their random `,
      `playouts leave a margin of ${points}.`,
    ),
  );
}

/** Return which guess turned the duel, in a sentence for those who watched. */
function turned(lines) {
  const line = lines.find(({ turning }) => turning);
  if (!line) return "There was no single turning point.";
  const maker = line.side === "computer" ? "the computer's" : "the player's";
  const went = line.after > line.before ? "rose" : "fell";
  const [before, after] = [line.before, line.after].map(chanceInWords);
  const which = `${maker} guess ${line.number}, ${line.guess.toUpperCase()}`;
  return `The turning point was ${which}: the player's chance ${went} from ${before} to ${after}.`;
}

function row({ game, yours }, { side, number, guess, answer, before, after, turning }) {
  const who = side === "computer" ? "Computer" : yours ? "You" : "Player";
  return h(
    "li",
    { class: `chances-row${turning ? " chances-turning" : ""}` },
    h("span", { class: "chances-who" }, `${who} ${number}`),
    h("span", { class: "chances-guess" }, drawGuess(game, guess, { answer }), drawAnswer(game, answer)),
    chanceBar(after, `The chance after guess ${number} of ${side === "computer" ? "the computer" : "the player"}`),
    h(
      "span",
      { class: "chances-figures" },
      `${chanceInWords(before)} → ${chanceInWords(after)}`,
      turning && h("strong", { class: "tag" }, "turning point"),
    ),
  );
}
