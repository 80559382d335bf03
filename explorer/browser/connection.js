// Requests of the pages, and whether the gateway answers them. A connection may be dead without being closed, so everything
// that is awaited has a limit.

import { duration, time } from "./format.js";
import { at } from "./paths.js";
import { errorOf, words } from "./words.js";

const REQUEST_MS = 15_000;
/** The gateway sends something at least every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Interval without events. */
export const POLL_MS = 15_000;

const state = { isLive: false, isReached: true, reachedAt: Date.now() };
/** How far the gateway's clock is ahead of this one, ms. */
let aheadMs = 0;

/** Unix ms by the clock of the gateway. */
export const now = () => Date.now() + aheadMs;

function setState(change) {
  if (change.isReached || change.isLive) change.reachedAt = Date.now();
  Object.assign(state, change);
  const name = !state.isReached ? "lost" : state.isLive ? "live" : "polling";
  const values = { time: time(state.reachedAt), interval: duration(POLL_MS / 1_000) };
  const status = document.getElementById("status");
  if (status.dataset.state === name) return;
  status.dataset.state = name;
  // A translated text is another node.
  status.replaceChildren(Object.assign(document.createElement("span"), { textContent: words(name, values) }));
}

/**
 * The JSON at a path below the root. @throws Error with the gateway's message in the language of the page, or that it
 * does not answer
 */
export async function getJson(path) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), REQUEST_MS);
  let response;
  let body;
  try {
    response = await fetch(at(path), { signal: limit.signal });
    body = await response.json();
  } catch {
    setState({ isReached: false });
    throw new Error(words("notReached"));
  } finally {
    clearTimeout(timer);
  }
  const difference = Date.parse(response.headers.get("date")) - Date.now();
  // The header has whole seconds.
  if (Math.abs(difference - aheadMs) > 2_000) aheadMs = difference;
  setState({ isReached: true });
  if (!response.ok) throw new Error(errorOf(body));
  return body;
}

/**
 * Subscribes to channels of `/ws` permanently, and reconnects.
 * @param onEvent called for each event
 */
export function listen(channels, onEvent) {
  let waitMs = FIRST_WAIT_MS;
  const connect = () => {
    const url = new URL(at("ws"));
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    const end = () => {
      clearTimeout(timer);
      socket.onclose = socket.onmessage = undefined;
      socket.close();
      setState({ isLive: false });
      onEvent();
      setTimeout(connect, waitMs);
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    };
    let timer = setTimeout(end, SILENCE_MS);
    socket.onmessage = ({ data }) => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS);
      const { uid, topic } = JSON.parse(data);
      if (topic !== undefined) return topic === "heartbeat" || onEvent();
      waitMs = FIRST_WAIT_MS;
      for (const channel of ["heartbeat", ...channels]) socket.send(JSON.stringify({ uid, subscribe: channel }));
      setState({ isLive: true, isReached: true });
    };
    socket.onclose = end;
  };
  connect();
}
