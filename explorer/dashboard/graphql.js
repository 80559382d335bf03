// The data of the pages: documents by their names (documents.js) over HTTP, and what has changed over `/ws`.

import { at } from "./place.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** The gateway rejected the session. */
export class ForbiddenError extends Error {}

/** What the page shows first, which its HTML has requested already: once, as it changes afterwards. */
const first = readFirst();

async function readFirst() {
  const link = document.querySelector('link[rel="preload"]');
  const response = link && (await fetch(link.href).catch(() => undefined));
  if (!response?.ok) return new Map();
  return new Map((await response.json()).map(({ name, variables, data }) => [keyOf(name, variables), data]));
}

const keyOf = (name, variables) => JSON.stringify([name, variables]);

/** The data of a document. Throws ForbiddenError, and Error with the gateway's own message. */
export async function ask(name, variables = {}) {
  const known = await first;
  const key = keyOf(name, variables);
  if (known.has(key)) {
    const data = known.get(key);
    known.delete(key);
    return data;
  }
  const given =
    Object.keys(variables).length > 0 ? `?${new URLSearchParams({ variables: JSON.stringify(variables) })}` : "";
  const response = await fetch(at(`dashboard/data/${name}${given}`));
  const body = await response.json();
  if (response.status === 403) throw new ForbiddenError(body.message);
  if (!response.ok) throw new Error(body.message ?? `the gateway returned ${response.status}`);
  return body;
}

/**
 * Subscribes to channels permanently, and reconnects.
 * @param channels names of channels of `/ws`
 * @param onEvent called for each event, with the channel's name
 * @param onState called with true when all channels are subscribed, with false when the connection is lost
 */
export function listen(channels, onEvent, onState) {
  let waitMs = FIRST_WAIT_MS;
  const connect = () => {
    const url = new URL(at("ws"));
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    socket.onmessage = ({ data }) => {
      const { uid, topic } = JSON.parse(data);
      if (topic !== undefined) return onEvent(topic);
      waitMs = FIRST_WAIT_MS;
      for (const channel of channels) socket.send(JSON.stringify({ uid, subscribe: channel }));
      onState(true);
    };
    socket.onclose = () => {
      onState(false);
      setTimeout(connect, waitMs);
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    };
  };
  connect();
}
