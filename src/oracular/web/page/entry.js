// Where a guess is written: a row of cells, one a letter, over a real text field. For codes there is a palette too.

import { ServerGone } from "./api.js";
import { errorPlace, fill, freshId, h } from "./dom.js";
import { isCode, thing } from "./phrases.js";
import { drawSymbol } from "./tokens.js";

/**
 * Return a field for a word or code: `element`, `input`, `value()`, `set(text)`, `press(symbol)`, `erase()`, `clear()`,
 * `error`, `refuse(reason)`, `palette`.
 *
 * It takes the symbols of the game and no others, and never more than a guess has. The palette is an element of its own
 * (null for words), so that it can stand under the line; `onScreen` says that the keyboard of this page writes instead,
 * and a phone's own one stays away.
 */
export function wordField(game, { label, id = freshId("word"), changed = () => {}, onScreen = false }) {
  const digitsOnly = game.symbols.every((symbol) => /\d/.test(symbol));
  const error = errorPlace();
  const input = h("input", {
    id,
    class: "word-input",
    type: "text",
    maxlength: game.letters,
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    enterkeyhint: "go",
    inputmode: onScreen ? "none" : digitsOnly ? "numeric" : "text",
    "aria-describedby": error.element.id,
    oninput: refresh,
    onselect: atTheEnd,
    onfocus: atTheEnd,
    onkeydown: (event) => ["ArrowLeft", "ArrowUp", "Home"].includes(event.key) && event.preventDefault(),
    onpointerup: atTheEnd,
    onpaste: paste,
  });
  const cells = h("span", { class: "entry-cells", "aria-hidden": "true" });
  const palette = isCode(game) && !onScreen ? paletteFor() : null;
  const element = h(
    "span",
    { class: `field field-${game.family}` },
    h("label", { class: "unseen", for: id }, label),
    cells,
    input,
  );
  element.style.setProperty("--letters", String(game.letters));
  cells.addEventListener("animationend", () => element.classList.remove("field-shakes"));
  draw();

  /** Keep of what is in the field the symbols of this game, as many as a guess has. */
  function refresh() {
    const kept = allowed(input.value);
    if (kept !== input.value) input.value = kept;
    error.clear();
    input.removeAttribute("aria-invalid");
    draw();
    changed();
  }

  function allowed(text) {
    const symbols = [...text.toLowerCase()].filter((symbol) => game.symbols.includes(symbol));
    return symbols.slice(0, game.letters).join("");
  }

  /** Keep the caret behind the last letter, where the next one appears; a selection of everything may stay. */
  function atTheEnd() {
    const end = input.value.length;
    if (input.selectionStart === 0 && input.selectionEnd === end) return;
    if (input.selectionStart !== end || input.selectionEnd !== end) input.setSelectionRange(end, end);
  }

  function paste(event) {
    event.preventDefault(); // the field itself would cut the text before what is no letter is left out
    set(allowed(event.clipboardData?.getData("text") ?? ""));
  }

  function draw() {
    const typed = [...value()];
    fill(
      cells,
      Array.from({ length: game.letters }, (_, place) => {
        const symbol = typed[place];
        const here = place === typed.length ? " entry-next" : "";
        if (symbol === undefined) return h("span", { class: `entry-cell${here}` });
        return h("span", { class: "entry-cell entry-filled" }, drawSymbol(game, symbol));
      }),
    );
    element.classList.toggle("field-full", typed.length === game.letters);
  }

  function paletteFor() {
    const key = (kind, name, pressed, drawn) =>
      h("button", { type: "button", class: `palette-key${kind}`, "aria-label": name, onclick: pressed }, drawn);
    const named = (symbol) => (game.family === "mastermind" ? `Colour ${symbol}` : symbol);
    return h(
      "div",
      { class: `palette palette-${game.family}`, role: "group", "aria-label": `Write the ${thing(game)}` },
      game.symbols.map((symbol) => key("", named(symbol), () => press(symbol), drawSymbol(game, symbol))),
      key(" palette-back", "Take the last one back", erase, "⌫"),
    );
  }

  /** Write one more symbol, in place of what is selected. */
  function press(symbol) {
    if (input.readOnly) return;
    const { selectionStart, selectionEnd } = input;
    const replaces = document.activeElement === input && selectionEnd > selectionStart;
    set((replaces ? "" : value()) + symbol);
  }

  function erase() {
    if (!input.readOnly) set(value().slice(0, -1));
  }

  function set(text) {
    input.value = text;
    refresh();
  }

  function value() {
    return input.value.trim().toLowerCase();
  }

  /** Tell why the guess cannot be taken, shake gently, and leave it there to be changed. */
  function refuse(reason) {
    error.show(reason);
    if (!(reason instanceof ServerGone)) input.setAttribute("aria-invalid", "true");
    element.classList.remove("field-shakes");
    void cells.offsetWidth; // so that it shakes again
    element.classList.add("field-shakes");
    input.focus({ preventScroll: true });
  }

  return { element, input, palette, error, value, set, press, erase, clear: () => set(""), refuse };
}
