// The chance to win a duel, as a bar: for those who switch it on. An estimate, from what this player may know alone.

import { ask } from "./api.js";
import { errorPlace, fill, freshId, h } from "./dom.js";

const KEY = "oracular.chance"; // whether it is shown

/** Return a chance as people say it: `57%`; what is not certain is never called 0% or 100%. */
export function chanceInWords(chance) {
  if (chance > 0 && chance < 0.01) return "less than 1%";
  if (chance < 1 && chance > 0.99) return "more than 99%";
  return `${Math.round(100 * chance)}%`;
}

/** Return the same as an estimate. */
const about = (chance) => chanceInWords(chance).replace(/^\d/, "about $&");

/** Return a bar as wide as a chance, which is read aloud with its name. */
export function chanceBar(chance, name) {
  const filled = h("span", { class: "chance-filled" });
  filled.style.setProperty("--share", String(chance));
  const range = { "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(100 * chance) };
  const value = { ...range, "aria-valuetext": about(chance) };
  return h("span", { class: "chance-bar", role: "meter", "aria-label": name, ...value }, filled);
}

/**
 * Return the chance to win of a duel: `element` (the bar), `control` (the switch) and `update(match)`.
 *
 * It is asked for after each move, while it is switched on and the match is open.
 */
export function winningChance(match, { signal }) {
  const id = freshId("chance");
  const error = errorPlace();
  const place = h("div", { class: "chance-place" });
  const element = h("div", { class: "chance", hidden: true }, place, error.element);
  const shown = h("input", { type: "checkbox", role: "switch", id, checked: wanted(), onchange: turned });
  const meaning = h("span", { class: "soft" }, " as a bar: an estimate from what you can know.");
  const control = h(
    "div",
    { class: "switch-line" },
    shown,
    h("label", { for: id }, h("strong", {}, "Show my chance to win"), meaning),
  );
  let current = match;
  let asked = null; // the version that the bar is for

  function turned() {
    try {
      localStorage.setItem(KEY, shown.checked ? "on" : "off");
    } catch {
      // it holds for as long as the page is open
    }
    asked = null;
    update(current);
  }

  async function update(next) {
    current = next;
    control.hidden = next.result !== null;
    element.hidden = next.result !== null || !shown.checked;
    if (element.hidden || asked === next.version) return;
    asked = next.version;
    error.clear();
    place.setAttribute("aria-busy", "true");
    if (place.childElementCount === 0) fill(place, h("p", { class: "soft note" }, "Your chance to win: one moment…"));
    try {
      const chance = await ask(`/api/matches/${next.id}/chance`);
      if (asked === next.version && !signal.aborted) draw(chance);
    } catch (refusal) {
      if (asked !== next.version || signal.aborted) return;
      asked = null;
      fill(place);
      error.show(refusal);
    } finally {
      if (asked === next.version || asked === null) place.removeAttribute("aria-busy");
    }
  }

  function draw({ chance, note }) {
    fill(meaning, ` as a bar. ${note}`);
    fill(
      place,
      chanceBar(chance, "Your chance to win"),
      h(
        "p",
        { class: "chance-words", role: "status" },
        h("strong", {}, chanceInWords(chance)),
        " to win ",
        h("span", { class: "soft note" }, "estimate"),
      ),
    );
  }

  return { element, control, update };
}

function wanted() {
  try {
    return localStorage.getItem(KEY) === "on"; // it is for those who want it
  } catch {
    return false;
  }
}
