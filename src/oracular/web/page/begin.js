// Beginning a match: one request, then its page.

import { ask } from "./api.js";
import { keepBeginner } from "./begins.js";
import { remember } from "./recent.js";

/**
 * Begin a match and go to it; `button` cannot be pressed twice meanwhile.
 *
 * If the page was left before the reply came, the match is only remembered. `refused(error)` is called if the server
 * does not begin it.
 */
export async function begin(body, { go, button, refused }) {
  const from = location.pathname;
  if (button.disabled) return;
  button.disabled = true;
  try {
    const match = await ask("/api/matches", body);
    if (match.mode === "duel") keepBeginner(match.starter);
    if (button.isConnected && location.pathname === from) go(`/match/${match.id}`);
    else remember({ ...match, game: await ask(`/api/matches/${match.id}/game`) });
  } catch (refusal) {
    refused(refusal);
  } finally {
    button.disabled = false;
  }
}
