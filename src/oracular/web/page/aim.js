// What advice aims at: few guesses on average, or found within so many guesses.

import { radios } from "./choices.js";
import { freshId, h } from "./dom.js";
import { count } from "./phrases.js";

const USUAL = 6; // Wordle's rows
const MOST = 20;

/** Return whether a text names an aim: `mean`, or `within-6`. */
export const isAim = (text) => text === "mean" || (/^within-[1-9]\d?$/.test(text) && limitOf(text) <= MOST);

/** Return within how many guesses it is to be found, or null where the mean counts. */
export const limitOf = (aim) => (aim === "mean" ? null : Number(aim.replace("within-", "")));

/** Return the aim after a history: where all guesses of it are used, few guesses on average are all that is left. */
export const aimAfter = (aim, history) => (usedUp(aim, history) ? "mean" : aim);

/** Return a sentence where all guesses of an aim are used, otherwise null. */
export function usedUp(aim, history) {
  const limit = limitOf(aim);
  if (limit === null || history.length < limit) return null;
  return `The ${count(limit, "guess is", "guesses are")} used. These take the fewest on average.`;
}

/** Return the controls that choose an aim; that of the `state` is changed, and `changed()` called after each change. */
export function aimChooser(state, changed) {
  const { aim } = state;
  const id = freshId("limit");
  const limits = Array.from({ length: MOST }, (_, index) => index + 1);
  const chosen = limitOf(aim) ?? USUAL;
  const limit = h(
    "select",
    { id, onchange: told },
    limits.map((number) => h("option", { value: number, selected: number === chosen }, String(number))),
  );
  const line = h(
    "p",
    { class: "aim-limit", hidden: aim === "mean" },
    h("label", { for: id }, "Guesses in all "),
    limit,
  );
  const kinds = radios("Aim", "aim", ["mean", "within"], {
    small: true,
    checked: aim === "mean" ? "mean" : "within",
    words: (kind) => [kind === "mean" ? "Fewest on average" : "Within a limit", ""],
    chosen(kind) {
      line.hidden = kind === "mean";
      told();
    },
  });

  function told() {
    state.aim = line.hidden ? "mean" : `within-${limit.value}`;
    changed();
  }

  return h("div", { class: "aim" }, kinds, line);
}

/** Return what stands beside a suggestion: how likely the aim is reached, and how many guesses it still takes. */
export function aimed({ expected, exact, value }, objective) {
  const guesses = `${exact ? "" : "≈ "}${expected.toFixed(2)}`;
  if (objective === "mean") return guesses;
  const chance = value === 1 ? "100%" : `${(Math.floor(1000 * value) / 10).toFixed(1)}%`; // 100% is certain
  return [h("strong", {}, chance), " ", h("span", { class: "soft" }, guesses)];
}

/** Return what these numbers mean, in a sentence. */
export function aimInWords(objective) {
  const limit = limitOf(objective);
  const guesses = "how many guesses it still takes on average, this one included.";
  if (limit === null) return `The number: ${guesses}`;
  const chance = `how likely it is found within ${count(limit, "guess", "guesses")}, those made included`;
  return `The numbers: ${chance}; and ${guesses}`;
}
