// Sending a move so that it is counted once, whatever becomes of the reply.

import { ask, RequestError, ServerGone, server } from "./api.js";

export const TRYING = "Could not reach the server. Nothing is lost: trying again…";
const OVERTAKEN = "Another move came first, perhaps from another window. This is the game as it stands now.";
const PATIENCE = 4000; // after which the server is asked again by itself, in milliseconds

/**
 * Return the match after a move.
 *
 * Where no reply came it is not known whether the move was counted. So the match is looked at again: its version tells.
 * What was not counted is sent again, with the version that it was made for, so that it can never count twice.
 * `waits(true)` tells that the server is being waited for. A refusal is thrown; where the match has moved on
 * meanwhile, `overtaken` is called with it first, and that is what is told.
 */
export async function sendMove(path, action, body, before, { signal, waits, overtaken }) {
  const move = { ...body, version: before.version };
  for (;;) {
    let refusal;
    try {
      return await ask(`${path}/${action}`, move);
    } catch (thrown) {
      refusal = thrown;
    }
    const lost = refusal instanceof ServerGone;
    const unsure = lost || refusal.status >= 500; // it may have been counted
    if (!unsure && refusal.status !== 409) throw refusal;
    if (signal.aborted) throw refusal;
    const now = await look(path, lost, { signal, waits });
    if (now === null) throw refusal;
    if (now.version !== before.version) {
      if (unsure && wasCounted(action, body, before, now)) return now;
      overtaken(now);
      throw new RequestError(409, { error: OVERTAKEN });
    }
    if (!lost) throw refusal;
  }
}

/** Return the match as it is now; wait for the server where it is gone. Null where it cannot be had. */
async function look(path, gone, { signal, waits }) {
  let wait = gone;
  try {
    for (;;) {
      if (wait) {
        waits(true);
        await serverBack(signal);
      }
      if (signal.aborted) return null;
      try {
        return await ask(path);
      } catch (refusal) {
        if (!(refusal instanceof ServerGone)) return null;
        wait = true;
      }
    }
  } finally {
    waits(false);
  }
}

function serverBack(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, PATIENCE);
    server.addEventListener("back", done, { once: true });
    signal.addEventListener("abort", done, { once: true });

    function done() {
      clearTimeout(timer);
      server.removeEventListener("back", done);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** Return whether a move whose reply was lost is in the match now. */
function wasCounted(action, body, before, now) {
  const made = (turns, old, field) => turns.length > old.length && turns[old.length][field] === body[field];
  if (action === "guess") return made(now.guesses, before.guesses, "guess");
  if (action === "answer") return made(now.computer, before.computer, "answer");
  if (action === "give-up") return now.result === "given up";
  if (action === "tell") return now.result === "told";
  if (action === "undo") return now.undone > before.undone;
  return now.computer[body.turn]?.answer === body.answer; // an answer that was changed
}
