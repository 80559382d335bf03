import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Target } from "./attack.js";
import { frame, type Hostile, type HostileSocket, spellings } from "./hostile.js";

const LARGE = 230_000;
const EIGHT = { count: 8, bytes: LARGE };

/** Subscriptions to one address in many spellings, on a connection that reads or does not. */
function spelled(topics: number, how: "live" | "from", reads: boolean, connections = 1): Attack {
  return {
    name: `spellings-${how}-${topics}-${reads ? "reading" : "silent"}${connections > 1 ? `-${connections}` : ""}`,
    about: `${connections} connection(s) with ${topics} subscriptions each to one address, spelled differently, ${how}, while events have 230 kB.`,
    ...(how === "from" ? { before: EIGHT } : { during: { ...EIGHT, count: 2 } }),
    run: async (target, hostile) => {
      const sockets = await hostile.openMany(connections);
      for (const socket of sockets) {
        if (reads) socket.read();
        else socket.pause();
        for (const text of spellings(target.addressHex, topics)) {
          socket.subscribe(`confirmedAdded/${text}`, how === "from" ? firstOf(target, EIGHT.count) : undefined);
        }
      }
      await hostile.wait();
    },
  };
}

/** Sequence of the first event written before. */
function firstOf({ sequence }: Target, count: number): number {
  return sequence - count + 1;
}

async function openSilent(hostile: Hostile, count: number): Promise<HostileSocket[]> {
  const sockets = await hostile.openMany(count);
  for (const socket of sockets) socket.pause();
  return sockets;
}

const catchUps: Attack = {
  name: "catch-ups",
  about: "Connections, as many as may be, that ask from different events on for 200 large ones and do not read them.",
  before: { count: 200, bytes: LARGE },
  run: async (target, hostile) => {
    const sockets = await openSilent(hostile, 200);
    sockets.forEach((socket, n) => {
      socket.subscribe("confirmedAdded", firstOf(target, 200) + n);
    });
    await hostile.wait();
  },
};

const manyTopics: Attack = {
  name: "many-topics",
  about: "20 connections that subscribe to 1,000 addresses each, from the first event on, again and again.",
  before: { count: 500, bytes: 500, concern: "many" },
  run: (target, hostile) =>
    hostile.repeat(20, async () => {
      const socket = await hostile.open();
      if (!socket) return;
      socket.read();
      for (const address of target.addresses.slice(0, 1_000)) {
        socket.subscribe(`confirmedAdded/${address}`, firstOf(target, 500));
      }
      await sleep(3_000, undefined, { signal: hostile.signal });
      socket.socket.destroy();
    }),
};

const subscribeFlood: Attack = {
  name: "subscribe-flood",
  about: "50 connections that subscribe and unsubscribe as fast as they can.",
  run: async (target, hostile) => {
    const sockets = await hostile.openMany(50);
    await Promise.all(
      sockets.map(async (socket, n) => {
        socket.read();
        const { uid } = socket;
        const requests = target.addresses.slice(n * 10, n * 10 + 400).flatMap((address) => {
          const topic = `status/${address}`;
          return [
            { uid, subscribe: topic, from: 1 },
            { uid, unsubscribe: topic },
            { uid, subscribe: `${topic}x` },
          ];
        });
        const bytes = Buffer.concat(requests.map((one) => frame(0x81, Buffer.from(JSON.stringify(one)))));
        await socket.pour(bytes, hostile.signal);
      }),
    );
  },
};

const crowd: Attack = {
  name: "crowd",
  about: "5,000 connections to /ws that subscribe to everything, if the gateway accepts them.",
  during: { count: 10, bytes: 1_000 },
  run: async (_target, hostile) => {
    const sockets = await hostile.openMany(5_000);
    for (const socket of sockets) {
      socket.read();
      socket.subscribe("confirmedAdded");
      socket.subscribe("block");
    }
    await hostile.wait();
  },
};

const churn: Attack = {
  name: "websocket-churn",
  about: "Connections to /ws that subscribe and leave at once, 30 side by side.",
  run: (_target, hostile) =>
    hostile.repeat(30, async () => {
      const socket = await hostile.open();
      socket?.subscribe("block", 1);
      socket?.socket.destroy();
    }),
};

const silentReaders: Attack = {
  name: "silent-readers",
  about: "Connections, as many as may be, that listen to everything and read nothing, while large events come.",
  during: { count: 1, bytes: LARGE },
  run: async (_target, hostile) => {
    for (const socket of await openSilent(hostile, 200)) socket.subscribe("confirmedAdded");
    await hostile.wait();
  },
};

const manyEvents: Attack = {
  name: "many-events",
  about: "Connections, as many as may be, that listen to 200 addresses each, all of which 500 events at once concern.",
  during: { count: 500, bytes: 500, concern: "many" },
  run: async (target, hostile) => {
    for (const socket of await hostile.openMany(200)) {
      socket.read();
      for (const address of target.addresses.slice(0, 50)) socket.subscribe(`confirmedAdded/${address}`);
    }
    await hostile.wait();
  },
};

/** Many connections that send frames and read nothing. */
function frames(name: string, about: string, bytes: () => Buffer, connections = 50): Attack {
  return {
    name,
    about,
    run: (_target, hostile) =>
      hostile.repeat(connections, async () => {
        const socket = await hostile.open();
        if (!socket) return;
        socket.pause();
        await socket.pour(bytes(), hostile.signal);
      }),
  };
}

const repeated = (one: Buffer, size = 65_536): Buffer => Buffer.concat(Array(Math.ceil(size / one.length)).fill(one));

export const webSocketAttacks: readonly Attack[] = [
  spelled(500, "live", true),
  spelled(1_000, "live", true),
  spelled(500, "live", false),
  spelled(1_000, "live", false),
  spelled(1_000, "live", true, 100),
  spelled(1_000, "live", false, 100),
  spelled(500, "from", true),
  spelled(1_000, "from", true),
  spelled(500, "from", false),
  spelled(1_000, "from", false),
  spelled(1_000, "from", true, 20),
  catchUps,
  manyTopics,
  subscribeFlood,
  crowd,
  churn,
  silentReaders,
  manyEvents,
  frames("pings", "Endless pings, whose pongs are not read.", () => repeated(frame(0x89, Buffer.alloc(100)))),
  frames("empty-frames", "Messages that consist of empty frames without an end.", () =>
    Buffer.concat([frame(0x01, Buffer.alloc(0)), repeated(frame(0x00, Buffer.alloc(0)))]),
  ),
  frames("huge-frames", "Frames that announce 2^62 bytes.", () =>
    Buffer.concat([Buffer.of(0x81, 0xff, 0x40), Buffer.alloc(11), Buffer.alloc(65_536, 0x61)]),
  ),
  frames("no-frames", "Bytes that are no frames.", () => Buffer.alloc(65_536, 0xff)),
  frames("wrong-requests", "Invalid requests, whose errors are not read.", () =>
    repeated(frame(0x81, Buffer.from('{"uid":"x","subscribe":"block"}'))),
  ),
];
