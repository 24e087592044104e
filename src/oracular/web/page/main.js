// The router: shows the page of the current address, and follows links without a reload.

import { ServerGone, server } from "./api.js";
import { errorPlace, fill, h, say } from "./dom.js";
import { homePage } from "./home.js";
import { matchPage } from "./match.js";
import { anySolvedPage, solvedPage } from "./solved.js";
import { suggestPage } from "./suggest.js";

const ROUTES = [
  [/^\/$/, homePage],
  [/^\/match\/([^/]+)$/, matchPage],
  [/^\/solved$/, anySolvedPage],
  [/^\/solved\/([^/]+)$/, solvedPage],
  [/^\/suggest$/, suggestPage],
];
const SOON = 400; // milliseconds within which a page usually comes
const main = document.getElementById("main");
let leave = null; // stops what the page that is shown has running
let shown = null; // its path

/** Go to a path of this site. */
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
      const named = match.slice(1).map(decodeURIComponent);
      const { title, element, focus = () => null } = await page(...named, { go, signal });
      if (signal.aborted) return;
      document.title = title ? `${title} · oracular` : "oracular";
      fill(main, element);
      arrive(moved, focus());
    } catch (error) {
      if (signal.aborted) return;
      showTrouble(error);
    } finally {
      clearTimeout(waiting);
    }
    return;
  }
  showTrouble({ status: 404, message: "There is no page at this address: choose one above, or begin a new game." });
}

function showWait() {
  fill(main, h("p", { class: "narrow soft", role: "status" }, "One moment: this is being worked out…"));
}

/** Focus the `first` control of a page or, where the person `moved` here from another page, its heading. */
function arrive(moved, first) {
  const touch = window.matchMedia("(pointer: coarse)").matches; // there, a field in focus covers half the page
  const focus = (touch && first?.matches("input") ? null : first) ?? (moved ? main.querySelector("h1") : null);
  if (moved) window.scrollTo(0, 0);
  if (focus?.tagName === "H1") focus.tabIndex = -1;
  focus?.focus({ preventScroll: true });
  if (moved) say(document.title);
}

function showTrouble(error) {
  const again = { once: true, signal: leave.signal };
  if (error instanceof ServerGone) server.addEventListener("back", () => show(false), again);
  else if (error.status === undefined) console.error(error);
  const place = errorPlace();
  place.show(error);
  document.title = "oracular";
  fill(
    main,
    h(
      "div",
      { class: "narrow" },
      h("h1", {}, "Not here"),
      place.element,
      h("p", {}, h("a", { href: "/", class: "button", "data-nav": true }, "Begin a new game")),
    ),
  );
}

function markLinks(path) {
  for (const link of document.querySelectorAll(".top nav a")) {
    const { section } = link.dataset;
    const target = link.getAttribute("href");
    const inMatch = target === "/" && path.startsWith("/match/");
    const inSection = section && `${path}/`.startsWith(section);
    if (inSection || path === target || inMatch) link.setAttribute("aria-current", "page");
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
  banner.textContent = "The server does not answer. Your game is kept; this page looks out for its return.";
  banner.hidden = false;
});
server.addEventListener("back", () => {
  banner.hidden = true;
  say("The server is back.");
});

show(false);
