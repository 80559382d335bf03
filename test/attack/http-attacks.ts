import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Attack, Target } from "./attack.js";
import { flood, nth, withBody } from "./flood.js";

const MEBIBYTE = 1_048_576;

/** Idle connections, each of which writes something and then a byte now and then. */
function held(name: string, about: string, start: (target: Target) => string, drop: string, count = 2_000): Attack {
  return {
    name,
    about,
    run: async (target, hostile) => {
      while (!hostile.hasEnded) {
        const sockets = await hostile.connectMany(count);
        for (const socket of sockets) socket.write(start(target));
        while (!hostile.hasEnded && sockets.some((socket) => !socket.destroyed)) {
          await sleep(500);
          for (const socket of sockets) if (drop !== "" && socket.writable) socket.write(drop);
        }
        await sleep(100);
      }
    },
  };
}

/** Bytes written to connections as fast as the gateway accepts them; answers are read or not. */
function poured(name: string, about: string, bytes: (target: Target) => Buffer, reads: boolean, count = 30): Attack {
  return {
    name,
    about,
    run: (target, hostile) => {
      const chunk = bytes(target);
      return hostile.repeat(count, async () => {
        const socket = await hostile.connect();
        if (!socket) return void (await sleep(20));
        if (reads) socket.resume();
        else socket.pause();
        while (!hostile.hasEnded && !socket.destroyed) {
          if (socket.write(chunk)) await new Promise(setImmediate);
          else await new Promise((resolve) => ["drain", "close"].map((event) => socket.once(event, resolve)));
        }
      });
    },
  };
}

const requests = (path: string, times: number): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(times));

/** Large answers that the client does not read. */
function unread(name: string, about: string, request: (target: Target) => string): Attack {
  return {
    name,
    about,
    run: async (target, hostile) => {
      const sockets = await hostile.connectMany(300);
      for (const socket of sockets) {
        socket.pause();
        socket.write(request(target));
      }
      await hostile.wait();
    },
  };
}

const lookUp = (hashes: readonly string[]): string => {
  const body = JSON.stringify({ transactionIds: hashes });
  return `POST /transactions/confirmed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

const deepPages = [
  "/transactions/confirmed?pageSize=100&pageNumber=100",
  "/transactions/confirmed?embedded=true&pageSize=100&pageNumber=50&order=desc",
  "/transactions/confirmed?embedded=true&type=16724&type=16705&fromTransferAmount=1&transferMosaicId=72C0212E67A08BCE&pageSize=100",
  "/transactions/confirmed?fromHeight=1&toHeight=100000&type=16724&pageSize=100&pageNumber=90",
  "/statements/transaction?fromHeight=1&pageSize=100&pageNumber=40",
  "/blocks?pageSize=100&pageNumber=9999999",
  "/accounts?pageSize=100&pageNumber=3&orderBy=balance&mosaicId=72C0212E67A08BCE",
];

const churn: Attack = {
  name: "http-churn",
  about: "Connections that ask once and are reset, 50 side by side.",
  run: (_target, hostile) =>
    hostile.repeat(50, async () => {
      const socket = await hostile.connect();
      socket?.write("GET /node/server HTTP/1.1\r\nHost: localhost\r\n\r\n");
      socket?.resetAndDestroy();
    }),
};

const largeBodies: Attack = {
  name: "large-bodies",
  about: "Invalid bodies of 1 MiB: nested, long lists, long texts, truncated.",
  run: (_target, hostile) => {
    const bodies = [
      "[".repeat(MEBIBYTE - 1),
      `{"transactionIds":[${'"a",'.repeat(200_000)}"a"]}`,
      `{"addresses":[${'["'.repeat(1)}${"x".repeat(MEBIBYTE - 100)}"]]}`,
      `{"transactionIds":${"[".repeat(500_000)}${"]".repeat(500_000)}}`,
      `{${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join()}}`,
    ];
    return hostile.flood(20, (n) => withBody("POST", "/transactions/confirmed", nth(bodies, n)));
  },
};

const compressedBodies: Attack = {
  name: "compressed-bodies",
  about: "gzip bodies that unpack to 50 MiB, truncated ones, and invalid ones.",
  run: (_target, hostile) => {
    const bomb = gzipSync(Buffer.alloc(50 * MEBIBYTE, 0x20));
    const bodies = [bomb, bomb.subarray(0, 5_000), randomBytes(10_000), gzipSync(Buffer.alloc(1_000_000, 0x20))];
    return hostile.flood(30, (n) => {
      const { headers, ...attempt } = withBody("POST", "/transactions/confirmed", nth(bodies, n));
      return { ...attempt, headers: { ...headers, "content-encoding": "gzip" } };
    });
  },
};

export const httpAttacks: readonly Attack[] = [
  held("idle-connections", "Connections that send nothing.", () => "", ""),
  held("slow-headers", "Connections that send a header line now and then.", () => "GET / HTTP/1.1\r\n", "X: y\r\n"),
  held(
    "slow-bodies",
    "Connections whose bodies come byte by byte.",
    () =>
      "POST /transactions/confirmed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
    " ",
  ),
  poured("pipelined", "Requests for pages without a pause, answers read.", () => requests(deepPages[0]!, 500), true),
  poured("pipelined-unread", "Requests without a pause, answers not read.", () => requests(deepPages[0]!, 500), false),
  poured("pipelined-small", "The shortest requests without a pause.", () => requests("/", 1_500), false),
  poured("no-http", "Bytes that are no HTTP.", () => randomBytes(65_536), true),
  poured(
    "large-headers",
    "Headers beyond every limit.",
    () =>
      Buffer.from(
        `GET / HTTP/1.1\r\nHost: localhost\r\n${`X-${"a".repeat(2_000)}: ${"b".repeat(5_000)}\r\n`.repeat(9)}`,
      ),
    true,
  ),
  poured(
    "many-headers",
    "As many headers as fit.",
    () => Buffer.from(`GET /chain/info HTTP/1.1\r\nHost: localhost\r\n${"a:b\r\n".repeat(2_000)}\r\n`.repeat(4)),
    true,
  ),
  flood("tags-and-encodings", "Long lists of tags and encodings.", () => ({
    path: "/chain/info",
    headers: { "if-none-match": `"x",`.repeat(2_000), "accept-encoding": "gzip;q=0.1,".repeat(500) },
  })),
  poured(
    "other-upgrades",
    "Upgrades to HTTP/2 with bodies that never come.",
    () =>
      Buffer.from(
        "POST /transactions/confirmed HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{",
      ),
    true,
    200,
  ),
  poured(
    "expectations",
    "Nonsense to expect, without a pause.",
    () => Buffer.from("GET /blocks HTTP/1.1\r\nHost: localhost\r\nExpect: nonsense\r\n\r\n".repeat(500)),
    true,
  ),
  poured(
    "wrong-hosts",
    "Invalid hosts, without a pause.",
    () => Buffer.from("GET /blocks HTTP/1.1\r\nHost: a b/c?\r\n\r\n".repeat(500)),
    true,
  ),
  poured(
    "asterisks",
    "OPTIONS *, without a pause.",
    () => Buffer.from("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500)),
    true,
  ),
  flood("expectations-one-by-one", "Nonsense to expect, one at a time on each connection.", () => ({
    path: "/blocks",
    headers: { expect: "nonsense" },
  })),
  flood("wrong-hosts-one-by-one", "Invalid hosts, one at a time on each connection.", () => ({
    path: "/blocks",
    headers: { host: "a b/c?" },
  })),
  flood("asterisks-one-by-one", "OPTIONS *, one at a time on each connection.", () => ({
    method: "OPTIONS",
    path: "*",
  })),
  flood("small-pages", "Pages without entries and with long URLs, each twice, so that they are kept.", (n) => ({
    path: `/blocks?pageSize=10&pageNumber=${1_000_000 + (n >> 1)}${"&orderBy=".repeat(90)}`,
  })),
  {
    name: "half-open-tls",
    about: "Connections over which a TLS handshake begins and never ends.",
    gateway: { isTls: true },
    run: async (_target, hostile) => {
      while (!hostile.hasEnded) {
        for (const socket of await hostile.connectMany(2_000, false)) socket.write(Buffer.of(0x16, 0x03, 0x01));
        await sleep(500);
      }
    },
  },
  churn,
  largeBodies,
  compressedBodies,
  unread("unread-pages", "Pages of full aggregates that are not read.", () =>
    requests("/transactions/confirmed?pageSize=100&type=16705&type=16961&include=transactions", 1).toString(),
  ),
  unread("unread-look-ups", "100 full aggregates at once that are not read.", ({ largeHashes }) => lookUp(largeHashes)),
  flood("large-pages", "Pages of full aggregates, compressed.", (n) => ({
    path: `/transactions/confirmed?pageSize=100&type=16705&type=16961&include=transactions&x${n}=`,
    headers: { "accept-encoding": n % 2 ? "br" : "gzip" },
  })),
  flood("look-ups", "POST requests with as many keys as they may have.", (n, { largeHashes, addresses }) => {
    const lookUps: readonly (readonly [path: string, body: object])[] = [
      ["/transactions/confirmed", { transactionIds: largeHashes }],
      ["/accounts", { addresses: addresses.slice(0, 100) }],
      ["/namespaces/account/names", { addresses: addresses.slice(0, 1_000) }],
      ["/transactionStatus", { hashes: Array.from({ length: 1_000 }, () => randomBytes(32).toString("hex")) }],
    ];
    return withBody("POST", ...nth(lookUps, n));
  }),
  flood("deep-pages", "Searches that find and skip much.", (n) => ({
    path: `${nth(deepPages, n)}&x${n}=`,
  })),
  flood("missing-paths", "Invalid paths, each different.", (n) => ({
    path: `/${n}${"/x".repeat(1_000)}?${"a=b&".repeat(1_000)}`,
  })),
  flood("announcements", "Transactions that can never be valid.", (n, { payloads }) =>
    withBody("PUT", "/transactions", { payload: nth(payloads, n) }),
  ),
  flood("large-announcements", "Announcements of half a MiB that are no transactions.", (n) =>
    withBody("PUT", "/transactions", { payload: (n % 2 ? "00" : "FF").repeat(500_000) }),
  ),
  flood(
    "simulations",
    "Simulations of the largest aggregates, whose transfers all go to other accounts.",
    (n, { aggregates }) => withBody("POST", "/transactions/simulate", { payload: nth(aggregates, n) }),
  ),
  flood(
    "multisig-graph",
    "Simulations and announcements for an account to which 13,824 paths through multisig accounts lead.",
    (n, { multisigAggregate: payload }) =>
      n % 2 ? withBody("PUT", "/transactions", { payload }) : withBody("POST", "/transactions/simulate", { payload }),
  ),
  flood("held-flood", "Cosignatures of unknown aggregates, each by another key.", (n, { cosignatures }) =>
    withBody("PUT", "/transactions/cosignature", nth(cosignatures, n)),
  ),
  flood("node-questions", "What only the node can answer.", (n, { addressHex }) => ({
    path: nth(
      [`/accounts/${addressHex}/merkle`, ...["info", "peers", "time", "unlockedaccount"].map((of) => `/node/${of}`)],
      n,
    ),
  })),
];
