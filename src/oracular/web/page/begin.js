// Beginning a match: one request, then its page.

import { ask } from "./api.js";
import { keepBeginner } from "./begins.js";
import { remember } from "./recent.js";

/**
 * Begin a match and go to it; `button` cannot be pressed twice meanwhile.
 *
 * Where the page with the button was left before the reply came, the match is kept among those begun and nothing else
 * happens. `refused(error)` is called where the server does not begin it.
 */
export async function begin(body, { go, button, refused }) {
  const from = location.pathname;
  if (button.disabled) return;
  button.disabled = true;
  try {
    const match = await ask("/api/matches", body);
    if (match.mode === "duel") keepBeginner(match.starter);
    if (button.isConnected && location.pathname === from) go(`/match/${match.id}`);
    else remember(match);
  } catch (refusal) {
    refused(refusal);
  } finally {
    button.disabled = false;
  }
}
