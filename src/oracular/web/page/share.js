// Giving others a result to read, or the address of a game to watch.

import { h, say } from "./dom.js";

const SHOWN = 2500; // how long it is said that something was copied, in milliseconds

/**
 * Return a button that shares a text: by the device's own way on touch screens, otherwise by copying it.
 *
 * Where neither is allowed the text is shown, selected, to be copied by hand. `text()` is asked for when it is needed.
 */
export function shareButton({ name, text, done, kind = "", title = null }) {
  const label = h("span", {}, name);
  const button = h("button", { type: "button", class: kind, title, onclick: share }, label);
  const place = h("textarea", {
    class: "share-text",
    readonly: true,
    hidden: true,
    "aria-label": "To be copied",
    onfocus: (event) => event.target.select(),
  });
  return h("span", { class: "share" }, button, place);

  async function share() {
    const given = text();
    const touch = window.matchMedia("(pointer: coarse)").matches;
    if (touch && navigator.share) {
      try {
        await navigator.share({ text: given });
        return;
      } catch (refusal) {
        if (refusal.name === "AbortError") return; // the person thought better of it
      }
    }
    try {
      await navigator.clipboard.writeText(given);
      tell();
    } catch {
      place.value = given;
      place.rows = given.split("\n").length;
      place.hidden = false;
      place.focus();
    }
  }

  function tell() {
    label.textContent = "Copied";
    say(done);
    setTimeout(() => {
      label.textContent = name;
    }, SHOWN);
  }
}

/** Return a button that shares the result of a match: one line a guess, letters hidden, and where to play. */
export function shareResult(match, kind) {
  return shareButton({
    name: "Share",
    kind,
    text: () => `${match.share}\n${location.origin}/`, // the match itself would show the words
    done: "The result is copied.",
  });
}

/** Return a button that copies the address of a match in progress, for those who want to watch. */
export function shareAddress() {
  return shareButton({
    name: "Let others watch",
    kind: "quiet",
    text: () => location.origin + location.pathname,
    title: "Others may watch at this address; only you can move",
    done: "The address of this game is copied. Others may watch at it; only you can move.",
  });
}
