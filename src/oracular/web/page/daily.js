// Today's game: the same secret for everybody, once a day; a browser that has begun it goes back to its match.

import { ask } from "./api.js";
import { begin } from "./begin.js";
import { fill, h } from "./dom.js";
import { dayInWords } from "./phrases.js";
import { dailyMatch } from "./recent.js";

/** Return the button of today's game; `refused(error)` is called where it cannot be begun. */
export function dailyButton({ go, refused }) {
  const button = h("button", { type: "button", class: "big daily", onclick: open });
  let date = new Date().toISOString().slice(0, 10); // the day changes everywhere at once, with that of the server
  draw();
  ask("/api/daily")
    .then((today) => {
      date = today.date;
      draw();
    })
    .catch(() => {}); // the date of this machine will do until the button is pressed

  function draw() {
    const kept = dailyMatch(date);
    const label = kept === null ? "Today’s word" : kept.over ? "See today’s result" : "Go on with today’s word";
    fill(button, h("span", {}, label), " ", h("span", { class: "daily-date" }, dayInWords(date)));
  }

  function open() {
    const kept = dailyMatch(date);
    if (kept) go(`/match/${kept.id}`);
    else begin({ daily: true }, { go, button, refused });
  }

  return button;
}
