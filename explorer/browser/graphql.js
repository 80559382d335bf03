// The data of the pages: documents by their names (documents.js) over HTTP, and what has changed over `/ws`.

import { useEffect, useState } from "htm/preact/standalone";
import { at } from "./place.js";
import { errorOf } from "./words.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** What the page shows first, which its HTML has requested already: once, as it changes afterwards. */
const first = readFirst();

async function readFirst() {
  const link = document.querySelector('link[rel="preload"]');
  const response = link && (await fetch(link.href).catch(() => undefined));
  if (!response?.ok) return new Map();
  return new Map((await response.json()).map(({ name, variables, data }) => [keyOf(name, variables), data]));
}

const keyOf = (name, variables) => JSON.stringify([name, variables]);

/** The data of a document. Throws Error with the gateway's message in the language of the page. */
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
  const response = await fetch(at(`explorer/data/${name}${given}`));
  const body = await response.json();
  if (!response.ok) throw new Error(body.message ? errorOf(body) : `the gateway returned ${response.status}`);
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

/**
 * The response to a document of documents.js, by its name: `{ data, failure }`, both undefined until it arrives. It is asked again when the variables
 * or `version` change; what was shown stays until the new response is there. Without a name nothing is asked.
 */
export function useQuery(query, variables, version) {
  const [response, setResponse] = useState({});
  useEffect(() => {
    if (query === undefined) return undefined;
    let isCurrent = true;
    ask(query, variables).then(
      (data) => isCurrent && setResponse({ data }),
      (error) => isCurrent && setResponse({ failure: error.message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [query, JSON.stringify(variables), version]);
  return response;
}
