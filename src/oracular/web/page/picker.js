// A list to pick one thing from, with its name above it.

import { freshId, h } from "./dom.js";

/** Return the list: `options` are pairs of value and text, `chosen(value)` is called with what was picked. */
export function picker(label, options, value, chosen) {
  const id = freshId("pick");
  const option = ([name, text]) => h("option", { value: name, selected: name === value }, text);
  return h(
    "div",
    { class: "pick" },
    h("label", { for: id }, label),
    h("select", { id, onchange: (event) => chosen(event.target.value) }, options.map(option)),
  );
}
