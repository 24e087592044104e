// Today's word: the same secret for everybody, once a day; a browser that has begun it goes back to its match.

import { ask } from "./api.js";
import { begin } from "./begin.js";
import { fill, h } from "./dom.js";
import { dayInWords, endOfDay } from "./phrases.js";
import { dailyMatch } from "./recent.js";

/**
 * Return the button of today's word.
 *
 * Which day it is the server knows: it is asked again whenever the page comes back into view and when the button is
 * pressed, and `known(date)` is called with what it says. `refused(error)` is called where no match can be begun.
 */
export function dailyButton({ go, refused, known, signal }) {
  const button = h("button", { type: "button", class: "big daily", onclick: open });
  let date = new Date().toISOString().slice(0, 10); // that of this machine will do until the server has told
  draw();
  look();
  document.addEventListener("visibilitychange", look, { signal });

  function draw() {
    const kept = dailyMatch(date);
    const label = kept === null ? "Today’s word" : kept.over ? "See today’s result" : "Go on with today’s word";
    const day = `${dayInWords(date)}, until ${endOfDay(date)}`; // the day changes everywhere at once, not at midnight
    fill(button, h("span", {}, label), " ", h("span", { class: "daily-date" }, day));
  }

  async function today() {
    date = (await ask("/api/daily")).date;
    if (signal.aborted) return;
    draw();
    known(date);
  }

  function look() {
    if (!document.hidden) today().catch(() => {}); // it is asked again when the button is pressed
  }

  async function open() {
    button.disabled = true;
    try {
      await today();
    } catch (error) {
      return refused(error);
    } finally {
      button.disabled = false;
    }
    if (signal.aborted) return null;
    const kept = dailyMatch(date);
    return kept ? go(`/match/${kept.id}`) : begin({ daily: true }, { go, button, refused });
  }

  return button;
}
