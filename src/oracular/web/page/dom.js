// Elements from plain calls. Text always goes in as text, so nothing the server says can become markup.

import { RequestError, ServerGone, server } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return an element.
 *
 * Properties `on…` become event listeners, all others attributes; true sets one without a value, false leaves it out.
 */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** Return an SVG element, in the same way. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Put new children in place of the old ones. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
  return element;
}

let lastId = 0;

/** Return an id that no other element of the page has. */
export function freshId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** Announce a sentence to screen readers. */
export function say(sentence) {
  const says = document.getElementById("says");
  // The same sentence twice is spoken twice only when it changes in between.
  says.textContent = says.textContent === sentence ? `${sentence} ` : sentence;
}

/**
 * Return a place for error messages, with `show` and `clear`.
 *
 * A message that the server does not answer is cleared when it answers again.
 */
export function errorPlace() {
  const element = h("p", { class: "error", role: "alert", id: freshId("error"), hidden: true });
  return { element, show, clear };

  function show(error) {
    clear();
    element.textContent = sentence(error);
    element.hidden = false;
    if (error instanceof ServerGone) server.addEventListener("back", clear, { once: true });
  }

  function clear() {
    server.removeEventListener("back", clear);
    element.textContent = "";
    element.hidden = true;
  }
}

const FAULT = "Something went wrong on this page. Load it again; your games are kept.";

function sentence(error) {
  if (error instanceof Error && !(error instanceof RequestError || error instanceof ServerGone)) {
    console.error(error); // for those who mend it; to players it says nothing
    return FAULT;
  }
  const text = String(error?.message ?? error);
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
}
