import type { ServerResponse } from "node:http";
import { sent } from "../http/connection.js";
import type { EventResult } from "./event-result.js";

/** Content type of server-sent events. */
export const EVENT_STREAM_TYPE = "text/event-stream";
/** So that proxies keep a connection without events, in ms. */
const PING_MS = 12_000;
const PING = ":\n\n";
const START = Buffer.from("event: next\ndata: ");
const END = Buffer.from("\n\n");
const COMPLETE = "event: complete\ndata:\n\n";

/**
 * Sends the results of a subscription as server-sent events, each when the client has read the previous ones. The
 * subscription ends when the client disconnects. @throws what the results throw
 */
export async function sendEventStream(response: ServerResponse, results: AsyncIterator<EventResult>): Promise<void> {
  const gone = sent(response);
  void gone.then(() => results.return?.());
  response.writeHead(200, { "Content-Type": EVENT_STREAM_TYPE, "Cache-Control": "no-cache" });
  response.write(PING);
  const ping = setInterval(() => response.writableNeedDrain || response.write(PING), PING_MS);
  try {
    for (;;) {
      const { value, done } = await results.next();
      if (done || response.closed) break;
      await Promise.race([gone, write(response, value.parts)]);
    }
    if (!response.closed) response.end(COMPLETE);
  } finally {
    clearInterval(ping);
  }
}

/** Resolves when the parts were passed to the operating system. Without `cork`, as in `EventStream`. */
function write(response: ServerResponse, parts: readonly Buffer[]): Promise<void> {
  response.write(START);
  for (const part of parts) response.write(part);
  return new Promise((resolve) => response.write(END, () => resolve()));
}
