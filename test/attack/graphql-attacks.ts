import type { Attack, Target } from "./attack.js";
import { frame, type Hostile, type HttpAttempt } from "./hostile.js";

/** A client that has the token. */
const authorization = ({ graphqlToken }: Target): string => `Bearer ${graphqlToken}`;

function operation(target: Target, query: string, variables: object = {}): HttpAttempt {
  const body = JSON.stringify({ query, variables });
  return {
    method: "POST",
    path: "/graphql",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      authorization: authorization(target),
      "content-length": String(Buffer.byteLength(body)),
    },
    body,
  };
}

/** Operations over kept connections, whose answers are read. */
function operations(name: string, about: string, query: (n: number) => string, connections = 20): Attack {
  return {
    name,
    about,
    run: (target, hostile) => hostile.flood(connections, (n) => operation(target, query(n))),
  };
}

const INTROSPECTION = `{ __schema { types { ${Array.from(
  { length: 20 },
  (_, n) => `a${n}: fields { type { fields { name type { name ofType { name ofType { name } } } } } }`,
).join(" ")} } } }`;

const MANY_LISTS = Array.from({ length: 15 }, (_, n) => `a${n}: transactions(first: 1) { data { id } }`).join(" ");

/** The maximum number of subscriptions, over the maximum number of connections. */
function subscriptions(name: string, about: string, reads: boolean): Attack {
  return {
    name,
    about,
    during: { count: 2, bytes: 230_000 },
    run: async (target, hostile) => {
      const headers = `Authorization: ${authorization(target)}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n`;
      const sockets = await hostile.openMany(200, "/graphql", headers);
      for (const socket of sockets) {
        if (reads) socket.read();
        else socket.pause();
        socket.send({ type: "connection_init" });
        for (let n = 0; n < 100; n++) {
          const query = "subscription { confirmedAdded { sequence body } }";
          socket.send({ id: String(n), type: "subscribe", payload: { query } });
        }
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
      const headers = `Authorization: ${authorization(target)}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n`;
      const query = `subscription { confirmedAdded(from: ${target.sequence - 39}) { sequence body again: body } }`;
      for (const socket of await hostile.openMany(100, "/graphql", headers)) {
        if (reads) socket.read();
        else socket.pause();
        socket.send({ type: "connection_init" });
        for (let n = 0; n < 20; n++) socket.send({ id: String(n), type: "subscribe", payload: { query } });
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
    const headers = `Authorization: ${authorization(target)}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n`;
    const query = "{ blocks(first: 93) { data { transactions(first: 100) { data { id hash height type size } } } } }";
    await Promise.all(
      (await hostile.openMany(50, "/graphql", headers)).map(async (socket, place) => {
        socket.pause();
        socket.send({ type: "connection_init" });
        const message = (n: number) => ({ id: `${place}-${n}`, type: "subscribe", payload: { query } });
        const all = Array.from({ length: 90 }, (_, n) => frame(0x81, Buffer.from(JSON.stringify(message(n)))));
        socket.socket.write(Buffer.concat(all));
        await hostile.wait();
      }),
    );
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
  {
    name: "graphql-variables",
    about: "1 MB of variables.",
    run: (target, hostile) =>
      hostile.flood(20, () =>
        operation(target, "query ($h: [Hash256!]) { transactionsByIds(hashes: $h) { id } }", {
          h: Array.from({ length: 13_000 }, () => "0".repeat(64)),
        }),
      ),
  },
  subscriptions("graphql-subscriptions", "100 connections with 100 subscriptions each, while large events come.", true),
  subscriptions("graphql-subscriptions-unread", "The same, and not read.", false),
  resumed("graphql-resumed", "100 connections with 20 subscriptions each that resume from large events.", true),
  resumed("graphql-resumed-unread", "The same, without reading.", false),
  socketQueries,
  eventStreams,
];
