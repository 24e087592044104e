// The page where a game is begun: which game, which way, which words.

import { ask, listOfGames } from "./api.js";
import { errorPlace, fill, freshId, h } from "./dom.js";
import { wordField } from "./entry.js";
import { count, FAMILIES, inPlay, MODES, thing } from "./phrases.js";
import { recentGames } from "./recent.js";

const START = "jotto-5";
const choice = { game: START, mode: "guess", familiar: false }; // kept while the page is open

/** Begin with the choices of a match that was played. */
export function preset({ game, mode }) {
  choice.familiar = game.name.endsWith("-familiar");
  choice.game = game.name.replace(/-familiar$/, "");
  choice.mode = mode;
}

export async function homePage({ go }) {
  const games = await listOfGames();
  return { title: "", element: h("div", { class: "home" }, intro(), newGame(games, go), gamesBegun()) };
}

function intro() {
  return h(
    "div",
    { class: "intro" },
    h("h1", {}, "Guessing games against the computer"),
    h(
      "p",
      { class: "lead" },
      "In most games of Jotto it plays close to an equilibrium: what it hides and how it guesses are drawn by chance, ",
      "and knowing the chances would help you little. What it plays in each game is said below.",
    ),
  );
}

function newGame(games, go) {
  const named = new Map(games.map((game) => [game.name, game]));
  const familiarNames = new Set(games.map((game) => game.familiar).filter(Boolean));
  const bases = games.filter((game) => !familiarNames.has(game.name));
  if (!named.has(choice.game)) choice.game = bases[0].name;
  const error = errorPlace();
  const variants = h("div");
  const familiar = h("div");
  const secret = h("div");
  const facts = h("div", { class: "facts", "aria-live": "polite" });
  const begin = h("button", { type: "submit", class: "primary big" }, "Begin");
  let field = null;

  const base = () => named.get(choice.game);
  const ofFamily = (family) => bases.filter((game) => game.family === family);
  const hidesFamiliar = () => choice.familiar && base().familiar && choice.mode !== "hide";
  const played = () => (hidesFamiliar() ? named.get(base().familiar) : base());

  const families = radios(
    "Game",
    "family",
    Object.keys(FAMILIES).filter((family) => ofFamily(family).length > 0),
    {
      checked: base().family,
      words: (family) => FAMILIES[family],
      chosen(family) {
        const same = ofFamily(family).find((game) => game.letters === base().letters);
        choice.game = family === "jotto" && named.get(START) ? START : (same ?? ofFamily(family)[0]).name;
        draw();
      },
    },
  );
  const modes = radios("Way to play", "mode", Object.keys(MODES), {
    checked: choice.mode,
    words: (mode) => MODES[mode],
    chosen(mode) {
      choice.mode = mode;
      draw();
    },
  });

  function draw() {
    const game = base();
    const siblings = ofFamily(game.family);
    const names = siblings.map((sibling) => sibling.name);
    fill(
      variants,
      names.length > 1 &&
        radios(variantWord(game), "variant", names, {
          small: true,
          checked: game.name,
          words: (name) => [variantTitle(named.get(name)), ""],
          chosen(name) {
            choice.game = name;
            draw();
            variants.querySelector("input:checked")?.focus();
          },
        }),
    );
    fill(familiar, game.familiar && choice.mode !== "hide" && familiarSwitch());
    drawSecret(game);
    drawFacts();
  }

  function familiarSwitch() {
    const id = freshId("familiar");
    const turn = (event) => {
      choice.familiar = event.target.checked;
      drawFacts();
    };
    return h(
      "div",
      { class: "switch-line" },
      h("input", { type: "checkbox", role: "switch", id, name: "familiar", checked: choice.familiar, onchange: turn }),
      h(
        "label",
        { for: id },
        h("strong", {}, "Familiar words"),
        h("span", { class: "soft" }, " The computer hides only words that people know."),
      ),
    );
  }

  function drawSecret(game) {
    field = null;
    if (choice.mode !== "duel") return fill(secret);
    field = wordField(game, { label: `Your ${thing(game)}`, id: "own-word" });
    return fill(
      secret,
      h(
        "div",
        { class: "secret-card" },
        h(
          "p",
          {},
          h("strong", {}, `Your ${thing(game)}`),
          h(
            "span",
            { class: "soft" },
            ` Any of ${count(game.may_hide, thing(game))}. It only answers the computer's `,
            "guesses. Whoever makes them never reads it.",
          ),
        ),
        field.element,
        field.palette,
        field.error.element,
      ),
    );
  }

  function drawFacts() {
    const game = played();
    fill(
      facts,
      h("p", {}, h("strong", {}, "In play: "), inPlay(game, choice.mode)),
      h(
        "p",
        {},
        h("strong", {}, "Against you: "),
        game.strategy[choice.mode],
        " ",
        game.shipped && h("a", { href: `/solved/${game.name}`, "data-nav": true }, "See the solved game"),
      ),
    );
  }

  async function submit(event) {
    event.preventDefault();
    error.clear();
    if (field?.value() === "") return field.refuse(`Type the ${thing(base())} that the computer is to find.`);
    begin.disabled = true;
    const body = { game: played().name, mode: choice.mode };
    if (field) body.word = field.value();
    try {
      const match = await ask("/api/matches", body);
      go(`/match/${match.id}`);
    } catch (refusal) {
      if (field && refusal.status === 422) field.refuse(refusal);
      else error.show(refusal);
    } finally {
      begin.disabled = false;
    }
    return undefined;
  }

  draw();
  return h(
    "form",
    { class: "paper new-game", onsubmit: submit, novalidate: true },
    families,
    variants,
    modes,
    familiar,
    secret,
    h("div", { class: "begin" }, begin, error.element),
    facts,
  );
}

function radios(legend, name, values, { checked, words, chosen, small = false }) {
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

const variantWord = (game) => (game.family === "jotto" || game.family === "wordle" ? "Letters" : "Size");

function variantTitle(game) {
  return /^(jotto|wordle)-\d$/.test(game.name) ? String(game.letters) : game.title.replace(/^[^,]*, /, "");
}

function gamesBegun() {
  const games = recentGames();
  if (games.length === 0) return null;
  return h(
    "section",
    { class: "begun" },
    h("h2", {}, "Your games"),
    h(
      "ul",
      {},
      games.map(({ id, title, mode, turns, result }) =>
        h(
          "li",
          {},
          h("a", { href: `/match/${id}`, "data-nav": true }, title),
          h("span", { class: "soft" }, ` ${MODES[mode][0]}, ${count(turns, "turn")}${result ? ", over" : ""}`),
        ),
      ),
    ),
  );
}
