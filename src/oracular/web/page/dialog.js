// Modal dialogs.

import { freshId, h } from "./dom.js";

/** Ask a yes-or-no question; return whether the answer was yes. The page's `signal` takes it away with the page. */
export function confirm(question, yes, no, { signal }) {
  return new Promise((resolve) => {
    const buttons = h(
      "div",
      { class: "dialog-buttons" },
      h("button", { type: "button", onclick: () => close(false), autofocus: true }, no),
      h("button", { type: "button", class: "primary", "data-yes": true, onclick: () => close(true) }, yes),
    );
    const dialog = openDialog(question, [buttons], { signal });
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
    const close = (answer) => dialog.close(answer ? "yes" : "no");
  });
}

/**
 * Open a dialog with a heading and some content, and return it; it is removed from the page when it is closed.
 *
 * `signal`, where given, is that of the page: the dialog closes with it.
 */
export function openDialog(heading, content, { signal = null } = {}) {
  const id = freshId("dialog");
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": id }, h("h2", { id }, heading), content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  if (signal) closeWith(signal, dialog);
  return dialog;
}

/** Close a dialog when the page that opened it is left. */
export function closeWith(signal, dialog) {
  const close = () => dialog.close();
  signal.addEventListener("abort", close);
  dialog.addEventListener("close", () => signal.removeEventListener("abort", close));
}
