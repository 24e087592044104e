// What the person has noted of each letter, kept in this browser for each match.

const PREFIX = "oracular.marks.";
const MOST_KEPT = 60;
const NEXT = { out: "in", in: null };

/** Return the notes of a match: `of(symbol)`, `turn(symbol)`, `all()`, `clear()`; each change calls `changed`. */
export function notes(id, changed) {
  const key = PREFIX + id;
  let noted = read(key);
  const keep = () => {
    write(key, noted);
    changed();
  };
  return {
    of: (symbol) => noted[symbol] ?? null,
    all: () => noted,
    turn(symbol) {
      const next = noted[symbol] === undefined ? "out" : NEXT[noted[symbol]];
      if (next) noted[symbol] = next;
      else delete noted[symbol];
      keep();
    },
    set(symbol, note) {
      if (note) noted[symbol] = note;
      else delete noted[symbol];
      keep();
    },
    clear() {
      noted = {};
      keep();
    },
  };
}

/** Return the notes that are kept; whatever else stands there counts as nothing. */
function read(key) {
  try {
    const kept = Object.entries(JSON.parse(localStorage.getItem(key)) ?? {});
    return Object.fromEntries(kept.filter(([, note]) => note === "out" || note === "in"));
  } catch {
    return {};
  }
}

function write(key, noted) {
  try {
    if (Object.keys(noted).length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(noted));
    tidy(key);
  } catch {
    // storage is off or full: the notes live as long as the page
  }
}

function tidy(key) {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX) && name !== key);
  for (const old of keys.slice(0, Math.max(0, keys.length - MOST_KEPT))) localStorage.removeItem(old);
}
