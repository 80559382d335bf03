import { METHODS } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "./attack.js";
import { flood, nth } from "./flood.js";
import { frame } from "./hostile.js";

// What ends a process, fills its log or its metrics, or passes its limits, rather than keep it busy.

const PAGES = ["/mosaic/72C0212E67A08BCE", "/accounts", "/namespace/none", "/network"];

const earlyPromises = flood(
  "early-promises",
  "Pages whose data cannot be read in part, of accounts without importance too, where the network's files are unknown.",
  (n, { accounts, addresses }) => {
    const address = nth(n % 2 === 0 ? accounts : addresses, n);
    const page = nth([`/account/${address}`, ...PAGES], n);
    return { path: `/explorer/data?${new URLSearchParams({ page: `${page}#${n}` })}` };
  },
  { gateway: { settings: { EXPLORER: "public", CATAPULT_RESOURCES: "" } } },
);

/** Messages that only servers send, or that are none. */
const WRONG_MESSAGES = ['{"type":"next","id":"1","payload":{}}', '{"type":"connection_ack"}', '{"type":"error"}', "{"];

const wrongMessages: Attack = {
  name: "wrong-messages",
  about: "WebSockets to /graphql without a token, each with a message that no client may send, 30 side by side.",
  run: (_target, hostile) =>
    hostile.repeat(30, async (place) => {
      const socket = await hostile.open("/graphql", "Sec-WebSocket-Protocol: graphql-transport-ws\r\n");
      if (!socket) return void (await sleep(5));
      socket.read();
      const closed = new Promise((resolve) => socket.socket.once("close", resolve));
      socket.socket.write(frame(0x81, Buffer.from(nth(WRONG_MESSAGES, place))));
      await Promise.race([closed, sleep(1_000)]);
      socket.socket.destroy();
    }),
};

const PATHS = [
  ...["/blocks", "/blocks/1", "/accounts", "/transactions", "/transactions/confirmed", "/mosaics", "/namespaces"],
  ...[
    "/metadata",
    "/metrics",
    "/ready",
    "/graphql",
    "/explorer",
    "/node/info",
    "/chain/info",
    "/events",
    "/ws",
    "/docs",
  ],
  ...[
    "/restrictions/account",
    "/lock/hash",
    "/lock/secret",
    "/statements/transaction",
    "/network",
    "/finalization",
    "/",
  ],
];
const OTHER_METHODS = METHODS.filter((method) => method !== "CONNECT");

/** Ends no connection, as an upgrade would. */
const anyMethod = flood("any-method", "Every method that HTTP has, on every path.", (n) => ({
  method: nth(OTHER_METHODS, n),
  path: nth(PATHS, Math.floor(n / OTHER_METHODS.length)),
}));

const preflights = flood(
  "preflights",
  "Questions of browsers what a page may send, which are never rejected.",
  (n) => ({
    method: "OPTIONS",
    path: `/transactions?${n}`,
    headers: { origin: "https://page.example", "access-control-request-method": "PUT" },
  }),
);

export const edgeAttacks: readonly Attack[] = [earlyPromises, wrongMessages, anyMethod, preflights];
