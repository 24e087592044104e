// Where a guess is written: a text field, and for codes a palette beside it.

import { ServerGone } from "./api.js";
import { errorPlace, fill, freshId, h } from "./dom.js";
import { isCode, thing } from "./phrases.js";
import { drawSymbol } from "./tokens.js";

/**
 * Return a field for a word or code: `element`, `input`, `value()`, `clear()`, `error`, `set(text)`, `palette`.
 *
 * The palette is an element of its own (null for words), so that it can stand under the line.
 */
export function wordField(game, { label, id = freshId("word"), changed = () => {} }) {
  const code = isCode(game);
  const digitsOnly = game.symbols.every((symbol) => /\d/.test(symbol));
  const error = errorPlace();
  const input = h("input", {
    id,
    class: "word-input",
    type: "text",
    size: game.letters + 1,
    maxlength: game.letters + 8, // a word that is too long is told so rather than cut
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    enterkeyhint: "go",
    inputmode: code && digitsOnly ? "numeric" : "text",
    placeholder: "·".repeat(game.letters),
    "aria-describedby": error.element.id,
    oninput: refresh,
  });
  const preview = h("span", { class: "preview", "aria-hidden": "true" });
  const palette = code ? paletteFor() : null;

  function refresh() {
    error.clear();
    input.removeAttribute("aria-invalid");
    if (game.family === "mastermind") drawPreview();
    changed();
  }

  function drawPreview() {
    const typed = [...value()].slice(0, game.letters);
    const hole = (text = "") => h("span", { class: "cell hole" }, text);
    const cells = typed.map((symbol) => (game.symbols.includes(symbol) ? drawSymbol(game, symbol) : hole("?")));
    while (cells.length < game.letters) cells.push(hole());
    fill(preview, cells);
  }

  function paletteFor() {
    const key = (kind, name, pressed, drawn) =>
      h("button", { type: "button", class: `palette-key${kind}`, "aria-label": name, onclick: pressed }, drawn);
    const named = (symbol) => (game.family === "mastermind" ? `Colour ${symbol}` : symbol);
    const label = `Write the ${thing(game)}`;
    return h(
      "div",
      { class: `palette palette-${game.family}`, role: "group", "aria-label": label },
      game.symbols.map((symbol) => key("", named(symbol), () => press(symbol), drawSymbol(game, symbol))),
      key(" palette-back", "Take the last one back", () => set(input.value.slice(0, -1)), "⌫"),
    );
  }

  function press(symbol) {
    if (value().length < game.letters) set(value() + symbol);
  }

  function set(text) {
    input.value = text;
    refresh();
  }

  const value = () => input.value.trim().toLowerCase();
  if (game.family === "mastermind") drawPreview();
  const element = h(
    "span",
    { class: `field field-${game.family}` },
    h("label", { class: "unseen", for: id }, label),
    game.family === "mastermind" && preview,
    input,
  );
  return { element, input, palette, error, value, set, clear: () => set(""), refuse };

  function refuse(reason) {
    error.show(reason);
    if (!(reason instanceof ServerGone)) input.setAttribute("aria-invalid", "true");
    input.focus();
    input.select();
  }
}
