// Who begins a duel: by turns, from match to match. Kept in this browser, so that it goes on where it was left.

const KEY = "oracular.begins";
let last = null; // where nothing can be kept it holds for as long as the page is open

/** Return who begins the next duel, "you" or "computer": not whoever began the last one, and you in the first. */
export function nextBeginner() {
  return lastBeginner() === "you" ? "computer" : "you";
}

/** Return who began the last duel, or null where there was none. */
export function lastBeginner() {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "you" || kept === "computer" ? kept : last;
  } catch {
    return last;
  }
}

/** Keep who began a duel. */
export function keepBeginner(side) {
  last = side;
  try {
    localStorage.setItem(KEY, side);
  } catch {
    // see above
  }
}
