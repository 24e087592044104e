// The games this browser has begun, newest first, so that one can go back to them.

const KEY = "oracular.games";
const MOST = 6;

/** Return the games that were begun here: id, title, mode, result. */
export function recentGames() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** Keep a match in the list, as it stands now. */
export function remember(match) {
  if (!match.yours) return;
  const others = recentGames().filter((other) => other.id !== match.id);
  const turns = Math.max(match.guesses.length, match.computer.length);
  const { id, mode, result, game } = match;
  write([{ id, title: game.title, mode, result, turns }, ...others].slice(0, MOST));
}

/** Remove a match that no longer exists from the list. */
export function forget(id) {
  write(recentGames().filter((game) => game.id !== id));
}

function write(games) {
  try {
    localStorage.setItem(KEY, JSON.stringify(games));
  } catch {
    // without storage there is no list
  }
}
