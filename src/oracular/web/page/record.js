// What is kept of the games that were played here, drawn: the numbers, and how often so many guesses were needed.

import { h } from "./dom.js";
import { guessesOf, statistics, streakOn, untilNextDay } from "./statistics.js";

const MOST_BARS = 15;
const MINUTE = 60_000;

/** Return the numbers of a game in a row: played, found, average, streak of the daily game. Null where you hid. */
export function recordLine({ game, mode, daily }) {
  if (mode === "hide") return null;
  const kept = statistics();
  if (mode === "duel") {
    const { won, drawn, lost } = kept.duels[game.name] ?? { won: 0, drawn: 0, lost: 0 };
    return numbers([won, "won"], drawn > 0 && [drawn, "drawn"], [lost, "lost"]);
  }
  const { played, found, guesses } = kept.games[game.name] ?? { played: 0, found: 0, guesses: 0 };
  if (played === 0) return null;
  const streak = daily && streakOn(daily);
  return numbers(
    [played, "played"],
    [`${Math.round((100 * found) / played)}%`, "found"],
    found > 0 && [(guesses / found).toFixed(1), "guesses on average"],
    daily && [streak, streak === 1 ? "day in a row" : "days in a row"],
    daily && [kept.daily.best, "most days in a row"],
  );
}

function numbers(...pairs) {
  const part = ([value, name]) => h("div", { class: "record-part" }, h("dt", {}, name), h("dd", {}, String(value)));
  return h("dl", { class: "record" }, pairs.filter(Boolean).map(part));
}

/** Return the bars of a game: how often it was found in how many guesses; the last game's bar is marked. */
export function distribution(match) {
  const { game, mode, result } = match;
  const bars = binned(statistics().games[game.name]?.distribution ?? {});
  if (mode !== "guess" || bars.size === 0) return null;
  const first = game.rows ? 1 : Math.min(...bars.keys());
  const last = Math.max(game.rows ?? 0, ...bars.keys());
  const tallest = Math.max(...bars.values());
  const mine = result === "found" ? Math.min(guessesOf(match), MOST_BARS) : null;
  const rows = Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index;
    const often = bars.get(number) ?? 0;
    const bar = h("span", { class: "spread-bar", "aria-hidden": "true" });
    bar.style.setProperty("--share", String(often / tallest));
    return h(
      "li",
      { class: `spread-row${number === mine ? " spread-mine" : ""}` },
      h("span", { class: "spread-made" }, number === MOST_BARS ? `${number}+` : String(number)),
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

/** Return how often it took so many guesses; all beyond the last bar count there. */
function binned(times) {
  const bars = new Map();
  for (const [made, often] of Object.entries(times)) {
    const bar = Math.min(Number(made), MOST_BARS);
    bars.set(bar, (bars.get(bar) ?? 0) + often);
  }
  return bars;
}

/** Return a line on when the next daily game comes; it is kept true until the page is left. */
export function nextDaily(signal) {
  const time = h("strong", {}, untilNextDay());
  const timer = setInterval(() => {
    time.textContent = untilNextDay();
  }, MINUTE);
  signal.addEventListener("abort", () => clearInterval(timer));
  return h("p", { class: "next-daily" }, "The next word comes in ", time, ".");
}
