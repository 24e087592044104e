// Where you hide: asking whether your word is in the list, and telling it when the game is to end.

import { ask } from "./api.js";
import { openDialog } from "./dialog.js";
import { errorPlace, h } from "./dom.js";
import { wordField } from "./entry.js";
import { thing } from "./phrases.js";

/** Return a small form that tells whether a word may be hidden; the computer's side of the game never sees it. */
export function wordCheck(game) {
  const field = wordField(game, { label: `Is my ${thing(game)} in the list?`, changed: forget });
  const told = h("p", { class: "check-told", role: "status" });
  const form = h(
    "form",
    { class: "check-form", onsubmit: check, novalidate: true },
    field.element,
    h("button", { type: "submit" }, "Look it up"),
  );
  return h(
    "div",
    { class: "check" },
    h("h2", {}, `Is my ${thing(game)} in the list?`),
    h("p", { class: "soft note" }, "Only the list is asked: the computer that guesses does not hear of it."),
    form,
    field.palette,
    field.error.element,
    told,
  );

  function forget() {
    told.textContent = "";
  }

  async function check(event) {
    event.preventDefault();
    const word = field.value();
    if (word.length < game.letters) return field.refuse(`Write all ${game.letters} first.`);
    try {
      const { may_hide: fine, note } = await ask(`/api/games/${game.name}/words/${encodeURIComponent(word)}`);
      told.className = `check-told ${fine ? "check-fine" : "check-unknown"}`;
      told.textContent = `${fine ? "✓" : "✗"} ${note}`;
    } catch (refusal) {
      field.refuse(refusal);
    }
    return undefined;
  }
}

/**
 * Ask for the word that was hidden; `tell(word)` sends it and ends the game.
 *
 * `end()`, where given, ends it without the word. The page's `signal` takes the dialog away with the page.
 */
export function askForWord(game, { heading, text, tell, end = null, signal }) {
  const noun = thing(game);
  const field = wordField(game, { label: `Your ${noun}` });
  const error = errorPlace();
  const send = h("button", { type: "submit", class: "primary", "data-tell-word": true }, `Tell my ${noun}`);
  const leave = h("button", { type: "button", onclick: () => dialog.close() }, "Play on");
  const without = end && h("button", { type: "button", "data-yes": true, onclick: finish }, "End without telling");
  const form = h(
    "form",
    { class: "tell-form", onsubmit: submit, novalidate: true },
    h("p", {}, text),
    field.element,
    field.palette,
    field.error.element,
    error.element,
    h("div", { class: "dialog-buttons" }, leave, without, send),
  );
  const dialog = openDialog(heading, [form], { signal });
  let busy = false; // something is on its way
  field.input.focus();

  async function submit(event) {
    event.preventDefault();
    const word = field.value();
    if (word.length < game.letters) return field.refuse(`Write all ${game.letters} first.`);
    if (busy) return undefined;
    busy = send.disabled = true;
    try {
      await tell(word);
      dialog.close();
    } catch (refusal) {
      field.refuse(refusal);
    } finally {
      busy = send.disabled = false;
    }
    return undefined;
  }

  async function finish() {
    if (busy) return;
    busy = true;
    error.clear();
    try {
      await end();
      dialog.close();
    } catch (refusal) {
      error.show(refusal);
    } finally {
      busy = false;
    }
  }
}
