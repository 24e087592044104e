// What is kept of the games that were played here, drawn: the numbers, and how often so many guesses were needed.

import { h } from "./dom.js";
import { statistics, streakOn, untilNextDay } from "./statistics.js";

const MOST_BARS = 15;
const MINUTE = 60_000;

/** Return the numbers of a game in a row: played, found, average, streak of the daily game. Null where you hid. */
export function recordLine({ game, mode, daily }) {
  if (mode === "hide") return null;
  const kept = statistics();
  if (mode === "duel") {
    const { won, drawn, lost } = kept.duels[game.name] ?? { won: 0, drawn: 0, lost: 0 };
    return numbers([won, "won"], [drawn, "drawn"], [lost, "lost"]);
  }
  const { played, found, guesses } = kept.games[game.name] ?? { played: 0, found: 0, guesses: 0 };
  if (played === 0) return null;
  return numbers(
    [played, "played"],
    [`${Math.round((100 * found) / played)}%`, "found"],
    found > 0 && [(guesses / found).toFixed(1), "guesses on average"],
    daily && [streakOn(daily), "daily streak"],
    daily && [kept.daily.best, "best streak"],
  );
}

function numbers(...pairs) {
  const part = ([value, name]) => h("div", { class: "record-part" }, h("dt", {}, name), h("dd", {}, String(value)));
  return h("dl", { class: "record" }, pairs.filter(Boolean).map(part));
}

/** Return the bars of a game: how often it was found in how many guesses; the last game's bar is marked. */
export function distribution({ game, mode, result, guesses }) {
  const { distribution: times, found } = statistics().games[game.name] ?? { distribution: {}, found: 0 };
  if (mode !== "guess" || found === 0) return null;
  const made = Object.keys(times).map(Number);
  const last = Math.min(Math.max(game.rows ?? 0, ...made), MOST_BARS);
  const first = game.rows ? 1 : Math.min(...made);
  const tallest = Math.max(...Object.values(times));
  const rows = Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => {
    const number = first + index;
    const isLast = number === MOST_BARS && made.some((other) => other > MOST_BARS);
    const here = isLast ? made.filter((other) => other >= number) : [number];
    const often = here.reduce((sum, other) => sum + (times[other] ?? 0), 0);
    const bar = h("span", { class: "spread-bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(often / tallest));
    const mine = result === "found" && here.includes(guesses.length);
    return h(
      "li",
      { class: `spread-row${mine ? " spread-mine" : ""}` },
      h("span", { class: "spread-made" }, isLast ? `${number}+` : String(number)),
      bar,
      h("span", { class: "spread-often" }, String(often)),
    );
  });
  return h(
    "section",
    { class: "panel spread" },
    h("h2", {}, "Your guesses so far"),
    h("ol", { "aria-label": "How often it was found in how many guesses" }, rows),
  );
}

/** Return a line on when the next daily game comes; it is kept true until the page is left. */
export function nextDaily(signal) {
  const time = h("strong", {}, untilNextDay());
  const timer = setInterval(() => {
    time.textContent = untilNextDay();
  }, MINUTE);
  signal.addEventListener("abort", () => clearInterval(timer));
  return h("p", { class: "next-daily" }, "The next daily word comes in ", time, ".");
}
