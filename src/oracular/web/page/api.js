// Requests to the server, and noticing when it does not answer.

/** The server refused a request; the message is its own. */
export class RequestError extends Error {
  constructor(status, reply) {
    super(reply?.error ?? `the server answered ${status}: try again`);
    this.status = status;
    this.reply = reply ?? {};
  }
}

/** The server did not answer; `server` dispatches "back" when it does again. */
export class ServerGone extends Error {
  constructor() {
    super("the server does not answer: try again when it is back");
  }
}

export const server = new EventTarget();
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 8000;
const PATIENCE = 90_000; // milliseconds; some answers are long in the making, but none as long as this
const KNOCK_PATIENCE = 10_000;
let waiting = null;

/**
 * Return the reply to a request as data; throw `RequestError` or `ServerGone`.
 *
 * A reply that breaks off or never comes is none: the server may have done what it was asked for, or not.
 */
export async function ask(path, body) {
  const options = {
    headers: { Accept: "application/json" },
    credentials: "same-origin",
    cache: "no-store",
    signal: AbortSignal.timeout(PATIENCE),
  };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  let reply;
  try {
    response = await fetch(path, options);
    reply = read(await response.text(), response.ok);
  } catch {
    lost();
    throw new ServerGone();
  }
  found();
  if (!response.ok) throw new RequestError(response.status, reply);
  return reply;
}

/** Return a reply's text as data. A refusal may come from something before the server, and say nothing readable. */
function read(text, needed) {
  try {
    return JSON.parse(text);
  } catch (unreadable) {
    if (needed) throw unreadable;
    return null;
  }
}

function lost() {
  if (waiting !== null) return;
  server.dispatchEvent(new Event("gone"));
  knock(FIRST_WAIT);
}

function found() {
  if (waiting === null) return;
  clearTimeout(waiting);
  waiting = null;
  server.dispatchEvent(new Event("back"));
}

function knock(wait) {
  waiting = setTimeout(async () => {
    try {
      await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(KNOCK_PATIENCE) });
      found();
    } catch {
      knock(Math.min(wait * 2, LONGEST_WAIT));
    }
  }, wait);
}

let games = null;

/** Return the games that can be played; they are requested once. */
export async function listOfGames() {
  games ??= (await ask("/api/games")).games;
  return games;
}
