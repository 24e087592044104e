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
const NOT_FOUND = 404;
const SOON = 400; // milliseconds within which a page usually comes
const main = document.getElementById("main");
let leave = null; // stops what the page that is shown has running
let shown = null; // its path and query

/** Go to a path of this site. */
export function go(path) {
  history.replaceState({ top: window.scrollY }, ""); // where whoever comes back goes on
  history.pushState(null, "", path);
  show(true);
}

const here = () => location.pathname + location.search;

async function show(moved, top = 0) {
  leave?.abort();
  leave = new AbortController();
  const { signal } = leave;
  const path = location.pathname;
  shown = here();
  markLinks(path);

  /** Give the page that is shown another address, unless it was left. */
  function rename(address) {
    if (signal.aborted) return;
    history.replaceState(history.state, "", address);
    shown = here();
  }

  for (const [pattern, page] of ROUTES) {
    const match = pattern.exec(path);
    if (!match) continue;
    const waiting = setTimeout(showWait, SOON);
    signal.addEventListener("abort", () => clearTimeout(waiting));
    try {
      const named = match.slice(1).map(decodeURIComponent);
      const { title, element, focus = () => null } = await page(...named, { go, rename, signal });
      if (signal.aborted) return;
      document.title = title ? `${title} · oracular` : "oracular";
      fill(main, element);
      arrive(moved, focus(), top);
    } catch (error) {
      if (signal.aborted) return;
      showTrouble(error);
    } finally {
      clearTimeout(waiting);
    }
    return;
  }
  showTrouble({
    status: NOT_FOUND,
    message: "There is no page at this address: choose one above, or begin a new game.",
  });
}

function showWait() {
  fill(main, h("p", { class: "narrow soft", role: "status" }, "One moment: this is being worked out…"));
}

/**
 * Focus the part of a page that the address names, its `first` control or, where the person `moved` here, its heading.
 *
 * Who comes back to a page finds it as far down (`top`) as it was left.
 */
function arrive(moved, first, top) {
  const part = location.hash.length > 1 && main.querySelector(`#${CSS.escape(location.hash.slice(1))}`);
  const touch = window.matchMedia("(pointer: coarse)").matches; // there, a field in focus covers half the page
  const heading = (part || main).querySelector("h1, h2");
  const focus = (part || (touch && first?.matches("input")) ? null : first) ?? (moved || part ? heading : null);
  if (moved) window.scrollTo(0, top);
  if (part && top === 0) part.scrollIntoView();
  if (focus === heading && heading) heading.tabIndex = -1;
  focus?.focus({ preventScroll: true });
  if (moved) say(document.title);
}

function showTrouble(error) {
  const again = { once: true, signal: leave.signal };
  if (error instanceof ServerGone) server.addEventListener("back", () => show(false), again);
  const place = errorPlace();
  place.show(error);
  document.title = "oracular";
  fill(
    main,
    h(
      "div",
      { class: "narrow" },
      h("h1", {}, troubleHead(error)),
      place.element,
      h("p", {}, h("a", { href: "/", class: "button", "data-nav": true }, "Begin a new game")),
    ),
  );
}

function troubleHead(error) {
  if (error instanceof ServerGone) return "No answer";
  if (error.status === NOT_FOUND) return "Not here";
  return error.status === undefined ? "Something went wrong" : "Not now";
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
  if (here() !== shown) show(true, history.state?.top); // a jump within the page is none of ours
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
