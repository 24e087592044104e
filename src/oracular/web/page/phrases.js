// Phrases that several parts of the page share.

export const MODES = {
  guess: ["You guess", "The computer hides a word. You find it."],
  hide: ["You hide", "Keep a word in mind and answer the computer's guesses."],
  duel: ["Duel", "Both hide, both guess, turn by turn. Whoever finds the other's first wins."],
};

export const FAMILIES = {
  jotto: ["Jotto", "How many letters do two words share?"],
  mastermind: ["Mastermind", "Coloured pegs: in place, or elsewhere."],
  bulls: ["Bulls and Cows", "Different digits: in place, or elsewhere."],
  wordle: ["Wordle", "Letters in place, elsewhere, or not at all."],
};

/** The game that people get unless they choose another one: as much of it as its rules need. */
export const STANDARD = { name: "jotto-5-repeats-anagrams-familiar", family: "jotto", letters: 5, found: "5" };

/** Return what a secret of the game is called: a word or a code. */
export const thing = (game) => (isCode(game) ? "code" : "word");

export const isCode = (game) => game.family === "mastermind" || game.family === "bulls";

/** Return a number with its noun: `1 word`, `12 words`. */
export function count(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** Return what a player should know of a game before it begins, in a sentence or two. */
export function summaryOf(game, mode) {
  if (mode !== "hide") return game.summary;
  const rule = game.rule === "any" ? "" : " The computer keeps to the rule of guessing, as you would have to.";
  return `You may hide any of ${count(game.may_hide, thing(game))}.${rule}`;
}

/** Return how a duel is won, in a sentence. */
export const duelRule = (game) => `Whoever finds the other's ${thing(game)} first wins at once.`;

/** Return a date (`2026-11-16`) as people write it: `16 Nov`. */
export function dayInWords(date) {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

/** Return the hour at which a day of the server ends, as the clocks here show it: `01:00`. */
export function endOfDay(date) {
  const end = new Date(`${date}T24:00:00Z`);
  return end.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** Return an answer in words, for screen readers and labels. */
export function answerInWords(game, answer) {
  if (answer === game.found) return "found";
  if (game.family === "mastermind") {
    const [black, white] = answer.split(".");
    return `${black} in place, ${white} elsewhere`;
  }
  if (game.family === "bulls") {
    const [bulls, cows] = answer.split(".").map(Number);
    return `${count(bulls, "bull")}, ${count(cows, "cow")}`;
  }
  if (game.family === "wordle") return [...answer].map((mark) => COLOUR_WORDS[mark] ?? mark).join(", ");
  const common = Number(answer);
  return Number.isNaN(common) ? answer : `${count(common, "letter")} in common`;
}

export const COLOUR_WORDS = { "-": "not there", y: "elsewhere", g: "in place" };

/** Return what to say of a guess that has all letters of the secret and is not the secret; null of any other one. */
export function reordered(game, answer) {
  const all = game.family === "jotto" && answer === String(game.letters) && answer !== game.found;
  return all ? `All ${game.letters} letters, in another order.` : null;
}

/** Return who made which guess and how it was answered, to be spoken. */
export function spokenTurn(game, who, turn) {
  const guess = isCode(game) ? [...turn.guess].join(" ") : turn.guess;
  const said = `${who}: ${guess}, ${answerInWords(game, turn.answer)}.`;
  return [said, reordered(game, turn.answer)].filter(Boolean).join(" ");
}
