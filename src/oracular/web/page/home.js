// The start page: play at once, today's game, how it is played; other games fold away.

import { listOfGames } from "./api.js";
import { begin } from "./begin.js";
import { lastBeginner, nextBeginner } from "./begins.js";
import { choiceOf, fold, gameChooser, gameOf, radios } from "./choices.js";
import { dailyButton } from "./daily.js";
import { errorPlace, fill, h } from "./dom.js";
import { wordField } from "./entry.js";
import { howToPlay } from "./howto.js";
import { count, dayInWords, duelRule, FAMILIES, MODES, STANDARD, summaryOf, thing } from "./phrases.js";
import { recentGames } from "./recent.js";
import { distribution } from "./record.js";
import { statistics, streakOn } from "./statistics.js";

const KEY = "oracular.choice";
const FIRST = {
  family: "jotto",
  letters: 5,
  familiar: true,
  repeats: true,
  anagrams: true,
  rule: "any",
  mode: "guess",
};
let unfolded = false; // the choices are shown to whoever comes back from a match to choose again

/** Begin with the choices of a match that was played. */
export function preset({ game, mode }) {
  keep({ ...kept(), ...choiceOf(game), mode });
  unfolded = true;
}

export async function homePage({ go, signal }) {
  const error = errorPlace();
  const results = h("div", {}, soFar(null));
  const daily = dailyButton({ go, refused: error.show, known: (date) => fill(results, soFar(date)), signal });
  const play = h("button", { type: "button", class: "primary big play", onclick: playNow }, "Play");
  const others = h("div", {}, h("p", { class: "soft" }, "One moment…"));
  const panel = fold("Choose another game", others, { open: unfolded, kind: "other-games" });
  const again = unfolded && kept().mode === "duel"; // the next duel: all it lacks is a word
  unfolded = false;
  showChoices();

  function playNow() {
    error.clear();
    begin({ game: STANDARD.name, mode: "guess" }, { go, button: play, refused: error.show });
  }

  function showChoices() {
    listOfGames().then(
      (games) => {
        fill(others, newGame(games, go));
        if (again)
          requestAnimationFrame(() => others.querySelector(".secret-card")?.scrollIntoView({ block: "center" }));
      },
      (refusal) => {
        const place = errorPlace();
        place.show(refusal);
        fill(others, place.element);
      },
    );
  }

  const element = h(
    "div",
    { class: "home" },
    h(
      "div",
      { class: "hero" },
      h(
        "div",
        { class: "hero-words" },
        h("h1", {}, "Find the hidden word"),
        h("p", { class: "lead" }, "Every guess tells you how many of its letters are right."),
        h("div", { class: "hero-buttons" }, play, daily),
        error.element,
      ),
      h("section", { class: "paper hero-how" }, h("h2", {}, "How to play"), howToPlay(STANDARD)),
    ),
    panel,
    results,
    gamesBegun(),
  );
  return { title: "", element, focus: () => (again ? others.querySelector("#own-word") : null) };
}

function newGame(games, go) {
  const choice = kept();
  const error = errorPlace();
  const secret = h("div");
  const facts = h("div", { class: "facts", "aria-live": "polite" });
  const button = h("button", { type: "submit", class: "primary big" }, "Play this game");
  let field = null;

  const game = () => gameOf(games, choice);
  const chooser = gameChooser(games, choice, { changed, hides: () => choice.mode !== "hide" });
  const modes = radios("Way to play", "mode", Object.keys(MODES), {
    checked: choice.mode,
    words: (mode) => MODES[mode],
    chosen(mode) {
      choice.mode = mode;
      chooser.draw();
      changed();
    },
  });

  function changed() {
    keep(choice);
    error.clear();
    drawSecret();
    fill(facts, h("p", {}, summaryOf(game(), choice.mode)), h("p", { class: "soft" }, against(game(), choice.mode)));
  }

  function drawSecret() {
    const wanted = choice.mode === "duel" ? game() : null;
    if (wanted?.name === field?.game.name) return;
    const own = wanted && wordField(wanted, { label: `Your ${thing(wanted)}`, id: "own-word" });
    field = own && { game: wanted, begins: nextBeginner(), ...own };
    fill(secret, field && secretCard(field));
  }

  function submit(event) {
    event.preventDefault();
    error.clear();
    if (field?.value() === "") return field.refuse(`Type the ${thing(game())} that the computer is to find.`);
    const body = { game: game().name, mode: choice.mode };
    if (field) Object.assign(body, { word: field.value(), begins: field.begins });
    const refused = (refusal) => (field && refusal.status === 422 ? field.refuse(refusal) : error.show(refusal));
    return begin(body, { go, button, refused });
  }

  changed();
  return h(
    "form",
    { class: "new-game", onsubmit: submit, novalidate: true },
    modes,
    chooser.element,
    secret,
    facts,
    h("div", { class: "begin" }, button, error.element),
  );
}

function secretCard(field) {
  const { game } = field;
  return h(
    "div",
    { class: "secret-card" },
    h(
      "p",
      {},
      h("strong", {}, `Your ${thing(game)}`),
      h(
        "span",
        { class: "soft" },
        ` Any of ${count(game.may_hide, thing(game))}. The computer has to find it, and does not peek.`,
      ),
    ),
    field.element,
    field.palette,
    field.error.element,
    h("p", { class: "duel-rule" }, h("strong", {}, whoBegins(field.begins)), ` ${duelRule(game)}`),
  );
}

/** Return who begins a duel, in a sentence. */
function whoBegins(side) {
  if (lastBeginner() === null) return "You begin, and next time the computer.";
  return side === "you" ? "You begin this time." : "The computer begins this time.";
}

function against(game, mode) {
  return [
    game.strategy[mode],
    " ",
    game.shipped && h("a", { href: `/solved/${game.name}#how-do-we-know`, "data-nav": true }, "How do we know?"),
  ];
}

function kept() {
  try {
    const read = JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
    const whole = Object.entries(FIRST).every(([name, value]) => typeof (read[name] ?? value) === typeof value);
    const choice = { ...FIRST, ...read };
    const known = Object.hasOwn(MODES, choice.mode) && Object.hasOwn(FAMILIES, choice.family);
    return whole && known ? choice : { ...FIRST };
  } catch {
    return { ...FIRST };
  }
}

function keep(choice) {
  try {
    localStorage.setItem(KEY, JSON.stringify(choice));
  } catch {
    // without storage the choice lasts as long as the page
  }
}

/** Return how the games of this browser went, or null where none has come to its end; `today`, where it is known. */
function soFar(today) {
  const { games, daily } = statistics();
  const total = (field) => Object.values(games).reduce((sum, game) => sum + game[field], 0);
  const played = total("played");
  if (played === 0) return null;
  const usual = games[STANDARD.name];
  const streak = today === null ? 0 : streakOn(today);
  const figures = [
    [played, "played"],
    [`${Math.round((100 * total("found")) / played)}%`, "found"],
    usual?.found > 0 && [(usual.guesses / usual.found).toFixed(1), "guesses on average"],
    today !== null && daily.best > 0 && [streak, streak === 1 ? "day in a row" : "days in a row"],
    daily.best > 1 && [daily.best, "most days in a row"],
  ];
  const figure = ([value, name]) => h("div", { class: "record-part" }, h("dt", {}, name), h("dd", {}, String(value)));
  return h(
    "section",
    { class: "so-far" },
    h("h2", {}, "Your results"),
    h("dl", { class: "record" }, figures.filter(Boolean).map(figure)),
    distribution({ game: STANDARD, mode: "guess", result: null, guesses: [] }),
  );
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
      games.map(({ id, title, mode, turns, result, daily }) =>
        h(
          "li",
          {},
          h("a", { href: `/match/${id}`, "data-nav": true }, daily ? `Today’s word, ${dayInWords(daily)}` : title),
          h("span", { class: "soft" }, `${MODES[mode]?.[0] ?? mode}, ${count(turns, "turn")}`),
          h("span", { class: `state${result ? "" : " state-open"}` }, result ? "over" : "go on"),
        ),
      ),
    ),
  );
}
