// How the games of this browser went: kept in its storage, each match counted once.

const KEY = "oracular.statistics";
const MOST_COUNTED = 500; // matches of which it is remembered that they were counted
const DAY = 24 * 60 * 60 * 1000;

/**
 * Return what is kept: `games` (by name: played, found, guesses, distribution), `duels` (by name: won, lost, and
 * `drawn` by an earlier rule), `daily` (last, streak, best, and `days`: how each day went) and `counted` (ids of
 * matches).
 *
 * Whatever cannot be read counts as nothing, so that damaged storage never stands in the way of a game.
 */
export function statistics() {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    // it starts again
  }
  const read = object(kept);
  return {
    games: entries(read.games, gameRecord),
    duels: entries(read.duels, duelRecord),
    daily: dailyRecord(read.daily),
    counted: Array.isArray(read.counted) ? read.counted.filter((id) => typeof id === "string") : [],
  };
}

/** Return how many guesses a match took, with those that were taken back: they told something, too. */
export const guessesOf = ({ guesses, undone = 0 }) => guesses.length + undone;

/** Return the streak as it stands on a date (`2026-11-16`): it is broken where the day before was missed. */
export function streakOn(date) {
  const { last, streak } = statistics().daily;
  return last === date || last === dayBefore(date) ? streak : 0;
}

/** Count a match that is over, unless it is counted already or another browser's; return whether it was. */
export function countMatch(match) {
  const { id, mode, result, game, daily } = match;
  if (!match.yours || result === null || mode === "hide") return false;
  const kept = statistics();
  if (kept.counted.includes(id) || (daily && kept.daily.days[daily])) return false; // a day counts once
  kept.counted = [...kept.counted, id].slice(-MOST_COUNTED);
  if (mode === "duel") countDuel(kept, game.name, result);
  else countGame(kept, match);
  if (daily) countDay(kept.daily, daily, result === "found", guessesOf(match));
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    return false; // storage is off or full: then there are no statistics
  }
  return true;
}

function countGame(kept, match) {
  const { game, result } = match;
  kept.games[game.name] ??= gameRecord();
  const record = kept.games[game.name];
  record.played += 1;
  if (result !== "found") return;
  const made = guessesOf(match);
  record.found += 1;
  record.guesses += made;
  record.distribution[made] = (record.distribution[made] ?? 0) + 1;
}

function countDuel(kept, name, result) {
  kept.duels[name] ??= duelRecord();
  kept.duels[name][result === "you" ? "won" : "lost"] += 1;
}

function countDay(daily, date, found, guesses) {
  const follows = daily.last === dayBefore(date);
  daily.days[date] = { found, guesses };
  if (daily.last !== null && date < daily.last) return; // an older day, finished late
  daily.streak = found ? (follows ? daily.streak : 0) + 1 : 0;
  daily.best = Math.max(daily.best, daily.streak);
  daily.last = date;
}

/** Return how long it is until the next daily game: `5 h 12 min`. */
export function untilNextDay(now = Date.now()) {
  const minutes = Math.max(1, Math.ceil((DAY - (now % DAY)) / 60_000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, rest > 0 && `${rest} min`].filter(Boolean).join(" ");
}

const dayBefore = (date) => new Date(Date.parse(`${date}T00:00:00Z`) - DAY).toISOString().slice(0, 10);

// Reading what is kept: every field has its own form, and what has another one is left out.
const object = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
const whole = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : 0);
const isDate = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

function entries(value, read) {
  return Object.fromEntries(Object.entries(object(value)).map(([name, record]) => [name, read(record)]));
}

function gameRecord(value) {
  const { played, found, guesses, distribution } = object(value);
  const numbers = Object.entries(object(distribution)).filter(
    ([made, times]) => /^[1-9]\d{0,3}$/.test(made) && whole(times) > 0,
  );
  return {
    played: Math.max(whole(played), whole(found)),
    found: whole(found),
    guesses: whole(guesses),
    distribution: Object.fromEntries(numbers),
  };
}

function duelRecord(value) {
  const { won, drawn, lost } = object(value);
  return { won: whole(won), drawn: whole(drawn), lost: whole(lost) };
}

function dailyRecord(value) {
  const { last, streak, best, days } = object(value);
  const known = Object.entries(object(days)).filter(([date]) => isDate(date));
  const day = (record) => ({ found: object(record).found === true, guesses: whole(object(record).guesses) });
  return {
    last: typeof last === "string" && isDate(last) ? last : null,
    streak: whole(streak),
    best: Math.max(whole(best), whole(streak)),
    days: Object.fromEntries(known.map(([date, record]) => [date, day(record)])),
  };
}
