// What the answers so far say of each letter, digit or colour, for the keys of the keyboard.

const ORDER = ["out", "elsewhere", "place"]; // a letter that was found in its place stays so

/** What each mark means, to be read aloud. */
export const MEANINGS = {
  in: "in it",
  out: "not in it",
  elsewhere: "in it, elsewhere",
  place: "in it, in its place",
};

/**
 * Return what is known of each symbol: `in`, `out`, or in Wordle `place`, `elsewhere`, `out`.
 *
 * Without `proved` (the marks of the sheet) it is what a single line tells plainly: none of these, or all of them.
 */
export function known(game, turns, proved = null) {
  if (game.family === "wordle") return colours(turns);
  const marks = {};
  for (const [symbol, mark] of Object.entries(proved ?? {})) if (mark !== "open") marks[symbol] = mark;
  for (const { guess, answer } of turns) {
    const shared = answer === game.found ? game.letters : sum(answer);
    if (shared !== 0 && shared !== game.letters) continue;
    for (const symbol of guess) marks[symbol] = shared === 0 ? "out" : "in";
  }
  return marks;
}

const sum = (answer) => answer.split(".").reduce((total, part) => total + Number(part), 0);

function colours(turns) {
  const marks = {};
  const names = { "-": "out", y: "elsewhere", g: "place" };
  for (const { guess, answer } of turns) {
    [...guess].forEach((symbol, place) => {
      const mark = names[answer[place]];
      if (mark && ORDER.indexOf(mark) > ORDER.indexOf(marks[symbol])) marks[symbol] = mark;
    });
  }
  return marks;
}
