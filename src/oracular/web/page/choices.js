// Choosing a game by what players know it by: family, number of letters, switches for the words, rule of guessing.

import { fill, freshId, h } from "./dom.js";
import { FAMILIES } from "./phrases.js";

const REPEATED = { 3: "egg", 4: "ball", 5: "hello" };
const ANAGRAMS = { 2: ["no", "on"], 3: ["eat", "tea"], 4: ["stop", "post"], 5: ["lemon", "melon"] };
const SWITCHES = {
  familiar: ["Familiar words", () => "The computer hides only words that people know."],
  repeats: ["Letters may repeat", (letters) => `Also words such as ${shout(REPEATED[letters] ?? "hello")}.`],
  anagrams: [
    "Words with anagrams",
    (letters) => `Also words with the same letters: ${(ANAGRAMS[letters] ?? ANAGRAMS[5]).map(shout).join(", ")}.`,
  ],
};

export const RULES = { any: "Any", hard: "Hard mode", possible: "Only possible" };

const shout = (word) => word.toUpperCase();

/** Return the choice that a game is one of: family, letters, switches, name without the rule, rule of guessing. */
export function choiceOf(game) {
  const { family, letters, free, rule } = game;
  return { ...(game.rules ?? {}), family, letters, name: free, rule };
}

/** Return the rules of guessing that the games of a family have. */
function rulesOf(games, family) {
  return Object.keys(RULES).filter((rule) => games.some((game) => game.family === family && game.rule === rule));
}

/** Return the games of a choice's family and rule of guessing; a rule that the family does not have counts as none. */
function siblingsOf(games, choice) {
  const rule = rulesOf(games, choice.family).includes(choice.rule) ? choice.rule : "any";
  return games.filter((game) => game.family === choice.family && game.rule === rule);
}

/** Return the game that a choice means: of the family and letters the one that agrees with most switches. */
export function gameOf(games, choice) {
  const family = siblingsOf(games, choice);
  const sized = family.filter((game) => game.letters === choice.letters && game.rules);
  if (sized.length === 0) return family.find((game) => game.free === choice.name) ?? family[0] ?? games[0];
  const agreeing = (game) => Object.keys(SWITCHES).filter((rule) => game.rules[rule] === Boolean(choice[rule])).length;
  return sized.reduce((best, game) => (agreeing(game) > agreeing(best) ? game : best));
}

/**
 * Return the controls that choose a game; `choice` is changed in place, and `changed()` called after each change.
 *
 * `hides()` tells whether the computer hides, for otherwise it is no question whether it hides familiar words.
 */
export function gameChooser(games, choice, { changed, hides = () => true }) {
  const families = Object.keys(FAMILIES).filter((family) => games.some((game) => game.family === family));
  const sizes = h("div");
  const switches = h("div", { class: "switches" });
  const guesses = h("div");
  const family = radios("Game", "family", families, {
    checked: choice.family,
    words: (name) => FAMILIES[name],
    chosen(name) {
      choice.family = name;
      draw();
      changed();
    },
  });

  const ofFamily = () => siblingsOf(games, choice);

  function draw() {
    const siblings = ofFamily();
    if (choice.family === "jotto" && !siblings.some((game) => game.letters === choice.letters)) choice.letters = 5;
    const letters = [...new Set(siblings.map((game) => game.letters))].sort();
    const named = siblings.some((game) => game.rules) ? [] : siblings.map((game) => game.free);
    const rules = rulesOf(games, choice.family);
    fill(
      sizes,
      letters.length > 1 && choiceRow("Letters", "letters", letters, choice.letters, String, "letters"),
      named.length > 1 && choiceRow("Size", "variant", named, gameOf(games, choice).free, titleOf, "name"),
    );
    fill(switches, Object.keys(SWITCHES).filter(matters).map(toggle));
    const rule = gameOf(games, choice).rule;
    fill(guesses, rules.length > 1 && choiceRow("Guesses", "rule", rules, rule, (name) => RULES[name], "rule"));
  }

  const titleOf = (name) => games.find((game) => game.name === name).title.replace(/^[^,]*, /, "");

  function choiceRow(legend, name, values, checked, words, key) {
    return radios(legend, name, values, {
      small: true,
      checked,
      words: (value) => [words(value), ""],
      chosen(value) {
        choice[key] = value;
        draw();
        element.querySelector(`input[name=${name}]:checked`)?.focus();
        changed();
      },
    });
  }

  /** Tell whether a switch makes another game. */
  function matters(rule) {
    if (rule === "familiar" && !hides()) return false;
    const siblings = ofFamily().filter((game) => game.letters === choice.letters && game.rules);
    return new Set(siblings.map((game) => game.rules[rule])).size > 1;
  }

  function toggle(rule) {
    const [name, text] = SWITCHES[rule];
    const id = freshId(rule);
    const turn = (event) => {
      choice[rule] = event.target.checked;
      changed();
    };
    const checked = Boolean(choice[rule]);
    return h(
      "div",
      { class: "switch-line" },
      h("input", { type: "checkbox", role: "switch", id, name: rule, checked, onchange: turn }),
      h("label", { for: id }, h("strong", {}, name), h("span", { class: "soft" }, text(choice.letters))),
    );
  }

  const element = h("div", { class: "chooser" }, family, sizes, switches, guesses);
  draw();
  return { element, draw };
}

/** Return one of several to choose, as cards, or as small keys in a row. */
export function radios(legend, name, values, { checked, words, chosen, small = false }) {
  const cards = values.map((value) => {
    const [title, text] = words(value);
    const id = freshId(name);
    return h(
      "div",
      { class: "choice" },
      h("input", { type: "radio", id, name, value, checked: value === checked, onchange: () => chosen(value) }),
      h("label", { for: id }, h("strong", {}, title), text && h("span", { class: "soft" }, text)),
    );
  });
  return h(
    "fieldset",
    { class: `choices choices-${small ? "small" : name}` },
    h("legend", {}, legend),
    h("div", { class: "choice-cards" }, cards),
  );
}

/** Return something that folds away under a line that names it. */
export function fold(summary, content, { open = false, kind = "" } = {}) {
  return h("details", { class: `fold ${kind}`.trim(), open }, h("summary", {}, summary), content);
}
