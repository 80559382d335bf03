import type { Attack, Target } from "./attack.js";
import { flood, withBody } from "./flood.js";
import { frame, type Hostile, type HostileSocket, type HttpAttempt } from "./hostile.js";

/** A client that has the token. */
const authorization = ({ graphqlToken }: Target): string => `Bearer ${graphqlToken}`;

function operation(target: Target, query: string, variables: object = {}): HttpAttempt {
  const { headers, ...attempt } = withBody("POST", "/graphql", { query, variables });
  return { ...attempt, headers: { ...headers, accept: "application/json", authorization: authorization(target) } };
}

/** Operations over kept connections, whose answers are read. */
function operations(name: string, about: string, query: (n: number) => string, variables: object = {}): Attack {
  return flood(name, about, (n, target) => operation(target, query(n), variables), { connections: 20 });
}

const INTROSPECTION = `{ __schema { types { ${Array.from(
  { length: 20 },
  (_, n) => `a${n}: fields { type { fields { name type { name ofType { name ofType { name } } } } } }`,
).join(" ")} } } }`;

const BY_HASHES = "query ($h: [Hash256!]) { transactionsByIds(hashes: $h) { id } }";

const MANY_LISTS = Array.from({ length: 15 }, (_, n) => `a${n}: transactions(first: 1) { data { id } }`).join(" ");

/** Connections to /graphql, as many as may be, which read or do not. */
async function connections(target: Target, hostile: Hostile, count: number, reads = false): Promise<HostileSocket[]> {
  const headers = `Authorization: ${authorization(target)}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n`;
  const sockets = await hostile.openMany(count, "/graphql", headers);
  for (const socket of sockets) {
    if (reads) socket.read();
    else socket.pause();
    socket.send({ type: "connection_init" });
  }
  return sockets;
}

const subscribe = (id: number | string, query: string) => ({ id: String(id), type: "subscribe", payload: { query } });

/** The maximum number of subscriptions, over the maximum number of connections. */
function subscriptions(name: string, about: string, reads: boolean): Attack {
  return {
    name,
    about,
    during: { count: 2, bytes: 230_000 },
    run: async (target, hostile) => {
      for (const socket of await connections(target, hostile, 200, reads)) {
        for (let n = 0; n < 100; n++) socket.send(subscribe(n, "subscription { confirmedAdded { sequence body } }"));
      }
      await hostile.wait();
    },
  };
}

/** Subscriptions that resume, as many as may be in this time. */
function resumed(name: string, about: string, reads: boolean): Attack {
  return {
    name,
    about,
    before: { count: 40, bytes: 230_000 },
    run: async (target, hostile) => {
      const query = `subscription { confirmedAdded(from: ${target.sequence - 39}) { sequence body again: body } }`;
      for (const socket of await connections(target, hostile, 100, reads)) {
        for (let n = 0; n < 20; n++) socket.send(subscribe(n, query));
      }
      await hostile.wait();
    },
  };
}

const eventStreams: Attack = {
  name: "event-streams",
  about: "500 subscriptions as server-sent events that are not read.",
  during: { count: 2, bytes: 230_000 },
  run: async (target, hostile: Hostile) => {
    const query = encodeURIComponent("subscription { confirmedAdded { sequence body } }");
    for (const socket of await hostile.connectMany(500)) {
      socket.pause();
      socket.write(
        `GET /graphql?query=${query} HTTP/1.1\r\nHost: localhost:${target.port}\r\nAccept: text/event-stream\r\n` +
          `Authorization: ${authorization(target)}\r\n\r\n`,
      );
    }
    await hostile.wait();
  },
};

const socketQueries: Attack = {
  name: "graphql-socket-queries",
  about: "Queries over 50 WebSocket connections without a pause, whose answers are not read.",
  run: async (target, hostile) => {
    const query = "{ blocks(first: 93) { data { transactions(first: 100) { data { id hash height type size } } } } }";
    for (const [place, socket] of (await connections(target, hostile, 50)).entries()) {
      const messages = Array.from({ length: 90 }, (_, n) => JSON.stringify(subscribe(`${place}-${n}`, query)));
      socket.socket.write(Buffer.concat(messages.map((message) => frame(0x81, Buffer.from(message)))));
    }
    await hostile.wait();
  },
};

export const graphqlAttacks: readonly Attack[] = [
  operations(
    "graphql-lists",
    "Queries that cost just less than they may: lists inside lists.",
    (n) =>
      `{ blocks(first: 93, page: null) { data { transactions(first: 100) { data { id hash height type ${n % 2 ? "size" : "fee"} } } } } }`,
  ),
  operations(
    "graphql-many-lists",
    "Queries for as many small lists as may be in one: each is a statement.",
    (n) => `{ blocks(page: { pageNumber: ${1 + (n % 9)}, pageSize: 100 }) { data { ${MANY_LISTS} } } }`,
  ),
  operations(
    "graphql-documents",
    "Queries for the largest transactions with their bodies.",
    () =>
      "{ transactions(first: 100, order: DESC) { data { id body whole: body(embedded: true) again: body third: body } } }",
  ),
  operations(
    "graphql-merging",
    "Documents that are slow to check: the same field again and again.",
    (n) => `{ ${"chain{height}".repeat(240)} a${n}: chain { height } }`,
  ),
  operations(
    "graphql-fragments",
    "Documents that are slow to check: fragments that spread each other.",
    (n) =>
      `query q${n} { ...f0 } ${Array.from({ length: 190 }, (_, m) => `fragment f${m} on Query { chain { height } ${m < 189 ? `...f${m + 1}` : ""} }`).join(" ")}`,
  ),
  operations("graphql-introspection", "Introspection inside introspection, with many aliases.", () => INTROSPECTION),
  operations(
    "graphql-long",
    "Documents of 1 MB without an end.",
    (n) => `{ a${n} ${n % 2 ? "(".repeat(500_000) : `(x: "${"y".repeat(900_000)}")`}`,
  ),
  operations("graphql-variables", "1 MB of variables.", () => BY_HASHES, { h: Array(13_000).fill("0".repeat(64)) }),
  subscriptions("graphql-subscriptions", "100 connections with 100 subscriptions each, while large events come.", true),
  subscriptions("graphql-subscriptions-unread", "The same, and not read.", false),
  resumed("graphql-resumed", "100 connections with 20 subscriptions each that resume from large events.", true),
  resumed("graphql-resumed-unread", "The same, without reading.", false),
  socketQueries,
  eventStreams,
];
