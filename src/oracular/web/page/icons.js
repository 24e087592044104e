// The small pictures on buttons, drawn as lines.

import { h, svg } from "./dom.js";

const PATHS = {
  pencil: "M4 20l1-5L16.5 3.5a2.1 2.1 0 0 1 3 0l1 1a2.1 2.1 0 0 1 0 3L9 19zM14 6l4 4",
  bulb: "M9 18h6M10 21.5h4M8.5 15c-2-1.3-3-3-3-5.2a6.5 6.5 0 0 1 13 0c0 2.2-1 3.9-3 5.2z",
  back: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  flag: "M5 21.5V4c4-2.5 7 2.5 14 0v10c-7 2.5-10-2.5-14 0",
};

/** Return a picture; it says nothing to those who do not see it. */
export function icon(name) {
  const picture = { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" };
  return svg("svg", picture, svg("path", { d: PATHS[name] }));
}

/** Return a button with a picture; its name stands beside it where there is room. */
export function iconButton(picture, name, onclick, properties = {}) {
  return h(
    "button",
    { type: "button", class: "tool", title: name, onclick, ...properties },
    icon(picture),
    h("span", { class: "tool-name" }, name),
  );
}
