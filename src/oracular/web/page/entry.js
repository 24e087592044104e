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
    oncompositionend: refresh,
    onselectionchange: drawIfOld,
    onkeyup: drawIfOld,
    onselect: drawIfOld,
    onfocus: drawIfOld,
    onblur: drawIfOld,
    onpointerup: toTheEnd,
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
  let drawn = null; // the text and the caret that the cells show
  cells.addEventListener("animationend", () => element.classList.remove("field-shakes"));
  draw();

  /**
   * Keep of what is in the field the symbols of this game, as many as a guess has.
   *
   * While a keyboard still composes the word its text stays as it is, or the letters would come twice.
   */
  function refresh(event) {
    if (!event?.isComposing && value() !== input.value) {
      const before = allowed(input.value.slice(0, input.selectionStart)).length;
      input.value = value();
      input.setSelectionRange(before, before);
    }
    error.clear();
    input.removeAttribute("aria-invalid");
    draw();
    changed();
  }

  function allowed(text) {
    const known = (symbol) => game.symbols.includes(symbol);
    const plain = (symbol) => [...symbol.normalize("NFKD")]; // é is an e with a mark, and a wide e is an e
    const symbols = [...text.normalize("NFC").toLowerCase()].flatMap((one) =>
      known(one) ? one : plain(one).filter(known),
    );
    return symbols.slice(0, game.letters).join("");
  }

  /** Put the caret behind the last letter: what is clicked on are the cells, whose letters stand elsewhere. */
  function toTheEnd() {
    const { selectionStart, selectionEnd } = input;
    const end = input.value.length;
    if (selectionStart === selectionEnd && selectionEnd !== end) input.setSelectionRange(end, end);
    drawIfOld();
  }

  function paste(event) {
    event.preventDefault(); // the field itself would cut the text before what is no letter is left out
    if (!input.readOnly) set(allowed(event.clipboardData?.getData("text") ?? ""));
  }

  /** Return what the next symbol replaces, from and to; it is added at the end where the focus is elsewhere. */
  function selected() {
    const end = input.value.length;
    return document.activeElement === input ? [input.selectionStart, input.selectionEnd] : [end, end];
  }

  function drawIfOld() {
    if ([value(), ...selected()].join(" ") !== drawn) draw();
  }

  /** Draw the letters, where the next one goes, and which of them it would replace. */
  function draw() {
    const typed = [...value()];
    const [from, to] = selected();
    drawn = [value(), from, to].join(" ");
    fill(
      cells,
      Array.from({ length: game.letters }, (_, place) => {
        const symbol = typed[place];
        const here = from === to && place === Math.min(from, typed.length) ? " entry-next" : "";
        if (symbol === undefined) return h("span", { class: `entry-cell${here}` });
        const chosen = from <= place && place < to ? " entry-chosen" : "";
        return h("span", { class: `entry-cell entry-filled${here}${chosen}` }, drawSymbol(game, symbol));
      }),
    );
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

  /** Write one more symbol where the caret is, in place of what is selected. */
  function press(symbol) {
    const [from, to] = selected();
    if (from < to || value().length < game.letters) replace(from, to, symbol);
  }

  /** Take away the symbol before the caret, or what is selected. */
  function erase() {
    const [from, to] = selected();
    if (to > 0) replace(Math.min(from, to - 1), to, "");
  }

  function replace(from, to, text) {
    if (input.readOnly) return;
    input.setRangeText(text, from, to, "end");
    refresh();
  }

  function set(text) {
    input.value = text;
    refresh();
  }

  function value() {
    return allowed(input.value);
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
