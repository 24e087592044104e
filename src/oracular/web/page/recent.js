// The games this browser has begun, newest first, so that one can go back to them; and its game of the day.

import { MODES } from "./phrases.js";

const KEY = "oracular.games";
const DAILY = "oracular.daily";
const MOST = 6;

/** Return the games that were begun here: id, title, mode, turns, result. */
export function recentGames() {
  const kept = read(KEY);
  return Array.isArray(kept) ? kept.filter(isGame) : [];
}

/** Return this browser's match of a day (`2026-11-16`): id, and whether it is over; or null. */
export function dailyMatch(date) {
  const kept = read(DAILY);
  return kept?.date === date && isText(kept.id) ? { id: kept.id, over: kept.over === true } : null;
}

/** Keep a match in the list, as it stands now. */
export function remember(match) {
  if (!match.yours) return;
  const others = recentGames().filter((other) => other.id !== match.id);
  const turns = Math.max(match.guesses.length, match.computer.length);
  const { id, mode, result, game, daily = null } = match;
  write(KEY, [{ id, title: game.title, mode, result, turns, daily }, ...others].slice(0, MOST));
  if (daily !== null) write(DAILY, { date: daily, id, over: result !== null });
}

/** Remove a match that no longer exists from the list. */
export function forget(id) {
  const others = recentGames().filter((game) => game.id !== id);
  write(KEY, others);
  if (read(DAILY)?.id === id) write(DAILY, null);
}

// What has another form than what is written here was damaged, or comes from another version: it is left out.
const isText = (value) => typeof value === "string" && value !== "";

function isGame(kept) {
  const { id, title, mode, turns, result, daily = null } = kept ?? {};
  const named = isText(id) && isText(title) && isText(mode) && Object.hasOwn(MODES, mode);
  const day = daily === null || (isText(daily) && !Number.isNaN(Date.parse(`${daily}T00:00:00Z`)));
  return named && day && Number.isSafeInteger(turns) && (result === null || isText(result));
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // without storage nothing is kept
  }
}
