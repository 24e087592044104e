// The keyboard on the screen: it types a guess, shows what is known of each letter, and takes notes.

import { h, say } from "./dom.js";
import { known, MEANINGS } from "./known.js";
import { isCode } from "./phrases.js";
import { drawSymbol } from "./tokens.js";

const QWERTY = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const LONG = 450; // milliseconds after which a press is a note
const ECHO = 700; // and within which a click is the one of a press that was heard already
const NOTED = { out: "crossed off by you", in: "ringed by you" };
const WALK = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * Return whether a press of a real key is meant for the guess: not where a field or a dialog takes it.
 *
 * `idle` is a field that takes none now.
 */
export function isForGuess(event, idle = null) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (document.querySelector("dialog[open]")) return false;
  if (event.target === idle) return true;
  return !event.target.closest?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]");
}

/**
 * Return the keyboard: `element`, `update(turns, proved)`, `setNoting(on)`, `ready(full)`, `pressed(event)`,
 * `play(name)`.
 *
 * `field` is written to and `enter()` sends it. A long press, a right click or, while `setNoting` is on, a tap notes
 * the letter instead: crossed off, then ringed, then clear. `pressed` takes what is typed on a real keyboard.
 * `later(name)` keeps a key while nothing can be written, and returns whether it did; `play` presses it then.
 */
export function keyboard(game, { field, enter, later, notes }) {
  const rows = keyRows(game);
  const buttons = new Map();
  let noting = false;
  const presses = new Map(); // of each pointer that is down: its key, its timer, whether it has counted already
  const heard = new Map(); // when a key was let go, so that the click that follows is not taken for another one
  let marks = {};

  /** Press a key that writes: a symbol, "erase" or "enter". */
  function play(name) {
    if (name === "enter") enter();
    else if (later(name)) return;
    else if (name === "erase") field.erase();
    else field.press(name);
  }

  function act(name) {
    if (noting && isSymbol(name)) return note(name);
    play(name);
    if (name === "enter" || field.input.readOnly) return undefined;
    return say([...field.value()].join(" ").toUpperCase() || "Empty");
  }

  const element = h(
    "div",
    {
      class: `typing typing-${isCode(game) ? "code" : "word"}`,
      role: "group",
      "aria-label": "Keyboard",
      onkeydown: walk,
      onpointerdown: down,
      onpointerup: up,
      onpointercancel: drop,
      onpointerover: (event) => presses.get(event.pointerId)?.button !== keyOf(event) && drop(event),
      oncontextmenu: menu,
      onclick: click,
    },
    rows.map((row) => h("div", { class: "typing-row" }, row.map(key))),
  );

  function key(name) {
    const kinds = { enter: " typing-enter", erase: " typing-erase" };
    const faces = { enter: "Enter", erase: "⌫" };
    const button = h(
      "button",
      {
        type: "button",
        class: `typing-key${kinds[name] ?? ""}`,
        "data-key": name,
        tabindex: buttons.size === 0 ? 0 : -1,
        "aria-label": name === "erase" ? "Backspace" : null,
        onfocus: () => rove(name),
      },
      h("span", { class: "typing-face" }, faces[name] ?? drawSymbol(game, name)),
    );
    buttons.set(name, button);
    return button;
  }

  const keyOf = (event) => event.target.closest?.("[data-key]") ?? null;
  const isSymbol = (name) => name !== "enter" && name !== "erase";

  // A press counts when it is let go, each finger by itself, so that two thumbs may overlap.
  function down(event) {
    const button = keyOf(event);
    if (!button || event.button !== 0) return;
    event.preventDefault(); // the focus stays where it is
    for (const other of presses.values()) finish(other); // another thumb is still down: its letter comes first
    const press = { button, counted: false, timer: null };
    presses.set(event.pointerId, press);
    if (isSymbol(button.dataset.key) && !noting) press.timer = setTimeout(() => noteByPress(press), LONG);
    button.classList.add("typing-down");
  }

  function up(event) {
    const press = presses.get(event.pointerId);
    if (press && keyOf(event) === press.button) {
      heard.set(press.button, performance.now());
      finish(press);
    }
    drop(event);
  }

  /** Let a press count, unless it has. */
  function finish(press) {
    clearTimeout(press.timer);
    if (press.counted) return;
    press.counted = true;
    act(press.button.dataset.key);
  }

  function drop({ pointerId }) {
    const press = presses.get(pointerId);
    if (!press) return;
    clearTimeout(press.timer);
    presses.delete(pointerId);
    if (![...presses.values()].some(({ button }) => button === press.button))
      press.button.classList.remove("typing-down");
  }

  function noteByPress(press) {
    if (press.counted) return;
    press.counted = true;
    note(press.button.dataset.key);
  }

  function menu(event) {
    const button = keyOf(event);
    if (!button) return;
    event.preventDefault();
    if (!isSymbol(button.dataset.key)) return;
    const press = [...presses.values()].find((other) => other.button === button);
    if (press) noteByPress(press);
    else note(button.dataset.key);
  }

  function click(event) {
    const button = keyOf(event);
    if (!button) return;
    const echo = event.detail > 0 && performance.now() - (heard.get(button) ?? -ECHO) < ECHO;
    heard.delete(button);
    if (!echo) act(button.dataset.key); // by Space, Enter, or a screen reader
  }

  function note(name) {
    notes.turn(name);
    say(labelOf(name));
  }

  function rove(name) {
    for (const [other, button] of buttons) button.tabIndex = other === name ? 0 : -1;
  }

  /** Go from key to key by the arrows; with Shift, Space or Enter notes the letter, and Delete clears the note. */
  function walk(event) {
    const name = event.target.dataset?.key;
    if (name === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isSymbol(name) && event.shiftKey && (event.key === " " || event.key === "Enter")) note(name);
    else if (isSymbol(name) && event.key === "Delete") notes.set(name, null);
    else if (event.key in WALK) buttons.get(neighbour(name, ...WALK[event.key]))?.focus();
    else return;
    event.preventDefault();
  }

  function neighbour(name, lines, steps) {
    const line = rows.findIndex((row) => row.includes(name));
    const place = rows[line].indexOf(name);
    if (lines === 0) return rows[line][place + steps];
    const next = rows[line + lines];
    return next?.[Math.round((place / Math.max(1, rows[line].length - 1)) * (next.length - 1))];
  }

  /** Take a key of the real keyboard wherever the focus is; it goes to the field, and so does the focus. */
  function pressed(event) {
    const idle = field.input.readOnly ? field.input : null;
    if (!isForGuess(event, idle)) return;
    const name = event.key.toLowerCase();
    const onControl = event.target !== idle && event.target.closest?.("button, a, summary, input");
    if (game.symbols.includes(name)) play(name);
    else if (event.key === "Backspace") play("erase");
    else if (event.key === "Enter" && !onControl && !event.repeat) play("enter");
    else return;
    event.preventDefault();
    field.input.focus({ preventScroll: true });
  }

  function labelOf(name) {
    const shown = game.family === "mastermind" ? `Colour ${name}` : name.toUpperCase();
    const said = [MEANINGS[marks[name]], NOTED[notes.of(name)]].filter(Boolean).join(", ");
    return said ? `${shown}: ${said}` : shown;
  }

  function update(turns, proved) {
    marks = known(game, turns, proved);
    for (const [name, button] of buttons) {
      if (!isSymbol(name)) continue;
      button.dataset.known = marks[name] ?? "open";
      button.dataset.noted = notes.of(name) ?? "";
      button.setAttribute("aria-label", labelOf(name));
    }
  }

  function setNoting(on) {
    noting = on;
    element.classList.toggle("typing-notes", on);
    element.setAttribute("aria-label", on ? "Keyboard: each key notes its letter" : "Keyboard");
  }

  const ready = (full) => buttons.get("enter").classList.toggle("typing-ready", full);
  update([], null);
  return { element, update, setNoting, ready, pressed, play };
}

/** Return the rows of keys: as on a typewriter for words, in one or two rows for codes. */
function keyRows(game) {
  const { symbols } = game;
  if (isCode(game)) {
    const across = symbols.length <= 7 ? symbols.length : Math.ceil(symbols.length / 2);
    return [symbols.slice(0, across), symbols.slice(across), ["enter", "erase"]].filter((row) => row.length > 0);
  }
  const rows = QWERTY.map((row) => [...row].filter((symbol) => symbols.includes(symbol)));
  const others = symbols.filter((symbol) => !rows.flat().includes(symbol));
  const [first, second, third] = rows;
  return [first, second, others, ["enter", ...third, "erase"]].filter((row) => row.length > 0);
}
