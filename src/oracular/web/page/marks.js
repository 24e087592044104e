// What the person has noted of each letter, kept in this browser for each match.

const PREFIX = "oracular.marks.";
const MOST_KEPT = 60;
const NEXT = { out: "in", in: null };

/** Return the notes of a match: `of(symbol)`, `turn(symbol)`, `all()`, `clear()`; each change calls `changed`. */
export function notes(id, changed) {
  const key = PREFIX + id;
  let marks = read(key);
  const keep = () => {
    write(key, marks);
    changed();
  };
  return {
    of: (symbol) => marks[symbol] ?? null,
    all: () => marks,
    turn(symbol) {
      const next = marks[symbol] === undefined ? "out" : NEXT[marks[symbol]];
      if (next) marks[symbol] = next;
      else delete marks[symbol];
      keep();
    },
    set(symbol, mark) {
      if (mark) marks[symbol] = mark;
      else delete marks[symbol];
      keep();
    },
    clear() {
      marks = {};
      keep();
    },
  };
}

function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
}

function write(key, marks) {
  try {
    if (Object.keys(marks).length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(marks));
    tidy(key);
  } catch {
    // storage is off or full: the marks live as long as the page
  }
}

function tidy(key) {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX) && name !== key);
  for (const old of keys.slice(0, Math.max(0, keys.length - MOST_KEPT))) localStorage.removeItem(old);
}
