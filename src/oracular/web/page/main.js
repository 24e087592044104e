// Which page is shown: the address decides, links within the page do not reload it.

import { Gone, server } from "./api.js";
import { errorPlace, fill, h, say } from "./dom.js";
import { homePage } from "./home.js";
import { matchPage } from "./match.js";
import { solvedPage } from "./solved.js";
import { suggestPage } from "./suggest.js";

const ROUTES = [
  [/^\/$/, homePage],
  [/^\/match\/([^/]+)$/, matchPage],
  [/^\/solved\/([^/]+)$/, solvedPage],
  [/^\/suggest$/, suggestPage],
];
const SOON = 400; // milliseconds within which a page usually comes
const main = document.getElementById("main");
let leave = null; // stops what the page that is shown has running
let shown = null; // its path

/** Show the page of an address of ours. */
export function go(path) {
  history.pushState(null, "", path);
  show(true);
}

async function show(moved) {
  leave?.abort();
  leave = new AbortController();
  const { signal } = leave;
  const path = location.pathname;
  shown = path;
  markLinks(path);
  for (const [pattern, page] of ROUTES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const waiting = setTimeout(showWait, SOON);
    signal.addEventListener("abort", () => clearTimeout(waiting));
    try {
      const { title, element } = await page(...match.slice(1).map(decodeURIComponent), { go, signal });
      if (signal.aborted) return;
      document.title = title ? `${title} · oracular` : "oracular";
      fill(main, element);
      if (moved) arrive();
    } catch (error) {
      if (signal.aborted) return;
      showTrouble(error);
    } finally {
      clearTimeout(waiting);
    }
    return;
  }
  showTrouble(new Error("there is no such page: choose one above"));
}

function showWait() {
  fill(main, h("p", { class: "narrow soft", role: "status" }, "One moment: this is being worked out…"));
}

function arrive() {
  window.scrollTo(0, 0);
  const touch = window.matchMedia("(pointer: coarse)").matches; // there, a field in focus covers half the page
  const focus = (!touch && main.querySelector("[data-first-focus]")) || main.querySelector("h1");
  if (focus?.tagName === "H1") focus.tabIndex = -1;
  focus?.focus({ preventScroll: true });
  say(document.title);
}

function showTrouble(error) {
  if (error instanceof Gone) server.addEventListener("back", () => show(false), { once: true, signal: leave.signal });
  else if (error.status === undefined) console.error(error);
  const place = errorPlace();
  place.show(error);
  document.title = "oracular";
  fill(main, h("div", { class: "narrow" },
    h("h1", {}, "Not here"),
    place.element,
    h("p", {}, h("a", { href: "/", class: "button", "data-nav": true }, "Begin a new game"))));
}

function markLinks(path) {
  for (const link of document.querySelectorAll(".top nav a")) {
    const { section } = link.dataset;
    const target = link.getAttribute("href");
    const inMatch = target === "/" && path.startsWith("/match/");
    if (section ? path.startsWith(section) : path === target || inMatch) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-nav]");
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
window.addEventListener("popstate", () => {
  if (location.pathname !== shown) show(true); // a jump within the page is none of ours
});

const banner = document.getElementById("banner");
server.addEventListener("gone", () => {
  banner.textContent = "The server does not answer. Your game is kept; this page tries again by itself.";
  banner.hidden = false;
});
server.addEventListener("back", () => {
  banner.hidden = true;
  say("The server is back.");
});

show(false);
