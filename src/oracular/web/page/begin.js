// Beginning a match: one request, then its page.

import { ask } from "./api.js";

/**
 * Begin a match and go to it; `button` cannot be pressed twice meanwhile.
 *
 * `refused(error)` is called where the server does not begin it.
 */
export async function begin(body, { go, button, refused }) {
  button.disabled = true;
  try {
    const match = await ask("/api/matches", body);
    go(`/match/${match.id}`);
  } catch (refusal) {
    refused(refusal);
  } finally {
    button.disabled = false;
  }
}
