// GraphQL client: queries over HTTP, subscriptions over one WebSocket (the protocol graphql-transport-ws).

import { at } from "./place.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** Close code of a connection without a session. */
const FORBIDDEN = 4403;

/** The gateway rejected the session. */
export class ForbiddenError extends Error {}

/** The data of a query. Throws ForbiddenError, and Error with the gateway's own message. */
export async function ask(query, variables = {}) {
  const response = await fetch(at("graphql"), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const body = await response.json();
  if (response.status === 403) throw new ForbiddenError(body.message);
  if (body.errors) throw new Error(body.errors[0].message);
  if (!body.data) throw new Error(body.message ?? `the gateway returned ${response.status}`);
  return body.data;
}

/**
 * Subscribes to channels permanently, and reconnects.
 * @param channels names of subscriptions without arguments
 * @param onEvent called for each event, with the channel's name
 * @param onState called with true when all channels are subscribed, with false when the connection is lost
 */
export function listen(channels, onEvent, onState) {
  let waitMs = FIRST_WAIT_MS;
  const connect = () => {
    const url = new URL(at("graphql"));
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, "graphql-transport-ws");
    const send = (message) => socket.send(JSON.stringify(message));
    socket.onopen = () => send({ type: "connection_init" });
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "ping") send({ type: "pong" });
      if (message.type === "next") onEvent(message.id);
      if (message.type !== "connection_ack") return;
      waitMs = FIRST_WAIT_MS;
      for (const channel of channels) {
        send({ id: channel, type: "subscribe", payload: { query: `subscription { ${channel} { sequence } }` } });
      }
      onState(true);
    };
    socket.onclose = ({ code }) => {
      onState(false);
      if (code === FORBIDDEN) return;
      setTimeout(connect, waitMs);
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    };
  };
  connect();
}
