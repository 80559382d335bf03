import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** The baseline, in its own process: bare `ws` connections, and a loop that sends a message to each. */

const clients = new Set<WebSocket>();
const server = createServer();
const upgrades = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
upgrades.on("connection", (client) => {
  clients.add(client);
  client.on("error", () => undefined);
  client.on("close", () => clients.delete(client));
  client.send(JSON.stringify({ uid: "a".repeat(20) }));
});

// The report is the start of the loop, in ns of the monotonic clock.
process.on("message", (text: string) => {
  const message = Buffer.from(text);
  const begun = String(process.hrtime.bigint());
  for (const client of clients) client.send(message, { binary: false });
  process.send?.(begun);
});

server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
