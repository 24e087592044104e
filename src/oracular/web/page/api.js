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
let waiting = null;

/** Return the reply to a request as data; throw `RequestError` or `ServerGone`. */
export async function ask(path, body) {
  const options = { headers: { Accept: "application/json" }, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    lost();
    throw new ServerGone();
  }
  found();
  const reply = await response.json().catch(() => null);
  if (!response.ok) throw new RequestError(response.status, reply);
  return reply;
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
      await fetch("/api/health", { cache: "no-store" });
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
