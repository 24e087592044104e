// Modal dialogs.

import { freshId, h } from "./dom.js";

/** Ask a yes-or-no question; return whether the answer was yes. */
export function confirm(question, yes, no) {
  return new Promise((resolve) => {
    const dialog = openDialog(question, [
      h(
        "div",
        { class: "dialog-buttons" },
        h("button", { type: "button", onclick: () => close(false), autofocus: true }, no),
        h("button", { type: "button", class: "primary", "data-yes": true, onclick: () => close(true) }, yes),
      ),
    ]);
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
    const close = (answer) => dialog.close(answer ? "yes" : "no");
  });
}

/** Open a dialog with a heading and some content, and return it; it is removed from the page when it is closed. */
export function openDialog(heading, content) {
  const id = freshId("dialog");
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": id }, h("h2", { id }, heading), content);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}
